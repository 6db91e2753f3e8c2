/* Intervals and the paired test: against definitions, and as often right as they say. */
#include "support.h"

#include "base/random.h"
#include "eval/significance.h"

#include <math.h>

static void means_are_of_images_then_of_draws(void **state)
{
    static const double scores[] = {0.2, (double)NAN, 0.4, 1, 0, (double)NAN};
    const f0t_scores two = {2, 3, scores}, none = {1, 1, &scores[1]}, part = {3, 1, scores};
    (void)state;
    assert_true(fabs(f0t_scores_mean(&two) - (0.3 + 0.5) / 2) < 1e-12);
    assert_true(isnan(f0t_scores_mean(&none)));
    assert_true(fabs(f0t_scores_mean(&part) - (0.2 + 0.4) / 2) < 1e-12);
}

static void samples_take_as_many_as_there_are(void **state)
{
    f0t_resamples r;
    double taken[7] = {0};
    (void)state;
    assert_ok(f0t_resamples_create(&r, 1, 7, 3));
    for (size_t i = 0; i < F0T_RESAMPLES; i++) {
        size_t sum = 0;
        for (size_t k = 0; k < 7; k++) {
            sum += r.image_counts[i * 7 + k];
            taken[k] += r.image_counts[i * 7 + k];
        }
        assert_int_equal(sum, 7);
        assert_int_equal(r.draw_counts[i], 1);
    }
    for (size_t k = 0; k < 7; k++)
        assert_true(fabs(taken[k] / F0T_RESAMPLES - 1) < 0.15);
    f0t_resamples_free(&r);
}

/* ---- Draws of a world ------------------------------------------------------------------------- */

enum { IMAGES = 80, DRAWS = 12, WORLDS = 200 };

/* A score has a part of the image, one of the draw, and one of both. */
static void make_scores(double *to, size_t draws, double of_draw, double mean, uint64_t seed)
{
    const f0t_random random = {.seed = seed};
    for (size_t d = 0; d < draws; d++)
        for (size_t i = 0; i < IMAGES; i++)
            to[d * IMAGES + i] = mean + 0.2 * f0t_random_normal(&random, i) +
                                 of_draw * f0t_random_normal(&random, 10000 + d) +
                                 0.1 * f0t_random_normal(&random, 20000 + d * IMAGES + i);
}

static void find_interval(double *low, double *high, const f0t_scores *scores,
                          const f0t_resamples *resamples)
{
    double means[F0T_RESAMPLES];
    f0t_scores_resample(means, scores, resamples);
    f0t_resampled_interval(low, high, means);
}

/* How many of WORLDS intervals have the mean that the world has; *width is their mean width. */
static size_t count_covered(double *width, size_t draws, double of_draw)
{
    double scores[DRAWS * IMAGES];
    size_t covered = 0;
    *width = 0;
    for (uint64_t w = 0; w < WORLDS; w++) {
        f0t_resamples r;
        double low, high;
        make_scores(scores, draws, of_draw, 0.5, w);
        assert_ok(f0t_resamples_create(&r, draws, IMAGES, w));
        find_interval(&low, &high, &(f0t_scores){draws, IMAGES, scores}, &r);
        covered += low <= 0.5 && 0.5 <= high;
        *width += (high - low) / WORLDS;
        f0t_resamples_free(&r);
    }
    return covered;
}

static void intervals_cover_what_is_true(void **state)
{
    double width, narrow;
    (void)state;
    const size_t images = count_covered(&narrow, 1, 0), both = count_covered(&width, DRAWS, 0.1);
    if (images < WORLDS * 90 / 100 || both < WORLDS * 90 / 100)
        fail_msg("%zu and %zu of %d", images, both, WORLDS);
    /* About 4 standard errors of a mean. */
    assert_true(fabs(narrow - 4 * 0.224 / sqrt(IMAGES)) < 0.02);
    assert_true(width < 0.2);
}

static void images_without_a_score_do_not_count(void **state)
{
    double scores[IMAGES], with[2], without[2];
    f0t_resamples r;
    (void)state;
    make_scores(scores, 1, 0, 0.5, 1);
    assert_ok(f0t_resamples_create(&r, 1, IMAGES, 0));
    find_interval(&with[0], &with[1], &(f0t_scores){1, IMAGES, scores}, &r);
    for (size_t i = 0; i < IMAGES; i += 2)
        scores[i] = (double)NAN;
    find_interval(&without[0], &without[1], &(f0t_scores){1, IMAGES, scores}, &r);
    assert_true(without[1] - without[0] > 1.2 * (with[1] - with[0]));
    for (size_t i = 0; i < IMAGES; i++)
        scores[i] = (double)NAN;
    find_interval(&without[0], &without[1], &(f0t_scores){1, IMAGES, scores}, &r);
    assert_true(isnan(without[0]) && isnan(without[1]));
    f0t_resamples_free(&r);
}

/* ---- The paired test -------------------------------------------------------------------------- */

/* All 2^n tosses, for few images. */
static double slow_p(const double *a, const double *b, size_t n)
{
    double whole = 0, as_large = 0;
    for (size_t i = 0; i < n; i++)
        whole += a[i] - b[i];
    for (size_t coins = 0; coins < (size_t)1 << n; coins++) {
        double sum = 0;
        for (size_t i = 0; i < n; i++)
            sum += coins >> i & 1 ? a[i] - b[i] : b[i] - a[i];
        as_large += fabs(sum) >= fabs(whole) - 1e-12;
    }
    return as_large / (double)((size_t)1 << n);
}

static void few_images_give_the_exact_chance(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 8; seed++) {
        const f0t_random random = {.seed = seed};
        double a[10], b[10], p, back;
        for (size_t i = 0; i < 10; i++) {
            a[i] = f0t_random_uniform(&random, i) + 0.2;
            b[i] = f0t_random_uniform(&random, 100 + i);
        }
        const f0t_scores of_a = {1, 10, a}, of_b = {1, 10, b};
        assert_ok(f0t_scores_compare(&p, &of_a, &of_b, seed));
        assert_true(fabs(p - slow_p(a, b, 10)) < 0.04);
        assert_ok(f0t_scores_compare(&back, &of_b, &of_a, seed));
        assert_true(p == back);
    }
}

/* Methods that are equally good differ by p < 0.1 in about a tenth of all worlds; one that is better by half a
 * standard deviation hardly ever by more. */
static void chance_is_told_from_skill(void **state)
{
    double a[IMAGES], b[IMAGES], p;
    size_t equal = 0, better = 0;
    (void)state;
    for (uint64_t w = 0; w < WORLDS; w++) {
        const f0t_scores of_a = {1, IMAGES, a}, of_b = {1, IMAGES, b};
        make_scores(a, 1, 0, 0.5, 2 * w);
        make_scores(b, 1, 0, 0.5, 2 * w + 1);
        assert_ok(f0t_scores_compare(&p, &of_a, &of_b, w));
        equal += p < 0.1;
        make_scores(b, 1, 0, 0.6, 2 * w + 1);
        assert_ok(f0t_scores_compare(&p, &of_a, &of_b, w));
        better += p < 0.1;
    }
    if (equal < WORLDS * 4 / 100 || equal > WORLDS * 17 / 100 || better < WORLDS * 80 / 100)
        fail_msg("%zu and %zu of %d", equal, better, WORLDS);
}

static void same_scores_differ_by_nothing(void **state)
{
    double a[IMAGES], none[] = {(double)NAN}, p;
    (void)state;
    make_scores(a, 1, 0, 0.5, 1);
    const f0t_scores same = {1, IMAGES, a}, nothing = {1, 1, none};
    assert_ok(f0t_scores_compare(&p, &same, &same, 0));
    assert_true(p == 1);
    assert_ok(f0t_scores_compare(&p, &nothing, &nothing, 0));
    assert_true(isnan(p));
}

static f0t_status allocate_all(void *context)
{
    double p;
    f0t_resamples r;
    F0T_TRY(f0t_resamples_create(&r, 2, 9, 0));
    f0t_resamples_free(&r);
    return f0t_scores_compare(&p, context, context, 0);
}

static void every_allocation_may_fail(void **state)
{
    double a[IMAGES];
    f0t_scores scores = {1, IMAGES, a};
    (void)state;
    make_scores(a, 1, 0, 0.5, 1);
    test_each_fault(F0T_FAULT_ALLOC, allocate_all, &scores);
}

/* ---- Differences ------------------------------------------------------------------------------ */

/* Two methods whose difference is of_draw in size from draw to draw, beside what images have in common. */
static void differ(double p[3], double *low, double *high, double mean, double of_draw,
                   uint64_t world)
{
    double a[DRAWS * IMAGES], b[DRAWS * IMAGES], of_a[F0T_RESAMPLES], of_b[F0T_RESAMPLES];
    const f0t_scores first = {DRAWS, IMAGES, a}, second = {DRAWS, IMAGES, b};
    f0t_resamples r;
    make_scores(b, DRAWS, 0.2, 0.4, 2 * world);
    for (size_t i = 0; i < DRAWS * IMAGES; i++)
        a[i] = b[i] + mean + of_draw * f0t_random_normal(&(f0t_random){world, 7}, i / IMAGES) +
               0.1 * f0t_random_normal(&(f0t_random){world, 8}, i);
    assert_ok(f0t_resamples_create(&r, DRAWS, IMAGES, world));
    f0t_scores_resample(of_a, &first, &r);
    f0t_scores_resample(of_b, &second, &r);
    for (size_t i = 0; i < F0T_RESAMPLES; i++)
        of_a[i] -= of_b[i];
    p[0] = f0t_resampled_p(of_a);
    f0t_resampled_interval(low, high, of_a);
    assert_ok(f0t_draws_compare(&p[1], &first, &second, world));
    assert_ok(f0t_scores_compare(&p[2], &first, &second, world));
    f0t_resamples_free(&r);
}

/* Without a difference 5 % are below 0.05; the test over images alone does not see that draws differ. */
static void differences_of_draws_are_not_taken_for_one_of_methods(void **state)
{
    enum { FEW = 60 };
    size_t covered = 0, low_p[3] = {0};
    (void)state;
    for (uint64_t world = 0; world < FEW; world++) {
        double p[3], low, high;
        differ(p, &low, &high, 0, 0.05, world);
        covered += low <= 0 && 0 <= high;
        for (size_t i = 0; i < 3; i++)
            low_p[i] += p[i] < 0.05;
    }
    if (covered < FEW * 85 / 100 || low_p[0] > FEW * 15 / 100 || low_p[1] > FEW * 12 / 100 ||
        low_p[2] < FEW * 30 / 100)
        fail_msg("%zu covered; %zu, %zu and %zu of %d found", covered, low_p[0], low_p[1], low_p[2],
                 FEW);
}

static void a_difference_in_every_draw_is_found(void **state)
{
    double p[3], low, high;
    (void)state;
    differ(p, &low, &high, 0.05, 0.02, 1);
    assert_true(low > 0 && low < 0.05 && high > 0.05);
    assert_true(p[0] < 0.01 && p[1] < 0.01 && p[2] < 0.01);
}

/* By the definition: all signs. */
static void few_draws_are_counted_out(void **state)
{
    static const double a[] = {0.5, 0.6, 0.9, 0.2, 0.8}, b[] = {0.4, 0.3, 0.7, 0.3, 0.5};
    double p;
    (void)state;
    assert_ok(f0t_draws_compare(&p, &(f0t_scores){5, 1, a}, &(f0t_scores){5, 1, b}, 0));
    assert_true(fabs(p - slow_p(a, b, 5)) < 1e-12);
    assert_ok(f0t_draws_compare(&p, &(f0t_scores){1, 5, a}, &(f0t_scores){1, 5, b}, 0));
    assert_true(isnan(p));
}

/* Of four tests 0.01, 0.02, 0.03 and 0.005 of four become 0.03, 0.04, 0.04 and 0.02. */
static void many_tests_are_corrected(void **state)
{
    static const double want[] = {0.03, 0.04, 0.04, 0.02};
    double p[] = {0.01, 0.02, 0.03, 0.005, (double)NAN}, large[] = {0.9, 0.6};
    (void)state;
    assert_ok(f0t_holm(p, 5));
    for (size_t i = 0; i < 4; i++)
        assert_true(fabs(p[i] - want[i]) < 1e-12);
    assert_true(isnan(p[4]));
    assert_ok(f0t_holm(large, 2));
    assert_true(large[0] == 1 && large[1] == 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(differences_of_draws_are_not_taken_for_one_of_methods),
        cmocka_unit_test(a_difference_in_every_draw_is_found),
        cmocka_unit_test(few_draws_are_counted_out),
        cmocka_unit_test(many_tests_are_corrected),
        cmocka_unit_test(means_are_of_images_then_of_draws),
        cmocka_unit_test(samples_take_as_many_as_there_are),
        cmocka_unit_test(intervals_cover_what_is_true),
        cmocka_unit_test(images_without_a_score_do_not_count),
        cmocka_unit_test(few_images_give_the_exact_chance),
        cmocka_unit_test(chance_is_told_from_skill),
        cmocka_unit_test(same_scores_differ_by_nothing),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
