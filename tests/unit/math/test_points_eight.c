/* Convolutions of 1 x 1 of eight bits against sums in integers. */
#include "support.h"

#include "math/finish_eight.h"
#include "math/points_eight.h"

#include <math.h>
#include <string.h>

typedef struct shape {
    size_t images, channels, filters, in[2];
} shape;

static f0t_layer_conv conv_of(const shape *s, f0t_dtype result, const f0t_layer_rescale *rescale)
{
    f0t_layer_conv c = {.images = s->images,
                        .channels = s->channels,
                        .filters = s->filters,
                        .groups = 1,
                        .window = {.rank = 2},
                        .type = F0T_U8,
                        .result = result,
                        .rescale = rescale};
    for (size_t d = 0; d < 2; d++) {
        c.in[d] = c.window.out[d] = s->in[d];
        c.window.kernel[d] = c.window.stride[d] = c.window.dilation[d] = 1;
    }
    return c;
}

typedef struct arrays {
    uint8_t *x, *y, *before;
    int8_t *filters;
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

static int as_number(const f0t_layer_conv *c, uint8_t byte)
{
    return c->result == F0T_I8 ? (int8_t)byte : byte;
}

/* What follows the scaled sum, but for the result's 0. */
static double follow(const f0t_layer_conv *c, double x, int before)
{
    for (size_t k = 0; k < c->after_count; k++) {
        const f0t_after a = c->after[k];
        if (a.kind == F0T_ACTIVATION_CLIP)
            x = fmin(fmax(x, (double)a.alpha), (double)a.beta);
        else if (a.kind == F0T_ACTIVATION_RELU)
            x = fmax(x, 0);
        else
            x = a.kind == F0T_ACTIVATION_SUM ? x + (double)a.alpha * before : x + (double)a.beta;
    }
    return x;
}

static void compare(const f0t_layer_conv *c, const arrays *a)
{
    const size_t pixels = c->images * c->in[0] * c->in[1];
    const bool is_signed = c->result == F0T_I8;
    for (size_t i = 0; i < pixels * c->filters; i++) {
        const size_t f = i % c->filters, pixel = i / c->filters;
        int sum = 0;
        for (size_t k = 0; k < c->channels; k++)
            sum += (a->x[pixel * c->channels + k] - c->rescale->source_zero) *
                   a->filters[f * c->channels + k];
        double want = (sum + (double)a->bias[f]) * (double)a->scales[f];
        want = follow(c, want, as_number(c, a->before[i])) + c->rescale->result_zero;
        want = is_signed ? fmin(fmax(want, -128), 127) : fmin(fmax(want, 0), 255);
        const int got = as_number(c, a->y[i]);
        if (!(fabs(got - want) <= 0.5002)) /* rounded */
            fail_msg("%zu -> %zu, filter %zu, pixel %zu: %d, not %.9g", c->channels, c->filters, f,
                     pixel, got, want);
    }
}

static arrays make(const shape *s, float *scales)
{
    const size_t pixels = s->images * s->in[0] * s->in[1];
    arrays a = {.x = bytes(pixels * s->channels, 1),
                .y = bytes(pixels * s->filters, 2),
                .before = bytes(pixels * s->filters, 2),
                .filters = bytes(s->channels * s->filters, 3),
                .bias = floats(s->filters, 5),
                .scales = scales};
    for (size_t k = 0; k < s->filters; k++)
        a.bias[k] *= 1000;
    return a;
}

static void forget_result(const f0t_layer_conv *c, const arrays *a)
{
    memcpy(a->y, a->before, c->images * c->in[0] * c->in[1] * c->filters);
}

/* Blocks of 16 filters x 16 channels, four channels of a filter beside each other. */
static int8_t *pack(const f0t_layer_conv *c, const int8_t *filters)
{
    const size_t depth = (c->channels + 15) / 16 * 16, lines = (c->filters + 15) / 16 * 16;
    int8_t *packed = NULL;
    assert_ok(f0t_alloc_zero(&packed, depth * lines, 1));
    for (size_t f = 0; f < c->filters; f++)
        for (size_t k = 0; k < c->channels; k++)
            packed[f / 16 * 16 * depth + k / 4 * 64 + f % 16 * 4 + k % 4] =
                filters[f * c->channels + k];
    return packed;
}

/* By so many threads, however small it is; twice, for the first run prepares. */
static void check_kernel(const f0t_layer_conv *c, const arrays *a, int threads)
{
    f0t_points_eight *kernel;
    int8_t *packed = pack(c, a->filters);
    assert_ok(f0t_points_eight_create(&kernel, c, threads));
    for (int run = 0; run < 2; run++) {
        forget_result(c, a);
        f0t_points_eight_run(a->y, kernel, a->x, packed, a->bias);
        compare(c, a);
    }
    f0t_points_eight_free(kernel);
    f0t_free(packed);
}

/* As layers are made by a network: the filters come in the order of the file. */
static void check_layer(const f0t_layer_conv *c, const arrays *a)
{
    const size_t dims[] = {c->filters, c->channels, 1, 1};
    f0t_layer *layer;
    f0t_layout *plain;
    void *made = NULL, *scratch = NULL;
    assert_ok(f0t_layer_create_conv(&layer, c, NULL));
    assert_ok(f0t_layout_create(&plain, 4, dims, F0T_I8));
    assert_ok(f0t_alloc(&made, f0t_layout_bytes(f0t_layer_weights(layer)), 1));
    assert_ok(f0t_alloc(&scratch, f0t_layer_scratch(layer) + 1, 1));
    assert_ok(f0t_layout_convert(f0t_layer_weights(layer), made, plain, a->filters));
    forget_result(c, a);
    assert_ok(f0t_layer_run(a->y, layer, (const void *const[]){a->x},
                            (const void *const[]){made, a->bias}, scratch));
    compare(c, a);
    f0t_layer_free(layer);
    f0t_layout_free(plain);
    f0t_free(made);
    f0t_free(scratch);
}

static void check(const shape *s, f0t_dtype result, const int32_t zeros[2], const f0t_after *after,
                  size_t count)
{
    float *scales = floats(s->filters, 6);
    for (size_t k = 0; k < s->filters; k++)
        scales[k] = (fabsf(scales[k]) + 0.1F) * 8e-3F / sqrtf((float)s->channels);
    const f0t_layer_rescale rescale = {scales, zeros[0], zeros[1]};
    f0t_layer_conv c = conv_of(s, result, &rescale);
    c.after = after;
    c.after_count = count;
    arrays a = make(s, scales);
    assert_true(f0t_points_eight_suits(&c));
    check_layer(&c, &a);
    check_kernel(&c, &a, 1);
    check_kernel(&c, &a, 3);
    void *all[] = {a.x, a.y, a.before, a.filters, a.bias, a.scales};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        f0t_free(all[k]);
}

static const shape usual = {1, 16, 32, {8, 8}};

static bool has_vnni(void)
{
    static float scales[32];
    const f0t_layer_rescale rescale = {scales, 0, 0};
    const f0t_layer_conv c = conv_of(&usual, F0T_U8, &rescale);
    return f0t_points_eight_suits(&c);
}

/* Every number of vectors of filters, whole ones and not, every number of pixels left over, few channels and many. */
static void convolutions_match_sums(void **state)
{
    static const shape shapes[] = {
        {1, 16, 96, {13, 9}},  {1, 24, 144, {7, 8}}, {2, 32, 16, {5, 5}},  {1, 96, 24, {9, 7}},
        {1, 144, 32, {3, 7}},  {3, 4, 1, {2, 3}},    {1, 20, 17, {4, 4}},  {1, 100, 49, {1, 5}},
        {1, 960, 160, {7, 7}}, {1, 8, 64, {1, 1}},   {2, 64, 384, {5, 5}}, {1, 12, 80, {14, 14}},
        {1, 36, 40, {1, 3}},   {1, 160, 33, {2, 1}}, {1, 28, 65, {3, 5}},  {1, 16, 200, {5, 7}},
        {1, 64, 64, {20, 20}},
    };
    static const f0t_after clip = {F0T_ACTIVATION_CLIP, -20, 90},
                           relu = {F0T_ACTIVATION_RELU, 0, 0};
    static const int32_t none[2] = {0, 0}, moved[2] = {120, 100}, back[2] = {7, -7};
    (void)state;
    if (!has_vnni())
        test_skip("this CPU has no AVX-512 with VNNI, or F0T_MAX_CPU is set");
    test_threads(3);
    for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++) {
        check(&shapes[k], F0T_U8, none, NULL, 0);
        check(&shapes[k], F0T_U8, moved, &clip, 1);
        check(&shapes[k], F0T_U8, moved, &relu, 1);
        check(&shapes[k], F0T_I8, back, k % 2 ? &clip : NULL, k % 2);
    }
    test_threads(0);
}

/* As a shortcut is added (onnx/emit_eight_layers.c): each once, whatever pixels are left over. */
static void what_the_memory_holds_is_added(void **state)
{
    static const shape shapes[] = {{1, 144, 24, {9, 7}}, {2, 64, 32, {5, 5}}, {1, 40, 96, {7, 7}},
                                   {1, 32, 160, {3, 5}}, {1, 16, 16, {1, 7}}, {1, 20, 17, {4, 3}},
                                   {1, 16, 80, {19, 21}}};
    static const f0t_after plain[] = {{F0T_ACTIVATION_CLIP, -50, 60},
                                      {F0T_ACTIVATION_SUM, 0.7F, 0}},
                           shifted[] = {{F0T_ACTIVATION_CLIP, -50, 60},
                                        {F0T_ACTIVATION_LINEAR, 1, -33.5F},
                                        {F0T_ACTIVATION_SUM, 1.3F, 0}};
    static const int32_t moved[2] = {120, 100}, back[2] = {7, -7};
    (void)state;
    if (!has_vnni())
        test_skip("this CPU has no AVX-512 with VNNI, or F0T_MAX_CPU is set");
    test_threads(3);
    for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++) {
        check(&shapes[k], F0T_U8, moved, plain, 2);
        check(&shapes[k], F0T_U8, back, shifted, 3);
        check(&shapes[k], F0T_I8, back, shifted, 3);
    }
    test_threads(0);
}

static bool suits(f0t_layer_conv c, const f0t_after *after, size_t count)
{
    c.after = after;
    c.after_count = count;
    return f0t_points_eight_suits(&c);
}

static void others_are_left_to_onednn(void **state)
{
    static float scales[32];
    const f0t_layer_rescale rescale = {scales, 3, 0};
    const f0t_layer_conv plain = conv_of(&usual, F0T_U8, &rescale);
    const f0t_after swish = {F0T_ACTIVATION_SWISH, 1, 0}, leaky = {F0T_ACTIVATION_RELU, 0.1F, 0},
                    sum = {F0T_ACTIVATION_SUM, 1, 0},
                    wild[] = {{F0T_ACTIVATION_CLIP, -1, 1}, {F0T_ACTIVATION_SUM, 1e30F, 0}},
                    wide[] = {{F0T_ACTIVATION_CLIP, -INFINITY, 1}, {F0T_ACTIVATION_SUM, 1, 0}};
    (void)state;
    if (!has_vnni())
        test_skip("this CPU has no AVX-512 with VNNI, or F0T_MAX_CPU is set");
    assert_false(suits(plain, &swish, 1));
    assert_false(suits(plain, &leaky, 1));
    assert_false(suits(plain, &sum, 1));
    assert_false(suits(plain, wild, 2));
    assert_false(suits(plain, wide, 2));
    f0t_layer_conv c = plain;
    c.channels = 18;
    assert_false(f0t_points_eight_suits(&c));
    c = plain;
    c.type = F0T_I8;
    assert_false(f0t_points_eight_suits(&c));
    c = plain;
    c.result = F0T_F32;
    assert_false(f0t_points_eight_suits(&c));
    c = plain;
    c.window.stride[1] = 2;
    assert_false(f0t_points_eight_suits(&c));
    c = plain;
    c.groups = 2;
    assert_false(f0t_points_eight_suits(&c));
    scales[31] = 1e4F; /* sums of which would not fit into 32 bits */
    assert_false(f0t_points_eight_suits(&plain));
    scales[31] = NAN;
    assert_false(f0t_points_eight_suits(&plain));
    scales[31] = 0;
    assert_true(f0t_points_eight_suits(&plain));
}

/* Those of a hostile network. */
static void an_offset_has_limits(void **state)
{
    const f0t_finish_eight finish = {.zero = 100};
    (void)state;
    assert_float_equal(f0t_finish_eight_offset(&finish, 10, 0.5F), 105, 0);
    assert_float_equal(f0t_finish_eight_offset(&finish, 1e30F, 1), 0x1p30, 0);
    assert_float_equal(f0t_finish_eight_offset(&finish, -INFINITY, 1), -0x1p30, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(convolutions_match_sums),
        cmocka_unit_test(what_the_memory_holds_is_added),
        cmocka_unit_test(others_are_left_to_onednn),
        cmocka_unit_test(an_offset_has_limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
