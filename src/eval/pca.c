#include "eval/pca.h"

#include "base/alloc.h"
#include "base/size.h"
#include "math/product.h"
#include "math/solve.h"

#include <math.h>

f0t_status f0t_pca_create(f0t_pca *pca, size_t dims)
{
    size_t size;
    *pca = (f0t_pca){.dims = dims};
    if (!f0t_size_mul(&size, dims, dims))
        return f0t_fail(F0T_ERROR_MEMORY, "no memory for components of %zu dimensions", dims);
    return f0t_alloc_zero(&pca->moments, size, sizeof *pca->moments);
}

void f0t_pca_free(f0t_pca *pca)
{
    f0t_free(pca->moments);
    *pca = (f0t_pca){0};
}

f0t_status f0t_pca_add(f0t_pca *pca, const float *x, size_t rows)
{
    pca->rows += (double)rows;
    return f0t_gram_add(pca->moments, x, rows, pca->dims);
}

/* An eigenvector has two signs: this one is the same everywhere. */
static void copy_axis(float *to, const double *from, size_t dims)
{
    size_t largest = 0;
    for (size_t j = 1; j < dims; j++)
        largest = fabs(from[j]) > fabs(from[largest]) ? j : largest;
    const double sign = from[largest] < 0 ? -1 : 1;
    for (size_t j = 0; j < dims; j++)
        to[j] = (float)(sign * from[j]);
}

f0t_status f0t_pca_finish(float *axes, double *values, double *total, f0t_pca *pca, size_t count)
{
    const size_t dims = pca->dims;
    double *all;
    if (count > dims)
        return f0t_fail(F0T_ERROR_ARGUMENT, "%zu components of %zu dimensions", count, dims);
    F0T_TRY(f0t_alloc(&all, dims, sizeof *all));
    f0t_status status = f0t_eigen_f64(pca->moments, dims, all);
    *total = 0;
    const double rows = pca->rows > 0 ? pca->rows : 1;
    for (size_t i = 0; status == F0T_OK && i < dims; i++)
        *total += fmax(all[i], 0) / rows;
    for (size_t i = 0; status == F0T_OK && i < count; i++) {
        copy_axis(axes + i * dims, pca->moments + (dims - 1 - i) * dims, dims);
        values[i] = fmax(all[dims - 1 - i], 0) / rows;
    }
    f0t_free(all);
    return status;
}
