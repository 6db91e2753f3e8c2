#include "reference.h"

#include <math.h>
#include <stdlib.h>

static double element(const void *matrix, f0t_dtype type, size_t i)
{
    const float *wide = matrix;
    const uint16_t *narrow = matrix;
    return type == F0T_BF16 ? (double)f0t_bf16_to_f32_ref(narrow[i]) : (double)wide[i];
}

void f0t_matmul_ref(double *c, double *magnitude, const void *a, const void *b, const float *bias,
                    const f0t_matmul *op)
{
    for (size_t i = 0; i < op->m; i++)
        for (size_t j = 0; j < op->n; j++) {
            double *out = &c[i * op->n + j];
            double sum = op->accumulate ? *out : 0, size = fabs(sum);
            for (size_t l = 0; l < op->k; l++) {
                double x = element(a, op->type, op->a_transposed ? l * op->m + i : i * op->k + l);
                double y = element(b, op->type, op->b_transposed ? j * op->k + l : l * op->n + j);
                sum += x * y;
                size += fabs(x * y);
            }
            sum += bias ? (double)bias[j] : 0;
            size += bias ? fabs((double)bias[j]) : 0;
            *out = op->relu && sum < 0 ? 0 : sum;
            if (magnitude)
                magnitude[i * op->n + j] = size;
        }
}

double f0t_exp_ref(double x)
{
    return exp(x);
}

double f0t_sigmoid_ref(double x)
{
    return x < 0 ? exp(x) / (1 + exp(x)) : 1 / (1 + exp(-x));
}

double f0t_softplus_ref(double x)
{
    return x < 0 ? log1p(exp(x)) : x + log1p(exp(-x));
}

double f0t_logsumexp_ref(const float *x, size_t n)
{
    double most = -INFINITY, sum = 0;
    for (size_t i = 0; i < n; i++) {
        if (isnan(x[i]))
            return NAN;
        most = fmax(most, (double)x[i]);
    }
    if (isinf(most))
        return most;
    for (size_t i = 0; i < n; i++)
        sum += exp((double)x[i] - most);
    return most + log(sum);
}

void f0t_rows_normalise_ref(float *x, size_t rows, size_t cols)
{
    for (size_t i = 0; i < rows; i++, x += cols) {
        long double sum = 0;
        for (size_t j = 0; j < cols; j++)
            sum += (long double)x[j] * x[j];
        for (size_t j = 0; j < cols && sum != 0; j++)
            x[j] = isfinite(sum) ? (float)(x[j] / sqrtl(sum)) : NAN;
    }
}

/* Larger first, NaN last, then by index. */
static int before(const void *left, const void *right, void *values)
{
    const float *x = values;
    uint32_t i = *(const uint32_t *)left, j = *(const uint32_t *)right;
    if (isnan(x[i]) != isnan(x[j]))
        return isnan(x[i]) ? 1 : -1;
    if (x[i] != x[j] && !isnan(x[i]))
        return x[i] > x[j] ? -1 : 1;
    return i < j ? -1 : i > j;
}

size_t f0t_topk_row_ref(uint32_t *index, const float *x, size_t n, size_t k)
{
    union {
        const float *in;
        void *out;
    } values = {x};
    for (size_t i = 0; i < n; i++)
        index[i] = (uint32_t)i;
    if (n)
        qsort_r(index, n, sizeof *index, before, values.out);
    return k < n ? k : n;
}

bool f0t_cholesky_solve_ref(double *a, size_t n, double *x, size_t rows)
{
    for (size_t p = 0; p < n; p++) {
        if (!(a[p * n + p] > 0))
            return false;
        for (size_t i = p + 1; i < n; i++) {
            double factor = a[i * n + p] / a[p * n + p];
            for (size_t j = p; j < n; j++)
                a[i * n + j] -= factor * a[p * n + j];
            for (size_t r = 0; r < rows; r++)
                x[r * n + i] -= factor * x[r * n + p];
        }
    }
    for (size_t r = 0; r < rows; r++)
        for (size_t i = n; i-- > 0;) {
            for (size_t j = i + 1; j < n; j++)
                x[r * n + i] -= a[i * n + j] * x[r * n + j];
            x[r * n + i] /= a[i * n + i];
        }
    return true;
}
