#include "model/step.h"

#include "base/team.h"
#include "model/step_parts.h"

#include <string.h>

/* ---- Forward ------------------------------------------------------------------------------------- */

f0t_dropout f0t_step_dropout(const f0t_step *step, size_t layer, uint64_t count)
{
    const f0t_step_options *options = &step->options;
    double rate = layer ? options->hidden_dropout : options->input_dropout;
    f0t_dropout dropout = f0t_dropout_make(rate, options->seed, count, layer);
    dropout.first = (uint64_t)step->first * step->net->layers[layer].inputs;
    return dropout;
}

static f0t_dropout dropout_before(const f0t_step *step, size_t layer)
{
    return f0t_step_dropout(step, layer, step->count);
}

/* x after dropout into the first layer's. */
static f0t_status load(f0t_step *step, const float *x, size_t rows)
{
    const f0t_compute *compute = step->net->compute;
    const f0t_dropout dropout = dropout_before(step, 0);
    const size_t n = rows * step->net->shape.inputs;
    const f0t_buffer given = f0t_buffer_view(compute, F0T_F32, n, x);
    if (step->input)
        F0T_TRY(compute->upload(step->input, 0, x, n));
    return compute->drop(step->layers[0].x, step->input ? step->input : &given, n, &dropout);
}

f0t_status f0t_step_await(const f0t_step *step, size_t l)
{
    const f0t_step_layer *layer = &step->layers[l];
    if (step->common)
        return f0t_common_wait(f0t_common_arrays_memory(step->common));
    if (layer->weight.divided)
        F0T_TRY(f0t_divided_wait(layer->weight.divided));
    return layer->bias.divided ? f0t_divided_wait(layer->bias.divided) : F0T_OK;
}

static f0t_status run_layers(f0t_step *step, size_t rows)
{
    const f0t_net *net = step->net;
    for (size_t l = 0; l < net->layer_count; l++) {
        F0T_TRY(f0t_step_await(step, l));
        bool hidden = l + 1 < net->layer_count;
        f0t_buffer *y = hidden ? step->layers[l + 1].x : step->outputs;
        F0T_TRY(f0t_net_layer_forward(y, net, l, step->layers[l].x, rows));
        if (hidden) {
            const f0t_dropout dropout = dropout_before(step, l + 1);
            F0T_TRY(net->compute->drop(y, y, rows * net->layers[l].outputs, &dropout));
        }
    }
    return F0T_OK;
}

void f0t_step_forget_updates(f0t_step *step)
{
    for (size_t l = 0; l < step->net->layer_count; l++)
        step->layers[l].weight.updated = step->layers[l].bias.updated = false;
}

static f0t_status begin(f0t_step *step, size_t rows, size_t first)
{
    step->rows = 0;
    step->ready = false;
    step->first = first;
    f0t_step_forget_updates(step);
    if (!rows || rows > step->options.batch)
        return f0t_fail(F0T_ERROR_ARGUMENT, "a mini-batch of %zu images: it may have 1 to %zu",
                        rows, step->options.batch);
    return F0T_OK;
}

static f0t_status forward(f0t_step *step, size_t rows)
{
    F0T_TRY(run_layers(step, rows));
    if (step->scores)
        F0T_TRY(f0t_scoring_run(step->scores, &step->scoring, step->outputs, rows));
    step->rows = rows;
    step->last = rows;
    return F0T_OK;
}

f0t_status f0t_step_forward(f0t_step *step, const float *x, size_t rows, size_t first)
{
    F0T_TRY(begin(step, rows, first));
    F0T_TRY(load(step, x, rows));
    return forward(step, rows);
}

/* The features are in the first layer's x: the same numbers, whichever way they came. */
static f0t_status drop_and_forward(f0t_step *step, size_t rows)
{
    f0t_buffer *input = step->layers[0].x;
    const f0t_dropout dropout = dropout_before(step, 0);
    F0T_TRY(step->net->compute->drop(input, input, rows * step->net->shape.inputs, &dropout));
    return forward(step, rows);
}

f0t_status f0t_step_forward_rows(f0t_step *step, const f0t_buffer *x, const uint32_t *index,
                                 size_t rows, size_t first)
{
    F0T_TRY(begin(step, rows, first));
    F0T_TRY(step->net->compute->gather(step->layers[0].x, x, index, rows, step->net->shape.inputs));
    return drop_and_forward(step, rows);
}

f0t_status f0t_step_forward_stream(f0t_step *step, f0t_fill *fill, void *user, size_t rows,
                                   size_t first)
{
    F0T_TRY(begin(step, rows, first));
    F0T_TRY(step->net->compute->stream(step->layers[0].x, 0, rows * step->net->shape.inputs, fill,
                                       user));
    return drop_and_forward(step, rows);
}

const f0t_buffer *f0t_step_scores(const f0t_step *step)
{
    return step->scores ? step->scores : step->outputs;
}

f0t_buffer *f0t_step_gradient(f0t_step *step)
{
    return step->gradient;
}

/* ---- Gradients ----------------------------------------------------------------------------------- */

/* The gradient of what layer l - 1 gives, before its ReLU and dropout. */
static f0t_status gradient_below(f0t_step *step, size_t l, size_t rows)
{
    const f0t_compute *compute = step->net->compute;
    const f0t_net_layer *layer = &step->net->layers[l];
    const f0t_dropout dropout = dropout_before(step, l);
    f0t_buffer *below = step->layers[l - 1].dy;
    f0t_matmul op = {.m = rows,
                     .n = layer->inputs,
                     .k = layer->outputs,
                     .type = step->net->precision,
                     .result = step->net->precision};
    F0T_TRY(compute->product(below, step->layers[l].dy, f0t_net_layer_operand(layer), NULL, &op));
    return compute->gate(below, step->layers[l].x, rows, layer->inputs, dropout.scale,
                         step->layers[l - 1].bias.gradient);
}

f0t_status f0t_step_weight_gradient(f0t_buffer *to, const f0t_step *step, size_t l, size_t rows)
{
    const f0t_net_layer *layer = &step->net->layers[l];
    const f0t_step_layer *state = &step->layers[l];
    f0t_matmul op = {.m = layer->outputs,
                     .n = layer->inputs,
                     .k = rows,
                     .type = step->net->precision,
                     .a_transposed = true};
    return step->net->compute->product(to, state->dy, state->x, NULL, &op);
}

/* Outputs [first, first + outputs) of the layer: a block of rows of its weight. */
static f0t_status gradient_of_block(const f0t_step *step, size_t l, size_t first, size_t outputs,
                                    size_t rows)
{
    const f0t_net_layer *layer = &step->net->layers[l];
    const f0t_compute *compute = step->net->compute;
    const size_t size = f0t_dtype_size(step->net->precision);
    const f0t_step_layer *state = &step->layers[l];
    f0t_buffer to = f0t_buffer_view(compute, F0T_F32, outputs * layer->inputs,
                                    (float *)state->weight.gradient->data + first * layer->inputs);
    f0t_matmul op = {.m = outputs,
                     .n = layer->inputs,
                     .k = rows,
                     .type = step->net->precision,
                     .a_transposed = true};
    if (outputs == layer->outputs)
        return compute->product(&to, state->dy, state->x, NULL, &op);
#pragma omp parallel for schedule(static) num_threads(f0t_team_size())
    for (size_t r = 0; r < rows; r++)
        memcpy((char *)step->columns->data + r * outputs * size,
               (const char *)state->dy->data + (r * layer->outputs + first) * size, outputs * size);
    return compute->product(&to, step->columns, state->x, NULL, &op);
}

/* Each block's sum over the processes begins while the next one is computed. */
static f0t_status travelling_gradient(const f0t_step *step, size_t l, size_t rows)
{
    const f0t_step_moments *weight = &step->layers[l].weight, *bias = &step->layers[l].bias;
    for (size_t b = 0; b < f0t_divided_count(weight->divided); b++) {
        size_t first, outputs;
        f0t_divided_block(weight->divided, b, &first, &outputs);
        if (rows)
            F0T_TRY(gradient_of_block(step, l, first, outputs, rows));
        F0T_TRY(f0t_divided_sum(weight->divided, b, weight->gradient->data));
    }
    return bias->divided ? f0t_divided_sum(bias->divided, 0, bias->gradient->data) : F0T_OK;
}

static f0t_status divided_gradient(const f0t_step *step, size_t l, size_t rows)
{
    if (!step->common)
        return travelling_gradient(step, l, rows);
    return rows ? f0t_step_weight_gradient(step->layers[l].weight.gradient, step, l, rows) : F0T_OK;
}

/* All gradients are computed. In common memory the others may read them, and no longer need the weights. */
static f0t_status end_gradients(f0t_step *step)
{
    if (step->common)
        F0T_TRY(f0t_common_meet(f0t_common_arrays_memory(step->common)));
    step->ready = true;
    return F0T_OK;
}

/* dF, from dS where there are tags. */
static f0t_status gradient_of_outputs(f0t_step *step, size_t rows)
{
    const f0t_compute *compute = step->net->compute;
    const size_t last = step->net->layer_count - 1, d = step->net->shape.outputs;
    f0t_matmul op = {.m = rows,
                     .n = d,
                     .k = step->options.tag_count,
                     .coarse = step->net->precision == F0T_BF16};
    if (step->scores)
        F0T_TRY(compute->product(step->doutputs, step->gradient, step->gradient_tags, NULL, &op));
    return compute->outputs(step->layers[last].dy, step->scores ? step->doutputs : step->gradient,
                            rows, d, step->layers[last].bias.gradient);
}

f0t_status f0t_step_gradients(f0t_step *step)
{
    const size_t rows = step->rows;
    if (!rows)
        return f0t_fail(F0T_ERROR_ARGUMENT, "a backward pass needs a forward pass before it");
    F0T_TRY(gradient_of_outputs(step, rows));
    for (size_t l = step->net->layer_count; l-- > 0;) {
        if (f0t_step_is_divided(step))
            F0T_TRY(divided_gradient(step, l, rows));
        else if (!f0t_step_descends(step))
            F0T_TRY(f0t_step_weight_gradient(step->layers[l].weight.gradient, step, l, rows));
        if (l)
            F0T_TRY(gradient_below(step, l, rows));
    }
    step->rows = 0;
    return end_gradients(step);
}

static void set_zero(f0t_buffer *gradient)
{
    memset(gradient->data, 0, gradient->count * sizeof(float));
}

f0t_status f0t_step_no_gradients(f0t_step *step)
{
    if (!f0t_step_is_divided(step))
        return f0t_fail(F0T_ERROR_ARGUMENT, "a mini-batch needs at least one image");
    step->rows = 0;
    for (size_t l = step->net->layer_count; l-- > 0;) {
        F0T_TRY(f0t_step_await(step, l));
        set_zero(step->layers[l].weight.gradient);
        set_zero(step->layers[l].bias.gradient);
        F0T_TRY(divided_gradient(step, l, 0));
    }
    return end_gradients(step);
}
