/* NodeProto: names become numbers of values, and the operator is found. */
#include "onnx/graph.h"

#include "base/alloc.h"
#include "onnx/op.h"

#include <string.h>

/* protobuf-c puts no 0 behind bytes. */
static f0t_status end_text(f0t_onnx_attribute_proto *attribute)
{
    char *text;
    if (!attribute->has_s)
        return F0T_OK;
    F0T_TRY(f0t_string_copy(&text, (const char *)attribute->s.data, attribute->s.len));
    f0t_free(attribute->s.data);
    attribute->s.data = (uint8_t *)text;
    return F0T_OK;
}

static f0t_status read_attributes(f0t_onnx_node *node, f0t_onnx_message bytes,
                                  f0t_onnx_budget *budget)
{
    /* Graphs and types can nest; operators that have them are not supported. */
    static const uint32_t dropped[] = {6, 11, 13, 14, 15, 22, 23, 0};
    f0t_onnx_field field;
    size_t capacity = 0;
    while (f0t_onnx_message_next(&bytes, &field)) {
        if (field.number != F0T_ONNX_NODE_ATTRIBUTE || field.wire != 2)
            continue;
        F0T_TRY(f0t_grow(&node->attributes, &capacity, node->attribute_count, 1, sizeof(void *)));
        F0T_TRY(f0t_onnx_proto_unpack(&node->attributes[node->attribute_count],
                                      &f0t_onnx__attribute_proto__descriptor, field.body, dropped,
                                      "an attribute", budget));
        F0T_TRY(end_text(node->attributes[node->attribute_count++]));
    }
    return F0T_OK;
}

static bool is_defined(const f0t_onnx_value *value)
{
    return value->input || value->producer != F0T_NONE || f0t_onnx_array_known(&value->constant);
}

static f0t_status find_inputs(f0t_onnx_graph *graph, f0t_onnx_node *node)
{
    const f0t_onnx_node_proto *proto = node->proto;
    F0T_TRY(f0t_alloc(&node->inputs, proto->n_input, sizeof *node->inputs));
    for (size_t k = 0; k < proto->n_input; k++) {
        size_t value = *proto->input[k] ? f0t_onnx_graph_find(graph, proto->input[k]) : F0T_NONE;
        if (*proto->input[k] && (value == F0T_NONE || !is_defined(&graph->values[value])))
            return f0t_fail(F0T_ERROR_FORMAT,
                            "its input '%s' is made by no node before it (a cycle, or a lost "
                            "part of the file)",
                            proto->input[k]);
        node->inputs[node->input_count++] = value;
    }
    return F0T_OK;
}

static f0t_status add_outputs(f0t_onnx_graph *graph, f0t_onnx_node *node, size_t number)
{
    const f0t_onnx_node_proto *proto = node->proto;
    F0T_TRY(f0t_alloc(&node->outputs, proto->n_output, sizeof *node->outputs));
    for (size_t k = 0; k < proto->n_output; k++) {
        size_t value = F0T_NONE;
        if (*proto->output[k]) {
            F0T_TRY(f0t_onnx_graph_add_value(graph, proto->output[k], &value));
            if (is_defined(&graph->values[value]))
                return f0t_fail(F0T_ERROR_FORMAT, "its output '%s' exists already",
                                proto->output[k]);
            graph->values[value].producer = number;
        }
        node->outputs[node->output_count++] = value;
    }
    return F0T_OK;
}

static bool is_standard(const f0t_onnx_node_proto *proto)
{
    return !proto->domain || !*proto->domain || strcmp(proto->domain, "ai.onnx") == 0;
}

static f0t_status fill_node(f0t_onnx_graph *graph, f0t_onnx_node *node, f0t_onnx_message bytes)
{
    static const uint32_t dropped[] = {F0T_ONNX_NODE_ATTRIBUTE, 6 /* doc_string */, 0};
    F0T_TRY(f0t_onnx_proto_unpack(&node->proto, &f0t_onnx__node_proto__descriptor, bytes, dropped,
                                  "a node", graph->budget));
    if (!node->proto->op_type || !*node->proto->op_type)
        return f0t_fail(F0T_ERROR_FORMAT, "it has no operator");
    if (is_standard(node->proto))
        node->op = f0t_op_find(node->proto->op_type, graph->opset);
    F0T_TRY(read_attributes(node, bytes, graph->budget));
    F0T_TRY(find_inputs(graph, node));
    return add_outputs(graph, node, (size_t)(node - graph->nodes));
}

/* Where a node stands, for people: its name, or its number, and its operator. */
static f0t_status fail_node(const f0t_onnx_graph *graph, const f0t_onnx_node *node,
                            f0t_status status)
{
    const char *op = node->proto && node->proto->op_type ? node->proto->op_type : "?";
    if (node->proto && node->proto->name && *node->proto->name)
        return f0t_fail_prefix(status, "node '%s' (%s): ", node->proto->name, op);
    return f0t_fail_prefix(status, "node %zu (%s): ", (size_t)(node - graph->nodes), op);
}

f0t_status f0t_onnx_graph_fail_at(const f0t_onnx_graph *graph, const f0t_onnx_node *node,
                                  f0t_status status)
{
    if (status == F0T_OK)
        return F0T_OK;
    fail_node(graph, node, status);
    return f0t_fail_prefix(status, "%s: ", graph->path);
}

f0t_status f0t_onnx_graph_read_nodes(f0t_onnx_graph *graph, f0t_onnx_message bytes)
{
    F0T_TRY(f0t_onnx_budget_take(graph->budget, 1, sizeof *graph->nodes));
    F0T_TRY(
        f0t_grow(&graph->nodes, &graph->node_capacity, graph->node_count, 1, sizeof *graph->nodes));
    f0t_onnx_node *node = &graph->nodes[graph->node_count++];
    *node = (f0t_onnx_node){0};
    f0t_status status = fill_node(graph, node, bytes);
    return status == F0T_OK ? F0T_OK : fail_node(graph, node, status);
}

f0t_status f0t_onnx_graph_check_ops(const f0t_onnx_graph *graph, const bool *used)
{
    for (size_t k = 0; k < graph->node_count; k++) {
        const f0t_onnx_node *node = &graph->nodes[k];
        if (node->op || (used && !used[k]))
            continue;
        f0t_status status =
            is_standard(node->proto)
                ? f0t_fail(F0T_ERROR_UNSUPPORTED, "this operator of set %d is not supported",
                           graph->opset)
                : f0t_fail(F0T_ERROR_UNSUPPORTED, "operators of the domain '%s' are not supported",
                           node->proto->domain);
        return f0t_onnx_graph_fail_at(graph, node, status);
    }
    return F0T_OK;
}
