/* Layers against loops that follow the definitions. */
#include "support.h"

#include "math/layers.h"
#include "math/matmul.h"
#include "math/panels.h"

#include <math.h>
#include <string.h>

enum { N = 2, C = 6, H = 7, W = 5, F = 4, K = 3 };
enum { OUT_H = (H + 2 - K) / 2 + 1, OUT_W = (W + 2 - K) / 2 + 1 };

static const f0t_layer_window window = {.rank = 2,
                                        .kernel = {K, K},
                                        .stride = {2, 2},
                                        .dilation = {1, 1},
                                        .before = {1, 1},
                                        .after = {1, 1},
                                        .out = {OUT_H, OUT_W}};

/* Runs a layer on a plain input and gives a plain result. */
static void run_plain(f0t_layer *layer, float *result, const size_t *result_dims, const float *x,
                      const size_t *x_dims, const void *const *constants)
{
    f0t_layout *from, *to;
    void *blocked_x, *blocked_y, *scratch;
    assert_ok(f0t_layout_create(&from, 4, x_dims, F0T_F32));
    assert_ok(f0t_layout_create(&to, 4, result_dims, F0T_F32));
    assert_ok(f0t_alloc(&blocked_x, f0t_layout_bytes(f0t_layer_source(layer)), 1));
    assert_ok(f0t_alloc(&blocked_y, f0t_layout_bytes(f0t_layer_result(layer)), 1));
    assert_ok(f0t_alloc(&scratch, f0t_layer_scratch(layer), 1));
    assert_ok(f0t_layout_convert(f0t_layer_source(layer), blocked_x, from, x));
    assert_ok(f0t_layout_convert(f0t_layer_result(layer), blocked_y, to, result)); /* for sums */
    const void *sources[] = {blocked_x};
    assert_ok(f0t_layer_run(blocked_y, layer, sources, constants, scratch));
    assert_ok(f0t_layout_convert(to, result, f0t_layer_result(layer), blocked_y));
    f0t_free(blocked_x);
    f0t_free(blocked_y);
    f0t_free(scratch);
    f0t_layout_free(from);
    f0t_layout_free(to);
}

/* One element of the convolution, with `groups` groups. */
static float convolve(const float *x, const float *w, const float *bias, size_t groups, size_t n,
                      size_t f, size_t oh, size_t ow)
{
    size_t inner = C / groups, first = f / (F / groups) * inner;
    double sum = (double)bias[f];
    for (size_t c = 0; c < inner; c++)
        for (size_t a = 0; a < K; a++)
            for (size_t b = 0; b < K; b++) {
                size_t h = oh * 2 + a, v = ow * 2 + b;
                if (h < 1 || h > H || v < 1 || v > W)
                    continue;
                sum += (double)x[((n * C + first + c) * H + h - 1) * W + v - 1] *
                       (double)w[((f * inner + c) * K + a) * K + b];
            }
    return (float)sum;
}

static void check_conv(size_t groups, f0t_dtype type, double tolerance)
{
    float x[N * C * H * W], w[F * C * K * K], bias[F], y[N * F * OUT_H * OUT_W],
        old[N * F * OUT_H * OUT_W];
    const f0t_after after[] = {{F0T_ACTIVATION_SUM, 1, 0}, {F0T_ACTIVATION_RELU, 0, 0}};
    const f0t_layer_conv conv = {.images = N,
                                 .channels = C,
                                 .filters = F,
                                 .groups = groups,
                                 .in = {H, W},
                                 .window = window,
                                 .type = type,
                                 .result = type,
                                 .after = after,
                                 .after_count = 2};
    const size_t x_dims[] = {N, C, H, W}, y_dims[] = {N, F, OUT_H, OUT_W};
    const size_t grouped[] = {groups, F / groups, C / groups, K, K};
    f0t_layer *layer;
    f0t_layout *plain;
    void *packed;
    test_random_floats(x, N * C * H * W, 1);
    test_random_floats(w, F * C * K * K, 2);
    test_random_floats(bias, F, 3);
    test_random_floats(y, N * F * OUT_H * OUT_W, 4);
    memcpy(old, y, sizeof old);
    assert_ok(f0t_layer_create_conv(&layer, &conv, NULL));
    assert_ok(
        f0t_layout_create(&plain, groups > 1 ? 5 : 4, groups > 1 ? grouped : grouped + 1, F0T_F32));
    assert_ok(f0t_alloc_zero(&packed, f0t_layout_bytes(f0t_layer_weights(layer)), 1));
    assert_ok(f0t_layout_convert(f0t_layer_weights(layer), packed, plain, w));
    const void *constants[] = {packed, bias};
    run_plain(layer, y, y_dims, x, x_dims, constants);
    for (size_t k = 0; k < N * F * OUT_H * OUT_W; k++) {
        size_t n = k / (F * OUT_H * OUT_W), f = k / (OUT_H * OUT_W) % F;
        float want = convolve(x, w, bias, groups, n, f, k / OUT_W % OUT_H, k % OUT_W) + old[k];
        want = want < 0 ? 0 : want;
        assert_true(fabs((double)y[k] - (double)want) <= tolerance * (1 + fabs((double)want)));
    }
    f0t_free(packed);
    f0t_layout_free(plain);
    f0t_layer_free(layer);
}

static void a_convolution_adds_and_clips(void **state)
{
    (void)state;
    check_conv(1, F0T_F32, 1e-5);
}

static void a_convolution_may_be_in_groups(void **state)
{
    (void)state;
    check_conv(2, F0T_F32, 1e-5);
}

static void a_convolution_may_be_bfloat16(void **state)
{
    (void)state;
    if (!f0t_matmul_has_bf16())
        test_skip("no AVX512_BF16 here");
    check_conv(1, F0T_BF16, 5e-2);
}

/* ---- Large filters ------------------------------------------------------------------------------ */

/* Filters of 3 x 3 over squares of `side`. */
typedef struct square {
    size_t images, channels, filters, side;
} square;

static size_t plain_bytes(const square *s)
{
    return s->filters * s->channels * K * K * sizeof(float);
}

static f0t_layer *square_layer(const square *s)
{
    const size_t side = s->side;
    const f0t_layer_conv conv = {.images = s->images,
                                 .channels = s->channels,
                                 .filters = s->filters,
                                 .groups = 1,
                                 .in = {side, side},
                                 .window = {.rank = 2,
                                            .kernel = {K, K},
                                            .stride = {1, 1},
                                            .dilation = {1, 1},
                                            .before = {1, 1},
                                            .after = {1, 1},
                                            .out = {side, side}},
                                 .type = F0T_F32,
                                 .result = F0T_F32};
    f0t_layer *layer;
    assert_ok(f0t_layer_create_conv(&layer, &conv, NULL));
    return layer;
}

/* VGG-19's would otherwise take four times the room of the file's. */
static void filters_of_much_work_are_not_kept_transformed(void **state)
{
    static const square large[] = {{1, 128, 256, 56},
                                   {1, 256, 256, 56},
                                   {1, 256, 512, 28},
                                   {1, 512, 512, 28},
                                   {4, 512, 512, 14}};
    (void)state;
    /* Winograd's kernels of our own keep the first two, which take less than 16 MB. */
    for (size_t k = f0t_panels_native() ? 2 : 0; k < sizeof large / sizeof *large; k++) {
        f0t_layer *layer = square_layer(&large[k]);
        assert_int_equal(f0t_layout_bytes(f0t_layer_weights(layer)), plain_bytes(&large[k]));
        f0t_layer_free(layer);
    }
}

static double convolve_square(const square *s, const float *x, const float *w, const float *bias,
                              size_t f, size_t row, size_t column)
{
    double sum = (double)bias[f];
    for (size_t c = 0; c < s->channels; c++)
        for (size_t a = 0; a < K; a++)
            for (size_t b = 0; b < K; b++) {
                const size_t h = row + a, v = column + b;
                if (h < 1 || h > s->side || v < 1 || v > s->side)
                    continue;
                sum += (double)x[(c * s->side + h - 1) * s->side + v - 1] *
                       (double)w[((f * s->channels + c) * K + a) * K + b];
            }
    return sum;
}

static void filters_transformed_in_each_run_give_the_same(void **state)
{
    static const square s = {1, 256, 512, 28};
    const size_t pixels = s.side * s.side, in = s.channels * pixels, out = s.filters * pixels;
    const size_t x_dims[] = {1, s.channels, s.side, s.side},
                 y_dims[] = {1, s.filters, s.side, s.side},
                 w_dims[] = {s.filters, s.channels, K, K};
    f0t_layer *layer = square_layer(&s);
    f0t_layout *plain;
    float *x, *w, *bias, *y;
    void *packed;
    (void)state;
    assert_ok(f0t_alloc(&x, in, sizeof *x));
    assert_ok(f0t_alloc(&w, plain_bytes(&s), 1));
    assert_ok(f0t_alloc(&bias, s.filters, sizeof *bias));
    assert_ok(f0t_alloc_zero(&y, out, sizeof *y));
    assert_ok(f0t_alloc_zero(&packed, f0t_layout_bytes(f0t_layer_weights(layer)), 1));
    test_random_floats(x, in, 1);
    test_random_floats(w, plain_bytes(&s) / sizeof *w, 2);
    test_random_floats(bias, s.filters, 3);
    assert_ok(f0t_layout_create(&plain, 4, w_dims, F0T_F32));
    assert_ok(f0t_layout_convert(f0t_layer_weights(layer), packed, plain, w));
    const void *constants[] = {packed, bias};
    run_plain(layer, y, y_dims, x, x_dims, constants);
    for (size_t k = 0; k < out; k += 1009) {
        const double want =
            convolve_square(&s, x, w, bias, k / pixels, k % pixels / s.side, k % s.side);
        assert_true(fabs((double)y[k] - want) <= 1e-3 * (1 + fabs(want)));
    }
    f0t_free(x);
    f0t_free(w);
    f0t_free(bias);
    f0t_free(y);
    f0t_free(packed);
    f0t_layout_free(plain);
    f0t_layer_free(layer);
}

static float pool(const float *x, f0t_layer_pool_kind kind, size_t oh, size_t ow)
{
    float top = -INFINITY, sum = 0;
    size_t seen = 0;
    for (size_t a = 0; a < K; a++)
        for (size_t b = 0; b < K; b++) {
            size_t h = oh * 2 + a, v = ow * 2 + b;
            if (h < 1 || h > H || v < 1 || v > W)
                continue;
            float value = x[(h - 1) * W + v - 1];
            top = value > top ? value : top;
            sum += value;
            seen++;
        }
    return kind == F0T_LAYER_POOL_MAX       ? top
           : kind == F0T_LAYER_POOL_AVERAGE ? sum / (float)seen
                                            : sum / (K * K);
}

static void pooling_is_what_it_says(void **state)
{
    float x[N * C * H * W], y[N * C * OUT_H * OUT_W] = {0};
    const size_t x_dims[] = {N, C, H, W}, y_dims[] = {N, C, OUT_H, OUT_W};
    (void)state;
    test_random_floats(x, N * C * H * W, 5);
    for (int kind = F0T_LAYER_POOL_MAX; kind <= F0T_LAYER_POOL_AVERAGE_PADDING; kind++) {
        f0t_layer *layer;
        f0t_layout *plain;
        assert_ok(f0t_layout_create(&plain, 4, x_dims, F0T_F32));
        assert_ok(f0t_layer_create_pool(&layer, (f0t_layer_pool_kind)kind, &window, plain));
        run_plain(layer, y, y_dims, x, x_dims, NULL);
        for (size_t k = 0; k < N * C * OUT_H * OUT_W; k++) {
            float want = pool(x + k / (OUT_H * OUT_W) * H * W, (f0t_layer_pool_kind)kind,
                              k / OUT_W % OUT_H, k % OUT_W);
            assert_true(fabsf(y[k] - want) < 1e-5F);
        }
        f0t_layer_free(layer);
        f0t_layout_free(plain);
    }
}

static void activations_are_what_they_say(void **state)
{
    enum { COUNT = 64 };
    static const f0t_after afters[] = {
        {F0T_ACTIVATION_RELU, 0.1F, 0},   {F0T_ACTIVATION_CLIP, -0.5F, 0.25F},
        {F0T_ACTIVATION_SIGMOID, 0, 0},   {F0T_ACTIVATION_SWISH, 1.702F, 0},
        {F0T_ACTIVATION_HARDSWISH, 0, 0}, {F0T_ACTIVATION_GELU, 0, 0},
        {F0T_ACTIVATION_LINEAR, 2, 1}};
    float x[COUNT], y[COUNT];
    const size_t dims[] = {1, 4, 4, 4};
    (void)state;
    test_random_floats(x, COUNT, 6);
    for (size_t k = 0; k < COUNT; k++)
        x[k] *= 4;
    for (size_t a = 0; a < sizeof afters / sizeof *afters; a++) {
        f0t_layer *layer;
        f0t_layout *plain;
        assert_ok(f0t_layout_create(&plain, 4, dims, F0T_F32));
        assert_ok(f0t_layer_create_activation(&layer, &afters[a], plain));
        memset(y, 0, sizeof y);
        run_plain(layer, y, dims, x, dims, NULL);
        for (size_t k = 0; k < COUNT; k++) {
            float v = x[k], gate = v / 6 + 0.5F;
            const float want[] = {v < 0 ? 0.1F * v : v,
                                  v < -0.5F   ? -0.5F
                                  : v > 0.25F ? 0.25F
                                              : v,
                                  1 / (1 + expf(-v)),
                                  v / (1 + expf(-1.702F * v)),
                                  v * (gate < 0   ? 0
                                       : gate > 1 ? 1
                                                  : gate),
                                  0.5F * v * (1 + erff(v / sqrtf(2))),
                                  2 * v + 1};
            assert_true(fabsf(y[k] - want[a]) < 2e-5F);
        }
        f0t_layer_free(layer);
        f0t_layout_free(plain);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_convolution_adds_and_clips),
        cmocka_unit_test(a_convolution_may_be_in_groups),
        cmocka_unit_test(a_convolution_may_be_bfloat16),
        cmocka_unit_test(filters_of_much_work_are_not_kept_transformed),
        cmocka_unit_test(filters_transformed_in_each_run_give_the_same),
        cmocka_unit_test(pooling_is_what_it_says),
        cmocka_unit_test(activations_are_what_they_say),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
