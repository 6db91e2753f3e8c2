#include "model/step.h"

#include "base/alloc.h"
#include "base/size.h"
#include "base/team.h"
#include "compute/scoring.h"
#include "model/common_arrays.h"
#include "model/divided.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The optimiser's side of one array of the net. */
typedef struct moments {
    f0t_buffer *gradient;
    f0t_buffer *m, *v;
    f0t_divided *divided; /* among the processes of a group; NULL: there is one */
    bool updated; /* by the gradients that are waiting: an update that failed goes on after it */
    char names[2][48];
} moments;

typedef struct step_layer {
    f0t_buffer *x;  /* batch x inputs, what the layer takes, after dropout */
    f0t_buffer *dy; /* batch x outputs, the gradient of what it gives before ReLU */
    moments weight, bias;
} step_layer;

struct f0t_step {
    f0t_net *net;
    f0t_step_options options;
    uint64_t count;
    size_t rows;  /* of the last forward; 0: none is waiting for its gradients */
    size_t last;  /* the same, after that: rows that x and dy have */
    size_t first; /* the number of its first row in the whole mini-batch */
    bool ready;   /* gradients are waiting to be applied */
    step_layer layers[F0T_NET_LAYERS_MAX];
    f0t_scoring scoring;       /* S = F·Vᵀ */
    f0t_buffer *gradient_tags; /* V for dF = dS·V */
    f0t_buffer *input;         /* x, where it is not the caller's memory */
    f0t_buffer *outputs, *scores, *gradient, *doutputs;
    f0t_buffer *columns; /* of dy, for a block of a weight's gradient; NULL: nothing travels */
    f0t_common_arrays *common; /* parameters and gradients that processes see; NULL: they travel */
    f0t_buffer *sums;          /* of a piece of all processes' gradients there */
};

/* ---- Memory -------------------------------------------------------------------------------------- */

static f0t_status check_rate(double rate, const char *what)
{
    if (!(rate >= 0 && rate < 1))
        return f0t_fail(F0T_ERROR_ARGUMENT,
                        "the dropout of the %s is %g: it must be at least 0 and below 1", what,
                        rate);
    return F0T_OK;
}

static f0t_status check_options(const f0t_net *net, const f0t_step_options *options)
{
    size_t widest = options->tag_count > net->shape.inputs ? options->tag_count : net->shape.inputs;
    size_t bytes;
    if (!options->batch)
        return f0t_fail(F0T_ERROR_ARGUMENT, "a mini-batch needs at least one image");
    if (options->tags && !options->tag_count)
        return f0t_fail(F0T_ERROR_ARGUMENT, "there are no tags to train on");
    for (size_t l = 0; l < net->layer_count; l++)
        widest = net->layers[l].outputs > widest ? net->layers[l].outputs : widest;
    if (!f0t_size_mul(&bytes, widest, options->batch) ||
        !f0t_size_mul(&bytes, bytes, sizeof(float)) || bytes > PTRDIFF_MAX)
        return f0t_fail(F0T_ERROR_ARGUMENT, "a mini-batch of %zu images is too large",
                        options->batch);
    F0T_TRY(check_rate(options->input_dropout, "inputs"));
    F0T_TRY(check_rate(options->hidden_dropout, "hidden layers"));
    if (!(options->hidden_slower >= 0 && options->hidden_slower <= 1))
        return f0t_fail(F0T_ERROR_ARGUMENT,
                        "hidden layers learn slower by %g: it must be at least 0 and at most 1",
                        options->hidden_slower);
    return f0t_optimizer_check(&options->optimizer);
}

static f0t_status create_buffer(f0t_buffer **out, const f0t_step *step, size_t count)
{
    return f0t_buffer_create(out, step->net->compute, F0T_F32, count);
}

static bool is_divided(const f0t_step *step)
{
    return step->options.group && step->options.group->size > 1;
}

/* Whether the gradients of weights are computed where they are applied, and have no memory. */
static bool descends(const f0t_step *step)
{
    return step->net->compute->descend != NULL;
}

static f0t_status create_moments(moments *out, const f0t_step *step, const char *name, size_t rows,
                                 size_t cols, bool gradient)
{
    const size_t n = rows * cols;
    if (is_divided(step))
        F0T_TRY(f0t_divided_create(&out->divided, step->options.group, rows, cols));
    snprintf(out->names[0], sizeof out->names[0], "%s.m", name);
    snprintf(out->names[1], sizeof out->names[1], "%s.v", name);
    if (gradient)
        F0T_TRY(create_buffer(&out->gradient, step, n));
    F0T_TRY(create_buffer(&out->m, step, n));
    if (step->options.optimizer.kind == F0T_OPTIMIZER_ADAM)
        F0T_TRY(create_buffer(&out->v, step, n));
    return F0T_OK;
}

/* Layers without a bias have its gradient all the same: the passes that sum it up do other work, too. */
static f0t_status create_layer(f0t_step *step, size_t l)
{
    const f0t_net_layer *layer = &step->net->layers[l];
    const f0t_dtype type = step->net->precision;
    step_layer *state = &step->layers[l];
    const size_t batch = step->options.batch;
    F0T_TRY(f0t_buffer_create(&state->x, step->net->compute, type, batch * layer->inputs));
    F0T_TRY(f0t_buffer_create(&state->dy, step->net->compute, type, batch * layer->outputs));
    F0T_TRY(create_moments(&state->weight, step, layer->weight_name, layer->outputs, layer->inputs,
                           !descends(step)));
    if (layer->bias)
        return create_moments(&state->bias, step, layer->bias_name, 1, layer->outputs, true);
    return create_buffer(&state->bias.gradient, step, layer->outputs);
}

static f0t_status create_tags(f0t_step *step)
{
    const f0t_compute *compute = step->net->compute;
    const float *tags = step->options.tags;
    const size_t d = step->net->shape.outputs, count = step->options.tag_count;
    const size_t batch = step->options.batch;
    F0T_TRY(f0t_scoring_open(
        &step->scoring, compute, tags, count, d,
        &(f0t_scoring_options){.packed_for = batch, .coarse = step->net->precision == F0T_BF16}));
    F0T_TRY(f0t_buffer_create_packed(&step->gradient_tags, compute, F0T_F32, tags, count, d, false,
                                     batch));
    F0T_TRY(create_buffer(&step->doutputs, step, batch * d));
    return create_buffer(&step->scores, step, batch * count);
}

static size_t list_common(f0t_common_array *out, const f0t_step *step)
{
    size_t n = 0;
    for (size_t l = 0; l < step->net->layer_count; l++) {
        const f0t_net_layer *layer = &step->net->layers[l];
        const step_layer *state = &step->layers[l];
        out[n++] = (f0t_common_array){layer->weight, true};
        if (layer->weight16)
            out[n++] = (f0t_common_array){layer->weight16, true};
        out[n++] = (f0t_common_array){state->weight.gradient, false};
        if (layer->bias) {
            out[n++] = (f0t_common_array){layer->bias, true};
            out[n++] = (f0t_common_array){state->bias.gradient, false};
        }
    }
    return n;
}

static f0t_status create_common(f0t_step *step)
{
    f0t_common_array arrays[5 * F0T_NET_LAYERS_MAX];
    const size_t count = list_common(arrays, step);
    F0T_TRY(f0t_common_arrays_create(&step->common, step->options.group, arrays, count));
    return step->common ? create_buffer(&step->sums, step, F0T_COMMON_PIECE) : F0T_OK;
}

/* Room for the columns of a block's outputs, where a layer has more than one block. */
static f0t_status create_columns(f0t_step *step)
{
    size_t most = 1;
    for (size_t l = 0; l < step->net->layer_count; l++) {
        size_t first, rows;
        const f0t_divided *divided = step->layers[l].weight.divided;
        f0t_divided_block(divided, 0, &first, &rows);
        if (f0t_divided_count(divided) > 1 && rows > most)
            most = rows;
    }
    return f0t_buffer_create(&step->columns, step->net->compute, step->net->precision,
                             step->options.batch * most);
}

static f0t_status create_parts(f0t_step *step)
{
    const size_t d = step->net->shape.outputs, batch = step->options.batch;
    for (size_t l = 0; l < step->net->layer_count; l++)
        F0T_TRY(create_layer(step, l));
    if (!step->net->compute->shares_memory)
        F0T_TRY(create_buffer(&step->input, step, batch * step->net->shape.inputs));
    F0T_TRY(create_buffer(&step->outputs, step, batch * d));
    if (is_divided(step))
        F0T_TRY(create_common(step));
    if (is_divided(step) && !step->common)
        F0T_TRY(create_columns(step));
    if (step->options.tags)
        F0T_TRY(create_tags(step));
    return create_buffer(&step->gradient, step,
                         batch * (step->options.tags ? step->options.tag_count : d));
}

f0t_status f0t_step_create(f0t_step **out, f0t_net *net, const f0t_step_options *options)
{
    f0t_step *step;
    *out = NULL;
    F0T_TRY(check_options(net, options));
    F0T_TRY(f0t_alloc_zero(&step, 1, sizeof *step));
    step->net = net;
    step->options = *options;
    f0t_status status = create_parts(step);
    step->options.tags = NULL;
    if (status == F0T_OK)
        *out = step;
    else
        f0t_step_free(step);
    return status;
}

/* What is under way is waited for before its memory goes. */
static void free_moments(moments *m)
{
    f0t_divided_free(m->divided);
    f0t_buffer_free(m->gradient);
    f0t_buffer_free(m->m);
    f0t_buffer_free(m->v);
}

void f0t_step_free(f0t_step *step)
{
    if (!step)
        return;
    f0t_common_arrays_free(step->common);
    for (size_t l = 0; l < step->net->layer_count; l++) {
        f0t_buffer_free(step->layers[l].x);
        f0t_buffer_free(step->layers[l].dy);
        free_moments(&step->layers[l].weight);
        free_moments(&step->layers[l].bias);
    }
    f0t_scoring_close(&step->scoring);
    f0t_buffer_free(step->gradient_tags);
    f0t_buffer_free(step->input);
    f0t_buffer_free(step->outputs);
    f0t_buffer_free(step->scores);
    f0t_buffer_free(step->gradient);
    f0t_buffer_free(step->doutputs);
    f0t_buffer_free(step->columns);
    f0t_buffer_free(step->sums);
    f0t_free(step);
}

/* ---- Forward ------------------------------------------------------------------------------------- */

static f0t_dropout dropout_before(const f0t_step *step, size_t layer)
{
    const f0t_step_options *options = &step->options;
    double rate = layer ? options->hidden_dropout : options->input_dropout;
    f0t_dropout dropout = f0t_dropout_make(rate, options->seed, step->count, layer);
    dropout.first = (uint64_t)step->first * step->net->layers[layer].inputs;
    return dropout;
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

/* The parameters that other processes have updated. */
static f0t_status await_layer(const f0t_step *step, size_t l)
{
    const step_layer *layer = &step->layers[l];
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
        F0T_TRY(await_layer(step, l));
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

static void forget_updates(f0t_step *step)
{
    for (size_t l = 0; l < step->net->layer_count; l++)
        step->layers[l].weight.updated = step->layers[l].bias.updated = false;
}

static f0t_status begin(f0t_step *step, size_t rows, size_t first)
{
    step->rows = 0;
    step->ready = false;
    step->first = first;
    forget_updates(step);
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

static f0t_status gradient_of_weight(f0t_buffer *to, const f0t_step *step, size_t l, size_t rows)
{
    const f0t_net_layer *layer = &step->net->layers[l];
    const step_layer *state = &step->layers[l];
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
    const step_layer *state = &step->layers[l];
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
    const moments *weight = &step->layers[l].weight, *bias = &step->layers[l].bias;
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
    return rows ? gradient_of_weight(step->layers[l].weight.gradient, step, l, rows) : F0T_OK;
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
        if (is_divided(step))
            F0T_TRY(divided_gradient(step, l, rows));
        else if (!descends(step))
            F0T_TRY(gradient_of_weight(step->layers[l].weight.gradient, step, l, rows));
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
    if (!is_divided(step))
        return f0t_fail(F0T_ERROR_ARGUMENT, "a mini-batch needs at least one image");
    step->rows = 0;
    for (size_t l = step->net->layer_count; l-- > 0;) {
        F0T_TRY(await_layer(step, l));
        set_zero(step->layers[l].weight.gradient);
        set_zero(step->layers[l].bias.gradient);
        F0T_TRY(divided_gradient(step, l, 0));
    }
    return end_gradients(step);
}

/* ---- Apply --------------------------------------------------------------------------------------- */

static f0t_status update(const f0t_step *step, const f0t_parameter_buffers *parameters,
                         const f0t_buffer *gradient, double rate)
{
    return step->net->compute->update(parameters, gradient, gradient->count,
                                      &step->options.optimizer, step->count + 1, rate);
}

/* An array of which each process updates its part. */
typedef struct update_job {
    const f0t_step *step;
    const f0t_parameter_buffers *parameters;
    f0t_buffer *gradient;
    double rate;
} update_job;

static f0t_buffer part_of(const f0t_buffer *whole, size_t first, size_t n)
{
    return f0t_buffer_view(whole->compute, whole->type, n,
                           (char *)whole->data + first * f0t_dtype_size(whole->type));
}

static f0t_status update_by(const update_job *job, const f0t_buffer *gradient, size_t first,
                            size_t n)
{
    const f0t_parameter_buffers *whole = job->parameters;
    f0t_buffer w = part_of(whole->w, first, n), m = part_of(whole->m, first, n), v, half;
    f0t_parameter_buffers parts = {.w = &w, .m = &m, .decays = whole->decays};
    if (whole->v) {
        v = part_of(whole->v, first, n);
        parts.v = &v;
    }
    if (whole->half) {
        half = part_of(whole->half, first, n);
        parts.half = &half;
    }
    return update(job->step, &parts, gradient, job->rate);
}

static f0t_status update_part(void *user, size_t first, size_t n)
{
    const update_job *job = user;
    f0t_buffer gradient = part_of(job->gradient, first, n);
    return update_by(job, &gradient, first, n);
}

/* The sums of a piece are used while they are in the cache. */
static f0t_status update_common_part(void *user, size_t first, size_t n)
{
    const update_job *job = user;
    f0t_buffer *sums = job->step->sums;
    for (size_t done = 0; done < n; done += F0T_COMMON_PIECE) {
        const size_t some = n - done < F0T_COMMON_PIECE ? n - done : F0T_COMMON_PIECE;
        f0t_buffer gradient = part_of(sums, 0, some);
        f0t_common_arrays_sum(gradient.data, job->step->common, job->gradient, first + done, some);
        F0T_TRY(update_by(job, &gradient, first + done, some));
    }
    return F0T_OK;
}

/* The products want weights of the net's precision: these travel. */
static f0t_status update_divided(const f0t_step *step, const f0t_parameter_buffers *parameters,
                                 const moments *of, double rate)
{
    update_job job = {step, parameters, of->gradient, rate};
    if (step->common)
        return f0t_divided_apply(of->divided, update_common_part, &job, NULL, 0);
    f0t_buffer *travels = parameters->half ? parameters->half : parameters->w;
    return f0t_divided_apply(of->divided, update_part, &job, travels->data,
                             f0t_dtype_size(travels->type));
}

static f0t_status update_weight(const f0t_step *step, size_t l,
                                const f0t_parameter_buffers *parameters, double rate)
{
    const f0t_net_layer *layer = &step->net->layers[l];
    if (!descends(step))
        return update(step, parameters, step->layers[l].weight.gradient, rate);
    return step->net->compute->descend(parameters, step->layers[l].dy, step->layers[l].x,
                                       step->last, layer->outputs, layer->inputs,
                                       &step->options.optimizer, step->count + 1, rate);
}

static f0t_status update_layer(f0t_step *step, size_t l, double rate)
{
    const f0t_net_layer *layer = &step->net->layers[l];
    moments *weight = &step->layers[l].weight, *bias = &step->layers[l].bias;
    const f0t_parameter_buffers weights = {.w = layer->weight,
                                           .m = weight->m,
                                           .v = weight->v,
                                           .half = layer->weight16,
                                           .decays = true};
    const f0t_parameter_buffers biases = {.w = layer->bias, .m = bias->m, .v = bias->v};
    if (is_divided(step)) {
        F0T_TRY(update_divided(step, &weights, weight, rate));
        return layer->bias ? update_divided(step, &biases, bias, rate) : F0T_OK;
    }
    if (layer->bias && !bias->updated)
        F0T_TRY(update(step, &biases, bias->gradient, rate));
    bias->updated = true;
    if (!weight->updated)
        F0T_TRY(update_weight(step, l, &weights, rate));
    weight->updated = true;
    return F0T_OK;
}

static f0t_status update_layers(f0t_step *step, double rate)
{
    const size_t last = step->net->layer_count - 1;
    for (size_t l = last + 1; l-- > 0;)
        F0T_TRY(update_layer(step, l, l == last ? rate : rate * (1 - step->options.hidden_slower)));
    return F0T_OK;
}

/* In common memory, when nobody needs the old ones; the next forward waits for the new ones. */
static f0t_status update_common_layers(f0t_step *step, double rate)
{
    f0t_common *memory = f0t_common_arrays_memory(step->common);
    F0T_TRY(f0t_common_wait(memory));
    F0T_TRY(update_layers(step, rate));
    return f0t_common_meet(memory);
}

f0t_status f0t_step_apply(f0t_step *step, double rate)
{
    if (!step->ready)
        return f0t_fail(F0T_ERROR_ARGUMENT, "there are no gradients to apply");
    if (!(rate >= 0 && isfinite(rate)))
        return f0t_fail(F0T_ERROR_ARGUMENT, "the learning rate is %g: it must not be negative",
                        rate);
    F0T_TRY(step->common ? update_common_layers(step, rate) : update_layers(step, rate));
    forget_updates(step);
    step->ready = false;
    step->count++;
    return F0T_OK;
}

/* ---- What processes have divided -------------------------------------------------------------------- */

/* What the products do not take has not travelled: w itself in bfloat16, and the moments. */
static f0t_status complete_array(const moments *of, const f0t_buffer *w, bool stale, bool all)
{
    if (stale)
        F0T_TRY(f0t_divided_gather(of->divided, w->data, sizeof(float)));
    if (all)
        F0T_TRY(f0t_divided_gather(of->divided, of->m->data, sizeof(float)));
    return all && of->v ? f0t_divided_gather(of->divided, of->v->data, sizeof(float)) : F0T_OK;
}

f0t_status f0t_step_complete(f0t_step *step, bool all)
{
    for (size_t l = 0; l < step->net->layer_count && is_divided(step); l++) {
        const f0t_net_layer *layer = &step->net->layers[l];
        const step_layer *state = &step->layers[l];
        const bool stale = layer->weight16 && !step->common;
        F0T_TRY(await_layer(step, l));
        F0T_TRY(complete_array(&state->weight, layer->weight, stale, all));
        if (layer->bias)
            F0T_TRY(complete_array(&state->bias, layer->bias, false, all));
    }
    return F0T_OK;
}

/* ---- The state ----------------------------------------------------------------------------------- */

uint64_t f0t_step_count(const f0t_step *step)
{
    return step->count;
}

void f0t_step_set_count(f0t_step *step, uint64_t count)
{
    step->count = count;
}

static size_t moments_per_array(const f0t_step *step)
{
    return step->options.optimizer.kind == F0T_OPTIMIZER_ADAM ? 2 : 1;
}

size_t f0t_step_array_count(const f0t_step *step)
{
    return f0t_net_array_count(step->net) * (1 + moments_per_array(step));
}

/* The moments of array i of the net. */
static const moments *moments_of(const f0t_step *step, size_t i)
{
    size_t per_layer = step->net->shape.bias ? 2 : 1;
    const step_layer *layer = &step->layers[i / per_layer];
    return i % per_layer ? &layer->bias : &layer->weight;
}

f0t_model_array f0t_step_array(const f0t_step *step, size_t i)
{
    size_t of_net = f0t_net_array_count(step->net), each = moments_per_array(step);
    if (i < of_net)
        return f0t_net_array(step->net, i);
    f0t_model_array array = f0t_net_array(step->net, (i - of_net) / each);
    array.name = moments_of(step, (i - of_net) / each)->names[(i - of_net) % each];
    return array;
}

static f0t_buffer *moment_data(const f0t_step *step, size_t i)
{
    size_t each = moments_per_array(step), at = i - f0t_net_array_count(step->net);
    const moments *of = moments_of(step, at / each);
    return at % each ? of->v : of->m;
}

/* Buffers are the caller's memory where there are several processes. */
f0t_status f0t_step_broadcast(f0t_step *step, const f0t_group *group)
{
    if (group->size == 1)
        return F0T_OK;
    F0T_TRY(f0t_net_broadcast(step->net, group));
    for (size_t i = f0t_net_array_count(step->net); i < f0t_step_array_count(step); i++) {
        const f0t_buffer *data = moment_data(step, i);
        F0T_TRY(f0t_group_broadcast(group, data->data, data->count * sizeof(float)));
    }
    return f0t_group_broadcast(group, &step->count, sizeof step->count);
}

f0t_status f0t_step_array_get(float *to, const f0t_step *step, size_t i)
{
    if (i < f0t_net_array_count(step->net))
        return f0t_net_array_get(to, step->net, i);
    const f0t_buffer *data = moment_data(step, i);
    return step->net->compute->download(to, data, 0, data->count);
}

f0t_status f0t_step_array_set(f0t_step *step, size_t i, const float *from)
{
    if (i < f0t_net_array_count(step->net))
        return f0t_net_array_set(step->net, i, from);
    f0t_buffer *data = moment_data(step, i);
    return step->net->compute->upload(data, 0, from, data->count);
}

/* Once more, for the caller. */
static f0t_status compute_gradient(float *to, const f0t_step *step, size_t l)
{
    f0t_buffer *gradient;
    F0T_TRY(create_buffer(&gradient, step, step->net->layers[l].weight->count));
    f0t_status status = gradient_of_weight(gradient, step, l, step->last);
    if (status == F0T_OK)
        status = step->net->compute->download(to, gradient, 0, gradient->count);
    f0t_buffer_free(gradient);
    return status;
}

f0t_status f0t_step_gradient_get(float *to, const f0t_step *step, size_t i)
{
    const f0t_buffer *gradient = moments_of(step, i)->gradient;
    if (!gradient)
        return compute_gradient(to, step, i / (step->net->shape.bias ? 2 : 1));
    return step->net->compute->download(to, gradient, 0, gradient->count);
}
