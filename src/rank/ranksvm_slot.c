#include "rank/ranksvm_slot.h"

#include "rank/ranksvm_step.h"

#include <math.h>
#include <string.h>

/* λ may fall by this factor between problems that start each other, as in ranksvm_bounds.c. */
static const double stride = 10;

void f0t_svm_slot_finish(f0t_svm_slot *slot, double primal)
{
    slot->primal = primal;
    slot->gap = f0t_svm_gap(primal, slot->dual);
    slot->state = F0T_SVM_DONE;
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
void f0t_svm_slot_begin(f0t_svm_slot *slot, const f0t_svm_bench *bench, f0t_svm_rows rows)
{
    const f0t_ranksvm *svm = bench->svm;
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
        svm->kernels->svm_add_f32(rows.query, 1, svm->vectors + rule->relevant[i] * svm->rank,
                                  svm->rank);
    for (size_t j = 0; j < svm->rank; j++)
        rows.query[j] /=
            (float)(slot->task.lambda + slot->loss.k * (double)rule->count * svm->moments[j]);
    slot->state = F0T_SVM_START;
}

/* The objective from 0 along the query. */
typedef struct from_zero {
    const f0t_svm_slot *slot;
    const f0t_svm_bench *bench;
    const float *scores;
    double norm;
} from_zero;

static double slope_from_zero(void *context, double t)
{
    const from_zero *f = context;
    const f0t_svm_rule *rule = &f->slot->rule;
    f0t_svm_sums sums;
    for (size_t i = 0; i < rule->tags; i++)
        f->bench->scratch[i] = (float)t * f->scores[i];
    f0t_svm_pairs_gradient(f->bench->pairs, &sums, f->bench->slopes, f->bench->scratch, rule,
                           f->slot->loss);
    return f->slot->task.lambda * t * f->norm -
           f->bench->svm->kernels->svm_dot(f->bench->slopes, f->scores, rule->tags);
}

/* Goes from 0 along the query as far as it leads down. */
static void scale_start(f0t_svm_slot *slot, const f0t_svm_bench *bench, f0t_svm_rows rows)
{
    const f0t_ranksvm *svm = bench->svm;
    from_zero f = {slot, bench, rows.scores,
                   svm->kernels->svm_dot(rows.query, rows.query, svm->rank)};
    const double start = slope_from_zero(&f, 0);
    const float t = start < 0 ? (float)f0t_svm_step(slope_from_zero, &f, start) : 0;
    for (size_t j = 0; j < svm->rank; j++)
        rows.query[j] *= t;
    for (size_t i = 0; i < slot->rule.tags; i++)
        rows.scores[i] *= t;
}

/* Where the first loss is the easy one, and where all tags fit, a working set is the better way. */
static bool start_small(const f0t_svm_slot *slot, const f0t_svm_bench *bench)
{
    const size_t room = bench->work->room;
    if (slot->rule.tags <= room)
        return true;
    return slot->rule.count < room / 2 && slot->task.lambda <= 2 * bench->svm->size;
}

static void start(f0t_svm_slot *slot, const f0t_svm_bench *bench, f0t_svm_rows rows)
{
    scale_start(slot, bench, rows);
    if (start_small(slot, bench)) {
        f0t_svm_round_begin(slot, bench, rows);
        return;
    }
    memcpy(slot->w, rows.query, bench->svm->rank * sizeof *slot->w);
    f0t_svm_dense_score(slot, bench, rows);
}

void f0t_svm_slot_score(f0t_svm_slot *slot, const f0t_svm_bench *bench, f0t_svm_rows rows)
{
    slot->rounds++;
    if (slot->state == F0T_SVM_START)
        start(slot, bench, rows);
    else if (slot->state == F0T_SVM_WORK)
        f0t_svm_round(slot, bench, rows);
    else if (slot->state == F0T_SVM_GRADIENT || slot->state == F0T_SVM_ALONG)
        f0t_svm_direct_score(slot, bench, rows);
    else if (slot->state == F0T_SVM_POINT || f0t_svm_slot_sums(slot))
        f0t_svm_dense_score(slot, bench, rows);
}

bool f0t_svm_slot_sums(const f0t_svm_slot *slot)
{
    return slot->state == F0T_SVM_EVALUATE || slot->state == F0T_SVM_CONJUGATE;
}

void f0t_svm_slot_sum(f0t_svm_slot *slot, const f0t_svm_bench *bench, f0t_svm_rows rows)
{
    f0t_svm_dense_sum(slot, bench, rows);
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
