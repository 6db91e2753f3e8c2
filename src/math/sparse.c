#include "math/sparse.h"

#include "base/alloc.h"
#include "base/kernels.h"
#include "base/team.h"

#include <string.h>

f0t_status f0t_sparse_create(f0t_sparse *out, size_t rows, size_t cols, size_t count)
{
    *out = (f0t_sparse){.rows = rows, .cols = cols};
    f0t_status status = f0t_alloc_zero(&out->begin, rows + 1, sizeof *out->begin);
    if (status == F0T_OK)
        status = f0t_alloc(&out->column, count, sizeof *out->column);
    if (status == F0T_OK)
        status = f0t_alloc(&out->value, count, sizeof *out->value);
    if (status != F0T_OK)
        f0t_sparse_clear(out);
    return status;
}

void f0t_sparse_clear(f0t_sparse *matrix)
{
    f0t_free(matrix->begin);
    f0t_free(matrix->column);
    f0t_free(matrix->value);
    memset(matrix, 0, sizeof *matrix);
}

/* Counts, then places; `begin` runs ahead while the entries are placed, and is moved back. */
f0t_status f0t_sparse_transpose(f0t_sparse *out, const f0t_sparse *a)
{
    size_t count = a->begin[a->rows];
    F0T_TRY(f0t_sparse_create(out, a->cols, a->rows, count));
    for (size_t k = 0; k < count; k++)
        out->begin[a->column[k] + 1]++;
    for (size_t i = 0; i < out->rows; i++)
        out->begin[i + 1] += out->begin[i];
    for (size_t i = 0; i < a->rows; i++)
        for (size_t k = a->begin[i]; k < a->begin[i + 1]; k++) {
            size_t place = out->begin[a->column[k]]++;
            out->column[place] = (uint32_t)i;
            out->value[place] = a->value[k];
        }
    for (size_t i = out->rows; i > 0; i--)
        out->begin[i] = out->begin[i - 1];
    out->begin[0] = 0;
    return F0T_OK;
}

void f0t_sparse_multiply(float *c, const f0t_sparse *a, const float *b, size_t n)
{
    void (*add_row)(float *, const uint32_t *, const float *, size_t, const float *, size_t) =
        f0t_kernels()->sparse_row;
    int threads = f0t_team_size();
    (void)threads;
#pragma omp parallel for schedule(dynamic, 64) num_threads(threads)
    for (size_t i = 0; i < a->rows; i++) {
        size_t begin = a->begin[i];
        add_row(c + i * n, a->column + begin, a->value + begin, a->begin[i + 1] - begin, b, n);
    }
}
