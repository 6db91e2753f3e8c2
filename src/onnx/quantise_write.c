/* The file of a quantised network: that of the network it was made of, message by message, with other weights and
 * with QuantizeLinear and DequantizeLinear between the nodes. */
#include "base/alloc.h"
#include "onnx/quantise_inside.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Scales for each filter came with set 13, which came with version 7 of the format. */
enum { OPSET_LEAST = 13, IR_LEAST = 7, OPSET_OLDEST = 7, NAME = 64 };

/* Numbers of onnx.proto that are written. */
enum { NODE_INPUT = 1, NODE_OUTPUT = 2, NODE_NAME = 3, NODE_OP = 4, NODE_ATTRIBUTE = 5 };
enum { ATTRIBUTE_GRAPH = 6, ATTRIBUTE_GRAPHS = 11 };
enum { ATTRIBUTE_NAME = 1, ATTRIBUTE_I = 3, ATTRIBUTE_TYPE = 20, ATTRIBUTE_INT = 2 };
enum { TENSOR_DIMS = 1, TENSOR_TYPE = 2, TENSOR_NAME = 8, TENSOR_RAW = 9, TENSOR_LOCATION = 14 };
enum { GRAPH_VALUE_INFO = 13, GRAPH_ANNOTATION = 14, OPSET_DOMAIN = 1, OPSET_VERSION = 2 };

typedef struct writing {
    f0t_onnx_quantiser *q;
    const f0t_onnx_graph *graph;
    f0t_onnx_pack *out; /* the graph's fields */
    char prefix[16];    /* that no name of the network begins with */
    bool *live;         /* nodes that are written */
    bool *referenced;   /* values that a node or the graph still asks for */
} writing;

/* ---- Names ----------------------------------------------------------------------------------- */

static bool prefix_is_free(const f0t_onnx_graph *graph, const char *prefix)
{
    for (size_t v = 0; v < graph->value_count; v++)
        if (strncmp(graph->values[v].name, prefix, strlen(prefix)) == 0)
            return false;
    return true;
}

static f0t_status choose_prefix(writing *w)
{
    for (unsigned k = 0; k < 100; k++) {
        snprintf(w->prefix, sizeof w->prefix, k ? "int8_%u_" : "int8_", k);
        F0T_TRY(f0t_onnx_budget_steps(&w->q->budget, w->graph->value_count));
        if (prefix_is_free(w->graph, w->prefix))
            return F0T_OK;
    }
    return f0t_fail(F0T_ERROR_UNSUPPORTED,
                    "%s: it has names that begin with int8_ and int8_1_ to %s; rename them",
                    w->graph->path, w->prefix);
}

static void name_part(char out[NAME], const writing *w, size_t value, const char *part)
{
    snprintf(out, NAME, "%s%zu_%s", w->prefix, value, part);
}

/* ---- Pieces ---------------------------------------------------------------------------------- */

static void put_tensor(writing *w, const char *name, int type, const f0t_onnx_array *shape,
                       const void *data, size_t bytes)
{
    f0t_onnx_pack t = {0};
    for (size_t d = 0; d < shape->rank; d++)
        f0t_onnx_pack_int(&t, TENSOR_DIMS, shape->dims[d]);
    f0t_onnx_pack_int(&t, TENSOR_TYPE, (uint64_t)type);
    f0t_onnx_pack_text(&t, TENSOR_NAME, name);
    f0t_onnx_pack_bytes(&t, TENSOR_RAW, data, bytes);
    f0t_onnx_pack_message(w->out, F0T_ONNX_GRAPH_INITIALIZER, &t);
}

static void put_list(writing *w, const char *name, int type, const void *data, size_t count,
                     size_t size)
{
    f0t_onnx_array shape = {.rank = 1, .dims = {count}};
    put_tensor(w, name, type, &shape, data, count * size);
}

static void put_number(writing *w, const char *name, int type, const void *data, size_t size)
{
    f0t_onnx_array shape = {.rank = 0};
    put_tensor(w, name, type, &shape, data, size);
}

static void put_axis(f0t_onnx_pack *node, size_t axis)
{
    f0t_onnx_pack a = {0};
    f0t_onnx_pack_text(&a, ATTRIBUTE_NAME, "axis");
    f0t_onnx_pack_int(&a, ATTRIBUTE_I, axis);
    f0t_onnx_pack_int(&a, ATTRIBUTE_TYPE, ATTRIBUTE_INT);
    f0t_onnx_pack_message(node, NODE_ATTRIBUTE, &a);
}

/* QuantizeLinear or DequantizeLinear; `axis` F0T_NONE: one scale. */
static void put_node(writing *w, const char *op, const char *in, const char *scale,
                     const char *zero, const char *out, size_t axis)
{
    f0t_onnx_pack n = {0};
    f0t_onnx_pack_text(&n, NODE_INPUT, in);
    f0t_onnx_pack_text(&n, NODE_INPUT, scale);
    if (zero)
        f0t_onnx_pack_text(&n, NODE_INPUT, zero);
    f0t_onnx_pack_text(&n, NODE_OUTPUT, out);
    f0t_onnx_pack_text(&n, NODE_NAME, out);
    f0t_onnx_pack_text(&n, NODE_OP, op);
    if (axis != F0T_NONE)
        put_axis(&n, axis);
    f0t_onnx_pack_message(w->out, F0T_ONNX_GRAPH_NODE, &n);
}

/* ---- Values on a grid ------------------------------------------------------------------------ */

static void put_grid(writing *w, size_t value)
{
    char scale_name[NAME], zero_name[NAME], bytes[NAME], floats[NAME];
    if (!w->q->values[value].on_grid)
        return;
    const f0t_grid grid = f0t_quantise_grid(w->q, value);
    const uint8_t zero = (uint8_t)grid.zero;
    name_part(scale_name, w, value, "scale");
    name_part(zero_name, w, value, "zero");
    name_part(bytes, w, value, "bytes");
    name_part(floats, w, value, "floats");
    put_number(w, scale_name, F0T_ONNX_FLOAT, &grid.scale, sizeof grid.scale);
    put_number(w, zero_name, F0T_ONNX_UINT8, &zero, sizeof zero);
    put_node(w, "QuantizeLinear", w->graph->values[value].name, scale_name, zero_name, bytes,
             F0T_NONE);
    put_node(w, "DequantizeLinear", bytes, scale_name, zero_name, floats, F0T_NONE);
}

/* The name under which nodes take the value. */
static const char *taken_name(char buffer[NAME], const writing *w, size_t value)
{
    if (value == F0T_NONE)
        return "";
    if (!w->q->values[value].on_grid)
        return w->graph->values[value].name;
    name_part(buffer, w, value, "floats");
    return buffer;
}

/* ---- Layers ---------------------------------------------------------------------------------- */

static const f0t_quantise_layer *quantised(const writing *w, const f0t_onnx_node *node)
{
    const f0t_quantise_layer *l = f0t_quantise_layer_of(w->q, node);
    return l && !w->q->kept[l - w->q->layers] ? l : NULL;
}

/* The quantised layer into which this normalisation goes, or NULL. */
static const f0t_quantise_layer *absorber(const writing *w, const f0t_onnx_node *norm)
{
    const f0t_quantise_layer *l = f0t_quantise_layer_of_norm(w->q, norm);
    return l && !w->q->kept[l - w->q->layers] ? l : NULL;
}

typedef struct eight {
    float *weights, *bias, *scales; /* of a layer */
    int8_t *bytes;
    int32_t *bias_bytes;
} eight;

static void clear_eight(eight *e)
{
    f0t_free(e->weights);
    f0t_free(e->bias);
    f0t_free(e->scales);
    f0t_free(e->bytes);
    f0t_free(e->bias_bytes);
}

static int64_t clamp(double x, int64_t most)
{
    double y = rint(x);
    return y > (double)most ? most : y > -(double)most ? (int64_t)y : -most;
}

/* The bias is int32 in steps of x's scale times the filter's, which is large enough for that. */
static f0t_status fill_eight(eight *e, writing *w, const f0t_quantise_layer *l)
{
    const size_t count = w->q->fold.arrays[l->weights].count;
    const float source = f0t_quantise_grid(w->q, l->x).scale;
    F0T_TRY(f0t_quantise_weights(&e->weights, &e->bias, w->q, l));
    F0T_TRY(f0t_alloc(&e->scales, l->filters, sizeof *e->scales));
    F0T_TRY(f0t_alloc(&e->bytes, count, sizeof *e->bytes));
    F0T_TRY(f0t_alloc(&e->bias_bytes, l->filters, sizeof *e->bias_bytes));
    f0t_quantise_scales(e->scales, w->q, l, e->weights);
    for (size_t f = 0; f < l->filters; f++) {
        float least = fabsf(e->bias[f]) / source / (float)(1 << 30);
        e->scales[f] = e->scales[f] < least ? least : e->scales[f];
    }
    for (size_t k = 0; k < count; k++)
        e->bytes[k] = (int8_t)clamp(
            (double)e->weights[k] / (double)e->scales[f0t_quantise_filter(w->q, l, k)], INT8_MAX);
    for (size_t f = 0; f < l->filters; f++) {
        e->bias_bytes[f] =
            (int32_t)clamp((double)e->bias[f] / ((double)source * (double)e->scales[f]), INT32_MAX);
        e->bias[f] = source * e->scales[f]; /* from now on the scale of the bias */
    }
    return F0T_OK;
}

static bool has_bias(const f0t_quantise_layer *l)
{
    return l->bias != F0T_NONE || l->norm;
}

/* Initializers and DequantizeLinear of weights and bias. Their names go by the layer's output. */
static f0t_status put_weights(writing *w, const f0t_quantise_layer *l)
{
    const f0t_onnx_array *shape = &w->q->fold.arrays[l->weights];
    char names[7][NAME];
    static const char *const parts[] = {"weights", "weights_scale", "weights_zero", "weight_floats",
                                        "bias",    "bias_scale",    "bias_floats"};
    eight e = {0};
    int8_t *zeros = NULL;
    for (size_t k = 0; k < 7; k++)
        name_part(names[k], w, l->output, parts[k]);
    f0t_status status = fill_eight(&e, w, l);
    if (status == F0T_OK)
        status = f0t_alloc_zero(&zeros, l->filters, 1);
    if (status == F0T_OK) {
        put_tensor(w, names[0], F0T_ONNX_INT8, shape, e.bytes, shape->count);
        put_list(w, names[1], F0T_ONNX_FLOAT, e.scales, l->filters, sizeof *e.scales);
        put_list(w, names[2], F0T_ONNX_INT8, zeros, l->filters, 1);
        put_node(w, "DequantizeLinear", names[0], names[1], names[2], names[3], l->axis);
    }
    if (status == F0T_OK && has_bias(l)) {
        put_list(w, names[4], F0T_ONNX_INT32, e.bias_bytes, l->filters, sizeof *e.bias_bytes);
        put_list(w, names[5], F0T_ONNX_FLOAT, e.bias, l->filters, sizeof *e.bias);
        put_node(w, "DequantizeLinear", names[4], names[5], NULL, names[6], 0);
    }
    f0t_free(zeros);
    clear_eight(&e);
    return status;
}

/* ---- Nodes of older sets --------------------------------------------------------------------- */

static bool is_among(const char *name, const char *const *list, size_t count)
{
    for (size_t k = 0; k < count; k++)
        if (strcmp(name, list[k]) == 0)
            return true;
    return false;
}

/* What means in set 13 what it meant in set 7. */
static bool is_unchanged(const f0t_onnx_node *node)
{
    static const char *const names[] = {"Conv",
                                        "Relu",
                                        "MaxPool",
                                        "AveragePool",
                                        "GlobalAveragePool",
                                        "Flatten",
                                        "Gemm",
                                        "MatMul",
                                        "Add",
                                        "Sub",
                                        "Mul",
                                        "Div",
                                        "Concat",
                                        "Sigmoid",
                                        "HardSigmoid",
                                        "Tanh",
                                        "Identity",
                                        "Transpose",
                                        "Reshape",
                                        "LeakyRelu",
                                        "Constant",
                                        "Shape",
                                        "Gather",
                                        "Cast",
                                        "ReduceMean",
                                        "Sqrt",
                                        "Pow",
                                        "Erf",
                                        "GlobalMaxPool",
                                        "Elu",
                                        "LRN",
                                        "HardSwish",
                                        "Exp",
                                        "BatchNormalization"};
    return is_among(node->proto->op_type, names, sizeof names / sizeof *names);
}

static bool pads_nothing(const f0t_op_call *call)
{
    size_t count;
    const int64_t *pads = f0t_op_ints(&count, call, "pads");
    for (size_t k = 0; k < count; k++)
        if (pads[k])
            return false;
    return pads != NULL;
}

/* What to write in place of a node: its operator, without attributes, and constants as more inputs. */
typedef struct renewal {
    const char *op; /* NULL: the node as it is */
    bool has_limits, has_axes;
} renewal;

static bool has_mask(const writing *w, const f0t_onnx_node *node)
{
    return node->output_count > 1 && w->q->values[node->outputs[1]].uses;
}

/* The limits become inputs, of the type of what they limit. */
static bool clips_floats(const writing *w, const f0t_onnx_node *node)
{
    return w->q->fold.used[node - w->graph->nodes] &&
           w->q->fold.arrays[node->inputs[0]].type == F0T_ONNX_FLOAT;
}

/* No axes: all of size 1 go, and none come. */
static renewal renew_axes(const f0t_op_call *call, const char *name)
{
    size_t count;
    f0t_op_ints(&count, call, "axes");
    if (!count && strcmp(name, "Unsqueeze") == 0)
        name = "Identity";
    return (renewal){.op = name, .has_axes = count > 0};
}

static f0t_status renew(renewal *out, const writing *w, const f0t_onnx_node *node)
{
    f0t_op_call call = {.node = node, .op = node->op};
    const char *name = node->proto->op_type;
    *out = (renewal){0};
    if (w->graph->opset >= OPSET_LEAST || is_unchanged(node))
        return F0T_OK;
    if (strcmp(name, "Dropout") == 0 && has_mask(w, node))
        return f0t_fail(
            F0T_ERROR_UNSUPPORTED,
            "its mask is used, and it is of operator set %d: convert the network to set "
            "%d first",
            w->graph->opset, (int)OPSET_LEAST);
    if (strcmp(name, "Dropout") == 0 ||
        (strcmp(name, "Pad") == 0 && w->graph->opset < 11 && pads_nothing(&call)))
        out->op = "Identity";
    else if (strcmp(name, "Clip") == 0 && w->graph->opset < 11 && clips_floats(w, node))
        *out = (renewal){.op = "Clip", .has_limits = true};
    else if (strcmp(name, "Squeeze") == 0 || strcmp(name, "Unsqueeze") == 0)
        *out = renew_axes(&call, name);
    else if (strcmp(name, "Clip") == 0 || strcmp(name, "Slice") == 0 || strcmp(name, "Pad") == 0)
        return w->graph->opset >= 11
                   ? F0T_OK
                   : f0t_fail(F0T_ERROR_UNSUPPORTED,
                              "it is of operator set %d, and is written otherwise in set %d: "
                              "convert the network to that set first",
                              w->graph->opset, (int)OPSET_LEAST);
    else
        return f0t_fail(F0T_ERROR_UNSUPPORTED,
                        "it is of operator set %d, and may mean something else in set %d: convert "
                        "the network to that set first",
                        w->graph->opset, (int)OPSET_LEAST);
    return F0T_OK;
}

static void put_renewed(writing *w, f0t_onnx_pack *n, const f0t_onnx_node *node, const renewal *r)
{
    f0t_op_call call = {.node = node, .op = node->op};
    char name[NAME];
    if (r->has_limits) {
        const float limits[] = {f0t_op_float(&call, "min", -3.402823e38F),
                                f0t_op_float(&call, "max", 3.402823e38F)};
        for (size_t k = 0; k < 2; k++) {
            name_part(name, w, node->outputs[0], k ? "most" : "least");
            put_number(w, name, F0T_ONNX_FLOAT, &limits[k], sizeof *limits);
            f0t_onnx_pack_text(n, NODE_INPUT, name);
        }
    }
    if (r->has_axes) {
        size_t count;
        const int64_t *axes = f0t_op_ints(&count, &call, "axes");
        name_part(name, w, node->outputs[0], "axes");
        put_list(w, name, F0T_ONNX_INT64, axes, count, sizeof *axes);
        f0t_onnx_pack_text(n, NODE_INPUT, name);
    }
    f0t_onnx_pack_text(n, NODE_OP, r->op);
}

/* ---- Nodes ----------------------------------------------------------------------------------- */

static void put_inputs(const writing *w, f0t_onnx_pack *n, const f0t_onnx_node *node,
                       const f0t_quantise_layer *l, const renewal *r)
{
    char buffer[NAME];
    const bool identity = r->op && strcmp(r->op, "Identity") == 0;
    for (size_t k = 0; k < node->input_count && !(identity && k); k++) {
        if (l && k)
            break;
        f0t_onnx_pack_text(n, NODE_INPUT, taken_name(buffer, w, node->inputs[k]));
    }
    if (!l)
        return;
    name_part(buffer, w, l->output, "weight_floats");
    f0t_onnx_pack_text(n, NODE_INPUT, buffer);
    name_part(buffer, w, l->output, "bias_floats");
    if (has_bias(l))
        f0t_onnx_pack_text(n, NODE_INPUT, buffer);
}

/* Its names, which may be those of values outside of it, would have to be followed. */
static f0t_status refuse_graphs(f0t_onnx_message node)
{
    f0t_onnx_field field;
    while (f0t_onnx_message_next(&field, &node))
        if (field.number == NODE_ATTRIBUTE && field.wire == 2 &&
            (f0t_onnx_message_find(field.body, ATTRIBUTE_GRAPH).at ||
             f0t_onnx_message_find(field.body, ATTRIBUTE_GRAPHS).at))
            return f0t_fail(F0T_ERROR_UNSUPPORTED,
                            "it has a graph of its own, and such networks are not quantised");
    return F0T_OK;
}

static f0t_status put_graph_node(writing *w, const f0t_onnx_node *node, f0t_onnx_message bytes)
{
    const f0t_quantise_layer *l = quantised(w, node);
    f0t_onnx_pack n = {0};
    f0t_onnx_field field;
    renewal r;
    F0T_TRY(refuse_graphs(bytes));
    F0T_TRY(renew(&r, w, node));
    if (l)
        F0T_TRY(put_weights(w, l));
    put_inputs(w, &n, node, l, &r);
    for (size_t k = 0; k < node->output_count && !(r.op && k); k++)
        f0t_onnx_pack_text(&n, NODE_OUTPUT,
                           w->graph->values[l ? l->output : node->outputs[k]].name);
    if (r.op)
        put_renewed(w, &n, node, &r);
    for (const unsigned char *from = bytes.at; f0t_onnx_message_next(&field, &bytes);
         from = bytes.at) {
        bool dropped = field.number == NODE_INPUT || field.number == NODE_OUTPUT ||
                       (r.op && (field.number == NODE_OP || field.number == NODE_ATTRIBUTE));
        if (!dropped)
            f0t_onnx_pack_field(&n, from, bytes.at);
    }
    f0t_onnx_pack_message(w->out, F0T_ONNX_GRAPH_NODE, &n);
    for (size_t k = 0; k < node->output_count; k++)
        put_grid(w, l ? l->output : node->outputs[k]);
    return F0T_OK;
}

static void refer_to(writing *w, size_t value)
{
    w->referenced[value] = true;
    if (w->graph->values[value].producer != F0T_NONE)
        w->live[w->graph->values[value].producer] = true;
}

/* From the outputs backwards: what a quantised layer had for weights leads nowhere any more. */
static void mark_live(writing *w)
{
    const f0t_onnx_graph *graph = w->graph;
    for (size_t k = 0; k < graph->output_count; k++)
        refer_to(w, graph->outputs[k].value);
    refer_to(w, w->q->output);
    for (size_t n = graph->node_count; n-- > 0;) {
        const f0t_onnx_node *node = &graph->nodes[n];
        const f0t_quantise_layer *into = absorber(w, node);
        if (w->live[n] && into) {
            w->live[n] = false;
            w->live[into->node - graph->nodes] = true;
        }
        for (size_t k = 0; w->live[n] && k < node->input_count; k++) {
            size_t v = node->inputs[k];
            if (v == F0T_NONE || (k && quantised(w, node)))
                continue;
            refer_to(w, v);
        }
    }
}

/* ---- Initializers, inputs -------------------------------------------------------------------- */

static size_t named_value(const writing *w, f0t_onnx_message text)
{
    char *name;
    if (!text.at || w->out->status != F0T_OK)
        return F0T_NONE;
    w->out->status = f0t_string_copy(&name, (const char *)text.at, (size_t)(text.end - text.at));
    if (w->out->status != F0T_OK)
        return F0T_NONE;
    size_t value = f0t_onnx_graph_find(w->graph, name);
    f0t_free(name);
    return value;
}

static bool is_external(f0t_onnx_message bytes)
{
    f0t_onnx_field field;
    while (f0t_onnx_message_next(&field, &bytes))
        if (field.number == TENSOR_LOCATION && field.wire == 0 && field.value == 1)
            return true;
    return false;
}

/* Weights of files beside the network come into this one. */
static void put_initializer(writing *w, f0t_onnx_message bytes)
{
    size_t value = named_value(w, f0t_onnx_message_find(bytes, TENSOR_NAME));
    if (value == F0T_NONE || !w->referenced[value])
        return;
    const f0t_onnx_array *a = &w->graph->values[value].constant;
    if (is_external(bytes) && a->raw)
        put_tensor(w, w->graph->values[value].name, (int)a->type, a, a->raw,
                   a->count * f0t_onnx_array_type_size(a->type));
    else
        f0t_onnx_pack_bytes(w->out, F0T_ONNX_GRAPH_INITIALIZER, bytes.at,
                            (size_t)(bytes.end - bytes.at));
}

static void put_input(writing *w, f0t_onnx_message bytes)
{
    size_t value = named_value(w, f0t_onnx_message_find(bytes, F0T_ONNX_VALUE_NAME));
    if (value != F0T_NONE && w->graph->values[value].input)
        f0t_onnx_pack_bytes(w->out, F0T_ONNX_GRAPH_INPUT, bytes.at, (size_t)(bytes.end - bytes.at));
}

/* ---- The whole ------------------------------------------------------------------------------- */

static f0t_status put_field(writing *w, const f0t_onnx_field *field, const unsigned char *from,
                            const unsigned char *to, size_t *node)
{
    if (field->wire != 2) /* no part of a graph: the reader passed over it, too */
        return F0T_OK;
    switch (field->number) {
    case F0T_ONNX_GRAPH_NODE: {
        if (*node >= w->graph->node_count)
            return f0t_fail(F0T_ERROR_FORMAT, "%s: it has more nodes than were read",
                            w->graph->path);
        const f0t_onnx_node *n = &w->graph->nodes[(*node)++];
        if (!w->live[n - w->graph->nodes])
            return F0T_OK;
        return f0t_onnx_graph_fail_at(w->graph, n, put_graph_node(w, n, field->body));
    }
    case F0T_ONNX_GRAPH_INITIALIZER:
        put_initializer(w, field->body);
        return F0T_OK;
    case F0T_ONNX_GRAPH_INPUT:
        put_input(w, field->body);
        return F0T_OK;
    case GRAPH_VALUE_INFO:
    case GRAPH_ANNOTATION:
        return F0T_OK;
    default:
        f0t_onnx_pack_field(w->out, from, to);
        return F0T_OK;
    }
}

static f0t_status put_graph(writing *w, f0t_onnx_message bytes)
{
    f0t_onnx_field field;
    size_t node = 0;
    mark_live(w);
    for (size_t k = 0; k < w->graph->input_count; k++)
        put_grid(w, w->graph->inputs[k].value);
    for (const unsigned char *from = bytes.at; f0t_onnx_message_next(&field, &bytes);
         from = bytes.at)
        F0T_TRY(put_field(w, &field, from, bytes.at, &node));
    return w->out->status;
}

static bool is_default_domain(f0t_onnx_message opset)
{
    f0t_onnx_message domain = f0t_onnx_message_find(opset, OPSET_DOMAIN);
    size_t length = domain.at ? (size_t)(domain.end - domain.at) : 0;
    return !length || (length == 7 && memcmp(domain.at, "ai.onnx", 7) == 0);
}

static void put_versions(f0t_onnx_pack *out, const f0t_onnx_graph *graph)
{
    f0t_onnx_pack opset = {0};
    const int version = graph->opset < OPSET_LEAST ? OPSET_LEAST : graph->opset;
    f0t_onnx_pack_int(out, F0T_ONNX_MODEL_IR,
                      (uint64_t)(graph->ir_version < IR_LEAST ? IR_LEAST : graph->ir_version));
    f0t_onnx_pack_text(&opset, OPSET_DOMAIN, "");
    f0t_onnx_pack_int(&opset, OPSET_VERSION, (uint64_t)version);
    f0t_onnx_pack_message(out, F0T_ONNX_MODEL_OPSET, &opset);
}

static f0t_status put_model(f0t_onnx_pack *out, writing *w)
{
    f0t_onnx_message model = {w->graph->map.data, w->graph->map.data + w->graph->map.size};
    f0t_onnx_message body = {NULL, NULL};
    f0t_onnx_field field;
    f0t_onnx_pack graph = {0};
    put_versions(out, w->graph);
    for (const unsigned char *from = model.at; f0t_onnx_message_next(&field, &model);
         from = model.at) {
        if (field.number == F0T_ONNX_MODEL_GRAPH && field.wire == 2)
            body = field.body;
        else if (field.number != F0T_ONNX_MODEL_IR &&
                 !(field.number == F0T_ONNX_MODEL_OPSET && is_default_domain(field.body)))
            f0t_onnx_pack_field(out, from, model.at);
    }
    w->out = &graph;
    f0t_status status = put_graph(w, body);
    if (status == F0T_OK) {
        f0t_onnx_pack_message(out, F0T_ONNX_MODEL_GRAPH, &graph);
        status = out->status;
    }
    f0t_onnx_pack_clear(&graph);
    return status;
}

static f0t_status check(const f0t_onnx_quantiser *q)
{
    if (q->graph->opset < OPSET_OLDEST)
        return f0t_fail(F0T_ERROR_UNSUPPORTED,
                        "%s: operator set %d is too old to be quantised; convert it to set %d",
                        q->graph->path, q->graph->opset, (int)OPSET_LEAST);
    return F0T_OK;
}

f0t_status f0t_onnx_quantiser_write(f0t_onnx_pack *out, f0t_onnx_quantiser *q, const bool *kept,
                                    const f0t_onnx_calibration *how)
{
    writing w = {.q = q, .graph = q->graph};
    *out = (f0t_onnx_pack){0};
    F0T_TRY(check(q));
    f0t_free(q->kept);
    F0T_TRY(f0t_alloc(&q->kept, q->layer_count, sizeof *q->kept));
    memcpy(q->kept, kept, q->layer_count * sizeof *kept);
    q->how = *how;
    F0T_TRY(f0t_onnx_budget_steps(&q->budget, q->graph->node_count));
    f0t_quantise_place_grids(q);
    F0T_TRY(choose_prefix(&w));
    f0t_status status = f0t_alloc_zero(&w.live, q->graph->node_count, sizeof *w.live);
    if (status == F0T_OK)
        status = f0t_alloc_zero(&w.referenced, q->graph->value_count, sizeof *w.referenced);
    if (status == F0T_OK)
        status = put_model(out, &w);
    if (status == F0T_OK)
        status = f0t_onnx_graph_check(q->graph);
    if (status == F0T_OK && out->size > INT32_MAX)
        status = f0t_fail(F0T_ERROR_UNSUPPORTED, "%s: as one file it is larger than 2 GB",
                          q->graph->path);
    if (status != F0T_OK)
        f0t_onnx_pack_clear(out);
    f0t_free(w.live);
    f0t_free(w.referenced);
    return status;
}
