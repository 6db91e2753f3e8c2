/* Inside of a net, for what applies and trains it. */
#ifndef F0T_MODEL_NET_LAYERS_H
#define F0T_MODEL_NET_LAYERS_H

#include "model/net.h"

enum { F0T_NET_LAYERS_MAX = F0T_NET_HIDDEN_MAX + 1 };

typedef struct f0t_net_layer {
    size_t inputs, outputs;
    float *weight;      /* outputs x inputs */
    uint16_t *weight16; /* the same rounded to bfloat16; NULL in float32 */
    float *bias;        /* outputs, or NULL */
    char weight_name[40], bias_name[40];
} f0t_net_layer;

struct f0t_net {
    f0t_net_shape shape;
    f0t_dtype precision;
    size_t layer_count;
    f0t_net_layer layers[F0T_NET_LAYERS_MAX];
};

/* The weight as the products take it: of the net's precision. */
const void *f0t_net_layer_operand(const f0t_net_layer *layer);

/* y[rows x outputs] = relu(x·Wᵀ + b), both of the net's precision, except that the output layer has no relu
 * and gives float32. */
f0t_status f0t_net_layer_forward(const f0t_net *net, size_t layer, void *y, const void *x,
                                 size_t rows);

#endif
