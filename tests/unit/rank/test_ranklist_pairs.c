#include "support.h"

#include "rank/ranklist_pairs.h"

#include <math.h>

enum { TAGS = 61 };

/* Scores and a list with ties among both; `wide` scores are far apart for many pairs. */
static void make_case(float *scores, float *list, uint64_t seed, float wide)
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

static void the_sums_are_those_of_all_pairs(void **state)
{
    (void)state;
    f0t_list_pairs *pairs;
    assert_ok(f0t_list_pairs_create(&pairs, TAGS));
    for (uint64_t seed = 0; seed < 30; seed++) {
        float scores[TAGS], list[TAGS], weights[TAGS], degrees[TAGS];
        uint32_t levels[TAGS], order[TAGS];
        double want[TAGS] = {0}, count[TAGS] = {0};
        f0t_list_sums sums, all = {0};
        make_case(scores, list, seed, seed < 15 ? 0.4F : 3);
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

static void the_hessian_is_that_of_all_pairs(void **state)
{
    (void)state;
    f0t_list_pairs *pairs;
    assert_ok(f0t_list_pairs_create(&pairs, TAGS));
    for (uint64_t seed = 0; seed < 30; seed++) {
        float scores[TAGS], list[TAGS], weights[TAGS], degrees[TAGS], x[TAGS], got[TAGS];
        uint32_t levels[TAGS], order[TAGS];
        double want[TAGS] = {0};
        f0t_list_sums sums;
        make_case(scores, list, seed, seed < 15 ? 0.4F : 3);
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

static f0t_status create_once(void *context)
{
    (void)context;
    f0t_list_pairs *pairs;
    F0T_TRY(f0t_list_pairs_create(&pairs, 5));
    f0t_list_pairs_free(pairs);
    return F0T_OK;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    test_each_fault(F0T_FAULT_ALLOC, create_once, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(levels_are_numbered_from_the_largest_down),
        cmocka_unit_test(the_sums_are_those_of_all_pairs),
        cmocka_unit_test(the_hessian_is_that_of_all_pairs),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
