#include "baseline/sdl_loss.h"

#include "base/alloc.h"
#include "base/team.h"
#include "math/elementwise.h"
#include "math/matmul.h"

#include <math.h>
#include <string.h>

struct f0t_sdl_loss {
    size_t images, tags, dim, directions;
    const float *vectors;
    double weight;
    float *scores;  /* [images x K x tags] along each direction; then their gradient */
    double *slopes; /* [images x tags] of the best scores */
    double *losses; /* [images] */
};

void f0t_sdl_loss_free(f0t_sdl_loss *l)
{
    if (!l)
        return;
    f0t_free(l->scores);
    f0t_free(l->slopes);
    f0t_free(l->losses);
    f0t_free(l);
}

static f0t_status allocate(f0t_sdl_loss *l)
{
    F0T_TRY(f0t_alloc(&l->scores, l->images * l->directions, l->tags * sizeof *l->scores));
    F0T_TRY(f0t_alloc(&l->slopes, l->images, l->tags * sizeof *l->slopes));
    return f0t_alloc(&l->losses, l->images, sizeof *l->losses);
}

f0t_status f0t_sdl_loss_create(f0t_sdl_loss **out, size_t images, const float *vectors, size_t tags,
                               size_t dim, size_t directions, double weight)
{
    f0t_sdl_loss *l;
    *out = NULL;
    F0T_TRY(f0t_alloc_zero(&l, 1, sizeof *l));
    l->images = images;
    l->vectors = vectors;
    l->tags = tags;
    l->dim = dim;
    l->directions = directions;
    l->weight = weight;
    f0t_status status = allocate(l);
    if (status == F0T_OK)
        *out = l;
    else
        f0t_sdl_loss_free(l);
    return status;
}

/* ---- One image --------------------------------------------------------------------------------- */

/* Σ_j var of column j of rows x[index[i]] (index NULL: of row i), `count` of them; 0 for one row. */
static double variance(const float *x, const uint32_t *index, size_t count, size_t dim)
{
    double sum = 0;
    for (size_t j = 0; j < dim && count > 1; j++) {
        double mean = 0, squares = 0;
        for (size_t i = 0; i < count; i++)
            mean += (double)x[(index ? index[i] : i) * dim + j] / (double)count;
        for (size_t i = 0; i < count; i++) {
            double apart = (double)x[(index ? index[i] : i) * dim + j] - mean;
            squares += apart * apart;
        }
        sum += squares / (double)(count - 1);
    }
    return sum;
}

/* The gradient of `factor` · variance(a, NULL, K, dim), which it sets. */
static void variance_gradient(float *gradient, const float *a, size_t count, size_t dim,
                              double factor)
{
    for (size_t j = 0; j < dim; j++) {
        double mean = 0;
        for (size_t k = 0; k < count; k++)
            mean += (double)a[k * dim + j] / (double)count;
        for (size_t k = 0; k < count; k++)
            gradient[k * dim + j] =
                count > 1
                    ? (float)(factor * 2 * ((double)a[k * dim + j] - mean) / (double)(count - 1))
                    : 0;
    }
}

/* The place of the highest of K scores of tag t. */
static size_t best_direction(const float *scores, size_t t, size_t directions, size_t tags)
{
    size_t best = 0;
    for (size_t k = 1; k < directions; k++)
        if (scores[k * tags + t] > scores[best * tags + t])
            best = k;
    return best;
}

static bool is_relevant(const uint32_t **next, const uint32_t *end, size_t t)
{
    bool found = *next < end && **next == t;
    *next += found;
    return found;
}

/* Σ_p Σ_n log(1 + exp(s_n − s_p)) of the best scores best[tags], and its slopes. */
static double pairs(double *slopes, const double *best, size_t tags, const uint32_t *relevant,
                    size_t count)
{
    double loss = 0;
    memset(slopes, 0, tags * sizeof *slopes);
    for (size_t i = 0; i < count; i++) {
        const uint32_t *next = relevant;
        const double own = best[relevant[i]];
        double pulled = 0;
        for (size_t n = 0; n < tags; n++) {
            if (is_relevant(&next, relevant + count, n))
                continue;
            const double x = best[n] - own, e = exp(-fabs(x)), slope = (x > 0 ? 1 : e) / (1 + e);
            loss += fmax(x, 0) + log1p(e);
            slopes[n] += slope;
            pulled += slope;
        }
        slopes[relevant[i]] -= pulled;
    }
    return loss;
}

/* Leaves the gradient of the scores along each direction in their place. */
static double score_loss(const f0t_sdl_loss *l, float *scores, double *slopes,
                         const uint32_t *relevant, size_t count, double share, double *best)
{
    const size_t K = l->directions, T = l->tags;
    const double factor =
        2 * (1 - l->weight) * (1 + variance(l->vectors, relevant, count, l->dim)) / (double)count;
    for (size_t t = 0; t < T; t++)
        best[t] = (double)scores[best_direction(scores, t, K, T) * T + t];
    const double loss = pairs(slopes, best, T, relevant, count);
    for (size_t t = 0; t < T; t++) {
        const size_t own = best_direction(scores, t, K, T);
        for (size_t k = 0; k < K; k++)
            scores[k * T + t] = k == own ? (float)(factor * share * slopes[t]) : 0;
    }
    return factor * loss;
}

/* ---- A batch ----------------------------------------------------------------------------------- */

static double run_row(const f0t_sdl_loss *l, float *gradient, const f0t_loss_batch *b, size_t m,
                      double share, double *best)
{
    const size_t K = l->directions, T = l->tags, size = K * l->dim;
    const float *a = b->scores + m * size;
    const size_t count = b->offsets[m + 1] - b->offsets[m];
    float *scores = l->scores + m * K * T;
    if (!f0t_finite_f32(scores, K * T))
        return (double)NAN;
    if (!f0t_loss_trains(F0T_LOSS_RANKNET, count, T)) {
        memset(gradient + m * size, 0, size * sizeof *gradient);
        memset(scores, 0, K * T * sizeof *scores);
        return 0;
    }
    variance_gradient(gradient + m * size, a, K, l->dim, 2 * l->weight * share);
    return 2 * l->weight * variance(a, NULL, K, l->dim) + score_loss(l, scores, l->slopes + m * T,
                                                                     b->relevant + b->offsets[m],
                                                                     count, share, best);
}

static f0t_status run_rows(const f0t_sdl_loss *l, float *gradient, const f0t_loss_batch *b,
                           double share)
{
    double *best;
    const size_t threads = (size_t)f0t_team_size();
    F0T_TRY(f0t_alloc(&best, threads, l->tags * sizeof *best));
#pragma omp parallel num_threads((int)threads)
    {
#ifdef _OPENMP
        double *own = best + (size_t)omp_get_thread_num() * l->tags;
#else
        double *own = best;
#endif
#pragma omp for schedule(static)
        for (size_t m = 0; m < b->images; m++)
            l->losses[m] = run_row(l, gradient, b, m, share, own);
    }
    f0t_free(best);
    return F0T_OK;
}

static f0t_status add_up(f0t_loss_result *result, const f0t_sdl_loss *l, const f0t_loss_batch *b)
{
    double sum = 0;
    for (size_t m = 0; m < b->images; m++) {
        if (!isfinite(l->losses[m]))
            return f0t_fail(F0T_ERROR_NUMERIC, "a score of row %zu of the mini-batch is not finite",
                            m);
        sum += l->losses[m];
    }
    result->loss = result->images ? sum / (double)result->images : 0;
    return F0T_OK;
}

f0t_status f0t_sdl_loss_run(f0t_loss_result *result, float *gradient, f0t_sdl_loss *l,
                            const f0t_loss_batch *b)
{
    const size_t rows = b->images * l->directions;
    const f0t_matmul forward = {.m = rows, .n = l->tags, .k = l->dim, .b_transposed = true};
    const f0t_matmul backward = {.m = rows, .n = l->dim, .k = l->tags, .accumulate = true};
    *result = (f0t_loss_result){0, 0};
    for (size_t m = 0; m < b->images; m++)
        result->images +=
            f0t_loss_trains(F0T_LOSS_RANKNET, b->offsets[m + 1] - b->offsets[m], l->tags);
    F0T_TRY(f0t_matmul_run(l->scores, b->scores, l->vectors, NULL, &forward));
    F0T_TRY(run_rows(l, gradient, b, result->images ? 1 / (double)result->images : 0));
    F0T_TRY(add_up(result, l, b));
    return f0t_matmul_run(gradient, l->scores, l->vectors, NULL, &backward);
}
