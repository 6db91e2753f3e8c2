/* Convolutions of 1 x 1 over few pixels against sums in double. */
#include "support.h"

#include "base/cpu.h"
#include "math/panels.h"
#include "math/point_panels.h"

#include <math.h>

typedef struct shape {
    size_t images, channels, filters, in[2], stride;
} shape;

static f0t_layer_conv conv_of(const shape *s, const f0t_after *after, size_t count)
{
    f0t_layer_conv c = {.images = s->images,
                        .channels = s->channels,
                        .filters = s->filters,
                        .groups = 1,
                        .window = {.rank = 2},
                        .type = F0T_F32,
                        .result = F0T_F32,
                        .after = after,
                        .after_count = count};
    for (size_t d = 0; d < 2; d++) {
        c.in[d] = s->in[d];
        c.window.kernel[d] = c.window.dilation[d] = 1;
        c.window.stride[d] = s->stride;
        c.window.out[d] = (s->in[d] - 1) / s->stride + 1;
    }
    return c;
}

static float *some(size_t count, uint64_t seed)
{
    float *numbers = NULL;
    assert_ok(f0t_alloc(&numbers, count, sizeof *numbers));
    test_random_floats(numbers, count, seed);
    return numbers;
}

/* Arrays are in the order of the file: images x channels x rows x columns. */
static void compare(const f0t_layer_conv *c, const float *y, const float *before, const float *x,
                    const float *filters, const float *bias)
{
    const size_t *out = c->window.out, pixels = out[0] * out[1], plane = c->in[0] * c->in[1];
    for (size_t i = 0; i < c->images * c->filters * pixels; i++) {
        const size_t f = i / pixels % c->filters, row = i % pixels / out[1], column = i % out[1];
        const float *from = x + i / (c->filters * pixels) * c->channels * plane +
                            row * c->window.stride[0] * c->in[1] + column * c->window.stride[1];
        double want = (double)bias[f];
        for (size_t k = 0; k < c->channels; k++)
            want += (double)from[k * plane] * (double)filters[f * c->channels + k];
        if (c->after_count > 1)
            want += (double)before[i];
        if (c->after_count)
            want = fmax(want, 0);
        if (!(fabs((double)y[i] - want) <= 1e-6 * (double)c->channels))
            fail_msg("%zu x %zu, filter %zu, pixel %zu, %zu: %.9g, not %.9g", c->channels,
                     c->filters, f, row, column, (double)y[i], want);
    }
}

/* Of plain arrays, whatever the layer takes; y holds what may be added. */
static void run(float *y, f0t_layer *layer, const f0t_layer_conv *c, const float *x,
                const float *filters, const float *bias)
{
    const size_t in[] = {c->images, c->channels, c->in[0], c->in[1]},
                 out[] = {c->images, c->filters, c->window.out[0], c->window.out[1]},
                 file[] = {c->filters, c->channels, 1, 1};
    f0t_layout *plain_x, *plain_y, *plain_filters;
    assert_ok(f0t_layout_create(&plain_x, 4, in, F0T_F32));
    assert_ok(f0t_layout_create(&plain_y, 4, out, F0T_F32));
    assert_ok(f0t_layout_create(&plain_filters, 4, file, F0T_F32));
    float *source = some(in[0] * in[1] * in[2] * in[3], 6),
          *result = some(out[0] * out[1] * out[2] * out[3], 7),
          *made = some(c->filters * c->channels, 8),
          *scratch = some(f0t_layer_scratch(layer) / sizeof *scratch + 1, 9);
    assert_int_equal(f0t_layout_bytes(f0t_layer_weights(layer)), f0t_layout_bytes(plain_filters));
    assert_ok(f0t_layout_convert(f0t_layer_source(layer), source, plain_x, x));
    assert_ok(f0t_layout_convert(f0t_layer_result(layer), result, plain_y, y));
    assert_ok(f0t_layout_convert(f0t_layer_weights(layer), made, plain_filters, filters));
    assert_ok(f0t_layer_run(result, layer, (const void *const[]){source},
                            (const void *const[]){made, bias}, scratch));
    assert_ok(f0t_layout_convert(plain_y, y, f0t_layer_result(layer), result));
    f0t_layout *layouts[] = {plain_x, plain_y, plain_filters};
    void *arrays[] = {source, result, made, scratch};
    for (size_t k = 0; k < sizeof layouts / sizeof *layouts; k++)
        f0t_layout_free(layouts[k]);
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        f0t_free(arrays[k]);
}

static void check(const shape *s, const f0t_after *after, size_t count)
{
    const f0t_layer_conv c = conv_of(s, after, count);
    const size_t results = s->images * s->filters * c.window.out[0] * c.window.out[1];
    float *x = some(s->images * s->channels * s->in[0] * s->in[1], 1), *y = some(results, 2);
    float *before = some(results, 2), *filters = some(s->filters * s->channels, 3);
    float *bias = some(s->filters, 4);
    f0t_layer *layer;
    assert_true(f0t_point_panels_suits(&c));
    assert_ok(f0t_layer_create_conv(&layer, &c, NULL));
    run(y, layer, &c, x, filters, bias);
    compare(&c, y, before, x, filters, bias);
    f0t_layer_free(layer);
    void *all[] = {x, y, before, filters, bias};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        f0t_free(all[k]);
}

/* Strips of six, of six and five, and with few rows left; more channels than are multiplied at a time; a share of panels that is not
 * whole; several images; every second and third pixel. */
static void convolutions_match_sums(void **state)
{
    static const shape shapes[] = {{1, 8, 16, {4, 6}, 1},    {1, 1032, 80, {7, 7}, 1},
                                   {3, 48, 144, {5, 5}, 1},  {2, 512, 64, {8, 8}, 1},
                                   {2, 64, 96, {13, 14}, 2}, {1, 24, 32, {15, 16}, 3}};
    const f0t_after after[] = {{F0T_ACTIVATION_SUM, 1, 0}, {F0T_ACTIVATION_RELU, 0, 0}};
    (void)state;
    if (!f0t_panels_native())
        test_skip("this CPU has no AVX2, or more");
    for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++) {
        check(&shapes[k], NULL, 0);
        check(&shapes[k], after + 1, 1);
        check(&shapes[k], after, 2);
    }
}

static void only_what_pays_is_done_so(void **state)
{
    const shape s = {1, 64, 64, {7, 7}, 1}, large = {1, 64, 64, {14, 14}, 1},
                small = {1, 64, 64, {1, 1}, 1}, odd = {1, 60, 64, {7, 7}, 1};
    const f0t_after swish = {F0T_ACTIVATION_SWISH, 1, 0};
    f0t_layer_conv c = conv_of(&s, NULL, 0), l = conv_of(&large, NULL, 0),
                   few = conv_of(&small, NULL, 0), o = conv_of(&odd, NULL, 0);
    (void)state;
    if (!f0t_panels_native())
        test_skip("this CPU has no AVX2, or more");
    assert_true(f0t_point_panels_suits(&c));
    assert_false(f0t_point_panels_suits(&l));
    assert_false(f0t_point_panels_suits(&few));
    assert_false(f0t_point_panels_suits(&o));
    c.after = &swish, c.after_count = 1;
    assert_false(f0t_point_panels_suits(&c));
    c.after_count = 0, c.window.before[1] = 1;
    assert_false(f0t_point_panels_suits(&c));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(convolutions_match_sums),
        cmocka_unit_test(only_what_pays_is_done_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
