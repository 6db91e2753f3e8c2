#include "math/points.h"

#include "base/alloc.h"
#include "base/cpu.h"
#include "base/team.h"
#include "math/finish.h"

/* Pixels and vectors of filters of which the sums are in registers. */
enum { LANES = 16, PIXELS = 7, VECTORS = F0T_POINTS_PANEL / LANES };

/* Pixels that meet a panel of filters before the next one: these come out of the second cache. */
enum { CHUNK = 8 * PIXELS };

struct f0t_points {
    size_t images, space, channels, filters; /* space: pixels of an image */
    size_t chunks, parts; /* that threads take: of the pixels of an image, and of the panels */
    bool gated, sum;
    f0t_finish finish;
    int threads;
};

/* ---- Which ------------------------------------------------------------------------------------- */

bool f0t_points_suits(const f0t_layer_conv *c)
{
    f0t_finish finish;
    bool sum;
#if defined(__x86_64__)
    const bool wide = f0t_cpu_level() == F0T_CPU_WIDEST;
#else
    const bool wide = false;
#endif
    return wide && c->type == F0T_F32 && c->result == F0T_F32 && !c->rescale && c->groups == 1 &&
           f0t_layer_conv_is_point(c) &&
           f0t_finish_read_sum(&sum, &finish, c->after, c->after_count) &&
           (c->gated || finish.kind != F0T_FINISH_LIMITS);
}

/* Parts of the panels are for threads that would have no pixels. */
static void divide(f0t_points *p)
{
    const size_t panels = (p->filters + F0T_POINTS_PANEL - 1) / F0T_POINTS_PANEL,
                 wanted = p->threads > 1 ? 2 * (size_t)p->threads : 1;
    p->chunks = (p->space + CHUNK - 1) / CHUNK;
    p->parts = (wanted + p->chunks * p->images - 1) / (p->chunks * p->images);
    p->parts = p->parts < panels ? p->parts : panels;
}

f0t_status f0t_points_create(f0t_points **out, const f0t_layer_conv *c, int threads)
{
    F0T_TRY(f0t_alloc_zero(out, 1, sizeof **out));
    f0t_points *p = *out;
    p->images = c->images;
    p->space = c->in[0] * c->in[1];
    p->channels = c->channels;
    p->filters = c->filters;
    p->gated = c->gated;
    p->threads = threads;
    f0t_finish_read_sum(&p->sum, &p->finish, c->after, c->after_count);
    divide(p);
    return F0T_OK;
}

void f0t_points_free(f0t_points *points)
{
    f0t_free(points);
}

size_t f0t_points_scratch(const f0t_points *p)
{
    return p->gated ? (size_t)p->threads * CHUNK * p->channels * sizeof(float) : 0;
}

/* ---- Running ----------------------------------------------------------------------------------- */

#if defined(__x86_64__)

/* A panel of filters for some pixels. */
typedef struct panel {
    const f0t_points *p;
    const float *filters, *bias;
    __mmask16 last; /* of its last vector */
} panel;

/* `pixels`, `vectors` and `kind` are constants where these are called. */
F0T_AVX512 static F0T_INLINE void put(float *result, __m512 sums[PIXELS][VECTORS], const panel *b,
                                      const size_t pixels, const size_t vectors,
                                      const f0t_finish_kind kind)
{
    const f0t_points *p = b->p;
#pragma GCC unroll 7
    for (size_t i = 0; i < pixels; i++)
#pragma GCC unroll 3
        for (size_t v = 0; v < vectors; v++) {
            float *at = result + i * p->filters + v * LANES;
            const __m512 y = f0t_finish_one(sums[i][v], &p->finish, kind);
            if (v + 1 < vectors)
                _mm512_storeu_ps(at, y);
            else
                _mm512_mask_storeu_ps(at, b->last, y);
        }
}

F0T_AVX512 static F0T_INLINE void add(__m512 sums[PIXELS][VECTORS], const float *result,
                                      const panel *b, const size_t pixels, const size_t vectors)
{
#pragma GCC unroll 7
    for (size_t i = 0; i < pixels; i++)
#pragma GCC unroll 3
        for (size_t v = 0; v < vectors; v++) {
            const float *at = result + i * b->p->filters + v * LANES;
            const __m512 y =
                v + 1 < vectors ? _mm512_loadu_ps(at) : _mm512_maskz_loadu_ps(b->last, at);
            sums[i][v] = _mm512_add_ps(sums[i][v], y);
        }
}

F0T_AVX512 static F0T_INLINE void run_tile(float *result, const panel *b, const float *source,
                                           const size_t pixels, const size_t vectors)
{
    const f0t_points *p = b->p;
    __m512 sums[PIXELS][VECTORS];
#pragma GCC unroll 7
    for (size_t i = 0; i < pixels; i++)
#pragma GCC unroll 3
        for (size_t v = 0; v < vectors; v++)
            sums[i][v] =
                _mm512_maskz_loadu_ps(v + 1 < vectors ? 0xFFFF : b->last, b->bias + v * LANES);
    for (size_t k = 0; k < p->channels; k++) {
        __m512 w[VECTORS];
#pragma GCC unroll 3
        for (size_t v = 0; v < vectors; v++)
            w[v] = _mm512_loadu_ps(b->filters + k * F0T_POINTS_PANEL + v * LANES);
#pragma GCC unroll 7
        for (size_t i = 0; i < pixels; i++) {
            const __m512 x = _mm512_set1_ps(source[i * p->channels + k]);
#pragma GCC unroll 3
            for (size_t v = 0; v < vectors; v++)
                sums[i][v] = _mm512_fmadd_ps(x, w[v], sums[i][v]);
        }
    }
    if (p->sum)
        add(sums, result, b, pixels, vectors);
    if (p->finish.kind == F0T_FINISH_SWISH)
        put(result, sums, b, pixels, vectors, F0T_FINISH_SWISH);
    else if (p->finish.kind == F0T_FINISH_SIGMOID)
        put(result, sums, b, pixels, vectors, F0T_FINISH_SIGMOID);
    else
        put(result, sums, b, pixels, vectors, F0T_FINISH_LIMITS);
}

F0T_AVX512 static F0T_INLINE void run_pixels(float *result, const panel *b, const float *source,
                                             size_t pixels, const size_t vectors)
{
    const f0t_points *p = b->p;
    size_t i = 0;
    for (; i + PIXELS <= pixels; i += PIXELS)
        run_tile(result + i * p->filters, b, source + i * p->channels, PIXELS, vectors);
    for (; i < pixels; i++)
        run_tile(result + i * p->filters, b, source + i * p->channels, 1, vectors);
}

F0T_AVX512 static void run_panel(float *result, const panel *b, const float *source, size_t pixels,
                                 size_t vectors)
{
    if (vectors == 3)
        run_pixels(result, b, source, pixels, 3);
    else if (vectors == 2)
        run_pixels(result, b, source, pixels, 2);
    else
        run_pixels(result, b, source, pixels, 1);
}

/* What the convolution sees of some pixels: each channel times its gate. */
F0T_AVX512 static const float *open_gates(float *gated, const f0t_points *p, const float *source,
                                          const float *gates, size_t pixels)
{
    const size_t rest = p->channels % LANES, whole = p->channels - rest;
    const __mmask16 mask = f0t_lanes_first(rest);
    for (size_t i = 0; i < pixels; i++, source += p->channels) {
        float *to = gated + i * p->channels;
        for (size_t k = 0; k < whole; k += LANES)
            _mm512_storeu_ps(
                to + k, _mm512_mul_ps(_mm512_loadu_ps(source + k), _mm512_loadu_ps(gates + k)));
        if (rest)
            _mm512_mask_storeu_ps(to + whole, mask,
                                  _mm512_mul_ps(_mm512_maskz_loadu_ps(mask, source + whole),
                                                _mm512_maskz_loadu_ps(mask, gates + whole)));
    }
    return gated;
}

/* Some pixels of an image and part of the panels. */
static void run_part(float *result, const f0t_points *p, const f0t_points_arrays *in, size_t task,
                     float *scratch)
{
    const size_t panels = (p->filters + F0T_POINTS_PANEL - 1) / F0T_POINTS_PANEL,
                 part = task % p->parts, chunk = task / p->parts % p->chunks,
                 image = task / p->parts / p->chunks;
    const size_t from = p->space * chunk / p->chunks,
                 pixels = p->space * (chunk + 1) / p->chunks - from,
                 first = image * p->space + from;
    const float *source = in->source + first * p->channels;
    if (p->gated)
        source = open_gates(scratch, p, source, in->gates + image * p->channels, pixels);
    for (size_t k = panels * part / p->parts; k < panels * (part + 1) / p->parts; k++) {
        const size_t at = k * F0T_POINTS_PANEL, left = p->filters - at,
                     vectors = left < F0T_POINTS_PANEL ? (left + LANES - 1) / LANES : VECTORS,
                     lanes = left < F0T_POINTS_PANEL ? left - (vectors - 1) * LANES : LANES;
        const panel b = {p, in->filters + at * p->channels, in->bias + at, f0t_lanes_first(lanes)};
        run_panel(result + first * p->filters + at, &b, source, pixels, vectors);
    }
}

void f0t_points_run(float *result, const f0t_points *p, const f0t_points_arrays *in, float *scratch)
{
    const int team = f0t_team_size(), threads = team < p->threads ? team : p->threads;
    const size_t all = p->images * p->chunks * p->parts;
    (void)threads;
#pragma omp parallel for num_threads(threads) schedule(static)
    for (size_t t = 0; t < all; t++)
        run_part(result, p, in, t,
                 p->gated ? scratch + (size_t)f0t_team_member() * CHUNK * p->channels : NULL);
}

#else

void f0t_points_run(float *result, const f0t_points *p, const f0t_points_arrays *in, float *scratch)
{
    (void)result, (void)p, (void)in, (void)scratch;
}

#endif
