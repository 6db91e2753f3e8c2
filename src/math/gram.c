#include "math/gram.h"

#include "base/size.h"
#include "base/team.h"
#include "math/matmul.h"
#include "math/workspace.h"

#include <cblas.h>
#include <limits.h>
#include <string.h>

enum { TILE = 192, STRIP = 64 }; /* rows and columns of a tile; rows of a strip */

static size_t parts(size_t n, size_t size)
{
    return (n + size - 1) / size;
}

static size_t width(size_t part, size_t n, size_t size)
{
    return n - part * size < size ? n - part * size : size;
}

/* ---- XᵀX ----------------------------------------------------------------------------------------- */

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

/* ---- AᵀX ----------------------------------------------------------------------------------------- */

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
