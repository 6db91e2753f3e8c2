/* What the parts of a blend's fit share. */
#ifndef F0T_MODEL_BLEND_FIT_H
#define F0T_MODEL_BLEND_FIT_H

#include "model/blend.h"
#include "model/validate.h"

/* Of a calibration: scores that tell nothing, or the opposite, keep their order all the same. */
#define F0T_SLOPE_LEAST 0.001

/* What a blend holds out: its validation images; where these are hardly any, one image in F0T_HELD_SHARE of all; where
 * all are few, each of F0T_HELD_FOLDS folds in turn. Of all images, training ones first, number i is in fold i modulo
 * their number. */
typedef enum f0t_held_kind { F0T_HELD_VAL, F0T_HELD_TENTH, F0T_HELD_ALL } f0t_held_kind;
enum { F0T_HELD_SHARE = 10, F0T_HELD_FOLDS = 5 };
f0t_held_kind f0t_blend_holds(size_t train, size_t val);

/* Images that no expert has learned from, and what the experts say of them. */
typedef struct f0t_held_out {
    f0t_samples truth;
    float *rows;                        /* [images x D] of length 1 */
    float *expert[F0T_LEARNED_EXPERTS]; /* [images x T] probabilities; NULL: off */
    float *blend;                       /* [images x T] p */
    float *likely;                      /* of those that new words are weighed on: q; NULL: off */
} f0t_held_out;

typedef struct f0t_blend_fitting {
    const f0t_blend_data *data;
    const f0t_train_options *options;
    const f0t_monitor *monitor;
    f0t_condition unit;
    f0t_blend *blend;
    f0t_net *net;
    f0t_held_out held;
    bool small;         /* too few images to hold out some once: cross-validation */
    f0t_net_list *done; /* nets that are trained, for the checkpoint */
} f0t_blend_fitting;

bool f0t_blend_uses(const f0t_blend_fitting *fit, f0t_expert expert);
/* Whether the backbone's classes are known, and not switched off. */
bool f0t_blend_has_classes(const f0t_blend_fitting *fit);

/* ---- The nets (blend_nets.c) ------------------------------------------------------------------------- */

/* Options of either net: one wide layer of at most `units`, fewer where images are few. */
f0t_train_options f0t_blend_net_options(const f0t_blend_fitting *fit, size_t units, size_t images);
/* `factor` times the epochs, unless the caller has said how many. */
void f0t_blend_scale_epochs(f0t_train_options *options, const f0t_train_options *asked,
                            double factor);
f0t_status f0t_blend_create_net(f0t_net **out, const f0t_blend_fitting *fit,
                                const f0t_train_options *options, size_t outputs);
/* Trains it, or takes it from the checkpoint: each time in the same order. */
f0t_status f0t_blend_run_training(f0t_net *net, const f0t_blend_fitting *fit,
                                  const f0t_train_data *data, const f0t_train_options *options);

/* What steps of a fit cost, in multiplications or what takes as long: for the bar (base/plan.h). Of `train` its numbers of
 * images and tags count. `more`: learning on with a net of tags. */
double f0t_blend_direction_cost(const f0t_blend_fitting *fit, const f0t_samples *train,
                                double effort);
double f0t_blend_tags_cost(const f0t_blend_fitting *fit, const f0t_samples *train, bool more);
double f0t_blend_counted_cost(const f0t_blend_fitting *fit, const f0t_samples *train);
double f0t_blend_experts_cost(const f0t_blend_fitting *fit, const f0t_samples *train);
double f0t_blend_words_cost(const f0t_blend_fitting *fit, const f0t_samples *train);

/* Whether the classes teach the direction (blend_teacher.h). */
bool f0t_blend_has_teacher(const f0t_blend_fitting *fit);

/* A direction net of those `train` images that have one of these tags, `effort` of the usual epochs. Fewer than
 * two tags, or no such image: a net that gives 0. */
f0t_status f0t_blend_train_direction(f0t_net **out, const f0t_blend_fitting *fit,
                                     const f0t_samples *train, const f0t_samples *val,
                                     const float *vectors, double effort);

/* The tags that a direction learns from: those that have a vector and two images at least, at most a thousand, the
 * most frequent; none where the direction is off. place[T] is the new number of each, or F0T_NO_SAMPLE_TAG. */
f0t_status f0t_blend_choose_tags(uint32_t *place, size_t *count, const f0t_blend_fitting *fit,
                                 const f0t_samples *train);

/* The blend's direction, from the tags so chosen. */
f0t_status f0t_blend_learn_direction(f0t_net **out, const f0t_blend_fitting *fit,
                                     const f0t_samples *train, const f0t_samples *val);

/* ---- The net with an output per tag (blend_tags.c) ---------------------------------------------------- */

/* It learns the tags that two images have at least, all where images are few; its outputs begin at frequency[T], and those of
 * the other tags stay there. */
f0t_status f0t_blend_learn_tags(f0t_net **out, const f0t_blend_fitting *fit,
                                const f0t_samples *train, const f0t_samples *val,
                                const float *frequency);
/* Some more epochs at a low rate on all images, those held out among them: what is trained on more knows more. Of the
 * same tags; and of all of them. */
f0t_status f0t_blend_go_on_with_tags(f0t_net *net, const f0t_blend_fitting *fit,
                                     const f0t_samples *all);
f0t_status f0t_blend_learn_more_tags(f0t_net *net, const f0t_blend_fitting *fit,
                                     const f0t_samples *all);

/* ---- The experts (blend_experts.c) ------------------------------------------------------------------- */

/* All of them, into an empty blend. */
f0t_status f0t_blend_fit_experts(f0t_blend *blend, f0t_net **net, const f0t_blend_fitting *fit,
                                 const f0t_samples *train, const f0t_samples *val);
/* Votes, ridge and frequencies, in place of those there are. */
f0t_status f0t_blend_fit_counted(f0t_blend *blend, const f0t_blend_fitting *fit,
                                 const f0t_samples *train);

/* ---- New words (blend_words.c) ----------------------------------------------------------------------- */

/* The backbone's classes, where there are some, as directions (blend_space.c). */
f0t_status f0t_blend_take_classes(f0t_blend_fitting *fit);
/* Space, weights and calibration of new words. */
f0t_status f0t_blend_fit_words(f0t_blend_fitting *fit);

/* ---- Weights (blend_weights.c) ----------------------------------------------------------------------- */

/* Weights, calibration and risk of the learned tags by what the experts say of fit->held; *miap is that of the blend.
 * What each expert gives alone is logged. */
f0t_status f0t_blend_fit_weights(double *miap, f0t_blend_fitting *fit);

/* MiAP in percent of scores[images x tags]; NaN where no image has a relevant tag. */
f0t_status f0t_blend_miap(double *out, const float *scores, const f0t_samples *truth);

/* What sets of tags whose logits[images x tags] reach a threshold are worth. */
f0t_status f0t_blend_risk(f0t_risk_curve *out, const float *logits, const f0t_samples *truth);

#endif
