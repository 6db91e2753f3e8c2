/* The file of a quantised network: that of the network it was made of, message by message, with other weights and
 * with QuantizeLinear and DequantizeLinear between the nodes. */
#include "onnx/quantise_write.h"

#include "base/alloc.h"

#include <stdio.h>
#include <string.h>

/* Set 13 came with version 7 of the format. */
enum { IR_LEAST = 7, OPSET_OLDEST = 7 };

/* Numbers of onnx.proto that are looked at. */
enum { ATTRIBUTE_GRAPH = 6, ATTRIBUTE_GRAPHS = 11, TENSOR_NAME = 8, TENSOR_LOCATION = 14 };
enum { GRAPH_VALUE_INFO = 13, GRAPH_ANNOTATION = 14, OPSET_DOMAIN = 1, OPSET_VERSION = 2 };

/* ---- Names ----------------------------------------------------------------------------------- */

static bool prefix_is_free(const f0t_onnx_graph *graph, const char *prefix)
{
    for (size_t v = 0; v < graph->value_count; v++)
        if (strncmp(graph->values[v].name, prefix, strlen(prefix)) == 0)
            return false;
    return true;
}

static f0t_status choose_prefix(f0t_quantise_writing *w)
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

/* ---- Nodes ----------------------------------------------------------------------------------- */

static const f0t_quantise_layer *quantised(const f0t_quantise_writing *w, const f0t_onnx_node *node)
{
    const f0t_quantise_layer *l = f0t_quantise_layer_of(w->q, node);
    return l && !w->q->kept[l - w->q->layers] ? l : NULL;
}

/* The quantised layer into which this normalisation goes, or NULL. */
static const f0t_quantise_layer *absorber(const f0t_quantise_writing *w, const f0t_onnx_node *norm)
{
    const f0t_quantise_layer *l = f0t_quantise_layer_of_norm(w->q, norm);
    return l && !w->q->kept[l - w->q->layers] ? l : NULL;
}

static void put_inputs(const f0t_quantise_writing *w, f0t_onnx_pack *n, const f0t_onnx_node *node,
                       const f0t_quantise_layer *l, const f0t_quantise_renewal *r)
{
    char buffer[F0T_QUANTISE_NAME];
    const bool identity = r->op && strcmp(r->op, "Identity") == 0;
    for (size_t k = 0; k < node->input_count && !(identity && k); k++) {
        if (l && k)
            break;
        f0t_onnx_pack_text(n, NODE_INPUT, f0t_quantise_taken_name(buffer, w, node->inputs[k]));
    }
    if (!l)
        return;
    f0t_quantise_name(buffer, w, l->output, "weight_floats");
    f0t_onnx_pack_text(n, NODE_INPUT, buffer);
    f0t_quantise_name(buffer, w, l->output, "bias_floats");
    if (f0t_quantise_has_bias(l))
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

static f0t_status put_graph_node(f0t_quantise_writing *w, const f0t_onnx_node *node,
                                 f0t_onnx_message bytes)
{
    const f0t_quantise_layer *l = quantised(w, node);
    f0t_onnx_pack n = {0};
    f0t_onnx_field field;
    f0t_quantise_renewal r;
    F0T_TRY(refuse_graphs(bytes));
    F0T_TRY(f0t_quantise_renew(&r, w, node));
    if (l)
        F0T_TRY(f0t_quantise_put_weights(w, l));
    put_inputs(w, &n, node, l, &r);
    for (size_t k = 0; k < node->output_count && !(r.op && k); k++)
        f0t_onnx_pack_text(&n, NODE_OUTPUT,
                           w->graph->values[l ? l->output : node->outputs[k]].name);
    if (r.op)
        f0t_quantise_put_renewed(w, &n, node, &r);
    for (const unsigned char *from = bytes.at; f0t_onnx_message_next(&field, &bytes);
         from = bytes.at) {
        bool dropped = field.number == NODE_INPUT || field.number == NODE_OUTPUT ||
                       (r.op && (field.number == NODE_OP || field.number == NODE_ATTRIBUTE));
        if (!dropped)
            f0t_onnx_pack_field(&n, from, bytes.at);
    }
    f0t_onnx_pack_message(w->out, F0T_ONNX_GRAPH_NODE, &n);
    for (size_t k = 0; k < node->output_count; k++)
        f0t_quantise_put_grid(w, l ? l->output : node->outputs[k]);
    return F0T_OK;
}

static void refer_to(f0t_quantise_writing *w, size_t value)
{
    w->referenced[value] = true;
    if (w->graph->values[value].producer != F0T_NONE)
        w->live[w->graph->values[value].producer] = true;
}

/* From the outputs backwards: what a quantised layer had for weights leads nowhere any more. */
static void mark_live(f0t_quantise_writing *w)
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

static size_t named_value(const f0t_quantise_writing *w, f0t_onnx_message text)
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
static void put_initializer(f0t_quantise_writing *w, f0t_onnx_message bytes)
{
    size_t value = named_value(w, f0t_onnx_message_find(bytes, TENSOR_NAME));
    if (value == F0T_NONE || !w->referenced[value])
        return;
    const f0t_onnx_array *a = &w->graph->values[value].constant;
    if (is_external(bytes) && a->raw)
        f0t_quantise_put_tensor(w, w->graph->values[value].name, (int)a->type, a, a->raw,
                                a->count * f0t_onnx_array_type_size(a->type));
    else
        f0t_onnx_pack_bytes(w->out, F0T_ONNX_GRAPH_INITIALIZER, bytes.at,
                            (size_t)(bytes.end - bytes.at));
}

static void put_input(f0t_quantise_writing *w, f0t_onnx_message bytes)
{
    size_t value = named_value(w, f0t_onnx_message_find(bytes, F0T_ONNX_VALUE_NAME));
    if (value != F0T_NONE && w->graph->values[value].input)
        f0t_onnx_pack_bytes(w->out, F0T_ONNX_GRAPH_INPUT, bytes.at, (size_t)(bytes.end - bytes.at));
}

/* ---- The whole ------------------------------------------------------------------------------- */

static f0t_status put_field(f0t_quantise_writing *w, const f0t_onnx_field *field,
                            const unsigned char *from, const unsigned char *to, size_t *node)
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

static f0t_status put_graph(f0t_quantise_writing *w, f0t_onnx_message bytes)
{
    f0t_onnx_field field;
    size_t node = 0;
    mark_live(w);
    for (size_t k = 0; k < w->graph->input_count; k++)
        f0t_quantise_put_grid(w, w->graph->inputs[k].value);
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
    const int version = graph->opset < F0T_QUANTISE_OPSET ? F0T_QUANTISE_OPSET : graph->opset;
    f0t_onnx_pack_int(out, F0T_ONNX_MODEL_IR,
                      (uint64_t)(graph->ir_version < IR_LEAST ? IR_LEAST : graph->ir_version));
    f0t_onnx_pack_text(&opset, OPSET_DOMAIN, "");
    f0t_onnx_pack_int(&opset, OPSET_VERSION, (uint64_t)version);
    f0t_onnx_pack_message(out, F0T_ONNX_MODEL_OPSET, &opset);
}

static f0t_status put_model(f0t_onnx_pack *out, f0t_quantise_writing *w)
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
                        q->graph->path, q->graph->opset, (int)F0T_QUANTISE_OPSET);
    return F0T_OK;
}

f0t_status f0t_onnx_quantiser_write(f0t_onnx_pack *out, f0t_onnx_quantiser *q, const bool *kept,
                                    const f0t_onnx_calibration *how)
{
    f0t_quantise_writing w = {.q = q, .graph = q->graph};
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
