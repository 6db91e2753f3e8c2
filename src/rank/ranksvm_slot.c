#include "rank/ranksvm_slot.h"

#include <math.h>
#include <string.h>

void f0t_svm_slot_finish(f0t_svm_slot *slot, double primal)
{
    slot->primal = primal;
    slot->gap = f0t_svm_gap(primal, slot->dual);
    slot->state = F0T_SVM_DONE;
}

/* ---- After the sums ---------------------------------------------------------------------------- */

/* Float32 scores are no sharper than this. */
static const double sharpest = 1e5;

/* With a larger gap w says little about which tags are near the margin in the end. */
static const double reliable = 0.1;

static double dot(const f0t_svm_thread *thread, const float *a, const float *b)
{
    return f0t_kernels()->svm_dot(a, b, thread->svm->rank);
}

static void judge(f0t_svm_slot *slot, const f0t_svm_thread *thread, f0t_svm_rows rows)
{
    const double lambda = slot->task.lambda;
    const f0t_svm_bounds bounds =
        f0t_svm_bounds_get(&slot->task, slot->loss, &slot->sums, dot(thread, slot->w, slot->w),
                           dot(thread, rows.sums, rows.sums) / (lambda * lambda));
    slot->dual = fmax(slot->dual, bounds.dual);
    memcpy(rows.query, slot->w, thread->svm->rank * sizeof *rows.query);
    if (f0t_svm_gap(bounds.primal, slot->dual) <= slot->task.gap ||
        slot->rounds >= F0T_SVM_ROUNDS) {
        f0t_svm_slot_finish(slot, bounds.primal);
        return;
    }
    slot->state = F0T_SVM_POINT;
    if (slot->loss.k < sharpest && f0t_svm_loss_done(&slot->task, slot->loss, &bounds) &&
        f0t_svm_loss_next(&slot->loss, &slot->task, thread->svm->size))
        return;
    if (f0t_svm_gap(bounds.rounded_primal, bounds.rounded_dual) <= reliable &&
        f0t_svm_set_enter(slot, thread, rows))
        return;
    f0t_svm_newton_begin(slot, thread, rows);
}

void f0t_svm_slot_sum(f0t_svm_slot *slot, const f0t_svm_thread *thread, f0t_svm_rows rows)
{
    if (slot->state == F0T_SVM_EVALUATE)
        judge(slot, thread, rows);
    else
        f0t_svm_newton_sum(slot, thread, rows);
}

/* ---- Beginning, and after the scores ----------------------------------------------------------- */

/* λ may fall by this factor between problems that start each other, as between losses. */
static const double stride = 10;

bool f0t_svm_slot_sums(const f0t_svm_slot *slot)
{
    return slot->state == F0T_SVM_EVALUATE || slot->state == F0T_SVM_CONJUGATE;
}

static void reset(f0t_svm_slot *slot, double size)
{
    slot->solved_k = f0t_svm_loss_first(&slot->task, size).k / stride;
    slot->primal = HUGE_VAL;
    slot->dual = 0;
    slot->rounds = 0;
    slot->loss_done = slot->near = slot->in_result = false;
    slot->crowded = 0;
}

/* The gradient at 0, T Σ p for centred vectors, by the preconditioner: were all pairs in the zone,
 * the Hessian would be this diagonal, but for the few relevant vectors. */
void f0t_svm_slot_begin(f0t_svm_slot *slot, const f0t_svm_thread *thread, f0t_svm_rows rows)
{
    const f0t_ranksvm *svm = thread->svm;
    const f0t_svm_rule *rule = &slot->rule;
    reset(slot, svm->size);
    slot->set_count = 0;
    slot->left = 0;
    slot->entered.k = 0;
    slot->stiff = false;
    slot->loss = f0t_svm_loss_first(&slot->task, svm->size);
    memset(rows.query, 0, svm->rank * sizeof *rows.query);
    slot->trivial = rule->count == 0 || rule->count == rule->tags || !(svm->size > 0);
    if (slot->trivial) {
        double pairs = (double)rule->count * (double)(rule->tags - rule->count);
        slot->dual = pairs;
        f0t_svm_slot_finish(slot, pairs);
        return;
    }
    for (size_t i = 0; i < rule->count; i++)
        f0t_kernels()->svm_add_f32(rows.query, 1, svm->vectors + rule->relevant[i] * svm->rank,
                                   svm->rank);
    for (size_t j = 0; j < svm->rank; j++)
        rows.query[j] /=
            (float)(slot->task.lambda + slot->loss.k * (double)rule->count * svm->moments[j]);
    slot->state = F0T_SVM_START;
}

/* The objective from 0 along the query. */
typedef struct from_zero {
    const f0t_svm_slot *slot;
    const f0t_svm_thread *thread;
    const float *scores;
    double norm;
} from_zero;

static double slope_from_zero(void *context, double t)
{
    const from_zero *f = context;
    const f0t_svm_rule *rule = &f->slot->rule;
    f0t_svm_sums sums;
    for (size_t i = 0; i < rule->tags; i++)
        f->thread->scratch[i] = (float)t * f->scores[i];
    f0t_svm_pairs_gradient(f->thread->pairs, &sums, f->thread->slopes, f->thread->scratch, rule,
                           f->slot->loss);
    return f->slot->task.lambda * t * f->norm -
           f0t_kernels()->svm_dot(f->thread->slopes, f->scores, rule->tags);
}

/* Goes from 0 along the query as far as it leads down. */
static void scale_start(f0t_svm_slot *slot, const f0t_svm_thread *thread, f0t_svm_rows rows)
{
    const f0t_ranksvm *svm = thread->svm;
    from_zero f = {slot, thread, rows.scores,
                   f0t_kernels()->svm_dot(rows.query, rows.query, svm->rank)};
    const double start = slope_from_zero(&f, 0);
    const float t = start < 0 ? (float)f0t_svm_step(slope_from_zero, &f, start) : 0;
    for (size_t j = 0; j < svm->rank; j++)
        rows.query[j] *= t;
    for (size_t i = 0; i < slot->rule.tags; i++)
        rows.scores[i] *= t;
}

/* Where the first loss is the easy one, and where all tags fit, a working set is the better way. */
static bool start_small(const f0t_svm_slot *slot, const f0t_svm_thread *thread)
{
    const size_t room = thread->work->room;
    if (slot->rule.tags <= room)
        return true;
    return slot->rule.count < room / 2 && slot->task.lambda <= 2 * thread->svm->size;
}

static void start(f0t_svm_slot *slot, const f0t_svm_thread *thread, f0t_svm_rows rows)
{
    scale_start(slot, thread, rows);
    if (start_small(slot, thread)) {
        f0t_svm_set_begin(slot, thread, rows);
        return;
    }
    memcpy(slot->w, rows.query, thread->svm->rank * sizeof *slot->w);
    f0t_svm_newton_score(slot, thread, rows);
}

void f0t_svm_slot_score(f0t_svm_slot *slot, const f0t_svm_thread *thread, f0t_svm_rows rows)
{
    slot->rounds++;
    if (slot->state == F0T_SVM_START)
        start(slot, thread, rows);
    else if (slot->state == F0T_SVM_WORK)
        f0t_svm_set_score(slot, thread, rows);
    else if (slot->state == F0T_SVM_GRADIENT || slot->state == F0T_SVM_ALONG)
        f0t_svm_newton_score_exact(slot, thread, rows);
    else if (slot->state == F0T_SVM_POINT || f0t_svm_slot_sums(slot))
        f0t_svm_newton_score(slot, thread, rows);
}

void f0t_svm_slot_continue(f0t_svm_slot *slot, double lambda, double size)
{
    const double k = slot->loss.k * stride * lambda / slot->task.lambda;
    slot->task.lambda = lambda;
    reset(slot, size);
    if (slot->set_count) {
        slot->loss.k = k < slot->loss.k ? k : slot->loss.k;
        slot->state = F0T_SVM_WORK;
        return;
    }
    slot->loss = f0t_svm_loss_first(&slot->task, size);
    slot->left = 0;
    slot->entered.k = 0;
    slot->state = slot->trivial ? F0T_SVM_NEW : F0T_SVM_POINT;
}
