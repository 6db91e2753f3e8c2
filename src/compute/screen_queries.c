/* Directions, and the bounds of a screen's rows along them. */
#include "base/alloc.h"
#include "base/kernels.h"
#include "compute/screen.h"
#include "math/byte_tiles.h"
#include "math/tiles.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { BLOCK = F0T_SCREEN_BLOCK, GROUP = F0T_SCREEN_GROUP, TILE = F0T_SCREEN_TILE, FEW = 4 };
enum { SIDE = F0T_BYTE_TILE_SIDE, STEP = F0T_SCREEN_STEP, CHUNK = F0T_SCREEN_CHUNK };
enum {
    TILED = 2 * FEW
}; /* directions above which AMX is faster than VNNI: below it waits for memory as well */
static const double SLACK = F0T_SCREEN_SLACK;

/* ---- Directions ------------------------------------------------------------------------------------ */

static int32_t start_of(const int8_t *code, size_t n)
{
    int32_t sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += code[i];
    return -F0T_SCREEN_ZERO * sum;
}

/* The code of a direction, and the terms of the bound, each no smaller than it is; `more` is for scores so small
 * that float32 rounds them to steps of 2^-149. */
static f0t_screen_query encode(int8_t *code, float *rest, const float *x, size_t n)
{
    const f0t_kernel_table *k = f0t_kernels();
    if (!k->finite_f32(x, n))
        return (f0t_screen_query){.constant = INFINITY};
    const double unit = (double)k->largest_size(x, n) / F0T_SCREEN_LEVELS;
    if (!(unit > 0))
        return (f0t_screen_query){.constant = 0};
    const double codes = (double)k->screen_encode(code, rest, x, n, unit);
    const double length = k->exact_product(x, x, n), left = k->exact_product(rest, rest, n);
    const double lost = sqrt((double)n) * (double)FLT_MIN; /* of rests that are no normal numbers */
    f0t_screen_query q = {.unit = unit,
                          .by_error = f0t_screen_round_up(sqrt(length) / unit * (1 + SLACK)),
                          .by_length = f0t_screen_round_up(
                              (sqrt(left) + lost) / unit * (1 + SLACK) + sqrt(codes) * SLACK),
                          .more = f0t_screen_round_up(fmin(0x1p-148 / unit, 0x1p100))};
    q.start = start_of(code, n);
    return q;
}

static f0t_status encode_all(f0t_screen_queries *q, const float *directions)
{
    float *rest;
    F0T_TRY(f0t_alloc(&rest, q->dim, sizeof *rest));
    for (size_t i = 0; i < q->count; i++)
        q->query[i] = encode(q->codes + i * q->depth, rest, directions + i * q->dim, q->dim);
    f0t_free(rest);
    return F0T_OK;
}

static void take_codes(f0t_screen_queries *q, const int8_t *codes)
{
    for (size_t i = 0; i < q->count; i++) {
        memcpy(q->codes + i * q->depth, codes + i * q->dim, q->dim);
        q->query[i] = (f0t_screen_query){.unit = 1, .start = start_of(codes + i * q->dim, q->dim)};
    }
}

/* ---- As the kernels want them ------------------------------------------------------------------------ */

static void pack(f0t_screen_tile *tile, int32_t *bytes, int32_t *pairs, size_t i,
                 const f0t_screen_query *q, const int8_t *code, size_t groups)
{
    tile->start[i] = q->start;
    tile->by_error[i] = q->by_error;
    tile->by_length[i] = q->by_length;
    tile->more[i] = q->more;
    for (size_t g = 0; g < groups; g++) {
        const int8_t *c = code + g * GROUP;
        const int16_t halves[] = {c[0], c[2], c[1], c[3]};
        memcpy(bytes + g * tile->count + i, c, GROUP);
        memcpy(pairs + (g * tile->count + i) * 2, halves, sizeof halves);
    }
}

static size_t tile_width(size_t left)
{
    return left > 2 * FEW ? TILE : left > 1 ? FEW : 1;
}

/* Width of all tiles: there are at most as many directions more as the last has room for. */
static size_t packed_width(size_t count)
{
    size_t width = 0;
    for (size_t first = 0; first < count; first += tile_width(count - first))
        width += tile_width(count - first);
    return width;
}

/* Tile t begins with direction t · TILE, but for the last ones, which have fewer. */
static f0t_status pack_all(f0t_screen_queries *q)
{
    const size_t groups = f0t_screen_groups(q->dim);
    F0T_TRY(f0t_alloc_zero(&q->tiles, q->count / TILE + 2, sizeof *q->tiles));
    F0T_TRY(f0t_alloc_zero(&q->packed, packed_width(q->count) * groups * 3, sizeof *q->packed));
    int32_t *at = q->packed;
    f0t_screen_tile *tile = q->tiles;
    q->vnni = f0t_cpu_vnni(f0t_cpu_level());
    for (size_t first = 0; first < q->count; first += (tile++)->count) {
        tile->count = tile_width(q->count - first);
        int32_t *bytes = at, *pairs = at + groups * tile->count;
        tile->bytes = bytes;
        tile->pairs = pairs;
        at += 3 * groups * tile->count;
        for (size_t i = 0; i < tile->count && first + i < q->count; i++)
            pack(tile, bytes, pairs, i, &q->query[first + i], q->codes + (first + i) * q->depth,
                 groups);
    }
    return F0T_OK;
}

/* From directions, or from codes where these are NULL. */
static f0t_status fill(f0t_screen_queries *q, const float *directions, const int8_t *codes)
{
    const size_t padded = (q->count + SIDE - 1) / SIDE * SIDE;
    F0T_TRY(f0t_alloc(&q->query, q->count, sizeof *q->query));
    F0T_TRY(f0t_alloc_zero(&q->codes, padded * q->depth, sizeof *q->codes));
    if (directions)
        F0T_TRY(encode_all(q, directions));
    else
        take_codes(q, codes);
    return q->count > TILED && f0t_tiles_take_bytes() ? F0T_OK : pack_all(q);
}

static f0t_status create(f0t_screen_queries **out, const float *directions, const int8_t *codes,
                         size_t n, size_t dim)
{
    F0T_TRY(f0t_alloc_zero(out, 1, sizeof **out));
    (*out)->count = n;
    (*out)->dim = dim;
    (*out)->depth = f0t_byte_tile_depth(dim);
    f0t_status status = fill(*out, directions, codes);
    if (status != F0T_OK) {
        f0t_screen_queries_free(*out);
        *out = NULL;
    }
    return status;
}

f0t_status f0t_screen_queries_create(f0t_screen_queries **out, const float *directions, size_t n,
                                     size_t dim)
{
    return create(out, directions, NULL, n, dim);
}

f0t_status f0t_screen_queries_create_codes(f0t_screen_queries **out, const int8_t *codes, size_t n,
                                           size_t dim)
{
    return create(out, NULL, codes, n, dim);
}

void f0t_screen_queries_free(f0t_screen_queries *q)
{
    if (!q)
        return;
    f0t_free(q->query);
    f0t_free(q->codes);
    f0t_free(q->tiles);
    f0t_free(q->packed);
    f0t_free(q);
}

/* ---- Bounds ---------------------------------------------------------------------------------------- */

/* Some rows of a screen, and the directions from one on. */
typedef struct panel {
    const f0t_screen_queries *queries;
    size_t first, count;
    const uint8_t *codes;
    const f0t_screen_bounds *bounds;
    size_t blocks;
} panel;

static void bound_by_amx(float *upper, size_t stride, const panel *p)
{
    enum { ROWS = 2 * SIDE };
    const f0t_screen_queries *q = p->queries;
    int32_t products[ROWS * CHUNK * BLOCK];
    for (size_t i = 0; i < p->count; i += ROWS) {
        const size_t rows = p->count - i < ROWS ? p->count - i : ROWS;
        f0t_byte_tiles_run(products, CHUNK * BLOCK, q->codes + (p->first + i) * q->depth, q->depth,
                           (rows + SIDE - 1) / SIDE * SIDE, p->codes, f0t_screen_groups(q->dim),
                           p->blocks);
        for (size_t r = 0; r < rows; r++)
            f0t_kernels()->screen_finish(upper + (i + r) * stride, products + r * CHUNK * BLOCK,
                                         p->bounds, p->blocks, &q->query[p->first + i + r]);
    }
}

/* A tile that has more directions than are wanted needs room of its own. */
static void bound_by_tiles(float *upper, size_t stride, const panel *p)
{
    const f0t_kernel_table *k = f0t_kernels();
    const f0t_screen_tile *tile = p->queries->tiles + p->first / TILE;
    const size_t groups = f0t_screen_groups(p->queries->dim);
    float room[TILE * CHUNK * BLOCK];
    for (size_t i = 0; i < p->count; i += (tile++)->count) {
        const bool fits = tile->count <= p->count - i;
        (p->queries->vnni ? k->screen_bounds_vnni : k->screen_bounds)(
            fits ? upper + i * stride : room, fits ? stride : CHUNK * BLOCK, p->codes, p->bounds,
            p->blocks, groups, tile);
        for (size_t r = 0; !fits && r < p->count - i; r++)
            memcpy(upper + (i + r) * stride, room + r * CHUNK * BLOCK,
                   p->blocks * BLOCK * sizeof *upper);
    }
}

/* Units become scores: rounding this product is less than SLACK, too. */
static void scale(float *upper, size_t rows, const f0t_screen_query *q)
{
    const float unit = (float)q->unit;
    for (size_t r = 0; r < rows; r++)
        upper[r] = q->unit > 0 ? upper[r] * unit : q->constant;
}

void f0t_screen_bound_units(float *upper, size_t stride, const f0t_screen *s,
                            const f0t_screen_queries *q, size_t first, size_t n, size_t block,
                            size_t blocks)
{
    const panel p = {.queries = q,
                     .first = first,
                     .count = n,
                     .codes = s->codes + block * f0t_screen_block_bytes(s->dim),
                     .bounds = s->bounds + block,
                     .blocks = blocks};
    (q->tiles ? bound_by_tiles : bound_by_amx)(upper, stride, &p);
}

void f0t_screen_bound(float *upper, size_t stride, const f0t_screen *s, const f0t_screen_queries *q,
                      size_t first, size_t n, size_t block, size_t blocks)
{
    f0t_screen_bound_units(upper, stride, s, q, first, n, block, blocks);
    for (size_t i = 0; i < n; i++)
        scale(upper + i * stride, blocks * BLOCK, &q->query[first + i]);
}
