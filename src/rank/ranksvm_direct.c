/* Newton steps over all tags whose system is solved on the tags of the zone alone: the rest of the
 * loss is straight there. Three rounds a step, however badly conditioned it is. */
#include "rank/ranksvm_slot.h"

#include <string.h>

/* Lists the relevant tags and those irrelevant ones that have a pair in the zone: a product of the
 * Laplacian tells which. False when there is no room for them. */
static bool list_zone(f0t_svm_slot *slot, const f0t_svm_bench *bench)
{
    const f0t_svm_rule *rule = &slot->rule;
    const size_t room = bench->work->room;
    float *ones = bench->scratch, *degrees = bench->slopes;
    if (rule->count > room)
        return false;
    memset(ones, 0, rule->tags * sizeof *ones);
    for (size_t i = 0; i < rule->count; i++)
        ones[rule->relevant[i]] = 1;
    f0t_svm_pairs_hessian(bench->pairs, degrees, ones, slot->at, rule, slot->loss);
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

bool f0t_svm_direct_begin(f0t_svm_slot *slot, const f0t_svm_bench *bench, f0t_svm_rows rows)
{
    if (!list_zone(slot, bench))
        return false;
    for (size_t j = 0; j < bench->svm->rank; j++)
        rows.query[j] = rows.sums[j] / (float)slot->task.lambda - slot->w[j];
    slot->state = F0T_SVM_GRADIENT;
    return true;
}

/* Bends the gradient step, whose scores have come, into the Newton step. */
static void bend(f0t_svm_slot *slot, const f0t_svm_bench *bench, f0t_svm_rows rows)
{
    const f0t_ranksvm *svm = bench->svm;
    f0t_svm_work *work = bench->work;
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

void f0t_svm_direct_score(f0t_svm_slot *slot, const f0t_svm_bench *bench, f0t_svm_rows rows)
{
    if (slot->state == F0T_SVM_GRADIENT) {
        bend(slot, bench, rows);
        return;
    }
    memcpy(slot->along, rows.scores, slot->rule.tags * sizeof *slot->along);
    f0t_svm_dense_advance(slot, bench, rows);
}
