#include "base/alloc.h"
#include "base/size.h"
#include "model/step_parts.h"

#include <stdio.h>

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

bool f0t_step_is_divided(const f0t_step *step)
{
    return step->options.group && step->options.group->size > 1;
}

bool f0t_step_descends(const f0t_step *step)
{
    return step->net->compute->descend != NULL;
}

static f0t_status create_moments(f0t_step_moments *out, const f0t_step *step, const char *name,
                                 size_t rows, size_t cols, bool gradient)
{
    const size_t n = rows * cols;
    if (f0t_step_is_divided(step))
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
    f0t_step_layer *state = &step->layers[l];
    const size_t batch = step->options.batch;
    F0T_TRY(f0t_buffer_create(&state->x, step->net->compute, type, batch * layer->inputs));
    F0T_TRY(f0t_buffer_create(&state->dy, step->net->compute, type, batch * layer->outputs));
    F0T_TRY(create_moments(&state->weight, step, layer->weight_name, layer->outputs, layer->inputs,
                           !f0t_step_descends(step)));
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
        const f0t_step_layer *state = &step->layers[l];
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
    if (f0t_step_is_divided(step))
        F0T_TRY(create_common(step));
    if (f0t_step_is_divided(step) && !step->common)
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
static void free_moments(f0t_step_moments *m)
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
