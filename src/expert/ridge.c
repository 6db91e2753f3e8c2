#include "expert/ridge.h"

#include "base/alloc.h"
#include "base/size.h"
#include "math/elementwise.h"
#include "math/matmul.h"
#include "math/product.h"
#include "math/solve.h"
#include "math/workspace.h"

#include <math.h>
#include <string.h>

/* Of the mean eigenvalue. */
static const double penalties[] = {0.1, 0.3, 1, 3, 10};
/* Of the images' number, which is the sum of the rows' squared lengths: what sums in float32 may lose of it does not
 * count as extent. */
static const double ROUNDING = 1e-6;
enum { PENALTIES = 5, USUAL = 2, JUDGES = 500, GRAM_ROWS = 2048, BLOCK = 256 };

/* ---- Sums over the images ----------------------------------------------------------------------- */

typedef struct work {
    const float *rows;
    size_t count; /* M */
    const size_t *offsets;
    const uint32_t *relevant;
    size_t features, tags; /* D, T */
    double *mean;          /* [D] */
    double *gram;          /* [D x D] XᵀX of the centred features, the lower triangle */
    double *axes;          /* [D x D] the same, then its eigenvectors */
    double *values;        /* [D] its eigenvalues */
    double *sums;          /* [T x D] YᵀX of the centred features, then the weights */
    size_t *counts;        /* [T] images with the tag */
    uint32_t *judges;      /* [J] the most frequent tags */
    double *chosen;        /* [J x D] their sums */
    double *turned;        /* [J x D] along the axes */
} work;

static f0t_status allocate(work *w)
{
    const size_t D = w->features;
    size_t square, sums;
    if (!f0t_size_mul(&square, D, D) || !f0t_size_mul(&sums, w->tags, D))
        return f0t_fail(F0T_ERROR_MEMORY, "%zu tags by %zu features are too many", w->tags, D);
    F0T_TRY(f0t_alloc_zero(&w->mean, D, sizeof *w->mean));
    F0T_TRY(f0t_alloc_zero(&w->gram, square, sizeof *w->gram));
    F0T_TRY(f0t_alloc(&w->axes, square, sizeof *w->axes));
    F0T_TRY(f0t_alloc(&w->values, D, sizeof *w->values));
    F0T_TRY(f0t_alloc_zero(&w->sums, sums, sizeof *w->sums));
    F0T_TRY(f0t_alloc_zero(&w->counts, w->tags, sizeof *w->counts));
    F0T_TRY(f0t_alloc(&w->judges, JUDGES, sizeof *w->judges));
    F0T_TRY(f0t_alloc(&w->chosen, JUDGES * D, sizeof *w->chosen));
    return f0t_alloc(&w->turned, JUDGES * D, sizeof *w->turned);
}

static void release(work *w)
{
    f0t_free(w->mean);
    f0t_free(w->gram);
    f0t_free(w->axes);
    f0t_free(w->values);
    f0t_free(w->sums);
    f0t_free(w->counts);
    f0t_free(w->judges);
    f0t_free(w->chosen);
    f0t_free(w->turned);
}

static f0t_status sum_squares(work *w)
{
    const size_t D = w->features;
    const double M = (double)w->count;
    for (size_t first = 0; first < w->count; first += GRAM_ROWS)
        F0T_TRY(f0t_gram_add(w->gram, w->rows + first * D,
                             w->count - first < GRAM_ROWS ? w->count - first : GRAM_ROWS, D));
    for (size_t i = 0; i < w->count; i++)
        for (size_t j = 0; j < D; j++)
            w->mean[j] += (double)w->rows[i * D + j] / M;
    for (size_t i = 0; i < D; i++)
        for (size_t j = 0; j <= i; j++)
            w->gram[i * D + j] -= M * w->mean[i] * w->mean[j];
    memcpy(w->axes, w->gram, D * D * sizeof *w->axes);
    return F0T_OK;
}

/* Centred indicators and centred features have the products of plain indicators and centred features. */
static void sum_tags(work *w)
{
    const size_t D = w->features;
    for (size_t i = 0; i < w->count; i++)
        for (size_t at = w->offsets[i]; at < w->offsets[i + 1]; at++) {
            double *sum = w->sums + w->relevant[at] * D;
            for (size_t j = 0; j < D; j++)
                sum[j] += (double)w->rows[i * D + j] - w->mean[j];
            w->counts[w->relevant[at]]++;
        }
}

/* ---- The penalty -------------------------------------------------------------------------------- */

/* The most frequent tags, of equal ones the first; returns how many. */
static size_t take_judges(work *w)
{
    size_t judges = 0;
    for (size_t t = 0; t < w->tags; t++) {
        size_t at = judges < JUDGES ? judges++ : JUDGES;
        for (; at > 0 && w->counts[w->judges[at - 1]] < w->counts[t]; at--)
            if (at < JUDGES)
                w->judges[at] = w->judges[at - 1];
        if (at < JUDGES)
            w->judges[at] = (uint32_t)t;
    }
    for (size_t i = 0; i < judges; i++)
        memcpy(w->chosen + i * w->features, w->sums + w->judges[i] * w->features,
               w->features * sizeof *w->chosen);
    return judges;
}

/* Σ over the judges of the squared lengths of their centred indicators. */
static double indicator_squares(const work *w, size_t judges)
{
    double sum = 0;
    for (size_t i = 0; i < judges; i++) {
        const double n = (double)w->counts[w->judges[i]];
        sum += n * (1 - n / (double)w->count);
    }
    return sum;
}

/* The error of generalised cross-validation: the squared residuals over the squared degrees of freedom left.
 * Along an axis of value v with Σ (uᵀXᵀy)² = c, the fit takes c (2 / (v + λ) - v / (v + λ)²) off. */
static double generalised_error(const work *w, const double *squares, double total, double lambda)
{
    double left = (double)w->count - 1;
    for (size_t d = 0; d < w->features; d++) {
        const double v = fmax(w->values[d], 0), s = 1 / (v + lambda);
        total -= squares[d] * (2 * s - v * s * s);
        left -= v * s;
    }
    return fmax(total, 0) / (left * left);
}

static double best_penalty(const work *w, const double *squares, double total, double unit)
{
    double best = penalties[USUAL] * unit, least = INFINITY;
    for (size_t i = 0; i < PENALTIES; i++) {
        double error = generalised_error(w, squares, total, penalties[i] * unit);
        if (error < least) {
            least = error;
            best = penalties[i] * unit;
        }
    }
    return best;
}

static f0t_status choose(double *lambda, work *w, const f0t_monitor *monitor)
{
    const size_t D = w->features, judges = take_judges(w);
    const f0t_product turn = {.m = judges, .n = D, .k = D, .b_transposed = true};
    double trace = 0, *squares = w->chosen; /* not needed once turned */
    for (size_t d = 0; d < D; d++)
        trace += w->gram[d * D + d];
    *lambda = fmax(penalties[USUAL] * trace / (double)D, ROUNDING * (double)w->count);
    if (!judges || trace < ROUNDING * (double)w->count)
        return F0T_OK;
    F0T_TRY(f0t_eigen_watched(w->axes, D, w->values, monitor));
    F0T_TRY(f0t_product_f64(w->turned, w->chosen, w->axes, &turn, monitor));
    memset(squares, 0, D * sizeof *squares);
    for (size_t i = 0; i < judges; i++)
        for (size_t d = 0; d < D; d++)
            squares[d] += w->turned[i * D + d] * w->turned[i * D + d];
    *lambda = fmax(best_penalty(w, squares, indicator_squares(w, judges), trace / (double)D),
                   ROUNDING * (double)w->count);
    return F0T_OK;
}

/* ---- Fit ---------------------------------------------------------------------------------------- */

static void set(f0t_ridge *r, const work *w)
{
    for (size_t j = 0; j < w->features; j++)
        r->mean[j] = (float)w->mean[j];
    for (size_t i = 0; i < w->tags * w->features; i++)
        r->weights[i] = (float)w->sums[i];
    for (size_t t = 0; t < w->tags; t++)
        r->base[t] = (float)((double)w->counts[t] / (double)w->count);
}

static f0t_status fit(f0t_ridge *r, work *w, const f0t_monitor *monitor)
{
    const size_t D = w->features;
    F0T_TRY(allocate(w));
    F0T_TRY(f0t_alloc(&r->mean, D, sizeof *r->mean));
    F0T_TRY(f0t_alloc(&r->base, w->tags, sizeof *r->base));
    F0T_TRY(f0t_alloc(&r->weights, w->tags * D, sizeof *r->weights));
    F0T_TRY(sum_squares(w));
    sum_tags(w);
    F0T_TRY(choose(&r->lambda, w, monitor));
    for (size_t d = 0; d < D; d++)
        w->gram[d * D + d] += r->lambda;
    F0T_TRY(f0t_cholesky_solve_f64(w->gram, D, w->sums, w->tags, monitor));
    set(r, w);
    return F0T_OK;
}

f0t_status f0t_ridge_fit(f0t_ridge **out, const float *rows, size_t count, size_t features,
                         const size_t *offsets, const uint32_t *relevant, size_t tags,
                         const f0t_monitor *monitor)
{
    f0t_ridge *r = NULL;
    work w = {.rows = rows,
              .count = count,
              .offsets = offsets,
              .relevant = relevant,
              .features = features,
              .tags = tags};
    *out = NULL;
    if (!count || !features)
        return f0t_fail(F0T_ERROR_ARGUMENT, "ridge regression needs images with features");
    F0T_TRY(f0t_alloc_zero(&r, 1, sizeof *r));
    r->features = features;
    r->tags = tags;
    f0t_status status = fit(r, &w, monitor);
    release(&w);
    if (status != F0T_OK) {
        f0t_ridge_free(r);
        return status;
    }
    *out = r;
    return F0T_OK;
}

void f0t_ridge_free(f0t_ridge *r)
{
    if (!r)
        return;
    f0t_free(r->mean);
    f0t_free(r->weights);
    f0t_free(r->base);
    f0t_free(r);
}

/* ---- Scores ------------------------------------------------------------------------------------- */

static f0t_status score_block(float *out, const f0t_ridge *r, const float *features, size_t rows,
                              float *centred)
{
    const size_t D = r->features;
    const f0t_matmul op = {.m = rows, .n = r->tags, .k = D, .b_transposed = true};
    memcpy(centred, features, rows * D * sizeof *centred);
    f0t_rows_normalise(centred, rows, D);
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < D; j++)
            centred[i * D + j] -= r->mean[j];
    return f0t_matmul_run_stable(out, centred, r->weights, r->base, &op);
}

f0t_status f0t_ridge_score(float *out, const f0t_ridge *r, const float *features, size_t rows)
{
    f0t_workspace *room;
    f0t_status status = F0T_OK;
    F0T_TRY(f0t_workspace_take(&room, (rows < BLOCK ? rows : BLOCK) * r->features * sizeof(float)));
    for (size_t first = 0; first < rows && status == F0T_OK; first += BLOCK)
        status = score_block(out + first * r->tags, r, features + first * r->features,
                             rows - first < BLOCK ? rows - first : BLOCK, room->data);
    f0t_workspace_give(room);
    return status;
}
