/* Co-occurrence against counts made by hand, over all pairs. */
#include "support.h"

#include "baseline/cooccurrence.h"

#include <math.h>
#include <string.h>

enum { IMAGES = 60, TAGS = 40 };

typedef struct sample {
    bool has[IMAGES][TAGS];
    uint32_t images[IMAGES], relevant[IMAGES * TAGS];
    size_t offsets[IMAGES + 1];
    f0t_task task;
} sample;

static void draw(sample *s)
{
    size_t at = 0;
    for (size_t m = 0; m < IMAGES; m++) {
        s->images[m] = (uint32_t)m;
        s->offsets[m] = at;
        for (size_t t = 0; t < TAGS; t++) {
            s->has[m][t] = t < TAGS - 1 && (m * 7919 + t * t * 31 + m * t) % (3 + t) < 2;
            if (s->has[m][t])
                s->relevant[at++] = (uint32_t)t;
        }
    }
    s->offsets[IMAGES] = at;
    s->task = (f0t_task){.tags = TAGS,
                         .train = {.count = IMAGES,
                                   .tags = TAGS,
                                   .images = s->images,
                                   .offsets = s->offsets,
                                   .relevant = s->relevant}};
}

static double together(const sample *s, size_t a, size_t b)
{
    double count = 0;
    for (size_t m = 0; m < IMAGES; m++)
        count += s->has[m][a] && s->has[m][b];
    return count;
}

/* How many tags come before c on the list of u: those that are more often beside it, of equals the first. */
static size_t place_of(const sample *s, size_t u, size_t c)
{
    size_t before = 0;
    for (size_t t = 0; t < TAGS; t++) {
        const double other = together(s, u, t), own = together(s, u, c);
        before += t != u && t != c && (other > own || (other == own && t < c));
    }
    return before;
}

static double middle(const sample *s)
{
    double sum = 0, known = 0;
    for (size_t t = 0; t < TAGS; t++)
        if (together(s, t, t) > 0) {
            sum += log(together(s, t, t));
            known++;
        }
    return sum / known;
}

static double want(const sample *s, const uint32_t *given, size_t count, size_t c,
                   f0t_gathering how)
{
    const double k = middle(s);
    double sum = 1e-4 * together(s, c, c) / (IMAGES + 1);
    for (size_t i = 0; i < count; i++) {
        const size_t u = given[i], place = place_of(s, u, c);
        if (u == c || place >= 25 || together(s, u, c) == 0)
            continue;
        const double off_u = fabs(k - log(together(s, u, u))),
                     off_c = fabs(k - log(together(s, c, c)));
        sum += how == F0T_GATHER_VOTE ? 1
               : how == F0T_GATHER_SUM
                   ? together(s, u, c) / together(s, u, u)
                   : 4 / (4 + (double)place) * k / (k + off_u) * k / (k + off_c);
    }
    return sum;
}

static void lists_and_scores_are_those_of_all_pairs(void **state)
{
    static const uint32_t given[] = {0, 5, 11, 38};
    static sample s;
    (void)state;
    draw(&s);
    f0t_cooccurrence *c;
    assert_ok(f0t_cooccurrence_create(&c, &s.task));
    for (int how = F0T_GATHER_VOTE; how <= F0T_GATHER_PROMOTE; how++)
        for (size_t count = 0; count <= 4; count++) {
            float scores[TAGS];
            f0t_cooccurrence_score(scores, c, given, count, (f0t_gathering)how);
            for (size_t t = 0; t < TAGS; t++)
                assert_true(
                    fabs((double)scores[t] - want(&s, given, count, t, (f0t_gathering)how)) < 1e-5);
        }
    f0t_cooccurrence_free(c);
}

/* A tag that no image has: an empty list, and the last place. */
static void a_tag_without_images_is_last(void **state)
{
    static const uint32_t given[] = {TAGS - 1};
    static sample s;
    float scores[TAGS];
    (void)state;
    draw(&s);
    f0t_cooccurrence *c;
    assert_ok(f0t_cooccurrence_create(&c, &s.task));
    assert_true(c->list[(TAGS - 1) * c->most] == F0T_NO_SAMPLE_TAG);
    f0t_cooccurrence_score(scores, c, given, 1, F0T_GATHER_PROMOTE);
    for (size_t t = 0; t < TAGS - 1; t++)
        assert_true(together(&s, t, t) > 0 ? scores[t] > scores[TAGS - 1]
                                           : scores[t] == scores[TAGS - 1]);
    f0t_cooccurrence_free(c);
}

static f0t_status create(void *context)
{
    f0t_cooccurrence *c;
    F0T_TRY(f0t_cooccurrence_create(&c, context));
    f0t_cooccurrence_free(c);
    return F0T_OK;
}

static void every_failed_allocation_is_survived(void **state)
{
    static sample s;
    (void)state;
    draw(&s);
    test_each_fault(F0T_FAULT_ALLOC, create, &s.task);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_and_scores_are_those_of_all_pairs),
        cmocka_unit_test(a_tag_without_images_is_last),
        cmocka_unit_test(every_failed_allocation_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
