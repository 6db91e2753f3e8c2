/*
 * labelem and labelem+: a bilinear score x'W v(y) of an image and a tag's vector.
 *
 * labelem is the structured joint embedding of Akata, Reed, Walter, Lee, Schiele, "Evaluation of
 * output embeddings for fine-grained image classification", CVPR 2015: every (image, tag) pair is an
 * example whose class is that tag, and its loss is max_y [Δ(p, y) + x'W v(y) − x'W v(p)]₊ over all
 * tags y with Δ = 1 for any y but p: also for the image's other tags. That is how the paper applies
 * it to tagging ("some classes will have duplicated images").
 *
 * labelem+ is the paper's repair, "carefully removing the terms that involve duplicated images":
 * every relevant tag p against the highest irrelevant one, Σ_p max_n [1 + s_n − s_p]₊.
 *
 * The source trains by plain SGD with early stopping and no other regulariser. Here both have the
 * optimiser (AdamW, mini-batches) and the dropout of the features of our linear-rank: SGD with
 * momentum, tuned in rate and weight decay, was worse on held-out tags (docs/methods.md). One
 * violator per tag is a gradient of few tags, and strong dropout is what keeps the map from learning
 * them by heart. W is the map of a net without a hidden layer and without bias.
 */
#include "baseline/fitting.h"
#include "baseline/losses.h"
#include "baseline/ranker.h"

static f0t_status sje(void *context, f0t_loss_result *result, float *gradient,
                      const f0t_loss_batch *batch, const uint32_t *samples)
{
    (void)context;
    (void)samples;
    return f0t_labelem_loss_run(result, gradient, batch);
}

static f0t_status run_labelem(f0t_fitting *f)
{
    const f0t_objective objective = {.tags = f->data.tags, .host_loss = sje};
    return f0t_fitting_run(f, f->data.dim, false, &objective);
}

static f0t_status run_plus(f0t_fitting *f)
{
    f0t_objective objective;
    F0T_TRY(f0t_objective_ranking(&objective, &f->data, &f->options));
    f0t_status status = f0t_fitting_run(f, f->data.dim, false, &objective);
    f0t_objective_free(&objective);
    return status;
}

static f0t_train_options options_of(const double *knobs)
{
    f0t_train_options options = F0T_TRAIN_OPTIONS;
    options.method = F0T_METHOD_LINEAR_RANK;
    options.loss = F0T_LOSS_CRAMMER_SINGER;
    options.patience = F0T_FITTING_TO_THE_END;
    options.input_dropout = knobs[0];
    options.decay = knobs[1];
    options.rate = knobs[2];
    return options;
}

static double cost(const f0t_task *task, const double *knobs)
{
    const f0t_train_options options = options_of(knobs);
    return f0t_fitting_cost(task, &options, task->dim, task->dim, F0T_FITTING_LOSS);
}

static f0t_status train(void **fitted, const f0t_task *task, const double *knobs,
                        f0t_status (*run)(f0t_fitting *f))
{
    const f0t_train_options options = options_of(knobs);
    f0t_fitting f;
    f0t_scorer *scorer = NULL;
    F0T_TRY(f0t_fitting_begin(&f, task, &options));
    f0t_status status = run(&f);
    f0t_fitting_end(status == F0T_OK ? &scorer : NULL, &f);
    *fitted = scorer;
    return status;
}

static f0t_status fit_labelem(void **fitted, const f0t_task *task, void *shared,
                              const double *knobs)
{
    (void)shared;
    return train(fitted, task, knobs, run_labelem);
}

static f0t_status fit_plus(void **fitted, const f0t_task *task, void *shared, const double *knobs)
{
    (void)shared;
    return train(fitted, task, knobs, run_plus);
}

static const double DECAYS[] = {1, 3, 10, 30};
static const double RATES[] = {1e-3, 2e-3, 5e-3, 1e-2};

static const f0t_knob KNOBS[] = {{"dropout", f0t_dropouts, F0T_DROPOUTS, F0T_DROPOUT_HINGE},
                                 {"decay", DECAYS, 4, 1},
                                 {"rate", RATES, 4, 1}};

const f0t_ranker f0t_ranker_labelem = {
    .name = "labelem",
    .title = "LabelEM",
    .source = "Akata, Reed, Walter, Lee, Schiele: Evaluation of output embeddings for fine-grained "
              "image classification, CVPR 2015",
    .knobs = KNOBS,
    .knob_count = sizeof KNOBS / sizeof *KNOBS,
    .cost = cost,
    .fit = fit_labelem,
    .free = f0t_scorer_free,
    .score = f0t_scorer_along};

const f0t_ranker f0t_ranker_labelem_plus = {
    .name = "labelem+",
    .title = "LabelEM+",
    .source =
        "Zhang, Gong, Shah: Fast zero-shot image tagging, CVPR 2016, after Akata et al., CVPR "
        "2015",
    .knobs = KNOBS,
    .knob_count = sizeof KNOBS / sizeof *KNOBS,
    .cost = cost,
    .fit = fit_plus,
    .free = f0t_scorer_free,
    .score = f0t_scorer_along};
