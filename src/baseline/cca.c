/*
 * Canonical correlation analysis between the features and the tag indicator y of an image: the
 * directions a, b that maximise the correlation of a·x and b·y, one after the other. Images and tags
 * are compared by their cosine in the common space.
 *
 * Sources: Hotelling, "Relations between two sets of variates", Biometrika 1936; the ridge on both
 * sides after Hardoon, Szedmak, Shawe-Taylor, "Canonical correlation analysis: an overview with
 * application to learning methods", Neural Computation 2004; coordinates scaled by a power of their
 * correlations, and the cosine, after Gong, Ke, Isard, Lazebnik, "A multi-view embedding space for
 * modeling internet images, tags, and their semantics", IJCV 2014.
 *
 * The paper compares with CCA in conventional tagging alone and does not say what stands on the tag
 * side. Here it is the indicator, which loses nothing of the annotation; tag vectors would force
 * T tags through d numbers. So the method is closed: a tag without training images has no place.
 *
 * With C the covariances and r the ridges, the tag side is found first, in T dimensions: b are the
 * eigenvectors of P Cyx (Cxx + rx I)⁻¹ Cxy Pᵀ, P whitening Cyy + ry I, eigenvalues ρ²; and
 * a = (Cxx + rx I)⁻¹ Cxy b / ρ. That takes one Cholesky factorisation of D x D numbers and two
 * eigenproblems of T x T, never one of D x D.
 */
#include "baseline/ranker.h"
#include "compute/scoring.h"

#include "base/alloc.h"
#include "baseline/moments.h"
#include "baseline/scorer.h"
#include "math/elementwise.h"
#include "math/matmul.h"
#include "math/product.h"
#include "math/solve.h"

#include <math.h>
#include <string.h>

/* Shares of the mean variance of a feature, and of a tag. */
static const double RIDGES_X[] = {0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30};
static const double RIDGES_Y[] = {0.01, 0.1, 1, 10, 100, 1000, 1e4, 1e5};
/* Of the T directions there are: a number of them would mean the same for every value above T. */
static const double SHARES[] = {1. / 16, 1. / 8, 1. / 4, 1. / 2, 1};
static const double POWERS[] = {0, 0.5, 1, 2, 4};
enum { RIDGE_X, RIDGE_Y, SHARE, POWER, KNOBS };

static const f0t_knob KNOB_LIST[KNOBS] = {
    {"ridge-x", RIDGES_X, sizeof RIDGES_X / sizeof *RIDGES_X, 4},
    {"ridge-y", RIDGES_Y, sizeof RIDGES_Y / sizeof *RIDGES_Y, 4},
    {"dims-share", SHARES, sizeof SHARES / sizeof *SHARES, 4},
    {"power", POWERS, sizeof POWERS / sizeof *POWERS, 1},
};

typedef struct fitted {
    size_t dims;  /* k */
    float *map;   /* [k x D] from features to the common space, */
    float *shift; /* [k] added there */
    float *tags;  /* [T x k] of length 1 */
} fitted;

/* ---- The analysis ------------------------------------------------------------------------------ */

/* What a fit needs for a while. */
typedef struct room {
    const f0t_task_moments *m; /* centred */
    double *solved;            /* [T x D] Cyx (Cxx + rx I)⁻¹ */
    double *whiten;            /* [T x T] P, row by row */
    double *middle;            /* [T x T] Cyx (Cxx + rx I)⁻¹ Cxy, then in whitened coordinates */
    double *product;           /* [T x T] scratch; in the end b of each direction */
    double *values;            /* [T] eigenvalues */
    double *maps;              /* [T x D] b' Cyx (Cxx + rx I)⁻¹ of each direction */
} room;

static f0t_status allocate(room *r)
{
    const size_t D = r->m->features, T = r->m->tags;
    F0T_TRY(f0t_alloc(&r->solved, T * D, sizeof *r->solved));
    F0T_TRY(f0t_alloc(&r->whiten, T * T, sizeof *r->whiten));
    F0T_TRY(f0t_alloc(&r->middle, T * T, sizeof *r->middle));
    F0T_TRY(f0t_alloc(&r->product, T * T, sizeof *r->product));
    F0T_TRY(f0t_alloc(&r->values, T, sizeof *r->values));
    return f0t_alloc(&r->maps, T * D, sizeof *r->maps);
}

static void release(room *r)
{
    f0t_free(r->solved);
    f0t_free(r->whiten);
    f0t_free(r->middle);
    f0t_free(r->product);
    f0t_free(r->values);
    f0t_free(r->maps);
}

/* P = diag(e^-1/2) E of Cyy + ry I = Eᵀ diag(e) E. */
static f0t_status whiten_tags(room *r, double ridge, const f0t_monitor *monitor)
{
    const size_t T = r->m->tags;
    double *c = r->whiten, trace = 0;
    for (size_t i = 0; i < T * T; i++)
        c[i] = r->m->pairs[i] / r->m->images;
    for (size_t t = 0; t < T; t++)
        trace += c[t * T + t];
    for (size_t t = 0; t < T; t++)
        c[t * T + t] += ridge * trace / (double)T + 1e-12;
    F0T_TRY(f0t_eigen_watched(c, T, r->values, monitor));
    for (size_t i = 0; i < T; i++)
        for (size_t j = 0; j < T; j++)
            c[i * T + j] /= sqrt(fmax(r->values[i], 1e-12));
    return F0T_OK;
}

/* The canonical directions: row i of `middle` in whitened coordinates, values ρ² ascending. */
static f0t_status analyse(room *r, const double *knobs, const f0t_monitor *monitor)
{
    const size_t D = r->m->features, T = r->m->tags;
    const f0t_product square = {.m = T, .n = T, .k = T, .b_transposed = true};
    const f0t_product explained = {.m = T, .n = T, .k = D, .b_transposed = true};
    const f0t_product directions = {.m = T, .n = T, .k = T}, maps = {.m = T, .n = D, .k = T};
    for (size_t i = 0; i < T * D; i++)
        r->solved[i] = r->m->crossed[i];
    F0T_TRY(f0t_task_moments_solve(r->solved, T, r->m, knobs[RIDGE_X], monitor));
    F0T_TRY(whiten_tags(r, knobs[RIDGE_Y], monitor));
    F0T_TRY(f0t_product_f64(r->product, r->solved, r->m->crossed, &explained, monitor));
    for (size_t i = 0; i < T * T; i++)
        r->product[i] /= r->m->images;
    F0T_TRY(f0t_product_f64(r->middle, r->whiten, r->product, &square, monitor));
    F0T_TRY(f0t_product_f64(r->product, r->middle, r->whiten, &square, monitor));
    memcpy(r->middle, r->product, T * T * sizeof *r->middle);
    F0T_TRY(f0t_eigen_watched(r->middle, T, r->values, monitor));
    F0T_TRY(f0t_product_f64(r->product, r->middle, r->whiten, &directions, monitor));
    return f0t_product_f64(r->maps, r->product, r->solved, &maps, monitor);
}

/* ---- The common space -------------------------------------------------------------------------- */

/* Coordinate k of everything: direction `from`, scaled by ρ^power on either side. */
static void set_coordinate(fitted *f, const room *r, size_t k, size_t from, double power)
{
    const size_t D = r->m->features, T = r->m->tags;
    const double rho = sqrt(fmax(r->values[from], 1e-12)), scale = pow(rho, power);
    const double *b = r->product + from * T, *a = r->maps + from * D;
    double shift = 0, mean = 0;
    for (size_t t = 0; t < T; t++)
        mean += b[t] * r->m->counts[t] / r->m->images;
    for (size_t t = 0; t < T; t++)
        f->tags[t * f->dims + k] = (float)(scale * (b[t] - mean));
    for (size_t j = 0; j < D; j++) {
        shift -= scale / rho * a[j] * r->m->sum[j] / r->m->images;
        f->map[k * D + j] = (float)(scale / rho * a[j]);
    }
    f->shift[k] = (float)shift;
}

static void discard(void *memory)
{
    fitted *f = memory;
    if (!f)
        return;
    f0t_free(f->map);
    f0t_free(f->shift);
    f0t_free(f->tags);
    f0t_free(f);
}

static f0t_status make(fitted *f, room *r, const double *knobs, const f0t_monitor *monitor)
{
    const size_t T = r->m->tags;
    F0T_TRY(allocate(r));
    F0T_TRY(analyse(r, knobs, monitor));
    f->dims = (size_t)fmax(1, round(knobs[SHARE] * (double)T));
    F0T_TRY(f0t_alloc(&f->map, f->dims * r->m->features, sizeof *f->map));
    F0T_TRY(f0t_alloc(&f->shift, f->dims, sizeof *f->shift));
    F0T_TRY(f0t_alloc(&f->tags, T * f->dims, sizeof *f->tags));
    for (size_t k = 0; k < f->dims; k++)
        set_coordinate(f, r, k, T - 1 - k, knobs[POWER]);
    f0t_rows_normalise(f->tags, T, f->dims);
    return F0T_OK;
}

/* ---- The method -------------------------------------------------------------------------------- */

static f0t_status prepare(void **shared, const f0t_task *task)
{
    f0t_task_moments *plain, *centred = NULL;
    F0T_TRY(f0t_task_moments_create(&plain, task, NULL));
    f0t_status status = f0t_task_moments_centre(&centred, plain);
    f0t_task_moments_free(plain);
    *shared = centred;
    return status;
}

static void release_shared(void *shared)
{
    f0t_task_moments_free(shared);
}

static f0t_status fit(void **out, const f0t_task *task, void *shared, const double *knobs)
{
    room r = {.m = shared};
    fitted *f = NULL;
    F0T_TRY(f0t_alloc_zero(&f, 1, sizeof *f));
    f0t_status status = make(f, &r, knobs, task->monitor);
    release(&r);
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
    const f0t_matmul map = {
        .m = queries->count, .n = f->dims, .k = f0t_task_features(task), .b_transposed = true};
    float *images = NULL, *rows = NULL;
    f0t_status status = f0t_alloc(&images, queries->count * f->dims, sizeof *images);
    if (status == F0T_OK)
        status = f0t_alloc(&rows, tags->count * f->dims, sizeof *rows);
    if (status == F0T_OK)
        status = f0t_matmul_run_stable(images, queries->features, f->map, f->shift, &map);
    if (status == F0T_OK) {
        f0t_rows_normalise(images, queries->count, f->dims);
        for (size_t i = 0; i < tags->count; i++)
            memcpy(rows + i * f->dims, f->tags + tags->known[i] * f->dims, f->dims * sizeof *rows);
        status = f0t_score_once(scores, images, queries->count, rows, tags->count, f->dims, true);
    }
    f0t_free(images);
    f0t_free(rows);
    return status;
}

/* Factorisations in double precision. */
static double cost(const f0t_task *task, const double *knobs)
{
    const double D = (double)f0t_task_features(task);
    (void)knobs;
    return 5 * D * D * D;
}

const f0t_ranker f0t_ranker_cca = {
    .name = "cca",
    .title = "CCA",
    .source = "Hotelling, Biometrika 1936; Hardoon, Szedmak, Shawe-Taylor, Neural Computation "
              "2004; Gong, Ke, Isard, Lazebnik, IJCV 2014",
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
