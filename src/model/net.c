#include "model/net.h"

#include "base/alloc.h"
#include "base/random.h"
#include "base/team.h"
#include "model/net_layers.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static f0t_status create_layer(f0t_net *net, size_t l)
{
    f0t_net_layer *layer = &net->layers[l];
    layer->inputs = f0t_net_shape_inputs(&net->shape, l);
    layer->outputs = f0t_net_shape_outputs(&net->shape, l);
    snprintf(layer->weight_name, sizeof layer->weight_name, "layer%zu.weight", l);
    snprintf(layer->bias_name, sizeof layer->bias_name, "layer%zu.bias", l);
    size_t weights = layer->inputs * layer->outputs;
    F0T_TRY(f0t_alloc_zero(&layer->weight, weights, sizeof(float)));
    if (net->precision == F0T_BF16)
        F0T_TRY(f0t_alloc_zero(&layer->weight16, weights, sizeof(uint16_t)));
    if (net->shape.bias)
        F0T_TRY(f0t_alloc_zero(&layer->bias, layer->outputs, sizeof(float)));
    return F0T_OK;
}

static f0t_status create_layers(f0t_net *net)
{
    for (size_t l = 0; l < net->layer_count; l++)
        F0T_TRY(create_layer(net, l));
    return F0T_OK;
}

f0t_status f0t_net_create(f0t_net **out, const f0t_net_shape *shape, f0t_dtype precision)
{
    f0t_net *net;
    *out = NULL;
    F0T_TRY(f0t_net_shape_check(shape));
    if (precision != F0T_F32 && precision != F0T_BF16)
        return f0t_fail(F0T_ERROR_ARGUMENT, "a net computes in float32 or bfloat16, not %s",
                        f0t_dtype_name(precision));
    F0T_TRY(f0t_alloc_zero(&net, 1, sizeof *net));
    net->shape = *shape;
    net->precision = precision;
    net->layer_count = f0t_net_shape_layers(shape);
    f0t_status status = create_layers(net);
    if (status == F0T_OK)
        *out = net;
    else
        f0t_net_free(net);
    return status;
}

void f0t_net_free(f0t_net *net)
{
    if (!net)
        return;
    for (size_t l = 0; l < net->layer_count; l++) {
        f0t_free(net->layers[l].weight);
        f0t_free(net->layers[l].weight16);
        f0t_free(net->layers[l].bias);
    }
    f0t_free(net);
}

const f0t_net_shape *f0t_net_get_shape(const f0t_net *net)
{
    return &net->shape;
}

f0t_dtype f0t_net_get_precision(const f0t_net *net)
{
    return net->precision;
}

const void *f0t_net_layer_operand(const f0t_net_layer *layer)
{
    return layer->weight16 ? (const void *)layer->weight16 : layer->weight;
}

static void round_weight(f0t_net_layer *layer)
{
    if (layer->weight16)
        f0t_f32_to_bf16(layer->weight16, layer->weight, layer->inputs * layer->outputs);
}

/* ---- Random weights -----------------------------------------------------------------------------
 */

f0t_status f0t_net_set_random(f0t_net *net, uint64_t seed, double output_scale)
{
    if (!isfinite(output_scale))
        return f0t_fail(F0T_ERROR_ARGUMENT, "the scale of a net's output layer is not finite");
    for (size_t l = 0; l < net->layer_count; l++) {
        f0t_net_layer *layer = &net->layers[l];
        const f0t_random random = {.seed = seed, .stream = l};
        bool hidden = l + 1 < net->layer_count;
        double scale = (hidden ? sqrt(2) : output_scale) / sqrt((double)layer->inputs);
        size_t count = layer->inputs * layer->outputs;
#pragma omp parallel for schedule(static) num_threads(f0t_team_size())
        for (size_t i = 0; i < count; i++)
            layer->weight[i] = (float)(scale * f0t_random_normal(&random, i));
        if (layer->bias)
            memset(layer->bias, 0, layer->outputs * sizeof(float));
        round_weight(layer);
    }
    return F0T_OK;
}

/* ---- Arrays -------------------------------------------------------------------------------------
 */

static size_t arrays_a_layer(const f0t_net *net)
{
    return net->shape.bias ? 2 : 1;
}

size_t f0t_net_array_count(const f0t_net *net)
{
    return net->layer_count * arrays_a_layer(net);
}

static bool is_bias(const f0t_net *net, size_t i)
{
    return i % arrays_a_layer(net) == 1;
}

f0t_array f0t_net_array(const f0t_net *net, size_t i)
{
    const f0t_net_layer *layer = &net->layers[i / arrays_a_layer(net)];
    if (is_bias(net, i))
        return (f0t_array){.name = layer->bias_name, .rows = 1, .cols = layer->outputs};
    return (f0t_array){.name = layer->weight_name, .rows = layer->outputs, .cols = layer->inputs};
}

static float *array_data(const f0t_net *net, size_t i)
{
    const f0t_net_layer *layer = &net->layers[i / arrays_a_layer(net)];
    return is_bias(net, i) ? layer->bias : layer->weight;
}

f0t_status f0t_net_array_get(const f0t_net *net, size_t i, float *to)
{
    f0t_array array = f0t_net_array(net, i);
    memcpy(to, array_data(net, i), array.rows * array.cols * sizeof(float));
    return F0T_OK;
}

f0t_status f0t_net_array_set(f0t_net *net, size_t i, const float *from)
{
    f0t_array array = f0t_net_array(net, i);
    memcpy(array_data(net, i), from, array.rows * array.cols * sizeof(float));
    if (!is_bias(net, i))
        round_weight(&net->layers[i / arrays_a_layer(net)]);
    return F0T_OK;
}
