/* Output pixel m, counted along rows that are as wide as padded ones, reads the pixel m·stride of the padded picture
 * and its neighbours: where rows of the picture are sorted by their number modulo the stride, all pixels of a tile are
 * one step apart, across the ends of rows, too. What is computed beyond the end of a row is not written. A window of
 * 1 x 1 at stride 1 needs no padding, and the picture is read as it is. */
#include "math/tiles_conv.h"

#include "base/alloc.h"
#include "base/size.h"
#include "base/team.h"
#include "math/tiles.h"

/* Tiles are of 16 rows of 64 bytes. */
enum { SIDE = 16, DEPTH = 64, TILE = SIDE * DEPTH };

/* A block of the result is 2 x 2 tiles of sums. */
enum { BLOCK = 2 * SIDE, SUMS = BLOCK * BLOCK };

/* Fewer channels are mostly padding, and so are pictures with windows that reach further. */
enum { LEAST_CHANNELS = 16, MOST_PLACES = 49, FURTHEST = 16 };

static bool is_near(const f0t_layer_window *w)
{
    for (size_t k = 0; k < 2; k++)
        if (w->kernel[k] > FURTHEST || (w->kernel[k] - 1) * w->dilation[k] > FURTHEST ||
            w->before[k] > FURTHEST || w->stride[k] > FURTHEST)
            return false;
    return w->kernel[0] * w->kernel[1] <= MOST_PLACES;
}

static bool only_limits(const f0t_layer_conv *c)
{
    if (c->after_count > 1)
        return false;
    return !c->after_count || c->after->kind == F0T_ACTIVATION_CLIP ||
           (c->after->kind == F0T_ACTIVATION_RELU && c->after->alpha == 0);
}

bool f0t_tiles_conv_suits(const f0t_layer_conv *c)
{
    const f0t_layer_window *w = &c->window;
    return f0t_tiles_conv_native() && c->rescale && (c->type == F0T_U8 || c->type == F0T_I8) &&
           c->groups == 1 && w->rank == 2 && is_near(w) && c->channels >= LEAST_CHANNELS &&
           c->filters >= SIDE && c->images * w->out[0] * w->out[1] >= SIDE && only_limits(c);
}

#if defined(__x86_64__)

#include <float.h>
#include <immintrin.h>
#include <string.h>

#define TILES __attribute__((target("amx-tile,amx-int8,avx512f,avx512bw,avx512vl,avx512dq")))

bool f0t_tiles_conv_native(void)
{
    return f0t_tiles_take_bytes() && f0t_layer_eight_native();
}

/* ---- Where everything lies ----------------------------------------------------------------------- */

struct f0t_tiles_conv {
    size_t images, channels, filters;
    size_t in[2], out[2], before[2]; /* rows, columns */
    size_t stride[2];
    f0t_dtype type, result;
    int32_t source_zero;
    int threads;
    float *scales;
    float zero, low, high; /* of the result */
    int32_t *shift;        /* [filters rounded up]: -source_zero times the sum of its weights */
    bool shifted;          /* these are known */

    bool direct;                    /* the source is read as it is */
    size_t wide;                    /* columns of a padded row */
    size_t plane_rows, plane_count; /* padded rows of one remainder, and remainders that are used */
    size_t remainders[MOST_PLACES]; /* of each plane */
    size_t places[MOST_PLACES], all; /* offsets of the window's places, in bytes */
    size_t step;                     /* bytes from an output pixel's input to the next one's */
    size_t picture;                  /* bytes of a padded one */
    size_t group;                    /* pictures that are padded at a time */
    size_t row;                      /* output pixels of a row, with those that are not written */
    size_t pixels;                   /* of a picture, counted so */
    size_t depth;                    /* blocks of 64 channels */
    size_t slack, scratch;           /* bytes */
};

static size_t least(size_t x, size_t y)
{
    return x < y ? x : y;
}

static size_t divide_up(size_t n, size_t by)
{
    return (n + by - 1) / by;
}

/* The plane of padded rows with this remainder; a new one where there is none. */
static size_t plane_of(f0t_tiles_conv *c, size_t remainder)
{
    for (size_t k = 0; k < c->plane_count; k++)
        if (c->remainders[k] == remainder)
            return k;
    c->remainders[c->plane_count] = remainder;
    return c->plane_count++;
}

static void set_places(f0t_tiles_conv *c, const f0t_layer_window *w)
{
    const size_t deepest = (w->kernel[0] - 1) * w->dilation[0] / w->stride[0];
    const size_t span = (w->out[1] - 1) * w->stride[1] + (w->kernel[1] - 1) * w->dilation[1] + 1;
    c->row = divide_up(span, w->stride[1]);
    c->wide = c->row * w->stride[1];
    c->plane_rows = w->out[0] + deepest;
    for (size_t i = 0; i < w->kernel[0]; i++) {
        const size_t down = i * w->dilation[0], plane = plane_of(c, down % w->stride[0]);
        const size_t first = plane * c->plane_rows + down / w->stride[0];
        for (size_t j = 0; j < w->kernel[1]; j++)
            c->places[c->all++] = (first * c->wide + j * w->dilation[1]) * c->channels;
    }
    c->step = w->stride[1] * c->channels;
    c->picture = c->plane_count * c->plane_rows * c->wide * c->channels;
    c->pixels = (w->out[0] - 1) * c->row + w->out[1];
}

/* All pictures are one row of pixels. */
static void set_direct(f0t_tiles_conv *c)
{
    c->direct = true;
    c->row = c->pixels = c->images * c->out[0] * c->out[1];
    c->all = 1;
    c->step = c->channels;
    c->images = c->group = 1;
}

/* Blocks at the end of a source that is read as it is, which are read from a copy: of the last one tiles read pixels that
 * are not there, and of the one before channels of pixels behind it, of which the last may have too few. */
enum { TAIL = 2 };

/* Padded pictures that stay in the cache while filters pass by. */
enum { GROUP_BYTES = 512 << 10 };

static f0t_status set_scratch(f0t_tiles_conv *c)
{
    size_t bytes, sums;
    if (!c->direct)
        c->group = least(c->images, c->picture < GROUP_BYTES ? GROUP_BYTES / c->picture : 1);
    const size_t blocks = c->direct ? TAIL : 1; /* pixels that only tiles have, and channels */
    c->slack = (blocks * BLOCK * c->step / DEPTH + 2) * DEPTH;
    if (!f0t_size_mul(&bytes, c->direct ? 0 : c->picture, c->group) ||
        !f0t_size_add(&bytes, bytes, c->slack) || !f0t_size_round_up(&bytes, bytes, DEPTH) ||
        !f0t_size_mul(&sums, (size_t)c->threads, SUMS * sizeof(int32_t)) ||
        !f0t_size_add(&c->scratch, bytes, sums))
        return f0t_fail(F0T_ERROR_MEMORY, "no memory for a convolution of %zu x %zu x %zu",
                        c->channels, c->in[0], c->in[1]);
    return F0T_OK;
}

/* Limits before the zero point is added, and those of the type. */
static void set_limits(f0t_tiles_conv *c, const f0t_layer_conv *from)
{
    const f0t_after *after = from->after_count ? from->after : NULL;
    const bool floats = c->result == F0T_F32;
    const float zero = (float)from->rescale->result_zero;
    float low = after ? (after->kind == F0T_ACTIVATION_CLIP ? after->alpha : 0) : -FLT_MAX;
    float high = after && after->kind == F0T_ACTIVATION_CLIP ? after->beta : FLT_MAX;
    const float least_byte = c->result == F0T_I8 ? INT8_MIN : 0,
                largest = c->result == F0T_I8 ? INT8_MAX : UINT8_MAX;
    low += zero;
    high += zero;
    c->zero = zero;
    c->low = floats || low > least_byte ? low : least_byte;
    c->high = floats || high < largest ? high : largest;
    if (!floats && c->high < least_byte) /* limits that no byte has */
        c->high = least_byte;
}

static f0t_status copy_scales(f0t_tiles_conv *c, const float *scales)
{
    const size_t padded = divide_up(c->filters, BLOCK) * BLOCK;
    F0T_TRY(f0t_alloc_zero(&c->scales, padded, sizeof *c->scales));
    F0T_TRY(f0t_alloc_zero(&c->shift, padded, sizeof *c->shift));
    memcpy(c->scales, scales, c->filters * sizeof *c->scales);
    return F0T_OK;
}

static f0t_status fill(f0t_tiles_conv *c, const f0t_layer_conv *from, int threads)
{
    const f0t_layer_window *w = &from->window;
    c->images = from->images;
    c->channels = from->channels;
    c->filters = from->filters;
    for (size_t k = 0; k < 2; k++) {
        c->in[k] = from->in[k];
        c->out[k] = w->out[k];
        c->before[k] = w->before[k];
        c->stride[k] = w->stride[k];
    }
    c->type = from->type;
    c->result = from->result;
    c->source_zero = from->rescale->source_zero;
    c->threads = threads;
    c->depth = divide_up(c->channels, DEPTH);
    if (f0t_layer_conv_is_point(from))
        set_direct(c);
    else
        set_places(c, w);
    set_limits(c, from);
    F0T_TRY(set_scratch(c));
    return copy_scales(c, from->rescale->scales);
}

f0t_status f0t_tiles_conv_create(f0t_tiles_conv **out, const f0t_layer_conv *conv, int threads)
{
    F0T_TRY(f0t_alloc_zero(out, 1, sizeof **out));
    f0t_status status = fill(*out, conv, threads);
    if (status != F0T_OK) {
        f0t_tiles_conv_free(*out);
        *out = NULL;
    }
    return status;
}

void f0t_tiles_conv_free(f0t_tiles_conv *conv)
{
    if (!conv)
        return;
    f0t_free(conv->scales);
    f0t_free(conv->shift);
    f0t_free(conv);
}

size_t f0t_tiles_conv_scratch(const f0t_tiles_conv *conv)
{
    return conv->scratch;
}

/* ---- Padding ------------------------------------------------------------------------------------ */

typedef struct run {
    const f0t_tiles_conv *conv;
    const uint8_t *source;
    const int8_t *weights;
    const float *bias;
    unsigned char *result;
    uint8_t *padded,
        *tail; /* scratch: pictures, and the last pixels of a source that is read as it is */
    int32_t *sums;
    size_t first, pictures; /* that are padded now */
    size_t blocks;          /* of 32 pixels, of one picture */
    size_t panels;          /* of 32 filters */
} run;

/* Row `index` of the padded pictures, counted over all planes. Outside of a picture everything is its zero. */
static void pad_row(const run *r, size_t index)
{
    const f0t_tiles_conv *c = r->conv;
    const size_t rows = c->plane_count * c->plane_rows, picture = index / rows;
    const size_t plane = index % rows / c->plane_rows, at = index % c->plane_rows;
    const size_t row = at * c->stride[0] + c->remainders[plane], left = c->before[1] * c->channels;
    const size_t bytes = c->wide * c->channels;
    uint8_t *to = r->padded + index * bytes;
    if (row < c->before[0] || row - c->before[0] >= c->in[0] || left >= bytes) {
        memset(to, c->source_zero, bytes);
        return;
    }
    const size_t has = c->in[1] * c->channels, taken = least(has, bytes - left);
    memset(to, c->source_zero, left);
    memcpy(to + left, r->source + ((r->first + picture) * c->in[0] + row - c->before[0]) * has,
           taken);
    memset(to + left + taken, c->source_zero, bytes - left - taken);
}

static size_t first_of_tail(const run *r)
{
    return r->blocks > TAIL ? r->blocks - TAIL : 0;
}

static void copy_tail(const run *r)
{
    const f0t_tiles_conv *c = r->conv;
    const size_t from = first_of_tail(r) * BLOCK;
    memcpy(r->tail, r->source + from * c->step, (c->pixels - from) * c->step);
}

/* ---- Products ----------------------------------------------------------------------------------- */

#define INLINE static inline __attribute__((always_inline))

/* Sums of 16 or 32 pixels and filters; `is_signed` is of the pixels. */
TILES INLINE void sum_tiles(int32_t *sums, const f0t_tiles_conv *c, const uint8_t *a,
                            const int8_t *b, bool two_rows, bool two_columns, bool is_signed)
{
    enum { LINE = BLOCK * sizeof(int32_t), DOWN = SIDE * BLOCK };
    const size_t next = c->depth * c->all * TILE;
    _tile_zero(0);
    _tile_zero(1);
    _tile_zero(2);
    _tile_zero(3);
    for (size_t d = 0; d < c->depth; d++, a += DEPTH)
        for (size_t k = 0; k < c->all; k++, b += TILE) {
            const uint8_t *at = a + c->places[k];
            _tile_loadd(4, at, c->step);
            _tile_loadd(6, b, DEPTH);
            if (two_rows)
                _tile_loadd(5, at + SIDE * c->step, c->step);
            if (two_columns)
                _tile_loadd(7, b + next, DEPTH);
            if (is_signed) {
                _tile_dpbssd(0, 4, 6);
                if (two_columns)
                    _tile_dpbssd(1, 4, 7);
                if (two_rows)
                    _tile_dpbssd(2, 5, 6);
                if (two_rows && two_columns)
                    _tile_dpbssd(3, 5, 7);
            } else {
                _tile_dpbusd(0, 4, 6);
                if (two_columns)
                    _tile_dpbusd(1, 4, 7);
                if (two_rows)
                    _tile_dpbusd(2, 5, 6);
                if (two_rows && two_columns)
                    _tile_dpbusd(3, 5, 7);
            }
        }
    _tile_stored(0, sums, LINE);
    _tile_stored(1, sums + SIDE, LINE);
    if (two_rows) {
        _tile_stored(2, sums + DOWN, LINE);
        _tile_stored(3, sums + DOWN + SIDE, LINE);
    }
}

TILES INLINE void sum_sides(int32_t *sums, const f0t_tiles_conv *c, const uint8_t *a,
                            const int8_t *b, bool two_rows, bool two_columns, bool is_signed)
{
    if (two_rows && two_columns)
        sum_tiles(sums, c, a, b, true, true, is_signed);
    else if (two_rows)
        sum_tiles(sums, c, a, b, true, false, is_signed);
    else if (two_columns)
        sum_tiles(sums, c, a, b, false, true, is_signed);
    else
        sum_tiles(sums, c, a, b, false, false, is_signed);
}

TILES static void sum_block(int32_t *sums, const f0t_tiles_conv *c, const uint8_t *a,
                            const int8_t *b, bool two_rows, bool two_columns)
{
    if (c->type == F0T_I8)
        sum_sides(sums, c, a, b, two_rows, two_columns, true);
    else
        sum_sides(sums, c, a, b, two_rows, two_columns, false);
}

/* ---- Results ------------------------------------------------------------------------------------ */

/* What stands around the sums of 16 filters. */
typedef struct ending {
    __m512i shift;
    __m512 bias, scale, zero, low, high;
    __mmask16 mask;
} ending;

TILES static ending ending_of(const run *r, size_t filter)
{
    const f0t_tiles_conv *c = r->conv;
    const size_t left = filter < c->filters ? c->filters - filter : 0;
    const __mmask16 mask = (__mmask16)(left >= SIDE ? 0xFFFF : (1U << left) - 1);
    return (ending){.shift = _mm512_maskz_loadu_epi32(mask, c->shift + filter),
                    .bias = _mm512_maskz_loadu_ps(mask, r->bias + filter),
                    .scale = _mm512_maskz_loadu_ps(mask, c->scales + filter),
                    .zero = _mm512_set1_ps(c->zero),
                    .low = _mm512_set1_ps(c->low),
                    .high = _mm512_set1_ps(c->high),
                    .mask = mask};
}

/* In the order of oneDNN's kernels: its results are these. */
TILES static inline __m512 finish(const int32_t *sums, const ending *e)
{
    const __m512 sum = _mm512_cvtepi32_ps(_mm512_add_epi32(_mm512_loadu_si512(sums), e->shift));
    const __m512 x = _mm512_mul_ps(_mm512_add_ps(sum, e->bias), e->scale);
    return _mm512_min_ps(_mm512_max_ps(_mm512_add_ps(x, e->zero), e->low), e->high);
}

/* Two times 16 filters of a pixel. */
TILES static void write_pixel(const run *r, size_t pixel, size_t filter, const int32_t *sums,
                              const ending e[2])
{
    const size_t place = pixel * r->conv->filters + filter;
    for (size_t k = 0; k < 2; k++) {
        if (!e[k].mask)
            return;
        const __m512 x = finish(sums + k * SIDE, &e[k]);
        if (r->conv->result == F0T_F32)
            _mm512_mask_storeu_ps((float *)r->result + place + k * SIDE, e[k].mask, x);
        else
            _mm512_mask_cvtepi32_storeu_epi8(r->result + place + k * SIDE, e[k].mask,
                                             _mm512_cvtps_epi32(x));
    }
}

/* `first`: the picture's first pixel in the result; `from`: of the block, counted with those that are not written. */
TILES static void write_block(const run *r, const int32_t *sums, size_t first, size_t from,
                              size_t filter)
{
    const f0t_tiles_conv *c = r->conv;
    const ending e[2] = {ending_of(r, filter), ending_of(r, filter + SIDE)};
    const size_t count = least(BLOCK, c->pixels - from), across = c->direct ? c->row : c->out[1];
    size_t row = from / c->row, column = from % c->row;
    for (size_t k = 0; k < count; k++) {
        if (column < across)
            write_pixel(r, first + row * across + column, filter, sums + k * BLOCK, e);
        if (++column == c->row) {
            column = 0;
            row++;
        }
    }
}

/* ---- Blocks ------------------------------------------------------------------------------------- */

static void run_block(const run *r, size_t picture, size_t block, size_t panel)
{
    const f0t_tiles_conv *c = r->conv;
    const size_t from = block * BLOCK, filter = panel * BLOCK;
    const size_t first = (r->first + picture) * c->out[0] * c->out[1];
    const int8_t *b = r->weights + filter / SIDE * c->depth * c->all * TILE;
    const uint8_t *a = r->padded + picture * c->picture + from * c->step;
    int32_t *sums = r->sums + (size_t)f0t_team_member() * SUMS;
    if (c->direct)
        a = block < first_of_tail(r) ? r->source + from * c->step
                                     : r->tail + (from - first_of_tail(r) * BLOCK) * c->step;
    sum_block(sums, c, a, b, c->pixels - from > SIDE, c->filters - filter > SIDE);
    write_block(r, sums, first, from, filter);
}

/* Weights that do not stay in the near caches go by once, panel by panel; else pixels do. */
enum { NEAR_BYTES = 256 << 10 };

static void run_unit(const run *r, size_t unit)
{
    const f0t_tiles_conv *c = r->conv;
    const size_t blocks = r->pictures * r->blocks;
    const bool far = r->panels * 2 * c->depth * c->all * TILE > NEAR_BYTES;
    const size_t panel = far ? unit / blocks : unit % r->panels,
                 block = far ? unit % blocks : unit / r->panels;
    run_block(r, block / r->blocks, block % r->blocks, panel);
}

/* By all threads of a team, each of which has configured its tiles. */
static void run_pictures(const run *r)
{
    const size_t rows =
        r->conv->direct ? 1 : r->pictures * r->conv->plane_count * r->conv->plane_rows;
    const size_t units = r->pictures * r->blocks * r->panels;
#pragma omp for schedule(static)
    for (size_t k = 0; k < rows; k++) {
        if (r->conv->direct)
            copy_tail(r);
        else
            pad_row(r, k);
    }
    __asm__ volatile("" : : : "memory"); /* the compiler does not know what tiles read */
#pragma omp for schedule(static)
    for (size_t k = 0; k < units; k++)
        run_unit(r, k);
}

/* Sums of (x - zero)·w are those of x·w, and -zero times the sum of w. */
static void set_shift(f0t_tiles_conv *c, const int8_t *weights)
{
    const size_t each = c->depth * c->all * TILE;
    for (size_t f = 0; f < c->filters && c->source_zero; f++) {
        const int8_t *from = weights + f / SIDE * each + f % SIDE * 4;
        int32_t sum = 0;
        for (size_t k = 0; k < each; k += DEPTH)
            sum += from[k] + from[k + 1] + from[k + 2] + from[k + 3];
        c->shift[f] = -c->source_zero * sum;
    }
    c->shifted = true;
}

void f0t_tiles_conv_run(void *result, f0t_tiles_conv *c, const void *source, const int8_t *weights,
                        const float *bias, void *scratch)
{
    const int team = f0t_team_size(), threads = team < c->threads ? team : c->threads;
    const size_t pictures = c->direct ? 0 : c->picture * c->group;
    run r = {.conv = c,
             .source = source,
             .weights = weights,
             .bias = bias,
             .result = result,
             .padded = scratch,
             .tail = scratch,
             .blocks = divide_up(c->pixels, BLOCK),
             .panels = divide_up(c->filters, BLOCK)};
    r.sums = (int32_t *)((unsigned char *)scratch + divide_up(pictures + c->slack, DEPTH) * DEPTH);
    (void)threads;
    if (!c->shifted)
        set_shift(c, weights);
    for (; r.first < c->images; r.first += c->group) {
        r.pictures = least(c->group, c->images - r.first);
#pragma omp parallel num_threads(threads)
        {
            f0t_tiles_begin();
            run_pictures(&r);
            f0t_tiles_end();
        }
    }
}

#else

bool f0t_tiles_conv_native(void)
{
    return false;
}

f0t_status f0t_tiles_conv_create(f0t_tiles_conv **out, const f0t_layer_conv *conv, int threads)
{
    (void)conv, (void)threads;
    *out = NULL;
    return f0t_fail(F0T_ERROR_UNSUPPORTED, "this CPU has no tiles");
}

void f0t_tiles_conv_free(f0t_tiles_conv *conv)
{
    (void)conv;
}

size_t f0t_tiles_conv_scratch(const f0t_tiles_conv *conv)
{
    (void)conv;
    return 0;
}

void f0t_tiles_conv_run(void *result, f0t_tiles_conv *conv, const void *source,
                        const int8_t *weights, const float *bias, void *scratch)
{
    (void)result, (void)conv, (void)source, (void)weights, (void)bias, (void)scratch;
}

#endif
