/* Tall matrices: many rows, some hundred columns. The work is cut at the same rows whatever the
 * number of threads, and sums are taken in the same order: results do not depend on it. */
#ifndef F0T_MATH_TALL_H
#define F0T_MATH_TALL_H

#include "base/status.h"

/* The eigenvalues of xᵀx, x[rows x n], descending into values[n], and row i of w[n x n] the unit
 * eigenvector of value i. */
f0t_status f0t_tall_eigen(double *values, double *w, const float *x, size_t rows, size_t n);

/* y[rows x d] = x[rows x n] · tᵀ, t[d x n], d at most n. y may be x: then rows are d apart. */
f0t_status f0t_tall_turn(float *y, const float *x, const float *t, size_t rows, size_t n, size_t d);

#endif
