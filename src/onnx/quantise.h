/*
 * Makes a network of eight bits out of one of floats: pictures are run through it to see which numbers occur, the
 * weights of its layers become int8 with a scale for each filter, and QuantizeLinear and DequantizeLinear are put
 * around what is done in eight bits. What comes of it is an ONNX file of its own, which any program runs.
 */
#ifndef F0T_ONNX_QUANTISE_H
#define F0T_ONNX_QUANTISE_H

#include "onnx/calibrate.h"
#include "onnx/pack.h"
#include "onnx/picture.h"

typedef struct f0t_onnx_quantiser f0t_onnx_quantiser;

/* `output`: the value that matters; what only leads elsewhere stays in floats. The graph must stay, and so must the
 * monitor (or NULL). */
f0t_status f0t_onnx_quantiser_create(f0t_onnx_quantiser **out, const f0t_onnx_graph *graph,
                                     const f0t_onnx_picture *picture, size_t output,
                                     const f0t_monitor *monitor);
void f0t_onnx_quantiser_free(f0t_onnx_quantiser *q);

/* Runs one picture (or as many as the file takes at a time), to see its numbers. */
f0t_status f0t_onnx_quantiser_observe(f0t_onnx_quantiser *q, const float *pixels);

/* The layers: convolutions and dense layers with constant weights. */
size_t f0t_onnx_quantiser_layers(const f0t_onnx_quantiser *q);
const f0t_onnx_node *f0t_onnx_quantiser_layer(const f0t_onnx_quantiser *q, size_t k);
/* The file, whose bytes the caller clears. kept[layers] stay in floats. */
f0t_status f0t_onnx_quantiser_write(f0t_onnx_pack *out, f0t_onnx_quantiser *q, const bool *kept,
                                    const f0t_onnx_calibration *how);

#endif
