#include "math/gram.h"

#include "base/size.h"
#include "base/team.h"
#include "math/workspace.h"

#include <cblas.h>
#include <limits.h>

static void add_lower(double *g, const float *block, size_t cols)
{
    int threads = f0t_team_size();
    (void)threads;
#pragma omp parallel for schedule(guided) num_threads(threads) if (cols > 256)
    for (size_t i = 0; i < cols; i++)
        for (size_t j = 0; j <= i; j++)
            g[i * cols + j] += (double)block[i * cols + j];
}

f0t_status f0t_gram_add(double *g, const float *x, size_t rows, size_t cols)
{
    size_t bytes;
    f0t_workspace *block;
    if (!rows || !cols)
        return F0T_OK;
    if (rows > INT_MAX || cols > INT_MAX)
        return f0t_fail(F0T_ERROR_UNSUPPORTED, "a block of %zu x %zu is too large", rows, cols);
    if (!f0t_size_mul(&bytes, cols, cols) || !f0t_size_mul(&bytes, bytes, sizeof(float)))
        return f0t_fail(F0T_ERROR_MEMORY, "no memory for %zu x %zu products", cols, cols);
    F0T_TRY(f0t_workspace_take(&block, bytes));
    int before = f0t_team_enter();
    cblas_ssyrk(CblasRowMajor, CblasLower, CblasTrans, (int)cols, (int)rows, 1.0F, x, (int)cols,
                0.0F, block->data, (int)cols);
    add_lower(g, block->data, cols);
    f0t_team_leave(before);
    f0t_workspace_give(block);
    return F0T_OK;
}
