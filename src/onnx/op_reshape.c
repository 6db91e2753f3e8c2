/* Operators that change the shape and leave the elements in their order. */
#include "onnx/ops.h"

#include <string.h>

static f0t_status give(f0t_op_call *call, size_t rank, const size_t *dims)
{
    const f0t_onnx_array *x = f0t_op_in(call, 0);
    F0T_TRY(f0t_op_output(call, 0, x->type, rank, dims));
    f0t_onnx_array *y = call->outputs;
    if (y->count != x->count)
        return f0t_fail(F0T_ERROR_FORMAT, "%zu elements do not become %zu", x->count, y->count);
    if (call->shape_only)
        return F0T_OK;
    if (y->f && y->f != x->f)
        memcpy(y->f, x->f, x->count * sizeof *y->f);
    else if (y->i && y->i != x->i)
        memcpy(y->i, x->i, x->count * sizeof *y->i);
    return F0T_OK;
}

/* 0 takes the dimension of the input (unless allowzero), -1 what is left. */
static f0t_status complete(size_t *dims, const int64_t *list, size_t count, const f0t_onnx_array *x,
                           bool allow_zero)
{
    size_t open = F0T_NONE, known = 1;
    for (size_t d = 0; d < count; d++) {
        if (list[d] == -1 && open == F0T_NONE) {
            open = d;
            dims[d] = 1;
        } else if (list[d] == 0 && !allow_zero) {
            if (d >= x->rank)
                return f0t_fail(F0T_ERROR_FORMAT, "dimension %zu of the input does not exist", d);
            dims[d] = x->dims[d];
        } else if (list[d] < 0) {
            return f0t_fail(F0T_ERROR_FORMAT, "dimension %zu is %lld", d, (long long)list[d]);
        } else {
            dims[d] = (size_t)list[d];
        }
        if (__builtin_mul_overflow(known, dims[d], &known))
            return f0t_fail(F0T_ERROR_FORMAT, "the new shape is larger than memory");
    }
    if (open == F0T_NONE)
        return F0T_OK;
    if (!known || x->count % known)
        return f0t_fail(F0T_ERROR_FORMAT, "%zu elements do not fill rows of %zu", x->count, known);
    dims[open] = x->count / known;
    return F0T_OK;
}

f0t_status f0t_op_reshape(f0t_op_call *call)
{
    const int64_t *list;
    size_t count, dims[F0T_ONNX_RANK];
    F0T_TRY(f0t_op_list(&list, &count, call, "shape", 1));
    if (count > F0T_ONNX_RANK)
        return f0t_fail(F0T_ERROR_UNSUPPORTED, "a shape of %zu dimensions", count);
    F0T_TRY(complete(dims, list, count, f0t_op_in(call, 0), f0t_op_int(call, "allowzero", 0) != 0));
    return give(call, count, dims);
}

f0t_status f0t_op_flatten(f0t_op_call *call)
{
    const f0t_onnx_array *x = f0t_op_in(call, 0);
    int64_t axis = f0t_op_int(call, "axis", 1);
    size_t dims[2] = {1, 1};
    axis = axis < 0 ? axis + (int64_t)x->rank : axis;
    if (axis < 0 || axis > (int64_t)x->rank)
        return f0t_fail(F0T_ERROR_FORMAT, "axis %lld of %zu dimensions", (long long)axis, x->rank);
    for (size_t d = 0; d < x->rank; d++)
        dims[(int64_t)d >= axis] *= x->dims[d];
    return give(call, 2, dims);
}

f0t_status f0t_op_squeeze(f0t_op_call *call)
{
    const f0t_onnx_array *x = f0t_op_in(call, 0);
    const int64_t *list;
    size_t count, dims[F0T_ONNX_RANK], rank = 0;
    bool gone[F0T_ONNX_RANK];
    F0T_TRY(f0t_op_list(&list, &count, call, "axes", 1));
    F0T_TRY(f0t_op_axes(gone, list, count, x->rank));
    for (size_t d = 0; d < x->rank; d++) {
        if (gone[d] && x->dims[d] != 1)
            return f0t_fail(F0T_ERROR_FORMAT, "dimension %zu is %zu, not 1", d, x->dims[d]);
        if (!gone[d] && (list || x->dims[d] != 1))
            dims[rank++] = x->dims[d];
    }
    return give(call, rank, dims);
}

f0t_status f0t_op_unsqueeze(f0t_op_call *call)
{
    const f0t_onnx_array *x = f0t_op_in(call, 0);
    const int64_t *list;
    size_t count, dims[F0T_ONNX_RANK], from = 0;
    bool added[F0T_ONNX_RANK];
    F0T_TRY(f0t_op_list(&list, &count, call, "axes", 1));
    if (count > F0T_ONNX_RANK || x->rank + count > F0T_ONNX_RANK)
        return f0t_fail(F0T_ERROR_UNSUPPORTED, "more than %d dimensions", (int)F0T_ONNX_RANK);
    F0T_TRY(f0t_op_axes(added, list, count, x->rank + count));
    for (size_t d = 0; d < x->rank + count; d++)
        dims[d] = added[d] ? 1 : x->dims[from++];
    return give(call, x->rank + count, dims);
}
