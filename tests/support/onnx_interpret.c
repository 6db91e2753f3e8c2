#include "onnx_interpret.h"

#include "base/alloc.h"
#include "onnx/op.h"

/* Every product is done by the plain operators, which are given the work of that many pictures. */
enum { INTERPRETED = 32 };

typedef struct run {
    const f0t_onnx_graph *graph;
    f0t_onnx_array *values; /* all of them, as they become known */
    const f0t_onnx_array **inputs;
    f0t_onnx_array *outputs;
    size_t input_capacity, output_capacity;
    f0t_onnx_budget budget;
} run;

static f0t_status run_node(run *r, const f0t_onnx_node *node)
{
    F0T_TRY(f0t_grow(&r->inputs, &r->input_capacity, 0, node->input_count + 1, sizeof(void *)));
    F0T_TRY(
        f0t_grow(&r->outputs, &r->output_capacity, 0, node->output_count + 1, sizeof *r->outputs));
    for (size_t k = 0; k < node->input_count; k++)
        r->inputs[k] = node->inputs[k] == F0T_NONE ? NULL : &r->values[node->inputs[k]];
    for (size_t k = 0; k < node->output_count; k++)
        r->outputs[k] = (f0t_onnx_array){0};
    f0t_status status = f0t_onnx_node_run(r->outputs, r->graph, node, r->inputs, false, &r->budget);
    for (size_t k = 0; k < node->output_count; k++) {
        if (status == F0T_OK)
            r->values[node->outputs[k]] = r->outputs[k];
        else
            f0t_onnx_array_clear(&r->outputs[k]);
    }
    return status;
}

static f0t_status run_all(run *r, const f0t_onnx_array *inputs, f0t_onnx_array *outputs)
{
    const f0t_onnx_graph *graph = r->graph;
    for (size_t k = 0; k < graph->value_count; k++)
        if (f0t_onnx_array_known(&graph->values[k].constant))
            F0T_TRY(f0t_onnx_array_copy(&r->values[k], &graph->values[k].constant));
    for (size_t k = 0; k < graph->input_count; k++)
        F0T_TRY(f0t_onnx_array_copy(&r->values[graph->inputs[k].value], &inputs[k]));
    for (size_t k = 0; k < graph->node_count; k++)
        F0T_TRY(run_node(r, &graph->nodes[k]));
    for (size_t k = 0; k < graph->output_count; k++)
        F0T_TRY(f0t_onnx_array_copy(&outputs[k], &r->values[graph->outputs[k].value]));
    return F0T_OK;
}

f0t_status onnx_interpret(const f0t_onnx_graph *graph, const f0t_onnx_array *inputs,
                          f0t_onnx_array *outputs)
{
    run r = {.graph = graph};
    size_t file = f0t_onnx_graph_file_bytes(graph);
    r.budget = f0t_onnx_budget_run(file, INTERPRETED, NULL);
    r.budget.bytes = f0t_onnx_budget_arena(file);
    F0T_TRY(f0t_onnx_graph_check_ops(graph, NULL));
    F0T_TRY(f0t_alloc_zero(&r.values, graph->value_count, sizeof *r.values));
    f0t_status status = run_all(&r, inputs, outputs);
    for (size_t k = 0; k < graph->value_count; k++)
        f0t_onnx_array_clear(&r.values[k]);
    f0t_free(r.values);
    f0t_free(r.inputs);
    f0t_free(r.outputs);
    return status;
}
