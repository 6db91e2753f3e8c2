/* The inner loops of the losses. Compiled once per CPU level. */
#include "base/kernels.h"
#include "compute/loss_pairs.h"

#include "math/approx.h"

#include <math.h>
#include <string.h>

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

double F0T_KERNEL(row_logistic)(float *gradient, const float *row, size_t n, float slope)
{
    double sum = 0;
#pragma omp simd reduction(+ : sum)
    for (size_t i = 0; i < n; i++) {
        float x = row[i];
        float e = f0t_exp_minus_abs(x);
        sum += (double)((x > 0.0F ? x : 0.0F) + f0t_log1p_inline(e));
        gradient[i] = (x < 0.0F ? e : 1.0F) / (1.0F + e) * slope;
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

/* ---- The pairs of a batch ---------------------------------------------------------------------- */

void F0T_KERNEL(row_range)(float *low, float *high, const float *x, size_t n)
{
    float least = INFINITY, most = -INFINITY;
#pragma omp simd reduction(min : least) reduction(max : most)
    for (size_t i = 0; i < n; i++) {
        least = x[i] < least ? x[i] : least;
        most = x[i] > most ? x[i] : most;
    }
    *low = least;
    *high = most;
}

enum { MOMENTS_STRETCH = 256 };

/* next = 2 u T_m − T_{m-1}, in place of T_{m-1}; returns its sum. */
static double next_polynomial(double *last, const double *current, const double *u, size_t n)
{
    double sum = 0;
#pragma omp simd reduction(+ : sum)
    for (size_t i = 0; i < n; i++) {
        last[i] = 2 * u[i] * current[i] - last[i];
        sum += last[i];
    }
    return sum;
}

static void stretch_moments(double *moments, const float *x, size_t n, double centre)
{
    double u[MOMENTS_STRETCH], last[MOMENTS_STRETCH], current[MOMENTS_STRETCH], sum = 0;
#pragma omp simd reduction(+ : sum)
    for (size_t i = 0; i < n; i++) {
        u[i] = ((double)x[i] - centre) * (2 / F0T_PIECE_WIDTH);
        last[i] = 1;
        current[i] = u[i];
        sum += u[i];
    }
    moments[0] += (double)n;
    moments[1] += sum;
    for (int m = 2; m < F0T_NODES; m += 2) {
        moments[m] += next_polynomial(last, current, u, n);
        moments[m + 1] += next_polynomial(current, last, u, n);
    }
}

void F0T_KERNEL(piece_moments)(double *moments, const float *x, size_t n, double centre)
{
    memset(moments, 0, F0T_NODES * sizeof *moments);
    for (size_t i = 0; i < n; i += MOMENTS_STRETCH)
        stretch_moments(moments, x + i, n - i < MOMENTS_STRETCH ? n - i : MOMENTS_STRETCH, centre);
}

/* Clenshaw's recurrence. */
void F0T_KERNEL(piece_evaluate)(float *y, const float *x, size_t n, double centre,
                                const double *coefficients, double factor)
{
#pragma omp simd
    for (size_t i = 0; i < n; i++) {
        double u = ((double)x[i] - centre) * (2 / F0T_PIECE_WIDTH);
        double b1 = 0, b2 = 0;
        for (int m = F0T_NODES - 1; m > 0; m--) {
            double b0 = 2 * u * b1 - b2 + coefficients[m];
            b2 = b1;
            b1 = b0;
        }
        y[i] = (float)(factor * (u * b1 - b2 + coefficients[0]));
    }
}

/* As in base/kernels.h: the softplus of several a at once is the log of a product. Each factor is
 * below exp(FAR_ABOVE + 2), and so many of them below a double's largest. */
enum { FACTORS = 16 };

static void take_excess(double *softplus, double *excess)
{
    for (int k = 0; k < F0T_NODES; k++) {
        softplus[k] += log1p(excess[k]);
        excess[k] = 0;
    }
}

void F0T_KERNEL(node_sums)(double *softplus, double *sigmoid, const f0t_nodes *nodes, double centre,
                           const float *a, size_t n)
{
    double excess[F0T_NODES] = {0}, above = 0, far = 0;
    int factors = 0;
    memset(softplus, 0, F0T_NODES * sizeof *softplus);
    memset(sigmoid, 0, F0T_NODES * sizeof *sigmoid);
    for (size_t i = 0; i < n; i++) {
        double distance = centre - (double)a[i];
        if (distance > F0T_FAR_ABOVE) {
            above += distance;
            far++;
        } else if (distance > -F0T_FAR_BELOW) {
            double exp_centre = exp(distance);
#pragma omp simd
            for (int k = 0; k < F0T_NODES; k++) {
                double z = nodes->exps[k] * exp_centre;
                sigmoid[k] += z / (1 + z);
                excess[k] = excess[k] * (1 + z) + z;
            }
            if (++factors == FACTORS) {
                take_excess(softplus, excess);
                factors = 0;
            }
        }
    }
    take_excess(softplus, excess);
    for (int k = 0; k < F0T_NODES; k++) {
        softplus[k] += above + far * nodes->at[k];
        sigmoid[k] += far;
    }
}

double F0T_KERNEL(node_weighted)(const f0t_nodes *nodes, const double *weights, double exp_centre)
{
    double sum = 0;
#pragma omp simd reduction(+ : sum)
    for (int k = 0; k < F0T_NODES; k++) {
        double z = nodes->exps[k] * exp_centre;
        sum += weights[k] * (z / (1 + z));
    }
    return sum;
}
