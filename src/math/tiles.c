/* A tile has 16 rows of 64 bytes. C's is 16 x 16 sums; A's is 16 rows of 32 numbers; B's is 32 x 16 numbers, of
 * which a row holds two rows of B, number by number in turn. One instruction adds the product of two to a third.
 *
 * A and B are packed whole, tile by tile, those of a row (column) of tiles one after the other along k. Then each block
 * of C is summed up in float32 by one thread, along k in pieces that leave the tiles in a near cache. */
#include "math/tiles.h"

#include "base/cpu.h"
#include "base/size.h"
#include "base/team.h"
#include "math/workspace.h"

enum { SIDE = 16, DEPTH = 32, TILE = SIDE * DEPTH }; /* numbers of a tile of A or B */

/* Tiles of fewer rows or columns would be mostly padding. */
enum { LEAST = SIDE };

bool f0t_tiles_fit(const f0t_matmul *op)
{
    return op->type == F0T_BF16 && op->m >= LEAST && op->n >= LEAST && op->k >= DEPTH;
}

#if defined(__x86_64__)

#include <cpuid.h>
#include <immintrin.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define TILES __attribute__((target("amx-tile,amx-bf16,avx512f,avx512bw,avx512vl,avx512dq")))

/* ---- Are there tiles? -------------------------------------------------------------------------- */

static bool native, take_bytes;

/* Linux saves the tiles of a process that has asked for them. */
static void ask(void)
{
    enum { AMX_BF16 = 1 << 22, AMX_TILE = 1 << 24, AMX_INT8 = 1 << 25 }; /* of leaf 7, in edx */
    enum { REQUEST = 0x1023, TILE_DATA = 18 }; /* ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA */
    unsigned a, b, c, d = 0;
    native = !getenv("F0T_MAX_CPU") && f0t_cpu_level() == F0T_CPU_WIDEST && f0t_matmul_has_bf16() &&
             __get_cpuid_count(7, 0, &a, &b, &c, &d) && (d & AMX_BF16) && (d & AMX_TILE) &&
             !syscall(SYS_arch_prctl, REQUEST, TILE_DATA);
    take_bytes = native && (d & AMX_INT8);
}

static void ask_once(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, ask);
}

bool f0t_tiles_native(void)
{
    ask_once();
    return native;
}

bool f0t_tiles_take_bytes(void)
{
    ask_once();
    return take_bytes;
}

/* ---- Packing ------------------------------------------------------------------------------------ */

/* A matrix of bfloat16 as it lies, and as tiles: `across` is the side that tiles have 16 of (A's rows, B's columns),
 * `deep` is k. */
typedef struct operand {
    const uint16_t *data;
    size_t across, deep;
    bool deep_first; /* stored as deep x across */
    bool pairs_down; /* tiles of B */
    uint16_t *tiles;
} operand;

static size_t count_tiles(size_t n, size_t of)
{
    return (n + of - 1) / of;
}

/* The first n bits. */
static uint32_t first_bits(size_t n)
{
    return n >= 32 ? UINT32_MAX : (UINT32_C(1) << n) - 1;
}

/* Pairs of numbers with k and k + 1, of a matrix stored as across x deep: a row has 16 pairs of one place across. */
TILES static void load_along(__m512i rows[SIDE], const operand *o, size_t across, size_t deep)
{
    const __mmask32 mask = first_bits(o->deep - deep);
    for (size_t i = 0; i < SIDE; i++)
        rows[i] = across + i < o->across
                      ? _mm512_maskz_loadu_epi16(mask, o->data + (across + i) * o->deep + deep)
                      : _mm512_setzero_si512();
}

TILES static __m512i load_wide(const operand *o, size_t across, size_t deep)
{
    if (deep >= o->deep || across >= o->across)
        return _mm512_setzero_si512();
    const __mmask16 mask = (__mmask16)first_bits(o->across - across);
    return _mm512_cvtepu16_epi32(
        _mm256_maskz_loadu_epi16(mask, o->data + deep * o->across + across));
}

/* The same of a matrix stored as deep x across: a row has a pair of each of 16 places across. */
TILES static void load_down(__m512i rows[SIDE], const operand *o, size_t across, size_t deep)
{
    for (size_t i = 0; i < SIDE; i++) {
        const __m512i even = load_wide(o, across, deep + 2 * i);
        const __m512i odd = load_wide(o, across, deep + 2 * i + 1);
        rows[i] = _mm512_or_si512(even, _mm512_slli_epi32(odd, 16));
    }
}

/* Rows become columns: pairs within lanes of four, then the lanes. */
TILES static void transpose(__m512i r[SIDE])
{
    __m512i t[SIDE];
    for (size_t i = 0; i < SIDE; i += 2) {
        t[i] = _mm512_unpacklo_epi32(r[i], r[i + 1]);
        t[i + 1] = _mm512_unpackhi_epi32(r[i], r[i + 1]);
    }
    for (size_t i = 0; i < SIDE; i += 4)
        for (size_t j = 0; j < 2; j++) {
            r[i + 2 * j] = _mm512_unpacklo_epi64(t[i + j], t[i + j + 2]);
            r[i + 2 * j + 1] = _mm512_unpackhi_epi64(t[i + j], t[i + j + 2]);
        }
    for (size_t i = 0; i < SIDE; i += 8)
        for (size_t j = 0; j < 4; j++) {
            t[i + j] = _mm512_shuffle_i32x4(r[i + j], r[i + j + 4], 0x88);
            t[i + j + 4] = _mm512_shuffle_i32x4(r[i + j], r[i + j + 4], 0xdd);
        }
    for (size_t j = 0; j < 8; j++) {
        r[j] = _mm512_shuffle_i32x4(t[j], t[j + 8], 0x88);
        r[j + 8] = _mm512_shuffle_i32x4(t[j], t[j + 8], 0xdd);
    }
}

/* A row of tiles along k. */
TILES static void pack(const operand *o, size_t row)
{
    const size_t depth = count_tiles(o->deep, DEPTH);
    uint16_t *to = o->tiles + row * depth * TILE;
    for (size_t d = 0; d < depth; d++, to += TILE) {
        __m512i rows[SIDE];
        if (o->deep_first)
            load_down(rows, o, row * SIDE, d * DEPTH);
        else
            load_along(rows, o, row * SIDE, d * DEPTH);
        if (o->deep_first != o->pairs_down)
            transpose(rows);
        for (size_t i = 0; i < SIDE; i++)
            _mm512_store_si512(to + i * DEPTH, rows[i]);
    }
}

/* ---- Products ----------------------------------------------------------------------------------- */

/* A block of C in tiles, and what is added up at a time: 64 KiB of B are used for all rows of the block. */
enum { BLOCK = 16, STRIDE = BLOCK * SIDE, PIECE = 32, SUMS = STRIDE * STRIDE };

typedef struct product {
    const f0t_matmul *op;
    const float *bias;
    void *c;
    operand a, b; /* b.data is NULL where B is packed already */
    const uint16_t *b_tiles;
    size_t rows, cols, depth; /* in tiles, the first two even */
    int threads;
    float *sums; /* [threads x SUMS] */
} product;

TILES void f0t_tiles_begin(void)
{
    struct {
        uint8_t palette, start, reserved[14];
        uint16_t bytes[16];
        uint8_t rows[16];
    } all = {.palette = 1};
    for (size_t i = 0; i < 8; i++) {
        all.bytes[i] = 2 * DEPTH;
        all.rows[i] = SIDE;
    }
    __asm__ volatile("" : : "r"(&all) : "memory"); /* the compiler does not know what tiles read */
    _tile_loadconfig(&all);
}

TILES void f0t_tiles_end(void)
{
    _tile_release();
}

/* Adds to 2 x 2 tiles of sums; `next` is from one row (column) of tiles to the following. */
TILES static void add_products(float *sums, const uint16_t *a, const uint16_t *b, size_t next,
                               size_t depth)
{
    enum { LINE = STRIDE * sizeof(float), DOWN = SIDE * STRIDE };
    _tile_loadd(0, sums, LINE);
    _tile_loadd(1, sums + SIDE, LINE);
    _tile_loadd(2, sums + DOWN, LINE);
    _tile_loadd(3, sums + DOWN + SIDE, LINE);
    for (size_t d = 0; d < depth; d++, a += TILE, b += TILE) {
        _tile_loadd(4, a, 2 * DEPTH);
        _tile_loadd(5, a + next, 2 * DEPTH);
        _tile_loadd(6, b, 2 * DEPTH);
        _tile_loadd(7, b + next, 2 * DEPTH);
        _tile_dpbf16ps(0, 4, 6);
        _tile_dpbf16ps(1, 4, 7);
        _tile_dpbf16ps(2, 5, 6);
        _tile_dpbf16ps(3, 5, 7);
    }
    _tile_stored(0, sums, LINE);
    _tile_stored(1, sums + SIDE, LINE);
    _tile_stored(2, sums + DOWN, LINE);
    _tile_stored(3, sums + DOWN + SIDE, LINE);
}

static size_t least(size_t x, size_t y)
{
    return x < y ? x : y;
}

/* The sums of the block whose first tile is (row, col). */
TILES static void sum_block(float *sums, const product *p, size_t row, size_t col)
{
    const size_t rows = least(BLOCK, p->rows - row), cols = least(BLOCK, p->cols - col);
    const size_t next = p->depth * TILE;
    memset(sums, 0, rows * SIDE * STRIDE * sizeof *sums);
    f0t_tiles_begin();
    for (size_t d = 0; d < p->depth; d += PIECE)
        for (size_t j = 0; j < cols; j += 2)
            for (size_t i = 0; i < rows; i += 2)
                add_products(
                    sums + i * SIDE * STRIDE + j * SIDE, p->a.tiles + (row + i) * next + d * TILE,
                    p->b_tiles + (col + j) * next + d * TILE, next, least(PIECE, p->depth - d));
    f0t_tiles_end();
}

/* One row of the block: what stands around A·B. */
static void finish(float *row, const product *p, size_t at, size_t col, size_t cols)
{
    const f0t_matmul *op = p->op;
    const size_t place = at * op->n + col;
    float *c = (float *)p->c + place;
    if (p->bias)
        for (size_t j = 0; j < cols; j++)
            row[j] += p->bias[col + j];
    if (op->accumulate)
        for (size_t j = 0; j < cols; j++)
            row[j] += c[j];
    if (op->relu)
        for (size_t j = 0; j < cols; j++)
            row[j] = row[j] < 0 ? 0 : row[j];
    if (op->result == F0T_BF16)
        f0t_f32_to_bf16((uint16_t *)p->c + place, row, cols);
    else
        memcpy(c, row, cols * sizeof *c);
}

static void run_block(const product *p, size_t block)
{
    const size_t across = count_tiles(p->cols, BLOCK);
    const size_t row = block / across * BLOCK, col = block % across * BLOCK;
    const size_t from = row * SIDE, first = col * SIDE;
    float *sums = p->sums + (size_t)f0t_team_member() * SUMS;
    sum_block(sums, p, row, col);
    for (size_t i = 0; i < least(STRIDE, p->op->m - from); i++)
        finish(sums + i * STRIDE, p, from + i, first, least(STRIDE, p->op->n - first));
}

/* B may be packed already. */
static void run(const product *p)
{
    const size_t panels = p->rows + (p->b.data ? p->cols : 0);
    const size_t blocks = count_tiles(p->rows, BLOCK) * count_tiles(p->cols, BLOCK);
#pragma omp parallel num_threads(p->threads)
    {
#pragma omp for schedule(dynamic, 8)
        for (size_t i = 0; i < panels; i++)
            pack(i < p->rows ? &p->a : &p->b, i < p->rows ? i : i - p->rows);
#pragma omp for schedule(dynamic, 1)
        for (size_t i = 0; i < blocks; i++)
            run_block(p, i);
    }
}

/* ---- The calls ---------------------------------------------------------------------------------- */

static size_t even_tiles(size_t n)
{
    return 2 * count_tiles(n, 2 * SIDE);
}

size_t f0t_tiles_room(size_t k, size_t n)
{
    size_t room;
    if (!f0t_size_mul(&room, even_tiles(n), count_tiles(k, DEPTH)) ||
        !f0t_size_mul(&room, room, TILE) || room > SIZE_MAX / sizeof(float))
        return 0;
    return room;
}

f0t_status f0t_tiles_run(void *c, const void *a, const void *b, const uint16_t *tiles,
                         const float *bias, const f0t_matmul *op)
{
    const int threads = f0t_team_size();
    const size_t of_a = f0t_tiles_room(op->k, op->m);
    const size_t of_b = tiles ? TILE : f0t_tiles_room(op->k, op->n); /* one where none is needed */
    size_t bytes, sums;
    f0t_workspace *room;
    if (!of_a || !of_b || !f0t_size_mul(&sums, (size_t)threads, SUMS * sizeof(float)) ||
        !f0t_size_add(&bytes, of_a * sizeof *tiles, of_b * sizeof *tiles) ||
        !f0t_size_add(&bytes, bytes, sums))
        return f0t_fail(F0T_ERROR_MEMORY, "no memory for a product of %zu x %zu x %zu", op->m,
                        op->n, op->k);
    F0T_TRY(f0t_workspace_take(&room, bytes));
    uint16_t *packed_a = room->data, *packed_b = packed_a + of_a;
    const product p = {.op = op,
                       .bias = bias,
                       .c = c,
                       .a = {a, op->m, op->k, op->a_transposed, false, packed_a},
                       .b = {tiles ? NULL : b, op->n, op->k, !op->b_transposed, true, packed_b},
                       .b_tiles = tiles ? tiles : packed_b,
                       .rows = even_tiles(op->m),
                       .cols = even_tiles(op->n),
                       .depth = count_tiles(op->k, DEPTH),
                       .threads = threads,
                       .sums = (float *)(packed_b + of_b)};
    run(&p);
    f0t_workspace_give(room);
    return F0T_OK;
}

f0t_status f0t_tiles_pack(uint16_t *tiles, const float *b, size_t k, size_t first, size_t count,
                          bool transposed)
{
    f0t_workspace *half;
    F0T_TRY(f0t_workspace_take(&half, k * count * sizeof *tiles));
    f0t_f32_to_bf16(half->data, b, k * count);
    const operand o = {half->data,  count, k,
                       !transposed, true,  tiles + first / SIDE * count_tiles(k, DEPTH) * TILE};
#pragma omp parallel for schedule(dynamic, 8) num_threads(f0t_team_size())
    for (size_t i = 0; i < count_tiles(count, SIDE); i++)
        pack(&o, i);
    f0t_workspace_give(half);
    return F0T_OK;
}

#else

bool f0t_tiles_native(void)
{
    return false;
}

bool f0t_tiles_take_bytes(void)
{
    return false;
}

size_t f0t_tiles_room(size_t k, size_t n)
{
    (void)k, (void)n;
    return 0;
}

static f0t_status refuse(void)
{
    return f0t_fail(F0T_ERROR_UNSUPPORTED, "this CPU has no tiles");
}

f0t_status f0t_tiles_run(void *c, const void *a, const void *b, const uint16_t *tiles,
                         const float *bias, const f0t_matmul *op)
{
    (void)c, (void)a, (void)b, (void)tiles, (void)bias, (void)op;
    return refuse();
}

f0t_status f0t_tiles_pack(uint16_t *tiles, const float *b, size_t k, size_t first, size_t count,
                          bool transposed)
{
    (void)tiles, (void)b, (void)k, (void)first, (void)count, (void)transposed;
    return refuse();
}

void f0t_tiles_begin(void)
{
}

void f0t_tiles_end(void)
{
}

#endif
