/* Inside of a training step. */
#ifndef F0T_MODEL_STEP_PARTS_H
#define F0T_MODEL_STEP_PARTS_H

#include "math/matmul.h"
#include "model/net_layers.h"
#include "model/step.h"

/* The optimiser's side of one array of the net. */
typedef struct f0t_moments {
    float *m, *v;
    char names[2][48];
} f0t_moments;

typedef struct f0t_step_layer {
    void *x;  /* batch x inputs, what the layer takes, after dropout */
    void *dy; /* batch x outputs, the gradient of what it gives before ReLU */
    f0t_moments weight, bias;
} f0t_step_layer;

struct f0t_step {
    f0t_net *net;
    f0t_step_options options;
    uint64_t count;
    size_t rows; /* of the last forward; 0: none is waiting for its backward */
    f0t_step_layer layers[F0T_NET_LAYERS_MAX];
    f0t_packed *score_tags;    /* Vᵀ for S = F·Vᵀ */
    f0t_packed *gradient_tags; /* V for dF = dS·V */
    float *outputs, *scores, *gradient, *doutputs;
    float *dweight, *dbias; /* of the layer at hand */
};

#endif
