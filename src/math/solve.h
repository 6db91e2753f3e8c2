/*
 * Factorisations by LAPACK. Matrices are row-major; each function is arranged so that LAPACK, which
 * is column-major, needs no transposed copy. Input that holds NaN or infinity fails with
 * F0T_ERROR_NUMERIC before LAPACK sees it.
 *
 * LAPACK's sums depend on its number of threads. What is solved by Cholesky is the same bytes for any
 * number, and so are watched eigenvectors and what is done by one thread.
 */
#ifndef F0T_MATH_SOLVE_H
#define F0T_MATH_SOLVE_H

#include "base/status.h"

/* Solves x·A = b for each of `rows` rows b of x[rows x n], in place. A[n x n] is symmetric positive
 * definite; only its lower triangle is read, and it is overwritten by its factor. Fails with
 * F0T_ERROR_NUMERIC, naming the pivot, when A is not positive definite: x is then unchanged. Made of
 * pieces of some tenths of a second, between which it checks the monitor's stop flag (`monitor` may
 * be NULL); they are the same for any number of threads, and so are the results. */
f0t_status f0t_cholesky_solve_f64(double *a, size_t n, double *x, size_t rows,
                                  const f0t_monitor *monitor);

/* All eigenvalues of the symmetric A[n x n], ascending, into values[n]; row i of A becomes the unit
 * eigenvector of value i. Only the lower triangle is read. */
f0t_status f0t_eigen_f64(double *a, size_t n, double *values);

/* Thin singular value decomposition A[m x n] = U·diag(s)·Vt with p = min(m, n): u[m x p], s[p]
 * descending, vt[p x n]. A is overwritten. */
f0t_status f0t_svd_f64(double *a, size_t m, size_t n, double *u, double *s, double *vt);

/* The same by one thread. */
f0t_status f0t_eigen_by_one(double *a, size_t n, double *values);
f0t_status f0t_svd_by_one(double *a, size_t m, size_t n, double *u, double *s, double *vt);

/* f0t_eigen_f64 for large matrices, which checks the monitor's stop flag and shows progress: LAPACK's own
 * steps, the first and the last one some columns at a time. Between them one call solves the tridiagonal
 * matrix: seconds for thousands of rows. The pieces are the same for any number of threads, and so are the
 * results. `monitor` may be NULL. */
f0t_status f0t_eigen_watched(double *a, size_t n, double *values, const f0t_monitor *monitor);

#endif
