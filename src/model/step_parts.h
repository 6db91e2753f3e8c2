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
    float *dbias;    /* of the layer at hand */
    void *panels;    /* its dy in panels */
    size_t workers;  /* threads that update weights at the same time */
    float **dweight; /* [workers], each room for the gradient of one panel's weights */
};

/* Columns of a panel of dy for a layer with this many outputs: as many rows of its weight are
 * updated at a time. */
size_t f0t_step_panel(size_t outputs);

/* The gradient of layer l's weight from its dy in panels and its x, and the update by it. */
f0t_status f0t_step_update_weight(f0t_step *step, size_t l, const void *panels, size_t rows,
                                  double rate);

#endif
