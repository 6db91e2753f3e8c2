/* Lists of tags completed: the scores and the weight of the given tags, once more by counting. */
#include "answers.h"

#include <math.h>
#include <stdlib.h>

static const double weights[] = {0.25, 0, 0.1, 0.5, 1};
enum { WEIGHTS = sizeof weights / sizeof *weights };

/* Test images of which half of the tags are given. */
typedef struct half {
    small_task t;
    question q;
    size_t *offsets;
    uint32_t *given;
} half;

static void half_open(half *h, const collection_options *o)
{
    task_open(&h->t, o, C_TAGS);
    h->t.task.epochs = 3;
    question_open(&h->q, &h->t, 0, C_TAGS);
    const f0t_samples *images = &h->q.images;
    assert_ok(f0t_alloc(&h->offsets, images->count + 1, sizeof *h->offsets));
    assert_ok(f0t_alloc(&h->given, images->offsets[images->count], sizeof *h->given));
    h->offsets[0] = 0;
    for (size_t m = 0; m < images->count; m++) {
        const size_t first = images->offsets[m], count = (images->offsets[m + 1] - first) / 2;
        memcpy(h->given + h->offsets[m], images->relevant + first, count * sizeof *h->given);
        h->offsets[m + 1] = h->offsets[m] + count;
    }
    h->q.queries.offsets = h->offsets;
    h->q.queries.relevant = h->given;
}

static void half_close(half *h)
{
    f0t_free(h->offsets);
    f0t_free(h->given);
    question_close(&h->q);
    task_close(&h->t);
}

/* ---- By hand ------------------------------------------------------------------------------------- */

static double together(const f0t_samples *train, uint32_t a, uint32_t b)
{
    double count = 0;
    for (size_t m = 0; m < train->count; m++) {
        bool has_a = false, has_b = false;
        for (size_t i = train->offsets[m]; i < train->offsets[m + 1]; i++) {
            has_a = has_a || train->relevant[i] == a;
            has_b = has_b || train->relevant[i] == b;
        }
        count += has_a && has_b;
    }
    return count;
}

static void standardise(double *x, size_t count)
{
    double mean = 0, square = 0;
    for (size_t i = 0; i < count; i++)
        mean += x[i] / (double)count;
    for (size_t i = 0; i < count; i++)
        square += pow(x[i] - mean, 2) / (double)count;
    for (size_t i = 0; i < count; i++)
        x[i] = square > 0 ? (x[i] - mean) / sqrt(square) : 0;
}

typedef struct counts {
    double with[C_TAGS][C_TAGS], images;
} counts;

static void count_all(counts *c, const f0t_samples *train)
{
    c->images = (double)train->count;
    for (uint32_t a = 0; a < C_TAGS; a++)
        for (uint32_t b = 0; b < C_TAGS; b++)
            c->with[a][b] = together(train, a, b);
}

/* log(0.01 P(c) + the mean over the given tags of P(c | u)). */
static void score_given(double *to, const counts *c, const uint32_t *given, size_t count)
{
    for (size_t t = 0; t < C_TAGS; t++) {
        double sum = 0;
        for (size_t i = 0; i < count; i++)
            if (given[i] != t)
                sum += c->with[given[i]][t] / c->with[given[i]][given[i]];
        to[t] = log(0.01 * (c->with[t][t] + 0.5) / (c->images + 1) + sum / (double)count);
    }
    standardise(to, C_TAGS);
}

static void join(double *to, const float *image, const counts *c, const uint32_t *given,
                 size_t count, double weight)
{
    double beside[C_TAGS];
    for (size_t t = 0; t < C_TAGS; t++)
        to[t] = (double)image[t];
    standardise(to, C_TAGS);
    if (!count)
        return;
    score_given(beside, c, given, count);
    for (size_t t = 0; t < C_TAGS; t++)
        to[t] += weight * beside[t];
}

/* What linear-rank at its first values says. */
static void score_images(question *q, const f0t_task *task)
{
    double knobs[F0T_KNOBS_MAX];
    first_knobs(knobs, &f0t_ranker_linear_rank);
    assert_ok(answer(q, &f0t_ranker_linear_rank, task, knobs));
}

/* The average precision of the tags asked[count], which are looked for among those that are not given. */
static double precision(const double *scores, const uint32_t *asked, size_t count,
                        const bool *given)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        double before = 0, hits = 0;
        for (uint32_t t = 0; t < C_TAGS; t++)
            before += !given[t] && scores[t] >= scores[asked[i]];
        for (size_t k = 0; k < count; k++)
            hits += scores[asked[k]] >= scores[asked[i]];
        sum += hits / before;
    }
    return sum / (double)count;
}

/* The weight with the best MiAP on the validation images, half of whose tags the seed gives. */
static double choose_weight(const f0t_task *task, const float *images, const counts *c)
{
    double best = -1, chosen = 0;
    for (size_t w = 0; w < WEIGHTS; w++) {
        double sum = 0, tested = 0;
        for (size_t m = 0; m < task->val.count; m++) {
            const size_t first = task->val.offsets[m], count = task->val.offsets[m + 1] - first;
            const f0t_random random = {task->seed, UINT64_C(0x68616C66) + task->val.images[m]};
            uint32_t tags[C_TAGS];
            double scores[C_TAGS];
            bool given[C_TAGS] = {false};
            memcpy(tags, task->val.relevant + first, count * sizeof *tags);
            f0t_random_shuffle(tags, count, &random);
            const size_t asked = count - count / 2;
            for (size_t i = asked; i < count; i++)
                given[tags[i]] = true;
            if (count < 2)
                continue;
            join(scores, images + m * C_TAGS, c, tags + asked, count / 2, weights[w]);
            sum += precision(scores, tags, asked, given);
            tested++;
        }
        if (sum / tested > best + 1e-12) {
            best = sum / tested;
            chosen = weights[w];
        }
    }
    return chosen;
}

/* linear-rank's scores of the validation images; the caller frees them. */
static float *score_validation(half *h)
{
    question q = h->q;
    const f0t_samples *val = &h->t.task.val;
    assert_ok(f0t_alloc(&q.features, val->count * C_FEATURES, sizeof *q.features));
    assert_ok(f0t_alloc(&q.scores, val->count * C_TAGS, sizeof *q.scores));
    assert_ok(f0t_task_read(q.features, &h->t.task, val->images, val->count));
    q.queries = (f0t_queries){.count = val->count, .features = q.features};
    score_images(&q, &h->t.task);
    f0t_free(q.features);
    return q.scores;
}

/* ---- Cases -------------------------------------------------------------------------------------------- */

static void check_scores(half *h, const counts *c, double weight)
{
    const size_t count = h->q.images.count;
    float *got;
    assert_ok(answer(&h->q, &f0t_ranker_completion, &h->t.task, NULL));
    assert_ok(f0t_alloc(&got, count * C_TAGS, sizeof *got));
    memcpy(got, h->q.scores, count * C_TAGS * sizeof *got);
    score_images(&h->q, &h->t.task);
    for (size_t m = 0; m < count; m++) {
        double want[C_TAGS];
        join(want, h->q.scores + m * C_TAGS, c, h->given + h->offsets[m],
             h->offsets[m + 1] - h->offsets[m], weight);
        for (size_t t = 0; t < C_TAGS; t++)
            assert_true(fabs((double)got[m * C_TAGS + t] - want[t]) < 2e-3);
    }
    f0t_free(got);
}

static void scores_are_those_of_image_and_given_tags(void **state)
{
    static counts c;
    half h;
    (void)state;
    half_open(&h, &(collection_options){.name = "half"});
    count_all(&c, &h.t.task.train);
    float *val = score_validation(&h);
    for (h.t.task.seed = 3; h.t.task.seed < 5; h.t.task.seed++) {
        f0t_free(val);
        val = score_validation(&h);
        check_scores(&h, &c, choose_weight(&h.t.task, val, &c));
    }
    f0t_free(val);
    half_close(&h);
}

static void without_validation_images_the_weight_is_a_quarter(void **state)
{
    static counts c;
    half h;
    (void)state;
    half_open(&h, &(collection_options){.name = "plain", .no_validation = true});
    count_all(&c, &h.t.task.train);
    check_scores(&h, &c, 0.25);
    memset(h.offsets, 0, (h.q.images.count + 1) * sizeof *h.offsets); /* nothing is given */
    check_scores(&h, &c, 0.25);
    half_close(&h);
}

static void the_same_seed_gives_the_same_bytes(void **state)
{
    half h;
    float *once;
    (void)state;
    half_open(&h, &(collection_options){.name = "half"});
    const size_t size = h.q.images.count * C_TAGS * sizeof *once;
    assert_ok(f0t_alloc(&once, h.q.images.count * C_TAGS, sizeof *once));
    assert_ok(answer(&h.q, &f0t_ranker_completion, &h.t.task, NULL));
    memcpy(once, h.q.scores, size);
    assert_ok(answer(&h.q, &f0t_ranker_completion, &h.t.task, NULL));
    assert_memory_equal(once, h.q.scores, size);
    f0t_free(once);
    half_close(&h);
}

static void missing_memory_is_told(void **state)
{
    half h;
    (void)state;
    half_open(&h, &(collection_options){.name = "half"});
    h.t.task.epochs = 1;
    faulty f = {&f0t_ranker_completion, NULL, &h.t, &h.q};
    test_each_fault(F0T_FAULT_ALLOC, run_faulty, &f);
    half_close(&h);
}

static void images_without_tags_are_refused(void **state)
{
    half h;
    (void)state;
    half_open(&h, &(collection_options){.name = "untagged", .untagged = true});
    assert_fails(F0T_ERROR_UNSUPPORTED, "none of the 360 training images",
                 answer(&h.q, &f0t_ranker_completion, &h.t.task, NULL));
    half_close(&h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scores_are_those_of_image_and_given_tags),
        cmocka_unit_test(without_validation_images_the_weight_is_a_quarter),
        cmocka_unit_test(the_same_seed_gives_the_same_bytes),
        cmocka_unit_test(missing_memory_is_told),
        cmocka_unit_test(images_without_tags_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
