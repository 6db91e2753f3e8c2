/*
 * warp: Gong, Jia, Leung, Toshev, Ioffe, "Deep convolutional ranking for multilabel image
 * annotation", ICLR 2014, as the paper compares it: "based on our neural network architecture", on
 * the same features. The net has one output per tag, the loss is WARP (losses.h). The optimiser,
 * dropout, rate, stopping and hidden layers are those of our net, and so are the knobs: the loss and
 * the outputs are all that differs.
 */
#include "baseline/fitting.h"
#include "baseline/losses.h"
#include "baseline/ranker.h"

static f0t_status warp(void *context, f0t_loss_result *result, float *gradient,
                       const f0t_loss_batch *batch, const uint32_t *samples)
{
    return f0t_warp_loss_run(result, gradient, context, batch, samples);
}

static f0t_status train(f0t_fitting *f)
{
    f0t_warp_loss *loss;
    F0T_TRY(f0t_warp_loss_create(&loss, f->options.batch, f->train.tags, f->options.seed));
    f0t_objective objective = {.context = loss, .host_loss = warp};
    f->data.tags = NULL;
    f->data.dim = f->train.tags;
    f0t_status status = f0t_fitting_run(f, f->train.tags, true, &objective);
    f0t_warp_loss_free(loss);
    return status;
}

static f0t_status fit(void **fitted, const f0t_task *task, void *shared, const double *knobs)
{
    const f0t_train_options options = f0t_fitting_net_options(task, knobs);
    f0t_fitting f;
    f0t_scorer *scorer = NULL;
    (void)shared;
    F0T_TRY(f0t_fitting_begin(&f, task, &options));
    f0t_status status = train(&f);
    f0t_fitting_end(status == F0T_OK ? &scorer : NULL, &f);
    *fitted = scorer;
    return status;
}

static double cost(const f0t_task *task, const double *knobs)
{
    const f0t_train_options options = f0t_fitting_net_options(task, knobs);
    return f0t_fitting_cost(task, &options, task->tags, 0, F0T_FITTING_DRAWS);
}

static const double DECAYS[] = {0.1, 0.3, 1, 3, 10, 30};
static const double RATES[] = {5e-4, 1e-3, 2e-3};

static const f0t_knob KNOBS[] = {{"decay", DECAYS, 6, 2},
                                 {"rate", RATES, 3, 1},
                                 {"dropout", f0t_dropouts, F0T_DROPOUTS, F0T_DROPOUT_NET}};

const f0t_ranker f0t_ranker_warp = {.name = "warp",
                                    .title = "WARP",
                                    .source = "Gong, Jia, Leung, Toshev, Ioffe: Deep convolutional "
                                              "ranking for multilabel image annotation, ICLR 2014",
                                    .closed = true,
                                    .knobs = KNOBS,
                                    .knob_count = sizeof KNOBS / sizeof *KNOBS,
                                    .cost = cost,
                                    .fit = fit,
                                    .free = f0t_scorer_free,
                                    .score = f0t_scorer_known};
