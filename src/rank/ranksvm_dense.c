/* Newton steps over all tags, by conjugate gradients: O. Chapelle and S. S. Keerthi, Efficient
 * algorithms for ranking with SVMs, Information Retrieval 13 (2010). Each product with the Hessian
 * takes a round. */
#include "rank/ranksvm_slot.h"
#include "rank/ranksvm_step.h"

#include <math.h>
#include <string.h>

enum { CONJUGATE_STEPS = 60, STIFF = 25 };

/* Conjugate gradients stop when they have made the residual this much smaller. */
static const double forcing = 0.1;

/* Float32 scores are no sharper than this. */
static const double sharpest = 1e5;

/* With a larger gap w says little about which tags are near the margin in the end. */
static const double reliable = 0.1;

static double dot(const f0t_svm_bench *bench, const float *a, const float *b)
{
    return bench->svm->kernels->svm_dot(a, b, bench->svm->rank);
}

/* ---- After the scores ---------------------------------------------------------------------------- */

static void evaluate(f0t_svm_slot *slot, const f0t_svm_bench *bench, f0t_svm_rows rows)
{
    memcpy(slot->at, rows.scores, slot->rule.tags * sizeof *slot->at);
    f0t_svm_pairs_gradient(bench->pairs, &slot->sums, rows.weights, slot->at, &slot->rule,
                           slot->loss);
}

static void conjugate(f0t_svm_slot *slot, const f0t_svm_bench *bench, f0t_svm_rows rows)
{
    const f0t_kernel_table *kernels = bench->svm->kernels;
    const double curved = f0t_svm_pairs_hessian(bench->pairs, rows.weights, rows.scores, slot->at,
                                                &slot->rule, slot->loss);
    const double curvature = slot->task.lambda * dot(bench, rows.query, rows.query) + curved;
    slot->step_length = curvature > 0 ? slot->energy / curvature : 0;
    kernels->svm_add_f32(slot->step, (float)slot->step_length, rows.query, bench->svm->rank);
    kernels->svm_add_f32(slot->along, (float)slot->step_length, rows.scores, slot->rule.tags);
}

void f0t_svm_dense_score(f0t_svm_slot *slot, const f0t_svm_bench *bench, f0t_svm_rows rows)
{
    if (slot->state == F0T_SVM_CONJUGATE) {
        conjugate(slot, bench, rows);
        return;
    }
    slot->state = F0T_SVM_EVALUATE;
    evaluate(slot, bench, rows);
}

/* ---- The Newton system ----------------------------------------------------------------------------- */

/* An element of the preconditioner's inverse: along principal axes the Hessian is nearly this. */
static double inverse_at(const f0t_svm_slot *slot, const f0t_svm_bench *bench, size_t j)
{
    return 1 / (slot->task.lambda + slot->spread * bench->svm->moments[j]);
}

/* rest · M⁻¹ rest. */
static double energy_of(const f0t_svm_slot *slot, const f0t_svm_bench *bench)
{
    double sum = 0;
    for (size_t j = 0; j < bench->svm->rank; j++)
        sum += (double)slot->rest[j] * (double)slot->rest[j] * inverse_at(slot, bench, j);
    return sum;
}

static void begin_step(f0t_svm_slot *slot, const f0t_svm_bench *bench, f0t_svm_rows rows)
{
    const size_t rank = bench->svm->rank, irrelevant = slot->rule.tags - slot->rule.count;
    slot->spread = slot->loss.k * slot->sums.zone / (double)irrelevant;
    for (size_t j = 0; j < rank; j++) {
        slot->rest[j] = rows.sums[j] - (float)slot->task.lambda * slot->w[j];
        rows.query[j] = (float)((double)slot->rest[j] * inverse_at(slot, bench, j));
    }
    memset(slot->step, 0, rank * sizeof *slot->step);
    memset(slot->along, 0, slot->rule.tags * sizeof *slot->along);
    slot->energy = energy_of(slot, bench);
    slot->wanted = forcing * forcing * slot->energy;
    slot->conjugate_steps = 0;
    slot->state = F0T_SVM_CONJUGATE;
}

/* The objective along the step. */
typedef struct line {
    const f0t_svm_slot *slot;
    const f0t_svm_bench *bench;
    double linear, quadratic; /* w·step, ‖step‖² */
} line;

static double slope_at(void *context, double t)
{
    const line *l = context;
    const f0t_svm_slot *slot = l->slot;
    f0t_svm_sums sums;
    for (size_t i = 0; i < slot->rule.tags; i++)
        l->bench->scratch[i] = slot->at[i] + (float)t * slot->along[i];
    f0t_svm_pairs_gradient(l->bench->pairs, &sums, l->bench->slopes, l->bench->scratch, &slot->rule,
                           slot->loss);
    return slot->task.lambda * (l->linear + t * l->quadratic) -
           l->bench->svm->kernels->svm_dot(l->bench->slopes, slot->along, slot->rule.tags);
}

void f0t_svm_dense_advance(f0t_svm_slot *slot, const f0t_svm_bench *bench, f0t_svm_rows rows)
{
    const size_t rank = bench->svm->rank;
    line l = {slot, bench, dot(bench, slot->w, slot->step), dot(bench, slot->step, slot->step)};
    const double start = slope_at(&l, 0);
    if (start < 0)
        bench->svm->kernels->svm_add_f32(slot->w, (float)f0t_svm_step(slope_at, &l, start),
                                         slot->step, rank);
    memcpy(rows.query, slot->w, rank * sizeof *rows.query);
    slot->state = F0T_SVM_POINT;
}

static void next_direction(f0t_svm_slot *slot, const f0t_svm_bench *bench, f0t_svm_rows rows)
{
    const size_t rank = bench->svm->rank;
    const float length = (float)slot->step_length, lambda = (float)slot->task.lambda;
    for (size_t j = 0; j < rank; j++)
        slot->rest[j] -= length * (lambda * rows.query[j] + rows.sums[j]);
    const double energy = energy_of(slot, bench), turn = energy / slot->energy;
    slot->energy = energy;
    if (!(energy > slot->wanted) || ++slot->conjugate_steps >= CONJUGATE_STEPS) {
        slot->stiff = slot->stiff || slot->conjugate_steps > STIFF;
        f0t_svm_dense_advance(slot, bench, rows);
        return;
    }
    for (size_t j = 0; j < rank; j++)
        rows.query[j] = (float)((double)slot->rest[j] * inverse_at(slot, bench, j) +
                                turn * (double)rows.query[j]);
}

/* ---- After the sums --------------------------------------------------------------------------------- */

static void judge(f0t_svm_slot *slot, const f0t_svm_bench *bench, f0t_svm_rows rows)
{
    const double lambda = slot->task.lambda;
    const f0t_svm_bounds bounds =
        f0t_svm_bounds_get(&slot->task, slot->loss, &slot->sums, dot(bench, slot->w, slot->w),
                           dot(bench, rows.sums, rows.sums) / (lambda * lambda));
    slot->dual = fmax(slot->dual, bounds.dual);
    memcpy(rows.query, slot->w, bench->svm->rank * sizeof *rows.query);
    if (f0t_svm_gap(bounds.primal, slot->dual) <= slot->task.gap ||
        slot->rounds >= F0T_SVM_ROUNDS) {
        f0t_svm_slot_finish(slot, bounds.primal);
        return;
    }
    slot->state = F0T_SVM_POINT;
    if (slot->loss.k < sharpest && f0t_svm_loss_done(&slot->task, slot->loss, &bounds) &&
        f0t_svm_loss_next(&slot->task, &slot->loss, bench->svm->size))
        return;
    if (f0t_svm_gap(bounds.rounded_primal, bounds.rounded_dual) <= reliable &&
        f0t_svm_round_enter(slot, bench, rows))
        return;
    if (!slot->stiff || !f0t_svm_direct_begin(slot, bench, rows))
        begin_step(slot, bench, rows);
}

void f0t_svm_dense_sum(f0t_svm_slot *slot, const f0t_svm_bench *bench, f0t_svm_rows rows)
{
    if (slot->state == F0T_SVM_EVALUATE)
        judge(slot, bench, rows);
    else
        next_direction(slot, bench, rows);
}
