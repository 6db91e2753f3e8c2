/* Convolutions in small groups against sums over the window in double. */
#include "support.h"

#include "base/cpu.h"
#include "math/grouped.h"

#include <math.h>

typedef struct shape {
    size_t images, channels, group, in[2], stride, before;
} shape;

static f0t_layer_conv conv_of(const shape *s, const f0t_after *after, size_t count)
{
    f0t_layer_conv c = {.images = s->images,
                        .channels = s->channels,
                        .filters = s->channels,
                        .groups = s->channels / s->group,
                        .window = {.rank = 2},
                        .type = F0T_F32,
                        .result = F0T_F32,
                        .after = after,
                        .after_count = count};
    for (size_t d = 0; d < 2; d++) {
        c.in[d] = s->in[d];
        c.window.kernel[d] = 3;
        c.window.stride[d] = s->stride;
        c.window.dilation[d] = 1;
        c.window.before[d] = c.window.after[d] = s->before;
        c.window.out[d] = (s->in[d] + 2 * s->before - 3) / s->stride + 1;
    }
    return c;
}

/* `filter`: channels of its group x 3 x 3. */
static double sum_at(const shape *s, const float *x, const float *filter, size_t f, size_t row,
                     size_t column)
{
    double sum = 0;
    for (size_t k = 0; k < s->group * 9; k++) {
        const size_t y = row * s->stride + k % 9 / 3 - s->before,
                     z = column * s->stride + k % 3 - s->before;
        if (y < s->in[0] && z < s->in[1])
            sum += (double)x[(y * s->in[1] + z) * s->channels + f / s->group * s->group + k / 9] *
                   (double)filter[k];
    }
    return sum;
}

static void compare(const shape *s, const f0t_layer_conv *c, const float *y, const float *x,
                    const float *filters, const float *bias)
{
    const size_t *out = c->window.out, each = out[0] * out[1] * s->channels;
    for (size_t i = 0; i < s->images * each; i++) {
        const size_t f = i % s->channels, pixel = i % each / s->channels;
        double want = sum_at(s, x + i / each * s->in[0] * s->in[1] * s->channels,
                             filters + f * s->group * 9, f, pixel / out[1], pixel % out[1]) +
                      (double)bias[f];
        if (c->after_count)
            want = fmin(fmax(want, 0), c->after[0].kind == F0T_ACTIVATION_CLIP ? 2 : INFINITY);
        if (!(fabs((double)y[i] - want) <= 1e-5 * (double)s->group))
            fail_msg("groups of %zu, stride %zu, filter %zu, pixel %zu: %.9g, not %.9g", s->group,
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

/* The largest groups that this CPU has a kernel for. */
static size_t most_of_group(void)
{
    return f0t_cpu_level() == F0T_CPU_WIDEST ? 8 : 4;
}

/* Of arrays with their channels last, whatever the layer takes. */
static void run(float *y, f0t_layer *layer, const f0t_layer_conv *c, const float *x,
                const float *filters, const float *bias)
{
    const size_t in[] = {c->images, c->channels, c->in[0], c->in[1]},
                 out[] = {c->images, c->channels, c->window.out[0], c->window.out[1]};
    float *source = some(in[0] * in[1] * in[2] * in[3], 6),
          *result = some(out[0] * out[1] * out[2] * out[3], 7);
    f0t_layout *x_last, *y_last;
    assert_ok(f0t_layout_create_channels_last(&x_last, 4, in, F0T_F32));
    assert_ok(f0t_layout_create_channels_last(&y_last, 4, out, F0T_F32));
    assert_ok(f0t_layout_convert(f0t_layer_source(layer), source, x_last, x));
    assert_ok(f0t_layer_run(result, layer, (const void *const[]){source},
                            (const void *const[]){filters, bias}, NULL));
    assert_ok(f0t_layout_convert(y_last, y, f0t_layer_result(layer), result));
    f0t_layout_free(x_last);
    f0t_layout_free(y_last);
    f0t_free(source);
    f0t_free(result);
}

/* As layers are made by a network: the filters come in the order of the file. */
static void check(const shape *s, const f0t_after *after, size_t count)
{
    const f0t_layer_conv c = conv_of(s, after, count);
    const size_t dims[] = {c.groups, s->group, s->group, 3, 3};
    float *x = some(s->images * s->channels * s->in[0] * s->in[1], 1);
    float *y = some(s->images * s->channels * c.window.out[0] * c.window.out[1], 2);
    float *filters = some(s->channels * s->group * 9, 3), *bias = some(s->channels, 4);
    float *made = some(s->channels * s->group * 9, 5);
    f0t_layer *layer;
    f0t_layout *plain;
    assert_true(f0t_grouped_suits(&c));
    assert_ok(f0t_layer_create_conv(&layer, &c, NULL));
    assert_ok(f0t_layout_create(&plain, 5, dims, F0T_F32));
    assert_int_equal(f0t_layout_bytes(f0t_layer_weights(layer)), f0t_layout_bytes(plain));
    assert_ok(f0t_layout_convert(f0t_layer_weights(layer), made, plain, filters));
    run(y, layer, &c, x, made, bias);
    compare(s, &c, y, x, filters, bias);
    f0t_layer_free(layer);
    f0t_layout_free(plain);
    void *all[] = {x, y, filters, bias, made};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        f0t_free(all[k]);
}

/* Rows of whole strips, with a part of one, and shorter than one; both groups and strides; paddings; several images. */
static void convolutions_match_sums_over_the_window(void **state)
{
    static const shape shapes[] = {
        {1, 16, 4, {7, 7}, 1, 1},    {2, 32, 4, {9, 15}, 1, 1}, {1, 128, 4, {56, 56}, 1, 1},
        {1, 32, 4, {15, 16}, 2, 1},  {1, 16, 8, {3, 3}, 1, 1},  {3, 48, 8, {16, 17}, 1, 0},
        {1, 256, 8, {28, 28}, 2, 1}, {1, 16, 8, {5, 30}, 2, 2}, {2, 16, 4, {4, 5}, 2, 0},
    };
    const f0t_after relu = {F0T_ACTIVATION_RELU, 0, 0}, clip = {F0T_ACTIVATION_CLIP, 0, 2};
    (void)state;
    if (f0t_cpu_level() == F0T_CPU_BASE)
        test_skip("this CPU has no AVX2, or F0T_MAX_CPU is set");
    for (int threads = 1; threads <= 3; threads += 2) {
        test_threads(threads);
        for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++)
            if (shapes[k].group <= most_of_group()) {
                check(&shapes[k], NULL, 0);
                check(&shapes[k], k % 2 ? &relu : &clip, 1);
            }
    }
    test_threads(0);
}

static void what_no_number_is_stays_so(void **state)
{
    const shape s = {1, 16, 4, {3, 3}, 1, 1};
    const f0t_after relu = {F0T_ACTIVATION_RELU, 0, 0};
    const f0t_layer_conv c = conv_of(&s, &relu, 1);
    float *x = some(16 * 9, 1), *y = some(16 * 9, 2), *filters = some(16 * 4 * 9, 3),
          *bias = some(16, 4);
    f0t_grouped *grouped;
    (void)state;
    if (f0t_cpu_level() == F0T_CPU_BASE)
        test_skip("this CPU has no AVX2, or F0T_MAX_CPU is set");
    assert_ok(f0t_grouped_create(&grouped, &c, 1));
    const size_t block = f0t_grouped_blocks(grouped) ? 8 : 16;
    x[4 * block] = NAN; /* the pixel in the middle: all windows have it */
    f0t_grouped_run(y, grouped, x, filters, bias);
    for (size_t i = 0; i < 16 * 9; i++)
        assert_int_equal(isnan(y[i]) != 0, i < 9 * block && i % block < 4);
    f0t_grouped_free(grouped);
    f0t_free(x);
    f0t_free(y);
    f0t_free(filters);
    f0t_free(bias);
}

static void others_are_left_to_onednn(void **state)
{
    const shape s = {1, 32, 4, {8, 8}, 1, 1}, wide = {1, 32, 16, {8, 8}, 1, 1},
                odd = {1, 20, 4, {8, 8}, 1, 1};
    const f0t_after sum = {F0T_ACTIVATION_SUM, 1, 0};
    f0t_layer_conv c = conv_of(&s, NULL, 0), w = conv_of(&wide, NULL, 0),
                   o = conv_of(&odd, NULL, 0);
    (void)state;
    assert_false(f0t_grouped_suits(&w));
    assert_false(f0t_grouped_suits(&o));
    c.after = &sum, c.after_count = 1;
    assert_false(f0t_grouped_suits(&c));
    c.after_count = 0, c.type = c.result = F0T_BF16;
    assert_false(f0t_grouped_suits(&c));
    c.type = c.result = F0T_F32, c.window.dilation[0] = 2;
    assert_false(f0t_grouped_suits(&c));
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
