#include "support.h"

#include "rank/ranksvm_problem.h"

#include <math.h>

/* Slopes that grow: their root, how steep, and a kink after it. */
typedef struct curve {
    double root, before, after;
    int calls;
} curve;

static double slope(void *context, double t)
{
    curve *c = context;
    c->calls++;
    return (t - c->root) * (t < c->root ? c->before : c->after);
}

static void a_step_of_one_is_taken_where_it_is_right(void **state)
{
    (void)state;
    curve c = {1.02, 1, 1, 0};
    assert_true(f0t_svm_step(slope, &c, slope(&c, 0)) == 1);
    assert_int_equal(c.calls, 2);
}

static void the_root_is_found_far_and_near_and_behind_kinks(void **state)
{
    (void)state;
    const double steep[] = {1, 1000, 1e-3};
    for (double root = 1e-3; root < 2e4; root *= 7)
        for (size_t i = 0; i < 9; i++) {
            curve c = {root, steep[i / 3], steep[i % 3], 0};
            const double start = slope(&c, 0), t = f0t_svm_step(slope, &c, start);
            if (!(t > 0) || !(fabs(slope(&c, t)) <= -0.1 * start))
                fail_msg("root %g, slopes %g and %g: t = %g", root, c.before, c.after, t);
            assert_true(c.calls < 80);
        }
}

/* A slope that jumps over 0 has no root: any point on its low side will do. */
static double jump(void *context, double t)
{
    (void)context;
    return t < 0.37 ? -1 : 5;
}

static void a_slope_that_jumps_ends_below_the_jump(void **state)
{
    (void)state;
    double t = f0t_svm_step(jump, NULL, -1);
    assert_true(t > 0.3 && t <= 0.37);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_step_of_one_is_taken_where_it_is_right),
        cmocka_unit_test(the_root_is_found_far_and_near_and_behind_kinks),
        cmocka_unit_test(a_slope_that_jumps_ends_below_the_jump),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
