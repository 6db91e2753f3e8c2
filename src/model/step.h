/*
 * One training step of a net on a mini-batch:
 *
 *     forward    the outputs F[rows x d] with dropout, and the scores S = F·Vᵀ [rows x T] of the
 *                training tags' vectors V[T x d], which stay fixed
 *     (caller)   the loss and its gradient with respect to S, or to F
 *     backward   the gradients of all layers, each used by the optimiser as soon as it is there
 *
 *     f0t_step_create(&step, net, &options)
 *     for each mini-batch:
 *         f0t_step_forward(step, x, rows);
 *         loss(..., f0t_step_scores(step), gradient);
 *         f0t_step_backward(step, gradient, rate);
 *
 * All memory is taken when the step is created; forward and backward allocate nothing after the
 * first call with this many rows. Dropout masks are a pure function of (seed, step number, layer,
 * element): the same for every number of threads.
 *
 * What a second device has to offer is memory, copies, and these operations, nothing else:
 *     f0t_matmul_run (and _packed)      products                             math/matmul.h
 *     f0t_layer_input, f0t_layer_drop   dropout of inputs and hidden layers  model/step_layer.h
 *     f0t_layer_gate, f0t_layer_output  the way back, bias gradients         model/step_layer.h
 *     f0t_optimizer_update              the optimiser's pass                 model/optimizer.h
 */
#ifndef F0T_MODEL_STEP_H
#define F0T_MODEL_STEP_H

#include "model/net.h"
#include "model/optimizer.h"

typedef struct f0t_step_options {
    size_t batch;          /* most rows of a mini-batch */
    const float *tags;     /* V[tag_count x d], copied; NULL when only F is used */
    size_t tag_count;      /* T */
    double input_dropout;  /* share of the features that is dropped, 0 up to below 1 */
    double hidden_dropout; /* the same for the units of each hidden layer */
    uint64_t seed;         /* of the dropout masks */
    f0t_optimizer optimizer;
} f0t_step_options;

typedef struct f0t_step f0t_step;

/* Trains `net`, which stays the caller's and must outlive the step; nothing else changes the
 * net between a forward and its backward. f0t_net_apply may be called between steps and sees the
 * current weights. */
f0t_status f0t_step_create(f0t_step **out, f0t_net *net, const f0t_step_options *options);
void f0t_step_free(f0t_step *step);

/* Runs the net with dropout on x[rows x D], 1 <= rows <= batch; x is not needed afterwards. */
f0t_status f0t_step_forward(f0t_step *step, const float *x, size_t rows);

/* What the last forward gave: S[rows x T], F[rows x d]. Borrowed, valid until the next forward.
 * f0t_step_scores is NULL without tags. */
const float *f0t_step_scores(const f0t_step *step);
const float *f0t_step_outputs(const f0t_step *step);

/* Room for a gradient of S (or of F, where that is larger), for the caller to use. */
float *f0t_step_gradient(f0t_step *step);

/* Updates the net by the gradient of the loss with respect to S[rows x T], or to F[rows x d], of
 * the last forward. The loss is a mean over images, and so is the gradient: nothing is divided
 * here. Counts one step. */
f0t_status f0t_step_backward(f0t_step *step, const float *dscores, double rate);
f0t_status f0t_step_backward_outputs(f0t_step *step, const float *doutputs, double rate);

/* ---- The whole state, for checkpoints -----------------------------------------------------------
 */

/* Steps taken. Together with the arrays it is all that a step remembers: a net and a step that were
 * given the same ones go on bit for bit as the first would have. */
uint64_t f0t_step_count(const f0t_step *step);
void f0t_step_set_count(f0t_step *step, uint64_t count);

/* The net's arrays, and behind them the optimiser's moments. */
size_t f0t_step_array_count(const f0t_step *step);
f0t_array f0t_step_array(const f0t_step *step, size_t i);
f0t_status f0t_step_array_get(const f0t_step *step, size_t i, float *to);
f0t_status f0t_step_array_set(f0t_step *step, size_t i, const float *from);

#endif
