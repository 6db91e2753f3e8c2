#include "model/step_parts.h"

#include "base/alloc.h"
#include "base/size.h"

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
    return f0t_optimizer_check(&options->optimizer);
}

static f0t_status create_moments(f0t_moments *out, const char *name, size_t n,
                                 f0t_optimizer_kind kind)
{
    snprintf(out->names[0], sizeof out->names[0], "%s.m", name);
    snprintf(out->names[1], sizeof out->names[1], "%s.v", name);
    F0T_TRY(f0t_alloc_zero(&out->m, n, sizeof(float)));
    if (kind == F0T_OPTIMIZER_ADAM)
        F0T_TRY(f0t_alloc_zero(&out->v, n, sizeof(float)));
    return F0T_OK;
}

static f0t_status create_layer(f0t_step *step, size_t l)
{
    const f0t_net_layer *layer = &step->net->layers[l];
    f0t_step_layer *state = &step->layers[l];
    size_t element = f0t_dtype_size(step->net->precision), batch = step->options.batch;
    f0t_optimizer_kind kind = step->options.optimizer.kind;
    F0T_TRY(f0t_alloc(&state->x, batch * layer->inputs, element));
    F0T_TRY(f0t_alloc(&state->dy, batch * layer->outputs, element));
    F0T_TRY(
        create_moments(&state->weight, layer->weight_name, layer->inputs * layer->outputs, kind));
    if (layer->bias)
        F0T_TRY(create_moments(&state->bias, layer->bias_name, layer->outputs, kind));
    return F0T_OK;
}

static f0t_status create_tags(f0t_step *step)
{
    size_t d = step->net->shape.outputs, tags = step->options.tag_count;
    size_t batch = step->options.batch;
    F0T_TRY(f0t_packed_create(&step->score_tags, d, tags, F0T_F32, batch));
    F0T_TRY(f0t_packed_set(step->score_tags, step->options.tags, true));
    F0T_TRY(f0t_packed_create(&step->gradient_tags, tags, d, F0T_F32, batch));
    F0T_TRY(f0t_packed_set(step->gradient_tags, step->options.tags, false));
    return f0t_alloc(&step->scores, batch * tags, sizeof(float));
}

/* Room that all layers share: the gradient of the largest weight and bias. */
static f0t_status create_shared(f0t_step *step)
{
    size_t d = step->net->shape.outputs, batch = step->options.batch, weight = 0, bias = 0;
    size_t widest = step->options.tags && step->options.tag_count > d ? step->options.tag_count : d;
    for (size_t l = 0; l < step->net->layer_count; l++) {
        const f0t_net_layer *layer = &step->net->layers[l];
        size_t weights = layer->inputs * layer->outputs;
        weight = weights > weight ? weights : weight;
        bias = layer->outputs > bias ? layer->outputs : bias;
    }
    F0T_TRY(f0t_alloc(&step->outputs, batch * d, sizeof(float)));
    F0T_TRY(f0t_alloc(&step->doutputs, batch * d, sizeof(float)));
    F0T_TRY(f0t_alloc(&step->gradient, batch * widest, sizeof(float)));
    F0T_TRY(f0t_alloc(&step->dweight, weight, sizeof(float)));
    return f0t_alloc(&step->dbias, bias, sizeof(float));
}

static f0t_status create_parts(f0t_step *step)
{
    for (size_t l = 0; l < step->net->layer_count; l++)
        F0T_TRY(create_layer(step, l));
    F0T_TRY(create_shared(step));
    return step->options.tags ? create_tags(step) : F0T_OK;
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

void f0t_step_free(f0t_step *step)
{
    if (!step)
        return;
    for (size_t l = 0; l < step->net->layer_count; l++) {
        f0t_step_layer *layer = &step->layers[l];
        f0t_free(layer->x);
        f0t_free(layer->dy);
        f0t_free(layer->weight.m);
        f0t_free(layer->weight.v);
        f0t_free(layer->bias.m);
        f0t_free(layer->bias.v);
    }
    f0t_packed_free(step->score_tags);
    f0t_packed_free(step->gradient_tags);
    f0t_free(step->outputs);
    f0t_free(step->scores);
    f0t_free(step->gradient);
    f0t_free(step->doutputs);
    f0t_free(step->dweight);
    f0t_free(step->dbias);
    f0t_free(step);
}
