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
#include "base/alloc.h"
#include "baseline/fitting.h"
#include "baseline/methods.h"
#include "baseline/wsabie_tags.h"

#include <string.h>

enum { KNOB_DIM, KNOB_RATE, KNOB_NORM, KNOB_COUNT };

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

/* ---- Training ------------------------------------------------------------------------------ */

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

static f0t_status fit(void **fitted, const f0t_task *task, void *shared, const double *knobs)
{
    f0t_fitting f;
    f0t_train_options options;
    fitted_wsabie *w;
    (void)shared;
    *fitted = NULL;
    f0t_train_options_init(&options);
    options.method = F0T_METHOD_LINEAR_RANK;
    options.rate = knobs[KNOB_RATE];
    options.patience = F0T_FITTING_TO_THE_END;
    options.decay = 0;
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

/* ---- Scores -------------------------------------------------------------------------------- */

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

/* ---- Knobs --------------------------------------------------------------------------------- */

static const double DIMS[] = {50, 100, 200, 400, 800};
static const double RATES[] = {2e-4, 5e-4, 1e-3, 2e-3, 5e-3};
static const double NORMS[] = {0.1, 0.2, 0.3, 0.5, 1};

static const f0t_knob KNOBS[KNOB_COUNT] = {
    {"dim", DIMS, 5, 1}, {"rate", RATES, 5, 2}, {"norm", NORMS, 5, 2}};

const f0t_ranker f0t_ranker_wsabie = {
    .name = "wsabie",
    .title = "WSABIE",
    .source = "Weston, Bengio, Usunier: WSABIE: Scaling up to large vocabulary image annotation, "
              "IJCAI 2011",
    .closed = true,
    .knobs = KNOBS,
    .knob_count = KNOB_COUNT,
    .fit = fit,
    .free = discard,
    .score = score};
