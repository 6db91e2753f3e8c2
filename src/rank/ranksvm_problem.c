#include "rank/ranksvm_problem.h"

#include "base/alloc.h"
#include "base/size.h"
#include "math/product.h"
#include "math/solve.h"

#include <math.h>
#include <string.h>

/* ---- Tag vectors ------------------------------------------------------------------------------- */

/* A Gram matrix above this many tags (128 MB) is computed piece by piece where it is needed. */
enum { GRAM_TAGS = 5792, PACK_ROWS = 512 };

/* So many tags, and so many for each dimension, have their axes from second moments: a vocabulary of
 * 100,000 words needs no second copy of itself in double precision. */
enum { MANY_TAGS = 4096, MANY_PER_DIM = 4, MOMENT_ROWS = 4096 };

/* Singular values below this part of the largest are the rounding of float32 vectors. */
static const double no_extent = 3e-8;

static f0t_status check(const float *vectors, size_t tags, size_t dims)
{
    if (!tags || !dims)
        return f0t_fail(F0T_ERROR_ARGUMENT, "a ranking SVM over %zu tags of %zu dimensions", tags,
                        dims);
    if (tags >= F0T_NO_TAG || dims >= INT32_MAX || tags > INT32_MAX)
        return f0t_fail(F0T_ERROR_ARGUMENT, "%zu tags of %zu dimensions are too many", tags, dims);
    for (size_t i = 0; i < tags * dims; i++)
        if (!isfinite(vectors[i]))
            return f0t_fail(F0T_ERROR_NUMERIC,
                            "the vector of tag %zu has a number that is not finite, at %zu",
                            i / dims, i % dims);
    return F0T_OK;
}

static void find_mean(const f0t_ranksvm *svm)
{
    const size_t tags = svm->tags, dims = svm->dims;
    memset(svm->mean, 0, dims * sizeof *svm->mean);
    for (size_t t = 0; t < tags; t++)
        for (size_t j = 0; j < dims; j++)
            svm->mean[j] += (double)svm->given[t * dims + j] / (double)tags;
}

static void centre(const f0t_ranksvm *svm, double *to)
{
    const size_t tags = svm->tags, dims = svm->dims;
    for (size_t t = 0; t < tags; t++)
        for (size_t j = 0; j < dims; j++)
            to[t * dims + j] = (double)svm->given[t * dims + j] - svm->mean[j];
}

/* Keeps the axes with extent: coordinates are left singular vectors times singular values. */
static f0t_status keep_axes(f0t_ranksvm *svm, const double *u, const double *s, size_t all)
{
    svm->rank = 1;
    while (svm->rank < all && s[svm->rank] > no_extent * s[0])
        svm->rank++;
    F0T_TRY(f0t_alloc(&svm->vectors, svm->tags * svm->rank, sizeof *svm->vectors));
    F0T_TRY(f0t_alloc(&svm->moments, svm->rank, sizeof *svm->moments));
    for (size_t t = 0; t < svm->tags; t++)
        for (size_t j = 0; j < svm->rank; j++)
            svm->vectors[t * svm->rank + j] = (float)(u[t * all + j] * s[j]);
    svm->size = 0;
    for (size_t j = 0; j < svm->rank; j++) {
        svm->moments[j] = s[j] * s[j];
        svm->size += svm->moments[j] / (double)svm->tags;
    }
    return F0T_OK;
}

/* ---- Axes of many tags ------------------------------------------------------------------------- */

/* Σ (v − mean)(v − mean)ᵀ; its eigenvectors, one per row, are the axes, the last one the longest. */
static f0t_status find_moments(double *moments, double *values, const f0t_ranksvm *svm)
{
    const size_t tags = svm->tags, dims = svm->dims;
    memset(moments, 0, dims * dims * sizeof *moments);
    for (size_t t = 0; t < tags; t += MOMENT_ROWS)
        F0T_TRY(f0t_gram_add(moments, svm->given + t * dims,
                             tags - t < MOMENT_ROWS ? tags - t : MOMENT_ROWS, dims));
    for (size_t i = 0; i < dims; i++)
        for (size_t j = 0; j <= i; j++)
            moments[i * dims + j] -= (double)tags * svm->mean[i] * svm->mean[j];
    return f0t_eigen_by_one(moments, dims, values);
}

/* All of them, the longest first, axes[dims x dims]: which have no extent cannot be told from moments that
 * were summed in float32. The axes are at right angles to float32's digits, whatever the moments were. */
static f0t_status take_axes(float *axes, f0t_ranksvm *svm, const double *moments)
{
    const size_t dims = svm->dims;
    for (size_t j = 0; j < dims; j++)
        for (size_t k = 0; k < dims; k++)
            axes[j * dims + k] = (float)moments[(dims - 1 - j) * dims + k];
    svm->rank = dims;
    F0T_TRY(f0t_packed_create(&svm->axes, dims, dims, F0T_F32, PACK_ROWS));
    return f0t_packed_set(svm->axes, axes, false);
}

/* The coordinates along the axes of MOMENT_ROWS tags at a time, and their moments; rows[MOMENT_ROWS x
 * dims] is scratch. */
static f0t_status turn(const f0t_ranksvm *svm, const float *axes, float *rows)
{
    const size_t tags = svm->tags, dims = svm->dims;
    memset(svm->moments, 0, dims * sizeof *svm->moments);
    for (size_t t = 0; t < tags; t += MOMENT_ROWS) {
        const size_t some = tags - t < MOMENT_ROWS ? tags - t : MOMENT_ROWS;
        const f0t_matmul op = {.m = some, .n = dims, .k = dims, .b_transposed = true};
        float *turned = svm->vectors + t * dims;
        for (size_t i = 0; i < some * dims; i++)
            rows[i] = (float)((double)svm->given[t * dims + i] - svm->mean[i % dims]);
        F0T_TRY(f0t_matmul_run(turned, rows, axes, NULL, &op));
        for (size_t i = 0; i < some * dims; i++)
            svm->moments[i % dims] += (double)turned[i] * (double)turned[i];
    }
    return F0T_OK;
}

typedef struct moments_room {
    double *moments, *values;
    float *axes, *rows;
} moments_room;

static f0t_status turn_many(f0t_ranksvm *svm, moments_room *room)
{
    const size_t dims = svm->dims;
    F0T_TRY(f0t_alloc(&room->moments, dims * dims, sizeof *room->moments));
    F0T_TRY(f0t_alloc(&room->values, dims, sizeof *room->values));
    F0T_TRY(f0t_alloc(&room->axes, dims * dims, sizeof *room->axes));
    F0T_TRY(f0t_alloc(&room->rows, MOMENT_ROWS * dims, sizeof *room->rows));
    F0T_TRY(find_moments(room->moments, room->values, svm));
    F0T_TRY(take_axes(room->axes, svm, room->moments));
    F0T_TRY(f0t_alloc(&svm->vectors, svm->tags * dims, sizeof *svm->vectors));
    F0T_TRY(f0t_alloc(&svm->moments, dims, sizeof *svm->moments));
    F0T_TRY(turn(svm, room->axes, room->rows));
    svm->size = 0;
    for (size_t j = 0; j < dims; j++)
        svm->size += svm->moments[j] / (double)svm->tags;
    return F0T_OK;
}

static f0t_status find_axes_of_many(f0t_ranksvm *svm)
{
    moments_room room = {0};
    f0t_status status = turn_many(svm, &room);
    f0t_free(room.moments);
    f0t_free(room.values);
    f0t_free(room.axes);
    f0t_free(room.rows);
    return status;
}

/* ---- Axes of few tags -------------------------------------------------------------------------- */

/* Room for the singular value decomposition of the centred vectors. */
typedef struct svd_room {
    double *centred, *u, *s, *vt;
    float *axes;
} svd_room;

static f0t_status decompose(f0t_ranksvm *svm, svd_room *room)
{
    const size_t tags = svm->tags, dims = svm->dims, all = tags < dims ? tags : dims;
    F0T_TRY(f0t_alloc(&room->centred, tags * dims, sizeof *room->centred));
    F0T_TRY(f0t_alloc(&room->u, tags * all, sizeof *room->u));
    F0T_TRY(f0t_alloc(&room->s, all, sizeof *room->s));
    F0T_TRY(f0t_alloc(&room->vt, all * dims, sizeof *room->vt));
    F0T_TRY(f0t_alloc(&room->axes, all * dims, sizeof *room->axes));
    centre(svm, room->centred);
    F0T_TRY(f0t_svd_by_one(room->centred, tags, dims, room->u, room->s, room->vt));
    F0T_TRY(keep_axes(svm, room->u, room->s, all));
    for (size_t i = 0; i < svm->rank * dims; i++)
        room->axes[i] = (float)room->vt[i];
    F0T_TRY(f0t_packed_create(&svm->axes, svm->rank, dims, F0T_F32, PACK_ROWS));
    return f0t_packed_set(svm->axes, room->axes, false);
}

static void svd_room_free(svd_room *room)
{
    f0t_free(room->centred);
    f0t_free(room->u);
    f0t_free(room->s);
    f0t_free(room->vt);
    f0t_free(room->axes);
}

static f0t_status find_axes(f0t_ranksvm *svm)
{
    svd_room room = {0};
    find_mean(svm);
    if (svm->tags >= MANY_TAGS && svm->tags / MANY_PER_DIM >= svm->dims)
        return find_axes_of_many(svm);
    f0t_status status = decompose(svm, &room);
    svd_room_free(&room);
    return status;
}

static f0t_status pack(f0t_ranksvm *svm)
{
    F0T_TRY(f0t_packed_create(&svm->to_scores, svm->rank, svm->tags, F0T_F32, PACK_ROWS));
    F0T_TRY(f0t_packed_set(svm->to_scores, svm->vectors, true));
    F0T_TRY(f0t_packed_create(&svm->from_weights, svm->tags, svm->rank, F0T_F32, PACK_ROWS));
    return f0t_packed_set(svm->from_weights, svm->vectors, false);
}

static f0t_status prepare(f0t_ranksvm *svm, const float *vectors)
{
    F0T_TRY(f0t_alloc(&svm->given, svm->tags * svm->dims, sizeof *svm->given));
    F0T_TRY(f0t_alloc(&svm->mean, svm->dims, sizeof *svm->mean));
    memcpy(svm->given, vectors, svm->tags * svm->dims * sizeof *vectors);
    F0T_TRY(find_axes(svm));
    F0T_TRY(pack(svm));
    if (svm->tags > GRAM_TAGS)
        return F0T_OK;
    F0T_TRY(f0t_alloc(&svm->gram, svm->tags * svm->tags, sizeof *svm->gram));
    return f0t_ranksvm_scores(svm->gram, svm, svm->vectors, svm->tags);
}

f0t_status f0t_ranksvm_create(f0t_ranksvm **out, const float *vectors, size_t tags, size_t dims)
{
    f0t_ranksvm *svm = NULL;
    size_t total;
    *out = NULL;
    if (!f0t_size_mul(&total, tags, dims))
        return f0t_fail(F0T_ERROR_ARGUMENT, "%zu tags of %zu dimensions are too many", tags, dims);
    F0T_TRY(check(vectors, tags, dims));
    F0T_TRY(f0t_alloc_zero(&svm, 1, sizeof *svm));
    svm->tags = tags;
    svm->dims = dims;
    f0t_status status = prepare(svm, vectors);
    if (status == F0T_OK)
        *out = svm;
    else
        f0t_ranksvm_free(svm);
    return status;
}

void f0t_ranksvm_free(f0t_ranksvm *svm)
{
    if (!svm)
        return;
    f0t_free(svm->vectors);
    f0t_free(svm->given);
    f0t_free(svm->mean);
    f0t_free(svm->moments);
    f0t_free(svm->gram);
    f0t_packed_free(svm->to_scores);
    f0t_packed_free(svm->from_weights);
    f0t_packed_free(svm->axes);
    f0t_free(svm);
}

f0t_status f0t_ranksvm_scores(float *scores, const f0t_ranksvm *svm, const float *directions,
                              size_t rows)
{
    const f0t_matmul op = {
        .m = rows, .n = svm->tags, .k = svm->rank, .type = F0T_F32, .result = F0T_F32};
    return f0t_matmul_run_packed(scores, directions, svm->to_scores, NULL, &op);
}

f0t_status f0t_ranksvm_sums(float *sums, const f0t_ranksvm *svm, const float *weights, size_t rows)
{
    const f0t_matmul op = {
        .m = rows, .n = svm->rank, .k = svm->tags, .type = F0T_F32, .result = F0T_F32};
    return f0t_matmul_run_packed(sums, weights, svm->from_weights, NULL, &op);
}

f0t_status f0t_ranksvm_restore(float *to, const f0t_ranksvm *svm, const float *directions,
                               size_t rows)
{
    const f0t_matmul op = {
        .m = rows, .n = svm->dims, .k = svm->rank, .type = F0T_F32, .result = F0T_F32};
    return f0t_matmul_run_packed(to, directions, svm->axes, NULL, &op);
}

/* ---- Losses and bounds ------------------------------------------------------------------------- */

/* Curvature of the squared hinge. */
static const double squared = 2;

/* The first problem of a series: λ / k in units of the vectors' size. Near 1/2 few Newton steps
 * solve it from nothing. */
static const double easy = 0.5;

/* How much sharper the next loss is; how much where λ / k is so small that the zone hardly changes any
 * more; and the sharpest: beyond that rounding errors rule. */
static const double sharper = 10, much_sharper = 100, settled = 0.005;
static const double sharpest = 1e9;

/* The largest of t linear − t² quadratic for t up to `most`. */
static double best_multiple(double linear, double quadratic, double most)
{
    double t = quadratic > 0 ? linear / (2 * quadratic) : most;
    t = t < most ? t : most;
    return isfinite(t) ? t * linear - t * t * quadratic : 0;
}

f0t_svm_bounds f0t_svm_bounds_get(const f0t_svm_task *task, f0t_svm_loss loss,
                                  const f0t_svm_sums *sums, double norm, double dual_norm)
{
    const double ridge = task->lambda / 2 * norm, dual_ridge = task->lambda / 2 * dual_norm;
    const double conjugate = sums->square / (2 * loss.k), most = isfinite(loss.cap) ? 1 : HUGE_VAL;
    f0t_svm_bounds bounds = {.rounded_primal = ridge + sums->moment - conjugate,
                             .rounded_dual =
                                 best_multiple(sums->slope, conjugate + dual_ridge, most)};
    if (task->hinge == F0T_HINGE_SQUARED) {
        bounds.primal = ridge + sums->moment / loss.k;
        bounds.dual = best_multiple(sums->slope, sums->square / 4 + dual_ridge, HUGE_VAL);
    } else {
        bounds.primal = ridge + sums->slack;
        bounds.dual = best_multiple(sums->slope, dual_ridge, 1);
    }
    return bounds;
}

double f0t_svm_gap(double upper, double lower)
{
    return upper > lower ? (upper - lower) / upper : 0;
}

f0t_svm_loss f0t_svm_loss_first(const f0t_svm_task *task, double size)
{
    const double k = task->lambda / (easy * size);
    return (f0t_svm_loss){k < squared ? k : squared,
                          task->hinge == F0T_HINGE_SQUARED ? HUGE_VAL : 1};
}

bool f0t_svm_loss_next(f0t_svm_loss *loss, const f0t_svm_task *task, double size)
{
    const double most = task->hinge == F0T_HINGE_SQUARED ? squared : sharpest;
    const bool rough = task->lambda / loss->k > settled * size;
    const double k = loss->k * (rough ? sharper : much_sharper);
    if (loss->k >= most)
        return false;
    loss->k = k < most ? k : most;
    return true;
}

bool f0t_svm_loss_done(const f0t_svm_task *task, f0t_svm_loss loss, const f0t_svm_bounds *bounds)
{
    const double rounded = f0t_svm_gap(bounds->rounded_primal, bounds->rounded_dual);
    if (task->hinge == F0T_HINGE_SQUARED && loss.k >= squared)
        return rounded <= task->gap / 4;
    return rounded <= 0.1 &&
           (task->hinge == F0T_HINGE_SQUARED ||
            bounds->rounded_primal - bounds->rounded_dual <= 0.2 * (bounds->primal - bounds->dual));
}

/* ---- Line search ------------------------------------------------------------------------------- */

enum { GROW = 40, SHRINK = 60 };

static const double enough = 0.1;

/* False position between a slope below and one above 0, in the Illinois form: an end that stays
 * twice counts half. A kink can make that slow, so every third point is the middle. */
static double close_in(f0t_svm_slope slope, void *context, double target, double low,
                       double low_slope, double high, double high_slope)
{
    int last = 0;
    for (int i = 0; i < SHRINK; i++) {
        double part = i % 3 == 2 ? 0.5 : low_slope / (low_slope - high_slope);
        double t = low + (high - low) * part;
        double at = slope(context, t);
        if (fabs(at) <= target)
            return t;
        if (at < 0) {
            low = t;
            low_slope = at;
            high_slope = last < 0 ? high_slope / 2 : high_slope;
            last = -1;
        } else {
            high = t;
            high_slope = at;
            low_slope = last > 0 ? low_slope / 2 : low_slope;
            last = 1;
        }
    }
    return low > 0 ? low : high;
}

double f0t_svm_step(f0t_svm_slope slope, void *context, double start)
{
    const double target = -enough * start;
    double low = 0, low_slope = start, high = 1, high_slope = slope(context, high);
    for (int i = 0; i < GROW && high_slope < -target; i++) {
        low = high;
        low_slope = high_slope;
        high *= 2;
        high_slope = slope(context, high);
    }
    if (high_slope <= target)
        return high;
    return close_in(slope, context, target, low, low_slope, high, high_slope);
}
