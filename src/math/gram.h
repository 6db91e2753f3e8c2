/* Sums of products of features, block by block. They are made of tiles, each by one thread: the same
 * bytes for any number of threads. */
#ifndef F0T_MATH_GRAM_H
#define F0T_MATH_GRAM_H

#include "base/status.h"

/* Adds XᵀX of x[rows x cols] to the lower triangle of g[cols x cols]; the upper one stays as it is
 * (the solvers of solve.h read the lower). A block's products are summed in float32, at half the
 * arithmetic of a matrix product, and blocks in double: the error does not grow with their number.
 */
f0t_status f0t_gram_add(double *g, const float *x, size_t rows, size_t cols);

/* Adds AᵀX of a[rows x m] and x[rows x n] to c[m x n]. */
f0t_status f0t_cross_add(float *c, const float *a, const float *x, size_t rows, size_t m, size_t n);

#endif
