/* Operators that pick or place elements by indices. */
#include "onnx/ops.h"

#include "base/size.h"

#include <string.h>

static f0t_status check_index(size_t *out, int64_t index, size_t size)
{
    *out = 0;
    if (index < -(int64_t)size || index >= (int64_t)size)
        return f0t_fail(F0T_ERROR_FORMAT, "index %lld of %zu", (long long)index, size);
    *out = (size_t)(index < 0 ? index + (int64_t)size : index);
    return F0T_OK;
}

static f0t_status check_indices(const f0t_op_call *call, size_t k)
{
    if (f0t_onnx_array_type_is_float(f0t_op_in(call, k)->type))
        return f0t_fail(F0T_ERROR_FORMAT, "its indices are not integers");
    return F0T_OK;
}

static void copy(f0t_onnx_array *y, size_t to, const f0t_onnx_array *x, size_t from, size_t count)
{
    if (y->f)
        memcpy(y->f + to, x->f + from, count * sizeof *y->f);
    else
        memcpy(y->i + to, x->i + from, count * sizeof *y->i);
}

f0t_status f0t_op_gather(f0t_op_call *call)
{
    const f0t_onnx_array *x = f0t_op_in(call, 0), *at = f0t_op_in(call, 1);
    size_t axis, dims[2 * F0T_ONNX_RANK], rank = 0, outer = 1, inner = 1, index;
    F0T_TRY(check_indices(call, 1));
    F0T_TRY(f0t_op_axis(&axis, f0t_op_int(call, "axis", 0), x->rank));
    for (size_t d = 0; d < axis; outer *= x->dims[d++])
        dims[rank++] = x->dims[d];
    for (size_t d = 0; d < at->rank; d++)
        dims[rank++] = at->dims[d];
    for (size_t d = axis + 1; d < x->rank; inner *= x->dims[d++])
        dims[rank++] = x->dims[d];
    F0T_TRY(f0t_op_output(call, 0, x->type, rank, dims));
    if (call->shape_only)
        return F0T_OK;
    for (size_t o = 0; o < outer; o++)
        for (size_t k = 0; k < at->count; k++) {
            F0T_TRY(check_index(&index, at->i[k], x->dims[axis]));
            copy(call->outputs, (o * at->count + k) * inner, x, (o * x->dims[axis] + index) * inner,
                 inner);
        }
    return F0T_OK;
}

/* The place in an array of these dimensions that has `index` along `axis` and else the coordinates
 * of element k of an array of dimensions `from`. */
static f0t_status place_along(size_t *out, const f0t_onnx_array *x, const f0t_onnx_array *from,
                              size_t k, size_t axis, int64_t index)
{
    size_t stride = 1, at = 0, chosen;
    F0T_TRY(check_index(&chosen, index, x->dims[axis]));
    for (size_t d = x->rank; d-- > 0;) {
        at += (d == axis ? chosen : k % from->dims[d]) * stride;
        k /= from->dims[d];
        stride *= x->dims[d];
    }
    *out = at;
    return F0T_OK;
}

static f0t_status check_along(size_t *axis, const f0t_op_call *call, const f0t_onnx_array *x,
                              const f0t_onnx_array *at)
{
    F0T_TRY(check_indices(call, 1));
    F0T_TRY(f0t_op_axis(axis, f0t_op_int(call, "axis", 0), x->rank));
    if (at->rank != x->rank)
        return f0t_fail(F0T_ERROR_FORMAT, "its indices have other dimensions than its data");
    for (size_t d = 0; d < x->rank; d++)
        if (d != *axis && at->dims[d] > x->dims[d])
            return f0t_fail(F0T_ERROR_FORMAT, "its indices are larger than its data");
    return F0T_OK;
}

f0t_status f0t_op_gather_elements(f0t_op_call *call)
{
    const f0t_onnx_array *x = f0t_op_in(call, 0), *at = f0t_op_in(call, 1);
    size_t axis, from;
    F0T_TRY(check_along(&axis, call, x, at));
    F0T_TRY(f0t_op_output(call, 0, x->type, at->rank, at->dims));
    for (size_t k = 0; k < at->count && !call->shape_only; k++) {
        F0T_TRY(place_along(&from, x, at, k, axis, at->i[k]));
        copy(call->outputs, k, x, from, 1);
    }
    return F0T_OK;
}

/* What becomes of the element that was there. */
typedef enum reduction { REDUCTION_NONE, REDUCTION_ADD, REDUCTION_MUL } reduction;

static f0t_status read_reduction(reduction *out, const f0t_op_call *call)
{
    const char *name = f0t_op_text(call, "reduction", "none");
    *out = strcmp(name, "add") == 0   ? REDUCTION_ADD
           : strcmp(name, "mul") == 0 ? REDUCTION_MUL
                                      : REDUCTION_NONE;
    if (*out == REDUCTION_NONE && strcmp(name, "none") != 0)
        return f0t_fail(F0T_ERROR_UNSUPPORTED, "reduction '%s'", name);
    return F0T_OK;
}

static void put(f0t_onnx_array *y, size_t to, const f0t_onnx_array *with, size_t k, reduction how)
{
    if (y->f) {
        float v = with->f[k];
        y->f[to] = how == REDUCTION_ADD ? y->f[to] + v : how == REDUCTION_MUL ? y->f[to] * v : v;
        return;
    }
    uint64_t v = (uint64_t)with->i[k], old = (uint64_t)y->i[to];
    v = how == REDUCTION_ADD ? old + v : how == REDUCTION_MUL ? old * v : v;
    y->i[to] = f0t_onnx_array_wrap(y->type, (int64_t)v);
}

f0t_status f0t_op_scatter_elements(f0t_op_call *call)
{
    const f0t_onnx_array *x = f0t_op_in(call, 0), *at = f0t_op_in(call, 1),
                         *with = f0t_op_in(call, 2);
    size_t axis, to;
    reduction how;
    F0T_TRY(read_reduction(&how, call));
    F0T_TRY(check_along(&axis, call, x, at));
    if (!f0t_onnx_array_same_shape(at, with) || with->type != x->type)
        return f0t_fail(F0T_ERROR_FORMAT, "its updates do not fit its indices or data");
    F0T_TRY(f0t_op_output_like(call, 0, x));
    if (call->shape_only)
        return F0T_OK;
    f0t_onnx_array *y = call->outputs;
    copy(y, 0, x, 0, x->count);
    for (size_t k = 0; k < at->count; k++) {
        F0T_TRY(place_along(&to, x, at, k, axis, at->i[k]));
        put(y, to, with, k, how);
    }
    return F0T_OK;
}

/* ---- Whole slices by tuples of indices ----------------------------------------------------------
 */

/* Where the slice begins that the tuple at[0 … length) names, after `batch` leading dimensions. */
static f0t_status place_tuple(size_t *out, const f0t_onnx_array *x, size_t batch, const int64_t *at,
                              size_t length)
{
    size_t offset = 0, index;
    for (size_t d = 0; d < length; d++) {
        F0T_TRY(check_index(&index, at[d], x->dims[batch + d]));
        offset = offset * x->dims[batch + d] + index;
    }
    for (size_t d = batch + length; d < x->rank; d++)
        offset *= x->dims[d];
    *out = offset;
    return F0T_OK;
}

static size_t product(const size_t *dims, size_t from, size_t to)
{
    size_t result = 1;
    for (size_t d = from; d < to; d++)
        result *= dims[d];
    return result;
}

f0t_status f0t_op_gather_nd(f0t_op_call *call)
{
    const f0t_onnx_array *x = f0t_op_in(call, 0), *at = f0t_op_in(call, 1);
    int64_t given = f0t_op_int(call, "batch_dims", 0);
    size_t batch = (size_t)given, rank = 0, dims[2 * F0T_ONNX_RANK], from;
    F0T_TRY(check_indices(call, 1));
    size_t length = at->rank ? at->dims[at->rank - 1] : 0;
    if (given < 0 || batch >= at->rank || length > x->rank || batch + length > x->rank || !length)
        return f0t_fail(F0T_ERROR_FORMAT, "its indices do not fit its data");
    for (size_t d = 0; d + 1 < at->rank; d++)
        dims[rank++] = at->dims[d];
    for (size_t d = batch + length; d < x->rank; d++)
        dims[rank++] = x->dims[d];
    for (size_t d = 0; d < batch; d++)
        if (at->dims[d] != x->dims[d])
            return f0t_fail(F0T_ERROR_FORMAT, "dimension %zu is %zu and %zu", d, at->dims[d],
                            x->dims[d]);
    F0T_TRY(f0t_op_output(call, 0, x->type, rank, dims));
    if (call->shape_only)
        return F0T_OK;
    size_t slice = product(x->dims, batch + length, x->rank);
    size_t tuples = product(at->dims, batch, at->rank - 1);
    size_t whole = product(x->dims, batch, x->rank);
    for (size_t k = 0; k < at->count / length; k++) {
        F0T_TRY(place_tuple(&from, x, batch, at->i + k * length, length));
        copy(call->outputs, k * slice, x, k / tuples * whole + from, slice);
    }
    return F0T_OK;
}

f0t_status f0t_op_scatter_nd(f0t_op_call *call)
{
    const f0t_onnx_array *x = f0t_op_in(call, 0), *at = f0t_op_in(call, 1),
                         *with = f0t_op_in(call, 2);
    reduction how;
    size_t to;
    F0T_TRY(read_reduction(&how, call));
    F0T_TRY(check_indices(call, 1));
    size_t length = at->rank ? at->dims[at->rank - 1] : 0, updates;
    if (!length || length > x->rank || with->type != x->type ||
        !f0t_size_mul(&updates, at->count / length, product(x->dims, length, x->rank)) ||
        with->count != updates)
        return f0t_fail(F0T_ERROR_FORMAT, "its indices or updates do not fit its data");
    F0T_TRY(f0t_op_output_like(call, 0, x));
    if (call->shape_only)
        return F0T_OK;
    copy(call->outputs, 0, x, 0, x->count);
    size_t slice = product(x->dims, length, x->rank);
    for (size_t k = 0; k < at->count / length; k++) {
        F0T_TRY(place_tuple(&to, x, 0, at->i + k * length, length));
        for (size_t e = 0; e < slice; e++)
            put(call->outputs, to + e, with, k * slice + e, how);
    }
    return F0T_OK;
}
