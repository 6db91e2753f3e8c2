#include "math/depthwise_eight.h"

#include "base/alloc.h"
#include "base/team.h"
#include "math/finish_eight.h"

#include <string.h>

/* Channels of a register of bytes; their sums of 32 bits are in four registers, QUADS. Fewer channels than half of it or a
 * quarter have so many rows of the image in one. */
enum { CHANNELS = 64, LANES = 16, QUADS = 4, SIDE = 3, LINES = 4 };

/* Pixels of the result for which filters are brought into registers, at least. */
enum { PIXELS = 56 };

struct f0t_depthwise_eight {
    size_t images, channels, stride, band; /* band: rows that a thread takes at a time */
    size_t in[2], out[2], before[2];
    f0t_finish_eight finish;
    float *scales, *offset; /* of each channel, filled up to whole registers of bytes */
    bool prepared;          /* the offsets are known */
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

bool f0t_depthwise_eight_suits(const f0t_layer_conv *c)
{
    f0t_finish_eight finish;
    return f0t_finish_eight_native() && c->rescale && !c->rescale->source_zero &&
           c->type == F0T_U8 && c->groups == c->channels && c->channels == c->filters &&
           c->channels % LANES == 0 && is_usual(c) &&
           f0t_finish_eight_read(&finish, c, SIDE * SIDE) && !finish.sum;
}

/* Rows of which so many channels of `left` fill a register. */
static size_t lines_of(size_t left)
{
    return left > CHANNELS / 2 ? 1 : left > CHANNELS / 4 ? 2 : LINES;
}

f0t_status f0t_depthwise_eight_create(f0t_depthwise_eight **out, const f0t_layer_conv *c,
                                      int threads)
{
    F0T_TRY(f0t_alloc_zero(out, 1, sizeof **out));
    f0t_depthwise_eight *g = *out;
    g->images = c->images;
    g->channels = c->channels;
    g->stride = c->window.stride[0];
    g->threads = threads;
    for (size_t d = 0; d < 2; d++) {
        g->in[d] = c->in[d];
        g->out[d] = c->window.out[d];
        g->before[d] = c->window.before[d];
    }
    const size_t lines = lines_of((g->channels - 1) % CHANNELS + 1), rows = lines * g->out[1];
    g->band = (PIXELS + rows - 1) / rows * lines;
    f0t_finish_eight_read(&g->finish, c, SIDE * SIDE);
    F0T_TRY(f0t_alloc_zero(&g->scales, g->channels + CHANNELS, sizeof *g->scales));
    F0T_TRY(f0t_alloc_zero(&g->offset, g->channels + CHANNELS, sizeof *g->offset));
    memcpy(g->scales, c->rescale->scales, g->channels * sizeof *g->scales);
    return F0T_OK;
}

void f0t_depthwise_eight_free(f0t_depthwise_eight *depthwise)
{
    if (!depthwise)
        return;
    f0t_free(depthwise->scales);
    f0t_free(depthwise->offset);
    f0t_free(depthwise);
}

/* ---- Running ----------------------------------------------------------------------------------- */

#if defined(__x86_64__)

/* Up to 64 channels of an image, or of several of its rows. Sums, scales and offsets are in the order in which bytes are
 * unpacked: register a has channels 4·a … 4·a + 3 of each sixteen. */
typedef struct block {
    const f0t_depthwise_eight *g;
    const uint8_t *image;
    __mmask64 mask; /* channels that there are */
    __m512i filters[SIDE][QUADS];
    __m512 scales[QUADS], offset[QUADS];
    f0t_finish_lanes lanes;
} block;

/* The same channel of three rows in each 32 bits. */
F0T_VNNI static F0T_INLINE void unpack(__m512i *quads, __m512i a, __m512i b, __m512i c)
{
    const __m512i none = _mm512_setzero_si512();
    const __m512i low = _mm512_unpacklo_epi8(a, b), high = _mm512_unpackhi_epi8(a, b),
                  low_c = _mm512_unpacklo_epi8(c, none), high_c = _mm512_unpackhi_epi8(c, none);
    quads[0] = _mm512_unpacklo_epi16(low, low_c);
    quads[1] = _mm512_unpackhi_epi16(low, low_c);
    quads[2] = _mm512_unpacklo_epi16(high, high_c);
    quads[3] = _mm512_unpackhi_epi16(high, high_c);
}

/* 64 floats in that order, of which `count` are repeated for each line. */
F0T_VNNI static F0T_INLINE void arrange(__m512 *out, const float *from, size_t count, size_t lines)
{
    __m512 x[QUADS];
#pragma GCC unroll 4
    for (size_t k = 0; k < QUADS; k++) {
        const size_t at = k % (QUADS / lines) * LANES;
        x[k] = at < count ? _mm512_loadu_ps(from + at) : _mm512_setzero_ps();
    }
    const __m512 a = _mm512_shuffle_f32x4(x[0], x[1], 0x44),
                 b = _mm512_shuffle_f32x4(x[0], x[1], 0xEE),
                 c = _mm512_shuffle_f32x4(x[2], x[3], 0x44),
                 d = _mm512_shuffle_f32x4(x[2], x[3], 0xEE);
    out[0] = _mm512_shuffle_f32x4(a, c, 0x88);
    out[1] = _mm512_shuffle_f32x4(a, c, 0xDD);
    out[2] = _mm512_shuffle_f32x4(b, d, 0x88);
    out[3] = _mm512_shuffle_f32x4(b, d, 0xDD);
}

F0T_VNNI static F0T_INLINE void add(__m512i *sums, const __m512i *pixels, const __m512i *filters)
{
#pragma GCC unroll 4
    for (size_t k = 0; k < QUADS; k++)
        f0t_add_products(&sums[k], pixels[k], filters[k]);
}

/* Rows of the image that are done together, and of the source three for each, of which those outside of the image are
 * masked. */
typedef struct rows {
    uint8_t *to[LINES];
    const uint8_t *at[LINES][SIDE];
    __mmask64 mask[LINES][SIDE];
    size_t lines; /* that there are: fewer at the end */
} rows;

/* `lines` is a constant where these are called: 1, 2 or 4. */
F0T_VNNI static F0T_INLINE __m512i gather(const rows *r, size_t k, size_t at, const size_t lines)
{
    if (lines == 1)
        return _mm512_maskz_loadu_epi8(r->mask[0][k], r->at[0][k] + at);
    if (lines == 2)
        return _mm512_inserti64x4(
            _mm512_castsi256_si512(
                _mm256_maskz_loadu_epi8((__mmask32)r->mask[0][k], r->at[0][k] + at)),
            _mm256_maskz_loadu_epi8((__mmask32)r->mask[1][k], r->at[1][k] + at), 1);
    __m512i x =
        _mm512_castsi128_si512(_mm_maskz_loadu_epi8((__mmask16)r->mask[0][k], r->at[0][k] + at));
    x = _mm512_inserti32x4(x, _mm_maskz_loadu_epi8((__mmask16)r->mask[1][k], r->at[1][k] + at), 1);
    x = _mm512_inserti32x4(x, _mm_maskz_loadu_epi8((__mmask16)r->mask[2][k], r->at[2][k] + at), 2);
    return _mm512_inserti32x4(x, _mm_maskz_loadu_epi8((__mmask16)r->mask[3][k], r->at[3][k] + at),
                              3);
}

F0T_VNNI static F0T_INLINE void read_column(__m512i *pixels, const rows *r, size_t at,
                                            const size_t lines)
{
    unpack(pixels, gather(r, 0, at, lines), gather(r, 1, at, lines), gather(r, 2, at, lines));
}

/* Rounded to the result's eight bits: what is packed comes back into the order of channels. */
F0T_VNNI static F0T_INLINE void put(const rows *r, size_t at, const __m512i *sums, const block *b,
                                    const size_t lines)
{
    __m512i q[QUADS];
#pragma GCC unroll 4
    for (size_t k = 0; k < QUADS; k++)
        q[k] = f0t_finish_eight_round(sums[k], b->scales[k], b->offset[k]);
    const __m512i bytes = f0t_finish_eight_pack(q, &b->lanes);
    if (lines == 1) {
        _mm512_mask_storeu_epi8(r->to[0] + at, b->mask, bytes);
    } else if (lines == 2) {
        _mm256_mask_storeu_epi8(r->to[0] + at, (__mmask32)b->mask, _mm512_castsi512_si256(bytes));
        if (r->lines > 1)
            _mm256_mask_storeu_epi8(r->to[1] + at, (__mmask32)b->mask,
                                    _mm512_extracti64x4_epi64(bytes, 1));
    } else {
        _mm_mask_storeu_epi8(r->to[0] + at, (__mmask16)b->mask, _mm512_castsi512_si128(bytes));
        if (r->lines > 1)
            _mm_mask_storeu_epi8(r->to[1] + at, (__mmask16)b->mask,
                                 _mm512_extracti32x4_epi32(bytes, 1));
        if (r->lines > 2)
            _mm_mask_storeu_epi8(r->to[2] + at, (__mmask16)b->mask,
                                 _mm512_extracti32x4_epi32(bytes, 2));
        if (r->lines > 3)
            _mm_mask_storeu_epi8(r->to[3] + at, (__mmask16)b->mask,
                                 _mm512_extracti32x4_epi32(bytes, 3));
    }
}

F0T_VNNI static F0T_INLINE rows find_rows(uint8_t *result, const block *b, size_t row, size_t last,
                                          const size_t lines)
{
    const f0t_depthwise_eight *g = b->g;
    rows r = {.lines = last - row};
    for (size_t line = 0; line < lines; line++) {
        r.to[line] = line < r.lines ? result + (row + line) * g->out[1] * g->channels : NULL;
        for (size_t k = 0; k < SIDE; k++) {
            const size_t y = (row + line) * g->stride + k - g->before[0];
            const bool is_inside = y < g->in[0] && line < r.lines;
            r.at[line][k] = b->image + (is_inside ? y : 0) * g->in[1] * g->channels;
            r.mask[line][k] = is_inside ? b->mask : 0;
        }
    }
    return r;
}

F0T_VNNI static F0T_INLINE void clear(__m512i *sums)
{
#pragma GCC unroll 4
    for (size_t k = 0; k < QUADS; k++)
        sums[k] = _mm512_setzero_si512();
}

/* A column is in the windows of three pixels of the result, the last of which is complete with it. */
F0T_VNNI static F0T_INLINE void run_column(const rows *r, const block *b, size_t x, __m512i *first,
                                           __m512i *second, __m512i *third, const size_t lines)
{
    const f0t_depthwise_eight *g = b->g;
    const size_t done = x + g->before[1] - 2;
    __m512i pixels[QUADS];
    if (x < g->in[1]) {
        read_column(pixels, r, x * g->channels, lines);
        add(first, pixels, b->filters[0]);
        add(second, pixels, b->filters[1]);
        add(third, pixels, b->filters[2]);
    }
    if (done < g->out[1])
        put(r, done * g->channels, third, b, lines);
    clear(third);
}

F0T_VNNI static F0T_INLINE void run_row(const rows *r, const block *b, const size_t lines)
{
    __m512i x[QUADS], y[QUADS], z[QUADS];
    clear(x);
    clear(y);
    clear(z);
    for (size_t k = 0; k < b->g->in[1] + 2;
         k += 3) { /* two more, which are empty, complete the last */
        run_column(r, b, k, x, y, z, lines);
        run_column(r, b, k + 1, z, x, y, lines);
        run_column(r, b, k + 2, y, z, x, lines);
    }
}

/* With stride 2, every other column is in one window alone. */
F0T_VNNI static F0T_INLINE void run_row_by_two(const rows *r, const block *b, const size_t lines)
{
    const f0t_depthwise_eight *g = b->g;
    __m512i sums[QUADS], pixels[QUADS];
    size_t done = 0;
    clear(sums);
    for (size_t x = 0; x < g->in[1]; x++) {
        const size_t t = x + g->before[1];
        read_column(pixels, r, x * g->channels, lines);
        if (t % 2) {
            add(sums, pixels, b->filters[1]);
            continue;
        }
        add(sums, pixels, b->filters[2]);
        if (t && done < g->out[1])
            put(r, done++ * g->channels, sums, b, lines);
        clear(sums);
        add(sums, pixels, b->filters[0]);
    }
    if (done < g->out[1])
        put(r, done * g->channels, sums, b, lines);
}

/* Filters of a column of the window, repeated for each line. */
F0T_VNNI static F0T_INLINE void read_filters(block *b, const int8_t *filters, const size_t lines)
{
    const size_t channels = b->g->channels;
    for (size_t k = 0; k < SIDE; k++) {
        rows r = {.lines = lines};
        for (size_t line = 0; line < lines; line++)
            for (size_t i = 0; i < SIDE; i++) {
                r.at[line][i] = (const uint8_t *)filters + (i * SIDE + k) * channels;
                r.mask[line][i] = b->mask;
            }
        read_column(b->filters[k], &r, 0, lines);
    }
}

F0T_VNNI static F0T_INLINE void run_rows(uint8_t *result, block *b, const int8_t *filters,
                                         size_t first, size_t last, const size_t lines)
{
    read_filters(b, filters, lines);
    for (size_t row = first; row < last; row += lines) {
        const rows r = find_rows(result, b, row, last, lines);
        if (b->g->stride == 1)
            run_row(&r, b, lines);
        else
            run_row_by_two(&r, b, lines);
    }
}

F0T_VNNI static void run_block(uint8_t *result, const f0t_depthwise_eight *g, const uint8_t *image,
                               const int8_t *filters, size_t channel, size_t first)
{
    const size_t left = g->channels - channel, count = left < CHANNELS ? left : CHANNELS,
                 last = first + g->band < g->out[0] ? first + g->band : g->out[0],
                 lines = lines_of(count);
    block b = {.g = g,
               .image = image + channel,
               .mask = count < CHANNELS ? ((uint64_t)1 << count) - 1 : UINT64_MAX,
               .lanes = f0t_finish_eight_lanes(&g->finish)};
    arrange(b.scales, g->scales + channel, count, lines);
    arrange(b.offset, g->offset + channel, count, lines);
    if (lines == 1)
        run_rows(result + channel, &b, filters + channel, first, last, 1);
    else if (lines == 2)
        run_rows(result + channel, &b, filters + channel, first, last, 2);
    else
        run_rows(result + channel, &b, filters + channel, first, last, LINES);
}

static void prepare(f0t_depthwise_eight *g, const float *bias)
{
    for (size_t k = 0; k < g->channels; k++)
        g->offset[k] = f0t_finish_eight_offset(&g->finish, bias[k], g->scales[k]);
    g->prepared = true;
}

void f0t_depthwise_eight_run(void *result, f0t_depthwise_eight *g, const uint8_t *source,
                             const int8_t *filters, const float *bias)
{
    const int team = f0t_team_size(), threads = team < g->threads ? team : g->threads;
    const size_t bands = (g->out[0] + g->band - 1) / g->band, all = g->images * bands;
    (void)threads;
    if (!g->prepared)
        prepare(g, bias);
#pragma omp parallel for num_threads(threads) schedule(static)
    for (size_t t = 0; t < all; t++) {
        uint8_t *to = (uint8_t *)result + t / bands * g->out[0] * g->out[1] * g->channels;
        const uint8_t *from = source + t / bands * g->in[0] * g->in[1] * g->channels;
        for (size_t c = 0; c < g->channels; c += CHANNELS)
            run_block(to, g, from, filters, c, t % bands * g->band);
    }
}

#else

void f0t_depthwise_eight_run(void *result, f0t_depthwise_eight *g, const uint8_t *source,
                             const int8_t *filters, const float *bias)
{
    (void)result, (void)g, (void)source, (void)filters, (void)bias;
}

#endif
