#include "rank/ranklist.h"

#include "base/alloc.h"
#include "base/monitor.h"
#include "base/size.h"
#include "base/team.h"
#include "rank/ranksvm_problem.h"

#include <math.h>
#include <string.h>

/*
 * Newton steps by conjugate gradients, for all lists of a batch in lockstep. Where all pairs are
 * active, as they are at w = 0, the Laplacian is T I − 1 1ᵀ but for ties, and on the principal axes
 * the Hessian is the diagonal λ + 2 T moments: as preconditioner, with the share of active pairs, it
 * leaves little to the conjugate gradients.
 */
enum { BATCH = 256, PARTS = 16, NEWTON = 60, CONJUGATE = 40, LEAST_ROWS = 16 };

static const double DEFAULT_GAP = 0.001, ENOUGH = 0.01;

/* A list that is being solved. */
typedef struct item {
    size_t number;      /* of the list */
    f0t_list_sums sums; /* at w */
    double energy;      /* r·z of the conjugate gradients */
    double wanted;      /* and where to stop */
    bool stopped;       /* they did */
    f0t_ranksvm_result result;
} item;

/* Row i belongs to items[i], i < live. */
typedef struct batch {
    const f0t_ranksvm *svm;
    double lambda, gap;
    size_t live;
    item *items;
    uint32_t *levels, *order; /* [BATCH x T] */
    float *degrees;           /* [BATCH x T] */
    float *scores, *weights;  /* [BATCH x T] of w, and what a product sums vectors with */
    float *along;             /* [BATCH x T] scores of p, then of the step */
    float *w, *step;          /* [BATCH x rank] */
    float *rest, *p, *sums;   /* [BATCH x rank] */
    f0t_list_pairs *rooms[PARTS];
    float *trial[PARTS]; /* [2 T] */
} batch;

/* ---- Memory ------------------------------------------------------------------------------------ */

static f0t_status allocate(batch *b)
{
    const size_t T = b->svm->tags, R = b->svm->rank;
    size_t wide;
    if (!f0t_size_mul(&wide, BATCH, T > R ? T : R))
        return f0t_fail(F0T_ERROR_MEMORY, "no memory for lists of %zu tags", T);
    F0T_TRY(f0t_alloc(&b->items, BATCH, sizeof *b->items));
    F0T_TRY(f0t_alloc(&b->levels, BATCH * T, sizeof *b->levels));
    F0T_TRY(f0t_alloc(&b->order, BATCH * T, sizeof *b->order));
    float **of_tags[] = {&b->degrees, &b->scores, &b->weights, &b->along};
    for (size_t i = 0; i < sizeof of_tags / sizeof *of_tags; i++)
        F0T_TRY(f0t_alloc_zero(of_tags[i], BATCH * T, sizeof **of_tags[i]));
    float **of_axes[] = {&b->w, &b->step, &b->rest, &b->p, &b->sums};
    for (size_t i = 0; i < sizeof of_axes / sizeof *of_axes; i++)
        F0T_TRY(f0t_alloc_zero(of_axes[i], BATCH * R, sizeof **of_axes[i]));
    for (size_t i = 0; i < PARTS; i++) {
        F0T_TRY(f0t_list_pairs_create(&b->rooms[i], T));
        F0T_TRY(f0t_alloc(&b->trial[i], 2 * T, sizeof *b->trial[i]));
    }
    return F0T_OK;
}

static void release(batch *b)
{
    f0t_free(b->items);
    f0t_free(b->levels);
    f0t_free(b->order);
    float *const arrays[] = {b->degrees, b->scores, b->weights, b->along, b->w,
                             b->step,    b->rest,   b->p,       b->sums};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        f0t_free(arrays[i]);
    for (size_t i = 0; i < PARTS; i++) {
        f0t_list_pairs_free(b->rooms[i]);
        f0t_free(b->trial[i]);
    }
}

/* Rows of a product: with very few, other kernels would sum in another order, and a list's direction
 * would depend on its company. Those beyond the live ones are of no interest. */
static size_t product_rows(const batch *b)
{
    return b->live > LEAST_ROWS ? b->live : LEAST_ROWS;
}

/* Does something to each row, with the room of its part. */
typedef void (*row_work)(batch *b, size_t row, size_t part);

static void each_row(batch *b, row_work work)
{
    int threads = f0t_team_size();
    (void)threads;
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads)
    for (size_t part = 0; part < PARTS; part++)
        for (size_t i = b->live * part / PARTS; i < b->live * (part + 1) / PARTS; i++)
            work(b, i, part);
}

static double dot(const float *a, const float *b, size_t n)
{
    double sum[4] = {0};
    size_t i = 0;
    for (; i + 4 <= n; i += 4)
        for (size_t j = 0; j < 4; j++)
            sum[j] += (double)a[i + j] * (double)b[i + j];
    for (; i < n; i++)
        sum[0] += (double)a[i] * (double)b[i];
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

/* ---- A point ----------------------------------------------------------------------------------- */

static void row_gradient(batch *b, size_t i, size_t part)
{
    const size_t T = b->svm->tags;
    f0t_list_gradient(b->rooms[part], &b->items[i].sums, b->weights + i * T, b->order + i * T,
                      b->degrees + i * T, b->scores + i * T, b->levels + i * T);
}

static double precondition(const batch *b, const item *it, size_t axis)
{
    const double T = (double)b->svm->tags, pairs = T * (T - 1) / 2;
    return b->lambda + 2 * T * b->svm->moments[axis] * it->sums.active / pairs;
}

/* Upper and lower bound, as in ranksvm_problem.h with α = 2z; and the start of the next Newton step. */
static void row_bounds(batch *b, size_t i, size_t part)
{
    const size_t R = b->svm->rank;
    item *it = &b->items[i];
    float *w = b->w + i * R, *rest = b->rest + i * R, *p = b->p + i * R, *sums = b->sums + i * R;
    (void)part;
    const double primal = b->lambda / 2 * dot(w, w, R) + it->sums.square;
    const double linear = 2 * it->sums.slack;
    const double quadratic = it->sums.square + dot(sums, sums, R) / (2 * b->lambda);
    const double dual = quadratic > 0 ? linear * linear / (4 * quadratic) : primal;
    it->result.objective = primal;
    it->result.gap = f0t_svm_gap(primal, dual);
    it->energy = 0;
    for (size_t k = 0; k < R; k++) {
        rest[k] = (float)((double)sums[k] - b->lambda * (double)w[k]);
        p[k] = (float)((double)rest[k] / precondition(b, it, k));
        it->energy += (double)rest[k] * (double)p[k];
        b->step[i * R + k] = 0;
    }
    it->wanted = ENOUGH * it->energy;
    it->stopped = !(it->energy > 0);
}

/* ---- Conjugate gradients ----------------------------------------------------------------------- */

static void row_hessian(batch *b, size_t i, size_t part)
{
    const size_t T = b->svm->tags;
    if (b->items[i].stopped)
        return;
    f0t_list_hessian(b->rooms[part], b->weights + i * T, b->along + i * T, b->scores + i * T,
                     b->levels + i * T, b->order + i * T, b->degrees + i * T);
}

static void row_conjugate(batch *b, size_t i, size_t part)
{
    const size_t R = b->svm->rank;
    item *it = &b->items[i];
    float *step = b->step + i * R, *rest = b->rest + i * R, *p = b->p + i * R,
          *sums = b->sums + i * R;
    (void)part;
    if (it->stopped)
        return;
    const double curvature = dot(p, sums, R) + b->lambda * dot(p, p, R);
    const double length = it->energy / curvature;
    double energy = 0;
    for (size_t k = 0; k < R; k++) {
        step[k] += (float)(length * (double)p[k]);
        rest[k] -= (float)(length * ((double)sums[k] + b->lambda * (double)p[k]));
        energy += (double)rest[k] * (double)rest[k] / precondition(b, it, k);
    }
    const double share = energy / it->energy;
    for (size_t k = 0; k < R; k++)
        p[k] = (float)((double)rest[k] / precondition(b, it, k) + share * (double)p[k]);
    it->energy = energy;
    it->stopped = !(energy > it->wanted);
}

static bool any_goes_on(const batch *b)
{
    for (size_t i = 0; i < b->live; i++)
        if (!b->items[i].stopped)
            return true;
    return false;
}

/* ---- Along the step ---------------------------------------------------------------------------- */

typedef struct line {
    batch *b;
    size_t row, part;
    double by_w, by_step; /* λ w·step, λ step·step */
} line;

static double slope(void *context, double t)
{
    const line *l = context;
    const size_t T = l->b->svm->tags;
    const float *scores = l->b->scores + l->row * T, *along = l->b->along + l->row * T;
    float *at = l->b->trial[l->part], *weights = at + T;
    f0t_list_sums sums;
    for (size_t i = 0; i < T; i++)
        at[i] = (float)((double)scores[i] + t * (double)along[i]);
    f0t_list_gradient(l->b->rooms[l->part], &sums, weights, NULL, NULL, at,
                      l->b->levels + l->row * T);
    return l->by_w + t * l->by_step - dot(weights, along, T);
}

static void row_advance(batch *b, size_t i, size_t part)
{
    const size_t R = b->svm->rank;
    float *w = b->w + i * R, *step = b->step + i * R;
    line l = {b, i, part, b->lambda * dot(w, step, R), b->lambda * dot(step, step, R)};
    const double start = slope(&l, 0);
    const double length = start < 0 ? f0t_svm_step(slope, &l, start) : 0;
    for (size_t k = 0; k < R; k++)
        w[k] += (float)(length * (double)step[k]);
    b->items[i].result.rounds++;
}

/* ---- The batch --------------------------------------------------------------------------------- */

/* Gives the results of solved lists away, and closes the gaps that they leave. */
static f0t_status take_results(batch *b, float *directions, f0t_ranksvm_result *results, bool all)
{
    const size_t T = b->svm->tags, R = b->svm->rank;
    size_t kept = 0;
    for (size_t i = 0; i < b->live; i++) {
        const item *it = &b->items[i];
        /* Where λ is large w = 0 is near the optimum, but ranks nothing: one step is always taken. */
        bool stepped = it->result.rounds > 0 || it->sums.active == 0;
        if (all || (it->result.gap <= b->gap && stepped)) {
            F0T_TRY(f0t_ranksvm_restore(directions + it->number * b->svm->dims, b->svm,
                                        b->w + i * R, 1));
            if (results)
                results[it->number] = it->result;
            continue;
        }
        if (kept != i) {
            b->items[kept] = *it;
            float *rows[] = {b->w, b->step, b->rest, b->p};
            for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
                memcpy(rows[k] + kept * R, rows[k] + i * R, R * sizeof **rows);
            float *wide[] = {b->scores, b->degrees};
            for (size_t k = 0; k < sizeof wide / sizeof *wide; k++)
                memcpy(wide[k] + kept * T, wide[k] + i * T, T * sizeof **wide);
            memcpy(b->levels + kept * T, b->levels + i * T, T * sizeof *b->levels);
            memcpy(b->order + kept * T, b->order + i * T, T * sizeof *b->order);
        }
        kept++;
    }
    b->live = kept;
    return F0T_OK;
}

static f0t_status newton_step(batch *b)
{
    for (int i = 0; i < CONJUGATE && any_goes_on(b); i++) {
        F0T_TRY(f0t_ranksvm_scores(b->along, b->svm, b->p, product_rows(b)));
        each_row(b, row_hessian);
        F0T_TRY(f0t_ranksvm_sums(b->sums, b->svm, b->weights, product_rows(b)));
        each_row(b, row_conjugate);
    }
    F0T_TRY(f0t_ranksvm_scores(b->along, b->svm, b->step, product_rows(b)));
    each_row(b, row_advance);
    return F0T_OK;
}

static f0t_status solve_batch(batch *b, const float *lists, size_t first, size_t rows,
                              float *directions, f0t_ranksvm_result *results)
{
    const size_t T = b->svm->tags;
    b->live = rows;
    memset(b->w, 0, rows * b->svm->rank * sizeof *b->w);
    memset(b->weights, 0, rows * T * sizeof *b->weights);
    for (size_t i = 0; i < rows; i++) {
        b->items[i] = (item){.number = first + i};
        f0t_list_levels(b->rooms[0], b->levels + i * T, lists + (first + i) * T);
    }
    for (int i = 0; i < NEWTON && b->live; i++) {
        F0T_TRY(f0t_ranksvm_scores(b->scores, b->svm, b->w, product_rows(b)));
        each_row(b, row_gradient);
        F0T_TRY(f0t_ranksvm_sums(b->sums, b->svm, b->weights, product_rows(b)));
        each_row(b, row_bounds);
        F0T_TRY(take_results(b, directions, results, i + 1 == NEWTON));
        if (b->live)
            F0T_TRY(newton_step(b));
    }
    return F0T_OK;
}

static f0t_status check(const float *lists, size_t rows, size_t tags, double lambda)
{
    if (!(lambda > 0) || !isfinite(lambda))
        return f0t_fail(F0T_ERROR_ARGUMENT, "λ is %g; it must be above 0", lambda);
    for (size_t i = 0; i < rows * tags; i++)
        if (isnan(lists[i]))
            return f0t_fail(F0T_ERROR_NUMERIC, "list %zu has no number for tag %zu", i / tags,
                            i % tags);
    return F0T_OK;
}

f0t_status f0t_ranklist_solve(float *directions, f0t_ranksvm_result *results,
                              const f0t_ranksvm *svm, const float *lists, size_t rows,
                              double lambda, double gap, const f0t_monitor *monitor)
{
    batch b = {.svm = svm, .lambda = lambda, .gap = gap > 0 ? gap : DEFAULT_GAP};
    F0T_TRY(check(lists, rows, svm->tags, lambda));
    f0t_stage stage = f0t_stage_begin(monitor, "learning ranking lists", "lists", rows);
    f0t_status status = allocate(&b);
    for (size_t first = 0; first < rows && status == F0T_OK; first += BATCH) {
        status = f0t_stage_update(&stage, first);
        if (status == F0T_OK)
            status = solve_batch(&b, lists, first, rows - first < BATCH ? rows - first : BATCH,
                                 directions, results);
    }
    if (status == F0T_OK)
        f0t_stage_end(&stage);
    release(&b);
    return status;
}
