#include "rank/ranksvm_work.h"

#include "base/alloc.h"
#include "math/solve.h"

#include <math.h>
#include <string.h>

/* ---- The graph of the zone --------------------------------------------------------------------- */

/*
 * With L the Laplacian of the graph and K the Gram matrix, (λ I + k L K) e = −k L s puts e into the
 * range of L: it is 0 outside the zone and sums to 0 over each component. Measured from the grounds,
 * L is invertible, and
 *
 *     (λ/k L⁻¹ + K) e = −s
 *
 * is symmetric and positive definite. The irrelevant block of L is a diagonal, so L⁻¹ needs only the
 * inverse of a Schur complement of the size of the relevant nodes.
 */

f0t_status f0t_svm_graph_create(f0t_svm_graph **out, size_t room)
{
    f0t_svm_graph *g = NULL;
    *out = NULL;
    F0T_TRY(f0t_alloc_zero(&g, 1, sizeof *g));
    g->room = room;
    size_t **indices[] = {&g->places, &g->grounds, &g->parents};
    double **rows[] = {&g->degrees, &g->solution};
    double **quarters[] = {&g->pairs, &g->links, &g->shares, &g->spread};
    double **squares[] = {&g->schur, &g->inverse, &g->system};
    f0t_status status = F0T_OK;
    for (size_t i = 0; status == F0T_OK && i < 3; i++)
        status = f0t_alloc(indices[i], room, sizeof(size_t));
    for (size_t i = 0; status == F0T_OK && i < 2; i++)
        status = f0t_alloc(rows[i], room, sizeof(double));
    for (size_t i = 0; status == F0T_OK && i < 4; i++)
        status = f0t_alloc(quarters[i], room * room / 4 + 1, sizeof(double));
    for (size_t i = 0; status == F0T_OK && i < 3; i++)
        status = f0t_alloc(squares[i], room * room, sizeof(double));
    if (status == F0T_OK)
        status = f0t_alloc(&g->columns, 8 * room, sizeof(double));
    if (status == F0T_OK)
        *out = g;
    else
        f0t_svm_graph_free(g);
    return status;
}

void f0t_svm_graph_free(f0t_svm_graph *g)
{
    if (!g)
        return;
    void *all[] = {g->places, g->grounds, g->parents, g->degrees, g->solution, g->pairs,  g->links,
                   g->shares, g->spread,  g->schur,   g->inverse, g->system,   g->columns};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        f0t_free(all[i]);
    f0t_free(g);
}

static size_t root_of(const size_t *parents, size_t i)
{
    while (parents[i] != i)
        i = parents[i];
    return i;
}

/* Fills pairs and degrees. Returns the number of relevant tags that have a pair. */
static size_t find_pairs(f0t_svm_graph *g, const f0t_svm_set *set, f0t_svm_loss loss)
{
    const size_t np = set->relevant, nn = set->count - np;
    size_t found = 0;
    memset(g->degrees, 0, set->count * sizeof *g->degrees);
    for (size_t i = 0; i < np; i++) {
        g->degrees[i] = f0t_kernels()->svm_zone_row(g->pairs + i * nn, g->degrees + np,
                                                    set->scores[i], set->scores + np, nn, loss);
        g->parents[i] = i;
        found += g->degrees[i] > 0;
    }
    return found;
}

/* Joins the relevant tags that share an irrelevant one, until all are one component. */
static void join(f0t_svm_graph *g, const f0t_svm_set *set, size_t components)
{
    const size_t np = set->relevant, nn = set->count - np;
    for (size_t j = 0; j < nn && components > 1; j++) {
        size_t lowest = np;
        for (size_t i = 0; g->degrees[np + j] > 1 && i < np; i++) {
            if (g->pairs[i * nn + j] == 0)
                continue;
            size_t root = root_of(g->parents, i);
            if (lowest == np || root == lowest) {
                lowest = root;
                continue;
            }
            size_t high = root > lowest ? root : lowest;
            lowest = root > lowest ? lowest : root;
            g->parents[high] = lowest;
            components--;
        }
    }
}

static void list(f0t_svm_graph *g, const f0t_svm_set *set)
{
    const size_t np = set->relevant, nn = set->count - np;
    g->count = 0;
    for (size_t i = 0; i < np; i++) {
        size_t root = root_of(g->parents, i);
        if (root != i) {
            g->grounds[g->count] = root;
            g->places[g->count++] = i;
        }
    }
    g->relevant = g->count;
    for (size_t j = 0; j < nn; j++) {
        if (g->degrees[np + j] == 0)
            continue;
        size_t i = 0;
        while (g->pairs[i * nn + j] == 0)
            i++;
        g->grounds[g->count] = root_of(g->parents, i);
        g->places[g->count++] = np + j;
    }
    g->irrelevant = g->count - g->relevant;
}

static void fill_links(f0t_svm_graph *g, const f0t_svm_set *set)
{
    const size_t nn = set->count - set->relevant, n = g->irrelevant;
    for (size_t i = 0; i < g->relevant; i++) {
        const double *pairs = g->pairs + g->places[i] * nn;
        for (size_t j = 0; j < n; j++) {
            size_t place = g->places[g->relevant + j];
            g->links[i * n + j] = pairs[place - set->relevant];
            g->shares[i * n + j] = pairs[place - set->relevant] / g->degrees[place];
        }
    }
}

/* inverse = the relevant block of L⁻¹, spread = c times the block between the two kinds. */
static bool invert_schur(f0t_svm_graph *g, double c)
{
    const size_t p = g->relevant, n = g->irrelevant;
    memset(g->inverse, 0, p * p * sizeof *g->inverse);
    for (size_t i = 0; i < p; i++) {
        for (size_t l = 0; l <= i; l++)
            g->schur[i * p + l] =
                -f0t_kernels()->svm_dot_f64(g->shares + i * n, g->links + l * n, n);
        g->schur[i * p + i] += g->degrees[g->places[i]];
        g->inverse[i * p + i] = 1;
    }
    if (f0t_cholesky_solve_f64(g->schur, p, g->inverse, p, NULL) != F0T_OK)
        return false;
    f0t_kernels()->svm_product_rows(g->spread, g->inverse, g->shares, p, p, n);
    for (size_t i = 0; i < p * n; i++)
        g->spread[i] *= c;
    return true;
}

/* The lower triangle of c L⁻¹, where `spread` has c already. */
static void fill_inverse(f0t_svm_graph *g, double c)
{
    const size_t p = g->relevant, n = g->irrelevant, all = g->count;
    double *block = g->system + p * all + p;
    f0t_kernels()->svm_product_lower(block, all, g->shares, g->spread, p, n);
    for (size_t i = 0; i < p; i++)
        for (size_t j = 0; j <= i; j++)
            g->system[i * all + j] = c * g->inverse[i * p + j];
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < p; j++)
            g->system[(p + i) * all + j] = g->spread[j * n + i];
        block[i * all + i] += c / g->degrees[g->places[p + i]];
    }
}

/* Adds the Gram matrix, measured from the grounds. */
static void add_gram(f0t_svm_graph *g, const f0t_svm_set *set)
{
    for (size_t i = 0; i < g->count; i++)
        f0t_kernels()->svm_add_grounded(
            g->system + i * g->count, set->gram_row(set->context, g->places[i]),
            set->gram_row(set->context, g->grounds[i]), g->places, g->grounds, i + 1);
}

bool f0t_svm_graph_bend(f0t_svm_graph *g, double *step, const double *gradient_scores,
                        const f0t_svm_set *set, double lambda, f0t_svm_loss loss)
{
    join(g, set, find_pairs(g, set, loss));
    list(g, set);
    if (!g->count)
        return true;
    fill_links(g, set);
    const double c = lambda / loss.k;
    if (g->relevant && !invert_schur(g, c))
        return false;
    fill_inverse(g, c);
    add_gram(g, set);
    for (size_t i = 0; i < g->count; i++)
        g->solution[i] = gradient_scores[g->grounds[i]] - gradient_scores[g->places[i]];
    if (!f0t_kernels()->svm_cholesky(g->system, g->solution, g->columns, g->count))
        return false;
    for (size_t i = 0; i < g->count; i++) {
        step[g->places[i]] += g->solution[i];
        step[g->grounds[i]] -= g->solution[i];
    }
    return true;
}

enum { NEWTON_STEPS = 60 };

/* What the scores of a float32 direction are wrong by, in units of the lengths multiplied. */
static const double rounding = 2.5e-7;

/* ---- Memory of a working set ------------------------------------------------------------------- */

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

/* ---- The set ----------------------------------------------------------------------------------- */

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
        f0t_kernels()->svm_gather(row, svm->gram + work->tags[i] * svm->tags, work->tags,
                                  work->count);
    for (size_t j = 0; !svm->gram && j < work->count; j++)
        row[j] = work->has_row[j] && j != i
                     ? work->gram[j * work->count + i]
                     : f0t_kernels()->svm_dot(vector_of(work, i), vector_of(work, j), svm->rank);
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
            f0t_kernels()->svm_add(sum, work->beta[i], vectors + work->tags[i] * dims, dims);
}

void f0t_svm_work_combine(f0t_svm_work *work)
{
    combine(work, work->direction, work->svm->vectors, work->svm->rank);
}

void f0t_svm_work_direction(float *w, f0t_svm_work *work)
{
    f0t_svm_work_combine(work);
    for (size_t j = 0; j < work->svm->rank; j++)
        w[j] = (float)work->direction[j];
}

void f0t_svm_work_result(float *result, f0t_svm_work *work)
{
    const size_t dims = work->svm->dims;
    const float *given = work->svm->given;
    combine(work, work->result, given, dims);
    for (size_t j = 0; j < dims; j++) {
        result[j] = (float)work->result[j];
        work->result[j] = (double)result[j];
    }
    const double shift = f0t_kernels()->svm_dot_f64(work->svm->mean, work->result, dims);
    for (size_t i = 0; i < work->count; i++)
        work->scores[i] =
            f0t_kernels()->svm_dot_mixed(given + work->tags[i] * dims, work->result, dims) - shift;
    work->norm = f0t_kernels()->svm_dot_f64(work->result, work->result, dims);
}

/* ---- Newton's method --------------------------------------------------------------------------- */

static void pairs(const f0t_svm_work *work, f0t_svm_sums *sums, double *slopes,
                  const double *scores, f0t_svm_loss loss)
{
    const size_t p = work->relevant;
    f0t_kernels()->svm_pairs_f64(sums, slopes, slopes + p, scores, p, scores + p, work->count - p,
                                 loss);
}

static double dot(const f0t_svm_work *work, const double *a, const double *b)
{
    return f0t_kernels()->svm_dot_f64(a, b, work->count);
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
    f0t_kernels()->svm_sum_rows(y, work->gram, x, work->parts, parts, work->count);
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

bool f0t_svm_work_solve(f0t_svm_bounds *best, int *steps, f0t_svm_work *work,
                        const f0t_svm_task *task, f0t_svm_loss loss)
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

/* ---- The length of a hinge's solution ---------------------------------------------------------- */

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

/* How many times as long w should be for the least hinge objective, which is put into *primal: a rounded
 * corner lets every pair at the margin fall a little short of it. */
static double best_length(f0t_svm_work *work, const f0t_svm_task *task, double *primal)
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

void f0t_svm_work_lengthen(f0t_svm_bounds *bounds, f0t_svm_work *work, const f0t_svm_task *task,
                           double gap)
{
    double primal;
    if (task->hinge != F0T_HINGE_PLAIN)
        return;
    const double factor = best_length(work, task, &primal);
    if (f0t_svm_gap(primal, bounds->dual) > gap)
        return;
    for (size_t i = 0; i < work->count; i++)
        work->beta[i] *= factor;
    bounds->primal = primal;
}
