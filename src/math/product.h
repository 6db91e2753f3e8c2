/* Products of matrices in double precision, for the methods that are solved in closed form. */
#ifndef F0T_MATH_PRODUCT_H
#define F0T_MATH_PRODUCT_H

#include "base/status.h"

typedef struct f0t_product {
    size_t m, n, k;
    bool b_transposed; /* b is [n x k], else [k x n] */
    bool lower;        /* c is symmetric: its lower triangle is computed, and copied to the upper */
} f0t_product;

/* c[m x n] = a[m x k] b, or a bᵀ; c overlaps neither. Cut into the same pieces, each of one thread, for
 * any number of threads: the same numbers give the same bytes. Between rows of pieces, at most some
 * tenths of a second apart, it looks at the monitor's stop flag; `monitor` may be NULL. */
f0t_status f0t_product_f64(double *c, const double *a, const double *b, const f0t_product *op,
                           const f0t_monitor *monitor);

#endif
