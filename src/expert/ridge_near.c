/*
 * Ridge regression from nearness to landmarks. Its penalty is the kernel's: with K the nearness k of the landmarks to each other,
 * features are z = K^(-1/2) k, so that z(x)·z(y) is about exp(-s (1 - cos(x, y))). Axes of K are kept while they say something;
 * what was learned of z is then turned into weights of k.
 */
#include "expert/ridge.h"

#include "base/alloc.h"
#include "math/product.h"
#include "math/solve.h"

#include <math.h>

/* Axes kept; and what is added to their values, of which the mean is 1: images that are twice there have 0. */
enum { AXES = 1024, BLOCK = 256 };
static const double JITTER = 1e-3;

typedef struct work {
    const float *rows;
    size_t count, features; /* M, D */
    const f0t_landmarks *landmarks;
    size_t axes;     /* A */
    double *turn;    /* [A x L] K^(-1/2) along its axes */
    float *z;        /* [M x A] */
    double *mean;    /* [L] of the nearness */
    float *near;     /* [BLOCK x L] */
    double *wide;    /* [BLOCK x L] the same */
    double *product; /* [BLOCK x A] */
} work;

static void release(work *w)
{
    f0t_free(w->turn);
    f0t_free(w->z);
    f0t_free(w->mean);
    f0t_free(w->near);
    f0t_free(w->wide);
    f0t_free(w->product);
}

static f0t_status allocate(work *w)
{
    const size_t L = w->landmarks->count;
    F0T_TRY(f0t_alloc(&w->z, w->count * w->axes, sizeof *w->z));
    F0T_TRY(f0t_alloc_zero(&w->mean, L, sizeof *w->mean));
    F0T_TRY(f0t_alloc(&w->near, BLOCK * L, sizeof *w->near));
    F0T_TRY(f0t_alloc(&w->wide, BLOCK * L, sizeof *w->wide));
    return f0t_alloc(&w->product, BLOCK * w->axes, sizeof *w->product);
}

/* ---- The axes of K --------------------------------------------------------------------------------- */

static f0t_status measure_among(double *among, const f0t_landmarks *l)
{
    const size_t all = l->count * l->count;
    float *narrow;
    F0T_TRY(f0t_alloc(&narrow, all, sizeof *narrow));
    f0t_status status = f0t_landmarks_among(narrow, l);
    for (size_t i = 0; i < all && status == F0T_OK; i++)
        among[i] = (double)narrow[i];
    f0t_free(narrow);
    return status;
}

/* The last axes, of the largest values. */
static f0t_status take_axes(work *w, double *among, double *values, const f0t_monitor *monitor)
{
    const size_t L = w->landmarks->count, first = L - w->axes;
    F0T_TRY(measure_among(among, w->landmarks));
    F0T_TRY(f0t_eigen_watched(among, L, values, monitor));
    F0T_TRY(f0t_alloc(&w->turn, w->axes * L, sizeof *w->turn));
    for (size_t i = 0; i < w->axes; i++) {
        const double factor = 1 / sqrt(fmax(values[first + i], 0) + JITTER);
        for (size_t j = 0; j < L; j++)
            w->turn[i * L + j] = factor * among[(first + i) * L + j];
    }
    return F0T_OK;
}

static f0t_status find_axes(work *w, const f0t_monitor *monitor)
{
    const size_t L = w->landmarks->count;
    double *among = NULL, *values = NULL;
    f0t_status status = f0t_alloc(&among, L * L, sizeof *among);
    if (status == F0T_OK)
        status = f0t_alloc(&values, L, sizeof *values);
    if (status == F0T_OK)
        status = take_axes(w, among, values, monitor);
    f0t_free(among);
    f0t_free(values);
    return status;
}

/* ---- There and back ---------------------------------------------------------------------------------- */

/* z of some rows, whose nearness counts in the mean. */
static f0t_status turn_block(work *w, size_t first, size_t rows, const f0t_monitor *monitor)
{
    const size_t L = w->landmarks->count;
    const f0t_product op = {.m = rows, .n = w->axes, .k = L, .b_transposed = true};
    F0T_TRY(f0t_landmarks_near(w->near, w->landmarks, w->rows + first * w->features, rows));
    for (size_t i = 0; i < rows * L; i++) {
        w->wide[i] = (double)w->near[i];
        w->mean[i % L] += w->wide[i] / (double)w->count;
    }
    F0T_TRY(f0t_product_f64(w->product, w->wide, w->turn, &op, monitor));
    for (size_t i = 0; i < rows * w->axes; i++)
        w->z[first * w->axes + i] = (float)w->product[i];
    return F0T_OK;
}

static f0t_status turn_rows(work *w, const f0t_monitor *monitor)
{
    for (size_t first = 0; first < w->count; first += BLOCK)
        F0T_TRY(turn_block(w, first, w->count - first < BLOCK ? w->count - first : BLOCK, monitor));
    return F0T_OK;
}

/* *weights[rows x A] of z become [rows x L] of the nearness. */
static f0t_status turn_back(float **weights, size_t rows, work *w, const f0t_monitor *monitor)
{
    const size_t L = w->landmarks->count, A = w->axes;
    float *turned;
    F0T_TRY(f0t_alloc(&turned, rows * L, sizeof *turned));
    f0t_status status = F0T_OK;
    for (size_t first = 0; first < rows && status == F0T_OK; first += BLOCK) {
        const size_t some = rows - first < BLOCK ? rows - first : BLOCK;
        const f0t_product op = {.m = some, .n = L, .k = A};
        for (size_t i = 0; i < some * A; i++)
            w->product[i] = (double)(*weights)[first * A + i];
        status = f0t_product_f64(w->wide, w->product, w->turn, &op, monitor);
        for (size_t i = 0; i < some * L && status == F0T_OK; i++)
            turned[first * L + i] = (float)w->wide[i];
    }
    if (status != F0T_OK) {
        f0t_free(turned);
        return status;
    }
    f0t_free(*weights);
    *weights = turned;
    return F0T_OK;
}

static f0t_status to_nearness(f0t_ridge *r, work *w, const f0t_monitor *monitor)
{
    const size_t L = w->landmarks->count;
    F0T_TRY(r->map ? turn_back(&r->map, r->rank, w, monitor)
                   : turn_back(&r->weights, r->tags, w, monitor));
    f0t_free(r->mean);
    r->mean = NULL;
    F0T_TRY(f0t_alloc(&r->mean, L, sizeof *r->mean));
    for (size_t j = 0; j < L; j++)
        r->mean[j] = (float)w->mean[j];
    r->features = L;
    return F0T_OK;
}

/* ---- The whole --------------------------------------------------------------------------------------- */

static f0t_status prepare(work *w, const f0t_monitor *monitor)
{
    F0T_TRY(allocate(w));
    F0T_TRY(find_axes(w, monitor));
    return turn_rows(w, monitor);
}

f0t_status f0t_ridge_fit_near(f0t_ridge **out, const f0t_votes *votes, const float *rows,
                              size_t count, const size_t *offsets, const uint32_t *relevant,
                              const f0t_monitor *monitor)
{
    f0t_landmarks *landmarks;
    f0t_ridge *r = NULL;
    *out = NULL;
    F0T_TRY(f0t_landmarks_create(&landmarks, votes));
    const size_t L = landmarks->count;
    work w = {.rows = rows,
              .count = count,
              .features = votes->features,
              .landmarks = landmarks,
              .axes = L < AXES ? L : AXES};
    f0t_status status = prepare(&w, monitor);
    if (status == F0T_OK)
        status = f0t_ridge_fit_rank(&r, w.z, count, w.axes, offsets, relevant, votes->tags,
                                    f0t_ridge_usual_rank(L, votes->tags), monitor);
    if (status == F0T_OK)
        status = to_nearness(r, &w, monitor);
    release(&w);
    if (status != F0T_OK) {
        f0t_landmarks_free(landmarks);
        f0t_ridge_free(r);
        return status;
    }
    r->landmarks = landmarks;
    *out = r;
    return F0T_OK;
}
