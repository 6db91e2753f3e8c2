/* Products of small matrices in double precision, for the closed-form methods. */
#ifndef F0T_BASELINE_SQUARE_H
#define F0T_BASELINE_SQUARE_H

#include <stddef.h>

/* c[m x n] = a[m x k] b[n x k]ᵀ. */
void f0t_square_product(double *c, const double *a, const double *b, size_t m, size_t n, size_t k);

#endif
