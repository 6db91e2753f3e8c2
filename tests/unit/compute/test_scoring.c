#include "support.h"

#include "compute/scoring.h"
#include "plain_compute.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TAGS = 5000, DIM = 37, ROWS = 9, TOP = 10 };

static float vectors[TAGS * DIM], directions[ROWS * DIM];

/* The score by definition. */
static float score_of(size_t row, size_t tag)
{
    double sum = 0;
    for (size_t k = 0; k < DIM; k++)
        sum += (double)directions[row * DIM + k] * (double)vectors[tag * DIM + k];
    return (float)sum;
}

/* The tags of the result are the first by definition: none left out scores more, they descend, and each
 * score is its own. */
static void assert_first(const uint32_t *index, const float *score, size_t count, size_t k)
{
    static bool in[TAGS];
    for (size_t r = 0; r < ROWS; r++) {
        float least = INFINITY;
        memset(in, 0, sizeof in);
        for (size_t i = 0; i < k; i++) {
            const uint32_t tag = index[r * k + i];
            assert_true(tag < count && !in[tag]);
            in[tag] = true;
            assert_true(fabsf(score[r * k + i] - score_of(r, tag)) <= 2e-6F);
            assert_true(i == 0 || score[r * k + i] < score[r * k + i - 1] ||
                        (score[r * k + i] == score[r * k + i - 1] && tag > index[r * k + i - 1]));
            least = fminf(least, score[r * k + i]);
        }
        for (size_t t = 0; t < count; t++)
            assert_true(in[t] || score_of(r, t) <= least + 2e-6F);
    }
}

static void check(size_t count, size_t k, const f0t_scoring_options *options)
{
    static uint32_t index[ROWS * TAGS];
    static float score[ROWS * TAGS];
    f0t_scoring scoring;
    assert_ok(f0t_scoring_open(&scoring, &f0t_compute_cpu, vectors, count, DIM, options));
    assert_ok(f0t_scoring_top(index, score, k, &scoring, directions, ROWS));
    assert_first(index, score, count, k < count ? k : count);
    f0t_scoring_close(&scoring);
}

static void check_ways(size_t count, size_t k)
{
    check(count, k, &(f0t_scoring_options){0});
    check(count, k, &(f0t_scoring_options){.packed_for = ROWS});
    check(count, k, &(f0t_scoring_options){.row_stable = true});
    check(count, k, &(f0t_scoring_options){.screened = true, .packed_for = ROWS});
}

static void every_way_finds_the_first(void **state)
{
    (void)state;
    test_random_floats(vectors, TAGS * DIM, 1);
    test_random_floats(directions, ROWS * DIM, 2);
    check_ways(TAGS, TOP);
    check_ways(TAGS, 1);
    check_ways(3, TOP);
    check_ways(1, 1);
    check_ways(700, 700);
}

/* Tags that differ by less than bfloat16 can tell: all are candidates, and their order is exact. */
static void near_ties_are_told_apart(void **state)
{
    (void)state;
    test_random_floats(directions, ROWS * DIM, 3);
    for (size_t t = 0; t < TAGS; t++)
        for (size_t k = 0; k < DIM; k++)
            vectors[t * DIM + k] = directions[k] + 1e-5F * (float)((t * 7919 + k * 31) % 1009);
    check_ways(TAGS, TOP);
    for (size_t t = 0; t < TAGS; t++) /* equal ones by lower index */
        memcpy(vectors + t * DIM, vectors + t % 3 * DIM, DIM * sizeof *vectors);
    check_ways(TAGS, TOP);
}

/* The bound of the rounding is relative to the directions' length. */
static void directions_of_any_length_are_ranked(void **state)
{
    static const float scales[] = {1e-20F, 1e-3F, 1e6F};
    (void)state;
    test_random_floats(vectors, TAGS * DIM, 4);
    for (size_t s = 0; s < 3; s++) {
        uint32_t plain[ROWS * TOP], screened[ROWS * TOP];
        f0t_scoring one, other;
        test_random_floats(directions, ROWS * DIM, 5);
        for (size_t i = 0; i < ROWS * DIM; i++)
            directions[i] *= scales[s];
        assert_ok(f0t_scoring_open(&one, &f0t_compute_cpu, vectors, TAGS, DIM,
                                   &(f0t_scoring_options){0}));
        assert_ok(f0t_scoring_open(&other, &f0t_compute_cpu, vectors, TAGS, DIM,
                                   &(f0t_scoring_options){.screened = true}));
        assert_ok(f0t_scoring_top(plain, NULL, TOP, &one, directions, ROWS));
        assert_ok(f0t_scoring_top(screened, NULL, TOP, &other, directions, ROWS));
        assert_memory_equal(plain, screened, sizeof plain);
        f0t_scoring_close(&one);
        f0t_scoring_close(&other);
    }
}

/* Numbers that bfloat16, or float32, cannot sum: every place of the result is a tag all the same. */
static void huge_directions_give_tags(void **state)
{
    uint32_t index[ROWS * TOP];
    f0t_scoring scoring;
    (void)state;
    test_random_floats(vectors, TAGS * DIM, 4);
    for (size_t i = 0; i < ROWS * DIM; i++)
        directions[i] = i % 2 ? 3.4e38F : -3.4e38F;
    memset(index, 0xFF, sizeof index);
    assert_ok(f0t_scoring_open(&scoring, &f0t_compute_cpu, vectors, TAGS, DIM,
                               &(f0t_scoring_options){.screened = true}));
    assert_ok(f0t_scoring_top(index, NULL, TOP, &scoring, directions, ROWS));
    for (size_t i = 0; i < ROWS * TOP; i++)
        assert_true(index[i] < TAGS);
    f0t_scoring_close(&scoring);
}

static void nan_is_ranked_as_without_screening(void **state)
{
    uint32_t plain[ROWS * TOP], screened[ROWS * TOP];
    f0t_scoring one, other;
    (void)state;
    test_random_floats(vectors, TAGS * DIM, 6);
    test_random_floats(directions, ROWS * DIM, 7);
    directions[3] = NAN;
    directions[DIM] = INFINITY;
    assert_ok(
        f0t_scoring_open(&one, &f0t_compute_cpu, vectors, TAGS, DIM, &(f0t_scoring_options){0}));
    assert_ok(f0t_scoring_open(&other, &f0t_compute_cpu, vectors, TAGS, DIM,
                               &(f0t_scoring_options){.screened = true}));
    assert_ok(f0t_scoring_top(plain, NULL, TOP, &one, directions, ROWS));
    assert_ok(f0t_scoring_top(screened, NULL, TOP, &other, directions, ROWS));
    assert_memory_equal(plain, screened, sizeof plain);
    f0t_scoring_close(&one);
    f0t_scoring_close(&other);
}

static f0t_status open_and_rank(void *context)
{
    const f0t_scoring_options *options = context;
    uint32_t index[ROWS * TOP];
    f0t_scoring scoring;
    f0t_matmul_clear();
    f0t_status status = f0t_scoring_open(&scoring, &f0t_compute_cpu, vectors, 100, DIM, options);
    if (status == F0T_OK)
        status = f0t_scoring_top(index, NULL, TOP, &scoring, directions, ROWS);
    f0t_scoring_close(&scoring);
    return status;
}

static void every_failed_allocation_is_reported(void **state)
{
    f0t_scoring_options ways[] = {
        {0}, {.packed_for = ROWS}, {.screened = true}, {.row_stable = true}};
    (void)state;
    test_random_floats(vectors, TAGS * DIM, 8);
    test_random_floats(directions, ROWS * DIM, 9);
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        test_each_fault(F0T_FAULT_ALLOC, open_and_rank, &ways[i]);
}

static void a_tag_has_the_highest_of_its_scores(void **state)
{
    float scores[2 * 3 * 2] = {1, -4, 2, -5, 0, -6, -3, 9, -2, 8, -1, 7}, to[4];
    const float highest[] = {2, -4, -1, 9};
    (void)state;
    f0t_score_highest(to, scores, 2, 3, 2);
    assert_memory_equal(to, highest, sizeof to);
    f0t_score_highest(scores, scores, 2, 3, 2);
    assert_memory_equal(scores, highest, sizeof to);
    f0t_score_highest(to, scores, 2, 1, 2);
    assert_memory_equal(to, highest, sizeof to);
}

/* ---- On another device ------------------------------------------------------------------------- */

static void top_on(uint32_t *index, float *score, const f0t_compute *compute, size_t count,
                   size_t k)
{
    f0t_scoring scoring;
    assert_ok(f0t_scoring_open(&scoring, compute, vectors, count, DIM,
                               &(f0t_scoring_options){.screened = true}));
    assert_ok(f0t_scoring_top(index, score, k, &scoring, directions, ROWS));
    f0t_scoring_close(&scoring);
}

/* By a sieve there and by a screen here: the same bytes. */
static void check_sieve(size_t count, size_t k, bool sieved)
{
    static uint32_t ours[ROWS * TAGS], there[ROWS * TAGS];
    static float score[ROWS * TAGS], score_there[ROWS * TAGS];
    const size_t n = ROWS * (k < count ? k : count);
    top_on(ours, score, &f0t_compute_cpu, count, k);
    plain_count = (plain_counts){0};
    top_on(there, score_there, &plain_compute, count, k);
    assert_memory_equal(ours, there, n * sizeof *ours);
    if (!sieved)
        assert_true(plain_count.products > 1 || k > 50);
    else {
        assert_int_equal(plain_count.products, 1);
        assert_memory_equal(score, score_there, n * sizeof *score);
    }
    assert_int_equal(plain_count.allocs, plain_count.releases);
    top_on(there, NULL, &plain_compute, count, k);
    assert_memory_equal(ours, there, n * sizeof *ours);
}

static void a_sieve_finds_what_a_screen_finds(void **state)
{
    (void)state;
    test_random_floats(vectors, TAGS * DIM, 1);
    test_random_floats(directions, ROWS * DIM, 2);
    check_sieve(TAGS, TOP, true);
    check_sieve(TAGS, 1, true);
    check_sieve(3, TOP, true);
    check_sieve(TAGS, 54, false); /* more than a sieve takes */
}

/* Tags that nearly tie, in bfloat16 all of them do: the order is that of their own scores. */
static void a_sieve_that_is_not_certain_is_not_asked(void **state)
{
    (void)state;
    for (size_t i = 0; i < TAGS * DIM; i++)
        vectors[i] = i % DIM ? 0.0F : 1.0F + 1e-6F * (float)(i / DIM % 999);
    for (size_t i = 0; i < ROWS * DIM; i++)
        directions[i] = i % DIM ? 0.5F : 1.0F;
    check_sieve(TAGS, TOP, false);
    check_sieve(30, TOP, true); /* as many as it is asked for */
    for (size_t i = 0; i < TAGS * DIM; i++)
        vectors[i] = 1e30F;
    check_sieve(TAGS, TOP, false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sieve_finds_what_a_screen_finds),
        cmocka_unit_test(a_sieve_that_is_not_certain_is_not_asked),
        cmocka_unit_test(every_way_finds_the_first),
        cmocka_unit_test(near_ties_are_told_apart),
        cmocka_unit_test(directions_of_any_length_are_ranked),
        cmocka_unit_test(huge_directions_give_tags),
        cmocka_unit_test(nan_is_ranked_as_without_screening),
        cmocka_unit_test(every_failed_allocation_is_reported),
        cmocka_unit_test(a_tag_has_the_highest_of_its_scores),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
