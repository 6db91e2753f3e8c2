#include "math/depthwise.h"

#include "base/kernels.h"
#include "math/finish.h"
#include "math/floats.h"

/* Pixels of a row that are made at a time: as many sums, which hide each other's latency. */
enum { LANES = F0T_FLOATS, PIXELS = 7, KERNEL_MOST = 5 };

/* What is the same for all strips of pixels. */
typedef struct shape {
    size_t pixels, kernel, stride;
    bool inside; /* no window of the strip crosses the left or right border */
    f0t_finish_kind finish;
} shape;

/* Some pixels of a row of the result. */
typedef struct strip {
    const f0t_depthwise_form *g;
    const float *image, *filters; /* of a vector's channels */
    size_t row, column;
} strip;

/* Numbers between two pixels: without AVX-512, channels lie in blocks of a vector. */
static F0T_INLINE size_t pixel(const f0t_depthwise_form *g)
{
#if defined(__AVX512F__)
    return g->channels;
#else
    (void)g;
    return LANES;
#endif
}

static F0T_INLINE f0t_floats finished(f0t_floats x, const f0t_finish *f, const f0t_finish_kind kind)
{
#if defined(__AVX512F__)
    return f0t_finish_one(x, f, kind);
#else
    if (kind == F0T_FINISH_LIMITS)
        return f0t_floats_smaller(f0t_floats_all(f->high),
                                  f0t_floats_larger(f0t_floats_all(f->low), x));
    return f0t_floats_swish(x, f->slope);
#endif
}

/* A row of the source: each of its pixels goes into the sums of the windows that it is in. */
static F0T_INLINE void add_row(f0t_floats *sums, const strip *s, const float *row,
                               const float *filters, const shape h)
{
    const f0t_depthwise_form *g = s->g;
    const size_t span = (h.pixels - 1) * h.stride + h.kernel;
    const size_t first = s->column * h.stride - g->before[1]; /* what is below 0 is large */
    f0t_floats w[KERNEL_MOST];
#pragma GCC unroll 5
    for (size_t k = 0; k < h.kernel; k++)
        w[k] = f0t_floats_read(filters + k * pixel(g));
#pragma GCC unroll 32
    for (size_t i = 0; i < span; i++) {
        if (!h.inside && first + i >= g->in[1])
            continue;
        const f0t_floats x = f0t_floats_read(row + (first + i) * pixel(g));
#pragma GCC unroll 5
        for (size_t k = 0; k < h.kernel; k++)
            if (i >= k && (i - k) % h.stride == 0 && (i - k) / h.stride < h.pixels)
                sums[(i - k) / h.stride] =
                    f0t_floats_add_product(sums[(i - k) / h.stride], x, w[k]);
    }
}

static F0T_INLINE void run_strip(float *result, const strip *s, f0t_floats bias, const shape h)
{
    const f0t_depthwise_form *g = s->g;
    f0t_floats sums[PIXELS];
#pragma GCC unroll 7
    for (size_t p = 0; p < h.pixels; p++)
        sums[p] = bias;
    for (size_t k = 0; k < h.kernel; k++) {
        const size_t y = s->row * h.stride + k - g->before[0];
        if (y < g->in[0])
            add_row(sums, s, s->image + y * g->in[1] * pixel(g),
                    s->filters + k * h.kernel * pixel(g), h);
    }
#pragma GCC unroll 7
    for (size_t p = 0; p < h.pixels; p++)
        f0t_floats_write(result + p * pixel(g), finished(sums[p], &g->finish, h.finish));
}

/* All channels of some pixels, one vector after the other: memory is read in its order. */
static F0T_INLINE void run_channels(float *result, const strip *from, const float *bias,
                                    const shape h)
{
    strip s = *from;
    for (size_t c = 0; c < pixel(s.g); c += LANES) {
        run_strip(result + c, &s, f0t_floats_read(bias + c), h);
        s.image += LANES;
        s.filters += LANES;
    }
}

/* The last strip of a row begins so early that it is whole, or there are single pixels. */
static F0T_INLINE void run_row(float *result, strip *s, const float *bias, const size_t kernel,
                               const size_t stride, const f0t_finish_kind finish)
{
    const f0t_depthwise_form *g = s->g;
    const size_t width = g->out[1], channels = pixel(g);
    const shape inside = {PIXELS, kernel, stride, true, finish},
                border = {PIXELS, kernel, stride, false, finish},
                single = {1, kernel, stride, false, finish};
    for (size_t x = 0; width >= PIXELS && x < width; x += PIXELS) {
        s->column = x + PIXELS <= width ? x : width - PIXELS;
        if (s->column * stride >= g->before[1] &&
            (s->column + PIXELS - 1) * stride + kernel <= g->in[1] + g->before[1])
            run_channels(result + s->column * channels, s, bias, inside);
        else
            run_channels(result + s->column * channels, s, bias, border);
    }
    for (s->column = 0; width < PIXELS && s->column < width; s->column++)
        run_channels(result + s->column * channels, s, bias, single);
}

static F0T_INLINE void run_kind(float *result, strip *s, const float *bias,
                                const f0t_finish_kind finish)
{
    const f0t_depthwise_form *g = s->g;
    if (g->kernel == 3 && g->stride == 1)
        run_row(result, s, bias, 3, 1, finish);
    else if (g->kernel == 3)
        run_row(result, s, bias, 3, 2, finish);
    else if (g->stride == 1)
        run_row(result, s, bias, 5, 1, finish);
    else
        run_row(result, s, bias, 5, 2, finish);
}

void F0T_KERNEL(depthwise_row)(float *result, const f0t_depthwise_form *g, const float *image,
                               const float *filters, const float *bias, size_t row)
{
    strip s = {.g = g, .image = image, .filters = filters, .row = row};
    if (g->finish.kind == F0T_FINISH_SWISH)
        run_kind(result, &s, bias, F0T_FINISH_SWISH);
    else
        run_kind(result, &s, bias, F0T_FINISH_LIMITS);
}
