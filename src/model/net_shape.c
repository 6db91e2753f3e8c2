#include "model/net.h"

#include "base/size.h"

size_t f0t_net_shape_layers(const f0t_net_shape *shape)
{
    return shape->hidden_count + 1;
}

size_t f0t_net_shape_inputs(const f0t_net_shape *shape, size_t layer)
{
    return layer ? shape->hidden[layer - 1] : shape->inputs;
}

size_t f0t_net_shape_outputs(const f0t_net_shape *shape, size_t layer)
{
    return layer < shape->hidden_count ? shape->hidden[layer] : shape->outputs;
}

static f0t_status check_layer(size_t *total, const f0t_net_shape *shape, size_t layer)
{
    size_t inputs = f0t_net_shape_inputs(shape, layer), weights, sum = *total;
    size_t outputs = f0t_net_shape_outputs(shape, layer);
    if (!outputs)
        return f0t_fail(F0T_ERROR_ARGUMENT, "layer %zu of the net has no outputs", layer + 1);
    if (!f0t_size_mul(&weights, inputs, outputs) || !f0t_size_add(&sum, sum, weights) ||
        !f0t_size_add(&sum, sum, outputs) || sum > PTRDIFF_MAX / sizeof(double))
        return f0t_fail(F0T_ERROR_ARGUMENT, "a net with a layer of %zu x %zu is too large", outputs,
                        inputs);
    *total = sum;
    return F0T_OK;
}

f0t_status f0t_net_shape_check(const f0t_net_shape *shape)
{
    size_t total = 0;
    if (!shape->inputs)
        return f0t_fail(F0T_ERROR_ARGUMENT, "a net needs at least one input");
    if (shape->hidden_count > F0T_NET_HIDDEN_MAX)
        return f0t_fail(F0T_ERROR_ARGUMENT, "a net has at most %d hidden layers, not %zu",
                        F0T_NET_HIDDEN_MAX, shape->hidden_count);
    for (size_t layer = 0; layer < f0t_net_shape_layers(shape); layer++)
        F0T_TRY(check_layer(&total, shape, layer));
    return F0T_OK;
}
