/* Depthwise convolutions of eight bits against sums over the window in integers. */
#include "support.h"

#include "base/cpu.h"
#include "math/depthwise_eight.h"

#include <math.h>
#include <string.h>

typedef struct shape {
    size_t images, channels, in[2], stride, before, after;
} shape;

static f0t_layer_conv conv_of(const shape *s, f0t_dtype result, const f0t_layer_rescale *rescale)
{
    f0t_layer_conv c = {.images = s->images,
                        .channels = s->channels,
                        .filters = s->channels,
                        .groups = s->channels,
                        .window = {.rank = 2},
                        .type = F0T_U8,
                        .result = result,
                        .rescale = rescale};
    for (size_t d = 0; d < 2; d++) {
        c.in[d] = s->in[d];
        c.window.kernel[d] = 3;
        c.window.stride[d] = s->stride;
        c.window.dilation[d] = 1;
        c.window.before[d] = s->before;
        c.window.after[d] = s->after;
        c.window.out[d] = (s->in[d] + s->before + s->after - 3) / s->stride + 1;
    }
    return c;
}

typedef struct arrays {
    uint8_t *x, *y;
    int8_t *filters, *made;
    float *bias, *scales;
} arrays;

static void *bytes(size_t count, uint64_t seed)
{
    uint8_t *numbers = NULL;
    assert_ok(f0t_alloc(&numbers, count, 1));
    for (size_t k = 0; k < count; k++)
        numbers[k] = (uint8_t)((k + seed) * 2654435761U >> 13);
    return numbers;
}

static float *floats(size_t count, uint64_t seed)
{
    float *numbers = NULL;
    assert_ok(f0t_alloc(&numbers, count, sizeof *numbers));
    test_random_floats(numbers, count, seed);
    return numbers;
}

/* `filter`: 3 x 3. */
static int sum_at(const shape *s, const uint8_t *x, const int8_t *filter, size_t f, size_t row,
                  size_t column)
{
    int sum = 0;
    for (size_t k = 0; k < 9; k++) {
        const size_t y = row * s->stride + k / 3 - s->before,
                     z = column * s->stride + k % 3 - s->before;
        if (y < s->in[0] && z < s->in[1])
            sum += x[(y * s->in[1] + z) * s->channels + f] * filter[k];
    }
    return sum;
}

static void compare(const shape *s, const f0t_layer_conv *c, const arrays *a)
{
    const size_t *out = c->window.out, each = out[0] * out[1] * s->channels;
    const bool is_signed = c->result == F0T_I8;
    for (size_t i = 0; i < s->images * each; i++) {
        const size_t f = i % s->channels, pixel = i % each / s->channels;
        const int sum = sum_at(s, a->x + i / each * s->in[0] * s->in[1] * s->channels,
                               a->filters + f * 9, f, pixel / out[1], pixel % out[1]);
        const int got = is_signed ? (int8_t)a->y[i] : a->y[i];
        double want = (sum + (double)a->bias[f]) * (double)a->scales[f];
        if (c->after_count)
            want = fmin(fmax(want, (double)c->after->alpha), (double)c->after->beta);
        want += c->rescale->result_zero;
        want = is_signed ? fmin(fmax(want, -128), 127) : fmin(fmax(want, 0), 255);
        if (!(fabs(got - want) <= 0.5001)) /* rounded */
            fail_msg("%zu channels, stride %zu, channel %zu, pixel %zu: %d, not %.9g", s->channels,
                     s->stride, f, pixel, got, want);
    }
}

static arrays make(const shape *s, const f0t_layer_conv *c, float *scales)
{
    arrays a = {bytes(s->images * s->channels * s->in[0] * s->in[1], 1),
                bytes(s->images * s->channels * c->window.out[0] * c->window.out[1], 2),
                bytes(s->channels * 9, 3),
                bytes(s->channels * 9, 4),
                floats(s->channels, 5),
                scales};
    for (size_t k = 0; k < s->channels; k++)
        a.bias[k] *= 1000;
    return a;
}

/* By so many threads, however small it is; twice, for the first run prepares. */
static void check_kernel(const shape *s, const f0t_layer_conv *c, const arrays *a, int threads)
{
    f0t_depthwise_eight *kernel;
    assert_ok(f0t_depthwise_eight_create(&kernel, c, threads));
    for (int run = 0; run < 2; run++) {
        memset(a->y, 77, s->images * c->window.out[0] * c->window.out[1] * s->channels);
        f0t_depthwise_eight_run(a->y, kernel, a->x, a->made, a->bias);
        compare(s, c, a);
    }
    f0t_depthwise_eight_free(kernel);
}

/* As layers are made by a network: the filters come in the order of the file; and by the kernel itself. */
static void check(const shape *s, f0t_dtype result, int32_t zero, const f0t_after *after)
{
    float *scales = floats(s->channels, 6);
    for (size_t k = 0; k < s->channels; k++)
        scales[k] = (fabsf(scales[k]) + 0.1F) * 4e-3F;
    const f0t_layer_rescale rescale = {scales, 0, zero};
    f0t_layer_conv c = conv_of(s, result, &rescale);
    c.after = after;
    c.after_count = after != NULL;
    arrays a = make(s, &c, scales);
    const size_t dims[] = {s->channels, 1, 1, 3, 3};
    f0t_layer *layer;
    f0t_layout *plain;
    assert_true(f0t_depthwise_eight_suits(&c));
    assert_ok(f0t_layer_create_conv(&layer, &c, NULL));
    assert_ok(f0t_layout_create(&plain, 5, dims, F0T_I8));
    assert_int_equal(f0t_layout_bytes(f0t_layer_weights(layer)), f0t_layout_bytes(plain));
    assert_ok(f0t_layout_convert(f0t_layer_weights(layer), a.made, plain, a.filters));
    assert_ok(f0t_layer_run(a.y, layer, (const void *const[]){a.x},
                            (const void *const[]){a.made, a.bias}, NULL));
    compare(s, &c, &a);
    check_kernel(s, &c, &a, 1);
    check_kernel(s, &c, &a, 3);
    f0t_layer_free(layer);
    f0t_layout_free(plain);
    void *all[] = {a.x, a.y, a.filters, a.made, a.bias, a.scales};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        f0t_free(all[k]);
}

static const float ones[] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
                             1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};

static bool has_vnni(void)
{
    const shape s = {1, 16, {8, 8}, 1, 1, 1};
    const f0t_layer_rescale rescale = {ones, 0, 0};
    const f0t_layer_conv c = conv_of(&s, F0T_U8, &rescale);
    return f0t_depthwise_eight_suits(&c);
}

/* Channels that fill registers and do not, both strides, odd and even sizes, every padding, several images. */
static void convolutions_match_sums_over_the_window(void **state)
{
    static const shape shapes[] = {
        {1, 16, {7, 7}, 1, 1, 1},   {2, 32, {9, 15}, 1, 1, 1},   {1, 64, {28, 28}, 1, 1, 1},
        {1, 96, {15, 16}, 2, 1, 1}, {1, 144, {16, 15}, 2, 0, 1}, {3, 80, {5, 3}, 1, 0, 0},
        {1, 128, {3, 5}, 1, 2, 2},  {2, 48, {8, 9}, 2, 2, 2},    {1, 16, {1, 1}, 1, 1, 1},
        {1, 16, {1, 2}, 2, 1, 1},   {1, 192, {14, 14}, 2, 0, 0}, {1, 16, {3, 120}, 1, 1, 1},
        {1, 16, {4, 4}, 1, 0, 2},   {1, 16, {6, 7}, 2, 1, 2},
    };
    const f0t_after clip = {F0T_ACTIVATION_CLIP, -20, 90};
    (void)state;
    if (!has_vnni())
        test_skip("this CPU has no AVX-512 with VNNI, or F0T_MAX_CPU is set");
    test_threads(3);
    for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++) {
        check(&shapes[k], F0T_U8, 0, NULL);
        check(&shapes[k], F0T_U8, 100, &clip);
        check(&shapes[k], F0T_I8, -7, k % 2 ? &clip : NULL);
    }
    test_threads(0);
}

static void others_are_left_to_onednn(void **state)
{
    const shape s = {1, 16, {8, 8}, 1, 1, 1}, odd = {1, 24, {8, 8}, 1, 1, 1};
    const f0t_layer_rescale rescale = {ones, 0, 0}, moved = {ones, 3, 0};
    const f0t_after swish = {F0T_ACTIVATION_SWISH, 1, 0};
    f0t_layer_conv c = conv_of(&odd, F0T_U8, &rescale);
    (void)state;
    assert_false(f0t_depthwise_eight_suits(&c));
    c = conv_of(&s, F0T_U8, &moved);
    assert_false(f0t_depthwise_eight_suits(&c));
    c = conv_of(&s, F0T_F32, &rescale);
    assert_false(f0t_depthwise_eight_suits(&c));
    c = conv_of(&s, F0T_U8, &rescale);
    c.type = F0T_I8;
    assert_false(f0t_depthwise_eight_suits(&c));
    c = conv_of(&s, F0T_U8, &rescale);
    c.window.kernel[0] = c.window.kernel[1] = 5;
    assert_false(f0t_depthwise_eight_suits(&c));
    c = conv_of(&s, F0T_U8, &rescale);
    c.after = &swish, c.after_count = 1;
    assert_false(f0t_depthwise_eight_suits(&c));
    c = conv_of(&s, F0T_F32, NULL);
    c.type = F0T_F32;
    assert_false(f0t_depthwise_eight_suits(&c));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(convolutions_match_sums_over_the_window),
        cmocka_unit_test(others_are_left_to_onednn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
