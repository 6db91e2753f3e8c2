#include "word/nearest_kernels.h"

enum { LANES = 16 };

/* Sums in lanes of their own, which the compiler keeps in vector registers: it may not change the
 * order of additions by itself. */
void F0T_KERNEL(products)(double *ab, double *aa, const float *a, const float *b, size_t n)
{
    double x[LANES] = {0}, y[LANES] = {0};
    size_t i = 0;
    for (; i + LANES <= n; i += LANES)
        for (size_t k = 0; k < LANES; k++) {
            x[k] += (double)a[i + k] * (double)b[i + k];
            y[k] += (double)a[i + k] * (double)a[i + k];
        }
    for (size_t k = 0; i < n; i++, k++) {
        x[k] += (double)a[i] * (double)b[i];
        y[k] += (double)a[i] * (double)a[i];
    }
    *ab = *aa = 0;
    for (size_t k = 0; k < LANES; k++) {
        *ab += x[k];
        *aa += y[k];
    }
}
