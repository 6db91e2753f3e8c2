#include "model/step_parts.h"

/* ---- What processes have divided -------------------------------------------------------------------- */

/* What the products do not take has not travelled: w itself in bfloat16, and the moments. */
static f0t_status complete_array(const f0t_step_moments *of, const f0t_buffer *w, bool stale,
                                 bool all)
{
    if (stale)
        F0T_TRY(f0t_divided_gather(of->divided, w->data, sizeof(float)));
    if (all)
        F0T_TRY(f0t_divided_gather(of->divided, of->m->data, sizeof(float)));
    return all && of->v ? f0t_divided_gather(of->divided, of->v->data, sizeof(float)) : F0T_OK;
}

f0t_status f0t_step_complete(f0t_step *step, bool all)
{
    for (size_t l = 0; l < step->net->layer_count && f0t_step_is_divided(step); l++) {
        const f0t_net_layer *layer = &step->net->layers[l];
        const f0t_step_layer *state = &step->layers[l];
        const bool stale = layer->weight16 && !step->common;
        F0T_TRY(f0t_step_await(step, l));
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
static const f0t_step_moments *moments_of(const f0t_step *step, size_t i)
{
    size_t per_layer = step->net->shape.bias ? 2 : 1;
    const f0t_step_layer *layer = &step->layers[i / per_layer];
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
    const f0t_step_moments *of = moments_of(step, at / each);
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
    F0T_TRY(f0t_buffer_create(&gradient, step->net->compute, F0T_F32,
                              step->net->layers[l].weight->count));
    f0t_status status = f0t_step_weight_gradient(gradient, step, l, step->last);
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
