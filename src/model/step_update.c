#include "model/step_parts.h"

#include <math.h>

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
                                 const f0t_step_moments *of, double rate)
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
    if (!f0t_step_descends(step))
        return update(step, parameters, step->layers[l].weight.gradient, rate);
    return step->net->compute->descend(parameters, step->layers[l].dy, step->layers[l].x,
                                       step->last, layer->outputs, layer->inputs,
                                       &step->options.optimizer, step->count + 1, rate);
}

static f0t_status update_layer(f0t_step *step, size_t l, double rate)
{
    const f0t_net_layer *layer = &step->net->layers[l];
    f0t_step_moments *weight = &step->layers[l].weight, *bias = &step->layers[l].bias;
    const f0t_parameter_buffers weights = {.w = layer->weight,
                                           .m = weight->m,
                                           .v = weight->v,
                                           .half = layer->weight16,
                                           .decays = true};
    const f0t_parameter_buffers biases = {.w = layer->bias, .m = bias->m, .v = bias->v};
    if (f0t_step_is_divided(step)) {
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

double f0t_step_rate(const f0t_step *step, size_t layer, double rate)
{
    const bool hidden = layer + 1 < step->net->layer_count;
    return hidden ? rate * (1 - step->options.hidden_slower) : rate;
}

static f0t_status update_layers(f0t_step *step, double rate)
{
    for (size_t l = step->net->layer_count; l-- > 0;)
        F0T_TRY(update_layer(step, l, f0t_step_rate(step, l, rate)));
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
    f0t_step_forget_updates(step);
    step->ready = false;
    step->count++;
    return F0T_OK;
}
