/* Pad: constants, the edge or the mirrored inside around an array. */
#include "onnx/ops.h"

#include <string.h>

typedef enum fill { FILL_CONSTANT, FILL_EDGE, FILL_REFLECT, FILL_WRAP } fill;

static f0t_status read_mode(fill *out, const f0t_op_call *call)
{
    static const char *const names[] = {"constant", "edge", "reflect", "wrap"};
    const char *mode = f0t_op_text(call, "mode", "constant");
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (strcmp(mode, names[k]) == 0) {
            *out = (fill)k;
            return F0T_OK;
        }
    return f0t_fail(F0T_ERROR_UNSUPPORTED, "mode '%s'", mode);
}

/* Pads before and after each dimension; negative ones cut. */
static f0t_status read_pads(int64_t *before, size_t *dims, const f0t_op_call *call)
{
    const f0t_onnx_array *x = f0t_op_in(call, 0);
    const int64_t *pads, *axes;
    size_t count, axis_count, places[F0T_ONNX_RANK];
    F0T_TRY(
        f0t_op_list(&pads, &count, call, f0t_op_has(call, "paddings") ? "paddings" : "pads", 1));
    F0T_TRY(f0t_op_list(&axes, &axis_count, call, NULL, 3));
    axis_count = axes ? axis_count : x->rank;
    if (axis_count > x->rank || count != 2 * axis_count)
        return f0t_fail(F0T_ERROR_FORMAT, "%zu pads for %zu dimensions", count, axis_count);
    memset(before, 0, F0T_ONNX_RANK * sizeof *before);
    memcpy(dims, x->dims, F0T_ONNX_RANK * sizeof *dims);
    F0T_TRY(f0t_op_axis_list(places, axes, axis_count, x->rank));
    for (size_t k = 0; k < axis_count; k++) {
        size_t d = places[k];
        int64_t start = pads[k], end = pads[axis_count + k];
        if (start < -INT32_MAX || start > INT32_MAX || end < -INT32_MAX || end > INT32_MAX ||
            (int64_t)x->dims[d] + start + end < 0)
            return f0t_fail(F0T_ERROR_FORMAT, "dimension %zu of %zu padded by %lld and %lld", d,
                            x->dims[d], (long long)start, (long long)end);
        before[d] = start;
        dims[d] = (size_t)((int64_t)x->dims[d] + start + end);
    }
    return F0T_OK;
}

/* The coordinate of the input that is shown at `at`; below 0: none. */
static int64_t source(int64_t at, int64_t size, fill mode)
{
    if (at >= 0 && at < size)
        return at;
    if (mode == FILL_CONSTANT || size == 0)
        return -1;
    if (mode == FILL_EDGE)
        return at < 0 ? 0 : size - 1;
    if (mode == FILL_WRAP)
        return (at % size + size) % size;
    int64_t period = size > 1 ? 2 * (size - 1) : 1;
    at = (at % period + period) % period;
    return at < size ? at : period - at;
}

f0t_status f0t_op_pad(f0t_op_call *call)
{
    const f0t_onnx_array *x = f0t_op_in(call, 0), *value = f0t_op_in(call, 2);
    int64_t before[F0T_ONNX_RANK] = {0};
    size_t dims[F0T_ONNX_RANK] = {0};
    fill mode = FILL_CONSTANT;
    F0T_TRY(read_mode(&mode, call));
    F0T_TRY(read_pads(before, dims, call));
    if (value && (value->type != x->type || value->count > 1))
        return f0t_fail(F0T_ERROR_FORMAT, "its value is not one number of the type of its input");
    F0T_TRY(f0t_op_output(call, 0, x->type, x->rank, dims));
    f0t_onnx_array *y = call->outputs;
    float number = value && value->f && value->count ? value->f[0] : f0t_op_float(call, "value", 0);
    int64_t whole = value && value->i && value->count ? value->i[0] : 0;
    for (size_t k = 0; k < y->count && !call->shape_only; k++) {
        F0T_TRY(f0t_op_steps(call, x->rank, 4));
        size_t rest = k, stride = 1;
        int64_t from = 0;
        for (size_t d = x->rank; d-- > 0;) {
            int64_t at = source((int64_t)(rest % dims[d]) - before[d], (int64_t)x->dims[d], mode);
            from = at < 0 || from < 0 ? -1 : from + at * (int64_t)stride;
            rest /= dims[d];
            stride *= x->dims[d];
        }
        if (y->f)
            y->f[k] = from < 0 ? number : x->f[from];
        else
            y->i[k] = from < 0 ? whole : x->i[from];
    }
    return F0T_OK;
}
