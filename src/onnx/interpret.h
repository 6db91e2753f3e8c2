/* Runs a graph node by node with the plain operators: slow, and what the fast path is compared with.
 */
#ifndef F0T_ONNX_INTERPRET_H
#define F0T_ONNX_INTERPRET_H

#include "onnx/budget.h"
#include "onnx/graph.h"

/* Runs one node on these inputs (NULL: left out); outputs are made. Messages name file and node. */
f0t_status f0t_onnx_node_run(const f0t_onnx_graph *graph, const f0t_onnx_node *node,
                             const f0t_onnx_array *const *inputs, f0t_onnx_array *outputs,
                             bool shape_only, f0t_onnx_budget *budget);

/* `inputs` are in the order of graph->inputs and have elements; `outputs` (zeroed) get those of
 * graph->outputs, to be cleared by the caller. */
f0t_status f0t_onnx_graph_interpret(const f0t_onnx_graph *graph, const f0t_onnx_array *inputs,
                                    f0t_onnx_array *outputs);

#endif
