#include "math/depthwise.h"

#include "base/alloc.h"
#include "base/cpu.h"
#include "base/team.h"
#include "math/finish.h"

/* Pixels of a row that are made at a time: as many sums, which hide each other's latency. */
enum { LANES = 16, PIXELS = 7, KERNEL_MOST = 5 };

struct f0t_depthwise {
    size_t images, channels, kernel, stride;
    size_t in[2], out[2], before[2];
    f0t_finish finish;
    int threads;
};

/* ---- Which ------------------------------------------------------------------------------------- */

static bool is_usual(const f0t_layer_window *w)
{
    for (size_t d = 0; d < 2 && w->rank == 2; d++)
        if ((w->kernel[d] != 3 && w->kernel[d] != 5) || w->kernel[d] != w->kernel[0] ||
            w->stride[d] != w->stride[0] || w->stride[d] > 2 || w->dilation[d] != 1 ||
            w->before[d] >= w->kernel[d])
            return false;
    return w->rank == 2;
}

bool f0t_depthwise_suits(const f0t_layer_conv *c)
{
    f0t_finish finish;
#if defined(__x86_64__)
    const bool wide = f0t_cpu_level() == F0T_CPU_WIDEST;
#else
    const bool wide = false;
#endif
    return wide && c->type == F0T_F32 && c->result == F0T_F32 && !c->rescale &&
           c->groups == c->channels && c->channels == c->filters && c->channels % LANES == 0 &&
           is_usual(&c->window) && f0t_finish_read(&finish, c->after, c->after_count);
}

f0t_status f0t_depthwise_create(f0t_depthwise **out, const f0t_layer_conv *c, int threads)
{
    F0T_TRY(f0t_alloc_zero(out, 1, sizeof **out));
    f0t_depthwise *g = *out;
    g->images = c->images;
    g->channels = c->channels;
    g->kernel = c->window.kernel[0];
    g->stride = c->window.stride[0];
    g->threads = threads;
    for (size_t d = 0; d < 2; d++) {
        g->in[d] = c->in[d];
        g->out[d] = c->window.out[d];
        g->before[d] = c->window.before[d];
    }
    f0t_finish_read(&g->finish, c->after, c->after_count);
    return F0T_OK;
}

void f0t_depthwise_free(f0t_depthwise *depthwise)
{
    f0t_free(depthwise);
}

/* ---- Running ----------------------------------------------------------------------------------- */

#if defined(__x86_64__)

/* What is the same for all strips of pixels. */
typedef struct shape {
    size_t pixels, kernel, stride;
    bool inside; /* no window of the strip crosses the left or right border */
    f0t_finish_kind finish;
} shape;

/* Some pixels of a row of the result. */
typedef struct strip {
    const f0t_depthwise *g;
    const float *image, *filters; /* of sixteen channels */
    size_t row, column;
} strip;

/* A row of the source: each of its pixels goes into the sums of the windows that it is in. */
F0T_AVX512 static F0T_INLINE void add_row(__m512 *sums, const strip *s, const float *row,
                                          const float *filters, const shape h)
{
    const f0t_depthwise *g = s->g;
    const size_t span = (h.pixels - 1) * h.stride + h.kernel;
    const size_t first = s->column * h.stride - g->before[1]; /* what is below 0 is large */
    __m512 w[KERNEL_MOST];
#pragma GCC unroll 5
    for (size_t k = 0; k < h.kernel; k++)
        w[k] = _mm512_loadu_ps(filters + k * g->channels);
#pragma GCC unroll 32
    for (size_t i = 0; i < span; i++) {
        if (!h.inside && first + i >= g->in[1])
            continue;
        const __m512 x = _mm512_loadu_ps(row + (first + i) * g->channels);
#pragma GCC unroll 5
        for (size_t k = 0; k < h.kernel; k++)
            if (i >= k && (i - k) % h.stride == 0 && (i - k) / h.stride < h.pixels)
                sums[(i - k) / h.stride] = _mm512_fmadd_ps(x, w[k], sums[(i - k) / h.stride]);
    }
}

F0T_AVX512 static F0T_INLINE void run_strip(float *result, const strip *s, __m512 bias,
                                            const shape h)
{
    const f0t_depthwise *g = s->g;
    __m512 sums[PIXELS];
#pragma GCC unroll 7
    for (size_t p = 0; p < h.pixels; p++)
        sums[p] = bias;
    for (size_t k = 0; k < h.kernel; k++) {
        const size_t y = s->row * h.stride + k - g->before[0];
        if (y < g->in[0])
            add_row(sums, s, s->image + y * g->in[1] * g->channels,
                    s->filters + k * h.kernel * g->channels, h);
    }
#pragma GCC unroll 7
    for (size_t p = 0; p < h.pixels; p++)
        _mm512_storeu_ps(result + p * g->channels, f0t_finish_one(sums[p], &g->finish, h.finish));
}

/* All channels of some pixels, one sixteen after the other: memory is read in its order. */
F0T_AVX512 static F0T_INLINE void run_channels(float *result, const strip *from, const float *bias,
                                               const shape h)
{
    strip s = *from;
    for (size_t c = 0; c < s.g->channels; c += LANES) {
        run_strip(result + c, &s, _mm512_loadu_ps(bias + c), h);
        s.image += LANES;
        s.filters += LANES;
    }
}

/* The last strip of a row begins so early that it is whole, or there are single pixels. */
F0T_AVX512 static F0T_INLINE void run_row(float *result, strip *s, const float *bias,
                                          const size_t kernel, const size_t stride,
                                          const f0t_finish_kind finish)
{
    const f0t_depthwise *g = s->g;
    const size_t width = g->out[1], channels = g->channels;
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

F0T_AVX512 static F0T_INLINE void run_kind(float *result, strip *s, const float *bias,
                                           const f0t_finish_kind finish)
{
    const f0t_depthwise *g = s->g;
    if (g->kernel == 3 && g->stride == 1)
        run_row(result, s, bias, 3, 1, finish);
    else if (g->kernel == 3)
        run_row(result, s, bias, 3, 2, finish);
    else if (g->stride == 1)
        run_row(result, s, bias, 5, 1, finish);
    else
        run_row(result, s, bias, 5, 2, finish);
}

F0T_AVX512 static void run_any(float *result, strip *s, const float *bias)
{
    if (s->g->finish.kind == F0T_FINISH_SWISH)
        run_kind(result, s, bias, F0T_FINISH_SWISH);
    else
        run_kind(result, s, bias, F0T_FINISH_LIMITS);
}

void f0t_depthwise_run(float *result, const f0t_depthwise *g, const float *source,
                       const float *filters, const float *bias)
{
    const int team = f0t_team_size(), threads = team < g->threads ? team : g->threads;
    const size_t rows = g->out[0], all = g->images * rows;
    (void)threads;
#pragma omp parallel for num_threads(threads) schedule(static)
    for (size_t t = 0; t < all; t++) {
        strip s = {.g = g,
                   .image = source + t / rows * g->in[0] * g->in[1] * g->channels,
                   .filters = filters,
                   .row = t % rows};
        run_any(result + t * g->out[1] * g->channels, &s, bias);
    }
}

#else

void f0t_depthwise_run(float *result, const f0t_depthwise *g, const float *source,
                       const float *filters, const float *bias)
{
    (void)result, (void)g, (void)source, (void)filters, (void)bias;
}

#endif
