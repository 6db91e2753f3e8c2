#include "math/depthwise_eight.h"

#include "base/alloc.h"
#include "base/cpu.h"
#include "base/team.h"
#include "math/finish.h"

#include <math.h>

/* Channels of a register of bytes; their sums of 32 bits are in four registers, QUADS. */
enum { CHANNELS = 64, LANES = 16, QUADS = 4, SIDE = 3 };

/* Pixels of the result for which filters are brought into registers, at least. */
enum { PIXELS = 56 };

struct f0t_depthwise_eight {
    size_t images, channels, stride, band; /* band: rows that a thread takes at a time */
    size_t in[2], out[2], before[2];
    f0t_dtype result;
    float low, high, zero; /* limits of the result, and its 0 */
    float *scales;         /* of each channel, filled up to whole registers of bytes */
    int threads;
};

/* ---- Which ------------------------------------------------------------------------------------- */

/* Every window has a pixel of the image in each dimension. */
static bool is_usual(const f0t_layer_conv *c)
{
    const f0t_layer_window *w = &c->window;
    for (size_t d = 0; d < 2 && w->rank == 2; d++)
        if (w->kernel[d] != SIDE || w->stride[d] != w->stride[0] || w->stride[d] > 2 ||
            w->dilation[d] != 1 || w->before[d] >= SIDE ||
            (w->out[d] - 1) * w->stride[d] >= c->in[d] + w->before[d])
            return false;
    return w->rank == 2;
}

static bool has_instructions(void)
{
#if defined(__x86_64__)
    return f0t_cpu_level() == F0T_CPU_WIDEST && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512vnni");
#else
    return false;
#endif
}

bool f0t_depthwise_eight_suits(const f0t_layer_conv *c)
{
    f0t_finish finish;
    return has_instructions() && c->rescale && !c->rescale->source_zero && c->type == F0T_U8 &&
           (c->result == F0T_U8 || c->result == F0T_I8) && c->groups == c->channels &&
           c->channels == c->filters && c->channels % LANES == 0 && is_usual(c) &&
           f0t_finish_read(&finish, c->after, c->after_count) && finish.kind == F0T_FINISH_LIMITS;
}

/* Limits of the type, and those that were asked for, from the 0 of the result on. */
static void set_limits(f0t_depthwise_eight *g, const f0t_layer_conv *c)
{
    const bool is_signed = c->result == F0T_I8;
    f0t_finish finish;
    f0t_finish_read(&finish, c->after, c->after_count);
    g->zero = (float)c->rescale->result_zero;
    g->low = fmaxf(finish.low + g->zero, is_signed ? -128 : 0);
    g->high = fminf(finish.high + g->zero, is_signed ? 127 : 255);
}

f0t_status f0t_depthwise_eight_create(f0t_depthwise_eight **out, const f0t_layer_conv *c,
                                      int threads)
{
    F0T_TRY(f0t_alloc_zero(out, 1, sizeof **out));
    f0t_depthwise_eight *g = *out;
    g->images = c->images;
    g->channels = c->channels;
    g->stride = c->window.stride[0];
    g->result = c->result;
    g->threads = threads;
    for (size_t d = 0; d < 2; d++) {
        g->in[d] = c->in[d];
        g->out[d] = c->window.out[d];
        g->before[d] = c->window.before[d];
    }
    g->band = (PIXELS + g->out[1] - 1) / g->out[1];
    set_limits(g, c);
    F0T_TRY(f0t_alloc_zero(&g->scales, g->channels + CHANNELS, sizeof *g->scales));
    for (size_t k = 0; k < g->channels; k++)
        g->scales[k] = c->rescale->scales[k];
    return F0T_OK;
}

void f0t_depthwise_eight_free(f0t_depthwise_eight *depthwise)
{
    if (depthwise)
        f0t_free(depthwise->scales);
    f0t_free(depthwise);
}

/* ---- Running ----------------------------------------------------------------------------------- */

#if defined(__x86_64__)

#define VNNI __attribute__((target("avx512f,avx512bw,avx512vnni,fma")))
#define INLINE inline __attribute__((always_inline))

/* Up to 64 channels of an image. Sums, scales and biases are in the order in which bytes are unpacked: register a has
 * channels 4·a … 4·a + 3 of each sixteen. */
typedef struct block {
    const f0t_depthwise_eight *g;
    const uint8_t *image;
    __mmask64 mask; /* channels that there are */
    __m512i filters[SIDE][QUADS];
    __m512 scales[QUADS], bias[QUADS];
} block;

/* The same channel of three rows in each 32 bits. */
VNNI static INLINE void unpack(__m512i *quads, __m512i a, __m512i b, __m512i c)
{
    const __m512i none = _mm512_setzero_si512();
    const __m512i low = _mm512_unpacklo_epi8(a, b), high = _mm512_unpackhi_epi8(a, b),
                  low_c = _mm512_unpacklo_epi8(c, none), high_c = _mm512_unpackhi_epi8(c, none);
    quads[0] = _mm512_unpacklo_epi16(low, low_c);
    quads[1] = _mm512_unpackhi_epi16(low, low_c);
    quads[2] = _mm512_unpacklo_epi16(high, high_c);
    quads[3] = _mm512_unpackhi_epi16(high, high_c);
}

/* 64 floats in that order. */
VNNI static INLINE void arrange(__m512 *out, const float *from, size_t count)
{
    __m512 x[QUADS];
#pragma GCC unroll 4
    for (size_t k = 0; k < QUADS; k++)
        x[k] = k * LANES < count ? _mm512_loadu_ps(from + k * LANES) : _mm512_setzero_ps();
    const __m512 a = _mm512_shuffle_f32x4(x[0], x[1], 0x44),
                 b = _mm512_shuffle_f32x4(x[0], x[1], 0xEE),
                 c = _mm512_shuffle_f32x4(x[2], x[3], 0x44),
                 d = _mm512_shuffle_f32x4(x[2], x[3], 0xEE);
    out[0] = _mm512_shuffle_f32x4(a, c, 0x88);
    out[1] = _mm512_shuffle_f32x4(a, c, 0xDD);
    out[2] = _mm512_shuffle_f32x4(b, d, 0x88);
    out[3] = _mm512_shuffle_f32x4(b, d, 0xDD);
}

VNNI static INLINE void add(__m512i *sums, const __m512i *pixels, const __m512i *filters)
{
#pragma GCC unroll 4
    for (size_t k = 0; k < QUADS; k++)
        sums[k] = _mm512_dpbusd_epi32(sums[k], pixels[k], filters[k]);
}

/* Rounded to the result's eight bits: what is packed comes back into the order of channels. */
VNNI static INLINE void put(uint8_t *result, const __m512i *sums, const block *b)
{
    const f0t_depthwise_eight *g = b->g;
    const __m512 low = _mm512_set1_ps(g->low), high = _mm512_set1_ps(g->high),
                 zero = _mm512_set1_ps(g->zero);
    __m512i q[QUADS];
#pragma GCC unroll 4
    for (size_t k = 0; k < QUADS; k++) {
        const __m512 sum = _mm512_add_ps(_mm512_cvtepi32_ps(sums[k]), b->bias[k]),
                     y = _mm512_add_ps(_mm512_mul_ps(sum, b->scales[k]), zero);
        q[k] = _mm512_cvtps_epi32(_mm512_min_ps(high, _mm512_max_ps(low, y)));
    }
    const __m512i first = _mm512_packs_epi32(q[0], q[1]), second = _mm512_packs_epi32(q[2], q[3]);
    _mm512_mask_storeu_epi8(result, b->mask,
                            g->result == F0T_U8 ? _mm512_packus_epi16(first, second)
                                                : _mm512_packs_epi16(first, second));
}

/* Three rows of the source, of which those outside of the image are masked. */
typedef struct rows {
    const uint8_t *at[SIDE];
    __mmask64 mask[SIDE];
} rows;

VNNI static INLINE rows find_rows(const block *b, size_t row)
{
    const f0t_depthwise_eight *g = b->g;
    rows r;
    for (size_t k = 0; k < SIDE; k++) {
        const size_t y = row * g->stride + k - g->before[0];
        const bool is_inside = y < g->in[0];
        r.at[k] = b->image + (is_inside ? y : 0) * g->in[1] * g->channels;
        r.mask[k] = is_inside ? b->mask : 0;
    }
    return r;
}

VNNI static INLINE void read_column(__m512i *pixels, const rows *r, size_t at)
{
    unpack(pixels, _mm512_maskz_loadu_epi8(r->mask[0], r->at[0] + at),
           _mm512_maskz_loadu_epi8(r->mask[1], r->at[1] + at),
           _mm512_maskz_loadu_epi8(r->mask[2], r->at[2] + at));
}

VNNI static INLINE void clear(__m512i *sums)
{
#pragma GCC unroll 4
    for (size_t k = 0; k < QUADS; k++)
        sums[k] = _mm512_setzero_si512();
}

VNNI static INLINE void move(__m512i *to, const __m512i *from)
{
#pragma GCC unroll 4
    for (size_t k = 0; k < QUADS; k++)
        to[k] = from[k];
}

/* A column is in the windows of three pixels of the result, the last of which is complete with it. */
VNNI static INLINE void run_row(uint8_t *result, const block *b, size_t row)
{
    const f0t_depthwise_eight *g = b->g;
    const rows r = find_rows(b, row);
    __m512i sums[SIDE][QUADS], pixels[QUADS];
    clear(sums[0]);
    clear(sums[1]);
    clear(sums[2]);
    for (size_t x = 0; x < g->in[1] + 2; x++) { /* two more, which are empty, complete the last */
        const size_t done = x + g->before[1] - 2;
        if (x < g->in[1]) {
            read_column(pixels, &r, x * g->channels);
            add(sums[0], pixels, b->filters[0]);
            add(sums[1], pixels, b->filters[1]);
            add(sums[2], pixels, b->filters[2]);
        }
        if (done < g->out[1])
            put(result + done * g->channels, sums[2], b);
        move(sums[2], sums[1]);
        move(sums[1], sums[0]);
        clear(sums[0]);
    }
}

/* With stride 2, every other column is in one window alone. */
VNNI static INLINE void run_row_by_two(uint8_t *result, const block *b, size_t row)
{
    const f0t_depthwise_eight *g = b->g;
    const rows r = find_rows(b, row);
    __m512i sums[QUADS], pixels[QUADS];
    size_t done = 0;
    clear(sums);
    for (size_t x = 0; x < g->in[1]; x++) {
        const size_t t = x + g->before[1];
        read_column(pixels, &r, x * g->channels);
        if (t % 2) {
            add(sums, pixels, b->filters[1]);
            continue;
        }
        add(sums, pixels, b->filters[2]);
        if (t && done < g->out[1])
            put(result + done++ * g->channels, sums, b);
        clear(sums);
        add(sums, pixels, b->filters[0]);
    }
    if (done < g->out[1])
        put(result + done * g->channels, sums, b);
}

VNNI static void run_block(uint8_t *result, const f0t_depthwise_eight *g, const uint8_t *image,
                           const int8_t *filters, const float *bias, size_t channel, size_t first)
{
    const size_t left = g->channels - channel, count = left < CHANNELS ? left : CHANNELS,
                 last = first + g->band < g->out[0] ? first + g->band : g->out[0];
    block b = {.g = g,
               .image = image + channel,
               .mask = count < CHANNELS ? ((uint64_t)1 << count) - 1 : UINT64_MAX};
    for (size_t k = 0; k < SIDE; k++) {
        const int8_t *column = filters + k * g->channels + channel;
        unpack(b.filters[k], _mm512_maskz_loadu_epi8(b.mask, column),
               _mm512_maskz_loadu_epi8(b.mask, column + SIDE * g->channels),
               _mm512_maskz_loadu_epi8(b.mask, column + 2 * SIDE * g->channels));
    }
    arrange(b.scales, g->scales + channel, count);
    arrange(b.bias, bias + channel, count);
    for (size_t row = first; row < last; row++) {
        uint8_t *to = result + row * g->out[1] * g->channels + channel;
        if (g->stride == 1)
            run_row(to, &b, row);
        else
            run_row_by_two(to, &b, row);
    }
}

void f0t_depthwise_eight_run(void *result, const f0t_depthwise_eight *g, const uint8_t *source,
                             const int8_t *filters, const float *bias)
{
    const int team = f0t_team_size(), threads = team < g->threads ? team : g->threads;
    const size_t bands = (g->out[0] + g->band - 1) / g->band, all = g->images * bands;
    (void)threads;
#pragma omp parallel for num_threads(threads) schedule(static)
    for (size_t t = 0; t < all; t++) {
        uint8_t *to = (uint8_t *)result + t / bands * g->out[0] * g->out[1] * g->channels;
        const uint8_t *from = source + t / bands * g->in[0] * g->in[1] * g->channels;
        for (size_t c = 0; c < g->channels; c += CHANNELS)
            run_block(to, g, from, filters, bias, c, t % bands * g->band);
    }
}

#else

void f0t_depthwise_eight_run(void *result, const f0t_depthwise_eight *g, const uint8_t *source,
                             const int8_t *filters, const float *bias)
{
    (void)result, (void)g, (void)source, (void)filters, (void)bias;
}

#endif
