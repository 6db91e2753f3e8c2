/* Convolutions of 1 x 1 with what they do before and after, against sums in double. */
#include "support.h"

#include "base/cpu.h"
#include "math/points.h"

#include <math.h>
#include <string.h>

typedef struct shape {
    size_t images, channels, filters, in[2];
} shape;

static f0t_layer_conv conv_of(const shape *s, const f0t_after *after, size_t count, bool gated)
{
    f0t_layer_conv c = {.images = s->images,
                        .channels = s->channels,
                        .filters = s->filters,
                        .groups = 1,
                        .window = {.rank = 2},
                        .type = F0T_F32,
                        .result = F0T_F32,
                        .after = after,
                        .after_count = count,
                        .gated = gated};
    for (size_t d = 0; d < 2; d++) {
        c.in[d] = c.window.out[d] = s->in[d];
        c.window.kernel[d] = c.window.stride[d] = c.window.dilation[d] = 1;
    }
    return c;
}

typedef struct arrays {
    float *x, *y, *before, *gates, *filters, *bias, *made, *scratch;
} arrays;

static double activated(double x, const f0t_after *after)
{
    switch (after->kind) {
    case F0T_ACTIVATION_SWISH:
        return x / (1 + exp(-(double)after->alpha * x));
    case F0T_ACTIVATION_SIGMOID:
        return 1 / (1 + exp(-x));
    case F0T_ACTIVATION_CLIP:
        return fmin(fmax(x, (double)after->alpha), (double)after->beta);
    default:
        return fmax(x, 0);
    }
}

static void compare(const shape *s, const f0t_layer_conv *c, const arrays *a)
{
    const size_t each = s->in[0] * s->in[1];
    for (size_t i = 0; i < s->images * each * s->filters; i++) {
        const size_t f = i % s->filters, pixel = i / s->filters, image = pixel / each;
        double want = (double)a->bias[f];
        for (size_t k = 0; k < s->channels; k++)
            want += (double)a->x[pixel * s->channels + k] *
                    (c->gated ? (double)a->gates[image * s->channels + k] : 1) *
                    (double)a->filters[f * s->channels + k];
        for (size_t k = 0; k < c->after_count; k++)
            want = c->after[k].kind == F0T_ACTIVATION_SUM ? want + (double)a->before[i]
                                                          : activated(want, &c->after[k]);
        if (!(fabs((double)a->y[i] - want) <= 2e-6 * sqrt((double)s->channels) + 1e-6 * fabs(want)))
            fail_msg("%zu channels, filter %zu, pixel %zu: %.9g, not %.9g", s->channels, f, pixel,
                     (double)a->y[i], want);
    }
}

static float *some(size_t count, uint64_t seed)
{
    float *numbers = NULL;
    assert_ok(f0t_alloc(&numbers, count, sizeof *numbers));
    test_random_floats(numbers, count, seed);
    return numbers;
}

static void clear(arrays *a)
{
    float *all[] = {a->x, a->y, a->before, a->gates, a->filters, a->bias, a->made, a->scratch};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        f0t_free(all[k]);
}

/* As layers are made by a network: the filters come in the order of the file. */
static void check(const shape *s, const f0t_after *after, size_t count, bool gated)
{
    const f0t_layer_conv c = conv_of(s, after, count, gated);
    const size_t dims[] = {s->filters, s->channels, 1, 1}, pixels = s->images * s->in[0] * s->in[1];
    arrays a = {some(pixels * s->channels, 1),
                some(pixels * s->filters, 2),
                some(pixels * s->filters, 3),
                some(s->images * s->channels, 4),
                some(s->filters * s->channels, 5),
                some(s->filters, 6),
                NULL,
                NULL};
    f0t_layer *layer;
    f0t_layout *plain;
    assert_true(f0t_points_suits(&c));
    assert_ok(f0t_layer_create_conv(&layer, &c, NULL));
    assert_ok(f0t_layout_create(&plain, 4, dims, F0T_F32));
    a.made = some(f0t_layout_bytes(f0t_layer_weights(layer)) / sizeof(float), 7);
    a.scratch = some(f0t_layer_scratch(layer) / sizeof(float) + 1, 8);
    assert_ok(f0t_layout_convert(f0t_layer_weights(layer), a.made, plain, a.filters));
    memcpy(a.y, a.before, pixels * s->filters * sizeof *a.y);
    assert_ok(f0t_layer_run(a.y, layer, (const void *const[]){a.x, a.gates},
                            (const void *const[]){a.made, a.bias}, a.scratch));
    compare(s, &c, &a);
    f0t_layer_free(layer);
    f0t_layout_free(plain);
    clear(&a);
}

/* Panels that are whole and parts of each width; pixels that fill tiles, do not, and are fewer; several chunks. */
static void convolutions_match_sums(void **state)
{
    static const shape shapes[] = {
        {1, 16, 96, {7, 7}},   {2, 5, 24, {3, 5}},    {1, 33, 40, {15, 16}}, {3, 8, 1, {1, 1}},
        {1, 40, 64, {28, 28}}, {2, 17, 50, {2, 3}},   {1, 7, 16, {9, 40}},   {2, 100, 112, {4, 4}},
        {1, 1, 48, {1, 9}},    {1, 320, 145, {7, 7}},
    };
    const f0t_after swish = {F0T_ACTIVATION_SWISH, 1, 0}, sigmoid = {F0T_ACTIVATION_SIGMOID, 0, 0},
                    quick[] = {{F0T_ACTIVATION_SUM, 1, 0}, {F0T_ACTIVATION_SWISH, 1.702F, 0}},
                    relu[] = {{F0T_ACTIVATION_SUM, 1, 0}, {F0T_ACTIVATION_RELU, 0, 0}},
                    clip = {F0T_ACTIVATION_CLIP, -1, 2};
    (void)state;
    if (f0t_cpu_level() != F0T_CPU_WIDEST)
        test_skip("this CPU has no AVX-512, or F0T_MAX_CPU is set");
    for (int threads = 1; threads <= 3; threads += 2) {
        test_threads(threads);
        for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++) {
            check(&shapes[k], &swish, 1, false);
            check(&shapes[k], k % 2 ? &sigmoid : quick, k % 2 ? 1 : 2, k % 3 == 0);
            check(&shapes[k], k % 2 ? relu : &clip, k % 2 ? 2 : 1, true);
            check(&shapes[k], NULL, 0, true);
        }
    }
    test_threads(0);
}

/* Far from 0 nothing overflows, and what is no number stays so. */
static void activations_keep_their_ends(void **state)
{
    static const float ends[] = {-INFINITY, -1000, -88, -30, 0, 30, 1000, INFINITY, NAN};
    enum { ENDS = sizeof ends / sizeof *ends };
    const shape s = {1, 1, 16, {1, ENDS}};
    const f0t_after swish = {F0T_ACTIVATION_SWISH, 1, 0}, sigmoid = {F0T_ACTIVATION_SIGMOID, 0, 0};
    float filters[F0T_POINTS_PANEL], bias[16] = {0}, y[2][ENDS][16];
    (void)state;
    if (f0t_cpu_level() != F0T_CPU_WIDEST)
        test_skip("this CPU has no AVX-512, or F0T_MAX_CPU is set");
    for (size_t k = 0; k < F0T_POINTS_PANEL; k++)
        filters[k] = 1;
    for (size_t k = 0; k < 2; k++) {
        const f0t_layer_conv c = conv_of(&s, k ? &sigmoid : &swish, 1, false);
        const f0t_points_arrays in = {ends, NULL, filters, bias};
        f0t_points *points;
        assert_ok(f0t_points_create(&points, &c, 1));
        f0t_points_run(&y[k][0][0], points, &in, NULL);
        f0t_points_free(points);
    }
    for (size_t k = 1; k < ENDS - 1; k++) {
        const double sigma = 1 / (1 + exp(-(double)ends[k]));
        assert_true(fabs((double)y[1][k][3] - sigma) <= 1e-7);
        if (k < ENDS - 2)
            assert_true(fabs((double)y[0][k][3] - (double)ends[k] * sigma) <=
                        1e-7 * fmax(1, fabs((double)ends[k])));
    }
    assert_true(y[0][ENDS - 2][0] == INFINITY && fabsf(y[1][0][0]) <= 1e-37F);
    assert_true(isnan(y[0][ENDS - 1][0]) && isnan(y[1][ENDS - 1][0]));
}

static void others_are_left_to_onednn(void **state)
{
    const shape s = {1, 16, 16, {7, 7}};
    const f0t_after swish[] = {{F0T_ACTIVATION_SWISH, 1, 0}, {F0T_ACTIVATION_SUM, 1, 0}},
                    relu = {F0T_ACTIVATION_RELU, 0, 0}, tanh = {F0T_ACTIVATION_TANH, 0, 0};
    f0t_layer_conv c = conv_of(&s, swish, 1, false);
    (void)state;
    assert_int_equal(f0t_points_suits(&c), f0t_cpu_level() == F0T_CPU_WIDEST);
    c.after_count = 2;
    assert_false(f0t_points_suits(&c));
    c = conv_of(&s, &relu, 1, false);
    assert_false(f0t_points_suits(&c));
    assert_false(f0t_layer_conv_takes_gates(&c));
    c = conv_of(&s, &tanh, 1, true);
    assert_false(f0t_layer_conv_takes_gates(&c));
    c = conv_of(&s, swish, 1, false);
    c.window.stride[1] = 2;
    assert_false(f0t_points_suits(&c));
    c = conv_of(&s, swish, 1, false);
    c.type = F0T_BF16;
    assert_false(f0t_points_suits(&c));
    c = conv_of(&s, swish, 1, false);
    c.groups = 2;
    assert_false(f0t_points_suits(&c));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(convolutions_match_sums),
        cmocka_unit_test(activations_keep_their_ends),
        cmocka_unit_test(others_are_left_to_onednn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
