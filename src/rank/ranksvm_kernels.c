/* The inner loops of the ranking SVM. */
#include "rank/ranksvm_pairs.h"

#include <math.h>
#include <string.h>

/* ---- Pairs ------------------------------------------------------------------------------------- */

/* Sums over one relevant tag are of the type itself, those over all tags are double. The pairs of one
 * relevant tag, 1 − its score being `margin`: the conditions stand one by one and choose between two
 * numbers, so the loop has no branch and becomes vector instructions. */
/* clang-format off */
#define PAIRS(real, row, pairs)                                                                 \
    static real row(f0t_svm_sums *restrict sums, real *restrict gn, const real *restrict n,     \
                    size_t nn, real margin, real k, real cap)                                   \
    {                                                                                           \
        real slope = 0, moment = 0, square = 0, slack = 0, zone = 0;                            \
        _Pragma("omp simd reduction(+ : slope, moment, square, slack, zone)")                   \
        for (size_t j = 0; j < nn; j++) {                                                       \
            real z = margin + n[j];                                                             \
            real in = z > 0 ? (real)1 : (real)0;                                                \
            z = z > 0 ? z : 0;                                                                  \
            real g = k * z;                                                                     \
            in = g < cap ? in : 0;                                                              \
            g = g < cap ? g : cap;                                                              \
            gn[j] += g;                                                                         \
            slope += g;                                                                         \
            moment += g * z;                                                                    \
            square += g * g;                                                                    \
            slack += z;                                                                         \
            zone += in;                                                                         \
        }                                                                                       \
        sums->slope += (double)slope;                                                           \
        sums->moment += (double)moment;                                                         \
        sums->square += (double)square;                                                         \
        sums->slack += (double)slack;                                                           \
        sums->zone += (double)zone;                                                             \
        return slope;                                                                           \
    }                                                                                           \
                                                                                                \
    void F0T_KERNEL(pairs)(f0t_svm_sums *sums, real *gp, real *gn, const real *p, size_t np,    \
                           const real *n, size_t nn, f0t_svm_loss loss)                         \
    {                                                                                           \
        memset(sums, 0, sizeof *sums);                                                          \
        memset(gn, 0, nn * sizeof *gn);                                                         \
        for (size_t i = 0; i < np; i++)                                                         \
            gp[i] = row(sums, gn, n, nn, 1 - p[i], (real)loss.k, (real)loss.cap);               \
    }
/* clang-format on */

PAIRS(float, row_f32, svm_pairs_f32)
PAIRS(double, row_f64, svm_pairs_f64)

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

/* ---- Vectors and rows -------------------------------------------------------------------------- */

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

/* ---- Cholesky ---------------------------------------------------------------------------------- */

/* Cholesky's factorisation of small matrices: eight columns at a time, whose part of all later rows
 * is then taken off four rows at a time. The eight columns are kept as rows of their own. */
enum { COLUMNS = 8, ROWS = 4 };

/* Factors columns k … k + width - 1 into columns[width x n]. */
static bool factor(double *restrict a, double *restrict columns, size_t n, size_t k, size_t width)
{
    for (size_t i = k; i < n; i++)
        for (size_t c = 0; c < width; c++)
            columns[c * n + i] = a[i * n + k + c];
    for (size_t c = 0; c < width; c++) {
        double *restrict column = columns + c * n;
        for (size_t before = 0; before < c; before++) {
            const double *restrict other = columns + before * n, part = other[k + c];
            for (size_t i = k + c; i < n; i++)
                column[i] -= part * other[i];
        }
        if (!(column[k + c] > 0))
            return false;
        const double inverse = 1 / sqrt(column[k + c]);
        for (size_t i = k + c; i < n; i++)
            column[i] *= inverse;
    }
    for (size_t i = k; i < n; i++)
        for (size_t c = 0; c < width; c++)
            a[i * n + k + c] = columns[c * n + i];
    return true;
}

/* Takes the part of eight columns off one row, from element `first` to the diagonal. */
static void take_off(double *restrict row, const double *restrict columns, size_t n, size_t i,
                     size_t first)
{
    double part[COLUMNS];
    for (size_t c = 0; c < COLUMNS; c++)
        part[c] = columns[c * n + i];
    for (size_t j = first; j <= i; j++) {
        double sum = 0;
        for (size_t c = 0; c < COLUMNS; c++)
            sum += part[c] * columns[c * n + j];
        row[j] -= sum;
    }
}

/* The same for four rows. What it writes above the diagonal is not read. */
static void take_off_rows(double *restrict a, const double *restrict columns, size_t n, size_t i,
                          size_t first)
{
    double *restrict r0 = a + i * n, *restrict r1 = r0 + n;
    double *restrict r2 = r1 + n, *restrict r3 = r2 + n;
    double part[ROWS][COLUMNS];
    for (size_t r = 0; r < ROWS; r++)
        for (size_t c = 0; c < COLUMNS; c++)
            part[r][c] = columns[c * n + i + r];
    for (size_t j = first; j < i + ROWS; j++) {
        double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
        for (size_t c = 0; c < COLUMNS; c++) {
            const double value = columns[c * n + j];
            s0 += part[0][c] * value;
            s1 += part[1][c] * value;
            s2 += part[2][c] * value;
            s3 += part[3][c] * value;
        }
        r0[j] -= s0;
        r1[j] -= s1;
        r2[j] -= s2;
        r3[j] -= s3;
    }
}

static void substitute(const double *restrict a, double *restrict x, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        double sum = 0;
#pragma omp simd reduction(+ : sum)
        for (size_t j = 0; j < i; j++)
            sum += a[i * n + j] * x[j];
        x[i] = (x[i] - sum) / a[i * n + i];
    }
    for (size_t i = n; i-- > 0;) {
        const double value = x[i] /= a[i * n + i];
        for (size_t j = 0; j < i; j++)
            x[j] -= value * a[i * n + j];
    }
}

bool F0T_KERNEL(svm_cholesky)(double *a, double *x, double *room, size_t n)
{
    for (size_t k = 0; k < n; k += COLUMNS) {
        const size_t width = n - k < COLUMNS ? n - k : COLUMNS;
        if (!factor(a, room, n, k, width))
            return false;
        size_t i = k + width;
        for (; i + ROWS <= n; i += ROWS)
            take_off_rows(a, room, n, i, k + width);
        for (; i < n; i++)
            take_off(a + i * n, room, n, i, k + width);
    }
    substitute(a, x, n);
    return true;
}
