/* Functions of each number of an array, and of rows. Outputs may be the inputs. They run in the
 * calling thread, but for f0t_rows_normalise. Losses that fuse them use approx.h. */
#ifndef F0T_MATH_ELEMENTWISE_H
#define F0T_MATH_ELEMENTWISE_H

#include "base/status.h"

void f0t_exp(float *y, const float *x, size_t n);
void f0t_sigmoid(float *y, const float *x, size_t n);  /* 1 / (1 + exp(-x)) */
void f0t_softplus(float *y, const float *x, size_t n); /* log(1 + exp(x)) */
/* The natural logarithm of numbers from 2^-126 on; NaN and infinity give NaN, others any number. */
void f0t_ln(float *y, const float *x, size_t n);

/* log Σ exp(x_i) without overflow, to within 2e-7 + half a unit in the last place. -infinity for
 * n = 0; NaN when one of x is. */
float f0t_logsumexp(const float *x, size_t n);
/* y[n] = exp(x) / Σ exp(x_i). Returns log Σ exp(x_i). */
float f0t_softmax(float *y, const float *x, size_t n);

/* Divides each row of x[rows x cols] by its Euclidean length, which neither overflows nor
 * vanishes. A row of zeros stays; a row with NaN or infinity becomes NaN. */
void f0t_rows_normalise(float *x, size_t rows, size_t cols);

/* Σ x and Σ x², in double. */
void f0t_moments(double *sum, double *squares, const float *x, size_t n);

/* False when NaN or infinity is among the numbers. */
bool f0t_finite_f32(const float *x, size_t n);
bool f0t_finite_f64(const double *x, size_t n);

#endif
