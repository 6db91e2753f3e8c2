/*
 * The tag prior: the same list for every image, tags by how common they are. What a method reaches without
 * looking at an image at all is what it must be held against, also where tags are ranked that were not learned:
 *
 *   frequency-told       counts the training images of every tag that is ranked, the new ones' too: an oracle
 *   frequency-predicted  counts those of the learned tags; the log-odds of a new one are predicted from its word
 *                        vector by ridge regression over the learned tags, with an intercept:
 *
 *                            w, b with the least Σ_t (b + w·v_t - odds_t)² + λ |w|²
 *
 * Scores are log-odds, as those of frequency.c, whose list both have where every tag was learned.
 */
#include "baseline/ranker.h"

#include "base/alloc.h"
#include "baseline/prior.h"
#include "math/product.h"
#include "math/solve.h"

#include <math.h>

double f0t_prior_odds(size_t with, size_t images)
{
    return log(((double)with + 0.5) / ((double)images - (double)with + 0.5));
}

f0t_status f0t_prior_count(double **odds, const f0t_task *task)
{
    size_t *counts;
    *odds = NULL;
    F0T_TRY(f0t_alloc_zero(&counts, task->tags, sizeof *counts));
    f0t_status status = f0t_alloc(odds, task->tags, sizeof **odds);
    for (size_t i = 0; status == F0T_OK && i < task->train.offsets[task->train.count]; i++)
        counts[task->train.relevant[i]]++;
    for (size_t t = 0; status == F0T_OK && t < task->tags; t++)
        (*odds)[t] = f0t_prior_odds(counts[t], task->train.count);
    f0t_free(counts);
    return status;
}

/* The same row for every image. */
static void repeat(float *scores, size_t tags, size_t images)
{
    for (size_t m = 1; m < images; m++)
        for (size_t t = 0; t < tags; t++)
            scores[m * tags + t] = scores[t];
}

/* ---- Told ---------------------------------------------------------------------------------- */

/* Nothing is learned, but a fit is expected to be something. */
static f0t_status fit_nothing(void **fitted, const f0t_task *task, void *shared,
                              const double *knobs)
{
    double *nothing;
    (void)task;
    (void)shared;
    (void)knobs;
    F0T_TRY(f0t_alloc_zero(&nothing, 1, sizeof *nothing));
    *fitted = nothing;
    return F0T_OK;
}

static f0t_status score_told(float *scores, const void *fitted, const f0t_task *task,
                             const f0t_candidates *tags, const f0t_queries *queries)
{
    (void)fitted;
    for (size_t t = 0; queries->count && t < tags->count; t++)
        scores[t] = (float)f0t_prior_odds(tags->images[t], task->train.count);
    repeat(scores, tags->count, queries->count);
    return F0T_OK;
}

/* ---- Predicted ----------------------------------------------------------------------------- */

typedef struct prediction {
    double *odds;    /* [T] of the learned tags */
    double *mean;    /* [d] of their vectors */
    double *weights; /* [d] */
    double base;     /* the mean of their odds */
} prediction;

static void discard(void *fitted)
{
    prediction *p = fitted;
    if (!p)
        return;
    f0t_free(p->odds);
    f0t_free(p->mean);
    f0t_free(p->weights);
    f0t_free(p);
}

static void find_means(prediction *p, const f0t_task *task)
{
    for (size_t t = 0; t < task->tags; t++) {
        p->base += p->odds[t] / (double)task->tags;
        for (size_t k = 0; k < task->dim; k++)
            p->mean[k] += (double)task->vectors[t * task->dim + k] / (double)task->tags;
    }
}

/* VᵀV + λ of the centred vectors into the lower triangle of square[d x d], Vᵀ·odds into the weights. */
static f0t_status find_sums(prediction *p, double *square, const f0t_task *task, double lambda)
{
    const size_t d = task->dim;
    F0T_TRY(f0t_gram_add(square, task->vectors, task->tags, d));
    for (size_t i = 0; i < d; i++) {
        for (size_t j = 0; j <= i; j++)
            square[i * d + j] -= (double)task->tags * p->mean[i] * p->mean[j];
        square[i * d + i] += lambda;
    }
    for (size_t t = 0; t < task->tags; t++)
        for (size_t k = 0; k < d; k++)
            p->weights[k] += (p->odds[t] - p->base) * (double)task->vectors[t * d + k];
    return F0T_OK;
}

static f0t_status solve(prediction *p, const f0t_task *task, double lambda)
{
    double *square;
    F0T_TRY(f0t_alloc_zero(&square, task->dim * task->dim, sizeof *square));
    f0t_status status = find_sums(p, square, task, lambda);
    if (status == F0T_OK)
        status = f0t_cholesky_solve_f64(square, task->dim, p->weights, 1, task->monitor);
    f0t_free(square);
    return status;
}

static f0t_status make(prediction *p, const f0t_task *task, double lambda)
{
    F0T_TRY(f0t_prior_count(&p->odds, task));
    F0T_TRY(f0t_alloc_zero(&p->mean, task->dim, sizeof *p->mean));
    F0T_TRY(f0t_alloc_zero(&p->weights, task->dim, sizeof *p->weights));
    find_means(p, task);
    return solve(p, task, lambda);
}

static f0t_status fit_prediction(void **fitted, const f0t_task *task, void *shared,
                                 const double *knobs)
{
    prediction *p;
    (void)shared;
    *fitted = NULL;
    F0T_TRY(f0t_alloc_zero(&p, 1, sizeof *p));
    f0t_status status = make(p, task, knobs[0]);
    if (status != F0T_OK) {
        discard(p);
        return status;
    }
    *fitted = p;
    return F0T_OK;
}

static double predict(const prediction *p, const float *vector, size_t dim)
{
    double sum = p->base;
    for (size_t k = 0; k < dim; k++)
        sum += p->weights[k] * ((double)vector[k] - p->mean[k]);
    return sum;
}

static f0t_status score_predicted(float *scores, const void *fitted, const f0t_task *task,
                                  const f0t_candidates *tags, const f0t_queries *queries)
{
    const prediction *p = fitted;
    for (size_t t = 0; queries->count && t < tags->count; t++)
        scores[t] = (float)(tags->known[t] != F0T_NO_SAMPLE_TAG
                                ? p->odds[tags->known[t]]
                                : predict(p, tags->vectors + t * task->dim, task->dim));
    repeat(scores, tags->count, queries->count);
    return F0T_OK;
}

/* ---- The methods --------------------------------------------------------------------------- */

const f0t_ranker f0t_ranker_frequency_told = {
    .name = "frequency-told",
    .title = "Frequency, told (oracle)",
    .source = "how often training images have a tag, also one that is not learned",
    .told = true,
    .needs_new = true,
    .fit = fit_nothing,
    .free = f0t_free,
    .score = score_told,
};

static const double LAMBDAS[] = {0.03, 0.1, 0.3, 1, 3, 10, 30};
static const f0t_knob KNOBS[] = {{"lambda", LAMBDAS, 7, 3}};

const f0t_ranker f0t_ranker_frequency_predicted = {
    .name = "frequency-predicted",
    .title = "Frequency, predicted",
    .source = "how often training images have a tag; of new tags, ridge regression on word vectors",
    .needs_new = true,
    .knobs = KNOBS,
    .knob_count = 1,
    .fit = fit_prediction,
    .free = discard,
    .score = score_predicted,
};
