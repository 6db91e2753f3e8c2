#include "support.h"

#include "report/svg_frame.h"

#include <math.h>

static void assert_near(double got, double want, double within)
{
    if (!(fabs(got - want) <= within))
        fail_msg("%g is not %g", got, want);
}

static f0t_svg_scale scale_of(bool log, double least, double most)
{
    f0t_svg_axis axis = {.log = log};
    f0t_svg_range range = f0t_svg_range_none();
    f0t_svg_range_add(&range, least, log);
    f0t_svg_range_add(&range, most, log);
    f0t_svg_scale scale = f0t_svg_scale_create(&axis, range);
    scale.start = 100;
    scale.end = 300;
    return scale;
}

static void check_scale(bool log, double least, double most, double from, double to, size_t ticks)
{
    double list[F0T_SVG_TICKS_MOST];
    f0t_svg_scale scale = scale_of(log, least, most);
    assert_near(scale.from, from, 1e-9 * fabs(to));
    assert_near(scale.to, to, 1e-9 * fabs(to));
    size_t count = f0t_svg_ticks(list, &scale);
    assert_int_equal(count, ticks);
    for (size_t i = 1; i < count; i++)
        assert_true(list[i] > list[i - 1]);
    assert_near(f0t_svg_place(&scale, from), 100, 1e-6);
    assert_near(f0t_svg_place(&scale, to), 300, 1e-6);
}

static void axes_end_at_round_steps(void **state)
{
    (void)state;
    check_scale(false, 0, 57.2, 0, 60, 7);
    check_scale(false, -0.3, 0.31, -0.4, 0.4, 5);
    check_scale(false, 1e-7, 3e-7, 1e-7, 3e-7, 5);
    check_scale(true, 3, 80000, 2, 100000, 5);
    check_scale(true, 0.013, 0.4, 0.01, 0.5, 6);
    check_scale(true, 1e-12, 1e12, 1e-12, 1e12, 7);
}

static void one_value_or_none_still_makes_an_axis(void **state)
{
    double ticks[F0T_SVG_TICKS_MOST];
    (void)state;
    check_scale(false, 5, 5, 2, 8, 7);
    check_scale(false, 0, 0, -1, 1, 5);
    check_scale(true, 10, 10, 10, 100, 4);
    f0t_svg_scale linear = scale_of(false, (double)NAN, (double)INFINITY);
    f0t_svg_scale log = scale_of(true, -1, 0);
    assert_true(f0t_svg_ticks(ticks, &linear) > 1);
    assert_true(f0t_svg_ticks(ticks, &log) > 1);
}

static void demanded_ends_are_kept(void **state)
{
    f0t_svg_axis axis = {.from = 0, .to = 100};
    (void)state;
    f0t_svg_scale scale = f0t_svg_scale_create(&axis, f0t_svg_range_none());
    assert_near(scale.from, 0, 0);
    assert_near(scale.to, 100, 0);
}

static void what_lies_far_outside_stays_near(void **state)
{
    f0t_svg_scale scale = scale_of(false, 0, 10);
    (void)state;
    assert_near(f0t_svg_place(&scale, 1e300), 500, 1e-6);
    assert_near(f0t_svg_place(&scale, -1e300), -100, 1e-6);
    assert_false(f0t_svg_can_show(&scale, (double)NAN));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(axes_end_at_round_steps),
        cmocka_unit_test(one_value_or_none_still_makes_an_axis),
        cmocka_unit_test(demanded_ends_are_kept),
        cmocka_unit_test(what_lies_far_outside_stays_near),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
