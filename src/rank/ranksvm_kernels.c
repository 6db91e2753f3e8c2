#include "rank/ranksvm_kernels.h"

#include <string.h>

#define REAL float
#define ROW row_f32
#define PAIRS svm_pairs_f32
#include "rank/ranksvm_pairs_body.h"
#undef REAL
#undef ROW
#undef PAIRS
#define REAL double
#define ROW row_f64
#define PAIRS svm_pairs_f64
#include "rank/ranksvm_pairs_body.h"

/* One relevant tag, of the value x. */
static float zone_row(float *restrict yn, const float *restrict xn, const float *restrict n,
                      size_t nn, float x, float margin, float k, float cap)
{
    float sum = 0;
#pragma omp simd reduction(+ : sum)
    for (size_t j = 0; j < nn; j++) {
        float z = margin + n[j], difference = x - xn[j];
        difference = z > 0 ? difference : 0;
        difference = k * z < cap ? difference : 0;
        yn[j] -= difference;
        sum += difference;
    }
    return sum;
}

void F0T_KERNEL(svm_zone_product)(float *yp, float *yn, const float *xp, const float *xn,
                                  const f0t_svm_zone *zone)
{
    memset(yn, 0, zone->nn * sizeof *yn);
    for (size_t i = 0; i < zone->np; i++)
        yp[i] = zone_row(yn, xn, zone->n, zone->nn, xp[i], 1 - zone->p[i], (float)zone->loss.k,
                         (float)zone->loss.cap);
}

double F0T_KERNEL(svm_zone_row)(double *row, double *degrees, double p, const double *n, size_t nn,
                                f0t_svm_loss loss)
{
    double sum = 0;
#pragma omp simd reduction(+ : sum)
    for (size_t j = 0; j < nn; j++) {
        double z = 1 - p + n[j];
        double in = z > 0 ? 1 : 0;
        in = loss.k * z < loss.cap ? in : 0;
        row[j] = in;
        degrees[j] += in;
        sum += in;
    }
    return sum;
}

/* Four vectors of sums: one alone would wait for each addition. */
#define DOT(name, a_type, b_type)                                       \
    double F0T_KERNEL(name)(const a_type *a, const b_type *b, size_t n) \
    {                                                                   \
        enum { LANES = 32 };                                            \
        double sums[LANES] = {0}, sum = 0;                              \
        size_t i = 0;                                                   \
        for (; i + LANES <= n; i += LANES)                              \
            for (size_t j = 0; j < LANES; j++)                          \
                sums[j] += (double)a[i + j] * (double)b[i + j];         \
        for (; i < n; i++)                                              \
            sum += (double)a[i] * (double)b[i];                         \
        for (size_t j = 0; j < LANES; j++)                              \
            sum += sums[j];                                             \
        return sum;                                                     \
    }

DOT(svm_dot, float, float)
DOT(svm_dot_mixed, float, double)
DOT(svm_dot_f64, double, double)

/* y[n] += Σ x[r] row r: four rows at a time, so that y is loaded and stored less often. */
static void add_rows(double *restrict y, const double *const *rows, const double *x, size_t count,
                     size_t n)
{
    size_t r = 0;
    for (; r + 4 <= count; r += 4) {
        const double *restrict r0 = rows[r], *restrict r1 = rows[r + 1];
        const double *restrict r2 = rows[r + 2], *restrict r3 = rows[r + 3];
        for (size_t j = 0; j < n; j++)
            y[j] += x[r] * r0[j] + x[r + 1] * r1[j] + x[r + 2] * r2[j] + x[r + 3] * r3[j];
    }
    for (; r < count; r++)
        for (size_t j = 0; j < n; j++)
            y[j] += x[r] * rows[r][j];
}

enum { BATCH = 32 };

void F0T_KERNEL(svm_sum_rows)(double *y, const double *a, const double *x, const size_t *index,
                              size_t count, size_t n)
{
    const double *rows[BATCH];
    double parts[BATCH];
    memset(y, 0, n * sizeof *y);
    for (size_t from = 0; from < count; from += BATCH) {
        const size_t some = count - from < BATCH ? count - from : BATCH;
        for (size_t i = 0; i < some; i++) {
            rows[i] = a + index[from + i] * n;
            parts[i] = x[index[from + i]];
        }
        add_rows(y, rows, parts, some, n);
    }
}

void F0T_KERNEL(svm_product_lower)(double *c, size_t stride, const double *a, const double *b,
                                   size_t k, size_t n)
{
    const double *rows[BATCH];
    double parts[BATCH];
    for (size_t i = 0; i < n; i++) {
        double *row = c + i * stride;
        size_t count = 0;
        memset(row, 0, (i + 1) * sizeof *row);
        for (size_t l = 0; l < k; l++) {
            parts[count] = a[l * n + i];
            rows[count] = b + l * n;
            count += parts[count] != 0;
            if (count == BATCH || l + 1 == k) {
                add_rows(row, rows, parts, count, i + 1);
                count = 0;
            }
        }
    }
}

void F0T_KERNEL(svm_add_grounded)(double *restrict row, const double *own, const double *ground,
                                  const size_t *places, const size_t *grounds, size_t count)
{
    for (size_t j = 0; j < count; j++)
        row[j] += (own[places[j]] - ground[places[j]]) - (own[grounds[j]] - ground[grounds[j]]);
}

void F0T_KERNEL(svm_product_rows)(double *c, const double *a, const double *b, size_t m, size_t k,
                                  size_t n)
{
    const double *rows[BATCH];
    memset(c, 0, m * n * sizeof *c);
    for (size_t from = 0; from < k; from += BATCH) {
        const size_t some = k - from < BATCH ? k - from : BATCH;
        for (size_t l = 0; l < some; l++)
            rows[l] = b + (from + l) * n;
        for (size_t i = 0; i < m; i++)
            add_rows(c + i * n, rows, a + i * k + from, some, n);
    }
}

void F0T_KERNEL(svm_gather)(double *to, const float *from, const uint32_t *index, size_t count)
{
    for (size_t i = 0; i < count; i++)
        to[i] = (double)from[index[i]];
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
