/*
 * Newton steps over all tags. Their systems are solved by conjugate gradients, one product with the Hessian per
 * round; or, where those are slow, exactly, at the size of the zone.
 */
#include "rank/ranksvm_slot.h"

#include <string.h>

/* ---- By conjugate gradients ------------------------------------------------------------------ */

/* Newton steps over all tags, by conjugate gradients: O. Chapelle and S. S. Keerthi, Efficient
 * algorithms for ranking with SVMs, Information Retrieval 13 (2010). Each product with the Hessian
 * takes a round. */

enum { CONJUGATE_STEPS = 60, STIFF = 25 };

/* Conjugate gradients stop when they have made the residual this much smaller. */
static const double forcing = 0.1;

static double dot(const f0t_svm_thread *thread, const float *a, const float *b)
{
    return f0t_kernels()->svm_dot(a, b, thread->svm->rank);
}

static void evaluate(f0t_svm_slot *slot, const f0t_svm_thread *thread, f0t_svm_rows rows)
{
    memcpy(slot->at, rows.scores, slot->rule.tags * sizeof *slot->at);
    f0t_svm_pairs_gradient(thread->pairs, &slot->sums, rows.weights, slot->at, &slot->rule,
                           slot->loss);
}

static void conjugate(f0t_svm_slot *slot, const f0t_svm_thread *thread, f0t_svm_rows rows)
{
    const double curved = f0t_svm_pairs_hessian(thread->pairs, rows.weights, rows.scores, slot->at,
                                                &slot->rule, slot->loss);
    const double curvature = slot->task.lambda * dot(thread, rows.query, rows.query) + curved;
    slot->step_length = curvature > 0 ? slot->energy / curvature : 0;
    f0t_kernels()->svm_add_f32(slot->step, (float)slot->step_length, rows.query, thread->svm->rank);
    f0t_kernels()->svm_add_f32(slot->along, (float)slot->step_length, rows.scores, slot->rule.tags);
}

void f0t_svm_newton_score(f0t_svm_slot *slot, const f0t_svm_thread *thread, f0t_svm_rows rows)
{
    if (slot->state == F0T_SVM_CONJUGATE) {
        conjugate(slot, thread, rows);
        return;
    }
    slot->state = F0T_SVM_EVALUATE;
    evaluate(slot, thread, rows);
}

/* An element of the preconditioner's inverse: along principal axes the Hessian is nearly this. */
static double inverse_at(const f0t_svm_slot *slot, const f0t_svm_thread *thread, size_t j)
{
    return 1 / (slot->task.lambda + slot->spread * thread->svm->moments[j]);
}

/* rest · M⁻¹ rest. */
static double energy_of(const f0t_svm_slot *slot, const f0t_svm_thread *thread)
{
    double sum = 0;
    for (size_t j = 0; j < thread->svm->rank; j++)
        sum += (double)slot->rest[j] * (double)slot->rest[j] * inverse_at(slot, thread, j);
    return sum;
}

static void begin_step(f0t_svm_slot *slot, const f0t_svm_thread *thread, f0t_svm_rows rows)
{
    const size_t rank = thread->svm->rank, irrelevant = slot->rule.tags - slot->rule.count;
    slot->spread = slot->loss.k * slot->sums.zone / (double)irrelevant;
    for (size_t j = 0; j < rank; j++) {
        slot->rest[j] = rows.sums[j] - (float)slot->task.lambda * slot->w[j];
        rows.query[j] = (float)((double)slot->rest[j] * inverse_at(slot, thread, j));
    }
    memset(slot->step, 0, rank * sizeof *slot->step);
    memset(slot->along, 0, slot->rule.tags * sizeof *slot->along);
    slot->energy = energy_of(slot, thread);
    slot->wanted = forcing * forcing * slot->energy;
    slot->conjugate_steps = 0;
    slot->state = F0T_SVM_CONJUGATE;
}

/* The objective along the step. */
typedef struct line {
    const f0t_svm_slot *slot;
    const f0t_svm_thread *thread;
    double linear, quadratic; /* w·step, ‖step‖² */
} line;

static double slope_at(void *context, double t)
{
    const line *l = context;
    const f0t_svm_slot *slot = l->slot;
    f0t_svm_sums sums;
    for (size_t i = 0; i < slot->rule.tags; i++)
        l->thread->scratch[i] = slot->at[i] + (float)t * slot->along[i];
    f0t_svm_pairs_gradient(l->thread->pairs, &sums, l->thread->slopes, l->thread->scratch,
                           &slot->rule, slot->loss);
    return slot->task.lambda * (l->linear + t * l->quadratic) -
           f0t_kernels()->svm_dot(l->thread->slopes, slot->along, slot->rule.tags);
}

static void advance(f0t_svm_slot *slot, const f0t_svm_thread *thread, f0t_svm_rows rows)
{
    const size_t rank = thread->svm->rank;
    line l = {slot, thread, dot(thread, slot->w, slot->step), dot(thread, slot->step, slot->step)};
    const double start = slope_at(&l, 0);
    if (start < 0)
        f0t_kernels()->svm_add_f32(slot->w, (float)f0t_svm_step(slope_at, &l, start), slot->step,
                                   rank);
    memcpy(rows.query, slot->w, rank * sizeof *rows.query);
    slot->state = F0T_SVM_POINT;
}

void f0t_svm_newton_sum(f0t_svm_slot *slot, const f0t_svm_thread *thread, f0t_svm_rows rows)
{
    const size_t rank = thread->svm->rank;
    const float length = (float)slot->step_length, lambda = (float)slot->task.lambda;
    for (size_t j = 0; j < rank; j++)
        slot->rest[j] -= length * (lambda * rows.query[j] + rows.sums[j]);
    const double energy = energy_of(slot, thread), turn = energy / slot->energy;
    slot->energy = energy;
    if (!(energy > slot->wanted) || ++slot->conjugate_steps >= CONJUGATE_STEPS) {
        slot->stiff = slot->stiff || slot->conjugate_steps > STIFF;
        advance(slot, thread, rows);
        return;
    }
    for (size_t j = 0; j < rank; j++)
        rows.query[j] = (float)((double)slot->rest[j] * inverse_at(slot, thread, j) +
                                turn * (double)rows.query[j]);
}

/* ---- Exactly --------------------------------------------------------------------------------- */

/* Newton steps over all tags whose system is solved on the tags of the zone alone: the rest of the
 * loss is straight there. Three rounds per step, however badly conditioned it is. */

/* Lists the relevant tags and those irrelevant ones that have a pair in the zone: a product of the
 * Laplacian tells which. False when there is no room for them. */
static bool list_zone(f0t_svm_slot *slot, const f0t_svm_thread *thread)
{
    const f0t_svm_rule *rule = &slot->rule;
    const size_t room = thread->work->room;
    float *ones = thread->scratch, *degrees = thread->slopes;
    if (rule->count > room)
        return false;
    memset(ones, 0, rule->tags * sizeof *ones);
    for (size_t i = 0; i < rule->count; i++)
        ones[rule->relevant[i]] = 1;
    f0t_svm_pairs_hessian(thread->pairs, degrees, ones, slot->at, rule, slot->loss);
    memcpy(slot->set, rule->relevant, rule->count * sizeof *slot->set);
    slot->zone_count = rule->count;
    for (size_t t = 0; t < rule->tags; t++) {
        if (!(degrees[t] < 0))
            continue;
        if (slot->zone_count == room)
            return false;
        slot->set[slot->zone_count++] = (uint32_t)t;
    }
    return true;
}

static bool begin_exact(f0t_svm_slot *slot, const f0t_svm_thread *thread, f0t_svm_rows rows)
{
    if (!list_zone(slot, thread))
        return false;
    for (size_t j = 0; j < thread->svm->rank; j++)
        rows.query[j] = rows.sums[j] / (float)slot->task.lambda - slot->w[j];
    slot->state = F0T_SVM_GRADIENT;
    return true;
}

/* Bends the gradient step, whose scores have come, into the Newton step. */
static void bend(f0t_svm_slot *slot, const f0t_svm_thread *thread, f0t_svm_rows rows)
{
    const f0t_ranksvm *svm = thread->svm;
    f0t_svm_work *work = thread->work;
    for (size_t i = 0; i < slot->zone_count; i++) {
        slot->beta[i] = 0;
        slot->set_scores[i] = (double)slot->at[slot->set[i]];
    }
    f0t_svm_work_load(work, slot->set, slot->beta, slot->set_scores, slot->rule.count,
                      slot->zone_count);
    for (size_t i = 0; i < work->count; i++)
        work->rest_scores[i] = (double)rows.scores[work->tags[i]];
    memcpy(slot->step, rows.query, svm->rank * sizeof *slot->step);
    if (f0t_svm_work_bend(work, work->beta, slot->task.lambda, slot->loss)) {
        f0t_svm_work_combine(work);
        for (size_t j = 0; j < svm->rank; j++)
            slot->step[j] = (float)((double)slot->step[j] + work->direction[j]);
    }
    memcpy(rows.query, slot->step, svm->rank * sizeof *slot->step);
    slot->state = F0T_SVM_ALONG;
}

void f0t_svm_newton_score_exact(f0t_svm_slot *slot, const f0t_svm_thread *thread, f0t_svm_rows rows)
{
    if (slot->state == F0T_SVM_GRADIENT) {
        bend(slot, thread, rows);
        return;
    }
    memcpy(slot->along, rows.scores, slot->rule.tags * sizeof *slot->along);
    advance(slot, thread, rows);
}

void f0t_svm_newton_begin(f0t_svm_slot *slot, const f0t_svm_thread *thread, f0t_svm_rows rows)
{
    if (!slot->stiff || !begin_exact(slot, thread, rows))
        begin_step(slot, thread, rows);
}
