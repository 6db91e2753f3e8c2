#include "math/grouped.h"

#include "base/alloc.h"
#include "base/cpu.h"
#include "base/team.h"
#include "math/finish.h"

enum { LANES = 16, TAPS = 9, GROUP_MOST = 8 };

/* Where a register holds eight channels: oneDNN has kernels for groups of as many, not for groups of four. */
enum { BLOCK = 8, BLOCK_GROUP = 4 };

struct f0t_grouped {
    bool blocks; /* arrays have blocks of BLOCK channels; else channels are last */
    size_t images, channels, group; /* group: channels of one */
    size_t in[2], out[2], before[2], stride;
    size_t band;       /* rows of the result that are made at a time */
    f0t_finish limits; /* of the result */
    int threads;
};

/* ---- Which ------------------------------------------------------------------------------------- */

/* Limits alone may follow. */
static bool read_limits(f0t_finish *limits, const f0t_layer_conv *c)
{
    return f0t_finish_read(limits, c->after, c->after_count) && limits->kind == F0T_FINISH_LIMITS;
}

static bool is_usual(const f0t_layer_window *w)
{
    for (size_t d = 0; d < 2 && w->rank == 2; d++)
        if (w->kernel[d] != 3 || w->stride[d] != w->stride[0] || w->stride[d] > 2 ||
            w->dilation[d] != 1 || w->before[d] > 2)
            return false;
    return w->rank == 2;
}

static bool suits_level(const f0t_layer_conv *c)
{
#if defined(__x86_64__)
    const f0t_cpu level = f0t_cpu_level();
    const size_t group = c->channels / c->groups;
    if (level == F0T_CPU_WIDE)
        return group == BLOCK_GROUP && c->channels % BLOCK == 0;
    return level == F0T_CPU_WIDEST && (group == 4 || group == 8) && c->channels % LANES == 0;
#else
    (void)c;
    return false;
#endif
}

bool f0t_grouped_suits(const f0t_layer_conv *c)
{
    f0t_finish limits;
    return c->type == F0T_F32 && c->result == F0T_F32 && !c->rescale && c->groups > 1 &&
           c->channels == c->filters && c->channels % c->groups == 0 && suits_level(c) &&
           is_usual(&c->window) && read_limits(&limits, c);
}

bool f0t_grouped_blocks(const f0t_grouped *grouped)
{
    return grouped->blocks;
}

/* Sixteen channels of a whole image are far apart in memory: all channels of a band of rows, which the second cache holds, come
 * before the next band. */
enum { BAND_BYTES = 1 << 18 };

static size_t choose_band(const f0t_grouped *g)
{
    const size_t row = g->in[1] * g->channels * sizeof(float), rows = BAND_BYTES / (row + 1),
                 band = rows > 2 ? (rows - 2) / g->stride : 0;
    const size_t tasks = g->threads > 1 ? 2 * (size_t)g->threads : 1;
    const size_t most = (g->images * g->out[0] + tasks - 1) / tasks;
    const size_t least = band < most ? band : most;
    return least > 1 ? least : 1;
}

f0t_status f0t_grouped_create(f0t_grouped **out, const f0t_layer_conv *c, int threads)
{
    F0T_TRY(f0t_alloc_zero(out, 1, sizeof **out));
    f0t_grouped *g = *out;
    g->blocks = f0t_cpu_level() == F0T_CPU_WIDE;
    g->images = c->images;
    g->channels = c->channels;
    g->group = c->channels / c->groups;
    g->stride = c->window.stride[0];
    g->threads = threads;
    for (size_t d = 0; d < 2; d++) {
        g->in[d] = c->in[d];
        g->out[d] = c->window.out[d];
        g->before[d] = c->window.before[d];
    }
    read_limits(&g->limits, c);
    g->band = choose_band(g);
    return F0T_OK;
}

void f0t_grouped_free(f0t_grouped *grouped)
{
    f0t_free(grouped);
}

/* ---- Running ----------------------------------------------------------------------------------- */

#if defined(__x86_64__)

#include <immintrin.h>

/* Pixels of a row that are made at a time: as many sums, which hide each other's latency. */
enum { PIXELS = 7 };

/* Sixteen channels of some pixels of a row. */
typedef struct strip {
    const f0t_grouped *g;
    const float *image; /* of the source, from these channels on */
    const float *filters;
    size_t row, column; /* of the result */
    size_t first, last; /* rows of the band */
} strip;

/* In each group, channel j in the place of all. */
F0T_AVX512 static F0T_INLINE __m512 spread(__m512 x, const size_t j, const size_t group)
{
    if (group == 8)
        return _mm512_permutexvar_ps(
            _mm512_add_epi32(_mm512_set_epi32(8, 8, 8, 8, 8, 8, 8, 8, 0, 0, 0, 0, 0, 0, 0, 0),
                             _mm512_set1_epi32((int)j)),
            x);
    switch (j) {
    case 0:
        return _mm512_permute_ps(x, 0x00);
    case 1:
        return _mm512_permute_ps(x, 0x55);
    case 2:
        return _mm512_permute_ps(x, 0xAA);
    default:
        return _mm512_permute_ps(x, 0xFF);
    }
}

/* Pixels of a row of the source that a strip needs, at most. */
enum { SPAN = (PIXELS - 1) * 2 + 3 };

F0T_AVX512 static F0T_INLINE void read_row(__m512 *x, const strip *s, const float *row,
                                           const size_t span, const size_t stride)
{
    const f0t_grouped *g = s->g;
    const size_t first = s->column * stride - g->before[1]; /* what is below 0 is large */
#pragma GCC unroll 16
    for (size_t i = 0; i < span; i++)
        x[i] = first + i < g->in[1] ? _mm512_loadu_ps(row + (first + i) * g->channels)
                                    : _mm512_setzero_ps();
}

/* A row of the source; sums that do not wait for each other follow one another. Sizes are constants where this is
 * called. */
F0T_AVX512 static F0T_INLINE void add_row(__m512 *sums, const strip *s, const float *row,
                                          const float *filters, const size_t pixels,
                                          const size_t stride, const size_t group)
{
    const size_t span = (pixels - 1) * stride + 3;
    __m512 x[SPAN], one[SPAN];
    read_row(x, s, row, span, stride);
#pragma GCC unroll 8
    for (size_t j = 0; j < group; j++) {
#pragma GCC unroll 16
        for (size_t i = 0; i < span; i++)
            one[i] = spread(x[i], j, group);
#pragma GCC unroll 3
        for (size_t k = 0; k < 3; k++) {
            const __m512 filter = _mm512_loadu_ps(filters + (k * group + j) * LANES);
#pragma GCC unroll 8
            for (size_t p = 0; p < pixels; p++)
                sums[p] = _mm512_fmadd_ps(one[p * stride + k], filter, sums[p]);
        }
    }
}

F0T_AVX512 static F0T_INLINE void run_strip(float *result, const strip *s, __m512 bias,
                                            const size_t pixels, const size_t stride,
                                            const size_t group)
{
    const f0t_grouped *g = s->g;
    __m512 sums[PIXELS];
#pragma GCC unroll 8
    for (size_t p = 0; p < pixels; p++)
        sums[p] = bias;
    for (size_t k = 0; k < 3; k++) {
        const size_t y = s->row * stride + k - g->before[0];
        if (y < g->in[0])
            add_row(sums, s, s->image + y * g->in[1] * g->channels,
                    s->filters + k * 3 * group * LANES, pixels, stride, group);
    }
    const __m512 low = _mm512_set1_ps(g->limits.low), high = _mm512_set1_ps(g->limits.high);
#pragma GCC unroll 8
    for (size_t p = 0; p < pixels; p++) /* the second operand, where one is no number */
        _mm512_storeu_ps(result + p * g->channels,
                         _mm512_min_ps(high, _mm512_max_ps(low, sums[p])));
}

/* The last strip of a row begins so early that it is whole, or there are single pixels. */
F0T_AVX512 static F0T_INLINE void run_row(float *result, strip *s, __m512 bias, const size_t stride,
                                          const size_t group)
{
    const size_t width = s->g->out[1], channels = s->g->channels;
    for (size_t x = 0; width >= PIXELS && x < width; x += PIXELS) {
        s->column = x + PIXELS <= width ? x : width - PIXELS;
        run_strip(result + s->column * channels, s, bias, PIXELS, stride, group);
    }
    for (s->column = 0; width < PIXELS && s->column < width; s->column++)
        run_strip(result + s->column * channels, s, bias, 1, stride, group);
}

F0T_AVX512 static F0T_INLINE void run_rows(float *result, strip *s, __m512 bias,
                                           const size_t stride, const size_t group)
{
    for (s->row = s->first; s->row < s->last; s->row++)
        run_row(result + s->row * s->g->out[1] * s->g->channels, s, bias, stride, group);
}

/* Sixteen channels of a band of rows; their filters come into the first cache. */
F0T_AVX512 static void run_block(float *result, const f0t_grouped *g, const float *source,
                                 const float *filters, const float *bias, size_t first)
{
    float near[TAPS * GROUP_MOST * LANES];
    const size_t left = g->out[0] - first, rows = left < g->band ? left : g->band;
    strip s = {.g = g, .image = source, .filters = near, .first = first, .last = first + rows};
    for (size_t k = 0; k < TAPS * g->group; k++)
        _mm512_storeu_ps(near + k * LANES, _mm512_loadu_ps(filters + k * g->channels));
    const __m512 start = _mm512_loadu_ps(bias);
    if (g->group == 4 && g->stride == 1)
        run_rows(result, &s, start, 1, 4);
    else if (g->group == 4)
        run_rows(result, &s, start, 2, 4);
    else if (g->stride == 1)
        run_rows(result, &s, start, 1, 8);
    else
        run_rows(result, &s, start, 2, 8);
}

static void run_last(float *result, const f0t_grouped *g, const float *source, const float *filters,
                     const float *bias, int threads)
{
    const size_t bands = (g->out[0] + g->band - 1) / g->band, all = g->images * bands;
    (void)threads;
#pragma omp parallel for num_threads(threads) schedule(dynamic)
    for (size_t t = 0; t < all; t++) {
        float *to = result + t / bands * g->out[0] * g->out[1] * g->channels;
        const float *from = source + t / bands * g->in[0] * g->in[1] * g->channels;
        for (size_t c = 0; c < g->channels; c += LANES)
            run_block(to + c, g, from + c, filters + c, bias + c, t % bands * g->band);
    }
}

/* ---- Blocks of eight channels, two groups of four ---------------------------------------------- */

#define AVX2 __attribute__((target("avx2,fma")))

/* Sizes that are constants where these are called. */
typedef struct shape {
    size_t pixels, stride;
    bool inside; /* all columns that are read are those of the image */
} shape;

/* In each group of four, channel j in the place of all. */
AVX2 static F0T_INLINE __m256 spread_four(const float *pixel, const size_t j)
{
    const __m256 x = _mm256_loadu_ps(pixel);
    return j == 0   ? _mm256_permute_ps(x, 0x00)
           : j == 1 ? _mm256_permute_ps(x, 0x55)
           : j == 2 ? _mm256_permute_ps(x, 0xAA)
                    : _mm256_permute_ps(x, 0xFF);
}

/* A row of the source, pixel after pixel: three filters stay in registers beside the sums. */
AVX2 static F0T_INLINE void add_blocks_row(__m256 *sums, const strip *s, const float *row,
                                           const float *filters, const shape h)
{
    const size_t span = (h.pixels - 1) * h.stride + 3;
    const size_t first = s->column * h.stride - s->g->before[1]; /* what is below 0 is large */
#pragma GCC unroll 4
    for (size_t j = 0; j < BLOCK_GROUP; j++) {
        __m256 w[3];
#pragma GCC unroll 3
        for (size_t k = 0; k < 3; k++)
            w[k] = _mm256_loadu_ps(filters + (k * BLOCK_GROUP + j) * BLOCK);
#pragma GCC unroll 16
        for (size_t i = 0; i < span; i++) {
            if (!h.inside && first + i >= s->g->in[1])
                continue;
            const __m256 one = spread_four(row + (first + i) * BLOCK, j);
#pragma GCC unroll 3
            for (size_t k = 0; k < 3; k++)
                if (i >= k && (i - k) % h.stride == 0 && (i - k) / h.stride < h.pixels)
                    sums[(i - k) / h.stride] = _mm256_fmadd_ps(one, w[k], sums[(i - k) / h.stride]);
        }
    }
}

AVX2 static F0T_INLINE void run_blocks_strip(float *result, const strip *s, __m256 bias,
                                             const shape h)
{
    const f0t_grouped *g = s->g;
    const __m256 low = _mm256_set1_ps(g->limits.low), high = _mm256_set1_ps(g->limits.high);
    __m256 sums[PIXELS];
#pragma GCC unroll 8
    for (size_t p = 0; p < h.pixels; p++)
        sums[p] = bias;
    for (size_t k = 0; k < 3; k++) {
        const size_t y = s->row * h.stride + k - g->before[0];
        if (y < g->in[0])
            add_blocks_row(sums, s, s->image + y * g->in[1] * BLOCK,
                           s->filters + k * 3 * BLOCK_GROUP * BLOCK, h);
    }
#pragma GCC unroll 8
    for (size_t p = 0; p < h.pixels; p++) /* the second operand, where one is no number */
        _mm256_storeu_ps(result + p * BLOCK, _mm256_min_ps(high, _mm256_max_ps(low, sums[p])));
}

/* The last strip of a row begins so early that it is whole, or there are single pixels. */
AVX2 static F0T_INLINE void run_blocks_row(float *result, strip *s, __m256 bias,
                                           const size_t stride)
{
    const f0t_grouped *g = s->g;
    const size_t width = g->out[1];
    for (size_t x = 0; width >= PIXELS && x < width; x += PIXELS) {
        s->column = x + PIXELS <= width ? x : width - PIXELS;
        if (s->column * stride >= g->before[1] &&
            (s->column + PIXELS - 1) * stride + 3 <= g->in[1] + g->before[1])
            run_blocks_strip(result + s->column * BLOCK, s, bias, (shape){PIXELS, stride, true});
        else
            run_blocks_strip(result + s->column * BLOCK, s, bias, (shape){PIXELS, stride, false});
    }
    for (s->column = 0; width < PIXELS && s->column < width; s->column++)
        run_blocks_strip(result + s->column * BLOCK, s, bias, (shape){1, stride, false});
}

/* Eight channels of an image; their filters come into the first cache. */
AVX2 static void run_plane(float *result, const f0t_grouped *g, const float *source,
                           const float *filters, const float *bias)
{
    float near[TAPS * BLOCK_GROUP * BLOCK];
    strip s = {.g = g, .image = source, .filters = near};
    for (size_t k = 0; k < TAPS * BLOCK_GROUP; k++)
        _mm256_storeu_ps(near + k * BLOCK, _mm256_loadu_ps(filters + k * g->channels));
    const __m256 start = _mm256_loadu_ps(bias);
    for (; s.row < g->out[0]; s.row++, result += g->out[1] * BLOCK) {
        if (g->stride == 1)
            run_blocks_row(result, &s, start, 1);
        else
            run_blocks_row(result, &s, start, 2);
    }
}

static void run_blocks(float *result, const f0t_grouped *g, const float *source,
                       const float *filters, const float *bias, int threads)
{
    const size_t planes = g->channels / BLOCK, all = g->images * planes;
    (void)threads;
#pragma omp parallel for num_threads(threads) schedule(static)
    for (size_t t = 0; t < all; t++)
        run_plane(result + t * g->out[0] * g->out[1] * BLOCK, g,
                  source + t * g->in[0] * g->in[1] * BLOCK, filters + t % planes * BLOCK,
                  bias + t % planes * BLOCK);
}

void f0t_grouped_run(float *result, const f0t_grouped *g, const float *source, const float *filters,
                     const float *bias)
{
    const int team = f0t_team_size(), threads = team < g->threads ? team : g->threads;
    if (g->blocks)
        run_blocks(result, g, source, filters, bias, threads);
    else
        run_last(result, g, source, filters, bias, threads);
}

#else

void f0t_grouped_run(float *result, const f0t_grouped *g, const float *source, const float *filters,
                     const float *bias)
{
    (void)result, (void)g, (void)source, (void)filters, (void)bias;
}

#endif
