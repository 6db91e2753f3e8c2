#include "math/product.h"

#include "base/monitor.h"
#include "base/team.h"

#include <cblas.h>
#include <limits.h>

enum { ROWS = 64, COLUMNS = 256 }; /* of a piece */

static size_t at_most(size_t left, size_t most)
{
    return left < most ? left : most;
}

static void piece(double *c, const double *a, const double *b, const f0t_product *op, size_t i,
                  size_t j)
{
    const int m = (int)at_most(op->m - i, ROWS), n = (int)at_most(op->n - j, COLUMNS);
    cblas_dgemm(CblasRowMajor, CblasNoTrans, op->b_transposed ? CblasTrans : CblasNoTrans, m, n,
                (int)op->k, 1, a + i * op->k, (int)op->k, op->b_transposed ? b + j * op->k : b + j,
                op->b_transposed ? (int)op->k : (int)op->n, 0, c + i * op->n + j, (int)op->n);
}

/* In a team OpenBLAS uses one thread per call; in a team of one it would ask for the number that
 * f0t_team_enter has set. */
static void row_of_pieces(double *c, const double *a, const double *b, const f0t_product *op,
                          size_t i)
{
    const size_t end = op->lower ? at_most(i + ROWS, op->n) : op->n;
    int threads = f0t_team_size();
    (void)threads;
#pragma omp parallel for schedule(dynamic) num_threads(threads)
    for (size_t j = 0; j < end; j += COLUMNS)
        piece(c, a, b, op, i, j);
}

static void mirror(double *c, size_t n)
{
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++)
            c[j * n + i] = c[i * n + j];
}

f0t_status f0t_product_f64(double *c, const double *a, const double *b, const f0t_product *op,
                           const f0t_monitor *monitor)
{
    f0t_stage stage = f0t_stage_begin(monitor, "multiplying matrices", "rows", op->m);
    f0t_status status = F0T_OK;
    if (op->m > INT_MAX || op->n > INT_MAX || op->k > INT_MAX)
        return f0t_fail(F0T_ERROR_UNSUPPORTED, "a matrix of %zu x %zu x %zu is too large", op->m,
                        op->n, op->k);
    int before = f0t_team_enter();
    for (size_t i = 0; i < op->m && status == F0T_OK; i += ROWS) {
        status = f0t_stage_update(&stage, i);
        if (status == F0T_OK)
            row_of_pieces(c, a, b, op, i);
    }
    f0t_team_leave(before);
    if (status == F0T_OK && op->lower)
        mirror(c, op->n);
    return status;
}
