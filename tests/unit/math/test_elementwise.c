#include "support.h"

#include "math/elementwise.h"
#include "reference.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Functions of one number -------------------------------------------------------------------
 */

typedef void (*function)(float *y, const float *x, size_t n);
typedef double (*definition)(double x);

/* The distance of got from want in units of the last place of a float near want. */
static double ulps(float got, double want)
{
    int exponent;
    if (isnan(want) || isinf(want))
        return isnan(want) ? (isnan(got) ? 0 : INFINITY) : ((double)got == want ? 0 : INFINITY);
    if (isinf(got)) /* right when want rounds to it: the last float and half a unit */
        return want >= (double)FLT_MAX + 0x1p103 ? 0 : INFINITY;
    frexp(want, &exponent);
    exponent = exponent - FLT_MANT_DIG < -149 ? -149 : exponent - FLT_MANT_DIG;
    return ldexp(fabs((double)got - want), -exponent);
}

enum { BLOCK = 4096 };

static void check_block(function f, definition want, const float *x, double most)
{
    float y[BLOCK];
    f(y, x, BLOCK);
    for (size_t i = 0; i < BLOCK; i++)
        if (!(ulps(y[i], want((double)x[i])) <= most))
            fail_msg("of %.9g: %.9g is %.3f units from %.9g", (double)x[i], (double)y[i],
                     ulps(y[i], want((double)x[i])), want((double)x[i]));
}

/* Floats of every sign, exponent and kind: one of about 2^32 / blocks / BLOCK, by their bits. */
static void check_all_floats(function f, definition want, double most)
{
    uint32_t blocks = getenv("F0T_TEST_SMALL") ? 16 : 512;
    float x[BLOCK];
    for (uint32_t b = 0; b < blocks; b++) {
        for (uint32_t i = 0; i < BLOCK; i++) {
            uint32_t bits = (b * BLOCK + i) * (uint32_t)(0x100000000 / (blocks * BLOCK)) + i % 97;
            memcpy(&x[i], &bits, sizeof bits);
        }
        check_block(f, want, x, most);
    }
}

/* Every float in steps of one unit around the places where something changes. */
static void check_edges(function f, definition want, double most)
{
    static const float edges[] = {0,           1e-45F,      FLT_MIN,     0.34657359F,
                                  0.88137359F, 1,           16.635532F,  17,
                                  87.3365479F, 88.7228394F, 103.972084F, FLT_MAX};
    float x[BLOCK];
    for (size_t e = 0; e < 2 * sizeof edges / sizeof *edges; e++) {
        float at = e % 2 ? -edges[e / 2] : edges[e / 2];
        for (int i = 0; i < BLOCK / 2; i++)
            at = nextafterf(at, -INFINITY);
        for (int i = 0; i < BLOCK; i++, at = nextafterf(at, INFINITY))
            x[i] = at;
        check_block(f, want, x, most);
    }
}

/* The bounds that approx.h states. */
static void exp_is_within_its_bound(void **state)
{
    (void)state;
    check_all_floats(f0t_exp, f0t_exp_ref, 1.1);
    check_edges(f0t_exp, f0t_exp_ref, 1.1);
}

static void sigmoid_is_within_its_bound(void **state)
{
    (void)state;
    check_all_floats(f0t_sigmoid, f0t_sigmoid_ref, 2.5);
    check_edges(f0t_sigmoid, f0t_sigmoid_ref, 2.5);
}

/* Near 1 the error is absolute. */
static void the_logarithm_is_within_its_bound(void **state)
{
    (void)state;
    float x[BLOCK], y[BLOCK];
    const float odd[] = {NAN, INFINITY};
    for (uint32_t b = 0; b < 64; b++) {
        for (uint32_t i = 0; i < BLOCK; i++) {
            const uint32_t bits =
                0x00800000U + (b * BLOCK + i) * (0x7F000000U / (64 * BLOCK)) + i % 61;
            memcpy(&x[i], &bits, sizeof bits);
        }
        f0t_ln(y, x, BLOCK);
        for (size_t i = 0; i < BLOCK; i++) {
            const double want = log((double)x[i]);
            assert_true(fabs((double)y[i] - want) <= 1.5e-7 + 1e-7 * fabs(want));
        }
    }
    f0t_ln(y, odd, 2);
    assert_true(isnan(y[0]) && isnan(y[1]));
}

static void moments_are_sums(void **state)
{
    (void)state;
    enum { N = 1001 };
    float x[N];
    double sum, squares, want = 0, want_squares = 0;
    test_random_floats(x, N, 5);
    for (size_t i = 0; i < N; i++) {
        want += (double)x[i];
        want_squares += (double)x[i] * (double)x[i];
    }
    f0t_moments(&sum, &squares, x, N);
    assert_true(fabs(sum - want) < 1e-10 && fabs(squares - want_squares) < 1e-10);
    f0t_moments(&sum, &squares, x, 0);
    assert_true(sum == 0 && squares == 0);
}

static void softplus_is_within_its_bound(void **state)
{
    (void)state;
    check_all_floats(f0t_softplus, f0t_softplus_ref, 2.0);
    check_edges(f0t_softplus, f0t_softplus_ref, 2.0);
}

static void infinities_have_their_limits(void **state)
{
    float x[] = {INFINITY, -INFINITY, NAN}, y[3];
    (void)state;
    f0t_exp(y, x, 3);
    assert_true(isinf(y[0]) && y[1] == 0 && isnan(y[2]));
    f0t_sigmoid(y, x, 3);
    assert_true(y[0] == 1 && y[1] == 0 && isnan(y[2]));
    f0t_softplus(y, x, 3);
    assert_true(isinf(y[0]) && y[0] > 0 && y[1] == 0 && isnan(y[2]));
}

static void outputs_may_be_the_inputs_at_any_length_and_place(void **state)
{
    static const function functions[] = {f0t_exp, f0t_sigmoid, f0t_softplus};
    float x[80], y[80], one;
    (void)state;
    for (size_t n = 0; n < 70; n++)
        for (size_t f = 0; f < 3; f++) {
            test_random_floats(x, 80, n);
            memcpy(y, x, sizeof y);
            functions[f](y + 1, y + 1, n);
            for (size_t i = 0; i < 80; i++) {
                functions[f](&one, &x[i], 1);
                assert_true(i >= 1 && i <= n ? fabsf(y[i] - one) <= 4e-7F : y[i] == x[i]);
            }
        }
}

/* ---- Log-sum-exp -------------------------------------------------------------------------------
 */

static void assert_logsumexp(const float *x, size_t n)
{
    double want = f0t_logsumexp_ref(x, n), got = (double)f0t_logsumexp(x, n);
    assert_true(fabs(got - want) <= 2e-7 + fabs(want) * 0x1p-24);
}

static void log_sum_exp_is_near_the_reference(void **state)
{
    static const size_t lengths[] = {1, 2, 15, 16, 17, 100, 925, 10007};
    static const float scales[] = {1e-3F, 1, 30, 1e4F, 3e38F};
    float x[10007];
    (void)state;
    for (size_t l = 0; l < 8; l++)
        for (size_t s = 0; s < 5; s++) {
            test_random_floats(x, lengths[l], l);
            for (size_t i = 0; i < lengths[l]; i++)
                x[i] *= scales[s];
            assert_logsumexp(x, lengths[l]);
        }
}

static void log_sum_exp_of_equal_numbers_adds_the_log_of_their_count(void **state)
{
    enum { MANY = 100000 };
    float *x;
    (void)state;
    assert_ok(f0t_alloc(&x, MANY, sizeof *x));
    for (size_t i = 0; i < MANY; i++)
        x[i] = -50;
    assert_true(fabs((double)f0t_logsumexp(x, MANY) - (-50 + log(MANY))) < 4e-6);
    f0t_free(x);
}

static void log_sum_exp_of_special_numbers(void **state)
{
    float infinite[] = {1, INFINITY}, nothing[] = {-INFINITY, -INFINITY},
          huge[] = {FLT_MAX, FLT_MAX};
    float nan[] = {1, NAN}, nan_infinite[] = {INFINITY, NAN}, nan_nothing[] = {-INFINITY, NAN};
    (void)state;
    assert_true(f0t_logsumexp(NULL, 0) == -INFINITY);
    assert_true(f0t_logsumexp(infinite, 2) == INFINITY);
    assert_true(f0t_logsumexp(nothing, 2) == -INFINITY);
    assert_true(f0t_logsumexp(huge, 2) == FLT_MAX);
    assert_true(isnan(f0t_logsumexp(nan, 2)) && isnan(f0t_logsumexp(nan_infinite, 2)));
    assert_true(isnan(f0t_logsumexp(nan_nothing, 2)));
}

static void a_softmax_is_shares_of_the_exponentials(void **state)
{
    float x[] = {1000, 1001, 1000, 998}, y[4];
    const double sum = 2 + exp(1) + exp(-2);
    (void)state;
    assert_true(fabs((double)f0t_softmax(y, x, 4) - (1000 + log(sum))) < 1e-4);
    for (size_t i = 0; i < 4; i++)
        assert_true(fabs((double)y[i] - exp((double)x[i] - 1000) / sum) < 1e-4);
    f0t_softmax(x, x, 4); /* in place */
    assert_memory_equal(x, y, sizeof x);
}

/* ---- Rows ---------------------------------------------------------------------------------------
 */

static void rows_get_length_one(void **state)
{
    static const float scales[] = {1, 3e38F, 1e-38F, 1e-44F};
    static const size_t lengths[] = {1, 3, 17, 300, 4096};
    float x[3 * 4096], want[3 * 4096];
    (void)state;
    for (size_t l = 0; l < 5; l++)
        for (size_t s = 0; s < 4; s++) {
            size_t count = 3 * lengths[l];
            test_random_floats(x, count, s);
            for (size_t i = 0; i < count; i++)
                x[i] *= scales[s];
            memcpy(want, x, sizeof x);
            f0t_rows_normalise(x, 3, lengths[l]);
            f0t_rows_normalise_ref(want, 3, lengths[l]);
            for (size_t i = 0; i < count; i++)
                assert_true(ulps(x[i], (double)want[i]) <= 1);
        }
}

static void many_rows_are_shared_among_threads(void **state)
{
    enum { ROWS = 300, COLS = 301 };
    static float x[ROWS * COLS], want[ROWS * COLS];
    (void)state;
    test_random_floats(x, ROWS * COLS, 1);
    memcpy(want, x, sizeof x);
    f0t_rows_normalise(x, ROWS, COLS);
    f0t_rows_normalise_ref(want, ROWS, COLS);
    for (size_t i = 0; i < ROWS * COLS; i++)
        assert_true(ulps(x[i], (double)want[i]) <= 1);
}

static void rows_without_a_length(void **state)
{
    float x[] = {0, -0.0F, 3, INFINITY, 1, NAN, 3, 4};
    (void)state;
    f0t_rows_normalise(x, 4, 2);
    assert_true(x[0] == 0 && x[1] == 0);
    assert_true(isnan(x[2]) && isnan(x[3]) && isnan(x[4]) && isnan(x[5]));
    assert_true(x[6] == 0.6F && x[7] == 0.8F);
    f0t_rows_normalise(NULL, 0, 5);
    f0t_rows_normalise(NULL, 5, 0);
}

static void what_is_not_finite_is_found_anywhere(void **state)
{
    float x[67];
    double y[67];
    (void)state;
    for (size_t i = 0; i < 67; i++) {
        x[i] = i % 2 ? FLT_MAX : -1e-45F;
        y[i] = i % 2 ? DBL_MAX : -5e-324;
    }
    assert_true(f0t_finite_f32(x, 67) && f0t_finite_f64(y, 67));
    assert_true(f0t_finite_f32(NULL, 0) && f0t_finite_f64(NULL, 0));
    for (size_t i = 0; i < 67; i++) {
        float held = x[i];
        double held64 = y[i];
        x[i] = i % 3 ? NAN : -INFINITY;
        y[i] = i % 3 ? (double)NAN : -(double)INFINITY;
        assert_false(f0t_finite_f32(x, 67) || f0t_finite_f64(y, 67));
        assert_true(f0t_finite_f32(x, i) && f0t_finite_f64(y, i));
        x[i] = held;
        y[i] = held64;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exp_is_within_its_bound),
        cmocka_unit_test(sigmoid_is_within_its_bound),
        cmocka_unit_test(softplus_is_within_its_bound),
        cmocka_unit_test(the_logarithm_is_within_its_bound),
        cmocka_unit_test(moments_are_sums),
        cmocka_unit_test(infinities_have_their_limits),
        cmocka_unit_test(outputs_may_be_the_inputs_at_any_length_and_place),
        cmocka_unit_test(log_sum_exp_is_near_the_reference),
        cmocka_unit_test(log_sum_exp_of_equal_numbers_adds_the_log_of_their_count),
        cmocka_unit_test(log_sum_exp_of_special_numbers),
        cmocka_unit_test(a_softmax_is_shares_of_the_exponentials),
        cmocka_unit_test(rows_get_length_one),
        cmocka_unit_test(many_rows_are_shared_among_threads),
        cmocka_unit_test(rows_without_a_length),
        cmocka_unit_test(what_is_not_finite_is_found_anywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
