#include "math/points_eight.h"

#include "base/alloc.h"
#include "base/team.h"
#include "math/finish_eight.h"

#include <string.h>

/* Filters of a vector of sums, channels that one instruction multiplies, and what filters and channels are filled up to. */
enum { LANES = 16, GROUP = 4, BLOCK = 16 };

/* Vectors of filters of which the sums of some pixels are in registers. */
enum { VECTORS = 4 };

/* Pixels that meet all filters before the next ones; and so few per thread that threads share the filters instead. */
enum { CHUNK = 96, FEW = 16 };

struct f0t_points_eight {
    size_t pixels, channels, filters, depth; /* pixels: of all images; depth: channels, filled up */
    size_t panels;        /* of up to VECTORS vectors of filters, as even as they can be */
    size_t chunks, parts; /* that threads take: of the pixels, and of the panels */
    int32_t source_zero;
    f0t_finish_eight finish;
    int32_t *shift; /* of each filter, filled up: -source_zero times the sum of its weights */
    float *scales, *offset;
    bool prepared; /* shift and offset are known */
    int threads;
};

/* ---- Which ------------------------------------------------------------------------------------- */

bool f0t_points_eight_suits(const f0t_layer_conv *c)
{
    f0t_finish_eight finish;
    return f0t_finish_eight_native() && c->rescale && c->type == F0T_U8 && c->groups == 1 &&
           !c->gated && c->channels && c->channels % GROUP == 0 && c->filters &&
           f0t_layer_conv_is_point(c) && f0t_finish_eight_read(&finish, c, c->channels);
}

static size_t divide_up(size_t n, size_t by)
{
    return (n + by - 1) / by;
}

static void divide(f0t_points_eight *p)
{
    const size_t threads = (size_t)p->threads;
    p->panels = divide_up(divide_up(p->filters, LANES), VECTORS);
    p->parts = p->pixels / threads < FEW ? threads : 1;
    p->parts = p->parts < p->panels ? p->parts : p->panels;
    p->chunks = divide_up(p->pixels, CHUNK);
    if (p->parts == 1)
        p->chunks = divide_up(p->chunks, threads) * threads;
    p->chunks = p->chunks < p->pixels ? p->chunks : p->pixels;
}

f0t_status f0t_points_eight_create(f0t_points_eight **out, const f0t_layer_conv *c, int threads)
{
    F0T_TRY(f0t_alloc_zero(out, 1, sizeof **out));
    f0t_points_eight *p = *out;
    p->pixels = c->images * c->in[0] * c->in[1];
    p->channels = c->channels;
    p->filters = c->filters;
    p->depth = divide_up(c->channels, BLOCK) * BLOCK;
    p->source_zero = c->rescale->source_zero;
    p->threads = threads;
    f0t_finish_eight_read(&p->finish, c, c->channels);
    divide(p);
    const size_t padded = divide_up(c->filters, LANES) * LANES;
    F0T_TRY(f0t_alloc_zero(&p->shift, padded, sizeof *p->shift));
    F0T_TRY(f0t_alloc_zero(&p->offset, padded, sizeof *p->offset));
    F0T_TRY(f0t_alloc_zero(&p->scales, padded, sizeof *p->scales));
    memcpy(p->scales, c->rescale->scales, c->filters * sizeof *p->scales);
    return F0T_OK;
}

void f0t_points_eight_free(f0t_points_eight *points)
{
    if (!points)
        return;
    f0t_free(points->shift);
    f0t_free(points->offset);
    f0t_free(points->scales);
    f0t_free(points);
}

/* ---- Running ----------------------------------------------------------------------------------- */

#if defined(__x86_64__)

/* A panel of filters. */
typedef struct panel {
    const f0t_points_eight *p;
    const int8_t *filters;
    const int32_t *shift;
    const float *scales, *offset;
    __mmask64 mask; /* filters that there are */
} panel;

/* In the order of vectors: they come with four bytes of each in turn. */
F0T_VNNI static F0T_INLINE __m512i sort(__m512i packed)
{
    const __m512i order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
    return _mm512_permutexvar_epi32(order, packed);
}

/* Bytes of four vectors: of one pixel, of two that have two, or of four that have one. */
F0T_VNNI static F0T_INLINE void store(uint8_t *at, size_t next, __m512i bytes, __mmask64 mask,
                                      const size_t pixels, const size_t vectors)
{
    if (vectors > 2) {
        _mm512_mask_storeu_epi8(at, mask, bytes);
    } else if (vectors == 2) {
        _mm256_mask_storeu_epi8(at, (__mmask32)mask, _mm512_castsi512_si256(bytes));
        if (pixels > 1)
            _mm256_mask_storeu_epi8(at + next, (__mmask32)mask,
                                    _mm512_extracti64x4_epi64(bytes, 1));
    } else {
        _mm_mask_storeu_epi8(at, (__mmask16)mask, _mm512_castsi512_si128(bytes));
        if (pixels > 1)
            _mm_mask_storeu_epi8(at + next, (__mmask16)mask, _mm512_extracti32x4_epi32(bytes, 1));
        if (pixels > 2)
            _mm_mask_storeu_epi8(at + 2 * next, (__mmask16)mask,
                                 _mm512_extracti32x4_epi32(bytes, 2));
        if (pixels > 3)
            _mm_mask_storeu_epi8(at + 3 * next, (__mmask16)mask,
                                 _mm512_extracti32x4_epi32(bytes, 3));
    }
}

/* The sums of a tile: of each pixel, `vectors` of them. (Compilers keep them in registers where no loop over them is longer
 * than 16.) */
enum { MOST_SUMS = 24, MOST_PIXELS = 8 };

/* `pixels`, `vectors` and `sum` are constants where these are called. */
F0T_VNNI static F0T_INLINE void put(uint8_t *result, const __m512i *sums, const panel *b,
                                    const size_t pixels, const size_t vectors, const bool sum)
{
    const size_t together = vectors > 2 ? 1 : VECTORS / vectors, next = b->p->filters;
    const f0t_finish_lanes lanes = f0t_finish_eight_lanes(&b->p->finish);
    const __mmask64 mask = b->mask;
    __m512 scale[VECTORS], offset[VECTORS];
#pragma GCC unroll 4
    for (size_t v = 0; v < vectors; v++) {
        scale[v] = _mm512_loadu_ps(b->scales + v * LANES);
        offset[v] = _mm512_loadu_ps(b->offset + v * LANES);
    }
#pragma GCC unroll 8
    for (size_t i = 0; i < pixels; i += together) {
        __m512i q[VECTORS];
#pragma GCC unroll 4
        for (size_t k = 0; k < VECTORS; k++) {
            const size_t pixel = i + k / vectors, v = k % vectors;
            if (k / vectors >= together || pixel >= pixels)
                q[k] = _mm512_setzero_si512();
            else if (sum)
                q[k] = f0t_finish_eight_add(sums[pixel * vectors + v], scale[v], offset[v],
                                            _mm_maskz_loadu_epi8((__mmask16)(mask >> v * LANES),
                                                                 result + pixel * next + v * LANES),
                                            &lanes);
            else
                q[k] = f0t_finish_eight_round(sums[pixel * vectors + v], scale[v], offset[v]);
        }
        store(result + i * next, next, sort(f0t_finish_eight_pack(q, &lanes)), mask, pixels - i,
              vectors);
    }
}

F0T_VNNI static F0T_INLINE __m512i four_channels(const uint8_t *at)
{
    int32_t bytes;
    memcpy(&bytes, at, sizeof bytes);
    return _mm512_set1_epi32(bytes);
}

F0T_VNNI static F0T_INLINE void run_tile(uint8_t *result, const panel *b, const uint8_t *source,
                                         const size_t pixels, const size_t vectors, const bool sum)
{
    const size_t channels = b->p->channels, next = b->p->depth * LANES;
    __m512i sums[MOST_SUMS];
#pragma GCC unroll 4
    for (size_t v = 0; v < vectors; v++) {
        const __m512i shift = _mm512_loadu_si512(b->shift + v * LANES);
#pragma GCC unroll 8
        for (size_t i = 0; i < pixels; i++)
            sums[i * vectors + v] = shift;
    }
    for (size_t k = 0; k < channels; k += GROUP) {
        __m512i w[VECTORS];
#pragma GCC unroll 4
        for (size_t v = 0; v < vectors; v++)
            w[v] = _mm512_loadu_si512(b->filters + v * next + k * LANES);
#pragma GCC unroll 8
        for (size_t i = 0; i < pixels; i++) {
            const __m512i x = four_channels(source + i * channels + k);
#pragma GCC unroll 4
            for (size_t v = 0; v < vectors; v++)
                f0t_add_products(&sums[i * vectors + v], x, w[v]);
        }
    }
    put(result, sums, b, pixels, vectors, sum);
}

/* As many pixels at a time as registers have sums for, then fewer. */
F0T_VNNI static F0T_INLINE void run_pixels(uint8_t *result, const panel *b, const uint8_t *source,
                                           size_t pixels, const size_t vectors, const bool sum)
{
    const size_t many = vectors > 3 ? MOST_SUMS / vectors : MOST_PIXELS, some = many / 2;
    const size_t in = b->p->channels, out = b->p->filters;
    size_t i = 0;
    for (; i + many <= pixels; i += many)
        run_tile(result + i * out, b, source + i * in, many, vectors, sum);
    for (; i + some <= pixels; i += some)
        run_tile(result + i * out, b, source + i * in, some, vectors, sum);
    for (; i < pixels; i++)
        run_tile(result + i * out, b, source + i * in, 1, vectors, sum);
}

F0T_VNNI static F0T_INLINE void run_vectors(uint8_t *result, const panel *b, const uint8_t *source,
                                            size_t pixels, const size_t vectors)
{
    if (b->p->finish.sum)
        run_pixels(result, b, source, pixels, vectors, true);
    else
        run_pixels(result, b, source, pixels, vectors, false);
}

F0T_VNNI static void run_panel(uint8_t *result, const panel *b, const uint8_t *source,
                               size_t pixels, size_t vectors)
{
    if (vectors == 4)
        run_vectors(result, b, source, pixels, 4);
    else if (vectors == 3)
        run_vectors(result, b, source, pixels, 3);
    else if (vectors == 2)
        run_vectors(result, b, source, pixels, 2);
    else
        run_vectors(result, b, source, pixels, 1);
}

/* Some of the pixels and part of the panels. */
static void run_part(uint8_t *result, const f0t_points_eight *p, const uint8_t *source,
                     const int8_t *filters, size_t task)
{
    const size_t part = task % p->parts, chunk = task / p->parts,
                 from = p->pixels * chunk / p->chunks, to = p->pixels * (chunk + 1) / p->chunks,
                 all = divide_up(p->filters, LANES);
    for (size_t k = p->panels * part / p->parts; k < p->panels * (part + 1) / p->parts; k++) {
        const size_t first = all * k / p->panels, vectors = all * (k + 1) / p->panels - first,
                     at = first * LANES, left = p->filters - at;
        const panel b = {.p = p,
                         .filters = filters + at * p->depth,
                         .shift = p->shift + at,
                         .scales = p->scales + at,
                         .offset = p->offset + at,
                         .mask = left < vectors * LANES ? ((uint64_t)1 << left) - 1
                                 : vectors == VECTORS   ? UINT64_MAX
                                                        : ((uint64_t)1 << vectors * LANES) - 1};
        run_panel(result + from * p->filters + at, &b, source + from * p->channels, to - from,
                  vectors);
    }
}

/* Sums of (x - zero)·w are those of x·w, and -zero times the sum of w. */
static void prepare(f0t_points_eight *p, const int8_t *filters, const float *bias)
{
    for (size_t f = 0; f < p->filters; f++) {
        const int8_t *from = filters + f / LANES * LANES * p->depth + f % LANES * GROUP;
        int32_t sum = 0;
        for (size_t k = 0; k < p->depth * LANES; k += LANES * GROUP)
            sum += from[k] + from[k + 1] + from[k + 2] + from[k + 3];
        p->shift[f] = -p->source_zero * sum;
        p->offset[f] = f0t_finish_eight_offset(&p->finish, bias[f], p->scales[f]);
    }
    p->prepared = true;
}

void f0t_points_eight_run(uint8_t *result, f0t_points_eight *p, const uint8_t *source,
                          const int8_t *filters, const float *bias)
{
    const int team = f0t_team_size(), threads = team < p->threads ? team : p->threads;
    (void)threads;
    if (!p->prepared)
        prepare(p, filters, bias);
#pragma omp parallel for num_threads(threads) schedule(static)
    for (size_t t = 0; t < p->chunks * p->parts; t++)
        run_part(result, p, source, filters, t);
}

#else

void f0t_points_eight_run(uint8_t *result, f0t_points_eight *p, const uint8_t *source,
                          const int8_t *filters, const float *bias)
{
    (void)result, (void)p, (void)source, (void)filters, (void)bias;
}

#endif
