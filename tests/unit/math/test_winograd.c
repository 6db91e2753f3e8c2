/* Winograd's convolutions against sums over the window in double. */
#include "support.h"

#include "base/cpu.h"
#include "math/winograd.h"

#include <math.h>

/* Channels of a block on this CPU. */
static size_t block;

typedef struct shape {
    size_t images, channels, filters, in[2], before;
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
        c.window.kernel[d] = 3;
        c.window.stride[d] = c.window.dilation[d] = 1;
        c.window.before[d] = c.window.after[d] = s->before;
        c.window.out[d] = s->in[d] + 2 * s->before - 2;
    }
    return c;
}

/* Element (image, channel, row, column) in blocks of channels. */
static size_t at(size_t channels, const size_t *space, size_t n, size_t c, size_t y, size_t x)
{
    return (((n * channels / block + c / block) * space[0] + y) * space[1] + x) * block + c % block;
}

static double sum_at(const f0t_layer_conv *c, const float *x, const float *filter, size_t n,
                     size_t row, size_t column)
{
    double sum = 0;
    for (size_t k = 0; k < c->channels * 9; k++) {
        const size_t y = row + k % 9 / 3 - c->window.before[0],
                     z = column + k % 3 - c->window.before[1];
        if (y < c->in[0] && z < c->in[1])
            sum += (double)x[at(c->channels, c->in, n, k / 9, y, z)] * (double)filter[k];
    }
    return sum;
}

/* Plain, or the sum with what was there, in limits. */
static void compare(const f0t_layer_conv *c, const float *y, const float *before, const float *x,
                    const float *filters, const float *bias)
{
    const size_t *out = c->window.out, pixels = out[0] * out[1];
    for (size_t i = 0; i < c->images * c->filters * pixels; i++) {
        const size_t n = i / (c->filters * pixels), f = i / pixels % c->filters;
        const size_t row = i % pixels / out[1], column = i % out[1];
        const size_t place = at(c->filters, out, n, f, row, column);
        double want = sum_at(c, x, filters + f * c->channels * 9, n, row, column) +
                      (double)bias[f] + (c->after_count ? (double)before[place] : 0);
        want = c->after_count ? fmin(fmax(want, 0), 6) : want;
        if (!(fabs((double)y[place] - want) <= 1e-5 * (double)c->channels))
            fail_msg("%zu x %zu, filter %zu, pixel %zu, %zu: %.9g, not %.9g", c->channels,
                     c->filters, f, row, column, (double)y[place], want);
    }
}

static float *some(size_t count, uint64_t seed)
{
    float *numbers = NULL;
    assert_ok(f0t_alloc(&numbers, count, sizeof *numbers));
    test_random_floats(numbers, count, seed);
    return numbers;
}

static void check(const shape *s, int threads, bool plain)
{
    const f0t_after after[] = {{F0T_ACTIVATION_SUM, 1, 0}, {F0T_ACTIVATION_CLIP, 0, 6}};
    const f0t_layer_conv c = conv_of(s, after, plain ? 0 : 2);
    const size_t results = s->images * s->filters * c.window.out[0] * c.window.out[1];
    float *x = some(s->images * s->channels * s->in[0] * s->in[1], 1), *y = some(results, 2);
    float *before = some(results, 2), *filters = some(s->filters * s->channels * 9, 3);
    float *bias = some(s->filters, 4), *made = some(s->filters * s->channels * 36, 5);
    f0t_winograd *winograd;
    assert_ok(f0t_winograd_create(&winograd, &c, threads));
    float *scratch = some(f0t_winograd_scratch(winograd) / sizeof *scratch, 6);
    f0t_winograd_filters(made, filters, s->filters, s->channels);
    f0t_winograd_run(y, winograd, x, made, bias, scratch);
    compare(&c, y, before, x, filters, bias);
    f0t_winograd_free(winograd);
    void *all[] = {x, y, before, filters, bias, made, scratch};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        f0t_free(all[k]);
}

/* Parts of tiles at the borders, several images, more tiles than are done at a time, more channels than a panel is deep,
 * with and without padding, more threads than tiles. */
static void convolutions_match_sums_over_the_window(void **state)
{
    static const shape shapes[] = {{1, 16, 16, {4, 4}, 1},   {2, 16, 32, {14, 15}, 1},
                                   {1, 784, 16, {9, 7}, 1},  {1, 16, 16, {18, 17}, 0},
                                   {1, 48, 48, {3, 33}, 1},  {3, 16, 16, {29, 30}, 2},
                                   {4, 64, 64, {23, 27}, 1}, {1, 8, 16, {9, 10}, 1}};
    (void)state;
    if (f0t_cpu_level() < F0T_CPU_WIDE)
        test_skip("this CPU has no AVX2, or F0T_MAX_CPU is set");
    for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++)
        for (int threads = 1; threads <= 3 && shapes[k].channels % block == 0; threads += 2)
            check(&shapes[k], threads, k % 3 == 1);
}

static bool suits(const shape *s)
{
    const f0t_layer_conv c = conv_of(s, NULL, 0);
    return f0t_winograd_suits(&c);
}

static void only_what_pays_is_done_so(void **state)
{
    static const shape usual = {1, 64, 64, {56, 56}, 1}, wide = {1, 512, 512, {28, 28}, 1},
                       small = {1, 64, 64, {7, 7}, 1}, odd = {1, 60, 64, {56, 56}, 1},
                       middle = {1, 256, 256, {14, 14}, 1}, several = {4, 512, 512, {7, 7}, 1};
    const bool widest = f0t_cpu_level() == F0T_CPU_WIDEST;
    (void)state;
    if (f0t_cpu_level() < F0T_CPU_WIDE)
        test_skip("this CPU has no AVX2, or F0T_MAX_CPU is set");
    assert_true(suits(&usual));
    assert_false(suits(&wide));
    assert_false(suits(&small));
    assert_false(suits(&odd));
    assert_int_equal(suits(&middle), !widest); /* oneDNN's are as fast with AVX-512 */
    assert_int_equal(suits(&several), widest);
}

/* A sum and limits, in this order. */
static void what_follows_is_done_where_it_can_be(void **state)
{
    static const f0t_after swish = {F0T_ACTIVATION_SWISH, 1, 0},
                           turned[] = {{F0T_ACTIVATION_RELU, 0, 0}, {F0T_ACTIVATION_SUM, 1, 0}};
    const shape s = {1, 64, 64, {56, 56}, 1};
    f0t_layer_conv c = conv_of(&s, turned, 1);
    (void)state;
    if (f0t_cpu_level() < F0T_CPU_WIDE)
        test_skip("this CPU has no AVX2, or F0T_MAX_CPU is set");
    assert_true(f0t_winograd_suits(&c));
    c.after_count = 2;
    assert_false(f0t_winograd_suits(&c));
    c.after = &turned[1], c.after_count = 1;
    assert_true(f0t_winograd_suits(&c));
    c.after = &swish;
    assert_false(f0t_winograd_suits(&c));
    c.after_count = 0, c.window.stride[1] = 2;
    assert_false(f0t_winograd_suits(&c));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(convolutions_match_sums_over_the_window),
        cmocka_unit_test(only_what_pays_is_done_so),
        cmocka_unit_test(what_follows_is_done_where_it_can_be),
    };
    block = f0t_winograd_block();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
