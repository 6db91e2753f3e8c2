/*
 * wsabie: Weston, Bengio, Usunier, "WSABIE: Scaling up to large vocabulary image annotation", IJCAI
 * 2011. Images and tags share a space of m dimensions, s_t(x) = (U x)·w_t, trained by WARP
 * (losses.h) under ‖column of U‖ ≤ C and ‖w_t‖ ≤ C, to which they are brought back after every
 * step.
 *
 * The source takes one (image, tag) pair at a time by SGD with a rate tuned by hand. Here all
 * relevant tags of the images of a mini-batch are taken at once, by Adam, with the rate's fall, the
 * dropout of the features and the stopping of our own methods: it needs no care with the rate, and
 * each method has the same chances. Features have the length √D; w_t begins as the source says,
 * normal with variance 1/m, U as our linear maps do.
 */
#include "baseline/wsabie.h"

#include "base/alloc.h"
#include "base/random.h"
#include "baseline/fitting.h"
#include "baseline/ranker.h"
#include "compute/scoring.h"
#include "math/matmul.h"

#include <math.h>
#include <string.h>

/* ---- The tags ---------------------------------------------------------------------------------- */

static f0t_status allocate(f0t_wsabie_tags *s)
{
    size_t size = s->tags * s->dim;
    F0T_TRY(f0t_alloc(&s->w, size, sizeof *s->w));
    F0T_TRY(f0t_alloc_zero(&s->m, size, sizeof *s->m));
    F0T_TRY(f0t_alloc_zero(&s->v, size, sizeof *s->v));
    F0T_TRY(f0t_alloc(&s->best, size, sizeof *s->best));
    F0T_TRY(f0t_alloc(&s->dw, size, sizeof *s->dw));
    F0T_TRY(f0t_alloc(&s->scores, s->batch * s->tags, sizeof *s->scores));
    F0T_TRY(f0t_alloc(&s->dscores, s->batch * s->tags, sizeof *s->dscores));
    F0T_TRY(f0t_alloc(&s->map, s->dim * s->features, sizeof *s->map));
    return f0t_alloc(&s->factors, s->features, sizeof *s->factors);
}

void f0t_wsabie_tags_free(f0t_wsabie_tags *s)
{
    f0t_warp_loss_free(s->warp);
    f0t_free(s->w);
    f0t_free(s->m);
    f0t_free(s->v);
    f0t_free(s->best);
    f0t_free(s->dw);
    f0t_free(s->scores);
    f0t_free(s->dscores);
    f0t_free(s->map);
    f0t_free(s->factors);
    *s = (f0t_wsabie_tags){0};
}

static void shorten_rows(float *x, size_t rows, size_t cols, double norm)
{
    for (size_t r = 0; r < rows; r++) {
        double square = 0;
        for (size_t j = 0; j < cols; j++)
            square += (double)x[r * cols + j] * (double)x[r * cols + j];
        float factor = square > norm * norm ? (float)(norm / sqrt(square)) : 1;
        for (size_t j = 0; j < cols; j++)
            x[r * cols + j] *= factor;
    }
}

static void shorten_columns(float *x, double *factors, size_t rows, size_t cols, double norm)
{
    memset(factors, 0, cols * sizeof *factors);
    for (size_t r = 0; r < rows; r++)
        for (size_t j = 0; j < cols; j++)
            factors[j] += (double)x[r * cols + j] * (double)x[r * cols + j];
    for (size_t j = 0; j < cols; j++)
        factors[j] = factors[j] > norm * norm ? norm / sqrt(factors[j]) : 1;
    for (size_t r = 0; r < rows; r++)
        for (size_t j = 0; j < cols; j++)
            x[r * cols + j] = (float)((double)x[r * cols + j] * factors[j]);
}

static f0t_status fill(f0t_wsabie_tags *s, uint64_t seed)
{
    const f0t_random random = {seed, UINT64_C(0x77736162) << 32}; /* "wsab" */
    F0T_TRY(allocate(s));
    for (size_t i = 0; i < s->tags * s->dim; i++)
        s->w[i] = (float)(f0t_random_normal(&random, i) / sqrt((double)s->dim));
    shorten_rows(s->w, s->tags, s->dim, s->norm);
    return f0t_warp_loss_create(&s->warp, s->batch, s->tags, seed);
}

f0t_status f0t_wsabie_tags_create(f0t_wsabie_tags *s, size_t tags, size_t dim, size_t features,
                                  size_t batch, double norm, uint64_t seed)
{
    *s = (f0t_wsabie_tags){.optimizer = f0t_optimizer_default(F0T_OPTIMIZER_ADAM),
                           .tags = tags,
                           .dim = dim,
                           .features = features,
                           .batch = batch,
                           .norm = norm};
    f0t_status status = fill(s, seed);
    if (status != F0T_OK)
        f0t_wsabie_tags_free(s);
    return status;
}

/* ---- The objective of both --------------------------------------------------------------------- */

/* batch->scores are U x here. */
static f0t_status loss(void *context, f0t_loss_result *result, float *gradient,
                       const f0t_loss_batch *batch, const uint32_t *samples)
{
    f0t_wsabie_tags *s = context;
    size_t rows = batch->images;
    f0t_loss_batch scored = *batch;
    f0t_matmul back = {.m = rows, .n = s->dim, .k = s->tags};
    f0t_matmul tags = {.m = s->tags, .n = s->dim, .k = rows, .a_transposed = true};
    F0T_TRY(f0t_score_once(s->scores, batch->scores, rows, s->w, s->tags, s->dim, false));
    scored.scores = s->scores;
    F0T_TRY(f0t_warp_loss_run(result, s->dscores, s->warp, &scored, samples));
    F0T_TRY(f0t_matmul_run(gradient, s->dscores, s->w, NULL, &back));
    return f0t_matmul_run(s->dw, s->dscores, batch->scores, NULL, &tags);
}

static f0t_status update(void *context, f0t_net *net, uint64_t step, double rate)
{
    f0t_wsabie_tags *s = context;
    f0t_parameters parameters = {.w = s->w, .m = s->m, .v = s->v};
    f0t_optimizer_update(&parameters, 0, s->dw, s->tags * s->dim, &s->optimizer, step, rate);
    shorten_rows(s->w, s->tags, s->dim, s->norm);
    F0T_TRY(f0t_net_array_get(s->map, net, 0));
    shorten_columns(s->map, s->factors, s->dim, s->features, s->norm);
    return f0t_net_array_set(net, 0, s->map);
}

static f0t_status keep(void *context)
{
    f0t_wsabie_tags *s = context;
    memcpy(s->best, s->w, s->tags * s->dim * sizeof *s->best);
    return F0T_OK;
}

f0t_objective f0t_wsabie_tags_objective(f0t_wsabie_tags *tags)
{
    return (f0t_objective){.context = tags, .host_loss = loss, .update = update, .keep = keep};
}

/* ---- What was learned -------------------------------------------------------------------------- */

enum { KNOB_DIM, KNOB_RATE, KNOB_NORM, KNOB_DROPOUT, KNOB_COUNT };

typedef struct fitted_wsabie {
    f0t_scorer *scorer; /* U x */
    float *tags;        /* [T x m] w_t */
    size_t dim;         /* m */
} fitted_wsabie;

static void discard(void *fitted)
{
    fitted_wsabie *f = fitted;
    if (!f)
        return;
    f0t_scorer_free(f->scorer);
    f0t_free(f->tags);
    f0t_free(f);
}

/* ---- Training ---------------------------------------------------------------------------------- */

/* The validation of the trainer scores along data.tags: w as it is at that time. */
static f0t_status train(fitted_wsabie *w, f0t_fitting *f, const double *knobs)
{
    f0t_wsabie_tags tags;
    F0T_TRY(f0t_wsabie_tags_create(&tags, f->train.tags, (size_t)knobs[KNOB_DIM],
                                   f0t_task_features(f->task), f->options.batch, knobs[KNOB_NORM],
                                   f->options.seed));
    f0t_objective objective = f0t_wsabie_tags_objective(&tags);
    f->data.tags = tags.w;
    f->data.dim = tags.dim;
    f0t_status status = f0t_fitting_run(f, tags.dim, false, &objective);
    if (status == F0T_OK) {
        w->tags = tags.best;
        w->dim = tags.dim;
        tags.best = NULL;
    }
    f0t_wsabie_tags_free(&tags);
    return status;
}

static f0t_train_options options_of(const double *knobs)
{
    f0t_train_options options = F0T_TRAIN_OPTIONS;
    options.method = F0T_METHOD_LINEAR_RANK;
    options.rate = knobs[KNOB_RATE];
    options.input_dropout = knobs[KNOB_DROPOUT];
    options.patience = F0T_FITTING_TO_THE_END;
    options.decay = 0;
    return options;
}

static double cost(const f0t_task *task, const double *knobs)
{
    const f0t_train_options options = options_of(knobs);
    const size_t dim = (size_t)knobs[KNOB_DIM];
    return f0t_fitting_cost(task, &options, dim, dim, F0T_FITTING_DRAWS);
}

static f0t_status fit(void **fitted, const f0t_task *task, void *shared, const double *knobs)
{
    const f0t_train_options options = options_of(knobs);
    f0t_fitting f;
    fitted_wsabie *w;
    (void)shared;
    *fitted = NULL;
    F0T_TRY(f0t_alloc_zero(&w, 1, sizeof *w));
    f0t_status status = f0t_fitting_begin(&f, task, &options);
    if (status == F0T_OK) {
        status = train(w, &f, knobs);
        f0t_fitting_end(status == F0T_OK ? &w->scorer : NULL, &f);
    }
    if (status == F0T_OK)
        *fitted = w;
    else
        discard(w);
    return status;
}

/* ---- Scores ------------------------------------------------------------------------------------ */

typedef struct ranking {
    float *scores;
    float *vectors; /* [count x m] of the candidates */
    size_t count, dim;
} ranking;

static f0t_status use(void *context, float *outputs, size_t first, size_t rows)
{
    const ranking *r = context;
    return f0t_scorer_product(r->scores + first * r->count, outputs, rows, r->vectors, r->count,
                              r->dim);
}

static f0t_status score(float *scores, const void *fitted, const f0t_task *task,
                        const f0t_candidates *tags, const f0t_queries *queries)
{
    const fitted_wsabie *f = fitted;
    ranking r = {.scores = scores, .count = tags->count, .dim = f->dim};
    (void)task;
    F0T_TRY(f0t_alloc(&r.vectors, r.count * r.dim, sizeof *r.vectors));
    for (size_t t = 0; t < r.count; t++)
        memcpy(r.vectors + t * r.dim, f->tags + tags->known[t] * r.dim, r.dim * sizeof *r.vectors);
    f0t_status status = f0t_scorer_each(f->scorer, queries, use, &r);
    f0t_free(r.vectors);
    return status;
}

/* ---- The method ------------------------------------------------------------------------------------- */

static const double DIMS[] = {50, 100, 200, 400, 800};
static const double RATES[] = {2e-4, 5e-4, 1e-3, 2e-3, 5e-3};
static const double NORMS[] = {0.1, 0.2, 0.3, 0.5, 1};

static const f0t_knob KNOBS[KNOB_COUNT] = {
    {"dim", DIMS, 5, 1},
    {"rate", RATES, 5, 2},
    {"norm", NORMS, 5, 2},
    {"dropout", f0t_dropouts, F0T_DROPOUTS, F0T_DROPOUT_LINEAR}};

const f0t_ranker f0t_ranker_wsabie = {
    .name = "wsabie",
    .title = "WSABIE",
    .source = "Weston, Bengio, Usunier: WSABIE: Scaling up to large vocabulary image annotation, "
              "IJCAI 2011",
    .closed = true,
    .knobs = KNOBS,
    .knob_count = KNOB_COUNT,
    .cost = cost,
    .fit = fit,
    .free = discard,
    .score = score};
