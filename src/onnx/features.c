#include "onnx/graph.h"

#include "onnx/op.h"

#include <string.h>

static const f0t_onnx_node *maker(const f0t_onnx_graph *graph, size_t v)
{
    size_t n = v == F0T_NONE ? F0T_NONE : graph->values[v].producer;
    return n == F0T_NONE ? NULL : &graph->nodes[n];
}

static bool is_one_of(const f0t_onnx_node *node, const char *const *names)
{
    for (; node && *names; names++)
        if (strcmp(node->proto->op_type, *names) == 0)
            return true;
    return false;
}

static bool is_constant(const f0t_onnx_graph *graph, size_t v)
{
    const f0t_onnx_node *node = maker(graph, v);
    static const char *const constants[] = {"Constant", NULL};
    static const char *const scaled[] = {"DequantizeLinear", NULL};
    if (is_one_of(node, scaled) && node->input_count)
        return node->inputs[0] != F0T_NONE &&
               f0t_onnx_array_known(&graph->values[node->inputs[0]].constant);
    return v != F0T_NONE &&
           (f0t_onnx_array_known(&graph->values[v].constant) || is_one_of(node, constants));
}

/* Through nodes that leave the numbers as they are, or squash them at the very end. */
static size_t back(const f0t_onnx_graph *graph, size_t v, bool squash)
{
    static const char *const same[] = {"Dropout", "Identity", "QuantizeLinear", "DequantizeLinear",
                                       NULL};
    static const char *const ends[] = {"Softmax", "LogSoftmax", "Sigmoid", "Flatten",
                                       "Reshape", "Squeeze",    "Cast",    NULL};
    for (const f0t_onnx_node *node = maker(graph, v);
         node && node->input_count && node->inputs[0] != F0T_NONE &&
         (is_one_of(node, same) || (squash && is_one_of(node, ends)));
         node = maker(graph, v))
        v = node->inputs[0];
    return v;
}

/* Pooled somewhere before, with nothing but convolutions and activations since. */
static bool is_pooled(const f0t_onnx_graph *graph, size_t v)
{
    static const char *const pools[] = {"GlobalAveragePool", "AveragePool",  "ReduceMean",
                                        "GlobalMaxPool",     "GlobalLpPool", NULL};
    static const char *const between[] = {"Conv",    "Relu",      "HardSwish", "Dropout", "Clip",
                                          "Sigmoid", "Identity",  "Mul",       "Add",     "Reshape",
                                          "Flatten", "Unsqueeze", "Div",       NULL};
    for (size_t steps = 0; steps < 16; steps++) {
        const f0t_onnx_node *node = maker(graph, v);
        if (is_one_of(node, pools))
            return true;
        if (!is_one_of(node, between) || !node->input_count)
            return false;
        v = node->inputs[0];
    }
    return false;
}

/* The input of the classifier that makes v, or F0T_NONE. */
static size_t classifier_input(const f0t_onnx_graph *graph, size_t v)
{
    static const char *const gemm[] = {"Gemm", NULL}, *const add[] = {"Add", NULL};
    static const char *const matmul[] = {"MatMul", NULL}, *const conv[] = {"Conv", NULL};
    const f0t_onnx_node *node = maker(graph, v);
    if (is_one_of(node, gemm) && node->input_count > 2 && is_constant(graph, node->inputs[1]))
        return node->inputs[0];
    if (is_one_of(node, add) && node->input_count == 2)
        for (size_t side = 0; side < 2; side++) {
            const f0t_onnx_node *product = maker(graph, node->inputs[side]);
            if (is_constant(graph, node->inputs[!side]) && is_one_of(product, matmul) &&
                product->input_count == 2 && is_constant(graph, product->inputs[1]))
                return product->inputs[0];
        }
    if (is_one_of(node, conv) && node->input_count > 1 && is_pooled(graph, node->inputs[0]))
        return node->inputs[0];
    return F0T_NONE;
}

/* An output that is the value itself, or another shape of it. */
static size_t as_output(const f0t_onnx_graph *graph, size_t v)
{
    static const char *const shapes[] = {"Flatten", "Reshape", "Squeeze", "Identity", NULL};
    for (size_t k = 0; k < graph->output_count; k++) {
        size_t out = graph->outputs[k].value;
        const f0t_onnx_node *node = maker(graph, out);
        if (out == v || (is_one_of(node, shapes) && node->input_count && node->inputs[0] == v))
            return out;
    }
    return v;
}

size_t f0t_onnx_graph_features(const f0t_onnx_graph *graph)
{
    static const char *const names[] = {"features", "image_embeds", "embedding", "embeddings",
                                        "pooler_output"};
    for (size_t n = 0; n < sizeof names / sizeof *names; n++)
        for (size_t k = 0; k < graph->output_count; k++)
            if (strcmp(graph->values[graph->outputs[k].value].name, names[n]) == 0)
                return graph->outputs[k].value;
    size_t last = graph->outputs[0].value;
    size_t input = classifier_input(graph, back(graph, last, true));
    if (input == F0T_NONE)
        return last;
    return as_output(graph, back(graph, input, false));
}

f0t_status f0t_onnx_graph_output(size_t *out, const f0t_onnx_graph *graph, const char *name)
{
    *out = name ? f0t_onnx_graph_find(graph, name) : f0t_onnx_graph_features(graph);
    if (*out == F0T_NONE)
        return f0t_fail(F0T_ERROR_NOT_FOUND, "%s: there is no value '%s' in it", graph->path, name);
    return F0T_OK;
}
