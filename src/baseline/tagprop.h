/*
 * TagProp, as a method and as the first half of seen2unseen (Guillaumin, Mensink, Verbeek, Schmid,
 * "TagProp: discriminative metric learning in nearest neighbor models for image auto-annotation",
 * ICCV 2009).
 *
 * Image i has tag w with the probability p(x), x = Σ_j π_ij y_jw over its nearest neighbours j:
 *
 *     p(x) = ε + (1 − 2ε) x     each neighbour predicts its own tags, with certainty 1 − ε
 *     p(x) = σ(α_w x + β_w)     or modulated for each tag, which lifts rare ones
 *
 * The weights π are, by rank, γ_k for the k-th neighbour (γ ≥ 0, Σ γ = 1), or by distance,
 * exp(−s d_ij) brought to a sum of 1. What is learned maximises
 *
 *     Σ_iw c_iw ln p(y_iw)      c = 1/n⁺ for the tags that images have, 1/n⁻ for the others
 *
 * over the training images, none being its own neighbour. As few tags occur near an image, only
 * those are touched: time goes with images · k · tags of an image, not with T.
 */
#ifndef F0T_BASELINE_TAGPROP_H
#define F0T_BASELINE_TAGPROP_H

#include "baseline/neighbours.h"

/* ---- The model --------------------------------------------------------------------------------- */

typedef struct f0t_tagprop_model {
    size_t k;      /* neighbours */
    size_t tags;   /* T */
    double *ranks; /* [k] γ; NULL: by distance */
    double scale;  /* s */
    double *slope; /* [T] α, and */
    double *shift; /* [T] β; NULL: not modulated */
    double *
        prior; /* [T] 1e-6 of a tag's frequency, added to p: tags that are equal else have an order */
} f0t_tagprop_model;

f0t_status f0t_tagprop_model_create(f0t_tagprop_model **out, size_t k, size_t tags, bool by_rank,
                                    bool modulated);
void f0t_tagprop_model_free(f0t_tagprop_model *model);

/* π of neighbours with these products, nearest first, into to[count]; count is at most k. */
void f0t_tagprop_weights(double *to, const f0t_tagprop_model *model, const float *products,
                         size_t count);

/* The likelihood of the samples, which have these neighbours. */
typedef struct f0t_tagprop_sums {
    double likelihood;
    double scale;  /* its derivative by s, and */
    double *ranks; /* [k] by γ; NULL: not wanted */
} f0t_tagprop_sums;

f0t_status f0t_tagprop_likelihood(f0t_tagprop_sums *sums, const f0t_tagprop_model *model,
                                  const f0t_samples *samples, const f0t_best *neighbours);

/* Maximises it: the weights, and where the model has them the sigmoids. */
f0t_status f0t_tagprop_learn(f0t_tagprop_model *model, const f0t_samples *samples,
                             const f0t_best *neighbours, const f0t_monitor *monitor);

/* The sigmoid of one tag: the α, β that maximise the likelihood with the weights fixed. The images near
 * which the tag occurs have x = |values[i]| > 0, and the tag where values[i] is positive; of the others,
 * with x = 0, `with` have the tag and `without` do not. An image that has it counts `plus`, one that has
 * not `minus`. */
typedef struct f0t_tag_column {
    const float *values;
    size_t count;
    double with, without;
    double plus, minus;
} f0t_tag_column;

void f0t_sigmoid_fit(double *slope, double *shift, const f0t_tag_column *column);

/* The weighted log-likelihood with the penalty that f0t_sigmoid_fit puts on α. */
double f0t_sigmoid_value(double slope, double shift, const f0t_tag_column *column);

/* ---- A model with its images ------------------------------------------------------------------- */

enum { F0T_TAGPROP_MOST = 400 }; /* neighbours that a knob may ask for */

/* A learned TagProp with the images it votes with. */
typedef struct f0t_tagprop {
    f0t_neighbours *neighbours; /* shared with others */
    f0t_tagprop_model *model;
    size_t users; /* who else frees it */
} f0t_tagprop;

typedef struct f0t_tagprop_options {
    size_t k;
    bool by_distance;
    bool modulated;
} f0t_tagprop_options;

f0t_status f0t_tagprop_create(f0t_tagprop **out, const f0t_task *task, f0t_neighbours *neighbours,
                              const f0t_tagprop_options *options);
void f0t_tagprop_free(f0t_tagprop *tagprop);

/* Probabilities of the training tags, to[queries->count x T]. */
f0t_status f0t_tagprop_predict(float *to, const f0t_tagprop *tagprop, const f0t_task *task,
                               const f0t_queries *queries);

#endif
