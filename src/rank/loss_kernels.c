#include "base/kernels.h"

#include "math/approx.h"

/* Floats are summed over stretches of this length. */
enum { STRETCH = 1024 };

static inline size_t stretch_end(size_t from, size_t n)
{
    return n - from < STRETCH ? n : from + STRETCH;
}

/* log(1 + e) for e from 0 up to the largest float: 1 + e = 2^k (1 + t), t in 0 … 1. Below 1 the
 * sum is not formed: small e stay accurate. */
static inline float log1p_any(float e)
{
    float sum = 1.0F + e;
    uint32_t bits;
    memcpy(&bits, &sum, sizeof bits);
    float k = (float)((int32_t)(bits >> 23) - 127);
    uint32_t mantissa_bits = (bits & 0x7FFFFFU) | 0x3F800000U;
    float mantissa;
    memcpy(&mantissa, &mantissa_bits, sizeof mantissa);
    float t = e < 1.0F ? e : mantissa - 1.0F;
    k = e < 1.0F ? 0.0F : k;
    return f0t_mul_add(k, 0.693147181F, f0t_log1p_inline(t));
}

double F0T_KERNEL(row_exp)(float *y, const float *row, size_t n, float shift)
{
    double sum = 0;
#pragma omp simd reduction(+ : sum)
    for (size_t i = 0; i < n; i++) {
        y[i] = f0t_exp_inline(row[i] - shift);
        sum += (double)y[i];
    }
    return sum;
}

double F0T_KERNEL(pairs_from_exp)(float *excess, float *gradient, const float *t, float u, size_t n)
{
    double total = 0;
    for (size_t from = 0, to; from < n; from = to) {
        float sum = 0;
        to = stretch_end(from, n);
#pragma omp simd reduction(+ : sum)
        for (size_t i = from; i < to; i++) {
            float z = t[i] * u;
            float factor = 1.0F + z;
            float sigmoid = z / factor;
            excess[i] = f0t_mul_add(excess[i], factor, z);
            gradient[i] += sigmoid;
            sum += sigmoid;
        }
        total += (double)sum;
    }
    return total;
}

double F0T_KERNEL(excess_take)(float *excess, size_t n)
{
    double sum = 0;
#pragma omp simd reduction(+ : sum)
    for (size_t i = 0; i < n; i++) {
        sum += (double)log1p_any(excess[i]);
        excess[i] = 0.0F;
    }
    return sum;
}

double F0T_KERNEL(pairs_from_scores)(double *loss, float *gradient, const float *row, float score,
                                     size_t n)
{
    double total = 0, losses = 0;
#pragma omp simd reduction(+ : total, losses)
    for (size_t i = 0; i < n; i++) {
        float x = row[i] - score;
        float e = f0t_exp_minus_abs(x);
        float sigmoid = (x < 0.0F ? e : 1.0F) / (1.0F + e);
        losses += (double)((x > 0.0F ? x : 0.0F) + f0t_log1p_inline(e));
        gradient[i] += sigmoid;
        total += (double)sigmoid;
    }
    *loss += losses;
    return total;
}

double F0T_KERNEL(row_hinge)(float *gradient, const float *row, size_t n, float slope)
{
    double sum = 0;
#pragma omp simd reduction(+ : sum)
    for (size_t i = 0; i < n; i++) {
        float bracket = 1.0F + row[i];
        sum += (double)(bracket > 0.0F ? bracket : 0.0F);
        gradient[i] = bracket > 0.0F ? slope : 0.0F;
    }
    return sum;
}

double F0T_KERNEL(row_squared_hinge)(float *gradient, const float *row, size_t n, float slope)
{
    double sum = 0;
#pragma omp simd reduction(+ : sum)
    for (size_t i = 0; i < n; i++) {
        float bracket = 1.0F + row[i];
        bracket = bracket > 0.0F ? bracket : 0.0F;
        sum += (double)bracket * (double)bracket;
        gradient[i] = 2.0F * bracket * slope;
    }
    return sum;
}

void F0T_KERNEL(row_scale)(float *y, const float *x, size_t n, float factor)
{
#pragma omp simd
    for (size_t i = 0; i < n; i++)
        y[i] = x[i] * factor;
}

double F0T_KERNEL(row_distance)(float *gradient, const float *x, const float *target, size_t n,
                                float factor)
{
    double sum = 0;
#pragma omp simd reduction(+ : sum)
    for (size_t i = 0; i < n; i++) {
        float difference = x[i] - target[i];
        sum += (double)difference * (double)difference;
        gradient[i] = factor * difference;
    }
    return sum;
}
