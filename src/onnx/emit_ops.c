/* Everything else on plain arrays: rows, and the plain operators. */
#include "onnx/builder.h"

#include "base/alloc.h"
#include "base/kernels.h"
#include "base/team.h"

#include <string.h>

/* ---- Rows -----------------------------------------------------------------------------------------
 */

/* Fewer elements than this are not worth waking other threads. */
enum { SHARED = 1 << 14 };

static void share_softmax(float *y, const float *x, size_t rows, size_t n)
{
    void (*kernel)(float *, const float *, size_t) = f0t_kernels()->row_softmax;
#pragma omp parallel for num_threads(f0t_team_size()) if (rows * n > SHARED)
    for (int64_t r = 0; r < (int64_t)rows; r++)
        kernel(y + (size_t)r * n, x + (size_t)r * n, n);
}

static void share_layer_norm(float *y, const float *x, size_t rows, size_t n, const float *scale,
                             const float *bias, float epsilon)
{
    void (*kernel)(float *, const float *, size_t, const float *, const float *, float) =
        f0t_kernels()->row_layer_norm;
#pragma omp parallel for num_threads(f0t_team_size()) if (rows * n > SHARED)
    for (int64_t r = 0; r < (int64_t)rows; r++)
        kernel(y + (size_t)r * n, x + (size_t)r * n, n, scale, bias, epsilon);
}

static f0t_status run_softmax(const f0t_onnx_step *step, const f0t_onnx_frame *frame)
{
    share_softmax(f0t_onnx_frame_at(frame, step->results[0]),
                  f0t_onnx_frame_at(frame, step->sources[0]), step->rows, step->columns);
    return F0T_OK;
}

static f0t_status run_norm(const f0t_onnx_step *step, const f0t_onnx_frame *frame)
{
    share_layer_norm(f0t_onnx_frame_at(frame, step->results[0]),
                     f0t_onnx_frame_at(frame, step->sources[0]), step->rows, step->columns,
                     step->constants[0], step->constants[1], step->epsilon);
    return F0T_OK;
}

/* In place where nobody needs the input any more. */
static f0t_status emit_rows(f0t_onnx_builder *b, const f0t_onnx_item *item, size_t in, size_t out,
                            f0t_onnx_step_run run, f0t_onnx_step **step)
{
    const f0t_onnx_array *x = f0t_onnx_builder_array(b, in);
    size_t source, result;
    F0T_TRY(f0t_onnx_builder_need_plain(&source, b, in));
    if (!b->places[in].layout && f0t_onnx_builder_is_last(b, in)) {
        result = source;
        F0T_TRY(f0t_onnx_builder_place(b, out, source, NULL));
    } else {
        F0T_TRY(f0t_onnx_builder_place_plain(&result, b, out));
    }
    F0T_TRY(f0t_onnx_builder_step(step, b, run, item->node, 1, 1));
    (*step)->sources[0] = source;
    (*step)->results[0] = result;
    (*step)->columns = x->dims[x->rank - 1];
    (*step)->rows = x->count / (*step)->columns;
    f0t_onnx_builder_used(b);
    return F0T_OK;
}

bool f0t_onnx_builder_is_softmax(const f0t_onnx_builder *b, const f0t_onnx_item *item)
{
    if (!f0t_onnx_item_is(item, "Softmax"))
        return false;
    const f0t_onnx_array *x = f0t_onnx_builder_array(b, item->node->inputs[0]);
    f0t_op_call call = {.node = item->node, .op = item->node->op};
    int64_t axis = f0t_op_int(&call, "axis", b->schedule->graph->opset < 13 ? 1 : -1);
    return x->type == F0T_ONNX_FLOAT && x->rank && (axis == -1 || axis == (int64_t)x->rank - 1);
}

f0t_status f0t_emit_softmax(f0t_onnx_builder *b, const f0t_onnx_item *item, bool *done)
{
    f0t_onnx_step *step;
    if (!f0t_onnx_builder_is_softmax(b, item))
        return F0T_OK;
    *done = true;
    return emit_rows(b, item, item->node->inputs[0], item->node->outputs[0], run_softmax, &step);
}

f0t_status f0t_emit_layer_norm(f0t_onnx_builder *b, const f0t_onnx_item *item, bool *done)
{
    const size_t vectors[] = {item->scale, item->bias};
    f0t_onnx_step *step;
    if (!f0t_onnx_builder_array(b, item->x)->count)
        return f0t_fail(F0T_ERROR_UNSUPPORTED, "a normalisation of nothing");
    *done = true;
    F0T_TRY(emit_rows(b, item, item->x, item->output, run_norm, &step));
    step->epsilon = item->epsilon;
    for (size_t k = 0; k < 2; k++)
        if (vectors[k] != F0T_NONE) {
            F0T_TRY(f0t_onnx_fold_decode(&b->schedule->fold, vectors[k]));
            step->constants[k] = f0t_onnx_builder_array(b, vectors[k])->f;
        }
    return F0T_OK;
}

/* ---- Plain operators --------------------------------------------------------------------------------
 */

static void set_memory(f0t_onnx_array *array, const f0t_onnx_frame *frame, size_t slot)
{
    if (f0t_onnx_array_type_is_float(array->type))
        array->f = f0t_onnx_frame_at(frame, slot);
    else
        array->i = f0t_onnx_frame_at(frame, slot);
}

static f0t_status run_op(const f0t_onnx_step *step, const f0t_onnx_frame *frame)
{
    enum { FEW = 16 };
    const f0t_onnx_array *few[FEW], **inputs = few;
    if (step->source_count > FEW)
        F0T_TRY(f0t_alloc(&inputs, step->source_count, sizeof *inputs));
    for (size_t k = 0; k < step->source_count; k++) {
        if (step->sources[k] != F0T_NONE)
            set_memory(&step->inputs[k], frame, step->sources[k]);
        inputs[k] = step->left_out[k] ? NULL : &step->inputs[k];
    }
    for (size_t k = 0; k < step->result_count; k++)
        set_memory(&step->outputs[k], frame, step->results[k]);
    f0t_op_call call = {.node = step->node,
                        .op = step->node->op,
                        .opset = frame->schedule->graph->opset,
                        .inputs = inputs,
                        .input_count = step->source_count,
                        .outputs = step->outputs,
                        .output_count = step->result_count,
                        .budget = frame->budget};
    f0t_status status = f0t_op_run(&call);
    if (inputs != few)
        f0t_free(inputs);
    return status;
}

static f0t_status set_inputs(f0t_onnx_builder *b, const f0t_onnx_item *item,
                             f0t_onnx_array **inputs, bool **left_out, size_t **slots)
{
    const f0t_onnx_node *node = item->node;
    F0T_TRY(f0t_alloc_zero(inputs, node->input_count, sizeof **inputs));
    F0T_TRY(f0t_alloc_zero(left_out, node->input_count, sizeof **left_out));
    F0T_TRY(f0t_alloc(slots, node->input_count, sizeof **slots));
    for (size_t k = 0; k < node->input_count; k++) {
        size_t v = node->inputs[k];
        (*slots)[k] = F0T_NONE;
        (*left_out)[k] = v == F0T_NONE;
        if (v == F0T_NONE)
            continue;
        if (f0t_onnx_builder_is_constant(b, v))
            F0T_TRY(f0t_onnx_fold_decode(&b->schedule->fold, v));
        else
            F0T_TRY(f0t_onnx_builder_need_plain(&(*slots)[k], b, v));
        (*inputs)[k] = *f0t_onnx_builder_array(b, v);
        (*inputs)[k].owned = false;
    }
    return F0T_OK;
}

/* An output that nobody wants has memory all the same. */
static f0t_status set_output(f0t_onnx_builder *b, const f0t_onnx_item *item, f0t_onnx_step *step,
                             size_t k)
{
    size_t v = item->node->outputs[k];
    step->outputs[k] = *f0t_onnx_builder_array(b, v);
    step->outputs[k].owned = false;
    return f0t_onnx_builder_place_plain(&step->results[k], b, v);
}

f0t_status f0t_emit_op(f0t_onnx_builder *b, const f0t_onnx_item *item)
{
    const f0t_onnx_node *node = item->node;
    f0t_onnx_array *inputs = NULL;
    bool *left_out = NULL;
    size_t *slots = NULL;
    f0t_onnx_step *step = NULL;
    f0t_status status = set_inputs(b, item, &inputs, &left_out, &slots);
    if (status == F0T_OK)
        status =
            f0t_onnx_builder_step(&step, b, run_op, node, node->input_count, node->output_count);
    if (status != F0T_OK || !step) {
        f0t_free(inputs);
        f0t_free(left_out);
        f0t_free(slots);
        return status;
    }
    step->inputs = inputs;
    step->left_out = left_out;
    memcpy(step->sources, slots, node->input_count * sizeof *slots);
    f0t_free(slots);
    F0T_TRY(f0t_alloc_zero(&step->outputs, node->output_count, sizeof *step->outputs));
    for (size_t k = 0; k < node->output_count; k++)
        F0T_TRY(set_output(b, item, step, k));
    f0t_onnx_builder_used(b);
    return F0T_OK;
}
