/* Compiled once a CPU level: elementwise.h has what others call. */
#ifndef F0T_MATH_ELEMENTWISE_KERNELS_H
#define F0T_MATH_ELEMENTWISE_KERNELS_H

#include "base/cpu.h"

#include <stdbool.h>
#include <stddef.h>

F0T_KERNEL_DECLARE(void, exp_block, (float *y, const float *x, size_t n));
F0T_KERNEL_DECLARE(void, sigmoid_block, (float *y, const float *x, size_t n));
F0T_KERNEL_DECLARE(void, softplus_block, (float *y, const float *x, size_t n));

/* The largest (NaN passed over; -infinity for n = 0), and Σ exp(x_i - shift). */
F0T_KERNEL_DECLARE(float, largest, (const float *x, size_t n));
F0T_KERNEL_DECLARE(double, sum_exp, (const float *x, size_t n, float shift));

F0T_KERNEL_DECLARE(double, sum_squares, (const float *x, size_t n));
F0T_KERNEL_DECLARE(void, scale_block, (float *x, size_t n, double factor));

F0T_KERNEL_DECLARE(bool, finite_f32, (const float *x, size_t n));
F0T_KERNEL_DECLARE(bool, finite_f64, (const double *x, size_t n));

#endif
