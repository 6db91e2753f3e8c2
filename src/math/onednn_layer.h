/* What the files of layers share: onednn_layouts.c, onednn_layer.c (what all have in common) and
 * onednn_layers.c (the kinds). A kind begins a layer, describes its operation, finishes it and gives it. */
#ifndef F0T_MATH_ONEDNN_LAYER_H
#define F0T_MATH_ONEDNN_LAYER_H

#include "math/layers.h"
#include "math/onednn_private.h"

struct f0t_layout {
    dnnl_memory_desc_t desc;
};

/* Arguments stand in this order: sources, constants, result, scratch. */
struct f0t_layer {
    dnnl_engine_t engine;
    dnnl_primitive_desc_t desc;
    dnnl_primitive_t primitive;
    dnnl_stream_t stream;
    f0t_layout source, weights, result;
    size_t scratch, source_count, constant_count;
    int count;
    dnnl_exec_arg_t *args;
};

f0t_status f0t_onednn_layer_begin(f0t_layer **out);
/* From an operation descriptor to the layer's primitive descriptor. */
f0t_status f0t_onednn_layer_describe(f0t_layer *layer, const void *operation,
                                     const f0t_after *after, size_t count);
/* `roles` are those of sources and constants. */
f0t_status f0t_onednn_layer_finish(f0t_layer *layer, const int *roles, size_t sources,
                                   size_t constants);
/* Frees the layer when it failed. */
f0t_status f0t_onednn_layer_give(f0t_layer **out, f0t_status status);

/* By f0t_activation; none for F0T_ACTIVATION_SUM. */
extern const dnnl_alg_kind_t f0t_onednn_activations[];
/* Of a primitive, with what follows inside it. */
f0t_status f0t_onednn_attributes(dnnl_primitive_attr_t *out, const f0t_after *after, size_t count);

#endif
