/* Cholesky's factorisation of small matrices: eight columns at a time, whose part of all later rows
 * is then taken off four rows at a time. The eight columns are kept as rows of their own. */
#include "rank/ranksvm_kernels.h"

#include <math.h>

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
