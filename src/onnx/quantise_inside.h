/* What quantise.c plans and quantise_write.c writes. */
#ifndef F0T_ONNX_QUANTISE_INSIDE_H
#define F0T_ONNX_QUANTISE_INSIDE_H

#include "onnx/ops.h"
#include "onnx/quantise.h"
#include "onnx/schedule.h"

#include <string.h>

typedef struct f0t_quantise_layer {
    const f0t_onnx_node *node;
    const f0t_onnx_node *norm; /* a BatchNormalization that goes into its weights, or NULL */
    size_t x, weights, bias;   /* values; bias may be F0T_NONE */
    size_t output;             /* after the normalisation */
    size_t filters, axis;      /* dimension `axis` of the weights has so many */
    float *scales;             /* of the filters, once they are known */
    int scales_most;           /* the largest weight that they are for, or 0 */
} f0t_quantise_layer;

/* What is known of a value. */
typedef struct f0t_quantise_value {
    size_t uses;   /* by nodes, and by the graph as outputs of its own */
    size_t user;   /* the last node that uses it, or F0T_NONE */
    bool is_end;   /* an output of the graph, or what matters */
    bool smoothed; /* an activation that is no mere limit takes it */
    bool observed; /* it may come onto a grid */
    f0t_onnx_histogram *histogram;
    /* Of one writing: */
    bool on_grid;
    size_t same_as; /* the value whose grid it has: itself, or what is pooled */
} f0t_quantise_value;

struct f0t_onnx_quantiser {
    const f0t_onnx_graph *graph;
    f0t_onnx_picture picture;
    size_t output;
    f0t_onnx_budget budget;
    f0t_onnx_fold fold;
    f0t_quantise_value *values; /* [graph's] */
    f0t_quantise_layer *layers;
    size_t layer_count, layer_capacity;
    size_t *layer_at; /* [nodes] the layer that the node or normalisation is of, or F0T_NONE */
    size_t *observed; /* values */
    size_t observed_count;
    f0t_onnx_weights *packed;
    f0t_onnx_schedule *schedule;
    void **results; /* [observed] */
    const float **inputs;
    bool *kept; /* [layers] of one writing */
    f0t_onnx_calibration how;
};

static inline bool f0t_quantise_is(const f0t_onnx_node *node, const char *op)
{
    return node->op && strcmp(node->op->name, op) == 0;
}

/* The one node that uses the value, or NULL. */
const f0t_onnx_node *f0t_quantise_only_user(const f0t_onnx_quantiser *q, size_t value);
/* The value after a relu or clip that alone takes this one; else this one. */
size_t f0t_quantise_after_relu(const f0t_onnx_quantiser *q, size_t value);

/* The layer whose node this is, or NULL. */
const f0t_quantise_layer *f0t_quantise_layer_of(const f0t_onnx_quantiser *q,
                                                const f0t_onnx_node *node);
/* The layer into whose weights this normalisation goes, or NULL. */
const f0t_quantise_layer *f0t_quantise_layer_of_norm(const f0t_onnx_quantiser *q,
                                                     const f0t_onnx_node *node);
/* Weights in floats with the normalisation in them, and the bias [filters]; both are freed by the caller. */
f0t_status f0t_quantise_weights(float **weights, float **bias, f0t_onnx_quantiser *q,
                                const f0t_quantise_layer *layer);
/* Which of the filters an element of the weights belongs to. */
size_t f0t_quantise_filter(const f0t_onnx_quantiser *q, const f0t_quantise_layer *layer, size_t k);
/* The scale of each filter, which belongs to the layer: (*scales)[filters]. */
f0t_status f0t_quantise_scales(const float **scales, f0t_onnx_quantiser *q,
                               const f0t_quantise_layer *layer, const float *weights);
/* The largest weight of eight bits. */
int f0t_quantise_weight_most(const f0t_onnx_quantiser *q);
/* The grid of a value on one. */
f0t_grid f0t_quantise_grid(const f0t_onnx_quantiser *q, size_t value);
/* Decides which values come onto grids; kept and how are set. */
void f0t_quantise_place_grids(f0t_onnx_quantiser *q);

#endif
