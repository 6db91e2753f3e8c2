/*
 * Products of matrices for what is solved in closed form. They are cut into the same pieces, each computed by
 * one thread, whatever the number of threads: the same numbers give the same bytes.
 */
#ifndef F0T_MATH_PRODUCT_H
#define F0T_MATH_PRODUCT_H

#include "base/status.h"

typedef struct f0t_product {
    size_t m, n, k;
    bool b_transposed; /* b is [n x k], else [k x n] */
    bool lower;        /* c is symmetric: its lower triangle is computed, and copied to the upper */
} f0t_product;

/* c[m x n] = a[m x k] b, or a bᵀ, in double precision; c overlaps neither. Between rows of pieces, at
 * most some tenths of a second apart, it looks at the monitor's stop flag; `monitor` may be NULL. */
f0t_status f0t_product_f64(double *c, const double *a, const double *b, const f0t_product *op,
                           const f0t_monitor *monitor);

/* Adds XᵀX of x[rows x cols] to the lower triangle of g[cols x cols]; the upper one stays as it is
 * (the solvers of solve.h read the lower). A block's products are summed in float32, at half the
 * arithmetic of a matrix product, and blocks in double: the error does not grow with their number.
 */
f0t_status f0t_gram_add(double *g, const float *x, size_t rows, size_t cols);

/* Adds AᵀX of a[rows x m] and x[rows x n] to c[m x n]. */
f0t_status f0t_cross_add(float *c, const float *a, const float *x, size_t rows, size_t m, size_t n);

#endif
