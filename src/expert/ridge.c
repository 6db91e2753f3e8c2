#include "expert/ridge.h"

#include "base/alloc.h"
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
/* A mean squared length's share that is the least penalty; and what error counts as the least. */
static const double SHARE_LEAST = 0.5, NEARLY = 1.025;
enum { PENALTIES = 5, USUAL = 2, JUDGES = 500, GRAM_ROWS = 2048, BLOCK = 256 };

/* ---- Sums over the images ----------------------------------------------------------------------- */

typedef struct work {
    const float *rows;
    size_t count; /* M */
    const size_t *offsets;
    const uint32_t *relevant;
    size_t features, tags; /* D, T */
    size_t size;           /* N = min(M, D) */
    double *mean;          /* [D] */
    double *centred;       /* [M x D] X of the dual; NULL: the primal */
    double *gram;     /* [N x N] XᵀX, or XXᵀ, of the centred features, the lower triangle */
    double *axes;     /* [N x N] the same, then its eigenvectors */
    double *values;   /* [N] its eigenvalues */
    double *sides;    /* [T x N] YᵀX, or Yᵀ, centred; then these times (gram + λ)⁻¹ */
    size_t *counts;   /* [T] images with the tag */
    uint32_t *judges; /* [J] the most frequent tags */
    double *chosen;   /* [J x N] their sides */
    double *turned;   /* [J x N] along the axes */
    bool turns;       /* `axes` are the eigenvectors */
} work;

static f0t_status allocate(work *w)
{
    const size_t D = w->features, N = w->size;
    F0T_TRY(f0t_alloc_zero(&w->mean, D, sizeof *w->mean));
    if (w->count < D)
        F0T_TRY(f0t_alloc(&w->centred, w->count, D * sizeof *w->centred));
    F0T_TRY(f0t_alloc_zero(&w->gram, N, N * sizeof *w->gram));
    F0T_TRY(f0t_alloc(&w->axes, N, N * sizeof *w->axes));
    F0T_TRY(f0t_alloc(&w->values, N, sizeof *w->values));
    F0T_TRY(f0t_alloc_zero(&w->sides, w->tags, N * sizeof *w->sides));
    F0T_TRY(f0t_alloc_zero(&w->counts, w->tags, sizeof *w->counts));
    F0T_TRY(f0t_alloc(&w->judges, JUDGES, sizeof *w->judges));
    F0T_TRY(f0t_alloc(&w->chosen, JUDGES * N, sizeof *w->chosen));
    return f0t_alloc(&w->turned, JUDGES * N, sizeof *w->turned);
}

static void release(work *w)
{
    f0t_free(w->mean);
    f0t_free(w->centred);
    f0t_free(w->gram);
    f0t_free(w->axes);
    f0t_free(w->values);
    f0t_free(w->sides);
    f0t_free(w->counts);
    f0t_free(w->judges);
    f0t_free(w->chosen);
    f0t_free(w->turned);
}

static void sum_means(work *w)
{
    const size_t D = w->features;
    for (size_t i = 0; i < w->count; i++)
        for (size_t j = 0; j < D; j++)
            w->mean[j] += (double)w->rows[i * D + j] / (double)w->count;
    for (size_t at = 0; at < w->offsets[w->count]; at++)
        w->counts[w->relevant[at]]++;
}

static f0t_status primal_gram(work *w)
{
    const size_t D = w->features;
    for (size_t first = 0; first < w->count; first += GRAM_ROWS)
        F0T_TRY(f0t_gram_add(w->gram, w->rows + first * D,
                             w->count - first < GRAM_ROWS ? w->count - first : GRAM_ROWS, D));
    for (size_t i = 0; i < D; i++)
        for (size_t j = 0; j <= i; j++)
            w->gram[i * D + j] -= (double)w->count * w->mean[i] * w->mean[j];
    return F0T_OK;
}

/* Centred indicators and centred features have the products of plain indicators and centred features. */
static void primal_sides(work *w)
{
    const size_t D = w->features;
    for (size_t i = 0; i < w->count; i++)
        for (size_t at = w->offsets[i]; at < w->offsets[i + 1]; at++) {
            double *sum = w->sides + w->relevant[at] * D;
            for (size_t j = 0; j < D; j++)
                sum[j] += (double)w->rows[i * D + j] - w->mean[j];
        }
}

static f0t_status dual_gram(work *w, const f0t_monitor *monitor)
{
    const size_t D = w->features, M = w->count;
    const f0t_product square = {.m = M, .n = M, .k = D, .b_transposed = true, .lower = true};
    for (size_t i = 0; i < M; i++)
        for (size_t j = 0; j < D; j++)
            w->centred[i * D + j] = (double)w->rows[i * D + j] - w->mean[j];
    return f0t_product_f64(w->gram, w->centred, w->centred, &square, monitor);
}

static void dual_sides(work *w)
{
    const size_t M = w->count;
    for (size_t t = 0; t < w->tags; t++)
        for (size_t i = 0; i < M; i++)
            w->sides[t * M + i] = -(double)w->counts[t] / (double)M;
    for (size_t i = 0; i < M; i++)
        for (size_t at = w->offsets[i]; at < w->offsets[i + 1]; at++)
            w->sides[w->relevant[at] * M + i] += 1;
}

/* Of the two systems with the same solution the smaller one: (XᵀX + λ) w = Xᵀy, or w = Xᵀ (XXᵀ + λ)⁻¹ y. */
static f0t_status sum_all(work *w, const f0t_monitor *monitor)
{
    sum_means(w);
    if (w->centred) {
        F0T_TRY(dual_gram(w, monitor));
        dual_sides(w);
    } else {
        F0T_TRY(primal_gram(w));
        primal_sides(w);
    }
    memcpy(w->axes, w->gram, w->size * w->size * sizeof *w->axes);
    return F0T_OK;
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
        memcpy(w->chosen + i * w->size, w->sides + w->judges[i] * w->size,
               w->size * sizeof *w->chosen);
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
    for (size_t d = 0; d < w->size; d++) {
        const double v = fmax(w->values[d], 0), s = 1 / (v + lambda);
        total -= squares[d] * (2 * s - v * s * s);
        left -= v * s;
    }
    return fmax(total, 0) / (left * left);
}

/* The smallest penalty, at least `floor`, whose error is about the least. */
static double best_penalty(const work *w, const double *squares, double total, double unit,
                           double floor)
{
    double errors[PENALTIES], least = INFINITY;
    for (size_t i = 0; i < PENALTIES; i++) {
        errors[i] = generalised_error(w, squares, total, fmax(penalties[i] * unit, floor));
        least = fmin(least, errors[i]);
    }
    for (size_t i = 0; i < PENALTIES; i++)
        if (errors[i] <= NEARLY * least)
            return fmax(penalties[i] * unit, floor);
    return penalties[USUAL] * unit;
}

/* squares[N]: Σ (uᵀXᵀy)² over the judges for each axis u; the dual's eigenvectors are those of Xu / √v. */
static f0t_status judge(double *squares, work *w, size_t judges, const f0t_monitor *monitor)
{
    const size_t N = w->size;
    const f0t_product turn = {.m = judges, .n = N, .k = N, .b_transposed = true};
    F0T_TRY(f0t_eigen_watched(w->axes, N, w->values, monitor));
    F0T_TRY(f0t_product_f64(w->turned, w->chosen, w->axes, &turn, monitor));
    memset(squares, 0, N * sizeof *squares);
    for (size_t i = 0; i < judges; i++)
        for (size_t d = 0; d < N; d++)
            squares[d] += w->turned[i * N + d] * w->turned[i * N + d];
    for (size_t d = 0; w->centred && d < N; d++)
        squares[d] *= fmax(w->values[d], 0);
    return F0T_OK;
}

/* Features without extent have no eigenvectors. */
static f0t_status choose(double *lambda, work *w, const f0t_monitor *monitor)
{
    const size_t judges = take_judges(w);
    const double least = ROUNDING * (double)w->count;
    double trace = 0, *squares = w->chosen; /* not needed once turned */
    for (size_t d = 0; d < w->size; d++)
        trace += w->gram[d * w->size + d];
    const double unit = trace / (double)w->features, floor = SHARE_LEAST * trace / (double)w->count;
    *lambda = fmax(penalties[USUAL] * unit, least);
    w->turns = judges && trace >= least;
    if (!w->turns)
        return F0T_OK;
    F0T_TRY(judge(squares, w, judges, monitor));
    *lambda = fmax(best_penalty(w, squares, indicator_squares(w, judges), unit, floor), least);
    return F0T_OK;
}

/* ---- Fit ---------------------------------------------------------------------------------------- */

static void set_bases(f0t_ridge *r, const work *w)
{
    for (size_t j = 0; j < w->features; j++)
        r->mean[j] = (float)w->mean[j];
    for (size_t t = 0; t < w->tags; t++)
        r->base[t] = (float)((double)w->counts[t] / (double)w->count);
}

static void round_rows(float *to, const double *from, size_t n)
{
    for (size_t i = 0; i < n; i++)
        to[i] = (float)from[i];
}

/* The sides times X, some tags at a time: in double they are twice the weights. */
static f0t_status dual_weights(float *weights, const work *w, const f0t_monitor *monitor)
{
    const size_t D = w->features, M = w->count;
    double *block;
    f0t_status status = F0T_OK;
    F0T_TRY(f0t_alloc(&block, BLOCK * D, sizeof *block));
    for (size_t first = 0; first < w->tags && status == F0T_OK; first += BLOCK) {
        const size_t tags = w->tags - first < BLOCK ? w->tags - first : BLOCK;
        const f0t_product op = {.m = tags, .n = D, .k = M};
        status = f0t_product_f64(block, w->sides + first * M, w->centred, &op, monitor);
        round_rows(weights + first * D, block, tags * D);
    }
    f0t_free(block);
    return status;
}

/* The lower triangle is the solver's, and a copy of it lies in the upper one. */
static void copy_to_upper(double *a, size_t n)
{
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++)
            a[j * n + i] = a[i * n + j];
}

static void restore_lower(double *a, const double *diagonal, size_t n, double lambda)
{
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < i; j++)
            a[i * n + j] = a[j * n + i];
        a[i * n + i] = diagonal[i] + lambda;
    }
}

/* Of features that are (nearly) the same centring leaves rounding alone, which may be negative and more than the penalty:
 * then that grows, up to the sum of all squares. Other features never get there. */
static f0t_status solve_gram(work *w, double *lambda, double *diagonal, const f0t_monitor *monitor)
{
    const size_t N = w->size;
    const double most = (double)w->count;
    copy_to_upper(w->gram, N);
    for (size_t d = 0; d < N; d++) {
        diagonal[d] = w->gram[d * N + d];
        w->gram[d * N + d] += *lambda;
    }
    for (;;) {
        const f0t_status status = f0t_cholesky_solve_f64(w->gram, N, w->sides, w->tags, monitor);
        if (status != F0T_ERROR_NUMERIC || *lambda >= most)
            return status;
        *lambda *= 100;
        restore_lower(w->gram, diagonal, N, *lambda);
    }
}

static f0t_status full_weights(f0t_ridge *r, work *w, const f0t_monitor *monitor)
{
    const size_t D = w->features, N = w->size;
    double *diagonal;
    F0T_TRY(f0t_alloc(&r->weights, w->tags * D, sizeof *r->weights));
    F0T_TRY(f0t_alloc(&diagonal, N, sizeof *diagonal));
    f0t_status status = solve_gram(w, &r->lambda, diagonal, monitor);
    f0t_free(diagonal);
    F0T_TRY(status);
    if (w->centred)
        return dual_weights(r->weights, w, monitor);
    round_rows(r->weights, w->sides, w->tags * D);
    return F0T_OK;
}

/* ---- A small rank ------------------------------------------------------------------------------- */

/* With the axes u of values v the fitted indicators are Σ c_u e_u, e_u of length 1 and orthogonal: the best of a rank
 * are those along the first eigenvectors Q of Σ over tags of c cᵀ. Then L = c Q, and R the products with Q of what gives
 * e_u for any features: u / √v, or of the dual Xu / v. */
typedef struct reduction {
    size_t axes;      /* K, those of the largest values; the others say hardly anything */
    double *fitted;   /* [K x T] c */
    double *products; /* [K x K] then its eigenvectors, the last ones first in weight */
    double *values;   /* [K] */
    double *left;     /* [r x T] */
    double *turned;   /* [r x N] Q along the axes */
    double *right;    /* [r x D] */
} reduction;

static f0t_status allocate_reduction(reduction *s, const work *w, size_t rank)
{
    F0T_TRY(f0t_alloc(&s->fitted, w->tags, s->axes * sizeof *s->fitted));
    F0T_TRY(f0t_alloc(&s->products, s->axes, s->axes * sizeof *s->products));
    F0T_TRY(f0t_alloc(&s->values, s->axes, sizeof *s->values));
    F0T_TRY(f0t_alloc(&s->left, w->tags, rank * sizeof *s->left));
    F0T_TRY(f0t_alloc(&s->turned, rank * w->size, sizeof *s->turned));
    return f0t_alloc(&s->right, rank * w->features, sizeof *s->right);
}

static void release_reduction(reduction *s)
{
    f0t_free(s->fitted);
    f0t_free(s->products);
    f0t_free(s->values);
    f0t_free(s->left);
    f0t_free(s->turned);
    f0t_free(s->right);
}

/* What the factor of a value's axis is in c, and in R. */
static double fitted_factor(const work *w, double v, double lambda)
{
    v = fmax(v, 0);
    return (w->centred ? v : sqrt(v)) / (v + lambda);
}

static double right_factor(const work *w, double v)
{
    if (v <= 1e-10 * w->values[w->size - 1])
        return 0;
    return 1 / (w->centred ? v : sqrt(v));
}

static f0t_status reduce_left(reduction *s, const work *w, size_t rank, double lambda,
                              const f0t_monitor *monitor)
{
    const size_t K = s->axes, N = w->size, T = w->tags;
    const f0t_product turn = {.m = K, .n = T, .k = N, .b_transposed = true},
                      square = {.m = K, .n = K, .k = T, .b_transposed = true, .lower = true},
                      choice = {.m = rank, .n = T, .k = K};
    F0T_TRY(f0t_product_f64(s->fitted, w->axes + (N - K) * N, w->sides, &turn, monitor));
    for (size_t u = 0; u < K; u++)
        for (size_t t = 0; t < T; t++)
            s->fitted[u * T + t] *= fitted_factor(w, w->values[N - K + u], lambda);
    F0T_TRY(f0t_product_f64(s->products, s->fitted, s->fitted, &square, monitor));
    F0T_TRY(f0t_eigen_watched(s->products, K, s->values, monitor));
    return f0t_product_f64(s->left, s->products + (K - rank) * K, s->fitted, &choice, monitor);
}

static f0t_status reduce_right(reduction *s, const work *w, size_t rank, const f0t_monitor *monitor)
{
    const size_t K = s->axes, N = w->size, D = w->features;
    double *chosen = s->products + (K - rank) * K;
    const f0t_product turn = {.m = rank, .n = N, .k = K}, back = {.m = rank, .n = D, .k = N};
    for (size_t q = 0; q < rank; q++)
        for (size_t u = 0; u < K; u++)
            chosen[q * K + u] *= right_factor(w, w->values[N - K + u]);
    if (!w->centred)
        return f0t_product_f64(s->right, chosen, w->axes + (N - K) * N, &turn, monitor);
    F0T_TRY(f0t_product_f64(s->turned, chosen, w->axes + (N - K) * N, &turn, monitor));
    return f0t_product_f64(s->right, s->turned, w->centred, &back, monitor);
}

static f0t_status reduced_weights(f0t_ridge *r, const work *w, size_t rank,
                                  const f0t_monitor *monitor)
{
    const size_t most = 4 * rank;
    reduction s = {.axes = w->size < most ? w->size : most};
    F0T_TRY(f0t_alloc(&r->weights, w->tags * rank, sizeof *r->weights));
    F0T_TRY(f0t_alloc(&r->map, rank * w->features, sizeof *r->map));
    r->rank = rank;
    f0t_status status = allocate_reduction(&s, w, rank);
    if (status == F0T_OK)
        status = reduce_left(&s, w, rank, r->lambda, monitor);
    if (status == F0T_OK)
        status = reduce_right(&s, w, rank, monitor);
    if (status == F0T_OK) {
        round_rows(r->map, s.right, rank * w->features);
        for (size_t t = 0; t < w->tags; t++)
            for (size_t q = 0; q < rank; q++)
                r->weights[t * rank + q] = (float)s.left[q * w->tags + t];
    }
    release_reduction(&s);
    return status;
}

/* ---- The whole ---------------------------------------------------------------------------------- */

static f0t_status fit(f0t_ridge *r, work *w, size_t rank, const f0t_monitor *monitor)
{
    F0T_TRY(allocate(w));
    F0T_TRY(f0t_alloc(&r->mean, w->features, sizeof *r->mean));
    F0T_TRY(f0t_alloc(&r->base, w->tags, sizeof *r->base));
    F0T_TRY(sum_all(w, monitor));
    F0T_TRY(choose(&r->lambda, w, monitor));
    set_bases(r, w);
    rank = rank < w->size ? rank : w->size;
    return rank && w->turns ? reduced_weights(r, w, rank, monitor) : full_weights(r, w, monitor);
}

f0t_status f0t_ridge_fit_rank(f0t_ridge **out, const float *rows, size_t count, size_t features,
                              const size_t *offsets, const uint32_t *relevant, size_t tags,
                              size_t rank, const f0t_monitor *monitor)
{
    f0t_ridge *r = NULL;
    work w = {.rows = rows,
              .count = count,
              .offsets = offsets,
              .relevant = relevant,
              .features = features,
              .tags = tags,
              .size = count < features ? count : features};
    *out = NULL;
    if (!count || !features)
        return f0t_fail(F0T_ERROR_ARGUMENT, "ridge regression needs images with features");
    F0T_TRY(f0t_alloc_zero(&r, 1, sizeof *r));
    r->features = features;
    r->tags = tags;
    f0t_status status = fit(r, &w, rank, monitor);
    release(&w);
    if (status != F0T_OK) {
        f0t_ridge_free(r);
        return status;
    }
    *out = r;
    return F0T_OK;
}

size_t f0t_ridge_usual_rank(size_t features, size_t tags)
{
    const double full = (double)features * (double)tags,
                 reduced = (double)F0T_RIDGE_RANK * ((double)features + (double)tags);
    return reduced < full / 2 ? F0T_RIDGE_RANK : 0;
}

f0t_status f0t_ridge_fit(f0t_ridge **out, const float *rows, size_t count, size_t features,
                         const size_t *offsets, const uint32_t *relevant, size_t tags,
                         const f0t_monitor *monitor)
{
    return f0t_ridge_fit_rank(out, rows, count, features, offsets, relevant, tags,
                              f0t_ridge_usual_rank(features, tags), monitor);
}

void f0t_ridge_free(f0t_ridge *r)
{
    if (!r)
        return;
    f0t_free(r->mean);
    f0t_free(r->map);
    f0t_free(r->weights);
    f0t_free(r->base);
    f0t_landmarks_free(r->landmarks);
    f0t_free(r);
}

/* ---- Scores ------------------------------------------------------------------------------------- */

/* Numbers of an image as it is given. */
static size_t given_size(const f0t_ridge *r)
{
    return r->landmarks ? r->landmarks->metric.features : r->features;
}

/* x of an image, before the mean is taken off. */
static f0t_status take_features(float *to, const f0t_ridge *r, const float *features, size_t rows)
{
    if (r->landmarks)
        return f0t_landmarks_near(to, r->landmarks, features, rows);
    memcpy(to, features, rows * r->features * sizeof *to);
    f0t_rows_normalise(to, rows, r->features);
    return F0T_OK;
}

/* `room` has rows x D numbers, and is not used where the rank is full. */
static f0t_status map_block(float *inner, const f0t_ridge *r, const float *features, size_t rows,
                            float *room)
{
    const size_t D = r->features;
    const f0t_matmul map = {.m = rows, .n = r->rank, .k = D, .b_transposed = true};
    float *centred = r->map ? room : inner;
    F0T_TRY(take_features(centred, r, features, rows));
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < D; j++)
            centred[i * D + j] -= r->mean[j];
    return r->map ? f0t_matmul_run_stable(inner, centred, r->map, NULL, &map) : F0T_OK;
}

static size_t inner_size(const f0t_ridge *r)
{
    return r->map ? r->rank : r->features;
}

f0t_status f0t_ridge_inner(float *inner, const f0t_ridge *r, const float *features, size_t rows)
{
    f0t_workspace *room;
    f0t_status status = F0T_OK;
    F0T_TRY(f0t_workspace_take(&room, (rows < BLOCK ? rows : BLOCK) * r->features * sizeof(float)));
    for (size_t first = 0; first < rows && status == F0T_OK; first += BLOCK)
        status = map_block(inner + first * inner_size(r), r, features + first * given_size(r),
                           rows - first < BLOCK ? rows - first : BLOCK, room->data);
    f0t_workspace_give(room);
    return status;
}

f0t_status f0t_ridge_score(float *out, const f0t_ridge *r, const float *features, size_t rows)
{
    const size_t most = rows < BLOCK ? rows : BLOCK;
    f0t_workspace *room;
    f0t_status status = F0T_OK;
    F0T_TRY(f0t_workspace_take(&room, most * (r->features + inner_size(r)) * sizeof(float)));
    float *inner = (float *)room->data + most * r->features;
    for (size_t first = 0; first < rows && status == F0T_OK; first += BLOCK) {
        const size_t n = rows - first < BLOCK ? rows - first : BLOCK;
        const f0t_matmul op = {.m = n, .n = r->tags, .k = inner_size(r), .b_transposed = true};
        status = map_block(inner, r, features + first * given_size(r), n, room->data);
        if (status == F0T_OK)
            status = f0t_matmul_run_stable(out + first * r->tags, inner, r->weights, r->base, &op);
    }
    f0t_workspace_give(room);
    return status;
}
