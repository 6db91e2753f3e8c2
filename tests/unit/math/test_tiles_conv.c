/* Convolutions of bytes on tiles against loops that follow the definition, to the byte. */
#include "support.h"

#include "base/random.h"
#include "math/tiles_conv.h"

#include <math.h>
#include <string.h>

typedef struct shape {
    size_t images, channels, filters, in[2], kernel[2], stride, dilation, before;
    f0t_dtype type, result;
    int source_zero, result_zero;
    bool clip;
} shape;

/* Borders of tiles and of blocks, of channels, filters and pixels; rows of several strides; every type. */
static const shape shapes[] = {
    {1, 64, 32, {4, 8}, {1, 1}, 1, 1, 0, F0T_U8, F0T_U8, 0, 0, false},
    {1, 16, 16, {4, 4}, {1, 1}, 1, 1, 0, F0T_U8, F0T_U8, 3, 7, false},
    {3, 24, 40, {7, 7}, {1, 1}, 1, 1, 0, F0T_U8, F0T_I8, 128, -5, true},
    {2, 70, 49, {5, 9}, {1, 1}, 1, 1, 0, F0T_I8, F0T_U8, -3, 100, false},
    {2, 100, 33, {9, 9}, {1, 1}, 2, 1, 0, F0T_U8, F0T_F32, 9, 0, true},
    {1, 64, 64, {14, 14}, {3, 3}, 1, 1, 1, F0T_U8, F0T_U8, 0, 0, true},
    {9, 20, 17, {7, 7}, {3, 3}, 1, 1, 1, F0T_U8, F0T_I8, 5, 1, false},
    {2, 130, 48, {9, 11}, {3, 3}, 2, 1, 1, F0T_I8, F0T_F32, 4, 0, false},
    {1, 32, 96, {12, 12}, {3, 3}, 1, 2, 2, F0T_U8, F0T_U8, 200, 30, true},
    {1, 16, 16, {17, 19}, {7, 5}, 3, 1, 3, F0T_I8, F0T_I8, -128, 127, false},
    {1, 65, 20, {8, 8}, {2, 2}, 2, 1, 0, F0T_U8, F0T_U8, 1, 0, false},
    {1,
     16,
     16,
     {3, 11},
     {1, 1},
     1,
     1,
     0,
     F0T_U8,
     F0T_U8,
     0,
     0,
     false}, /* two blocks from the copy */
    {1, 16, 16, {13, 10}, {1, 1}, 1, 1, 0, F0T_U8, F0T_U8, 2, 5, false},
    {1, 16, 16, {4, 9}, {1, 1}, 1, 1, 0, F0T_U8, F0T_U8, 0, -40, true}, /* limits below all bytes */
    {1, 16, 16, {4, 9}, {1, 1}, 1, 1, 0, F0T_U8, F0T_I8, 0, -160, true},
    {1, 16, 16, {4, 9}, {1, 1}, 1, 1, 0, F0T_U8, F0T_U8, 0, 290, true}, /* above them */
};
enum { SHAPES = sizeof shapes / sizeof *shapes };

static void need_tiles(void)
{
    if (!f0t_tiles_conv_native())
        test_skip("this CPU has no AMX tiles for int8, or F0T_MAX_CPU is set");
}

static size_t out_of(const shape *s, size_t d)
{
    return (s->in[d] + 2 * s->before - (s->kernel[d] - 1) * s->dilation - 1) / s->stride + 1;
}

typedef struct arrays {
    uint8_t *x; /* channels last */
    int8_t *w;  /* filters x channels x kernel */
    float *bias, *scales;
} arrays;

static const f0t_after limits = {F0T_ACTIVATION_CLIP, -20, 25};

static void fill(arrays *a, const shape *s)
{
    const f0t_random random = {.seed = 3};
    const size_t pixels = s->images * s->in[0] * s->in[1] * s->channels,
                 weights = s->filters * s->channels * s->kernel[0] * s->kernel[1];
    assert_ok(f0t_alloc(&a->x, pixels, 1));
    assert_ok(f0t_alloc(&a->w, weights, 1));
    assert_ok(f0t_alloc(&a->bias, s->filters, sizeof *a->bias));
    assert_ok(f0t_alloc(&a->scales, s->filters, sizeof *a->scales));
    for (size_t k = 0; k < pixels; k++)
        a->x[k] = (uint8_t)f0t_random_below(&random, k, 256);
    for (size_t k = 0; k < weights; k++)
        a->w[k] = (int8_t)((int)f0t_random_below(&random, k + 7919, 256) - 128);
    for (size_t k = 0; k < s->filters; k++) {
        a->bias[k] = (float)(1000 * k) - 4000;
        a->scales[k] = (1 + 0.1F * (float)k) * 1e-3F / sqrtf((float)(weights / s->filters));
    }
}

static void clear(arrays *a)
{
    f0t_free(a->x);
    f0t_free(a->w);
    f0t_free(a->bias);
    f0t_free(a->scales);
}

static f0t_layer_conv describe(const shape *s, const f0t_layer_rescale *rescale)
{
    f0t_layer_conv c = {.images = s->images,
                        .channels = s->channels,
                        .filters = s->filters,
                        .groups = 1,
                        .in = {s->in[0], s->in[1]},
                        .type = s->type,
                        .result = s->result,
                        .after = s->clip ? &limits : NULL,
                        .after_count = s->clip,
                        .rescale = rescale};
    c.window.rank = 2;
    for (size_t d = 0; d < 2; d++) {
        c.window.kernel[d] = s->kernel[d];
        c.window.stride[d] = s->stride;
        c.window.dilation[d] = s->dilation;
        c.window.before[d] = c.window.after[d] = s->before;
        c.window.out[d] = out_of(s, d);
    }
    return c;
}

/* ---- By the definition --------------------------------------------------------------------------- */

static int32_t pixel(const arrays *a, const shape *s, size_t n, size_t h, size_t v, size_t c)
{
    if (h < s->before || v < s->before || h - s->before >= s->in[0] || v - s->before >= s->in[1])
        return 0;
    const uint8_t x =
        a->x[((n * s->in[0] + h - s->before) * s->in[1] + v - s->before) * s->channels + c];
    return (s->type == F0T_I8 ? (int8_t)x : x) - s->source_zero;
}

static int32_t sum_of(const arrays *a, const shape *s, size_t n, size_t f, size_t h, size_t v)
{
    int32_t sum = 0;
    for (size_t c = 0; c < s->channels; c++)
        for (size_t i = 0; i < s->kernel[0]; i++)
            for (size_t j = 0; j < s->kernel[1]; j++)
                sum += pixel(a, s, n, h * s->stride + i * s->dilation,
                             v * s->stride + j * s->dilation, c) *
                       a->w[((f * s->channels + c) * s->kernel[0] + i) * s->kernel[1] + j];
    return sum;
}

static float expect(const arrays *a, const shape *s, size_t n, size_t f, size_t h, size_t v)
{
    float x = ((float)sum_of(a, s, n, f, h, v) + a->bias[f]) * a->scales[f];
    if (s->clip)
        x = fminf(fmaxf(x, limits.alpha), limits.beta);
    if (s->result == F0T_F32)
        return x;
    const float low = s->result == F0T_I8 ? -128 : 0;
    return nearbyintf(fminf(fmaxf(x + (float)s->result_zero, low), low + 255));
}

/* ---- By the layer -------------------------------------------------------------------------------- */

static void *run(const arrays *a, const shape *s)
{
    const f0t_layer_rescale rescale = {a->scales, s->source_zero, s->result_zero};
    const f0t_layer_conv conv = describe(s, &rescale);
    const size_t dims[] = {s->filters, s->channels, s->kernel[0], s->kernel[1]};
    f0t_layer *layer;
    f0t_layout *plain;
    int8_t *tiles;
    void *result, *scratch;
    assert_true(f0t_tiles_conv_suits(&conv));
    assert_ok(f0t_layer_create_conv(&layer, &conv, NULL));
    assert_ok(f0t_layout_create(&plain, 4, dims, F0T_I8));
    assert_ok(f0t_alloc_zero(&tiles, f0t_layout_bytes(f0t_layer_weights(layer)), 1));
    assert_ok(f0t_layout_convert(f0t_layer_weights(layer), tiles, plain, a->w));
    assert_ok(f0t_alloc(&result, f0t_layout_bytes(f0t_layer_result(layer)), 1));
    assert_ok(f0t_alloc(&scratch, f0t_layer_scratch(layer), 1));
    memset(scratch, 0x5A, f0t_layer_scratch(layer));
    const void *sources[] = {a->x}, *constants[] = {tiles, a->bias};
    for (int again = 0; again < 2; again++)
        assert_ok(f0t_layer_run(result, layer, sources, constants, scratch));
    f0t_free(scratch);
    f0t_free(tiles);
    f0t_layout_free(plain);
    f0t_layer_free(layer);
    return result;
}

static float at(const void *result, const shape *s, size_t k)
{
    return s->result == F0T_F32  ? ((const float *)result)[k]
           : s->result == F0T_I8 ? (float)((const int8_t *)result)[k]
                                 : (float)((const uint8_t *)result)[k];
}

static void check(const shape *s, size_t which)
{
    const size_t rows = out_of(s, 0), columns = out_of(s, 1);
    arrays a;
    fill(&a, s);
    void *result = run(&a, s);
    for (size_t n = 0, k = 0; n < s->images; n++)
        for (size_t h = 0; h < rows; h++)
            for (size_t v = 0; v < columns; v++)
                for (size_t f = 0; f < s->filters; f++, k++) {
                    const float want = expect(&a, s, n, f, h, v), got = at(result, s, k);
                    if (fabsf(got - want) > (s->result == F0T_F32 ? 1e-6F * fabsf(want) : 0))
                        fail_msg("shape %zu, picture %zu, filter %zu at %zu, %zu: %g, not %g",
                                 which, n, f, h, v, (double)got, (double)want);
                }
    f0t_free(result);
    clear(&a);
}

static void results_match_the_definition(void **state)
{
    (void)state;
    need_tiles();
    for (size_t k = 0; k < SHAPES; k++)
        check(&shapes[k], k);
}

static void threads_change_nothing(void **state)
{
    (void)state;
    need_tiles();
    for (size_t k = 0; k < SHAPES; k++) {
        const shape *s = &shapes[k];
        const size_t bytes =
            s->images * s->filters * out_of(s, 0) * out_of(s, 1) * f0t_dtype_size(s->result);
        arrays a;
        fill(&a, s);
        test_threads(1);
        void *one = run(&a, s);
        for (int threads = 2; threads <= 3; threads++) {
            test_threads(threads);
            void *more = run(&a, s);
            assert_memory_equal(one, more, bytes);
            f0t_free(more);
        }
        test_threads(0);
        f0t_free(one);
        clear(&a);
    }
}

/* What oneDNN does instead. */
static void others_are_not_for_tiles(void **state)
{
    static const float scales[64] = {1};
    const f0t_layer_rescale rescale = {scales, 0, 0};
    const f0t_after smooth = {F0T_ACTIVATION_SIGMOID, 0, 0}, slope = {F0T_ACTIVATION_RELU, 0.1F, 0};
    const f0t_layer_conv good = describe(&shapes[0], &rescale);
    (void)state;
    need_tiles();
    assert_true(f0t_tiles_conv_suits(&good));
    f0t_layer_conv c = good;
    c.rescale = NULL;
    assert_false(f0t_tiles_conv_suits(&c));
    c = good, c.groups = 2;
    assert_false(f0t_tiles_conv_suits(&c));
    c = good, c.channels = 3;
    assert_false(f0t_tiles_conv_suits(&c));
    c = good, c.filters = 15;
    assert_false(f0t_tiles_conv_suits(&c));
    c = good, c.window.rank = 3;
    assert_false(f0t_tiles_conv_suits(&c));
    c = good, c.window.out[0] = c.window.out[1] = 1;
    assert_false(f0t_tiles_conv_suits(&c));
    c = good, c.window.before[0] = 1000;
    assert_false(f0t_tiles_conv_suits(&c));
    c = good, c.after = &smooth, c.after_count = 1;
    assert_false(f0t_tiles_conv_suits(&c));
    c.after = &slope;
    assert_false(f0t_tiles_conv_suits(&c));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_match_the_definition),
        cmocka_unit_test(threads_change_nothing),
        cmocka_unit_test(others_are_not_for_tiles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
