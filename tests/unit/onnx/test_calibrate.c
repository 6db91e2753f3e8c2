/* Which grid the numbers of some pictures ask for. */
#include "support.h"

#include "onnx/calibrate.h"

#include <float.h>
#include <math.h>

static f0t_onnx_histogram h;

static void fill(float low, float high, size_t count)
{
    h = (f0t_onnx_histogram){0};
    for (size_t k = 0; k < count; k++) {
        float x = low + (high - low) * (float)k / (float)(count - 1);
        f0t_onnx_histogram_add(&h, &x, 1);
    }
}

static const f0t_onnx_calibration all = {.percentile = 100};

static void a_grid_has_all_numbers_and_zero(void **state)
{
    (void)state;
    fill(-1, 3, 1000);
    f0t_grid g = f0t_onnx_histogram_grid(&h, &all);
    assert_true(fabsf(g.scale - 4.0F / 255) < 1e-6F);
    assert_int_equal(g.zero, 64);
    fill(2, 3, 1000); /* 0 is on it all the same */
    g = f0t_onnx_histogram_grid(&h, &all);
    assert_true(fabsf(g.scale - 3.0F / 255) < 1e-6F);
    assert_int_equal(g.zero, 0);
    fill(-3, -2, 1000);
    g = f0t_onnx_histogram_grid(&h, &all);
    assert_true(fabsf(g.scale - 3.0F / 255) < 1e-6F);
    assert_int_equal(g.zero, 255);
}

static void numbers_that_are_none_do_not_count(void **state)
{
    const float odd[] = {NAN, INFINITY, -INFINITY, 0};
    (void)state;
    h = (f0t_onnx_histogram){0};
    assert_true(f0t_onnx_histogram_grid(&h, &all).scale == 1);
    f0t_onnx_histogram_add(&h, odd, 4);
    f0t_onnx_histogram_add(&h, NULL, 0);
    f0t_grid g = f0t_onnx_histogram_grid(&h, &all);
    assert_true(g.scale == 1 && g.zero == 0);
    const float huge[] = {3e38F, -3e38F, 1e-40F};
    f0t_onnx_histogram_add(&h, huge, 3);
    g = f0t_onnx_histogram_grid(&h, &all);
    assert_true(isfinite(g.scale) && g.scale > 0 && g.zero >= 0 && g.zero <= 255);
}

static void numbers_at_the_ends_of_float_are_taken(void **state)
{
    static const float ends[][2] = {{-3e38F, 3e38F},   {0, 3e38F},  {-3e38F, 0},
                                    {-1e-40F, 1e-40F}, {0, 1e-37F}, {-1e-31F, 1}};
    const f0t_onnx_calibration entropy = {.entropy = true};
    (void)state;
    for (size_t k = 0; k < sizeof ends / sizeof *ends; k++) {
        uint64_t sum = 0;
        h = (f0t_onnx_histogram){0};
        f0t_onnx_histogram_add(&h, ends[k], 2);
        f0t_onnx_histogram_add(&h, ends[k], 2);
        for (size_t bin = 0; bin < F0T_ONNX_BINS; bin++)
            sum += h.bins[bin];
        assert_int_equal(sum, 4);
        assert_true(h.range == 0 || h.range > 1e-30F);
        for (int way = 0; way < 2; way++) {
            f0t_grid g = f0t_onnx_histogram_grid(&h, way ? &entropy : &all);
            assert_true(isfinite(g.scale) && g.scale > 0 && g.zero >= 0 && g.zero <= 255);
        }
    }
}

static void the_range_grows_and_keeps_what_it_has(void **state)
{
    uint64_t sum = 0;
    (void)state;
    fill(0, 1, 1000);
    const float far[] = {1000, -500};
    f0t_onnx_histogram_add(&h, far, 2);
    for (size_t k = 0; k < F0T_ONNX_BINS; k++)
        sum += h.bins[k];
    assert_int_equal(sum, 1002);
    assert_true(h.range > 1000 && h.low == -500 && h.high == 1000);
}

static void outliers_are_left_out(void **state)
{
    const float far = 6;
    const f0t_onnx_calibration most = {.percentile = 99.8}, entropy = {.entropy = true};
    (void)state;
    fill(0, 1, 100000);
    f0t_onnx_histogram_add(&h, &far, 1);
    assert_true(f0t_onnx_histogram_grid(&h, &all).scale > 0.023F);
    assert_true(f0t_onnx_histogram_grid(&h, &most).scale < 0.005F);
    /* Most numbers are small, as behind a relu. */
    for (int k = 0; k < 100000; k++) {
        float small = powf((float)k / 100000, 8);
        f0t_onnx_histogram_add(&h, &small, 1);
    }
    assert_true(f0t_onnx_histogram_grid(&h, &entropy).scale < 0.012F);
}

static void entropy_keeps_what_is_evenly_spread(void **state)
{
    const f0t_onnx_calibration entropy = {.entropy = true};
    (void)state;
    fill(-1, 1, 100000);
    f0t_grid g = f0t_onnx_histogram_grid(&h, &entropy);
    assert_true(g.scale > 1.8F / 255 && g.scale < 2.01F / 255);
    assert_true(g.zero > 120 && g.zero < 136);
}

/* By the definition, in double. */
static double loss_of(const float *x, size_t count, float scale)
{
    double sum = 0;
    for (size_t k = 0; k < count; k++) {
        const double y = (double)x[k] / (double)scale, off = (y - rint(y)) * (double)scale;
        sum += off * off;
    }
    return sum;
}

/* Weights that were whole numbers of some step once, of which the largest need not be 127. */
static void weights_return_to_their_grid(void **state)
{
    enum { COUNT = 45 };
    float x[COUNT];
    (void)state;
    for (int most = 20; most <= 127; most += 13) {
        for (int k = 0; k < COUNT; k++)
            x[k] = 0.0173F * (float)(k ? (k * 37 + most) % (2 * most + 1) - most : -most);
        const float scale = f0t_onnx_weight_scale(x, COUNT, 127);
        for (int k = 0; k < COUNT; k++) {
            const float y = x[k] / scale;
            assert_true(fabsf(y) < 127.001F);
            assert_float_equal(y, rintf(y), 1e-3);
        }
    }
}

/* Of the scales that are tried, none has less loss. */
static void weights_are_rounded_least(void **state)
{
    enum { COUNT = 300 };
    float x[COUNT], size = 0;
    (void)state;
    for (size_t count = 1; count <= COUNT; count += 23)
        for (int most = 64; most <= 127; most += 63) {
            test_random_floats(x, count, count);
            size = 0;
            for (size_t k = 0; k < count; k++)
                size = fmaxf(size, fabsf(x[k]));
            const float scale = f0t_onnx_weight_scale(x, count, most);
            const double loss = loss_of(x, count, scale);
            for (int steps = (most + 1) / 2; steps <= most; steps++)
                assert_true(loss <= loss_of(x, count, size / (float)steps) * 1.001 + 1e-9);
        }
}

static void weights_that_are_none_do_not_count(void **state)
{
    const float none[] = {0, -0.0F, 1e-38F}, wild[] = {NAN, 2, INFINITY, -1},
                ends[] = {FLT_MAX, 1, FLT_MIN};
    (void)state;
    assert_float_equal(f0t_onnx_weight_scale(none, 3, 127), 1.0F / 127, 0);
    assert_float_equal(f0t_onnx_weight_scale(none, 0, 64), 1.0F / 64, 0);
    assert_float_equal(f0t_onnx_weight_scale(wild, 4, 127), 2.0F / 127, 0);
    assert_true(isfinite(f0t_onnx_weight_scale(ends, 3, 127)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_grid_has_all_numbers_and_zero),
        cmocka_unit_test(numbers_that_are_none_do_not_count),
        cmocka_unit_test(numbers_at_the_ends_of_float_are_taken),
        cmocka_unit_test(the_range_grows_and_keeps_what_it_has),
        cmocka_unit_test(outliers_are_left_out),
        cmocka_unit_test(entropy_keeps_what_is_evenly_spread),
        cmocka_unit_test(weights_return_to_their_grid),
        cmocka_unit_test(weights_are_rounded_least),
        cmocka_unit_test(weights_that_are_none_do_not_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
