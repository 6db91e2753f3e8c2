/* Eigenvectors of large matrices, in steps. */
#ifndef F0T_MATH_EIGEN_H
#define F0T_MATH_EIGEN_H

#include "base/status.h"

/* f0t_eigen_f64 (solve.h) that checks the monitor's stop flag and shows progress: LAPACK's own steps,
 * the first and the last one some columns at a time. Between them one call solves the tridiagonal
 * matrix: seconds for thousands of rows. `monitor` may be NULL. */
f0t_status f0t_eigen_watched(double *a, size_t n, double *values, const f0t_monitor *monitor);

#endif
