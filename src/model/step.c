#include "model/step.h"

#include "model/step_layer.h"
#include "model/step_parts.h"

#include <math.h>

/* ---- Forward ------------------------------------------------------------------------------------
 */

static f0t_dropout dropout_before(const f0t_step *step, size_t layer)
{
    const f0t_step_options *options = &step->options;
    double rate = layer ? options->hidden_dropout : options->input_dropout;
    return f0t_dropout_make(rate, options->seed, step->count, layer);
}

static f0t_status run_layers(f0t_step *step, size_t rows)
{
    const f0t_net *net = step->net;
    for (size_t l = 0; l < net->layer_count; l++) {
        bool hidden = l + 1 < net->layer_count;
        void *y = hidden ? step->layers[l + 1].x : step->outputs;
        F0T_TRY(f0t_net_layer_forward(net, l, y, step->layers[l].x, rows));
        if (hidden) {
            const f0t_dropout dropout = dropout_before(step, l + 1);
            f0t_layer_drop(y, net->precision, rows * net->layers[l].outputs, &dropout);
        }
    }
    return F0T_OK;
}

f0t_status f0t_step_forward(f0t_step *step, const float *x, size_t rows)
{
    const f0t_net *net = step->net;
    const f0t_dropout dropout = dropout_before(step, 0);
    f0t_matmul op = {.m = rows, .n = step->options.tag_count, .k = net->shape.outputs};
    step->rows = 0;
    if (!rows || rows > step->options.batch)
        return f0t_fail(F0T_ERROR_ARGUMENT, "a mini-batch of %zu images: it may have 1 to %zu",
                        rows, step->options.batch);
    f0t_layer_input(step->layers[0].x, net->precision, x, rows * net->shape.inputs, &dropout);
    F0T_TRY(run_layers(step, rows));
    if (step->scores)
        F0T_TRY(f0t_matmul_run_packed(step->scores, step->outputs, step->score_tags, NULL, &op));
    step->rows = rows;
    return F0T_OK;
}

const float *f0t_step_scores(const f0t_step *step)
{
    return step->scores;
}

const float *f0t_step_outputs(const f0t_step *step)
{
    return step->outputs;
}

float *f0t_step_gradient(f0t_step *step)
{
    return step->gradient;
}

/* ---- Backward -----------------------------------------------------------------------------------
 */

/* The gradient of what layer l - 1 gives, before its ReLU and dropout. */
static f0t_status gradient_below(f0t_step *step, size_t l, size_t rows)
{
    const f0t_net_layer *layer = &step->net->layers[l];
    f0t_matmul op = {.m = rows,
                     .n = layer->inputs,
                     .k = layer->outputs,
                     .type = step->net->precision,
                     .result = step->net->precision};
    return f0t_matmul_run(step->layers[l - 1].dy, step->layers[l].dy, f0t_net_layer_operand(layer),
                          NULL, &op);
}

static void update_bias(f0t_step *step, size_t l, double rate)
{
    const f0t_net_layer *layer = &step->net->layers[l];
    const f0t_moments *bias = &step->layers[l].bias;
    if (!layer->bias)
        return;
    f0t_parameters parameters = {.w = layer->bias, .m = bias->m, .v = bias->v};
    f0t_optimizer_update(&parameters, 0, step->dbias, layer->outputs, &step->options.optimizer,
                         step->count + 1, rate);
}

static f0t_status update_weight(f0t_step *step, size_t l, size_t rows, double rate)
{
    const f0t_net_layer *layer = &step->net->layers[l];
    const f0t_step_layer *state = &step->layers[l];
    f0t_matmul op = {.m = layer->outputs,
                     .n = layer->inputs,
                     .k = rows,
                     .type = step->net->precision,
                     .a_transposed = true};
    f0t_parameters parameters = {.w = layer->weight,
                                 .m = state->weight.m,
                                 .v = state->weight.v,
                                 .half = layer->weight16,
                                 .decays = true};
    F0T_TRY(f0t_matmul_run(step->dweight, state->dy, state->x, NULL, &op));
    f0t_optimizer_update(&parameters, 0, step->dweight, layer->outputs * layer->inputs,
                         &step->options.optimizer, step->count + 1, rate);
    return F0T_OK;
}

/* Layer l's own gradient stands in its dy; the one below needs the weights before the update. */
static f0t_status back_through(f0t_step *step, size_t l, size_t rows, double rate)
{
    if (l)
        F0T_TRY(gradient_below(step, l, rows));
    update_bias(step, l, rate);
    F0T_TRY(update_weight(step, l, rows, rate));
    if (l) {
        const f0t_dropout dropout = dropout_before(step, l);
        f0t_layer_gate(step->layers[l - 1].dy, step->layers[l].x, step->net->precision, rows,
                       step->net->layers[l].inputs, dropout.scale, step->dbias);
    }
    return F0T_OK;
}

f0t_status f0t_step_backward_outputs(f0t_step *step, const float *doutputs, double rate)
{
    size_t last = step->net->layer_count - 1, rows = step->rows;
    if (!rows)
        return f0t_fail(F0T_ERROR_ARGUMENT, "a backward pass needs a forward pass before it");
    if (!(rate >= 0 && isfinite(rate)))
        return f0t_fail(F0T_ERROR_ARGUMENT, "the learning rate is %g: it must not be negative",
                        rate);
    step->rows = 0;
    f0t_layer_output(step->layers[last].dy, step->net->precision, doutputs, rows,
                     step->net->shape.outputs, step->dbias);
    for (size_t l = last + 1; l-- > 0;)
        F0T_TRY(back_through(step, l, rows, rate));
    step->count++;
    return F0T_OK;
}

f0t_status f0t_step_backward(f0t_step *step, const float *dscores, double rate)
{
    f0t_matmul op = {.m = step->rows, .n = step->net->shape.outputs, .k = step->options.tag_count};
    if (!step->scores)
        return f0t_fail(F0T_ERROR_ARGUMENT, "a step without tags has no scores");
    F0T_TRY(f0t_matmul_run_packed(step->doutputs, dscores, step->gradient_tags, NULL, &op));
    return f0t_step_backward_outputs(step, step->doutputs, rate);
}
