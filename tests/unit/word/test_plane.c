#include "support.h"

#include "fast0tag.h"

#include <math.h>

/* Along x; across it they spread most in z. */
static const float vectors[4][3] = {{1, 0.1F, 2}, {3, 0, -2}, {-2, -0.1F, 1}, {0, 0, 0}};

static void tags_are_placed_along_and_across(void **state)
{
    (void)state;
    const float direction[3] = {5, 0, 0};
    double along[4], across[4];
    assert_ok(f0t_direction_plane(along, across, direction, vectors[0], 4, 3));
    const double sign = across[0] > 0 ? 1 : -1;
    for (int i = 0; i < 4; i++) {
        assert_true(fabs(along[i] - (double)vectors[i][0]) < 1e-6);
        assert_true(fabs(sign * across[i] - (double)vectors[i][2]) < 0.02);
    }
    double alone[4];
    assert_ok(f0t_direction_plane(alone, NULL, direction, vectors[0], 4, 3));
    assert_memory_equal(alone, along, sizeof alone);
}

static void tags_that_lie_on_the_direction_have_nothing_across(void **state)
{
    (void)state;
    const float on[2][2] = {{1, 0}, {-3, 0}}, direction[2] = {1, 0};
    double along[2], across[2];
    assert_ok(f0t_direction_plane(along, across, direction, on[0], 2, 2));
    assert_true(across[0] == 0 && across[1] == 0 && along[1] == -3);
}

static void a_direction_of_no_length_is_refused(void **state)
{
    (void)state;
    const float none[3] = {0, 0, 0}, wrong[3] = {NAN, 0, 1}, endless[3] = {INFINITY, 0, 0};
    double along[4], across[4];
    assert_fails(F0T_ERROR_NUMERIC, "the direction is 0 or not finite",
                 f0t_direction_plane(along, across, none, vectors[0], 4, 3));
    assert_int_equal(f0t_direction_plane(along, across, wrong, vectors[0], 4, 3),
                     F0T_ERROR_NUMERIC);
    assert_int_equal(f0t_direction_plane(along, across, endless, vectors[0], 4, 3),
                     F0T_ERROR_NUMERIC);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tags_are_placed_along_and_across),
        cmocka_unit_test(tags_that_lie_on_the_direction_have_nothing_across),
        cmocka_unit_test(a_direction_of_no_length_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
