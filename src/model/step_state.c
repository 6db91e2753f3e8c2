#include "model/step_parts.h"

#include <string.h>

uint64_t f0t_step_count(const f0t_step *step)
{
    return step->count;
}

void f0t_step_set_count(f0t_step *step, uint64_t count)
{
    step->count = count;
}

static size_t moments_an_array(const f0t_step *step)
{
    return step->options.optimizer.kind == F0T_OPTIMIZER_ADAM ? 2 : 1;
}

size_t f0t_step_array_count(const f0t_step *step)
{
    return f0t_net_array_count(step->net) * (1 + moments_an_array(step));
}

/* The moments of array i of the net. */
static const f0t_moments *moments_of(const f0t_step *step, size_t i)
{
    size_t a_layer = step->net->shape.bias ? 2 : 1;
    const f0t_step_layer *layer = &step->layers[i / a_layer];
    return i % a_layer ? &layer->bias : &layer->weight;
}

f0t_array f0t_step_array(const f0t_step *step, size_t i)
{
    size_t of_net = f0t_net_array_count(step->net), each = moments_an_array(step);
    if (i < of_net)
        return f0t_net_array(step->net, i);
    f0t_array array = f0t_net_array(step->net, (i - of_net) / each);
    array.name = moments_of(step, (i - of_net) / each)->names[(i - of_net) % each];
    return array;
}

static float *moment_data(const f0t_step *step, size_t i)
{
    size_t each = moments_an_array(step), at = i - f0t_net_array_count(step->net);
    const f0t_moments *of = moments_of(step, at / each);
    return at % each ? of->v : of->m;
}

f0t_status f0t_step_array_get(const f0t_step *step, size_t i, float *to)
{
    f0t_array array = f0t_step_array(step, i);
    if (i < f0t_net_array_count(step->net))
        return f0t_net_array_get(step->net, i, to);
    memcpy(to, moment_data(step, i), array.rows * array.cols * sizeof(float));
    return F0T_OK;
}

f0t_status f0t_step_array_set(f0t_step *step, size_t i, const float *from)
{
    f0t_array array = f0t_step_array(step, i);
    if (i < f0t_net_array_count(step->net))
        return f0t_net_array_set(step->net, i, from);
    memcpy(moment_data(step, i), from, array.rows * array.cols * sizeof(float));
    return F0T_OK;
}
