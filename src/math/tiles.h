/*
 * Products in bfloat16 on AMX, the tiles of Intel's servers since Sapphire Rapids, whose AVX512_BF16 is half as fast
 * as float32. oneDNN 2.6 has them and fails (math/onednn.c). Called by math/matmul.c.
 */
#ifndef F0T_MATH_TILES_H
#define F0T_MATH_TILES_H

#include "math/matmul.h"

/* Whether this CPU has the tiles and the system lends them. F0T_MAX_CPU, whatever its value, and a level of oneDNN
 * (ONEDNN_MAX_CPU_ISA) without bfloat16 leave them out. */
bool f0t_tiles_native(void);
/* The same, and it multiplies bytes by them, too (math/byte_tiles.h). */
bool f0t_tiles_take_bytes(void);

/* Whether the product is one for tiles, where they are native: bfloat16, and large enough to fill some. */
bool f0t_tiles_fit(const f0t_matmul *op);

/* As f0t_matmul_run, on the threads of f0t_team_size(). `tiles` is B as f0t_tiles_pack lays it, or NULL: then `b` is
 * B as it is. A row of C is the same for any number of rows and of threads. */
f0t_status f0t_tiles_run(void *c, const void *a, const void *b, const uint16_t *tiles,
                         const float *bias, const f0t_matmul *op);

/* Numbers that a right-hand side of k x n has as tiles, the zeros at its border among them; 0 where that is more than
 * memory can be. */
size_t f0t_tiles_room(size_t k, size_t n);

/* Columns first … first + count - 1 of such tiles from b, k x count or, when `transposed`, count x k. `first` is a
 * multiple of F0T_TILE_COLUMNS, and so is count unless these are the last ones. */
enum { F0T_TILE_COLUMNS = 16 };
f0t_status f0t_tiles_pack(uint16_t *tiles, const float *b, size_t k, size_t first, size_t count,
                          bool transposed);

/* The calling thread's eight tiles, each of 16 rows of 64 bytes: theirs who multiply by tiles themselves
 * (math/byte_tiles.c), where they are native. */
void f0t_tiles_begin(void);
void f0t_tiles_end(void);

#endif
