/* Which value of a network is the features of a picture. */
#ifndef F0T_ONNX_FEATURES_H
#define F0T_ONNX_FEATURES_H

#include "onnx/graph.h"

/*
 * An output with a telling name; else what the classifier at the end takes: the input of the last
 * dense layer with biases (or of a convolution behind the last pooling), without dropout; where there
 * is none, the first output itself. A dense layer without biases is a projection, as CLIP's.
 */
size_t f0t_onnx_graph_features(const f0t_onnx_graph *graph);

#endif
