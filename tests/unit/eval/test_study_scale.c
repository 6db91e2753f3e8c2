/* Larger vocabularies in the plane, where everything can be counted: vectors of length 1 lie on a circle, and a
 * direction puts a rule's tags first exactly where they lie side by side on it. */
#include "support.h"

#include "base/random.h"
#include "eval/study.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { TAGS = 9, WORDS = 12, IMAGES = 160, MOST = 4 };

/* Tag t is at place 8t / 3 of a circle of 24 places, the words are between most of them; nothing is even. */
static double angle_of(size_t point)
{
    const f0t_random random = {31, point};
    const size_t place = point < TAGS
                             ? point * 8 / 3
                             : (point - TAGS) / 4 * 8 + (size_t[]){3, 4, 6, 7}[(point - TAGS) % 4];
    return ((double)place + 0.6 * f0t_random_uniform(&random, 0)) / 24 * 2 * acos(-1);
}

static const char *const names[TAGS] = {"tag0", "tag1", "tag2", "tag3",  "tag4",
                                        "tag5", "tag6", "tag7", "clouds"};

static size_t add_word(char *text, size_t at, size_t size, const char *word, double x, double y)
{
    return at + (size_t)snprintf(text + at, size - at, "%s %.6f %.6f\n", word, x, y);
}

/* Words that are no words of a vocabulary, too: a tag as others write it, vectors that come twice or are 0. */
static const char *write_vectors(void)
{
    static char text[4096];
    size_t at = 0;
    for (size_t p = 0; p < TAGS + WORDS; p++) {
        char word[16];
        snprintf(word, sizeof word, "word%zu", p);
        at = add_word(text, at, sizeof text,
                      p == TAGS - 1 ? "cloud" /* what clouds has */
                      : p < TAGS    ? names[p]
                                    : word,
                      3 * cos(angle_of(p)), 3 * sin(angle_of(p)));
    }
    at = add_word(text, at, sizeof text, "Tag3", 1, 2);
    at = add_word(text, at, sizeof text, "twin", 3 * cos(angle_of(TAGS)), 3 * sin(angle_of(TAGS)));
    at = add_word(text, at, sizeof text, "sky", 3 * cos(angle_of(8)), 3 * sin(angle_of(8)));
    add_word(text, at, sizeof text, "nothing", 0, 0);
    return test_text("plane.txt", text);
}

/* One to four tags; half of the images have neighbours. */
static size_t draw_tags(bool *has, size_t m)
{
    const f0t_random random = {33, m};
    const size_t first = (size_t)f0t_random_below(&random, 0, TAGS);
    const size_t count = 1 + (size_t)f0t_random_below(&random, 1, MOST);
    memset(has, 0, TAGS * sizeof *has);
    for (size_t i = 0; i < count; i++)
        has[m % 2 ? (first + i) % TAGS : (size_t)f0t_random_below(&random, 2 + i, TAGS)] = true;
    size_t drawn = 0;
    for (size_t t = 0; t < TAGS; t++)
        drawn += has[t];
    return drawn;
}

static f0t_study *study_plane(const size_t *sizes, size_t count, uint64_t seed)
{
    static const double lambda = 1e-6;
    const f0t_dataset_info info = {.size = sizeof(f0t_dataset_info), .replace = true};
    f0t_study_options o = F0T_STUDY_OPTIONS;
    f0t_dataset_writer *w;
    f0t_dataset *dataset;
    f0t_vectors *vectors;
    f0t_study *study;
    assert_ok(f0t_dataset_create(&w, test_path("plane"), &info));
    for (size_t m = 0; m < IMAGES; m++) {
        const char *tags[TAGS];
        bool has[TAGS];
        f0t_dataset_row row = {.size = sizeof(f0t_dataset_row), .tags = tags};
        draw_tags(has, m);
        for (size_t t = 0; t < TAGS; t++)
            if (has[t])
                tags[row.tag_count++] = names[t];
        assert_ok(f0t_dataset_write(w, &row));
    }
    assert_ok(f0t_dataset_commit(w));
    assert_ok(f0t_dataset_open(&dataset, test_path("plane"), NULL, NULL));
    assert_ok(f0t_vectors_open(&vectors, write_vectors(), NULL, NULL));
    o.unseen = "none";
    o.lambdas = &lambda;
    o.lambda_count = 1;
    o.perplexity = 2;
    o.seed = seed;
    o.vocabulary_sizes = sizes;
    o.vocabulary_size_count = count;
    assert_ok(f0t_study_run(&study, dataset, (const f0t_vectors *const *)&vectors, 1, &o, NULL));
    f0t_vectors_close(vectors);
    f0t_dataset_close(dataset);
    return study;
}

/* ---- Counted ------------------------------------------------------------------------------------ */

/* Round the circle of `points` points there are at most two changes between relevant and not. */
static bool is_arc(const bool *has, size_t points)
{
    size_t changes = 0;
    bool last = false, first = false;
    double before = -1;
    for (size_t i = 0; i < points; i++) { /* the next point by angle */
        size_t next = 0;
        double least = 1e9;
        for (size_t p = 0; p < points; p++)
            if (angle_of(p) > before && angle_of(p) < least) {
                least = angle_of(p);
                next = p;
            }
        before = least;
        const bool relevant = next < TAGS && has[next];
        changes += i > 0 && relevant != last;
        first = i == 0 ? relevant : first;
        last = relevant;
    }
    return changes + (first != last) <= 2;
}

/* Of the different rules: how many there are, and how many are arcs among the first `points` points. */
static size_t count_arcs(size_t *rules, size_t points)
{
    bool known[1 << TAGS] = {false}, has[TAGS];
    size_t arcs = 0;
    *rules = 0;
    for (size_t m = 0; m < IMAGES; m++) {
        size_t rule = 0;
        draw_tags(has, m);
        for (size_t t = 0; t < TAGS; t++)
            rule |= (size_t)has[t] << t;
        if (known[rule])
            continue;
        known[rule] = true;
        ++*rules;
        arcs += is_arc(has, points);
    }
    return arcs;
}

static void check_satisfied(double satisfied, size_t points, size_t rules)
{
    size_t all;
    const size_t arcs = count_arcs(&all, points);
    assert_int_equal(rules, all);
    assert_true(arcs > all / 20 && arcs < all * 19 / 20);
    assert_true(fabs(satisfied - 100 * (double)arcs / (double)all) < 1e-9);
}

static void rules_that_a_direction_satisfies_are_counted(void **state)
{
    static const size_t every = SIZE_MAX;
    (void)state;
    f0t_study *study = study_plane(&every, 1, 0);
    const f0t_study_scale *s = study->scales;
    assert_int_equal(study->scale_count, 1);
    assert_int_equal(s->words, WORDS);
    assert_int_equal(s->tags, TAGS + WORDS);
    check_satisfied(study->curves[0].satisfied[0], TAGS, study->rules);
    check_satisfied(s->real.satisfied[0], TAGS + WORDS, study->scale_rules);
    assert_true(s->real.satisfied[0] < study->curves[0].satisfied[0] - 10);
    f0t_study_free(study);
}

/* ---- Dimension alone -------------------------------------------------------------------------------- */

static void sort_down(double *scores, uint32_t *order, size_t count)
{
    for (size_t i = 0; i < count; i++)
        for (size_t k = i; k > 0 && scores[order[k]] > scores[order[k - 1]]; k--) {
            const uint32_t other = order[k];
            order[k] = order[k - 1];
            order[k - 1] = other;
        }
}

/* Adds, for each y, how many sets of y normally distributed points come first along one of 720 directions. Sets that
 * only do so within half a degree may be missed. */
static void count_sets(double *sets, size_t points, uint64_t draw)
{
    const f0t_random random = {35, draw};
    uint32_t seen[MOST + 1][2048], found[MOST + 1] = {0};
    for (size_t a = 0; a < 720; a++) {
        double scores[TAGS + 1];
        uint32_t order[TAGS + 1], set = 0;
        for (uint32_t p = 0; p < points; p++) {
            order[p] = p;
            scores[p] = f0t_random_normal(&random, 2 * p) * cos((double)a * acos(-1) / 360) +
                        f0t_random_normal(&random, 2 * p + 1) * sin((double)a * acos(-1) / 360);
        }
        sort_down(scores, order, points);
        for (size_t y = 1; y <= MOST; y++) {
            bool known = false;
            set |= 1U << order[y - 1];
            for (uint32_t i = 0; i < found[y]; i++)
                known = known || seen[y][i] == set;
            if (!known)
                seen[y][found[y]++] = set;
        }
    }
    for (size_t y = 1; y <= MOST; y++)
        sets[y] += found[y];
}

static double choose(double n, double k)
{
    double product = 1;
    for (double i = 0; i < k; i++)
        product *= (n - i) / (i + 1);
    return product;
}

static void chance_is_that_of_points_drawn_anew(void **state)
{
    enum { DRAWS = 300 };
    static const size_t one = 1;
    double sets[MOST + 1] = {0}, want = 0;
    bool known[1 << TAGS] = {false}, has[TAGS];
    size_t rules = 0;
    (void)state;
    f0t_study *study = study_plane(&one, 1, 0);
    for (uint64_t draw = 0; draw < DRAWS; draw++)
        count_sets(sets, TAGS + 1, draw);
    for (size_t m = 0; m < IMAGES; m++) {
        size_t rule = 0;
        const size_t y = draw_tags(has, m);
        for (size_t t = 0; t < TAGS; t++)
            rule |= (size_t)has[t] << t;
        if (known[rule])
            continue;
        known[rule] = true;
        rules++;
        want += sets[y] / DRAWS / choose(TAGS + 1, (double)y);
    }
    assert_true(fabs(study->scales[0].chance - 100 * want / (double)rules) < 1);
    f0t_study_free(study);
}

/* 2 (C(T - 1, 0) + C(T - 1, 1) + C(T - 1, 2)) of 2^T. */
static void cover_s_count_is_that_of_the_plane(void **state)
{
    static const size_t sizes[] = {1, 5, SIZE_MAX};
    (void)state;
    f0t_study *study = study_plane(sizes, 3, 0);
    for (size_t i = 0; i < 3; i++) {
        const double points = (double)study->scales[i].tags;
        const double share = 2 * (1 + (points - 1) + choose(points - 1, 2)) / pow(2, points);
        assert_true(fabs(study->scales[i].cover_log10 - log10(share)) < 1e-9);
    }
    f0t_study_free(study);
}

/* ---- Words -------------------------------------------------------------------------------------------- */

static void sizes_beyond_the_file_are_one(void **state)
{
    static const size_t sizes[] = {5, 11, WORDS, 1000, SIZE_MAX};
    (void)state;
    f0t_study *study = study_plane(sizes, 5, 0);
    assert_int_equal(study->scale_count, 3);
    for (size_t i = 1; i < 3; i++) {
        assert_int_equal(study->scales[i].words, sizes[i]);
        /* A larger vocabulary has the words of a smaller one: what was parted from more, was from fewer. */
        assert_true(study->scales[i].real.satisfied[0] <= study->scales[i - 1].real.satisfied[0]);
        assert_true(study->scales[i].random_existence < study->scales[i - 1].random_existence);
    }
    f0t_study_free(study);
}

static void the_seed_draws_the_words(void **state)
{
    static const size_t few = 4;
    bool differ = false;
    (void)state;
    f0t_study *a = study_plane(&few, 1, 0), *b = study_plane(&few, 1, 0);
    assert_true(a->scales[0].real.existence[0] == b->scales[0].real.existence[0]);
    assert_true(a->scales[0].any_words.existence[0] == b->scales[0].any_words.existence[0]);
    f0t_study_free(b);
    for (uint64_t seed = 1; seed < 6; seed++) {
        b = study_plane(&few, 1, seed);
        differ = differ || a->scales[0].real.existence[0] != b->scales[0].real.existence[0];
        f0t_study_free(b);
    }
    assert_true(differ);
    f0t_study_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rules_that_a_direction_satisfies_are_counted),
        cmocka_unit_test(chance_is_that_of_points_drawn_anew),
        cmocka_unit_test(cover_s_count_is_that_of_the_plane),
        cmocka_unit_test(sizes_beyond_the_file_are_one),
        cmocka_unit_test(the_seed_draws_the_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
