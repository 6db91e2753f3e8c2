/* Runs a graph node by node with the plain operators: slow, and what the fast path is compared with. */
#ifndef F0T_TESTS_ONNX_INTERPRET_H
#define F0T_TESTS_ONNX_INTERPRET_H

#include "onnx/graph.h"

/* `inputs` are in the order of graph->inputs and have elements; `outputs` (zeroed) get those of
 * graph->outputs, to be cleared by the caller. */
f0t_status onnx_interpret(const f0t_onnx_graph *graph, const f0t_onnx_array *inputs,
                          f0t_onnx_array *outputs);

#endif
