/* The definitions, written plainly: what the fast kernels are compared with. Always compiled. */
#ifndef F0T_MATH_REFERENCE_H
#define F0T_MATH_REFERENCE_H

#include "math/matmul.h"

/* The product of f0t_matmul_run in double. With `accumulate`, c holds what is added to; its type is
 * double whatever op->result says. `magnitude` (m x n, may be NULL) receives the same sums with
 * every term taken absolute: rounding errors are proportional to it. */
void f0t_matmul_ref(double *c, double *magnitude, const void *a, const void *b, const float *bias,
                    const f0t_matmul *op);

/* As in elementwise.h, one number at a time and in double. */
double f0t_exp_ref(double x);
double f0t_sigmoid_ref(double x);
double f0t_softplus_ref(double x);
double f0t_logsumexp_ref(const float *x, size_t n);
void f0t_rows_normalise_ref(float *x, size_t rows, size_t cols);

/* As in topk.h, by sorting all. `index` has room for n. */
size_t f0t_topk_row_ref(uint32_t *index, const float *x, size_t n, size_t k);

/* As in solve.h, by Gaussian elimination without pivoting; x is rows x n. False when a pivot is not
 * positive. */
bool f0t_cholesky_solve_ref(double *a, size_t n, double *x, size_t rows);

#endif
