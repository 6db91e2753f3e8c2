/* Matrix products, straight from their definition. */
#include "onnx/ops.h"

#include <string.h>

/* z[m x n] = x·y, the steps being between rows and columns of each. */
static f0t_status multiply(const f0t_op_call *call, float *z, const float *x, size_t x_row,
                           size_t x_column, const float *y, size_t y_row, size_t y_column, size_t m,
                           size_t n, size_t k)
{
    for (size_t i = 0; i < m; i++) {
        F0T_TRY(f0t_op_steps(call, n, k));
        for (size_t j = 0; j < n; j++) {
            double sum = 0;
            for (size_t l = 0; l < k; l++)
                sum += (double)x[i * x_row + l * x_column] * (double)y[l * y_row + j * y_column];
            z[i * n + j] = (float)sum;
        }
    }
    return F0T_OK;
}

/* Z = alpha·A·B + beta·C, either of A and B transposed. */
f0t_status f0t_op_gemm(f0t_op_call *call)
{
    const f0t_onnx_array *a = f0t_op_in(call, 0), *b = f0t_op_in(call, 1), *c = f0t_op_in(call, 2);
    bool ta = f0t_op_int(call, "transA", 0) != 0, tb = f0t_op_int(call, "transB", 0) != 0;
    float alpha = f0t_op_float(call, "alpha", 1), beta = f0t_op_float(call, "beta", 1);
    if (a->rank != 2 || b->rank != 2 || a->dims[!ta] != b->dims[tb])
        return f0t_fail(F0T_ERROR_FORMAT, "its matrices do not fit");
    size_t dims[] = {a->dims[ta], b->dims[!tb]}, k = a->dims[!ta];
    f0t_onnx_array shape = {0};
    f0t_onnx_spread s = {0};
    F0T_TRY(f0t_onnx_array_shape(&shape, a->type, 2, dims));
    if (c) {
        const f0t_onnx_array *both[] = {&shape, c};
        F0T_TRY(f0t_onnx_spread_make(&s, both, 2));
        if (s.rank != 2 || s.dims[0] != dims[0] || s.dims[1] != dims[1])
            return f0t_fail(F0T_ERROR_FORMAT, "C does not fit the product");
    }
    F0T_TRY(f0t_op_output(call, 0, a->type, 2, dims));
    if (call->shape_only)
        return F0T_OK;
    float *z = call->outputs->f;
    F0T_TRY(multiply(call, z, a->f, ta ? 1 : k, ta ? dims[0] : 1, b->f, tb ? 1 : dims[1],
                     tb ? k : 1, dims[0], dims[1], k));
    for (size_t e = 0; e < dims[0] * dims[1]; e++) {
        size_t at = c ? e / dims[1] * s.strides[1][0] + e % dims[1] * s.strides[1][1] : 0;
        z[e] = alpha * z[e] + (c ? beta * c->f[at] : 0.0F);
    }
    return F0T_OK;
}

/* numpy.matmul: matrices in the last two dimensions, the others are spread over each other; one
 * dimension is a row on the left, a column on the right. */
f0t_status f0t_matmul_shape(f0t_matmul_form *out, const f0t_onnx_array *x, const f0t_onnx_array *y)
{
    f0t_onnx_array left = *x, right = *y;
    *out = (f0t_matmul_form){0};
    if (!x->rank || !y->rank)
        return f0t_fail(F0T_ERROR_FORMAT, "it multiplies single numbers");
    out->m = x->rank > 1 ? x->dims[x->rank - 2] : 1;
    out->k = x->dims[x->rank - 1];
    out->n = y->rank > 1 ? y->dims[y->rank - 1] : 1;
    if (out->k != y->dims[y->rank > 1 ? y->rank - 2 : 0])
        return f0t_fail(F0T_ERROR_FORMAT, "its matrices do not fit: %zu columns, %zu rows", out->k,
                        y->dims[y->rank > 1 ? y->rank - 2 : 0]);
    left.rank = x->rank > 1 ? x->rank - 2 : 0;
    right.rank = y->rank > 1 ? y->rank - 2 : 0;
    const f0t_onnx_array *both[] = {&left, &right};
    F0T_TRY(f0t_onnx_spread_make(&out->batch, both, 2));
    memcpy(out->dims, out->batch.dims, sizeof out->dims);
    out->rank = out->batch.rank;
    if (x->rank > 1 && out->rank < F0T_ONNX_RANK)
        out->dims[out->rank++] = out->m;
    if (y->rank > 1 && out->rank < F0T_ONNX_RANK)
        out->dims[out->rank++] = out->n;
    return F0T_OK;
}

size_t f0t_matmul_offset(const f0t_matmul_form *form, size_t which, size_t matrix)
{
    size_t offset = 0;
    for (size_t d = form->batch.rank; d-- > 0;) {
        offset += matrix % form->batch.dims[d] * form->batch.strides[which][d];
        matrix /= form->batch.dims[d];
    }
    return offset * form->k * (which ? form->n : form->m);
}

f0t_status f0t_op_matmul(f0t_op_call *call)
{
    const f0t_onnx_array *x = f0t_op_in(call, 0), *y = f0t_op_in(call, 1);
    f0t_matmul_form f;
    F0T_TRY(f0t_matmul_shape(&f, x, y));
    F0T_TRY(f0t_op_output(call, 0, x->type, f.rank, f.dims));
    for (size_t b = 0; b < f.batch.count && !call->shape_only; b++)
        F0T_TRY(multiply(call, call->outputs->f + b * f.m * f.n, x->f + f0t_matmul_offset(&f, 0, b),
                         f.k, 1, y->f + f0t_matmul_offset(&f, 1, b), f.n, 1, f.m, f.n, f.k));
    return F0T_OK;
}
