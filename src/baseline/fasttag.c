/*
 * FastTag: two linear maps that meet, one from features to complete tags, one that completes the
 * tags an image has (fasttag.h).
 *
 * Source: Chen, Zheng, Weinberger, "Fast image tagging", ICML 2013. As there, the corruption is
 * marginalised, B and W are solved in closed form, and layers are stacked (the tags B h of one are
 * the input of the next) as long as the validation part improves.
 *
 * Choices: an offset b that no penalty touches. Validation is by MiAP, where the paper has F1 at 5;
 * without validation images that have a tag there is one layer. That rare tags can count more, by
 * the knob `rare`, is a scheme of ours: an image counts in proportion to the mean of f^-rare over
 * its tags, f being their frequency; one without tags as the mean image. The source's own remedy, further
 * rounds for the tags whose recall on validation images is low, is not done.
 *
 * All layers together: with A the product of the layers' B and R the ridge regression onto the given
 * tags, the scores are A (R (x − x̄) + ȳ). So all stacking happens in T dimensions.
 */
#include "baseline/fasttag.h"
#include "compute/scoring.h"

#include "base/alloc.h"
#include "baseline/moments.h"
#include "baseline/scorer.h"
#include "math/matmul.h"
#include "math/product.h"
#include "math/solve.h"
#include "rank/miap.h"

#include <math.h>
#include <string.h>

/* ---- One layer --------------------------------------------------------------------------------- */

void f0t_fasttag_blank_out(double *p, double *q, const double *all, size_t tags, double blank)
{
    const double keep = 1 - blank;
    for (size_t s = 0; s < tags; s++)
        for (size_t t = 0; t < tags; t++) {
            double sum = all[s * tags + t];
            p[s * tags + t] = keep * sum;
            q[s * tags + t] = (s == t ? keep : keep * keep) * sum;
        }
}

/* A tag without images would leave its row of the system empty: this share of the mean diagonal
 * keeps it solvable, and B's row for it 0. */
static const double FLOOR = 1e-9;

f0t_status f0t_fasttag_layer(double *b, const f0t_fasttag_sums *sums, double gamma, double blank,
                             const f0t_monitor *monitor)
{
    const size_t T = sums->tags;
    double *system = NULL, trace = 0;
    F0T_TRY(f0t_alloc(&system, T * T, sizeof *system));
    f0t_fasttag_blank_out(b, system, sums->all, T, blank);
    for (size_t i = 0; i < T * T; i++) {
        b[i] *= gamma;
        system[i] = gamma * system[i] + sums->unexplained[i];
    }
    for (size_t t = 0; t < T; t++)
        trace += system[t * T + t];
    for (size_t t = 0; t < T; t++)
        system[t * T + t] += FLOOR * trace / (double)T + 1e-300;
    f0t_status status = f0t_cholesky_solve_f64(system, T, b, T, monitor);
    f0t_free(system);
    return status;
}

/* m = B m Bᵀ, m being symmetric. */
static f0t_status sandwich(double *m, double *room, const double *b, size_t tags,
                           const f0t_monitor *monitor)
{
    const f0t_product half = {.m = tags, .n = tags, .k = tags, .b_transposed = true};
    const f0t_product whole = {
        .m = tags, .n = tags, .k = tags, .b_transposed = true, .lower = true};
    F0T_TRY(f0t_product_f64(room, b, m, &half, monitor));
    return f0t_product_f64(m, room, b, &whole, monitor);
}

f0t_status f0t_fasttag_next(f0t_fasttag_sums *sums, const double *b, const f0t_monitor *monitor)
{
    const size_t T = sums->tags;
    double *room = NULL;
    F0T_TRY(f0t_alloc(&room, T * T, sizeof *room));
    f0t_status status = sandwich(sums->all, room, b, T, monitor);
    if (status == F0T_OK)
        status = sandwich(sums->unexplained, room, b, T, monitor);
    f0t_free(room);
    return status;
}

/* ---- Knobs ------------------------------------------------------------------------------------- */

enum { MOST_LAYERS = 5, BLOCK_ROWS = 100 };

static const double RIDGES[] = {0.01, 0.03, 0.1, 0.3, 1, 3, 10};
static const double GAMMAS[] = {0.1, 1, 10, 100, 1000};
static const double BLANKS[] = {0.003, 0.01, 0.03, 0.1, 0.3, 0.5, 0.7, 0.9};
static const double RARES[] = {0, 0.25, 0.5, 1};
enum { RIDGE, GAMMA, BLANK, RARE, KNOBS };

static const f0t_knob KNOB_LIST[KNOBS] = {
    {"ridge", RIDGES, sizeof RIDGES / sizeof *RIDGES, 3},
    {"gamma", GAMMAS, sizeof GAMMAS / sizeof *GAMMAS, 3},
    {"blank", BLANKS, sizeof BLANKS / sizeof *BLANKS, 3},
    {"rare", RARES, sizeof RARES / sizeof *RARES, 1},
};

typedef struct fitted {
    float *map;    /* [T x D] R, and */
    float *shift;  /* [T] ȳ − R x̄ */
    float *enrich; /* [T x T] A */
} fitted;

/* ---- What is summed over the images ------------------------------------------------------------ */

static void weigh_images(double *weights, const f0t_samples *s, const double *frequency,
                         double rare)
{
    double sum = 0, tagged = 0;
    for (size_t i = 0; i < s->count; i++) {
        size_t count = s->offsets[i + 1] - s->offsets[i];
        weights[i] = 0;
        for (size_t j = s->offsets[i]; j < s->offsets[i + 1]; j++)
            weights[i] += pow(frequency[s->relevant[j]], -rare) / (double)count;
        sum += weights[i];
        tagged += count > 0;
    }
    for (size_t i = 0; i < s->count; i++)
        weights[i] = s->offsets[i + 1] > s->offsets[i] ? weights[i] * tagged / sum : 1;
}

/* The sums with rare tags lifted, in a pass of their own. */
static f0t_status lifted_moments(f0t_task_moments **out, const f0t_task *task,
                                 const f0t_task_moments *plain, double rare)
{
    double *weights = NULL;
    f0t_status status = f0t_alloc(&weights, task->train.count, sizeof *weights);
    if (status == F0T_OK) {
        weigh_images(weights, &task->train, plain->counts, rare);
        status = f0t_task_moments_create(out, task, weights);
    }
    f0t_free(weights);
    return status;
}

/* ---- State of a running fit -------------------------------------------------------------------- */

typedef struct work {
    const f0t_task *task;
    const double *knobs;
    f0t_task_moments *m;    /* centred */
    f0t_fasttag_sums sums;  /* of the layer */
    double *regression;     /* [T x D] R */
    double *b, *all, *next; /* [T x T] B, A, scratch */
    float *guesses;         /* [val x T] R (x − x̄) + ȳ of the validation images */
    float *block;           /* [BLOCK_ROWS x D or T] features, or scores */
    float *enrich;          /* [T x T] */
} work;

static f0t_status allocate(work *w)
{
    const size_t T = w->task->tags, D = w->m->features, val = w->task->val.count;
    w->sums.tags = T;
    F0T_TRY(f0t_alloc(&w->sums.all, T * T, sizeof *w->sums.all));
    F0T_TRY(f0t_alloc(&w->sums.unexplained, T * T, sizeof *w->sums.unexplained));
    F0T_TRY(f0t_alloc(&w->regression, T * D, sizeof *w->regression));
    F0T_TRY(f0t_alloc(&w->b, T * T, sizeof *w->b));
    F0T_TRY(f0t_alloc(&w->all, T * T, sizeof *w->all));
    F0T_TRY(f0t_alloc(&w->next, T * T, sizeof *w->next));
    F0T_TRY(f0t_alloc(&w->guesses, val * T, sizeof *w->guesses));
    F0T_TRY(f0t_alloc(&w->block, BLOCK_ROWS * (D > T ? D : T), sizeof *w->block));
    return f0t_alloc(&w->enrich, T * T, sizeof *w->enrich);
}

static void release(work *w)
{
    f0t_free(w->sums.all);
    f0t_free(w->sums.unexplained);
    f0t_free(w->regression);
    f0t_free(w->b);
    f0t_free(w->all);
    f0t_free(w->next);
    f0t_free(w->guesses);
    f0t_free(w->block);
    f0t_free(w->enrich);
}

/* R, and what the first layer is made from. */
static f0t_status regress(work *w, const f0t_task_moments *plain)
{
    const size_t T = w->task->tags, D = w->m->features;
    const f0t_product explained = {.m = T, .n = T, .k = D, .b_transposed = true, .lower = true};
    memcpy(w->sums.all, plain->pairs, T * T * sizeof *w->sums.all);
    memcpy(w->regression, w->m->crossed, T * D * sizeof *w->regression);
    F0T_TRY(f0t_task_moments_solve(w->regression, T, w->m, w->knobs[RIDGE], w->task->monitor));
    F0T_TRY(f0t_product_f64(w->sums.unexplained, w->regression, w->m->crossed, &explained,
                            w->task->monitor));
    for (size_t i = 0; i < T * T; i++)
        w->sums.unexplained[i] = w->m->pairs[i] - w->sums.unexplained[i];
    return F0T_OK;
}

static void set_map(fitted *f, const work *w)
{
    const size_t T = w->task->tags, D = w->m->features;
    for (size_t t = 0; t < T; t++) {
        double shift = w->m->counts[t];
        for (size_t j = 0; j < D; j++) {
            f->map[t * D + j] = (float)w->regression[t * D + j];
            shift -= w->regression[t * D + j] * w->m->sum[j];
        }
        f->shift[t] = (float)(shift / w->m->images);
    }
}

/* R (x − x̄) + ȳ of x[rows x D]. */
static f0t_status guess(float *to, const fitted *f, const float *x, size_t rows, size_t tags,
                        size_t features)
{
    const f0t_matmul op = {.m = rows, .n = tags, .k = features, .b_transposed = true};
    return f0t_matmul_run_stable(to, x, f->map, f->shift, &op);
}

static size_t block_rows(const f0t_samples *val, size_t first)
{
    return val->count - first < BLOCK_ROWS ? val->count - first : BLOCK_ROWS;
}

static f0t_status guess_validation(work *w, const fitted *f)
{
    const f0t_samples *val = &w->task->val;
    const size_t T = w->task->tags;
    for (size_t first = 0; first < val->count; first += BLOCK_ROWS) {
        size_t rows = block_rows(val, first);
        F0T_TRY(f0t_task_read(w->block, w->task, val->images + first, rows));
        F0T_TRY(guess(w->guesses + first * T, f, w->block, rows, T, w->m->features));
    }
    return F0T_OK;
}

/* ---- Stacking ---------------------------------------------------------------------------------- */

/* One layer more: A = B A. */
static f0t_status stack(work *w, int layer)
{
    const size_t T = w->task->tags;
    const f0t_product op = {.m = T, .n = T, .k = T};
    const f0t_monitor *monitor = w->task->monitor;
    if (layer > 0)
        F0T_TRY(f0t_fasttag_next(&w->sums, w->b, monitor));
    F0T_TRY(f0t_fasttag_layer(w->b, &w->sums, w->knobs[GAMMA], w->knobs[BLANK], monitor));
    if (layer > 0)
        F0T_TRY(f0t_product_f64(w->next, w->b, w->all, &op, monitor));
    memcpy(w->all, layer > 0 ? w->next : w->b, T * T * sizeof *w->all);
    for (size_t i = 0; i < T * T; i++)
        w->enrich[i] = (float)w->all[i];
    return F0T_OK;
}

/* NaN when no validation image has a tag. */
static f0t_status validate(double *miap, work *w)
{
    const f0t_samples *val = &w->task->val;
    const size_t T = w->task->tags;
    f0t_miap sum = {0};
    for (size_t first = 0; first < val->count; first += BLOCK_ROWS) {
        const size_t rows = block_rows(val, first);
        const f0t_ranking ranking = {.images = rows,
                                     .tags = T,
                                     .scores = w->block,
                                     .offsets = val->offsets + first,
                                     .relevant = val->relevant};
        F0T_TRY(f0t_score_once(w->block, w->guesses + first * T, rows, w->enrich, T, T, true));
        F0T_TRY(f0t_miap_add(&sum, &ranking));
    }
    *miap = f0t_miap_get(&sum);
    return F0T_OK;
}

/* Layers as long as each is better than the one before; the first is always there. */
static f0t_status stack_all(work *w, fitted *f)
{
    const size_t T = w->task->tags;
    double best = (double)NAN;
    for (int layer = 0; layer < MOST_LAYERS; layer++) {
        double miap;
        F0T_TRY(stack(w, layer));
        F0T_TRY(validate(&miap, w));
        if (layer > 0 && !(miap > best))
            break;
        memcpy(f->enrich, w->enrich, T * T * sizeof *f->enrich);
        best = miap;
    }
    return F0T_OK;
}

/* ---- The method -------------------------------------------------------------------------------- */

static f0t_status prepare(void **shared, const f0t_task *task)
{
    f0t_task_moments *m;
    F0T_TRY(f0t_task_moments_create(&m, task, NULL));
    *shared = m;
    return F0T_OK;
}

static void release_shared(void *shared)
{
    f0t_task_moments_free(shared);
}

static void discard(void *memory)
{
    fitted *f = memory;
    if (!f)
        return;
    f0t_free(f->map);
    f0t_free(f->shift);
    f0t_free(f->enrich);
    f0t_free(f);
}

static f0t_status make(fitted *f, work *w, const f0t_task_moments *plain)
{
    const size_t T = w->task->tags;
    F0T_TRY(f0t_task_moments_centre(&w->m, plain));
    F0T_TRY(allocate(w));
    F0T_TRY(f0t_alloc(&f->map, T * w->m->features, sizeof *f->map));
    F0T_TRY(f0t_alloc(&f->shift, T, sizeof *f->shift));
    F0T_TRY(f0t_alloc(&f->enrich, T * T, sizeof *f->enrich));
    F0T_TRY(regress(w, plain));
    set_map(f, w);
    F0T_TRY(guess_validation(w, f));
    return stack_all(w, f);
}

static f0t_status fit(void **out, const f0t_task *task, void *shared, const double *knobs)
{
    work w = {.task = task, .knobs = knobs};
    f0t_task_moments *lifted = NULL;
    fitted *f = NULL;
    F0T_TRY(f0t_alloc_zero(&f, 1, sizeof *f));
    f0t_status status =
        knobs[RARE] > 0 ? lifted_moments(&lifted, task, shared, knobs[RARE]) : F0T_OK;
    if (status == F0T_OK)
        status = make(f, &w, lifted ? lifted : shared);
    release(&w);
    f0t_task_moments_free(w.m);
    f0t_task_moments_free(lifted);
    if (status != F0T_OK) {
        discard(f);
        return status;
    }
    *out = f;
    return F0T_OK;
}

static f0t_status score(float *scores, const void *memory, const f0t_task *task,
                        const f0t_candidates *tags, const f0t_queries *queries)
{
    const fitted *f = memory;
    const size_t T = task->tags;
    float *guesses = NULL, *rows = NULL;
    f0t_status status = f0t_alloc(&guesses, queries->count * T, sizeof *guesses);
    if (status == F0T_OK)
        status = f0t_alloc(&rows, tags->count * T, sizeof *rows);
    if (status == F0T_OK)
        status = guess(guesses, f, queries->features, queries->count, T, f0t_task_features(task));
    if (status == F0T_OK) {
        for (size_t i = 0; i < tags->count; i++)
            memcpy(rows + i * T, f->enrich + tags->known[i] * T, T * sizeof *rows);
        status = f0t_score_once(scores, guesses, queries->count, rows, tags->count, T, true);
    }
    f0t_free(guesses);
    f0t_free(rows);
    return status;
}

/* A factorisation for each layer, in double precision. */
static double cost(const f0t_task *task, const double *knobs)
{
    const double D = (double)f0t_task_features(task);
    (void)knobs;
    return 15 * D * D * D;
}

const f0t_ranker f0t_ranker_fasttag = {
    .name = "fasttag",
    .title = "FastTag",
    .source = "Chen, Zheng, Weinberger: Fast image tagging, ICML 2013",
    .closed = true,
    .divided = true,
    .knobs = KNOB_LIST,
    .knob_count = KNOBS,
    .prepare = prepare,
    .release = release_shared,
    .cost = cost,
    .fit = fit,
    .free = discard,
    .score = score,
};
