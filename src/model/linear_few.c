#include "model/linear_few.h"

#include "base/alloc.h"
#include "math/matmul.h"
#include "math/product.h"
#include "math/solve.h"
#include "model/linear_sums.h"

#include <string.h>

struct f0t_linear_few {
    size_t images, features, wide; /* N, D, count d */
    float *rows;                   /* X[N x D] */
    float *targets;                /* Wᵀ[N x wide] */
    double *kernel;                /* K[N x N], the lower triangle */
};

bool f0t_linear_is_few(const f0t_train_data *data)
{
    return data->train->count <= data->condition->dim / 2;
}

static f0t_status allocate(f0t_linear_few *few)
{
    const size_t N = few->images;
    F0T_TRY(f0t_alloc(&few->rows, N * few->features, sizeof *few->rows));
    F0T_TRY(f0t_alloc(&few->targets, N * few->wide, sizeof *few->targets));
    return f0t_alloc_zero(&few->kernel, N * N, sizeof *few->kernel);
}

/* f0t_gram_add sums over rows: those of Xᵀ. */
static f0t_status make_kernel(f0t_linear_few *few)
{
    const size_t N = few->images, D = few->features;
    float *columns;
    F0T_TRY(f0t_alloc(&columns, D * N, sizeof *columns));
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < D; j++)
            columns[j * N + i] = few->rows[i * D + j];
    f0t_status status = f0t_gram_add(few->kernel, columns, D, N);
    f0t_free(columns);
    return status;
}

f0t_status f0t_linear_few_create(f0t_linear_few **out, const f0t_train_data *data,
                                 const double *lambdas, size_t count, f0t_hinge hinge,
                                 const f0t_monitor *monitor)
{
    f0t_linear_few *few;
    *out = NULL;
    F0T_TRY(f0t_alloc_zero(&few, 1, sizeof *few));
    few->images = data->train->count;
    few->features = data->condition->dim;
    few->wide = count * data->dim;
    f0t_status status = allocate(few);
    if (status == F0T_OK)
        status = f0t_linear_rows(few->rows, few->targets, data, lambdas, count, hinge, monitor);
    if (status == F0T_OK)
        status = make_kernel(few);
    if (status == F0T_OK)
        *out = few;
    else
        f0t_linear_few_free(few);
    return status;
}

void f0t_linear_few_free(f0t_linear_few *few)
{
    if (!few)
        return;
    f0t_free(few->rows);
    f0t_free(few->targets);
    f0t_free(few->kernel);
    f0t_free(few);
}

/* shares[wide x N] = W (K + r I)⁻¹ */
static f0t_status find_shares(double *shares, const f0t_linear_few *few, double ridge)
{
    const size_t N = few->images;
    double *system, trace = 0;
    F0T_TRY(f0t_alloc(&system, N * N, sizeof *system));
    memcpy(system, few->kernel, N * N * sizeof *system);
    for (size_t i = 0; i < N; i++)
        trace += few->kernel[i * N + i];
    for (size_t i = 0; i < N; i++)
        system[i * N + i] += ridge * trace / (double)few->features;
    for (size_t k = 0; k < few->wide; k++)
        for (size_t i = 0; i < N; i++)
            shares[k * N + i] = (double)few->targets[i * few->wide + k];
    f0t_status status = f0t_cholesky_solve_f64(system, N, shares, few->wide, NULL);
    f0t_free(system);
    return status;
}

/* maps = shares X, by way of float32. */
static f0t_status multiply(double *maps, const f0t_linear_few *few, const double *shares)
{
    const size_t N = few->images, D = few->features, wide = few->wide;
    const f0t_matmul product = {.m = wide, .n = D, .k = N};
    float *left = NULL, *products = NULL;
    f0t_status status = f0t_alloc(&left, wide * N, sizeof *left);
    if (status == F0T_OK)
        status = f0t_alloc(&products, wide * D, sizeof *products);
    for (size_t i = 0; status == F0T_OK && i < wide * N; i++)
        left[i] = (float)shares[i];
    if (status == F0T_OK)
        status = f0t_matmul_run(products, left, few->rows, NULL, &product);
    for (size_t i = 0; status == F0T_OK && i < wide * D; i++)
        maps[i] = (double)products[i];
    f0t_free(left);
    f0t_free(products);
    return status;
}

f0t_status f0t_linear_few_solve(double *maps, const f0t_linear_few *few, double ridge)
{
    double *shares;
    F0T_TRY(f0t_alloc(&shares, few->wide * few->images, sizeof *shares));
    f0t_status status = find_shares(shares, few, ridge);
    if (status == F0T_OK)
        status = multiply(maps, few, shares);
    f0t_free(shares);
    return status;
}
