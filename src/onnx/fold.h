/* Shapes and constants of a graph for inputs of known shapes: what can be computed before the picture
 * is there, is. */
#ifndef F0T_ONNX_FOLD_H
#define F0T_ONNX_FOLD_H

#include "onnx/graph.h"

typedef struct f0t_onnx_fold {
    const f0t_onnx_graph *graph;
    f0t_onnx_array *arrays; /* of each value: its shape, and its elements where they are constant */
    bool *used;             /* nodes that have to run for each picture */
    size_t *turned; /* of each value: the constant matrix of which it is the transpose (its own
                          elements are then those of that, in its order), or F0T_NONE */
    const f0t_onnx_node *
        *scaled; /* of each value: the DequantizeLinear that makes it of a constant of eight bits,
                                     which are its raw bytes then; NULL for the others */
    f0t_onnx_budget
        *budget; /* charged with constants; NULL once the work that was it made for is done */
} f0t_onnx_fold;

/* `inputs` are in the order of graph->inputs: those with elements are constants, the others known by
 * shape. `outputs` are the values that are wanted; nodes that do not lead to one are left alone, and
 * operators that are not supported do no harm there. `budget` is for f0t_onnx_fold_decode, too: it stays
 * until the caller has set that of the fold to NULL. */
f0t_status f0t_onnx_fold_create(f0t_onnx_fold *out, const f0t_onnx_graph *graph,
                                const f0t_onnx_array *inputs, const size_t *outputs,
                                size_t output_count, f0t_onnx_budget *budget);
void f0t_onnx_fold_clear(f0t_onnx_fold *fold);

/* The elements of a constant are `f` or `i` from now on, not raw. */
f0t_status f0t_onnx_fold_decode(f0t_onnx_fold *fold, size_t value);

/* The zero point of a DequantizeLinear or QuantizeLinear; NULL where it has none. */
const f0t_onnx_array *f0t_onnx_fold_zero(const f0t_onnx_fold *fold, const f0t_onnx_node *node);

/* The matrix of a constant, and whether it is to be transposed: exporters write the weights of a
 * dense layer as the transpose of what they store, which need not be in memory as well. */
size_t f0t_onnx_fold_matrix(bool *transposed, const f0t_onnx_fold *fold, size_t value);

/* Additions and multiplications of a convolution or product; 0 for the others. */
double f0t_onnx_fold_operations(const f0t_onnx_fold *fold, const f0t_onnx_node *node);

/* True when the value is known before the run. */
bool f0t_onnx_fold_is_constant(const f0t_onnx_fold *fold, size_t value);

#endif
