#include "baseline/square.h"

#include "base/team.h"

/* Four sums at a time: each has its own order, so that the same numbers give the same bytes for any
 * number of threads. */
static double dot(const double *a, const double *b, size_t n)
{
    double sum[4] = {0};
    size_t i = 0;
    for (; i + 4 <= n; i += 4)
        for (size_t j = 0; j < 4; j++)
            sum[j] += a[i + j] * b[i + j];
    for (; i < n; i++)
        sum[0] += a[i] * b[i];
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

void f0t_square_product(double *c, const double *a, const double *b, size_t m, size_t n, size_t k)
{
    int threads = f0t_team_size();
    (void)threads;
#pragma omp parallel for schedule(static) num_threads(threads)
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < n; j++)
            c[i * n + j] = dot(a + i * k, b + j * k, k);
}
