/*
 * Methods whose map is a net (or a linear map) trained by mini-batches: one training, whatever they
 * minimise, with the recipe of our own (model/trainer.h): equal mini-batches, a rate that falls along
 * half a cosine, validation MiAP after each epoch, the best weights kept.
 *
 *     f0t_fitting_begin(&f, task, &options)      options without "auto", samples, features
 *     objective(&o, &f.data, &f.options)         the method's own
 *     f0t_fitting_run(&f, outputs, bias, &o)
 *     f0t_fitting_end(&scorer, &f)               what it learned; or NULL
 */
#ifndef F0T_BASELINE_FITTING_H
#define F0T_BASELINE_FITTING_H

#include "baseline/scorer.h"
#include "model/trainer.h"

/* For options.patience: run the whole schedule. Where one large step can spoil a map (hinges with one
 * violator), validation MiAP falls at the high rates of the beginning, and is at its best where the
 * rate has fallen. */
enum { F0T_FITTING_TO_THE_END = 1 << 30 };

/* The dropout of the features, a knob of every such method, with one range for all; places of first values. */
enum { F0T_DROPOUTS = 7, F0T_DROPOUT_LINEAR = 1, F0T_DROPOUT_NET = 2, F0T_DROPOUT_HINGE = 5 };
extern const double f0t_dropouts[F0T_DROPOUTS];

typedef struct f0t_fitting {
    const f0t_task *task;
    f0t_train_options options;
    f0t_samples train; /* those of the task that make a pair, or all, as options.loss wants them */
    f0t_train_data data;
    f0t_scorer *scorer; /* that is being trained */
    double miap;        /* of the validation part, in percent */
} f0t_fitting;

/* The options of a net, ours or warp's, with the knobs decay, rate and dropout. The shape is that of
 * f0t_train_options_resolve, unless the task has another. */
f0t_train_options f0t_fitting_net_options(const f0t_task *task, const double *knobs);

/* Resolves the options for this task: its seed, precision, epochs and effort. data.tags are the
 * task's. After a failure there is nothing to end. */
f0t_status f0t_fitting_begin(f0t_fitting *out, const f0t_task *task,
                             const f0t_train_options *options);

/* What the loss of one score costs, in operations: some exponentials, or negatives that are drawn one after the other. */
enum { F0T_FITTING_LOSS = 1000, F0T_FITTING_DRAWS = 8000 };

/* f0t_ranker.cost of such a training, all epochs of it: a net of options.hidden (as resolved) with so many outputs, `scored` of
 * which make the score of a tag (0: each output is a score). */
double f0t_fitting_cost(const f0t_task *task, const f0t_train_options *options, size_t outputs,
                        size_t scored, double loss);

/* Trains a net of options.hidden with so many outputs, from random weights. Where data.tags is NULL
 * the outputs are the scores of the training tags. */
f0t_status f0t_fitting_run(f0t_fitting *fitting, size_t outputs, bool bias,
                           const f0t_objective *objective);

/* Gives the scorer to *out, or with `out` NULL frees it. */
void f0t_fitting_end(f0t_scorer **out, f0t_fitting *fitting);

#endif
