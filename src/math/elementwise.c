#include "math/elementwise.h"

#include "base/kernels.h"
#include "base/team.h"

#include <math.h>

void f0t_exp(float *y, const float *x, size_t n)
{
    f0t_kernels()->exp_block(y, x, n);
}

void f0t_sigmoid(float *y, const float *x, size_t n)
{
    f0t_kernels()->sigmoid_block(y, x, n);
}

void f0t_softplus(float *y, const float *x, size_t n)
{
    f0t_kernels()->softplus_block(y, x, n);
}

void f0t_ln(float *y, const float *x, size_t n)
{
    f0t_kernels()->log_block(y, x, n);
}

void f0t_moments(double *sum, double *squares, const float *x, size_t n)
{
    *sum = f0t_kernels()->sum_block(x, n);
    *squares = f0t_kernels()->sum_squares(x, n);
}

bool f0t_finite_f32(const float *x, size_t n)
{
    return f0t_kernels()->finite_f32(x, n);
}

bool f0t_finite_f64(const double *x, size_t n)
{
    return f0t_kernels()->finite_f64(x, n);
}

float f0t_logsumexp(const float *x, size_t n)
{
    float most = f0t_kernels()->largest(x, n);
    if (isfinite(most))
        return (float)((double)most + log(f0t_kernels()->sum_exp(x, n, most)));
    for (size_t i = 0; i < n; i++)
        if (isnan(x[i]))
            return NAN;
    return most;
}

float f0t_softmax(float *y, const float *x, size_t n)
{
    const float sum = f0t_logsumexp(x, n);
    for (size_t i = 0; i < n; i++)
        y[i] = x[i] - sum;
    f0t_exp(y, y, n);
    return sum;
}

static void normalise_row(float *x, size_t cols)
{
    double square = f0t_kernels()->sum_squares(x, cols);
    if (square != 0)
        f0t_kernels()->scale_block(x, cols, isfinite(square) ? 1 / sqrt(square) : NAN);
}

/* Below this many numbers, starting threads costs more than it saves. */
enum { SMALL = 1 << 15 };

void f0t_rows_normalise(float *x, size_t rows, size_t cols)
{
    int threads = f0t_team_size();
    (void)threads;
#pragma omp parallel for schedule(static) num_threads(threads) if (rows > 1 && rows * cols > SMALL)
    for (size_t i = 0; i < rows; i++)
        normalise_row(x + i * cols, cols);
}
