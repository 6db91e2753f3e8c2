#include "model/net.h"

#include "base/alloc.h"
#include "base/random.h"
#include "base/size.h"
#include "base/team.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- Shapes -------------------------------------------------------------------------------------- */

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

/* ---- The net ------------------------------------------------------------------------------------- */

static f0t_status create_layer(f0t_net *net, size_t l)
{
    f0t_net_layer *layer = &net->layers[l];
    layer->inputs = f0t_net_shape_inputs(&net->shape, l);
    layer->outputs = f0t_net_shape_outputs(&net->shape, l);
    snprintf(layer->weight_name, sizeof layer->weight_name, "layer%zu.weight", l);
    snprintf(layer->bias_name, sizeof layer->bias_name, "layer%zu.bias", l);
    size_t weights = layer->inputs * layer->outputs;
    F0T_TRY(f0t_buffer_create(&layer->weight, net->compute, F0T_F32, weights));
    if (net->precision == F0T_BF16)
        F0T_TRY(f0t_buffer_create(&layer->weight16, net->compute, F0T_BF16, weights));
    if (net->shape.bias)
        F0T_TRY(f0t_buffer_create(&layer->bias, net->compute, F0T_F32, layer->outputs));
    return F0T_OK;
}

static f0t_status create_layers(f0t_net *net)
{
    for (size_t l = 0; l < net->layer_count; l++)
        F0T_TRY(create_layer(net, l));
    return F0T_OK;
}

f0t_status f0t_net_create(f0t_net **out, const f0t_compute *compute, const f0t_net_shape *shape,
                          f0t_dtype precision)
{
    f0t_net *net;
    *out = NULL;
    F0T_TRY(f0t_net_shape_check(shape));
    if (precision != F0T_F32 && precision != F0T_BF16)
        return f0t_fail(F0T_ERROR_ARGUMENT, "a net computes in float32 or bfloat16, not %s",
                        f0t_dtype_name(precision));
    F0T_TRY(f0t_alloc_zero(&net, 1, sizeof *net));
    net->compute = compute;
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
        f0t_buffer_free(net->layers[l].weight);
        f0t_buffer_free(net->layers[l].weight16);
        f0t_buffer_free(net->layers[l].bias);
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

/* ---- Arrays -------------------------------------------------------------------------------------- */

static size_t arrays_per_layer(const f0t_net *net)
{
    return net->shape.bias ? 2 : 1;
}

size_t f0t_net_array_count(const f0t_net *net)
{
    return net->layer_count * arrays_per_layer(net);
}

static bool is_bias(const f0t_net *net, size_t i)
{
    return i % arrays_per_layer(net) == 1;
}

f0t_model_array f0t_net_array(const f0t_net *net, size_t i)
{
    const f0t_net_layer *layer = &net->layers[i / arrays_per_layer(net)];
    if (is_bias(net, i))
        return (f0t_model_array){.name = layer->bias_name, .rows = 1, .cols = layer->outputs};
    return (f0t_model_array){
        .name = layer->weight_name, .rows = layer->outputs, .cols = layer->inputs};
}

/* Elements [first, first + n) of array i. */
static f0t_status set_part(f0t_net *net, size_t i, size_t first, const float *from, size_t n)
{
    const f0t_net_layer *layer = &net->layers[i / arrays_per_layer(net)];
    if (is_bias(net, i))
        return net->compute->upload(layer->bias, first, from, n);
    F0T_TRY(net->compute->upload(layer->weight, first, from, n));
    return layer->weight16 ? net->compute->upload(layer->weight16, first, from, n) : F0T_OK;
}

f0t_status f0t_net_array_get(float *to, const f0t_net *net, size_t i)
{
    const f0t_net_layer *layer = &net->layers[i / arrays_per_layer(net)];
    const f0t_buffer *from = is_bias(net, i) ? layer->bias : layer->weight;
    return net->compute->download(to, from, 0, from->count);
}

f0t_status f0t_net_array_set(f0t_net *net, size_t i, const float *from)
{
    const f0t_model_array array = f0t_net_array(net, i);
    return set_part(net, i, 0, from, array.rows * array.cols);
}

f0t_status f0t_net_copy(f0t_net *to, const f0t_net *from)
{
    for (size_t i = 0; i < f0t_net_array_count(from); i++) {
        const f0t_model_array array = f0t_net_array(from, i);
        float *numbers;
        F0T_TRY(f0t_alloc(&numbers, array.rows * array.cols, sizeof *numbers));
        f0t_status status = f0t_net_array_get(numbers, from, i);
        if (status == F0T_OK)
            status = f0t_net_array_set(to, i, numbers);
        f0t_free(numbers);
        F0T_TRY(status);
    }
    return F0T_OK;
}

static f0t_status broadcast_array(f0t_net *net, const f0t_group *group, size_t i)
{
    const f0t_model_array array = f0t_net_array(net, i);
    float *numbers;
    F0T_TRY(f0t_alloc(&numbers, array.rows * array.cols, sizeof *numbers));
    f0t_status status = f0t_net_array_get(numbers, net, i);
    if (status == F0T_OK)
        status = f0t_group_broadcast(group, numbers, array.rows * array.cols * sizeof *numbers);
    if (status == F0T_OK)
        status = f0t_net_array_set(net, i, numbers);
    f0t_free(numbers);
    return status;
}

f0t_status f0t_net_broadcast(f0t_net *net, const f0t_group *group)
{
    for (size_t i = 0; i < f0t_net_array_count(net) && group->size > 1; i++)
        F0T_TRY(broadcast_array(net, group, i));
    return F0T_OK;
}

f0t_status f0t_net_create_copy(f0t_net **out, const f0t_compute *compute, const f0t_net *from)
{
    f0t_net *net;
    F0T_TRY(f0t_net_create(&net, compute, &from->shape, from->precision));
    f0t_status status = f0t_net_copy(net, from);
    if (status == F0T_OK)
        *out = net;
    else
        f0t_net_free(net);
    return status;
}

f0t_status f0t_net_bring_home(f0t_net **net)
{
    f0t_net *trained = *net;
    if (trained->compute->shares_memory)
        return F0T_OK;
    F0T_TRY(f0t_net_create_copy(net, &f0t_compute_cpu, trained));
    f0t_net_free(trained);
    return F0T_OK;
}

f0t_status f0t_net_list_add(f0t_net_list *list, const f0t_net *net)
{
    f0t_net **longer;
    F0T_TRY(f0t_alloc(&longer, list->count + 1, sizeof(f0t_net *)));
    f0t_status status = f0t_net_create_copy(&longer[list->count], &f0t_compute_cpu, net);
    if (status != F0T_OK) {
        f0t_free(longer);
        return status;
    }
    if (list->count)
        memcpy(longer, list->nets, list->count * sizeof(f0t_net *));
    f0t_free(list->nets);
    list->nets = longer;
    list->count++;
    return F0T_OK;
}

void f0t_net_list_free(f0t_net_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        f0t_net_free(list->nets[i]);
    f0t_free(list->nets);
    *list = (f0t_net_list){0};
}

/* ---- Random weights ------------------------------------------------------------------------------ */

enum { RANDOM_BLOCK = 1 << 20 };

static f0t_status set_random(f0t_net *net, size_t l, const f0t_random *random, double scale,
                             float *block)
{
    const f0t_net_layer *layer = &net->layers[l];
    const size_t count = layer->inputs * layer->outputs, i = l * arrays_per_layer(net);
    for (size_t first = 0; first < count; first += RANDOM_BLOCK) {
        const size_t n = count - first < RANDOM_BLOCK ? count - first : RANDOM_BLOCK;
#pragma omp parallel for schedule(static) num_threads(f0t_team_size())
        for (size_t k = 0; k < n; k++)
            block[k] = (float)(scale * f0t_random_normal(random, first + k));
        F0T_TRY(set_part(net, i, first, block, n));
    }
    for (size_t k = 0; k < layer->outputs && layer->bias; k += RANDOM_BLOCK) {
        const size_t n = layer->outputs - k < RANDOM_BLOCK ? layer->outputs - k : RANDOM_BLOCK;
        for (size_t b = 0; b < n; b++)
            block[b] = 0;
        F0T_TRY(set_part(net, i + 1, k, block, n));
    }
    return F0T_OK;
}

f0t_status f0t_net_set_random(f0t_net *net, uint64_t seed, double output_scale)
{
    float *block;
    f0t_status status = F0T_OK;
    if (!isfinite(output_scale))
        return f0t_fail(F0T_ERROR_ARGUMENT, "the scale of a net's output layer is not finite");
    F0T_TRY(f0t_alloc(&block, RANDOM_BLOCK, sizeof *block));
    for (size_t l = 0; l < net->layer_count && status == F0T_OK; l++) {
        const f0t_random random = {.seed = seed, .stream = l};
        const double scale = l + 1 < net->layer_count ? sqrt(2) : output_scale;
        status = set_random(net, l, &random, scale / sqrt((double)net->layers[l].inputs), block);
    }
    f0t_free(block);
    return status;
}

/* ---- Applying ------------------------------------------------------------------------------------ */

/* Rows of a block: enough for the products to be at full speed. */
enum { BLOCK = 1024 };

const f0t_buffer *f0t_net_layer_operand(const f0t_net_layer *layer)
{
    return layer->weight16 ? layer->weight16 : layer->weight;
}

f0t_status f0t_net_layer_forward(f0t_buffer *y, const f0t_net *net, size_t l, const f0t_buffer *x,
                                 size_t rows)
{
    const f0t_net_layer *layer = &net->layers[l];
    bool hidden = l + 1 < net->layer_count;
    f0t_matmul op = {.m = rows,
                     .n = layer->outputs,
                     .k = layer->inputs,
                     .type = net->precision,
                     .result = hidden ? net->precision : F0T_F32,
                     .b_transposed = true,
                     .relu = hidden};
    return net->compute->product(y, x, f0t_net_layer_operand(layer), layer->bias, &op);
}

/* What a block of rows passes through: the input where it is rounded or copied, the layers' results, of
 * which only the last one is needed at a time, and the outputs where they are not the caller's memory. */
typedef struct scratch {
    f0t_buffer *input, *hidden[2], *output;
} scratch;

static f0t_status create_scratch(scratch *out, const f0t_net *net, size_t rows)
{
    const bool shared = net->compute->shares_memory;
    size_t widest = 0, count;
    for (size_t l = 0; l < net->shape.hidden_count; l++)
        widest = net->shape.hidden[l] > widest ? net->shape.hidden[l] : widest;
    if (!f0t_size_mul(&count, rows, widest) || !f0t_size_mul(&count, rows, net->shape.inputs))
        return f0t_fail(F0T_ERROR_MEMORY, "no memory to apply a net to %zu images", rows);
    if (net->precision == F0T_BF16 || !shared)
        F0T_TRY(
            f0t_buffer_create(&out->input, net->compute, net->precision, rows * net->shape.inputs));
    for (int i = 0; i < 2 && widest; i++)
        F0T_TRY(f0t_buffer_create(&out->hidden[i], net->compute, net->precision, rows * widest));
    if (!shared)
        F0T_TRY(f0t_buffer_create(&out->output, net->compute, F0T_F32, rows * net->shape.outputs));
    return F0T_OK;
}

static void free_scratch(scratch *s)
{
    f0t_buffer_free(s->input);
    f0t_buffer_free(s->hidden[0]);
    f0t_buffer_free(s->hidden[1]);
    f0t_buffer_free(s->output);
}

static f0t_status run_layers(const f0t_net *net, const scratch *work, f0t_buffer *output,
                             const f0t_buffer *input, size_t rows)
{
    const f0t_buffer *from = input;
    for (size_t l = 0; l < net->layer_count; l++) {
        f0t_buffer *to = l + 1 < net->layer_count ? work->hidden[l % 2] : output;
        F0T_TRY(f0t_net_layer_forward(to, net, l, from, rows));
        from = to;
    }
    return F0T_OK;
}

static f0t_status apply_block(const f0t_net *net, const scratch *work, float *f, const float *x,
                              size_t rows)
{
    const size_t inputs = rows * net->shape.inputs, outputs = rows * net->shape.outputs;
    f0t_buffer given = f0t_buffer_view(net->compute, F0T_F32, inputs, x);
    f0t_buffer wanted = f0t_buffer_view(net->compute, F0T_F32, outputs, f);
    if (work->input)
        F0T_TRY(net->compute->upload(work->input, 0, x, inputs));
    F0T_TRY(run_layers(net, work, work->output ? work->output : &wanted,
                       work->input ? work->input : &given, rows));
    return work->output ? net->compute->download(f, work->output, 0, outputs) : F0T_OK;
}

f0t_status f0t_net_apply(float *f, const f0t_net *net, const float *x, size_t rows)
{
    scratch work = {0};
    f0t_status status = create_scratch(&work, net, rows < BLOCK ? rows : BLOCK);
    for (size_t done = 0; done < rows && status == F0T_OK; done += BLOCK)
        status =
            apply_block(net, &work, f + done * net->shape.outputs, x + done * net->shape.inputs,
                        rows - done < BLOCK ? rows - done : BLOCK);
    free_scratch(&work);
    return status;
}

f0t_status f0t_net_apply_rows(f0t_buffer *f, const f0t_net *net, const f0t_buffer *x,
                              const uint32_t *index, size_t rows)
{
    scratch work = {0};
    f0t_status status = create_scratch(&work, net, rows);
    if (status == F0T_OK)
        status = net->compute->gather(work.input, x, index, rows, net->shape.inputs);
    if (status == F0T_OK)
        status = run_layers(net, &work, f, work.input, rows);
    free_scratch(&work);
    return status;
}

f0t_status f0t_net_apply_stream(f0t_buffer *f, const f0t_net *net, f0t_fill *fill, void *user,
                                size_t rows)
{
    scratch work = {0};
    f0t_status status = create_scratch(&work, net, rows);
    if (status == F0T_OK)
        status = net->compute->stream(work.input, 0, rows * net->shape.inputs, fill, user);
    if (status == F0T_OK)
        status = run_layers(net, &work, f, work.input, rows);
    free_scratch(&work);
    return status;
}
