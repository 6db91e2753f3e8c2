/*
 * Training of a net by mini-batches. The trainer runs mini-batches and epochs, validates, stops early and writes
 * checkpoints; an objective says what the net's outputs on a mini-batch cost. These are
 *     directions F[rows x d], scored as S = F·Vᵀ along the vectors of `tags`, or
 *     with tags NULL whatever the objective makes of them.
 */
#ifndef F0T_MODEL_TRAINER_H
#define F0T_MODEL_TRAINER_H

#include "model/validate.h"

/* ---- Objectives ------------------------------------------------------------------------------ */

typedef struct f0t_objective {
    void *context;
    const float *tags; /* V[T x d], or NULL */
    size_t more; /* vectors in `tags` past the T of the training: S has as many more columns, and
                          batch->tags is T all the same; with host_loss alone [0] */

    /* The loss of the scores S[rows x T], or without tags of F[rows x d], and its gradient with
     * respect to them, both where the net is. samples[rows] are the places of the rows among the
     * training samples. */
    f0t_status (*loss)(void *context, f0t_loss_result *result, f0t_buffer *gradient,
                       const f0t_buffer *scores, const f0t_loss_batch *batch,
                       const uint32_t *samples);
    /* Where not NULL, `loss` may be called without a result: Σ loss · rows of these calls since the last one of this. */
    f0t_status (*loss_sum)(void *context, double *sum);
    /* Or the same in the caller's memory, for batch->scores: what has no operation of its own. */
    f0t_status (*host_loss)(void *context, f0t_loss_result *result, float *gradient,
                            const f0t_loss_batch *batch, const uint32_t *samples);
    /* Of `loss`: the same in the caller's memory, of any rows of a mini-batch, to check a device (device_check.h). NULL where
     * there is host_loss. */
    f0t_status (*reference)(void *context, f0t_loss_result *result, float *gradient,
                            const f0t_loss_batch *batch, const uint32_t *samples);
    /* After the net's own update, with the number of the step (from 1) and its rate: for parameters
     * beside the net, and for constraints on its weights. May be NULL. */
    f0t_status (*update)(void *context, f0t_net *net, uint64_t step, double rate);
    /* The parameters as they are now are the best so far: keep those beside the net. May be NULL. */
    f0t_status (*keep)(void *context);
    /* How many of these samples train. Where not NULL, a mini-batch can be split: `loss` takes a part of one, with
     * batch->first and batch->training. */
    size_t (*count)(void *context, const f0t_samples *train, const uint32_t *samples, size_t rows);
} f0t_objective;

/* The ranking loss of `options` over the training tags. Freed by f0t_objective_free. */
f0t_status f0t_objective_ranking(f0t_objective *out, const f0t_train_data *data,
                                 const f0t_train_options *options);

/* Regression: sample i goes to directions[rule[i]], [rules x d] and [train->count], both borrowed.
 * Freed by f0t_objective_free. */
f0t_status f0t_objective_regression(f0t_objective *out, const f0t_train_data *data,
                                    const f0t_train_options *options, const float *directions,
                                    const uint32_t *rule);

/* Of the two above alone. */
void f0t_objective_free(f0t_objective *objective);

/* ---- The trainer ----------------------------------------------------------------------------- */

/* Of a new net's output layer (f0t_net_set_random): first directions are short, scores start near 0,
 * where every pair still counts. */
#define F0T_OUTPUT_SCALE 0.1

/* The processes of a run (base/group.h) train together, each with some rows of every mini-batch, where the objective is one
 * of those above with pairs within images; else each trains alone, to the same result.
 *
 * Trains `net`, whose weights are set, and leaves the best weights in it and their validation MiAP
 * in percent in *miap (NaN without a validation part: then the last weights are the best). `options`
 * has no "auto" left (options.h). `identity` names the training for its checkpoint. */
f0t_status f0t_trainer_run(double *miap, f0t_net *net, const f0t_train_data *data,
                           const f0t_objective *objective, const f0t_train_options *options,
                           const char *identity, const f0t_monitor *monitor);

#endif
