/*
 * conse: Norouzi, Mikolov, Bengio, Singer, Shlens, Frome, Corrado, Dean, "Zero-shot learning by
 * convex combination of semantic embeddings", ICLR 2014. A classifier of the training tags gives
 * probabilities; an image's vector is the mean of the T most probable tags' vectors, weighted by their
 * probabilities; any tag is ranked by its cosine with it, a training tag too.
 *
 * The source's classifier is a softmax over classes, one per image. An image has several tags here:
 * the target is uniform over them. The classifier is as carefully made as our own methods are: the
 * same conditioned features, optimiser, dropout and stopping (by the MiAP of its probabilities over
 * the validation part), with the same knobs. It is linear: hidden layers gave 2 points more for the
 * tags of the training and 4 to 6 fewer for others (docs/methods.md), at 20 times the cost.
 *
 * Trials that differ in T alone share their classifier.
 */
#include "base/alloc.h"
#include "baseline/fitting.h"
#include "baseline/losses.h"
#include "baseline/ranker.h"
#include "math/elementwise.h"
#include "math/topk.h"

#include <string.h>

enum { KNOB_TOP, KNOB_DECAY, KNOB_RATE, KNOB_DROPOUT, KNOB_COUNT };

/* A trained classifier, and what it was trained with. */
typedef struct classifier {
    size_t users;
    double knobs[KNOB_COUNT]; /* that of T is not looked at */
    double effort;
    size_t epochs;
    f0t_scorer *scorer;
} classifier;

typedef struct fitted_conse {
    classifier *classifier;
    size_t top; /* T */
} fitted_conse;

static void leave(classifier *c)
{
    if (!c || --c->users)
        return;
    f0t_scorer_free(c->scorer);
    f0t_free(c);
}

/* ---- The classifier ---------------------------------------------------------------------------- */

static f0t_status softmax(void *context, f0t_loss_result *result, float *gradient,
                          const f0t_loss_batch *batch, const uint32_t *samples)
{
    (void)context;
    (void)samples;
    return f0t_softmax_loss_run(result, gradient, batch);
}

static f0t_train_options options_of(const double *knobs)
{
    f0t_train_options options = F0T_TRAIN_OPTIONS;
    options.method = F0T_METHOD_LINEAR_RANK; /* no hidden layer */
    options.patience = F0T_FITTING_TO_THE_END;
    options.decay = knobs[KNOB_DECAY];
    options.rate = knobs[KNOB_RATE];
    options.input_dropout = knobs[KNOB_DROPOUT];
    return options;
}

/* Also of a trial that shares its classifier with another: what a setting costs does not depend on others. */
static double cost(const f0t_task *task, const double *knobs)
{
    const f0t_train_options options = options_of(knobs);
    return f0t_fitting_cost(task, &options, task->tags, 0, F0T_FITTING_LOSS);
}

static f0t_status train(f0t_scorer **out, const f0t_task *task, const double *knobs)
{
    const f0t_train_options options = options_of(knobs);
    const f0t_objective objective = {.host_loss = softmax};
    f0t_fitting f;
    F0T_TRY(f0t_fitting_begin(&f, task, &options));
    f.data.tags = NULL;
    f.data.dim = f.train.tags;
    f0t_status status = f0t_fitting_run(&f, f.train.tags, true, &objective);
    f0t_fitting_end(status == F0T_OK ? out : NULL, &f);
    return status;
}

static f0t_status create(classifier **out, const f0t_task *task, const double *knobs)
{
    classifier *c;
    F0T_TRY(f0t_alloc_zero(&c, 1, sizeof *c));
    *c = (classifier){.users = 1, .effort = task->effort, .epochs = task->epochs};
    memcpy(c->knobs, knobs, sizeof c->knobs);
    f0t_status status = train(&c->scorer, task, knobs);
    if (status == F0T_OK)
        *out = c;
    else
        leave(c);
    return status;
}

static bool is_that(const classifier *c, const f0t_task *task, const double *knobs)
{
    bool same = c && c->effort == task->effort && c->epochs == task->epochs;
    for (size_t i = KNOB_TOP + 1; i < KNOB_COUNT; i++)
        same = same && c->knobs[i] == knobs[i];
    return same;
}

/* ---- Trials ------------------------------------------------------------------------------------ */

/* The last classifier is what trials share. */
static f0t_status prepare(void **shared, const f0t_task *task)
{
    (void)task;
    return f0t_alloc_zero(shared, 1, sizeof(classifier *));
}

static void release(void *shared)
{
    classifier **last = shared;
    if (last)
        leave(*last);
    f0t_free(last);
}

static f0t_status fit(void **fitted, const f0t_task *task, void *shared, const double *knobs)
{
    classifier **last = shared;
    fitted_conse *f;
    *fitted = NULL;
    if (!is_that(*last, task, knobs)) {
        leave(*last);
        *last = NULL;
        F0T_TRY(create(last, task, knobs));
    }
    F0T_TRY(f0t_alloc(&f, 1, sizeof *f));
    *f = (fitted_conse){.classifier = *last, .top = (size_t)knobs[KNOB_TOP]};
    f->classifier->users++;
    *fitted = f;
    return F0T_OK;
}

static void discard(void *fitted)
{
    fitted_conse *f = fitted;
    if (f)
        leave(f->classifier);
    f0t_free(f);
}

/* ---- Scores ------------------------------------------------------------------------------------ */

typedef struct ranking {
    float *scores;
    const f0t_task *task;
    const f0t_candidates *tags;
    size_t top;
    uint32_t *index;   /* [top] */
    float *share;      /* [top] */
    float *directions; /* [F0T_SCORER_ROWS x d] */
} ranking;

/* Σ of the top tags' vectors times their probabilities. Dividing by the sum of these, as the source
 * does, changes no cosine. */
static void combine(const ranking *r, float *direction, float *outputs)
{
    size_t d = r->task->dim;
    f0t_softmax(outputs, outputs, r->task->tags);
    size_t count = f0t_topk_row(r->index, r->share, outputs, r->task->tags, r->top);
    memset(direction, 0, d * sizeof *direction);
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < d; k++)
            direction[k] += r->share[i] * r->task->vectors[r->index[i] * d + k];
}

static f0t_status use(void *context, float *outputs, size_t first, size_t rows)
{
    const ranking *r = context;
    size_t d = r->task->dim;
    for (size_t i = 0; i < F0T_SCORER_ROWS; i++)
        combine(r, r->directions + i * d, outputs + i * r->task->tags);
    f0t_rows_normalise(r->directions, F0T_SCORER_ROWS, d);
    return f0t_scorer_product(r->scores + first * r->tags->count, r->directions, rows,
                              r->tags->vectors, r->tags->count, d);
}

static f0t_status allocate(ranking *r)
{
    F0T_TRY(f0t_alloc(&r->index, r->top, sizeof *r->index));
    F0T_TRY(f0t_alloc(&r->share, r->top, sizeof *r->share));
    return f0t_alloc(&r->directions, F0T_SCORER_ROWS * r->task->dim, sizeof *r->directions);
}

static f0t_status score(float *scores, const void *fitted, const f0t_task *task,
                        const f0t_candidates *tags, const f0t_queries *queries)
{
    const fitted_conse *f = fitted;
    ranking r = {.scores = scores,
                 .task = task,
                 .tags = tags,
                 .top = f->top < task->tags ? f->top : task->tags};
    f0t_status status = allocate(&r);
    if (status == F0T_OK)
        status = f0t_scorer_each(f->classifier->scorer, queries, use, &r);
    f0t_free(r.index);
    f0t_free(r.share);
    f0t_free(r.directions);
    return status;
}

/* ---- Knobs ------------------------------------------------------------------------------------- */

static const double TOPS[] = {5, 10, 20, 50, 100, 1000};
static const double DECAYS[] = {0.3, 1, 3, 10, 30, 100};
static const double RATES[] = {2e-4, 5e-4, 1e-3, 2e-3};

static const f0t_knob KNOBS[KNOB_COUNT] = {
    {"T", TOPS, 6, 2},
    {"decay", DECAYS, 6, 3},
    {"rate", RATES, 4, 1},
    {"dropout", f0t_dropouts, F0T_DROPOUTS, F0T_DROPOUT_LINEAR}};

const f0t_ranker f0t_ranker_conse = {
    .name = "conse",
    .title = "ConSE",
    .source = "Norouzi et al.: Zero-shot learning by convex combination of semantic embeddings, "
              "ICLR 2014",
    .knobs = KNOBS,
    .knob_count = KNOB_COUNT,
    .prepare = prepare,
    .release = release,
    .cost = cost,
    .fit = fit,
    .free = discard,
    .score = score};
