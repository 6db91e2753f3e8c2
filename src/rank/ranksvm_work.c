#include "rank/ranksvm_work.h"

#include "base/alloc.h"
#include "rank/ranksvm_step.h"

#include <math.h>
#include <string.h>

enum { NEWTON_STEPS = 60 };

/* What the scores of a float32 direction are wrong by, in units of the lengths multiplied. */
static const double rounding = 2.5e-7;

/* ---- Memory ---------------------------------------------------------------------------------- */

static f0t_status vectors_create(f0t_svm_work *work)
{
    double **vectors[] = {&work->beta,        &work->scores,      &work->slopes,
                          &work->rest,        &work->rest_scores, &work->step,
                          &work->step_scores, &work->trial,       &work->trial_slopes};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
        F0T_TRY(f0t_alloc(vectors[i], work->room, sizeof(double)));
    F0T_TRY(f0t_svm_graph_create(&work->graph, work->room));
    F0T_TRY(f0t_alloc(&work->tags, work->room, sizeof *work->tags));
    F0T_TRY(f0t_alloc(&work->has_row, work->room, sizeof *work->has_row));
    F0T_TRY(f0t_alloc(&work->parts, work->room, sizeof *work->parts));
    F0T_TRY(f0t_alloc(&work->gram, work->room * work->room, sizeof(double)));
    F0T_TRY(f0t_alloc(&work->result, work->svm->dims, sizeof(double)));
    return f0t_alloc(&work->direction, work->svm->rank, sizeof(double));
}

f0t_status f0t_svm_work_create(f0t_svm_work **out, const f0t_ranksvm *svm, size_t room)
{
    f0t_svm_work *work = NULL;
    *out = NULL;
    F0T_TRY(f0t_alloc_zero(&work, 1, sizeof *work));
    work->svm = svm;
    work->room = room;
    f0t_status status = vectors_create(work);
    if (status == F0T_OK)
        *out = work;
    else
        f0t_svm_work_free(work);
    return status;
}

void f0t_svm_work_free(f0t_svm_work *work)
{
    if (!work)
        return;
    double *vectors[] = {work->beta,         work->scores, work->slopes,      work->rest,
                         work->rest_scores,  work->step,   work->step_scores, work->trial,
                         work->trial_slopes, work->gram,   work->direction};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
        f0t_free(vectors[i]);
    f0t_svm_graph_free(work->graph);
    f0t_free(work->tags);
    f0t_free(work->has_row);
    f0t_free(work->result);
    f0t_free(work->parts);
    f0t_free(work);
}

/* ---- The set --------------------------------------------------------------------------------- */

static const float *vector_of(const f0t_svm_work *work, size_t i)
{
    return work->svm->vectors + work->tags[i] * work->svm->rank;
}

/* Rows of tags that play no part are never computed. */
static const double *gram_row(void *context, size_t i)
{
    f0t_svm_work *work = context;
    const f0t_ranksvm *svm = work->svm;
    double *row = work->gram + i * work->count;
    if (work->has_row[i])
        return row;
    work->has_row[i] = true;
    if (svm->gram)
        svm->kernels->svm_gather(row, svm->gram + work->tags[i] * svm->tags, work->tags,
                                 work->count);
    for (size_t j = 0; !svm->gram && j < work->count; j++)
        row[j] = work->has_row[j] && j != i
                     ? work->gram[j * work->count + i]
                     : svm->kernels->svm_dot(vector_of(work, i), vector_of(work, j), svm->rank);
    return row;
}

void f0t_svm_work_load(f0t_svm_work *work, const uint32_t *tags, const double *beta,
                       const double *scores, size_t relevant, size_t count)
{
    work->relevant = relevant;
    work->count = count;
    memcpy(work->tags, tags, count * sizeof *tags);
    memcpy(work->beta, beta, count * sizeof *beta);
    memcpy(work->scores, scores, count * sizeof *scores);
    memset(work->has_row, 0, count * sizeof *work->has_row);
}

/* Σ β v over one form of the vectors. */
static void combine(f0t_svm_work *work, double *sum, const float *vectors, size_t dims)
{
    memset(sum, 0, dims * sizeof *sum);
    for (size_t i = 0; i < work->count; i++)
        if (work->beta[i] != 0)
            work->svm->kernels->svm_add(sum, work->beta[i], vectors + work->tags[i] * dims, dims);
}

void f0t_svm_work_combine(f0t_svm_work *work)
{
    combine(work, work->direction, work->svm->vectors, work->svm->rank);
}

void f0t_svm_work_direction(f0t_svm_work *work, float *w)
{
    f0t_svm_work_combine(work);
    for (size_t j = 0; j < work->svm->rank; j++)
        w[j] = (float)work->direction[j];
}

void f0t_svm_work_result(f0t_svm_work *work, float *result)
{
    const size_t dims = work->svm->dims;
    const float *given = work->svm->given;
    combine(work, work->result, given, dims);
    for (size_t j = 0; j < dims; j++) {
        result[j] = (float)work->result[j];
        work->result[j] = (double)result[j];
    }
    const double shift = work->svm->kernels->svm_dot_f64(work->svm->mean, work->result, dims);
    for (size_t i = 0; i < work->count; i++)
        work->scores[i] =
            work->svm->kernels->svm_dot_mixed(given + work->tags[i] * dims, work->result, dims) -
            shift;
    work->norm = work->svm->kernels->svm_dot_f64(work->result, work->result, dims);
}

/* ---- Newton's method --------------------------------------------------------------------------- */

static void pairs(const f0t_svm_work *work, f0t_svm_sums *sums, double *slopes,
                  const double *scores, f0t_svm_loss loss)
{
    const size_t p = work->relevant;
    work->svm->kernels->svm_pairs_f64(sums, slopes, slopes + p, scores, p, scores + p,
                                      work->count - p, loss);
}

static double dot(const f0t_svm_work *work, const double *a, const double *b)
{
    return work->svm->kernels->svm_dot_f64(a, b, work->count);
}

/* y = K x. */
static void multiply_gram(f0t_svm_work *work, double *y, const double *x)
{
    size_t parts = 0;
    for (size_t i = 0; i < work->count; i++)
        if (x[i] != 0) {
            gram_row(work, i);
            work->parts[parts++] = i;
        }
    work->svm->kernels->svm_sum_rows(y, work->gram, x, work->parts, parts, work->count);
}

/* Sums, slopes, `rest` and the bounds at β. */
static f0t_svm_bounds evaluate(f0t_svm_work *work, const f0t_svm_task *task, f0t_svm_loss loss)
{
    f0t_svm_sums sums;
    pairs(work, &sums, work->slopes, work->scores, loss);
    for (size_t i = 0; i < work->count; i++) {
        double sign = i < work->relevant ? 1 : -1;
        work->rest[i] = sign * work->slopes[i] / task->lambda - work->beta[i];
    }
    multiply_gram(work, work->rest_scores, work->rest);
    const double norm = dot(work, work->beta, work->scores);
    const double dual_norm =
        norm + 2 * dot(work, work->rest, work->scores) + dot(work, work->rest, work->rest_scores);
    return f0t_svm_bounds_get(task, loss, &sums, fmax(norm, 0), fmax(dual_norm, 0));
}

/* The objective along the step, for the line search. */
typedef struct along {
    f0t_svm_work *work;
    f0t_svm_loss loss;
    double lambda;
    double linear, quadratic; /* w·d and ‖d‖² */
} along;

static double slope_along(void *context, double t)
{
    const along *a = context;
    f0t_svm_work *work = a->work;
    f0t_svm_sums sums;
    for (size_t i = 0; i < work->count; i++)
        work->trial[i] = work->scores[i] + t * work->step_scores[i];
    pairs(work, &sums, work->trial_slopes, work->trial, a->loss);
    double slope = a->lambda * (a->linear + t * a->quadratic);
    for (size_t i = 0; i < work->count; i++)
        slope += (i < work->relevant ? -1 : 1) * work->trial_slopes[i] * work->step_scores[i];
    return slope;
}

/* Goes along the step. False when it does not lead down. */
static bool advance(f0t_svm_work *work, double lambda, f0t_svm_loss loss)
{
    const double start = -lambda * dot(work, work->rest, work->step_scores);
    along a = {work, loss, lambda, dot(work, work->beta, work->step_scores),
               dot(work, work->step, work->step_scores)};
    if (!(start < 0))
        return false;
    const double t = f0t_svm_step(slope_along, &a, start);
    for (size_t i = 0; i < work->count; i++) {
        work->beta[i] += t * work->step[i];
        work->scores[i] += t * work->step_scores[i];
    }
    return true;
}

bool f0t_svm_work_bend(f0t_svm_work *work, double *step, double lambda, f0t_svm_loss loss)
{
    const f0t_svm_set set = {work->scores, work->relevant, work->count, gram_row, work};
    return f0t_svm_graph_bend(work->graph, step, work->rest_scores, &set, lambda, loss);
}

bool f0t_svm_work_solve(f0t_svm_work *work, const f0t_svm_task *task, f0t_svm_loss loss,
                        f0t_svm_bounds *best, int *steps)
{
    for (*steps = 0; *steps < NEWTON_STEPS; ++*steps) {
        const double dual = best->dual;
        *best = evaluate(work, task, loss);
        best->dual = fmax(best->dual, dual);
        if (f0t_svm_loss_done(task, loss, best) ||
            f0t_svm_gap(best->primal, best->dual) <= task->gap / 4)
            return true;
        memcpy(work->step, work->rest, work->count * sizeof *work->step);
        if (!f0t_svm_work_bend(work, work->step, task->lambda, loss))
            return false;
        multiply_gram(work, work->step_scores, work->step);
        if (!advance(work, task->lambda, loss))
            return false;
    }
    return false;
}

double f0t_svm_work_primal(const f0t_svm_work *work, const f0t_svm_task *task)
{
    const f0t_svm_loss squared = {2, HUGE_VAL};
    f0t_svm_sums sums;
    pairs(work, &sums, work->trial_slopes, work->scores, squared);
    return task->lambda / 2 * work->norm +
           (task->hinge == F0T_HINGE_SQUARED ? sums.moment / 2 : sums.slack);
}

/* ---- The length of a hinge's solution ----------------------------------------------------------- */

/* The slope of the hinge objective in the length of w, `factor` times what it is. */
static double length_slope(f0t_svm_work *work, double lambda, double norm, double noise,
                           double factor)
{
    const f0t_svm_loss corner = {1e30, 1};
    f0t_svm_sums sums;
    for (size_t i = 0; i < work->count; i++)
        work->trial[i] = factor * work->scores[i] - (i < work->relevant ? noise : 0);
    pairs(work, &sums, work->trial_slopes, work->trial, corner);
    double slope = lambda * factor * norm;
    for (size_t i = 0; i < work->count; i++)
        slope += (i < work->relevant ? -1 : 1) * work->trial_slopes[i] * work->scores[i];
    return slope;
}

/* A rounded corner lets every pair at the margin fall a little short of it. */
double f0t_svm_work_length(f0t_svm_work *work, const f0t_svm_task *task, double *primal)
{
    const double norm = fmax(dot(work, work->beta, work->scores), 0);
    const double noise = rounding * sqrt(norm * work->svm->size);
    double low = 1, high = 1;
    for (double more = 1e-4; more < 1; more *= 4) {
        if (length_slope(work, task->lambda, norm, noise, high) >= 0)
            break;
        low = high;
        high = 1 + more;
    }
    for (int i = 0; i < 10 && low < high; i++) {
        double middle = (low + high) / 2;
        if (length_slope(work, task->lambda, norm, noise, middle) < 0)
            low = middle;
        else
            high = middle;
    }
    f0t_svm_sums sums;
    for (size_t i = 0; i < work->count; i++)
        work->trial[i] = high * work->scores[i];
    pairs(work, &sums, work->trial_slopes, work->trial, (f0t_svm_loss){1, 1});
    *primal = task->lambda / 2 * high * high * norm + sums.slack;
    return high;
}
