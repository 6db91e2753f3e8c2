#include "rank/ranksvm_kernels.h"

#include <string.h>

#define REAL float
#define PAIRS svm_pairs_f32
#include "rank/ranksvm_pairs_body.h"
#undef REAL
#undef PAIRS
#define REAL double
#define PAIRS svm_pairs_f64
#include "rank/ranksvm_pairs_body.h"

void F0T_KERNEL(svm_zone_product)(float *yp, float *yn, const float *xp, const float *xn,
                                  const f0t_svm_zone *zone)
{
    const float k = (float)zone->loss.k, cap = (float)zone->loss.cap;
    memset(yn, 0, zone->nn * sizeof *yn);
    for (size_t i = 0; i < zone->np; i++) {
        const float margin = 1 - zone->p[i], x = xp[i];
        float sum = 0;
#pragma omp simd reduction(+ : sum)
        for (size_t j = 0; j < zone->nn; j++) {
            float z = margin + zone->n[j];
            float difference = z > 0 && k * z < cap ? x - xn[j] : 0;
            yn[j] -= difference;
            sum += difference;
        }
        yp[i] = sum;
    }
}

double F0T_KERNEL(svm_zone_row)(double *row, double *degrees, double p, const double *n, size_t nn,
                                f0t_svm_loss loss)
{
    double sum = 0;
#pragma omp simd reduction(+ : sum)
    for (size_t j = 0; j < nn; j++) {
        double z = 1 - p + n[j];
        double in = z > 0 && loss.k * z < loss.cap ? 1 : 0;
        row[j] = in;
        degrees[j] += in;
        sum += in;
    }
    return sum;
}

double F0T_KERNEL(svm_dot_f64)(const double *a, const double *b, size_t n)
{
    double sum = 0;
#pragma omp simd reduction(+ : sum)
    for (size_t i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

void F0T_KERNEL(svm_product)(double *y, const double *a, const double *x, size_t rows, size_t cols)
{
    for (size_t i = 0; i < rows; i++)
        y[i] = F0T_KERNEL(svm_dot_f64)(a + i * cols, x, cols);
}

void F0T_KERNEL(svm_product_lower)(double *c, const double *a, const double *b, size_t k, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        double *row = c + i * n;
        memset(row, 0, (i + 1) * sizeof *row);
        for (size_t l = 0; l < k; l++) {
            const double scale = a[l * n + i], *from = b + l * n;
            if (scale == 0)
                continue;
            for (size_t j = 0; j <= i; j++)
                row[j] += scale * from[j];
        }
    }
}

void F0T_KERNEL(svm_product_rows)(double *c, const double *a, const double *b, size_t m, size_t k,
                                  size_t n)
{
    memset(c, 0, m * n * sizeof *c);
    for (size_t i = 0; i < m; i++)
        for (size_t l = 0; l < k; l++) {
            const double scale = a[i * k + l];
            for (size_t j = 0; j < n; j++)
                c[i * n + j] += scale * b[l * n + j];
        }
}

void F0T_KERNEL(svm_gather)(double *to, const float *from, const uint32_t *index, size_t count)
{
    for (size_t i = 0; i < count; i++)
        to[i] = (double)from[index[i]];
}

/* Four vectors of sums: one alone would wait for each addition. */
double F0T_KERNEL(svm_dot)(const float *a, const float *b, size_t n)
{
    enum { LANES = 32 };
    double sums[LANES] = {0}, sum = 0;
    size_t i = 0;
    for (; i + LANES <= n; i += LANES)
        for (size_t j = 0; j < LANES; j++)
            sums[j] += (double)a[i + j] * (double)b[i + j];
    for (; i < n; i++)
        sum += (double)a[i] * (double)b[i];
    for (size_t j = 0; j < LANES; j++)
        sum += sums[j];
    return sum;
}

void F0T_KERNEL(svm_add)(double *to, double scale, const float *from, size_t n)
{
    for (size_t i = 0; i < n; i++)
        to[i] += scale * (double)from[i];
}

void F0T_KERNEL(svm_add_f32)(float *to, float scale, const float *from, size_t n)
{
    for (size_t i = 0; i < n; i++)
        to[i] += scale * from[i];
}
