#include "base/kernels.h"

#include "math/approx.h"

#include <math.h>

/* "omp simd" says that an output which is the input is no obstacle, and lets sums be taken in
 * another order. */

void F0T_KERNEL(exp_block)(float *y, const float *x, size_t n)
{
#pragma omp simd
    for (size_t i = 0; i < n; i++)
        y[i] = f0t_exp_inline(x[i]);
}

void F0T_KERNEL(sigmoid_block)(float *y, const float *x, size_t n)
{
#pragma omp simd
    for (size_t i = 0; i < n; i++)
        y[i] = f0t_sigmoid_inline(x[i]);
}

void F0T_KERNEL(softplus_block)(float *y, const float *x, size_t n)
{
#pragma omp simd
    for (size_t i = 0; i < n; i++)
        y[i] = f0t_softplus_inline(x[i]);
}

void F0T_KERNEL(log_block)(float *y, const float *x, size_t n)
{
#pragma omp simd
    for (size_t i = 0; i < n; i++)
        y[i] = f0t_log_inline(x[i]);
}

float F0T_KERNEL(largest)(const float *x, size_t n)
{
    float most = -INFINITY;
#pragma omp simd reduction(max : most)
    for (size_t i = 0; i < n; i++)
        most = x[i] > most ? x[i] : most;
    return most;
}

double F0T_KERNEL(sum_exp)(const float *x, size_t n, float shift)
{
    double sum = 0;
#pragma omp simd reduction(+ : sum)
    for (size_t i = 0; i < n; i++)
        sum += (double)f0t_exp_inline(x[i] - shift);
    return sum;
}

double F0T_KERNEL(sum_block)(const float *x, size_t n)
{
    double sum = 0;
#pragma omp simd reduction(+ : sum)
    for (size_t i = 0; i < n; i++)
        sum += (double)x[i];
    return sum;
}

/* In double no square of a float overflows or vanishes. */
double F0T_KERNEL(sum_squares)(const float *x, size_t n)
{
    double sum = 0;
#pragma omp simd reduction(+ : sum)
    for (size_t i = 0; i < n; i++)
        sum += (double)x[i] * (double)x[i];
    return sum;
}

void F0T_KERNEL(scale_block)(float *x, size_t n, double factor)
{
#pragma omp simd
    for (size_t i = 0; i < n; i++)
        x[i] = (float)((double)x[i] * factor);
}

void F0T_KERNEL(add_block)(float *y, const float *x, size_t n)
{
#pragma omp simd
    for (size_t i = 0; i < n; i++)
        y[i] += x[i];
}

bool F0T_KERNEL(finite_f32)(const float *x, size_t n)
{
    uint32_t bad = 0;
#pragma omp simd reduction(| : bad)
    for (size_t i = 0; i < n; i++) {
        uint32_t bits;
        memcpy(&bits, &x[i], sizeof bits);
        bad |= (bits & 0x7F800000U) == 0x7F800000U;
    }
    return !bad;
}

bool F0T_KERNEL(finite_f64)(const double *x, size_t n)
{
    uint64_t bad = 0;
#pragma omp simd reduction(| : bad)
    for (size_t i = 0; i < n; i++) {
        uint64_t bits;
        memcpy(&bits, &x[i], sizeof bits);
        bad |= (bits & 0x7FF0000000000000U) == 0x7FF0000000000000U;
    }
    return !bad;
}
