/*
 * net, the paper's network (section 4.3): directions by two ReLU layers and a linear one, trained by
 * RankNet over all pairs of each image, and linear-rank, the same loss for a linear map with bias.
 * Everything but the knobs is as f0t_train does it: the same bytes for the same options.
 */
#include "baseline/fitting.h"
#include "baseline/ranker.h"

static f0t_status train(void **fitted, const f0t_task *task, const f0t_train_options *options)
{
    f0t_fitting f;
    f0t_objective objective = {0};
    f0t_scorer *scorer = NULL;
    F0T_TRY(f0t_fitting_begin(&f, task, options));
    f0t_status status = f0t_objective_ranking(&objective, &f.data, &f.options);
    if (status == F0T_OK)
        status = f0t_fitting_run(&f, task->dim, true, &objective);
    f0t_objective_free(&objective);
    f0t_fitting_end(status == F0T_OK ? &scorer : NULL, &f);
    *fitted = scorer;
    return status;
}

static const double DECAYS[] = {0.3, 1, 3, 10, 30};
static const double RATES[] = {2e-4, 5e-4, 1e-3, 2e-3};
static const double NET_RATES[] = {5e-4, 1e-3, 2e-3};

/* ---- linear-rank ------------------------------------------------------------------------------- */

static f0t_train_options linear_rank_options(const double *knobs)
{
    f0t_train_options options = F0T_TRAIN_OPTIONS;
    options.method = F0T_METHOD_LINEAR_RANK;
    options.decay = knobs[0];
    options.rate = knobs[1];
    options.input_dropout = knobs[2];
    return options;
}

static f0t_status fit_linear_rank(void **fitted, const f0t_task *task, void *shared,
                                  const double *knobs)
{
    const f0t_train_options options = linear_rank_options(knobs);
    (void)shared;
    return train(fitted, task, &options);
}

static double cost_linear_rank(const f0t_task *task, const double *knobs)
{
    const f0t_train_options options = linear_rank_options(knobs);
    return f0t_fitting_cost(task, &options, task->dim, task->dim, F0T_FITTING_LOSS);
}

static const f0t_knob LINEAR_RANK_KNOBS[] = {
    {"decay", DECAYS, 5, 2},
    {"rate", RATES, 4, 1},
    {"dropout", f0t_dropouts, F0T_DROPOUTS, F0T_DROPOUT_LINEAR}};

const f0t_ranker f0t_ranker_linear_rank = {
    .name = "linear-rank",
    .title = "Fast0Tag (lin., ranking loss)",
    .source = "Zhang, Gong, Shah: Fast zero-shot image tagging, CVPR 2016",
    .divided = true,
    .knobs = LINEAR_RANK_KNOBS,
    .knob_count = 3,
    .cost = cost_linear_rank,
    .fit = fit_linear_rank,
    .free = f0t_scorer_free,
    .score = f0t_scorer_along};

/* ---- net --------------------------------------------------------------------------------------- */

static f0t_status fit_net(void **fitted, const f0t_task *task, void *shared, const double *knobs)
{
    const f0t_train_options options = f0t_fitting_net_options(task, knobs);
    (void)shared;
    return train(fitted, task, &options);
}

static double cost_net(const f0t_task *task, const double *knobs)
{
    const f0t_train_options options = f0t_fitting_net_options(task, knobs);
    return f0t_fitting_cost(task, &options, task->dim, task->dim, F0T_FITTING_LOSS);
}

static const f0t_knob NET_KNOBS[] = {{"decay", DECAYS, 5, 2},
                                     {"rate", NET_RATES, 3, 1},
                                     {"dropout", f0t_dropouts, F0T_DROPOUTS, F0T_DROPOUT_NET}};

const f0t_ranker f0t_ranker_net = {.name = "net",
                                   .title = "Fast0Tag (net.)",
                                   .source =
                                       "Zhang, Gong, Shah: Fast zero-shot image tagging, CVPR 2016",
                                   .divided = true,
                                   .knobs = NET_KNOBS,
                                   .knob_count = 3,
                                   .cost = cost_net,
                                   .fit = fit_net,
                                   .free = f0t_scorer_free,
                                   .score = f0t_scorer_along};
