/* The layer that makes a network's classes of its features: W x + b, taken out of the graph, so that whoever has
 * the features has the classes without a run. */
#ifndef F0T_ONNX_HEAD_H
#define F0T_ONNX_HEAD_H

#include "onnx/graph.h"

typedef struct f0t_onnx_head {
    size_t classes, dim;
    float *weights; /* [classes x dim] */
    float *bias;    /* [classes] */
} f0t_onnx_head;

/*
 * Between the values `features` and `classes` there may be one Gemm, MatMul or Conv with constant weights, Add of
 * constants after it, and what leaves the numbers as they are; a softmax at the end is left off. Fails with
 * F0T_ERROR_UNSUPPORTED, naming the node, where there is anything else. `inputs` are the shapes for one picture.
 */
f0t_status f0t_onnx_head_read(f0t_onnx_head *out, const f0t_onnx_graph *graph,
                              const f0t_onnx_array *inputs, size_t features, size_t classes,
                              const f0t_monitor *monitor);
void f0t_onnx_head_clear(f0t_onnx_head *head);

/* The first output of the graph, but for the features, that has so many numbers; F0T_NONE where none has. */
f0t_status f0t_onnx_head_find(size_t *classes, const f0t_onnx_graph *graph,
                              const f0t_onnx_array *inputs, size_t features, size_t count,
                              const f0t_monitor *monitor);

#endif
