/*
 * One training step of a net on a mini-batch, in stages:
 *
 *     forward    the outputs F[rows x d] with dropout, and the scores S = F·Vᵀ [rows x T] of the
 *                training tags' vectors V[T x d], which stay fixed
 *     (caller)   the loss, and its gradient with respect to S (without tags: to F)
 *     gradients  of all parameters
 *     apply      the optimiser's update of the net
 *
 * Of several processes (base/group.h) each has some rows of the mini-batch. Sums begin to travel as soon as they are
 * computed, each process updates a part of the parameters (divided.h), and the next forward waits for the others' parts,
 * layer by layer. On one machine they see each other's gradients, and have the weights once (common_arrays.h): all meet before
 * and after the update instead. f0t_step_complete makes the net, or all of the step, whole in every process.
 *
 *     f0t_step_create(&step, net, &options)
 *     for each mini-batch:
 *         f0t_step_forward(step, x, rows, 0);
 *         compute->loss(&result, f0t_step_gradient(step), f0t_step_scores(step), …);
 *         f0t_step_gradients(step);
 *         f0t_step_apply(step, rate);
 *
 * All memory is taken when the step is created; the stages allocate nothing after the first call with
 * this many rows. Dropout masks are a pure function of (seed, step number, layer, element), where rows
 * count as the whole mini-batch has them: they are the same for every number of threads, and for any
 * division of the mini-batch. All arithmetic is the net's compute object's (compute/compute.h).
 */
#ifndef F0T_MODEL_STEP_H
#define F0T_MODEL_STEP_H

#include "model/net.h"

typedef struct f0t_step_options {
    size_t batch;          /* most rows of a mini-batch */
    const float *tags;     /* V[tag_count x d], copied; NULL when only F is used */
    size_t tag_count;      /* T */
    double input_dropout;  /* share of the features that is dropped, in [0, 1) */
    double hidden_dropout; /* the same for the units of each hidden layer */
    uint64_t seed;         /* of the dropout masks */
    double hidden_slower;  /* hidden layers learn at 1 − this of the rate, in [0, 1] [0] */
    f0t_optimizer optimizer;
    const f0t_group *group; /* of processes that share every mini-batch [NULL: this one is alone] */
} f0t_step_options;

typedef struct f0t_step f0t_step;

/* Trains `net`, which stays the caller's and must outlive the step; nothing else changes the net between
 * a forward and its apply. f0t_net_apply may be called between steps and sees the current weights. */
f0t_status f0t_step_create(f0t_step **out, f0t_net *net, const f0t_step_options *options);
void f0t_step_free(f0t_step *step);

/* Runs the net with dropout on x[rows x D], 1 <= rows <= batch; x is not needed afterwards. Row 0 is row
 * `first` of the whole mini-batch: 0, unless this is a part of it. */
f0t_status f0t_step_forward(f0t_step *step, const float *x, size_t rows, size_t first);
/* The same with rows index[rows] of `x`, of the net's precision and D columns, where the compute object has `gather`. */
f0t_status f0t_step_forward_rows(f0t_step *step, const f0t_buffer *x, const uint32_t *index,
                                 size_t rows, size_t first);
/* The same with the rows that `fill` writes, where the compute object has `stream`. */
f0t_status f0t_step_forward_stream(f0t_step *step, f0t_fill *fill, void *user, size_t rows,
                                   size_t first);

/* What the last forward gave: S[rows x T], or without tags F[rows x d]. Valid until the next forward. */
const f0t_buffer *f0t_step_scores(const f0t_step *step);
/* Room for the gradient with respect to it, for the caller to fill. */
f0t_buffer *f0t_step_gradient(f0t_step *step);

/* The gradients of all parameters, from that of the scores (or outputs) of the last forward. The loss is a
 * mean over the images of the whole mini-batch, and so is the gradient: nothing is divided here. */
f0t_status f0t_step_gradients(f0t_step *step);
/* In place of forward, loss and gradients, where the mini-batch has no row for this process. */
f0t_status f0t_step_no_gradients(f0t_step *step);
/* Updates the net by them. Counts one step. */
f0t_status f0t_step_apply(f0t_step *step, double rate);

/* Before the net is used, and with `all` before the arrays below are read: what the processes of a group have divided is
 * brought together. All of them call it. */
f0t_status f0t_step_complete(f0t_step *step, bool all);
/* The arrays, and the count, of process 0 to all. */
f0t_status f0t_step_broadcast(f0t_step *step, const f0t_group *group);

/* ---- The whole state, for checkpoints ------------------------------------------------------------ */

/* Steps taken. Together with the arrays it is all that a step remembers: a net and a step that were
 * given the same ones go on bit for bit as the first would have. */
uint64_t f0t_step_count(const f0t_step *step);
void f0t_step_set_count(f0t_step *step, uint64_t count);

/* The net's arrays, and after them the optimiser's moments. */
size_t f0t_step_array_count(const f0t_step *step);
f0t_model_array f0t_step_array(const f0t_step *step, size_t i);
f0t_status f0t_step_array_get(float *to, const f0t_step *step, size_t i);
f0t_status f0t_step_array_set(f0t_step *step, size_t i, const float *from);

/* The gradients of the net's array i, as the last f0t_step_gradients left them. */
f0t_status f0t_step_gradient_get(float *to, const f0t_step *step, size_t i);

#endif
