/* What the parts of a training step share. */
#ifndef F0T_MODEL_STEP_PARTS_H
#define F0T_MODEL_STEP_PARTS_H

#include "compute/scoring.h"
#include "model/common_arrays.h"
#include "model/divided.h"
#include "model/step.h"

/* The optimiser's side of one array of the net. */
typedef struct f0t_step_moments {
    f0t_buffer *gradient;
    f0t_buffer *m, *v;
    f0t_divided *divided; /* among the processes of a group; NULL: there is one */
    bool updated; /* by the gradients that are waiting: an update that failed goes on after it */
    char names[2][48];
} f0t_step_moments;

typedef struct f0t_step_layer {
    f0t_buffer *x;  /* batch x inputs, what the layer takes, after dropout */
    f0t_buffer *dy; /* batch x outputs, the gradient of what it gives before ReLU */
    f0t_step_moments weight, bias;
} f0t_step_layer;

struct f0t_step {
    f0t_net *net;
    f0t_step_options options;
    uint64_t count;
    size_t rows;  /* of the last forward; 0: none is waiting for its gradients */
    size_t last;  /* the same, after that: rows that x and dy have */
    size_t first; /* the number of its first row in the whole mini-batch */
    bool ready;   /* gradients are waiting to be applied */
    f0t_step_layer layers[F0T_NET_LAYERS_MAX];
    f0t_scoring scoring;       /* S = F·Vᵀ */
    f0t_buffer *gradient_tags; /* V for dF = dS·V */
    f0t_buffer *input;         /* x, where it is not the caller's memory */
    f0t_buffer *outputs, *scores, *gradient, *doutputs;
    f0t_buffer *columns; /* of dy, for a block of a weight's gradient; NULL: nothing travels */
    f0t_common_arrays *common; /* parameters and gradients that processes see; NULL: they travel */
    f0t_buffer *sums;          /* of a piece of all processes' gradients there */
};

/* Dropout of what layer `layer` takes, in the step after `count` others. */
f0t_dropout f0t_step_dropout(const f0t_step *step, size_t layer, uint64_t count);
/* The learning rate of layer `layer`, of that of the step. */
double f0t_step_rate(const f0t_step *step, size_t layer, double rate);
bool f0t_step_is_divided(const f0t_step *step);
/* Whether the gradients of weights are computed where they are applied, and have no memory. */
bool f0t_step_descends(const f0t_step *step);
/* Waits for the parameters of layer l that other processes have updated. */
f0t_status f0t_step_await(const f0t_step *step, size_t l);
f0t_status f0t_step_weight_gradient(f0t_buffer *to, const f0t_step *step, size_t l, size_t rows);
void f0t_step_forget_updates(f0t_step *step);

#endif
