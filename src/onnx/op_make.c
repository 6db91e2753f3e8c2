/* Operators that make arrays: constants, shapes, other types. */
#include "onnx/ops.h"

#include "base/dtype.h"

#include <math.h>
#include <string.h>

/* ---- Constants ----------------------------------------------------------------------------------
 */

static f0t_status give(f0t_op_call *call, const f0t_onnx_array *from)
{
    f0t_onnx_array *out = call->outputs;
    F0T_TRY(f0t_op_output_like(call, 0, from));
    if (call->shape_only)
        return F0T_OK;
    if (from->raw)
        f0t_onnx_array_decode(out, from->raw);
    else if (from->f)
        memcpy(out->f, from->f, from->count * sizeof *out->f);
    else
        memcpy(out->i, from->i, from->count * sizeof *out->i);
    return F0T_OK;
}

/* protobuf-c has NULL for no bytes. */
static f0t_onnx_message raw_of(const f0t_onnx_tensor_proto *proto)
{
    f0t_onnx_message raw = {NULL, NULL};
    if (proto->has_raw_data) {
        raw.at = proto->raw_data.data ? proto->raw_data.data : (const unsigned char *)"";
        raw.end = raw.at + proto->raw_data.len;
    }
    return raw;
}

static f0t_status give_tensor(f0t_op_call *call, const f0t_onnx_tensor_proto *proto)
{
    f0t_onnx_array array;
    f0t_status status = f0t_onnx_tensor_from_proto(&array, proto, raw_of(proto), NULL);
    if (status == F0T_OK)
        status = give(call, &array);
    f0t_onnx_array_clear(&array);
    return status;
}

static f0t_status give_numbers(f0t_op_call *call, bool list, bool floats)
{
    size_t count = 1;
    int64_t whole = f0t_op_int(call, "value_int", 0);
    float number = f0t_op_float(call, "value_float", 0);
    const int64_t *wholes = list ? f0t_op_ints(&count, call, "value_ints") : &whole;
    const float *numbers = &number;
    if (list && floats)
        numbers = f0t_op_floats(&count, call, "value_floats");
    F0T_TRY(f0t_op_output(call, 0, floats ? F0T_ONNX_FLOAT : F0T_ONNX_INT64, list, &count));
    for (size_t k = 0; k < count && !call->shape_only; k++) {
        if (floats)
            call->outputs->f[k] = numbers[k];
        else
            call->outputs->i[k] = wholes[k];
    }
    return F0T_OK;
}

f0t_status f0t_op_constant(f0t_op_call *call)
{
    const f0t_onnx_tensor_proto *tensor = f0t_op_tensor(call, "value");
    if (tensor)
        return give_tensor(call, tensor);
    if (f0t_op_has(call, "value_float") || f0t_op_has(call, "value_int"))
        return give_numbers(call, false, f0t_op_has(call, "value_float"));
    if (f0t_op_has(call, "value_floats") || f0t_op_has(call, "value_ints"))
        return give_numbers(call, true, f0t_op_has(call, "value_floats"));
    return f0t_fail(F0T_ERROR_UNSUPPORTED, "its value is text, sparse or missing");
}

static f0t_status fill_value(f0t_onnx_array *out, const f0t_onnx_tensor_proto *proto)
{
    f0t_onnx_array value = {.type = F0T_ONNX_FLOAT}, held;
    if (proto)
        F0T_TRY(f0t_onnx_tensor_from_proto(&value, proto, raw_of(proto), NULL));
    f0t_status status = f0t_onnx_array_copy(&held, &value);
    f0t_onnx_array_clear(&value);
    if (status == F0T_OK && proto && held.count != 1)
        status = f0t_fail(F0T_ERROR_FORMAT, "its value is not one number");
    for (size_t k = 0; k < out->count && status == F0T_OK; k++) {
        if (out->f)
            out->f[k] = held.f ? held.f[0] : 0.0F;
        else
            out->i[k] = held.i ? held.i[0] : 0;
    }
    f0t_onnx_array_clear(&held);
    return status;
}

f0t_status f0t_op_constant_of_shape(f0t_op_call *call)
{
    const f0t_onnx_tensor_proto *proto = f0t_op_tensor(call, "value");
    const int64_t *list;
    size_t count, dims[F0T_ONNX_RANK] = {0};
    int type = proto ? proto->data_type : F0T_ONNX_FLOAT;
    if (!f0t_onnx_array_type_name(type))
        return f0t_fail(F0T_ERROR_UNSUPPORTED, "its value is of type %d of onnx.proto", type);
    F0T_TRY(f0t_op_list(&list, &count, call, NULL, 0));
    for (size_t d = 0; d < count && d < F0T_ONNX_RANK; d++) {
        if (list[d] < 0)
            return f0t_fail(F0T_ERROR_FORMAT, "dimension %zu is %lld", d, (long long)list[d]);
        dims[d] = (size_t)list[d];
    }
    F0T_TRY(f0t_op_output(call, 0, (f0t_onnx_array_type)type, count, dims));
    return call->shape_only ? F0T_OK : fill_value(call->outputs, proto);
}

/* ---- Shapes -------------------------------------------------------------------------------------
 */

f0t_status f0t_op_shape(f0t_op_call *call)
{
    const f0t_onnx_array *x = f0t_op_in(call, 0);
    int64_t rank = (int64_t)x->rank, start = f0t_op_int(call, "start", 0);
    int64_t end = f0t_op_int(call, "end", rank);
    start = start < 0 ? start + rank : start;
    end = end < 0 ? end + rank : end;
    start = start < 0 ? 0 : start > rank ? rank : start;
    end = end < start ? start : end > rank ? rank : end;
    size_t count = (size_t)(end - start);
    F0T_TRY(f0t_op_output(call, 0, F0T_ONNX_INT64, 1, &count));
    for (size_t d = 0; d < count && !call->shape_only; d++)
        call->outputs->i[d] = (int64_t)x->dims[(size_t)start + d];
    return F0T_OK;
}

f0t_status f0t_op_size(f0t_op_call *call)
{
    F0T_TRY(f0t_op_output(call, 0, F0T_ONNX_INT64, 0, NULL));
    if (!call->shape_only)
        call->outputs->i[0] = (int64_t)f0t_op_in(call, 0)->count;
    return F0T_OK;
}

static double scalar(const f0t_onnx_array *x)
{
    return x->f ? (double)x->f[0] : (double)x->i[0];
}

f0t_status f0t_op_range(f0t_op_call *call)
{
    for (size_t k = 0; k < 3; k++) {
        F0T_TRY(f0t_op_need(call, k));
        if (f0t_op_in(call, k)->count != 1)
            return f0t_fail(F0T_ERROR_FORMAT, "input %zu is not one number", k);
    }
    double start = scalar(call->inputs[0]), limit = scalar(call->inputs[1]);
    double step = scalar(call->inputs[2]), length = ceil((limit - start) / step);
    if (!(length < 1e9))
        return f0t_fail(F0T_ERROR_FORMAT, "it would make %g numbers", length);
    size_t count = length > 0 ? (size_t)length : 0;
    F0T_TRY(f0t_op_output(call, 0, call->inputs[0]->type, 1, &count));
    for (size_t k = 0; k < count && !call->shape_only; k++) {
        if (call->outputs->f)
            call->outputs->f[k] = (float)(start + step * (double)k);
        else
            call->outputs->i[k] =
                (int64_t)((uint64_t)call->inputs[0]->i[0] + (uint64_t)call->inputs[2]->i[0] * k);
    }
    return F0T_OK;
}

/* ---- Types --------------------------------------------------------------------------------------
 */

/* Rounding through the narrower float types, so that what a file rounds stays rounded. */
static float to_float(float x, f0t_onnx_array_type type)
{
    if (type == F0T_ONNX_FLOAT16)
        return f0t_f16_to_f32_ref(f0t_f32_to_f16_ref(x));
    if (type == F0T_ONNX_BFLOAT16)
        return f0t_bf16_to_f32_ref(f0t_f32_to_bf16_ref(x));
    return x;
}

static f0t_status cast(f0t_op_call *call, int type)
{
    const f0t_onnx_array *x = f0t_op_in(call, 0);
    if (!f0t_onnx_array_type_name(type))
        return f0t_fail(F0T_ERROR_UNSUPPORTED, "to type %d of onnx.proto", type);
    F0T_TRY(f0t_op_output(call, 0, (f0t_onnx_array_type)type, x->rank, x->dims));
    f0t_onnx_array *y = call->outputs;
    for (size_t k = 0; k < x->count && !call->shape_only; k++) {
        if (y->f)
            y->f[k] = to_float(x->f ? x->f[k] : (float)x->i[k], y->type);
        else
            y->i[k] = x->f ? f0t_onnx_array_to_integer(y->type, (double)x->f[k])
                           : f0t_onnx_array_wrap(y->type, x->i[k]);
    }
    return F0T_OK;
}

f0t_status f0t_op_cast(f0t_op_call *call)
{
    int64_t to = f0t_op_int(call, "to", 0);
    return cast(call, to > 0 && to < 100 ? (int)to : 0);
}

f0t_status f0t_op_cast_like(f0t_op_call *call)
{
    return cast(call, (int)f0t_op_in(call, 1)->type);
}

/* ---- Patterns -----------------------------------------------------------------------------------
 */

f0t_status f0t_op_eye_like(f0t_op_call *call)
{
    const f0t_onnx_array *x = f0t_op_in(call, 0);
    int64_t type = f0t_op_int(call, "dtype", (int64_t)x->type), shift = f0t_op_int(call, "k", 0);
    if (x->rank != 2 || type < 0 || type > 100 || !f0t_onnx_array_type_name((int)type))
        return f0t_fail(F0T_ERROR_UNSUPPORTED, "it is not known for this shape or type");
    F0T_TRY(f0t_op_output(call, 0, (f0t_onnx_array_type)type, 2, x->dims));
    f0t_onnx_array *y = call->outputs;
    for (size_t k = 0; k < y->count && !call->shape_only; k++) {
        int64_t row = (int64_t)(k / y->dims[1]), column = (int64_t)(k % y->dims[1]);
        bool one = column - row == shift;
        if (y->f)
            y->f[k] = one;
        else
            y->i[k] = one;
    }
    return F0T_OK;
}

static int64_t whole_at(const f0t_onnx_array *x, size_t k)
{
    return x->f ? f0t_onnx_array_to_integer(F0T_ONNX_INT64, (double)x->f[k]) : x->i[k];
}

f0t_status f0t_op_one_hot(f0t_op_call *call)
{
    const f0t_onnx_array *x = f0t_op_in(call, 0), *depth = f0t_op_in(call, 1),
                         *ends = f0t_op_in(call, 2);
    size_t axis, dims[F0T_ONNX_RANK + 1], inner = 1;
    F0T_TRY(f0t_op_need(call, 1));
    int64_t classes = depth->count == 1 ? whole_at(depth, 0) : 0;
    if (classes < 1 || classes > INT32_MAX || ends->count != 2 || x->rank >= F0T_ONNX_RANK)
        return f0t_fail(F0T_ERROR_FORMAT, "its depth, values or indices are wrong");
    F0T_TRY(f0t_op_axis(&axis, f0t_op_int(call, "axis", -1), x->rank + 1));
    for (size_t d = 0; d <= x->rank; d++)
        dims[d] = d == axis ? (size_t)classes : x->dims[d - (d > axis)];
    for (size_t d = axis + 1; d <= x->rank; d++)
        inner *= dims[d];
    F0T_TRY(f0t_op_output(call, 0, ends->type, x->rank + 1, dims));
    f0t_onnx_array *y = call->outputs;
    for (size_t k = 0; k < y->count && !call->shape_only; k++) {
        size_t class = k / inner % (size_t)classes;
        size_t from = k / inner / (size_t)classes * inner + k % inner;
        int64_t index = whole_at(x, from);
        bool on = (int64_t) class == (index < 0 ? index + classes : index);
        if (y->f)
            y->f[k] = ends->f[on];
        else
            y->i[k] = ends->i[on];
    }
    return F0T_OK;
}
