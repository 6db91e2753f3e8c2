/*
 * Products in float32 with a right-hand side that was packed once. On CPUs with AVX2 and no more oneDNN 2.6 has
 * no layout of its own for it, packs it at each call, and for some widths (3072 columns: all rows in the same sets of the
 * cache) reaches half of its speed. With AVX-512 its layout is as fast while it is in the cache, and slower where it comes from
 * memory, as the weights of a network do. docs/performance.md has the figures.
 *
 * A panel is F0T_PANEL columns of B, row after row, filled up with zeros; panels of F0T_PANEL_DEPTH rows of B lie one
 * behind the other, so that memory is read in order.
 */
#ifndef F0T_MATH_PANELS_H
#define F0T_MATH_PANELS_H

#include "math/matmul.h"

enum { F0T_PANEL = 16, F0T_PANEL_ROWS = 6, F0T_PANEL_BLOCK = 8, F0T_PANEL_DEPTH = 768 };

/* Floats of a block of a group of rows that was packed. */
enum { F0T_PANEL_STEP = F0T_PANEL_ROWS * F0T_PANEL_BLOCK };

/* What the kernel panel_product does: c[rows x columns] = relu(a · panel + bias + c), of which all but the product is optional. Rows
 * of a lie in groups of F0T_PANEL_ROWS, `a_group` apart; a group has F0T_PANEL_BLOCK numbers of each row, and `a_block` behind
 * their beginning the next ones of each. There are `blocks` such blocks, and the panel has as many rows as they have numbers. Blocks
 * of as many columns of a row of c are `c_block` apart. */
typedef struct f0t_panel_strip {
    float *c;
    const float *a, *b;
    const float *bias; /* of each column, or NULL */
    size_t c_row, c_block, a_group, a_block, rows, blocks;
    size_t columns; /* of panels that lie one behind the other, the last of which may have fewer */
    bool add, relu;
} f0t_panel_strip;

/* Where block `block` of row i is in groups that have `blocks` of them. */
static inline size_t f0t_panel_row(size_t i, size_t block, size_t blocks)
{
    return (i / F0T_PANEL_ROWS * blocks + block) * F0T_PANEL_STEP +
           i % F0T_PANEL_ROWS * F0T_PANEL_BLOCK;
}

/* Where in the panels of a k x n matrix the rows from p on, a multiple of F0T_PANEL_DEPTH, of column j begin, which is a
 * multiple of F0T_PANEL. There are F0T_PANEL_DEPTH of them, or those that are left. */
size_t f0t_panel_at(size_t k, size_t n, size_t p, size_t j);

/* Whether they are the fastest on this CPU, of whatever size; and for a k x n matrix and about m rows (of a network: those
 * of one picture). */
bool f0t_panels_native(void);
bool f0t_panels_suit(size_t m, size_t k, size_t n);

/* Floats of a packed k x n matrix; 0 where no memory could hold them. */
size_t f0t_panels_room(size_t k, size_t n);

/* Packs columns first … first + count - 1 of B from b, which is stored as k x count, or count x k where it is
 * transposed. `first` is a multiple of F0T_PANEL. */
void f0t_panels_pack(float *panels, size_t k, size_t n, const float *b, size_t first, size_t count,
                     bool transposed);

/* As f0t_matmul_run, in float32; no size is 0. A row of C is the same for any number of rows and threads. */
f0t_status f0t_panels_run(float *c, const float *a, const float *panels, const float *bias,
                          const f0t_matmul *op);

#endif
