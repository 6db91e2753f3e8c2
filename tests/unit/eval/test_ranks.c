#include "support.h"

#include "eval/ranks.h"

#include <math.h>

static void the_best_has_rank_one_and_equals_share(void **state)
{
    static const double values[] = {50, 40, 40, 10, /**/ 1, 2, 3, 4, /**/ 7, (double)NAN, 7, 7};
    double ranks[4];
    (void)state;
    assert_int_equal(f0t_mean_ranks(ranks, values, 3, 4), 2);
    assert_true(ranks[0] == (1 + 4) / 2.0 && ranks[1] == (2.5 + 3) / 2);
    assert_true(ranks[2] == (2.5 + 2) / 2 && ranks[3] == (4 + 1) / 2.0);
    assert_int_equal(f0t_mean_ranks(ranks, values + 8, 1, 4), 0);
    assert_true(isnan(ranks[0]));
}

/* Table 5 of Demšar 2006, and his example: 4 classifiers on 14 datasets differ by 1.25. */
static void critical_differences_are_those_of_the_tables(void **state)
{
    static const double want[] = {1.960, 2.343, 2.569, 2.728, 2.850, 2.949, 3.031, 3.102, 3.164};
    (void)state;
    for (size_t k = 2; k <= 10; k++) {
        const double d = (double)k, scale = sqrt(d * (d + 1) / 6);
        if (fabs(f0t_critical_difference(k, 1) / scale - want[k - 2]) > 0.0011)
            fail_msg("%zu methods: %f", k, f0t_critical_difference(k, 1) / scale);
    }
    assert_true(fabs(f0t_critical_difference(4, 14) - 1.25) < 0.005);
    assert_true(isnan(f0t_critical_difference(1, 5)) && isnan(f0t_critical_difference(3, 0)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_best_has_rank_one_and_equals_share),
        cmocka_unit_test(critical_differences_are_those_of_the_tables),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
