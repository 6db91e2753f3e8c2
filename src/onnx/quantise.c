#include "onnx/quantise.h"

#include "base/alloc.h"
#include "onnx/quantise_inside.h"

#include <math.h>
#include <string.h>

/* ---- Looking at the graph -------------------------------------------------------------------- */

const f0t_onnx_node *f0t_quantise_only_user(const f0t_onnx_quantiser *q, size_t value)
{
    const f0t_quantise_value *v = &q->values[value];
    return v->uses == 1 && v->user != F0T_NONE ? &q->graph->nodes[v->user] : NULL;
}

static bool is_constant(const f0t_onnx_quantiser *q, size_t value)
{
    return value == F0T_NONE || f0t_onnx_fold_is_constant(&q->fold, value);
}

static bool needed(const f0t_onnx_quantiser *q, const f0t_onnx_node *node)
{
    return q->fold.used[node - q->graph->nodes];
}

size_t f0t_quantise_after_relu(const f0t_onnx_quantiser *q, size_t value)
{
    const f0t_onnx_node *next = f0t_quantise_only_user(q, value);
    bool limits =
        next && needed(q, next) && (f0t_quantise_is(next, "Relu") || f0t_quantise_is(next, "Clip"));
    for (size_t k = 1; limits && k < next->input_count; k++)
        limits = is_constant(q, next->inputs[k]);
    return limits ? next->outputs[0] : value;
}

const f0t_quantise_layer *f0t_quantise_layer_of(const f0t_onnx_quantiser *q,
                                                const f0t_onnx_node *node)
{
    size_t k = q->layer_at[node - q->graph->nodes];
    return k != F0T_NONE && q->layers[k].node == node ? &q->layers[k] : NULL;
}

const f0t_quantise_layer *f0t_quantise_layer_of_norm(const f0t_onnx_quantiser *q,
                                                     const f0t_onnx_node *node)
{
    size_t k = q->layer_at[node - q->graph->nodes];
    return k != F0T_NONE && q->layers[k].norm == node ? &q->layers[k] : NULL;
}

/* Activations that are no mere limits, and come before any rounding. */
static bool is_smooth(const f0t_onnx_node *node)
{
    static const char *const names[] = {"Sigmoid", "HardSigmoid", "HardSwish", "Mul",
                                        "Erf",     "Tanh",        "Elu",       "Gelu",
                                        "Mish",    "LeakyRelu",   "Div",       "Softmax"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (f0t_quantise_is(node, names[k]))
            return true;
    return false;
}

static void count_use(f0t_onnx_quantiser *q, size_t n)
{
    const f0t_onnx_node *node = &q->graph->nodes[n];
    const bool smooth = is_smooth(node);
    for (size_t k = 0; k < node->input_count; k++) {
        if (node->inputs[k] == F0T_NONE)
            continue;
        f0t_quantise_value *v = &q->values[node->inputs[k]];
        v->uses++;
        v->user = n;
        v->smoothed |= smooth;
    }
}

static void count_uses(f0t_onnx_quantiser *q)
{
    const f0t_onnx_graph *graph = q->graph;
    for (size_t v = 0; v < graph->value_count; v++)
        q->values[v].user = F0T_NONE;
    for (size_t n = 0; n < graph->node_count; n++)
        count_use(q, n);
    for (size_t k = 0; k < graph->output_count; k++) {
        q->values[graph->outputs[k].value].uses += 2;
        q->values[graph->outputs[k].value].is_end = true;
    }
    q->values[q->output].is_end = true;
    q->values[q->output].uses += 2;
}

static const f0t_onnx_array *array_of(const f0t_onnx_quantiser *q, size_t value)
{
    return &q->fold.arrays[value];
}

static bool is_float(const f0t_onnx_quantiser *q, size_t value)
{
    return array_of(q, value)->type == F0T_ONNX_FLOAT && array_of(q, value)->count;
}

/* ---- Layers ---------------------------------------------------------------------------------- */

/* A number for each filter: as a column it would be one for each row. */
static bool is_bias(const f0t_onnx_quantiser *q, const f0t_quantise_layer *l)
{
    const f0t_onnx_array *a = array_of(q, l->bias);
    return is_float(q, l->bias) && a->count == l->filters &&
           (!a->rank || a->dims[a->rank - 1] == l->filters);
}

/* Where the filters are, and whether the shape is one that can be. */
static bool find_filters(f0t_quantise_layer *l, const f0t_onnx_quantiser *q)
{
    f0t_op_call call = {.node = l->node, .op = l->node->op};
    const f0t_onnx_array *w = array_of(q, l->weights);
    if (f0t_quantise_is(l->node, "Conv")) {
        l->axis = 0;
    } else if (f0t_quantise_is(l->node, "Gemm")) {
        if (f0t_op_int(&call, "transA", 0) || f0t_op_float(&call, "alpha", 1) != 1 ||
            f0t_op_float(&call, "beta", 1) != 1)
            return false;
        l->axis = f0t_op_int(&call, "transB", 0) ? 0 : 1;
    } else {
        l->axis = 1;
        if (w->rank != 2 || array_of(q, l->x)->rank < 2)
            return false;
    }
    l->filters = w->dims[l->axis];
    return l->bias == F0T_NONE || is_bias(q, l);
}

static const f0t_onnx_node *norm_after(const f0t_onnx_quantiser *q, size_t value)
{
    const f0t_onnx_node *next = f0t_quantise_only_user(q, value);
    if (!next || !f0t_quantise_is(next, "BatchNormalization") || next->output_count != 1 ||
        !needed(q, next))
        return NULL;
    for (size_t k = 1; k < 5; k++)
        if (!is_constant(q, next->inputs[k]) || !is_float(q, next->inputs[k]))
            return NULL;
    return next;
}

static f0t_status add_layer(f0t_onnx_quantiser *q, const f0t_onnx_node *node)
{
    bool conv = f0t_quantise_is(node, "Conv");
    if (!conv && !f0t_quantise_is(node, "Gemm") && !f0t_quantise_is(node, "MatMul"))
        return F0T_OK;
    f0t_quantise_layer l = {.node = node,
                            .x = node->inputs[0],
                            .weights = node->inputs[1],
                            .bias = node->input_count > 2 ? node->inputs[2] : F0T_NONE,
                            .output = node->outputs[0]};
    if (is_constant(q, l.x) || !is_constant(q, l.weights) || !is_constant(q, l.bias) ||
        !is_float(q, l.x) || !is_float(q, l.weights) || !find_filters(&l, q))
        return F0T_OK;
    l.norm = conv ? norm_after(q, l.output) : NULL;
    l.output = l.norm ? l.norm->outputs[0] : l.output;
    F0T_TRY(f0t_grow(&q->layers, &q->layer_capacity, q->layer_count, 1, sizeof *q->layers));
    q->layer_at[node - q->graph->nodes] = q->layer_count;
    if (l.norm)
        q->layer_at[l.norm - q->graph->nodes] = q->layer_count;
    q->layers[q->layer_count++] = l;
    return F0T_OK;
}

/* ---- Grids ----------------------------------------------------------------------------------- */

static void put_on_grid(f0t_onnx_quantiser *q, size_t value)
{
    q->values[value].on_grid = true;
    q->values[value].same_as = value;
}

/* Whether a result goes onto a grid: not where activations that are no mere limits come first, which are done before
 * the rounding, and not at the end. */
static bool takes_grid(const f0t_onnx_quantiser *q, size_t value)
{
    return !q->values[value].is_end && !q->values[value].smoothed;
}

/* A convolution that gives bytes to whoever comes after it. */
static void place_result(f0t_onnx_quantiser *q, size_t value)
{
    size_t last = f0t_quantise_after_relu(q, value);
    if (takes_grid(q, last))
        put_on_grid(q, last);
}

static void place_sum(f0t_onnx_quantiser *q, const f0t_onnx_node *node)
{
    const size_t *in = node->inputs;
    if (in[0] != in[1] && q->values[in[0]].on_grid && q->values[in[1]].on_grid &&
        f0t_onnx_array_same_shape(array_of(q, in[0]), array_of(q, in[1])))
        place_result(q, node->outputs[0]);
}

/* What only moves numbers, or takes the largest, keeps the grid. */
static void pass_grid(f0t_onnx_quantiser *q, const f0t_onnx_node *node)
{
    f0t_quantise_value *out = &q->values[node->outputs[0]];
    const f0t_quantise_value *in = &q->values[node->inputs[0]];
    if (in->on_grid && out->on_grid)
        out->same_as = in->same_as;
}

static bool keeps_numbers(const f0t_onnx_node *node)
{
    static const char *const names[] = {"MaxPool", "Flatten", "Reshape", "Squeeze", "Unsqueeze"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (f0t_quantise_is(node, names[k]))
            return true;
    return false;
}

void f0t_quantise_place_grids(f0t_onnx_quantiser *q)
{
    for (size_t v = 0; v < q->graph->value_count; v++)
        q->values[v].on_grid = false;
    for (size_t k = 0; k < q->layer_count; k++) {
        const f0t_quantise_layer *l = &q->layers[k];
        if (q->kept && q->kept[k])
            continue;
        put_on_grid(q, l->x);
        if (f0t_quantise_is(l->node, "Conv"))
            place_result(q, l->output);
    }
    for (size_t n = 0; n < q->graph->node_count; n++) {
        const f0t_onnx_node *node = &q->graph->nodes[n];
        if (!q->fold.used[n])
            continue;
        if (f0t_quantise_is(node, "Add"))
            place_sum(q, node);
        if (keeps_numbers(node))
            pass_grid(q, node);
    }
}

f0t_grid f0t_quantise_grid(const f0t_onnx_quantiser *q, size_t value)
{
    return f0t_onnx_histogram_grid(q->values[q->values[value].same_as].histogram, &q->how);
}

/* ---- Watching -------------------------------------------------------------------------------- */

static f0t_status take(f0t_onnx_quantiser *q, size_t count, size_t size)
{
    f0t_status status = f0t_onnx_budget_take(&q->budget, count, size);
    return status == F0T_OK ? F0T_OK : f0t_fail_prefix(status, "%s: ", q->graph->path);
}

static f0t_status list_observed(f0t_onnx_quantiser *q)
{
    f0t_quantise_place_grids(q);
    F0T_TRY(f0t_alloc(&q->observed, q->graph->value_count, sizeof *q->observed));
    for (size_t v = 0; v < q->graph->value_count; v++) {
        q->values[v].observed = q->values[v].on_grid;
        if (!q->values[v].observed)
            continue;
        F0T_TRY(take(q, 1, sizeof *q->values[v].histogram));
        F0T_TRY(f0t_alloc_zero(&q->values[v].histogram, 1, sizeof *q->values[v].histogram));
        q->observed[q->observed_count++] = v;
    }
    return F0T_OK;
}

/* Each output of the schedule has memory of its own; the picture is one of them, maybe. */
static f0t_status make_schedule(f0t_onnx_quantiser *q, const f0t_onnx_array *inputs)
{
    f0t_onnx_schedule_options options = {.inputs = inputs,
                                         .outputs = q->observed,
                                         .output_count = q->observed_count,
                                         .images = q->picture.batch,
                                         .monitor = q->budget.monitor};
    F0T_TRY(f0t_onnx_weights_create(&q->packed));
    F0T_TRY(f0t_onnx_schedule_create(&q->schedule, q->graph, q->packed, &options));
    F0T_TRY(f0t_alloc_zero(&q->results, q->observed_count, sizeof *q->results));
    F0T_TRY(f0t_alloc_zero(&q->inputs, q->graph->input_count, sizeof *q->inputs));
    for (size_t k = 0; k < q->observed_count; k++) {
        const size_t count = f0t_onnx_schedule_output(q->schedule, k)->count;
        F0T_TRY(take(q, count, sizeof(float)));
        F0T_TRY(f0t_alloc(&q->results[k], count, sizeof(float)));
    }
    return F0T_OK;
}

f0t_status f0t_onnx_quantiser_observe(f0t_onnx_quantiser *q, const float *pixels)
{
    q->inputs[q->picture.input] = pixels;
    F0T_TRY(f0t_onnx_schedule_run(q->results, q->schedule, q->inputs, q->budget.monitor));
    for (size_t k = 0; k < q->observed_count; k++)
        f0t_onnx_histogram_add(q->values[q->observed[k]].histogram, q->results[k],
                               f0t_onnx_schedule_output(q->schedule, k)->count);
    return F0T_OK;
}

/* ---- Weights --------------------------------------------------------------------------------- */

size_t f0t_quantise_filter(const f0t_onnx_quantiser *q, const f0t_quantise_layer *l, size_t k)
{
    const f0t_onnx_array *w = array_of(q, l->weights);
    return l->axis ? k % w->dims[1] : k / (w->count / w->dims[0]);
}

static void add_norm(float *weights, float *bias, const f0t_onnx_quantiser *q,
                     const f0t_quantise_layer *l)
{
    f0t_op_call call = {.node = l->norm, .op = l->norm->op};
    const double epsilon = (double)f0t_op_float(&call, "epsilon", 1e-5F);
    const float *in[5] = {NULL};
    for (size_t k = 1; k < 5; k++)
        in[k] = array_of(q, l->norm->inputs[k])->f;
    for (size_t f = 0; f < l->filters; f++) {
        double s = (double)in[1][f] / sqrt((double)in[4][f] + epsilon);
        size_t each = array_of(q, l->weights)->count / l->filters;
        for (size_t k = 0; k < each; k++)
            weights[f * each + k] = (float)((double)weights[f * each + k] * s);
        bias[f] = (float)(((double)bias[f] - (double)in[3][f]) * s + (double)in[2][f]);
    }
}

f0t_status f0t_quantise_weights(float **weights, float **bias, f0t_onnx_quantiser *q,
                                const f0t_quantise_layer *l)
{
    f0t_onnx_array copy;
    *weights = *bias = NULL;
    for (size_t k = 1; l->norm && k < 5; k++)
        F0T_TRY(f0t_onnx_fold_decode(&q->fold, l->norm->inputs[k]));
    if (l->bias != F0T_NONE)
        F0T_TRY(f0t_onnx_fold_decode(&q->fold, l->bias));
    if (q->fold.turned[l->weights] != F0T_NONE || q->fold.scaled[l->weights])
        F0T_TRY(f0t_onnx_fold_decode(&q->fold, l->weights));
    F0T_TRY(f0t_onnx_array_copy(&copy, array_of(q, l->weights)));
    *weights = copy.f;
    f0t_status status = f0t_alloc_zero(bias, l->filters, sizeof **bias);
    if (status != F0T_OK)
        return status;
    if (l->bias != F0T_NONE)
        memcpy(*bias, array_of(q, l->bias)->f, l->filters * sizeof **bias);
    if (l->norm)
        add_norm(*weights, *bias, q, l);
    return F0T_OK;
}

/* Of a filter, whose numbers may be a column. */
static f0t_status find_scale(float *scale, f0t_onnx_quantiser *q, const f0t_quantise_layer *l,
                             const float *weights, size_t filter, float *column)
{
    enum { PER_FILTER = 128, PER_WEIGHT = 4 }; /* for all scales that are tried */
    const size_t each = array_of(q, l->weights)->count / l->filters;
    const float *from = weights + filter * each;
    F0T_TRY(f0t_onnx_budget_steps(&q->budget, PER_FILTER + PER_WEIGHT * (uint64_t)each));
    for (size_t k = 0; k < each && column; k++)
        column[k] = weights[k * l->filters + filter];
    *scale = f0t_onnx_weight_scale(column ? column : from, each, f0t_quantise_weight_most(q));
    return F0T_OK;
}

static f0t_status find_scales(f0t_onnx_quantiser *q, f0t_quantise_layer *l, const float *weights)
{
    const size_t each = array_of(q, l->weights)->count / l->filters;
    float *column = NULL;
    f0t_status status = F0T_OK;
    if (!l->scales) {
        F0T_TRY(take(q, l->filters, sizeof *l->scales));
        F0T_TRY(f0t_alloc(&l->scales, l->filters, sizeof *l->scales));
    }
    if (l->axis)
        F0T_TRY(f0t_alloc(&column, each, sizeof *column));
    for (size_t f = 0; f < l->filters && status == F0T_OK; f++)
        status = find_scale(&l->scales[f], q, l, weights, f, column);
    f0t_free(column);
    if (status == F0T_OK)
        l->scales_most = f0t_quantise_weight_most(q);
    return status;
}

f0t_status f0t_quantise_scales(const float **scales, f0t_onnx_quantiser *q,
                               const f0t_quantise_layer *layer, const float *weights)
{
    f0t_quantise_layer *l = &q->layers[layer - q->layers];
    if (l->scales_most != f0t_quantise_weight_most(q))
        F0T_TRY(find_scales(q, l, weights));
    *scales = l->scales;
    return F0T_OK;
}

/* Without VNNI, engines add two products of uint8 and int8 in 16 bits, which 2·255·64 still fit. */
int f0t_quantise_weight_most(const f0t_onnx_quantiser *q)
{
    return q->how.narrow ? 64 : INT8_MAX;
}

/* ---- Making one ------------------------------------------------------------------------------ */

static f0t_status fill(f0t_onnx_quantiser *q)
{
    const f0t_onnx_graph *graph = q->graph;
    f0t_onnx_array *inputs;
    size_t images = q->picture.batch ? q->picture.batch : 1;
    F0T_TRY(f0t_alloc_zero(&q->values, graph->value_count, sizeof *q->values));
    F0T_TRY(f0t_alloc(&q->layer_at, graph->node_count, sizeof *q->layer_at));
    for (size_t n = 0; n < graph->node_count; n++)
        q->layer_at[n] = F0T_NONE;
    F0T_TRY(f0t_onnx_picture_inputs(&inputs, &q->picture, graph, images));
    f0t_status status = f0t_onnx_fold_create(&q->fold, graph, inputs, &q->output, 1, &q->budget);
    if (status == F0T_OK) {
        count_uses(q);
        for (size_t n = 0; n < graph->node_count && status == F0T_OK; n++)
            if (q->fold.used[n])
                status = add_layer(q, &graph->nodes[n]);
    }
    if (status == F0T_OK && !q->layer_count)
        status = f0t_fail(F0T_ERROR_UNSUPPORTED,
                          "%s: there is no convolution or dense layer of floats in it to quantise",
                          graph->path);
    if (status == F0T_OK)
        status = list_observed(q);
    if (status == F0T_OK)
        status = make_schedule(q, inputs);
    f0t_free(inputs);
    return status;
}

f0t_status f0t_onnx_quantiser_create(f0t_onnx_quantiser **out, const f0t_onnx_graph *graph,
                                     const f0t_onnx_picture *picture, size_t output,
                                     const f0t_monitor *monitor)
{
    f0t_onnx_quantiser *q;
    *out = NULL;
    F0T_TRY(f0t_alloc_zero(&q, 1, sizeof *q));
    q->graph = graph;
    q->picture = *picture;
    q->output = output;
    q->budget = f0t_onnx_budget_load(f0t_onnx_graph_file_bytes(graph), monitor);
    f0t_status status = fill(q);
    if (status == F0T_OK)
        *out = q;
    else
        f0t_onnx_quantiser_free(q);
    return status;
}

void f0t_onnx_quantiser_free(f0t_onnx_quantiser *q)
{
    if (!q)
        return;
    for (size_t k = 0; q->results && k < q->observed_count; k++)
        f0t_free(q->results[k]);
    for (size_t v = 0; q->values && v < q->graph->value_count; v++)
        f0t_free(q->values[v].histogram);
    f0t_onnx_schedule_free(q->schedule);
    f0t_onnx_weights_free(q->packed);
    if (q->fold.graph)
        f0t_onnx_fold_clear(&q->fold);
    f0t_free(q->results);
    f0t_free(q->inputs);
    f0t_free(q->observed);
    for (size_t k = 0; k < q->layer_count; k++)
        f0t_free(q->layers[k].scales);
    f0t_free(q->layers);
    f0t_free(q->layer_at);
    f0t_free(q->values);
    f0t_free(q->kept);
    f0t_free(q);
}

size_t f0t_onnx_quantiser_layers(const f0t_onnx_quantiser *q)
{
    return q->layer_count;
}

const f0t_onnx_node *f0t_onnx_quantiser_layer(const f0t_onnx_quantiser *q, size_t k)
{
    return q->layers[k].node;
}
