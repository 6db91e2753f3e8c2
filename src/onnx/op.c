#include "onnx/op.h"

#include "base/size.h"

#include <string.h>

/* ---- Running ------------------------------------------------------------------------------------
 */

static f0t_status check_inputs(const f0t_op_call *call)
{
    const f0t_op *op = call->op;
    const f0t_onnx_array *first = f0t_op_in(call, 0);
    const size_t most = op->most || !op->least ? op->most : F0T_OP_INPUTS;
    if (call->input_count < op->least || call->input_count > most ||
        call->input_count > F0T_OP_INPUTS)
        return f0t_fail(F0T_ERROR_FORMAT, "it has %zu inputs", call->input_count);
    if (!call->output_count || call->output_count > op->outputs)
        return f0t_fail(F0T_ERROR_FORMAT, "it has %zu outputs", call->output_count);
    for (size_t k = 0; k < call->input_count; k++) {
        const f0t_onnx_array *in = call->inputs[k];
        if (!in && k < op->least)
            return f0t_fail(F0T_ERROR_FORMAT, "input %zu is missing", k);
        if (in && in->type == F0T_ONNX_NONE)
            return f0t_fail(F0T_ERROR_UNSUPPORTED, "the type of input %zu is not known", k);
        if (!in || op->takes == F0T_TAKES_ANY)
            continue;
        if (op->takes == F0T_TAKES_FLOAT && !f0t_onnx_array_type_is_float(in->type))
            return f0t_fail(F0T_ERROR_FORMAT, "input %zu is %s, not float", k,
                            f0t_onnx_array_type_name((int)in->type));
        if (op->takes == F0T_TAKES_SAME && first && in->type != first->type)
            return f0t_fail(F0T_ERROR_FORMAT, "its inputs are %s and %s",
                            f0t_onnx_array_type_name((int)first->type),
                            f0t_onnx_array_type_name((int)in->type));
    }
    return F0T_OK;
}

static bool is_empty(const f0t_op_call *call)
{
    for (size_t k = 0; k < call->output_count; k++)
        if (call->outputs[k].count)
            return false;
    return true;
}

/* Types and shapes of all outputs. */
static f0t_status shape(f0t_op_call *call)
{
    bool shape_only = call->shape_only;
    call->shape_only = true;
    f0t_status status = call->op->run(call);
    call->shape_only = shape_only;
    F0T_TRY(status);
    for (size_t k = 0; k < call->output_count; k++)
        if (call->outputs[k].type == F0T_ONNX_NONE)
            return f0t_fail(F0T_ERROR_UNSUPPORTED, "its output %zu is not known", k);
    return F0T_OK;
}

static f0t_status charge_work(const f0t_op_call *call)
{
    for (size_t k = 0; k < call->output_count; k++)
        F0T_TRY(f0t_op_steps(call, call->outputs[k].count, 8));
    for (size_t k = 0; k < call->input_count; k++)
        if (call->inputs[k])
            F0T_TRY(f0t_op_steps(call, call->inputs[k]->count, 1));
    return F0T_OK;
}

static f0t_status make_room(const f0t_op_call *call, f0t_onnx_array *out)
{
    bool is_float = f0t_onnx_array_type_is_float(out->type);
    if (out->f || out->i)
        return F0T_OK;
    F0T_TRY(
        f0t_onnx_budget_take(call->budget, out->count, is_float ? sizeof *out->f : sizeof *out->i));
    return f0t_onnx_array_alloc(out);
}

/* Shapes first: then there is memory for every output before anything is computed, and nothing is
 * where there is nothing to compute (a dimension of 0 may stand beside one of 2^58). */
f0t_status f0t_op_run(f0t_op_call *call)
{
    F0T_TRY(check_inputs(call));
    F0T_TRY(shape(call));
    if (call->shape_only)
        return F0T_OK;
    for (size_t k = 0; k < call->output_count; k++)
        F0T_TRY(make_room(call, &call->outputs[k]));
    if (is_empty(call))
        return F0T_OK;
    F0T_TRY(charge_work(call));
    return call->op->run(call);
}

f0t_status f0t_onnx_node_run(f0t_onnx_array *outputs, const f0t_onnx_graph *graph,
                             const f0t_onnx_node *node, const f0t_onnx_array *const *inputs,
                             bool shape_only, f0t_onnx_budget *budget)
{
    f0t_op_call call = {.node = node,
                        .op = node->op,
                        .opset = graph->opset,
                        .inputs = inputs,
                        .input_count = node->input_count,
                        .outputs = outputs,
                        .output_count = node->output_count,
                        .shape_only = shape_only,
                        .budget = budget};
    return f0t_onnx_graph_fail_at(graph, node, f0t_op_run(&call));
}

f0t_status f0t_op_output(f0t_op_call *call, size_t k, f0t_onnx_array_type type, size_t rank,
                         const size_t *dims)
{
    if (k >= call->output_count)
        return F0T_OK;
    f0t_onnx_array *out = &call->outputs[k], before = *out;
    F0T_TRY(f0t_onnx_array_shape(out, type, rank, dims));
    if ((out->f || out->i) &&
        (out->type != before.type || !f0t_onnx_array_same_shape(out, &before)))
        return f0t_fail(F0T_ERROR_UNSUPPORTED, "its output %zu has another shape than was planned",
                        k);
    return F0T_OK;
}

f0t_status f0t_op_output_like(f0t_op_call *call, size_t k, const f0t_onnx_array *like)
{
    return f0t_op_output(call, k, like->type, like->rank, like->dims);
}

f0t_status f0t_op_need(const f0t_op_call *call, size_t k)
{
    const f0t_onnx_array *in = f0t_op_in(call, k);
    if (in && (in->f || in->i))
        return F0T_OK;
    return f0t_fail(F0T_ERROR_UNSUPPORTED,
                    "the shape of its result depends on what is in the picture (input %zu)", k);
}

/* ---- Attributes ---------------------------------------------------------------------------------
 */

static const f0t_onnx_attribute_proto *find(const f0t_op_call *call, const char *name)
{
    for (size_t k = 0; k < call->node->attribute_count; k++) {
        const f0t_onnx_attribute_proto *a = call->node->attributes[k];
        if (a->name && strcmp(a->name, name) == 0)
            return a;
    }
    return NULL;
}

bool f0t_op_has(const f0t_op_call *call, const char *name)
{
    return find(call, name) != NULL;
}

int64_t f0t_op_int(const f0t_op_call *call, const char *name, int64_t otherwise)
{
    const f0t_onnx_attribute_proto *a = find(call, name);
    return a && a->has_i ? a->i : otherwise;
}

float f0t_op_float(const f0t_op_call *call, const char *name, float otherwise)
{
    const f0t_onnx_attribute_proto *a = find(call, name);
    return a && a->has_f ? a->f : otherwise;
}

const char *f0t_op_text(const f0t_op_call *call, const char *name, const char *otherwise)
{
    const f0t_onnx_attribute_proto *a = find(call, name);
    if (!a || !a->has_s)
        return otherwise;
    return a->s.data ? (const char *)a->s.data : "";
}

const int64_t *f0t_op_ints(size_t *count, const f0t_op_call *call, const char *name)
{
    const f0t_onnx_attribute_proto *a = find(call, name);
    *count = a ? a->n_ints : 0;
    return a && a->n_ints ? a->ints : NULL;
}

const float *f0t_op_floats(size_t *count, const f0t_op_call *call, const char *name)
{
    const f0t_onnx_attribute_proto *a = find(call, name);
    *count = a ? a->n_floats : 0;
    return a && a->n_floats ? a->floats : NULL;
}

const f0t_onnx_tensor_proto *f0t_op_tensor(const f0t_op_call *call, const char *name)
{
    const f0t_onnx_attribute_proto *a = find(call, name);
    return a ? a->t : NULL;
}

f0t_status f0t_op_axis(size_t *out, int64_t axis, size_t rank)
{
    *out = 0;
    if (axis < -(int64_t)rank || axis >= (int64_t)rank)
        return f0t_fail(F0T_ERROR_FORMAT, "axis %lld of an array of %zu dimensions",
                        (long long)axis, rank);
    *out = (size_t)(axis < 0 ? axis + (int64_t)rank : axis);
    return F0T_OK;
}

f0t_status f0t_op_axis_list(size_t *out, const int64_t *axes, size_t count, size_t rank)
{
    bool seen[F0T_ONNX_RANK] = {false};
    for (size_t k = 0; k < count; k++) {
        size_t axis;
        F0T_TRY(f0t_op_axis(&axis, axes ? axes[k] : (int64_t)k, rank));
        if (seen[axis])
            return f0t_fail(F0T_ERROR_FORMAT, "axis %lld comes twice", (long long)axes[k]);
        seen[axis] = true;
        out[k] = axis;
    }
    return F0T_OK;
}

f0t_status f0t_op_axes(bool *set, const int64_t *axes, size_t count, size_t rank)
{
    size_t list[F0T_ONNX_RANK];
    memset(set, 0, F0T_ONNX_RANK * sizeof *set);
    F0T_TRY(f0t_op_axis_list(list, axes, count, rank));
    for (size_t k = 0; k < count; k++)
        set[list[k]] = true;
    return F0T_OK;
}

f0t_status f0t_op_list(const int64_t **list, size_t *count, const f0t_op_call *call,
                       const char *attribute, size_t k)
{
    const f0t_onnx_array *in = f0t_op_in(call, k);
    *list = NULL;
    *count = 0;
    if (!in) {
        *list = attribute ? f0t_op_ints(count, call, attribute) : NULL;
        return F0T_OK;
    }
    F0T_TRY(f0t_op_need(call, k));
    if (!in->i || in->rank > 1)
        return f0t_fail(F0T_ERROR_FORMAT, "input %zu is not a list of integers", k);
    *list = in->i;
    *count = in->count;
    return F0T_OK;
}

/* ---- Broadcasting -------------------------------------------------------------------------------
 */

static void set_strides(f0t_onnx_spread *s, size_t which, const f0t_onnx_array *a)
{
    size_t stride = 1, shift = s->rank - a->rank;
    for (size_t d = s->rank; d-- > 0;) {
        size_t dim = d >= shift ? a->dims[d - shift] : 1;
        s->strides[which][d] = dim == 1 ? 0 : stride;
        stride *= dim;
    }
}

f0t_status f0t_onnx_spread_make(f0t_onnx_spread *out, const f0t_onnx_array *const *arrays,
                                size_t count)
{
    f0t_onnx_array result = {0};
    *out = (f0t_onnx_spread){0};
    for (size_t k = 0; k < count; k++)
        out->rank = arrays[k]->rank > out->rank ? arrays[k]->rank : out->rank;
    for (size_t d = 0; d < out->rank; d++)
        out->dims[d] = 1;
    for (size_t k = 0; k < count; k++) {
        size_t shift = out->rank - arrays[k]->rank;
        for (size_t d = 0; d < arrays[k]->rank; d++) {
            size_t dim = arrays[k]->dims[d], *to = &out->dims[shift + d];
            if (dim == 1 || dim == *to)
                continue;
            if (*to != 1)
                return f0t_fail(F0T_ERROR_FORMAT, "dimensions %zu and %zu do not fit together", *to,
                                dim);
            *to = dim;
        }
    }
    F0T_TRY(f0t_onnx_array_shape(&result, F0T_ONNX_INT64, out->rank, out->dims));
    out->count = result.count;
    for (size_t k = 0; k < count; k++)
        set_strides(out, k, arrays[k]);
    return F0T_OK;
}

size_t f0t_onnx_spread_offset(const f0t_onnx_spread *spread, size_t which, size_t row)
{
    size_t offset = 0;
    for (size_t d = spread->rank ? spread->rank - 1 : 0; d-- > 0;) {
        offset += row % spread->dims[d] * spread->strides[which][d];
        row /= spread->dims[d];
    }
    return offset;
}
