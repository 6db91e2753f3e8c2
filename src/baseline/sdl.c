/*
 * sdl: several directions per image. A linear map gives K of them, and a tag is scored by the best one, so that a
 * picture of a dog in a street need not have one direction that suits both. Made for finding images by a tag (mAP).
 *
 * Source: Ben-Cohen, Zamir, Ben-Baruch, Friedman, Zelnik-Manor, "Semantic diversity learning for zero-shot multi-label
 * classification", ICCV 2021; the loss (sdl_loss.h) as its authors' program has it, with its K = 7 and ω = 0.3.
 *
 * Choices. The source trains a convolutional network from pixels, whose last layer gives the directions; here features
 * are a network's already, and that layer is what is learned. Optimiser, dropout, rate and stopping are those of
 * linear-rank, and so are the knobs, with K and ω: with K = 1 it is linear-rank but for the weight of an image.
 */
#include "baseline/fitting.h"
#include "baseline/ranker.h"
#include "baseline/sdl_loss.h"

#include "base/alloc.h"

enum { KNOB_DIRECTIONS, KNOB_WEIGHT, KNOB_DECAY, KNOB_RATE, KNOB_DROPOUT, KNOB_COUNT };

static f0t_status loss(void *context, f0t_loss_result *result, float *gradient,
                       const f0t_loss_batch *batch, const uint32_t *samples)
{
    (void)samples;
    return f0t_sdl_loss_run(result, gradient, context, batch);
}

static f0t_status train(f0t_fitting *f, const double *knobs)
{
    const size_t K = (size_t)knobs[KNOB_DIRECTIONS], dim = f->task->dim;
    f0t_sdl_loss *sdl;
    F0T_TRY(f0t_sdl_loss_create(&sdl, f->options.batch, f->data.tags, f->train.tags, dim, K,
                                knobs[KNOB_WEIGHT]));
    const f0t_objective objective = {.context = sdl, .host_loss = loss};
    f->data.directions = K;
    f0t_status status = f0t_fitting_run(f, K * dim, true, &objective);
    f0t_sdl_loss_free(sdl);
    return status;
}

static f0t_train_options options_of(const double *knobs)
{
    f0t_train_options options = F0T_TRAIN_OPTIONS;
    options.method = F0T_METHOD_LINEAR_RANK;
    options.decay = knobs[KNOB_DECAY];
    options.rate = knobs[KNOB_RATE];
    options.input_dropout = knobs[KNOB_DROPOUT];
    return options;
}

static double cost(const f0t_task *task, const double *knobs)
{
    const f0t_train_options options = options_of(knobs);
    const size_t outputs = (size_t)knobs[KNOB_DIRECTIONS] * task->dim;
    return f0t_fitting_cost(task, &options, outputs, outputs, F0T_FITTING_LOSS);
}

static f0t_status fit(void **fitted, const f0t_task *task, void *shared, const double *knobs)
{
    const f0t_train_options options = options_of(knobs);
    f0t_fitting f;
    f0t_scorer *scorer = NULL;
    (void)shared;
    F0T_TRY(f0t_fitting_begin(&f, task, &options));
    f0t_status status = train(&f, knobs);
    f0t_fitting_end(status == F0T_OK ? &scorer : NULL, &f);
    *fitted = scorer;
    return status;
}

/* ---- Scores ------------------------------------------------------------------------------------ */

typedef struct ranking {
    float *scores;
    float *each; /* [F0T_SCORER_ROWS x K x tags] */
    const f0t_candidates *tags;
    size_t dim, directions;
} ranking;

static f0t_status use(void *context, float *outputs, size_t first, size_t rows)
{
    const ranking *r = context;
    const size_t count = r->tags->count;
    F0T_TRY(f0t_score_once(r->each, outputs, F0T_SCORER_ROWS * r->directions, r->tags->vectors,
                           count, r->dim, true));
    f0t_score_highest(r->scores + first * count, r->each, rows, r->directions, count);
    return F0T_OK;
}

static f0t_status score(float *scores, const void *fitted, const f0t_task *task,
                        const f0t_candidates *tags, const f0t_queries *queries)
{
    const f0t_scorer *scorer = fitted;
    ranking r = {.scores = scores, .tags = tags, .dim = task->dim};
    r.directions = f0t_net_get_shape(scorer->net)->outputs / task->dim;
    F0T_TRY(f0t_alloc(&r.each, F0T_SCORER_ROWS * r.directions, tags->count * sizeof *r.each));
    f0t_status status = f0t_scorer_each(scorer, queries, use, &r);
    f0t_free(r.each);
    return status;
}

/* ---- The method -------------------------------------------------------------------------------- */

static const double DIRECTIONS[] = {1, 2, 4, 7, 12};
static const double WEIGHTS[] = {0, 0.1, 0.3, 0.6};
static const double DECAYS[] = {0.3, 1, 3, 10, 30};
static const double RATES[] = {2e-4, 5e-4, 1e-3, 2e-3};

static const f0t_knob KNOBS[KNOB_COUNT] = {
    {"directions", DIRECTIONS, 5, 3},
    {"weight", WEIGHTS, 4, 2},
    {"decay", DECAYS, 5, 2},
    {"rate", RATES, 4, 1},
    {"dropout", f0t_dropouts, F0T_DROPOUTS, F0T_DROPOUT_LINEAR}};

const f0t_ranker f0t_ranker_sdl = {
    .name = "sdl",
    .title = "SDL (several directions)",
    .source =
        "Ben-Cohen, Zamir, Ben-Baruch, Friedman, Zelnik-Manor: Semantic diversity learning for "
        "zero-shot multi-label classification, ICCV 2021",
    .knobs = KNOBS,
    .knob_count = KNOB_COUNT,
    .cost = cost,
    .fit = fit,
    .free = f0t_scorer_free,
    .score = score};
