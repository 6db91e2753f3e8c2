/* Swish and Gelu against their definitions in double. */
#include "support.h"

#include "base/kernels.h"
#include "math/smooth.h"

#include <math.h>
#include <string.h>

typedef double (*definition)(double x);

static const float SLOPE = -1.702F * 1.44269504F; /* quick Gelu's */

static double swish(double x)
{
    return x / (1 + exp2((double)SLOPE * x));
}

static double gelu(double x)
{
    return x * erfc(-x / sqrt(2)) / 2;
}

static void check(const float *y, const float *x, size_t n, definition want)
{
    for (size_t i = 0; i < n; i++) {
        const double right = want((double)x[i]);
        if (!(fabs((double)y[i] - right) <= 5e-7 * fmax(fabs((double)x[i]), 1e-3)))
            fail_msg("%.9g: %.9g, not %.9g", (double)x[i], (double)y[i], right);
    }
}

/* From far below 0 to far above, with all lengths of a last vector, onto themselves as well. */
static void kernels_match_their_definitions(void **state)
{
    enum { COUNT = 40001 };
    static float x[COUNT], y[COUNT];
    (void)state;
    for (size_t i = 0; i < COUNT; i++)
        x[i] = ((float)i - COUNT / 2) * 1e-3F;
    for (size_t n = COUNT - 17; n <= COUNT; n++) {
        f0t_kernels()->swish_block(y, x, n, SLOPE);
        check(y, x, n, swish);
        f0t_kernels()->gelu_block(y, x, n);
        check(y, x, n, gelu);
    }
    memcpy(y, x, sizeof x);
    f0t_kernels()->gelu_block(y, y, COUNT);
    check(y, x, COUNT, gelu);
}

static void what_is_behind_stays(void **state)
{
    float x[40], y[40];
    (void)state;
    test_random_floats(x, 40, 1);
    for (size_t n = 0; n < 39; n++) {
        y[n] = 7;
        f0t_kernels()->gelu_block(y, x, n);
        assert_true(y[n] == 7);
        f0t_kernels()->swish_block(y, x, n, SLOPE);
        assert_true(y[n] == 7);
    }
}

static void numbers_without_end_have_their_limits(void **state)
{
    const float x[] = {INFINITY, -INFINITY, NAN, 1e30F, -1e30F, 0};
    float y[6];
    (void)state;
    f0t_kernels()->gelu_block(y, x, 6);
    assert_true(y[0] == INFINITY && y[1] == 0 && isnan(y[2]) && y[3] == 1e30F && y[4] == 0 &&
                y[5] == 0);
    f0t_kernels()->swish_block(y, x, 6, SLOPE);
    assert_true(y[0] == INFINITY && fabsf(y[1]) < 1e-6F && isnan(y[2]) && y[3] == 1e30F &&
                fabsf(y[4]) < 1e-6F && y[5] == 0);
}

/* Several chunks, shared among threads. */
static void arrays_are_done_by_all_threads(void **state)
{
    enum { COUNT = 20011 };
    const f0t_after kinds[] = {{F0T_ACTIVATION_GELU, 0, 0}, {F0T_ACTIVATION_SWISH, 1.702F, 0}};
    static float x[COUNT], y[COUNT];
    (void)state;
    test_random_floats(x, COUNT, 1);
    for (int threads = 1; threads <= 3; threads += 2)
        for (size_t k = 0; k < 2; k++) {
            const f0t_smooth how = {COUNT, kinds[k], threads};
            test_threads(threads);
            f0t_smooth_run(y, &how, x);
            check(y, x, COUNT, k ? swish : gelu);
        }
    test_threads(0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernels_match_their_definitions),
        cmocka_unit_test(what_is_behind_stays),
        cmocka_unit_test(numbers_without_end_have_their_limits),
        cmocka_unit_test(arrays_are_done_by_all_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
