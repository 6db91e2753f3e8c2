/* Compiled once per CPU level. */
#include "base/kernels.h"

/* The pragma lets the compiler add in lanes, which it may not by itself: it changes the order. */
void F0T_KERNEL(products)(double *ab, double *aa, const float *a, const float *b, size_t n)
{
    double x = 0, y = 0;
#pragma omp simd reduction(+ : x, y)
    for (size_t i = 0; i < n; i++) {
        x += (double)a[i] * (double)b[i];
        y += (double)a[i] * (double)a[i];
    }
    *ab = x;
    *aa = y;
}
