/* Depthwise convolutions against sums over the window in double. */
#include "support.h"

#include "base/cpu.h"
#include "math/depthwise.h"

#include <math.h>

typedef struct shape {
    size_t images, channels, side, in[2], stride, before;
} shape;

static f0t_layer_conv conv_of(const shape *s, const f0t_after *after, size_t count)
{
    f0t_layer_conv c = {.images = s->images,
                        .channels = s->channels,
                        .filters = s->channels,
                        .groups = s->channels,
                        .window = {.rank = 2},
                        .type = F0T_F32,
                        .result = F0T_F32,
                        .after = after,
                        .after_count = count};
    for (size_t d = 0; d < 2; d++) {
        c.in[d] = s->in[d];
        c.window.kernel[d] = s->side;
        c.window.stride[d] = s->stride;
        c.window.dilation[d] = 1;
        c.window.before[d] = c.window.after[d] = s->before;
        c.window.out[d] = (s->in[d] + 2 * s->before - s->side) / s->stride + 1;
    }
    return c;
}

/* `filter`: side x side. */
static double sum_at(const shape *s, const float *x, const float *filter, size_t f, size_t row,
                     size_t column)
{
    double sum = 0;
    for (size_t k = 0; k < s->side * s->side; k++) {
        const size_t y = row * s->stride + k / s->side - s->before,
                     z = column * s->stride + k % s->side - s->before;
        if (y < s->in[0] && z < s->in[1])
            sum += (double)x[(y * s->in[1] + z) * s->channels + f] * (double)filter[k];
    }
    return sum;
}

static double activated(double x, const f0t_after *after)
{
    return after->kind == F0T_ACTIVATION_SWISH ? x / (1 + exp(-x))
           : after->kind == F0T_ACTIVATION_CLIP
               ? fmin(fmax(x, (double)after->alpha), (double)after->beta)
               : fmax(x, 0);
}

static void compare(const shape *s, const f0t_layer_conv *c, const float *y, const float *x,
                    const float *filters, const float *bias)
{
    const size_t *out = c->window.out, each = out[0] * out[1] * s->channels;
    for (size_t i = 0; i < s->images * each; i++) {
        const size_t f = i % s->channels, pixel = i % each / s->channels;
        double want = sum_at(s, x + i / each * s->in[0] * s->in[1] * s->channels,
                             filters + f * s->side * s->side, f, pixel / out[1], pixel % out[1]) +
                      (double)bias[f];
        if (c->after_count)
            want = activated(want, c->after);
        if (!(fabs((double)y[i] - want) <= 1e-5))
            fail_msg("side %zu, stride %zu, channel %zu, pixel %zu: %.9g, not %.9g", s->side,
                     s->stride, f, pixel, (double)y[i], want);
    }
}

static float *some(size_t count, uint64_t seed)
{
    float *numbers = NULL;
    assert_ok(f0t_alloc(&numbers, count, sizeof *numbers));
    test_random_floats(numbers, count, seed);
    return numbers;
}

/* A run with channels last, whatever the layer wants. */
static void run_last(float *y, f0t_layer *layer, const f0t_layer_conv *c, const float *x,
                     const float *filters, const float *bias)
{
    const size_t *in = c->in, *out = c->window.out, from[] = {c->images, c->channels, in[0], in[1]},
                 to[] = {c->images, c->channels, out[0], out[1]};
    f0t_layout *before, *after;
    assert_ok(f0t_layout_create_channels_last(&before, 4, from, F0T_F32));
    assert_ok(f0t_layout_create_channels_last(&after, 4, to, F0T_F32));
    float *source = some(c->images * c->channels * in[0] * in[1], 6);
    float *result = some(c->images * c->channels * out[0] * out[1], 7);
    assert_ok(f0t_layout_convert(f0t_layer_source(layer), source, before, x));
    assert_ok(f0t_layer_run(result, layer, (const void *const[]){source},
                            (const void *const[]){filters, bias}, NULL));
    assert_ok(f0t_layout_convert(after, y, f0t_layer_result(layer), result));
    f0t_layout_free(before);
    f0t_layout_free(after);
    f0t_free(source);
    f0t_free(result);
}

/* As layers are made by a network: the filters come in the order of the file. */
static void check(const shape *s, const f0t_after *after, size_t count)
{
    const f0t_layer_conv c = conv_of(s, after, count);
    const size_t dims[] = {s->channels, 1, 1, s->side, s->side},
                 taps = s->channels * s->side * s->side;
    float *x = some(s->images * s->channels * s->in[0] * s->in[1], 1);
    float *y = some(s->images * s->channels * c.window.out[0] * c.window.out[1], 2);
    float *filters = some(taps, 3), *bias = some(s->channels, 4), *made = some(taps, 5);
    f0t_layer *layer;
    f0t_layout *plain;
    assert_true(f0t_depthwise_suits(&c));
    assert_ok(f0t_layer_create_conv(&layer, &c, NULL));
    assert_ok(f0t_layout_create(&plain, 5, dims, F0T_F32));
    assert_int_equal(f0t_layout_bytes(f0t_layer_weights(layer)), f0t_layout_bytes(plain));
    assert_ok(f0t_layout_convert(f0t_layer_weights(layer), made, plain, filters));
    run_last(y, layer, &c, x, made, bias);
    compare(s, &c, y, x, filters, bias);
    f0t_layer_free(layer);
    f0t_layout_free(plain);
    void *all[] = {x, y, filters, bias, made};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        f0t_free(all[k]);
}

/* Rows of whole strips, with a part of one, and shorter than one; both sides and strides; paddings up to the whole
 * window but one; windows that the image does not fill; several images. */
static void convolutions_match_sums_over_the_window(void **state)
{
    static const shape shapes[] = {
        {1, 16, 3, {7, 7}, 1, 1},   {2, 32, 5, {9, 15}, 1, 2},   {1, 48, 3, {28, 28}, 1, 1},
        {1, 32, 3, {15, 16}, 2, 1}, {1, 16, 5, {3, 3}, 1, 2},    {3, 48, 5, {16, 17}, 1, 0},
        {1, 64, 5, {28, 28}, 2, 2}, {1, 16, 5, {5, 30}, 2, 4},   {2, 16, 3, {4, 5}, 2, 0},
        {1, 16, 3, {2, 40}, 1, 2},  {1, 144, 5, {14, 14}, 2, 1}, {1, 16, 5, {1, 1}, 1, 2},
    };
    const f0t_after relu = {F0T_ACTIVATION_RELU, 0, 0}, clip = {F0T_ACTIVATION_CLIP, -1, 2},
                    swish = {F0T_ACTIVATION_SWISH, 1, 0};
    (void)state;
    if (f0t_cpu_level() == F0T_CPU_BASE)
        test_skip("this CPU has neither AVX2 nor AVX-512, or F0T_MAX_CPU is set");
    for (int threads = 1; threads <= 3; threads += 2) {
        test_threads(threads);
        for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++) {
            check(&shapes[k], NULL, 0);
            check(&shapes[k], k % 2 ? &relu : &clip, 1);
            check(&shapes[k], &swish, 1);
        }
    }
    test_threads(0);
}

static void what_no_number_is_stays_so(void **state)
{
    const size_t lanes = f0t_depthwise_in_blocks() ? 8 : 16; /* one block: the channels are last */
    const shape s = {1, lanes, 3, {3, 3}, 1, 1};
    const f0t_after relu = {F0T_ACTIVATION_RELU, 0, 0};
    const f0t_layer_conv c = conv_of(&s, &relu, 1);
    float *x = some(lanes * 9, 1), *y = some(lanes * 9, 2), *filters = some(lanes * 9, 3),
          *bias = some(lanes, 4);
    f0t_depthwise *depthwise;
    (void)state;
    if (f0t_cpu_level() == F0T_CPU_BASE)
        test_skip("this CPU has neither AVX2 nor AVX-512, or F0T_MAX_CPU is set");
    x[4 * lanes + 5] = NAN; /* the pixel in the middle: all windows have it */
    assert_ok(f0t_depthwise_create(&depthwise, &c, 1));
    f0t_depthwise_run(y, depthwise, x, filters, bias);
    for (size_t i = 0; i < lanes * 9; i++)
        assert_int_equal(isnan(y[i]) != 0, i % lanes == 5);
    f0t_depthwise_free(depthwise);
    f0t_free(x);
    f0t_free(y);
    f0t_free(filters);
    f0t_free(bias);
}

static void others_are_left_to_onednn(void **state)
{
    const shape s = {1, 32, 3, {8, 8}, 1, 1}, wide = {1, 32, 7, {8, 8}, 1, 3},
                odd = {1, 20, 3, {8, 8}, 1, 1};
    const f0t_after sum = {F0T_ACTIVATION_SUM, 1, 0}, sigmoid = {F0T_ACTIVATION_SIGMOID, 0, 0};
    f0t_layer_conv c = conv_of(&s, NULL, 0), w = conv_of(&wide, NULL, 0),
                   o = conv_of(&odd, NULL, 0);
    (void)state;
    assert_int_equal(f0t_depthwise_suits(&c), f0t_cpu_level() > F0T_CPU_BASE);
    assert_false(f0t_depthwise_suits(&w));
    assert_false(f0t_depthwise_suits(&o));
    c.after = &sum, c.after_count = 1;
    assert_false(f0t_depthwise_suits(&c));
    c.after = &sigmoid;
    assert_false(f0t_depthwise_suits(&c));
    c.after_count = 0, c.type = c.result = F0T_BF16;
    assert_false(f0t_depthwise_suits(&c));
    c.type = c.result = F0T_F32, c.window.dilation[0] = 2;
    assert_false(f0t_depthwise_suits(&c));
    c.window.dilation[0] = 1, c.groups = 16;
    assert_false(f0t_depthwise_suits(&c));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(convolutions_match_sums_over_the_window),
        cmocka_unit_test(what_no_number_is_stays_so),
        cmocka_unit_test(others_are_left_to_onednn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
