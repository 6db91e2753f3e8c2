#include "support.h"

#include "rank/ranksvm_pairs.h"

#include <math.h>
#include <string.h>

enum { MOST = 2200 };

static const f0t_svm_loss losses[] = {{2, HUGE_VAL}, {0.3, 1}, {1, 1}, {40, 1}};

/* A rule whose relevant tags are every `stride`-th from the first on. */
typedef struct example {
    f0t_svm_rule rule;
    uint32_t relevant[MOST];
    float scores[MOST], x[MOST];
} example;

static void make(example *e, size_t tags, size_t stride, float spread, uint64_t seed)
{
    e->rule = (f0t_svm_rule){e->relevant, 0, tags};
    for (size_t t = 0; t < tags; t += stride)
        e->relevant[e->rule.count++] = (uint32_t)t;
    test_random_floats(e->scores, tags, seed);
    test_random_floats(e->x, tags, seed + 1);
    for (size_t t = 0; t < tags; t++)
        e->scores[t] *= spread;
}

/* The definitions, pair by pair. */
typedef struct defined {
    f0t_svm_sums sums;
    double gradient[MOST], hessian[MOST];
} defined;

static void add_pair(defined *d, const example *e, f0t_svm_loss loss, size_t p, size_t n)
{
    const double z = fmax(0, 1 - (double)e->scores[p] + (double)e->scores[n]);
    const double g = fmin(loss.k * z, loss.cap);
    const double in = z > 0 && loss.k * z < loss.cap;
    const double difference = in * loss.k * ((double)e->x[p] - (double)e->x[n]);
    d->sums.slope += g;
    d->sums.moment += g * z;
    d->sums.square += g * g;
    d->sums.slack += z;
    d->sums.zone += in;
    d->gradient[p] += g;
    d->gradient[n] -= g;
    d->hessian[p] += difference;
    d->hessian[n] -= difference;
}

static void define(defined *d, const example *e, f0t_svm_loss loss)
{
    memset(d, 0, sizeof *d);
    for (size_t i = 0; i < e->rule.count; i++)
        for (size_t n = 0, next = 0; n < e->rule.tags; n++) {
            if (next < e->rule.count && e->relevant[next] == n)
                next++;
            else
                add_pair(d, e, loss, e->relevant[i], n);
        }
}

static void assert_near(double got, double want, double scale, const char *what)
{
    if (!(fabs(got - want) <= 2e-5 * (fabs(want) + scale)))
        fail_msg("%s is %.9g, not %.9g", what, got, want);
}

static void assert_sums(const f0t_svm_sums *got, const f0t_svm_sums *want)
{
    assert_near(got->slope, want->slope, 1, "slope");
    assert_near(got->moment, want->moment, 1, "moment");
    assert_near(got->square, want->square, 1, "square");
    assert_near(got->slack, want->slack, 1, "slack");
    /* a pair at the border of the zone may fall on either side */
    assert_true(fabs(got->zone - want->zone) <= 3);
}

static void assert_weights(const float *got, const double *want, size_t tags, double scale,
                           const char *what)
{
    for (size_t t = 0; t < tags; t++)
        assert_near((double)got[t], want[t], scale, what);
}

typedef void (*gradient_of)(void *, f0t_svm_sums *, float *, const example *, f0t_svm_loss);
typedef void (*hessian_of)(void *, float *, const example *, f0t_svm_loss);

static void check(void *by, gradient_of gradient, hessian_of hessian, const example *e)
{
    static defined want;
    float weights[MOST];
    f0t_svm_sums sums;
    for (size_t l = 0; l < sizeof losses / sizeof *losses; l++) {
        const double scale = losses[l].k * 3;
        define(&want, e, losses[l]);
        gradient(by, &sums, weights, e, losses[l]);
        assert_sums(&sums, &want.sums);
        assert_weights(weights, want.gradient, e->rule.tags, scale, "gradient");
        hessian(by, weights, e, losses[l]);
        assert_weights(weights, want.hessian, e->rule.tags, 10 * scale * (double)e->rule.count,
                       "product with the Hessian");
    }
}

static void direct_gradient(void *by, f0t_svm_sums *sums, float *weights, const example *e,
                            f0t_svm_loss loss)
{
    f0t_svm_pairs_gradient(by, sums, weights, e->scores, &e->rule, loss);
}

static void direct_hessian(void *by, float *weights, const example *e, f0t_svm_loss loss)
{
    double product = f0t_svm_pairs_hessian(by, weights, e->x, e->scores, &e->rule, loss), sum = 0;
    for (size_t t = 0; t < e->rule.tags; t++)
        sum += (double)weights[t] * (double)e->x[t];
    assert_near(product, sum, 1, "curvature");
}

static void sorted_gradient(void *by, f0t_svm_sums *sums, float *weights, const example *e,
                            f0t_svm_loss loss)
{
    f0t_svm_sorted_gradient(by, sums, weights, e->scores, &e->rule, loss);
}

static void sorted_hessian(void *by, float *weights, const example *e, f0t_svm_loss loss)
{
    f0t_svm_sorted_hessian(by, weights, e->x, e->scores, &e->rule, loss);
}

static void loops_give_the_sums_over_all_pairs(void **state)
{
    (void)state;
    static example e;
    f0t_svm_pairs *pairs;
    assert_ok(f0t_svm_pairs_create(&pairs, MOST, false));
    for (size_t tags = 2; tags < 200; tags = tags * 3 / 2 + 1)
        for (size_t stride = 2; stride < 40; stride = stride * 3 - 1) {
            make(&e, tags, stride, 1.3F, tags + stride);
            check(pairs, direct_gradient, direct_hessian, &e);
        }
    f0t_svm_pairs_free(pairs);
}

static void sorting_gives_the_sums_over_all_pairs(void **state)
{
    (void)state;
    static example e;
    f0t_svm_sorted *sorted;
    assert_ok(f0t_svm_sorted_create(&sorted, MOST));
    for (size_t tags = 2; tags < 200; tags = tags * 3 / 2 + 1)
        for (size_t stride = 2; stride < 40; stride = stride * 3 - 1) {
            make(&e, tags, stride, 1.3F, tags + stride);
            check(sorted, sorted_gradient, sorted_hessian, &e);
        }
    f0t_svm_sorted_free(sorted);
}

static void equal_scores_are_no_trouble(void **state)
{
    (void)state;
    static example e;
    f0t_svm_sorted *sorted;
    assert_ok(f0t_svm_sorted_create(&sorted, MOST));
    for (int value = -1; value <= 1; value++) {
        make(&e, 60, 2, 0, 3);
        for (size_t t = 0; t < 60; t++)
            e.scores[t] = (float)value * (t % 4 < 2 ? 0.25F : -0.5F);
        check(sorted, sorted_gradient, sorted_hessian, &e);
    }
    f0t_svm_sorted_free(sorted);
}

static void many_relevant_tags_are_sorted(void **state)
{
    (void)state;
    static example e;
    f0t_svm_pairs *pairs;
    make(&e, MOST, 2, 1, 9);
    assert_true(f0t_svm_rule_is_wide(&e.rule));
    assert_ok(f0t_svm_pairs_create(&pairs, MOST, true));
    check(pairs, direct_gradient, direct_hessian, &e);
    f0t_svm_pairs_free(pairs);
    make(&e, MOST, 19, 1, 9);
    assert_false(f0t_svm_rule_is_wide(&e.rule));
}

/* Every level that this CPU has computes the same numbers, but for the order of its sums. */
static void every_level_of_kernels_gives_the_same(void **state)
{
    (void)state;
    static example e;
    float gp[3][MOST], gn[3][MOST];
    f0t_svm_sums sums[3];
    const f0t_svm_loss loss = {4, 1};
    make(&e, 333, 1, 1, 21);
    for (f0t_cpu level = 0; level <= f0t_cpu_level(); level++)
        f0t_kernels_of(level)->svm_pairs_f32(&sums[level], gp[level], gn[level], e.scores, 33,
                                             e.scores + 33, 300, loss);
    for (int level = 1; level <= (int)f0t_cpu_level(); level++) {
        assert_sums(&sums[level], &sums[0]);
        for (size_t i = 0; i < 300; i++)
            assert_near((double)gn[level][i], (double)gn[0][i], 1, "slope of an irrelevant tag");
        for (size_t i = 0; i < 33; i++)
            assert_near((double)gp[level][i], (double)gp[0][i], 1, "slope of a relevant tag");
    }
}

/* ---- Ranking lists ---------------------------------------------------------------------------------- */

enum { TAGS = 61 };

/* Scores and a list with ties among both; `wide` scores are far apart for many pairs. */
static void make_list(float *scores, float *list, uint64_t seed, float wide)
{
    test_random_floats(scores, TAGS, seed);
    test_random_floats(list, TAGS, seed + 1000);
    for (size_t i = 0; i < TAGS; i++) {
        scores[i] *= wide;
        if (seed % 2)
            list[i] = floorf(3 * list[i]);
        if (seed % 3 == 0)
            scores[i] = floorf(4 * scores[i]) / 4;
    }
}

static void levels_are_numbered_from_the_largest_down(void **state)
{
    (void)state;
    const float list[] = {0.5F, -1, 0.5F, 7, -0.0F, 0};
    const uint32_t want[] = {1, 3, 1, 0, 2, 2};
    uint32_t levels[6];
    f0t_list_pairs *pairs;
    assert_ok(f0t_list_pairs_create(&pairs, 6));
    assert_int_equal(f0t_list_levels(pairs, levels, list), 4);
    assert_memory_equal(levels, want, sizeof want);
    f0t_list_pairs_free(pairs);
}

static void the_sums_of_a_list_are_those_of_all_pairs(void **state)
{
    (void)state;
    f0t_list_pairs *pairs;
    assert_ok(f0t_list_pairs_create(&pairs, TAGS));
    for (uint64_t seed = 0; seed < 30; seed++) {
        float scores[TAGS], list[TAGS], weights[TAGS], degrees[TAGS];
        uint32_t levels[TAGS], order[TAGS];
        double want[TAGS] = {0}, count[TAGS] = {0};
        f0t_list_sums sums, all = {0};
        make_list(scores, list, seed, seed < 15 ? 0.4F : 3);
        f0t_list_levels(pairs, levels, list);
        f0t_list_gradient(pairs, &sums, weights, order, degrees, scores, levels);
        for (size_t i = 0; i < TAGS; i++)
            for (size_t j = 0; j < TAGS; j++) {
                double z = 1 - (double)scores[i] + (double)scores[j];
                if (!(list[i] > list[j]) || !(z > 0))
                    continue;
                all.slack += z;
                all.square += z * z;
                all.active++;
                want[i] += 2 * z;
                want[j] -= 2 * z;
                count[i]++;
                count[j]++;
            }
        assert_true(fabs(all.slack - sums.slack) < 1e-9 * (1 + all.slack));
        assert_true(fabs(all.square - sums.square) < 1e-9 * (1 + all.square));
        assert_true(all.active == sums.active);
        for (size_t i = 0; i < TAGS; i++) {
            assert_true(fabs(want[i] - (double)weights[i]) < 1e-3);
            assert_true(count[i] == (double)degrees[i]);
        }
    }
    f0t_list_pairs_free(pairs);
}

static void the_hessian_of_a_list_is_that_of_all_pairs(void **state)
{
    (void)state;
    f0t_list_pairs *pairs;
    assert_ok(f0t_list_pairs_create(&pairs, TAGS));
    for (uint64_t seed = 0; seed < 30; seed++) {
        float scores[TAGS], list[TAGS], weights[TAGS], degrees[TAGS], x[TAGS], got[TAGS];
        uint32_t levels[TAGS], order[TAGS];
        double want[TAGS] = {0};
        f0t_list_sums sums;
        make_list(scores, list, seed, seed < 15 ? 0.4F : 3);
        test_random_floats(x, TAGS, seed + 5000);
        f0t_list_levels(pairs, levels, list);
        f0t_list_gradient(pairs, &sums, weights, order, degrees, scores, levels);
        f0t_list_hessian(pairs, got, x, scores, levels, order, degrees);
        for (size_t i = 0; i < TAGS; i++)
            for (size_t j = 0; j < TAGS; j++) {
                double z = 1 - (double)scores[i] + (double)scores[j];
                if (!(list[i] > list[j]) || !(z > 0))
                    continue;
                want[i] += 2 * ((double)x[i] - (double)x[j]);
                want[j] -= 2 * ((double)x[i] - (double)x[j]);
            }
        for (size_t i = 0; i < TAGS; i++)
            assert_true(fabs(want[i] - (double)got[i]) < 1e-4);
    }
    f0t_list_pairs_free(pairs);
}

/* ---- Memory ------------------------------------------------------------------------------------------ */

static f0t_status create_and_free_list(void *context)
{
    (void)context;
    f0t_list_pairs *pairs;
    F0T_TRY(f0t_list_pairs_create(&pairs, 5));
    f0t_list_pairs_free(pairs);
    return F0T_OK;
}

static f0t_status create_and_free(void *context)
{
    f0t_svm_pairs *pairs;
    (void)context;
    f0t_status status = f0t_svm_pairs_create(&pairs, 10, true);
    f0t_svm_pairs_free(pairs);
    return status;
}

static void every_failed_allocation_is_survived(void **state)
{
    (void)state;
    test_each_fault(F0T_FAULT_ALLOC, create_and_free, NULL);
    test_each_fault(F0T_FAULT_ALLOC, create_and_free_list, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loops_give_the_sums_over_all_pairs),
        cmocka_unit_test(sorting_gives_the_sums_over_all_pairs),
        cmocka_unit_test(equal_scores_are_no_trouble),
        cmocka_unit_test(many_relevant_tags_are_sorted),
        cmocka_unit_test(every_level_of_kernels_gives_the_same),
        cmocka_unit_test(levels_are_numbered_from_the_largest_down),
        cmocka_unit_test(the_sums_of_a_list_are_those_of_all_pairs),
        cmocka_unit_test(the_hessian_of_a_list_is_that_of_all_pairs),
        cmocka_unit_test(every_failed_allocation_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
