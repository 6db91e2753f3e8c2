/*
 * Products of bytes on AMX, which multiplies 16 times as many of them per cycle as AVX-512's VNNI. Sums are whole numbers:
 * they are those of any other way to compute them.
 */
#ifndef F0T_MATH_BYTE_TILES_H
#define F0T_MATH_BYTE_TILES_H

#include <stddef.h>
#include <stdint.h>

/* A's rows have a multiple of F0T_BYTE_TILE_DEPTH numbers; what is past the last of B's is 0. */
enum { F0T_BYTE_TILE_SIDE = 16, F0T_BYTE_TILE_DEPTH = 64 };
size_t f0t_byte_tile_depth(size_t k);

/* c = A Bᵀ, where f0t_tiles_take_bytes() (math/tiles.h), by the calling thread. A is a[rows x depth], rows a multiple of F0T_BYTE_TILE_SIDE. B
 * lies in blocks of 16 of its rows: number k of row r is b[r / 16][k / 4][r % 16][k % 4], with `groups` of four numbers. Of
 * C's numbers row i begins at c[i * stride]. The sum of sizes of an element's products is to be below 2^31. */
void f0t_byte_tiles_run(int32_t *c, size_t stride, const int8_t *a, size_t depth, size_t rows,
                        const uint8_t *b, size_t groups, size_t blocks);

#endif
