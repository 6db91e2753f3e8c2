/*
 * Many rows, ranked along a direction: the first k exactly, at a quarter of the bytes.
 *
 * The score of row v along direction q is their product, summed in double in a fixed order (the kernel
 * exact_product) and rounded to float32 once: the same on every CPU. Larger scores come first, equal ones by
 * row number. A screen finds the first k of them without computing all.
 *
 * It has each row as v = s c + r: a scale s, a code c of whole numbers in [-127, 127], and the length e of what
 * rounding left, r. A direction is q = t p + u in the same way. Then
 *
 *     |q·v - t s (p·c)|  =  |q·r + u·(s c)|  <=  |q| e + |u| |s c|
 *
 * by Cauchy and Schwarz, where p·c is exact in integers. A row whose score is at most t s (p·c) + |q| e + |u| |s c|
 * and thereby below k others is not among the first; the scores of all others are computed from the rows
 * themselves. `encode` (screen_queries.c) adds what float32 may round away on the way to this bound. Whatever the
 * rows are, the result is exact; where the bound excludes few of them (near-ties, one dimension much larger than
 * all others) it costs more.
 */
#ifndef F0T_COMPUTE_SCREEN_H
#define F0T_COMPUTE_SCREEN_H

#include "base/status.h"

/* Rows lie in blocks, so that one register holds a group of dimensions of all rows of a block. */
enum { F0T_SCREEN_BLOCK = 16, F0T_SCREEN_GROUP = 4 };
enum { F0T_SCREEN_DIM_MOST = 1 << 16 }; /* up to which 32 bits hold p·c */

/* What the bound needs of a block's rows. */
typedef struct f0t_screen_bounds {
    float scale[F0T_SCREEN_BLOCK]; /* s */
    float error
        [F0T_SCREEN_BLOCK]; /* e, rounded up; infinite for a row that is always to be computed */
    float length[F0T_SCREEN_BLOCK]; /* |s c|, rounded up */
} f0t_screen_bounds;

/* Code c of dimension d of row r is 128 + c at codes[r / 16][d / 4][r % 16][d % 4]. */
typedef struct f0t_screen {
    size_t count, dim;
    const uint8_t *codes;            /* [blocks x groups x 16 x 4] */
    const f0t_screen_bounds *bounds; /* [blocks] */
    uint8_t *own_codes;              /* the same, where they are not a file's */
    f0t_screen_bounds *own_bounds;
    size_t capacity; /* blocks that there is room for */
} f0t_screen;

size_t f0t_screen_blocks(size_t count);
size_t f0t_screen_block_bytes(size_t dim); /* of the codes of a block */

/* An empty one. */
f0t_status f0t_screen_create(f0t_screen **out, size_t dim);
void f0t_screen_free(f0t_screen *screen);

/* Adds rows[count x dim] after those it has. A NaN or an infinity fails with F0T_ERROR_NUMERIC, and adds nothing. */
f0t_status f0t_screen_append(f0t_screen *screen, const float *rows, size_t count);

/* The min(k, count) first rows along each of directions[n x dim], best first, into index and score (may be NULL),
 * both [n x min(k, count)]. `rows` are those that were appended. A direction with NaN or infinity fails with
 * F0T_ERROR_NUMERIC; codes and bounds that cannot be of these rows may fail with F0T_ERROR_FORMAT. */
f0t_status f0t_screen_top(uint32_t *index, float *score, size_t k, const f0t_screen *screen,
                          const float *rows, const float *directions, size_t n);

/* ---- Bounds alone ---------------------------------------------------------------------------------- */

/* Directions as they are multiplied with codes. */
typedef struct f0t_screen_queries f0t_screen_queries;

f0t_status f0t_screen_queries_create(f0t_screen_queries **out, const float *directions, size_t n,
                                     size_t dim);
void f0t_screen_queries_free(f0t_screen_queries *queries);

/* Bounds that no row's score is above, for whoever adds more to scores than a direction says, by the calling thread
 * alone: of the rows of blocks [block, block + blocks), at most F0T_SCREEN_CHUNK, along directions [first, first + n), at
 * most F0T_SCREEN_STEP and `first` a multiple of it. That of row r of these along direction first + i is upper[i * stride +
 * r]. Along a direction without a length all are 0, along one with NaN or infinity infinite. */
enum { F0T_SCREEN_CHUNK = 32, F0T_SCREEN_STEP = 48 };
void f0t_screen_bound(float *upper, size_t stride, const f0t_screen *screen,
                      const f0t_screen_queries *queries, size_t first, size_t n, size_t block,
                      size_t blocks);

/* ---- For its parts --------------------------------------------------------------------------------- */

enum {
    F0T_SCREEN_LEVELS = 127,
    F0T_SCREEN_ZERO = 128
}; /* the largest code, and what 0 is stored as */

/* More than float32 can round away on the way to a bound, relative to what is summed, with room for the last
 * rounding of the score itself: a row below the bound is below it as float32, too. */
#define F0T_SCREEN_SLACK 0x1p-20

size_t f0t_screen_groups(size_t dim);
float f0t_screen_round_up(double x); /* no smaller as a float */

/* Row `row` of codes that lie as a screen's do, where those after the last dimension are F0T_SCREEN_ZERO already. */
void f0t_screen_put(uint8_t *codes, size_t row, const int8_t *code, size_t dim);

/* Directions that are codes[n x dim]: what f0t_screen_bound_units gives along them has no other terms than the products'. */
f0t_status f0t_screen_queries_create_codes(f0t_screen_queries **out, const int8_t *codes, size_t n,
                                           size_t dim);

/* A direction in units of t: row r's bound is t times
 * s_r · (p·c_r) + by_error · e_r + by_length · |s c|_r + more. */
typedef struct f0t_screen_query {
    double unit; /* t; 0: there is no code, and the bound is `constant` for all rows */
    float constant;
    float by_error, by_length, more;
    int32_t start; /* -128 times the sum of p */
} f0t_screen_query;

/* As f0t_screen_bound, in units of t, of directions that have a code. */
void f0t_screen_bound_units(float *upper, size_t stride, const f0t_screen *screen,
                            const f0t_screen_queries *queries, size_t first, size_t n, size_t block,
                            size_t blocks);

/* ---- For the kernels ------------------------------------------------------------------------------- */

enum { F0T_SCREEN_TILE = 12 }; /* directions that go through the codes together */

/* Some directions. */
typedef struct f0t_screen_tile {
    size_t count;         /* 1, 4 or F0T_SCREEN_TILE; past the real ones zeros */
    const int32_t *bytes; /* [groups x count]: the 4 numbers of a group as bytes, */
    const int32_t *pairs; /* [groups x count x 2]: and as 16 bits, the even ones and the odd ones */
    int32_t start[F0T_SCREEN_TILE];
    float by_error[F0T_SCREEN_TILE], by_length[F0T_SCREEN_TILE], more[F0T_SCREEN_TILE];
} f0t_screen_tile;

struct f0t_screen_queries {
    size_t count, dim;
    f0t_screen_query *query; /* [count] */
    size_t depth;            /* of a code: a multiple of F0T_BYTE_TILE_DEPTH */
    int8_t *codes;           /* [count, up to a multiple of F0T_BYTE_TILE_SIDE, x depth] */
    f0t_screen_tile *tiles;  /* where bytes are not multiplied by AMX; else NULL */
    int32_t *packed;         /* what the tiles point to */
    bool vnni;               /* which kernel takes them */
};

#endif
