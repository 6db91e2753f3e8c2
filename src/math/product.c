#include "math/product.h"

#include "base/monitor.h"
#include "base/size.h"
#include "base/team.h"
#include "math/blas.h"
#include "math/matmul.h"
#include "math/workspace.h"

#include <cblas.h>
#include <limits.h>
#include <string.h>

static void (*const choose_blas)(void) __attribute__((used)) = f0t_blas_choose;

/* ---- AB in double precision ------------------------------------------------------------------ */

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

/* ---- Sums over blocks of rows ------------------------------------------------------------------ */

enum { TILE = 192, STRIP = 64 }; /* rows and columns of a tile; rows of a strip */

static size_t parts(size_t n, size_t size)
{
    return (n + size - 1) / size;
}

static size_t width(size_t part, size_t n, size_t size)
{
    return n - part * size < size ? n - part * size : size;
}

/* Tile (i, j) of XᵀX, j <= i. Inside a team BLAS uses one thread. */
static void multiply_tile(float *block, const float *x, size_t rows, size_t cols, size_t i,
                          size_t j)
{
    const int n = (int)cols, high = (int)width(i, cols, TILE), wide = (int)width(j, cols, TILE);
    float *to = block + i * TILE * cols + j * TILE;
    if (i == j)
        cblas_ssyrk(CblasRowMajor, CblasLower, CblasTrans, high, (int)rows, 1.0F, x + i * TILE, n,
                    0.0F, to, n);
    else
        cblas_sgemm(CblasRowMajor, CblasTrans, CblasNoTrans, high, wide, (int)rows, 1.0F,
                    x + i * TILE, n, x + j * TILE, n, 0.0F, to, n);
}

static void add_tile(double *g, const float *block, size_t cols, size_t i, size_t j)
{
    const size_t bottom = i * TILE + width(i, cols, TILE), right = j * TILE + width(j, cols, TILE);
    for (size_t r = i * TILE; r < bottom; r++)
        for (size_t c = j * TILE; c < right && c <= r; c++)
            g[r * cols + c] += (double)block[r * cols + c];
}

f0t_status f0t_gram_add(double *g, const float *x, size_t rows, size_t cols)
{
    size_t bytes;
    f0t_workspace *room;
    if (!rows || !cols)
        return F0T_OK;
    if (rows > INT_MAX || cols > INT_MAX)
        return f0t_fail(F0T_ERROR_UNSUPPORTED, "a block of %zu x %zu is too large", rows, cols);
    if (!f0t_size_mul(&bytes, cols, cols) || !f0t_size_mul(&bytes, bytes, sizeof(float)))
        return f0t_fail(F0T_ERROR_MEMORY, "no memory for %zu x %zu products", cols, cols);
    F0T_TRY(f0t_workspace_take(&room, bytes));
    float *block = room->data;
    const int before = f0t_team_enter(), threads = f0t_team_size();
    const size_t side = parts(cols, TILE);
    (void)threads;
#pragma omp parallel for schedule(dynamic) num_threads(threads)
    for (size_t t = 0; t < side * side; t++) {
        const size_t i = t / side, j = t % side;
        if (j > i)
            continue;
        multiply_tile(block, x, rows, cols, i, j);
        add_tile(g, block, cols, i, j);
    }
    f0t_team_leave(before);
    f0t_workspace_give(room);
    return F0T_OK;
}

/* A strip of c is a strip of columns of a, copied, with all of x. */
static f0t_status add_strip(float *c, const float *a, const float *x, size_t rows, size_t m,
                            size_t n, size_t strip)
{
    const size_t wide = width(strip, m, STRIP);
    const f0t_matmul product = {
        .m = wide, .n = n, .k = rows, .a_transposed = true, .accumulate = true};
    f0t_workspace *room;
    size_t bytes;
    if (!f0t_size_mul(&bytes, rows, wide * sizeof *a))
        return f0t_fail(F0T_ERROR_MEMORY, "no memory for %zu rows", rows);
    F0T_TRY(f0t_workspace_take(&room, bytes));
    float *columns = room->data;
    for (size_t r = 0; r < rows; r++)
        memcpy(columns + r * wide, a + r * m + strip * STRIP, wide * sizeof *a);
    f0t_status status = f0t_matmul_run(c + strip * STRIP * n, columns, x, NULL, &product);
    f0t_workspace_give(room);
    return status;
}

f0t_status f0t_cross_add(float *c, const float *a, const float *x, size_t rows, size_t m, size_t n)
{
    const int threads = f0t_team_size();
    f0t_status status = F0T_OK;
    (void)threads;
    if (!rows || !m || !n)
        return F0T_OK;
#pragma omp parallel for schedule(dynamic) num_threads(threads)
    for (size_t strip = 0; strip < parts(m, STRIP); strip++) {
        f0t_status mine = add_strip(c, a, x, rows, m, n, strip);
        if (mine != F0T_OK)
#pragma omp atomic write
            status = mine;
    }
    if (status != F0T_OK)
        return f0t_fail(status, "no products of %zu x %zu x %zu: no memory, or too large", m, n,
                        rows);
    return F0T_OK;
}
