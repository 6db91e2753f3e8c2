/* What dimension alone can part, against counts that are known. */
#include "support.h"

#include "eval/separable.h"

#include <math.h>

static double choose(size_t n, size_t k)
{
    double c = 1;
    for (size_t i = 0; i < k; i++)
        c = c * (double)(n - i) / (double)(i + 1);
    return c;
}

static double cover(size_t points, size_t dim)
{
    double sum = 0;
    for (size_t k = 0; k <= dim && k < points; k++)
        sum += 2 * choose(points - 1, k);
    return sum;
}

static double chance(const f0t_separable *s, size_t points, size_t chosen)
{
    return pow(10, f0t_separable_log10(s, points, chosen));
}

static void the_count_of_all_splits_is_cover_s(void **state)
{
    (void)state;
    for (size_t points = 1; points < 20; points++)
        for (size_t dim = 1; dim < 8; dim++)
            assert_true(fabs(pow(10, f0t_cover_log10(points, dim)) -
                             cover(points, dim) / pow(2, (double)points)) < 1e-12);
    /* C(99999, 300) leads: a number of 885 digits, of 2^99999. */
    assert_true(f0t_cover_log10(100000, 300) < -29000);
}

/* Wherever the points are, the splits of all sizes add up to Cover's number. */
static void the_sizes_add_up_to_cover_s_number(void **state)
{
    (void)state;
    for (size_t dim = 1; dim < 7; dim++) {
        f0t_separable s;
        assert_ok(f0t_separable_create(&s, dim, 11));
        for (size_t points = 2; points <= 11; points += 3) {
            double sum = 0;
            for (size_t y = 0; y <= points; y++)
                sum += choose(points, y) * chance(&s, points, y);
            assert_true(fabs(sum / cover(points, dim) - 1) < 1e-5);
        }
        f0t_separable_free(&s);
    }
}

/* On a line the y points must be the first or the last. */
static void a_line_is_combinatorics(void **state)
{
    (void)state;
    f0t_separable s;
    assert_ok(f0t_separable_create(&s, 1, 5));
    for (size_t y = 1; y <= 5; y++)
        assert_true(fabs(chance(&s, 30, y) * choose(30, y) / 2 - 1) < 1e-6);
    f0t_separable_free(&s);
}

/* In the plane a point is parted from the others where it is a corner of their hull. */
static void a_plane_is_as_four_points_lie(void **state)
{
    (void)state;
    f0t_separable s;
    assert_ok(f0t_separable_create(&s, 2, 2));
    const double corner = chance(&s, 4, 1), two = chance(&s, 4, 2);
    /* Cover: 2 (1 + 3 + 3) = 14 splits: 2 empty, 4 + 4 of one point, 6 of two. */
    assert_true(fabs(2 + 8 * corner + 6 * two - 14) < 1e-6);
    /* A hull of three corners has 3 splits of one point and 3 pairs of two; one of four, 4 and 2. */
    const double triangle = 4 * (1 - corner);
    assert_true(fabs(6 * two - (6 * triangle + 4 * (1 - triangle))) < 1e-6);
    f0t_separable_free(&s);
}

static void more_points_are_harder_and_more_dimensions_easier(void **state)
{
    (void)state;
    f0t_separable few, many;
    assert_ok(f0t_separable_create(&few, 50, 4));
    assert_ok(f0t_separable_create(&many, 300, 4));
    for (size_t y = 1; y <= 4; y++) {
        double last = 0;
        for (size_t points = 60; points < 2000000; points *= 5) {
            const double is = f0t_separable_log10(&few, points, y);
            assert_true(is <= last + 1e-9 && isfinite(is));
            assert_true(f0t_separable_log10(&many, points, y) >= is - 1e-9);
            last = is;
        }
    }
    assert_true(f0t_separable_log10(&many, 100000, 1) > -1e-3);
    assert_true(f0t_separable_log10(&few, 51, 3) == 0);
    f0t_separable_free(&few);
    f0t_separable_free(&many);
}

static f0t_status create(void *context)
{
    f0t_separable s;
    (void)context;
    f0t_status status = f0t_separable_create(&s, 3, 2);
    f0t_separable_free(&s);
    return status;
}

static void wrong_sizes_and_lack_of_memory_are_told(void **state)
{
    (void)state;
    f0t_separable s;
    assert_fails(F0T_ERROR_ARGUMENT, "angles of 2 points in 0 dimensions",
                 f0t_separable_create(&s, 0, 2));
    test_each_fault(F0T_FAULT_ALLOC, create, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_count_of_all_splits_is_cover_s),
        cmocka_unit_test(the_sizes_add_up_to_cover_s_number),
        cmocka_unit_test(a_line_is_combinatorics),
        cmocka_unit_test(a_plane_is_as_four_points_lie),
        cmocka_unit_test(more_points_are_harder_and_more_dimensions_easier),
        cmocka_unit_test(wrong_sizes_and_lack_of_memory_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
