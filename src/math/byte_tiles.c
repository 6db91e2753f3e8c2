/* A tile of A is 16 rows of 64 numbers; one of B is 64 x 16 numbers, of which a row holds four rows of B, number by
 * number in turn: what a block of B is as it lies. */
#include "math/byte_tiles.h"

#include "math/tiles.h"

enum { SIDE = F0T_BYTE_TILE_SIDE, DEPTH = F0T_BYTE_TILE_DEPTH, TILE = SIDE * DEPTH, GROUP = 4 };

size_t f0t_byte_tile_depth(size_t k)
{
    return (k + DEPTH - 1) / DEPTH * DEPTH;
}

#if defined(__x86_64__)

#include <immintrin.h>
#include <stdbool.h>
#include <string.h>

#define TILES __attribute__((target("amx-tile,amx-int8")))
#define INLINE TILES static inline __attribute__((always_inline))

/* Where the tiles of one or two blocks of B are, and what is left of each past its last whole tile. */
typedef struct panel {
    const uint8_t *blocks[2];
    size_t whole; /* tiles of a block */
    uint8_t rest[2][TILE] __attribute__((aligned(DEPTH)));
} panel;

/* Adds the products of one tile along k; `down` is from A's first 16 rows to the next. */
INLINE void add_tile(const int8_t *a, size_t depth, size_t down, const uint8_t *b,
                     const uint8_t *b2, bool two_rows, bool two_blocks)
{
    _tile_loadd(4, a, depth);
    _tile_loadd(6, b, DEPTH);
    _tile_dpbsud(0, 4, 6);
    if (two_blocks) {
        _tile_loadd(7, b2, DEPTH);
        _tile_dpbsud(1, 4, 7);
    }
    if (two_rows) {
        _tile_loadd(5, a + down, depth);
        _tile_dpbsud(2, 5, 6);
    }
    if (two_rows && two_blocks)
        _tile_dpbsud(3, 5, 7);
}

/* 16 or 32 rows with one or two blocks. */
INLINE void multiply(int32_t *c, size_t stride, const int8_t *a, size_t depth, const panel *p,
                     bool two_rows, bool two_blocks)
{
    const size_t line = stride * sizeof *c, down = SIDE * depth;
    _tile_zero(0);
    _tile_zero(1);
    _tile_zero(2);
    _tile_zero(3);
    for (size_t t = 0; t < p->whole; t++)
        add_tile(a + t * DEPTH, depth, down, p->blocks[0] + t * TILE, p->blocks[1] + t * TILE,
                 two_rows, two_blocks);
    if (p->whole * DEPTH < depth)
        add_tile(a + p->whole * DEPTH, depth, down, p->rest[0], p->rest[1], two_rows, two_blocks);
    _tile_stored(0, c, line);
    if (two_blocks)
        _tile_stored(1, c + SIDE, line);
    if (two_rows)
        _tile_stored(2, c + SIDE * stride, line);
    if (two_rows && two_blocks)
        _tile_stored(3, c + SIDE * stride + SIDE, line);
}

static void set_panel(panel *p, const uint8_t *b, size_t groups, size_t blocks)
{
    const size_t size = groups * SIDE * GROUP, whole = p->whole * TILE;
    for (size_t i = 0; i < 2; i++) {
        p->blocks[i] = b + (i < blocks ? i * size : 0);
        memcpy(p->rest[i], p->blocks[i] + whole, size - whole);
    }
    __asm__ volatile("" : : "r"(p) : "memory"); /* the compiler does not know what tiles read */
}

TILES void f0t_byte_tiles_run(int32_t *c, size_t stride, const int8_t *a, size_t depth, size_t rows,
                              const uint8_t *b, size_t groups, size_t blocks)
{
    panel p = {.whole = groups * GROUP / DEPTH};
    f0t_tiles_begin();
    for (size_t j = 0; j < blocks; j += 2) {
        const bool two_blocks = j + 1 < blocks;
        set_panel(&p, b + j * groups * SIDE * GROUP, groups, two_blocks ? 2 : 1);
        for (size_t i = 0; i < rows; i += 2 * SIDE) {
            int32_t *to = c + i * stride + j * SIDE;
            const int8_t *from = a + i * depth;
            if (i + SIDE < rows && two_blocks)
                multiply(to, stride, from, depth, &p, true, true);
            else if (i + SIDE < rows)
                multiply(to, stride, from, depth, &p, true, false);
            else if (two_blocks)
                multiply(to, stride, from, depth, &p, false, true);
            else
                multiply(to, stride, from, depth, &p, false, false);
        }
    }
    f0t_tiles_end();
}

#else

/* Not called: there are none. */
void f0t_byte_tiles_run(int32_t *c, size_t stride, const int8_t *a, size_t depth, size_t rows,
                        const uint8_t *b, size_t groups, size_t blocks)
{
    (void)c, (void)stride, (void)a, (void)depth, (void)rows, (void)b, (void)groups, (void)blocks;
}

#endif
