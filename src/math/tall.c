#include "math/tall.h"

#include "base/alloc.h"
#include "base/size.h"
#include "base/team.h"
#include "math/matmul.h"
#include "math/solve.h"

#include <string.h>

enum { BLOCK = 2048, BATCH = 16 }; /* rows of a product; products that are in memory at once */

/* xᵀx of up to BATCH blocks, each by one thread, into parts[BATCH x n x n]. */
static f0t_status gram_blocks(float *parts, const float *x, size_t rows, size_t n)
{
    size_t blocks = (rows + BLOCK - 1) / BLOCK;
    int threads = f0t_team_size();
    f0t_status status = F0T_OK;
    (void)threads;
#pragma omp parallel for schedule(dynamic) num_threads(threads)
    for (size_t i = 0; i < blocks; i++) {
        size_t count = rows - i * BLOCK < BLOCK ? rows - i * BLOCK : BLOCK;
        const float *block = x + i * BLOCK * n;
        f0t_status mine = f0t_matmul_run(parts + i * n * n, block, block, NULL,
                                         &(f0t_matmul){.m = n,
                                                       .n = n,
                                                       .k = count,
                                                       .type = F0T_F32,
                                                       .result = F0T_F32,
                                                       .a_transposed = true});
        if (mine != F0T_OK)
#pragma omp atomic write
            status = mine;
    }
    return status;
}

static f0t_status gram(double *g, float *parts, const float *x, size_t rows, size_t n)
{
    memset(g, 0, n * n * sizeof *g);
    for (size_t first = 0; first < rows; first += BATCH * BLOCK) {
        size_t count = rows - first < BATCH * BLOCK ? rows - first : BATCH * BLOCK;
        if (gram_blocks(parts, x + first * n, count, n) != F0T_OK)
            return f0t_fail(F0T_ERROR_MEMORY,
                            "no memory for the products of a matrix of %zu columns", n);
        for (size_t b = 0; b * BLOCK < count; b++)
            for (size_t i = 0; i < n * n; i++)
                g[i] += (double)parts[b * n * n + i];
    }
    return F0T_OK;
}

f0t_status f0t_tall_eigen(double *values, double *w, const float *x, size_t rows, size_t n)
{
    float *parts;
    F0T_TRY(f0t_alloc(&parts, BATCH * n, n * sizeof *parts));
    f0t_status status = gram(w, parts, x, rows, n);
    f0t_free(parts);
    F0T_TRY(status);
    F0T_TRY(f0t_eigen_by_one(w, n, values));
    for (size_t i = 0; i < n / 2; i++) {
        double value = values[i];
        values[i] = values[n - 1 - i];
        values[n - 1 - i] = value;
        for (size_t j = 0; j < n; j++) {
            double swap = w[i * n + j];
            w[i * n + j] = w[(n - 1 - i) * n + j];
            w[(n - 1 - i) * n + j] = swap;
        }
    }
    return F0T_OK;
}

/* A batch goes through `room` so that y may be x: what is written lies before what is read next. */
f0t_status f0t_tall_turn(float *y, const float *x, const float *t, size_t rows, size_t n, size_t d)
{
    float *room;
    f0t_status status = F0T_OK;
    F0T_TRY(f0t_alloc(&room, BATCH * BLOCK, d * sizeof *room));
    for (size_t first = 0; first < rows && status == F0T_OK; first += BATCH * BLOCK) {
        size_t count = rows - first < BATCH * BLOCK ? rows - first : BATCH * BLOCK;
        int threads = f0t_team_size();
        (void)threads;
#pragma omp parallel for schedule(dynamic) num_threads(threads)
        for (size_t b = 0; b < (count + BLOCK - 1) / BLOCK; b++) {
            size_t m = count - b * BLOCK < BLOCK ? count - b * BLOCK : BLOCK;
            f0t_status mine =
                f0t_matmul_run(room + b * BLOCK * d, x + (first + b * BLOCK) * n, t, NULL,
                               &(f0t_matmul){.m = m,
                                             .n = d,
                                             .k = n,
                                             .type = F0T_F32,
                                             .result = F0T_F32,
                                             .b_transposed = true});
            if (mine != F0T_OK)
#pragma omp atomic write
                status = mine;
        }
        if (status == F0T_OK)
            memcpy(y + first * d, room, count * d * sizeof *y);
    }
    f0t_free(room);
    if (status != F0T_OK)
        return f0t_fail(F0T_ERROR_MEMORY, "no memory for the products of a matrix of %zu columns",
                        n);
    return F0T_OK;
}
