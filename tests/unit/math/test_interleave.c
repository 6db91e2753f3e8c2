/* Pictures that become pixels of eight bits, against their definition. */
#include "support.h"

#include "math/interleave.h"

#include <math.h>

static void compare(const uint8_t *y, const float *x, const size_t *dims, f0t_dtype type,
                    f0t_grid grid)
{
    const size_t space = dims[2] * dims[3];
    for (size_t i = 0; i < dims[0] * space * 3; i++) {
        const size_t image = i / (space * 3), pixel = i / 3 % space, channel = i % 3;
        const double low = type == F0T_U8 ? 0 : -128, high = type == F0T_U8 ? 255 : 127;
        const double number = (double)x[(image * 3 + channel) * space + pixel],
                     want = fmin(fmax(number / (double)grid.scale + grid.zero, low), high);
        const int got = type == F0T_U8 ? y[i] : (int8_t)y[i];
        if (!(fabs(got - want) <= 0.5001)) /* rounded */
            fail_msg("image %zu, pixel %zu, channel %zu: %d, not %.9g", image, pixel, channel, got,
                     want);
    }
}

static void check(const size_t *dims, f0t_dtype type, f0t_grid grid)
{
    const size_t count = dims[0] * 3 * dims[2] * dims[3];
    const f0t_grid ones = {1, 0};
    float *x = NULL;
    uint8_t *y = NULL;
    f0t_layout *from, *to;
    f0t_layer *layer;
    assert_ok(f0t_alloc(&x, count, sizeof *x));
    assert_ok(f0t_alloc(&y, count + 1, 1));
    y[count] = 77;
    test_random_floats(x, count, 1);
    x[0] = 1e30F;
    x[count - 1] = -INFINITY;
    assert_ok(f0t_layout_create(&from, 4, dims, F0T_F32));
    assert_ok(f0t_layout_create_channels_last(&to, 4, dims, type));
    assert_ok(f0t_layer_create_regrid(&layer, to, grid, from, ones));
    assert_ok(f0t_layer_run(y, layer, (const void *const[]){x}, NULL, NULL));
    compare(y, x, dims, type, grid);
    assert_int_equal(y[count], 77);
    f0t_layer_free(layer);
    f0t_layout_free(from);
    f0t_layout_free(to);
    f0t_free(x);
    f0t_free(y);
}

/* Pixels that fill registers and parts, and do not; several images. The other sizes are oneDNN's, with the same result. */
static void pictures_become_pixels(void **state)
{
    static const size_t shapes[][4] = {{1, 3, 16, 16}, {2, 3, 5, 7}, {1, 3, 1, 2},
                                       {3, 3, 65, 64}, {1, 3, 4, 4}, {2, 3, 90, 100}};
    (void)state;
    for (int threads = 1; threads <= 3; threads += 2) {
        test_threads(threads);
        for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++) {
            check(shapes[k], F0T_U8, (f0t_grid){0.02F, 114});
            check(shapes[k], F0T_I8, (f0t_grid){0.03F, -5});
            check(shapes[k], F0T_U8, (f0t_grid){0.0078125F, 0});
        }
    }
    test_threads(0);
}

static void grids_that_are_no_numbers_are_refused(void **state)
{
    static const size_t dims[] = {1, 3, 16, 16};
    const f0t_grid ones = {1, 0}, tiny = {1e-45F, 0};
    f0t_layout *from, *to;
    f0t_layer *layer;
    (void)state;
    assert_ok(f0t_layout_create(&from, 4, dims, F0T_F32));
    assert_ok(f0t_layout_create_channels_last(&to, 4, dims, F0T_U8));
    assert_fails(F0T_ERROR_UNSUPPORTED, "cannot be brought to one of",
                 f0t_layer_create_regrid(&layer, to, tiny, from, ones));
    assert_null(layer);
    f0t_layout_free(from);
    f0t_layout_free(to);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pictures_become_pixels),
        cmocka_unit_test(grids_that_are_no_numbers_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
