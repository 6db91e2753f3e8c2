/* A rule on working sets, round by round: the scores of all tags say which are missing. */
#include "rank/ranksvm_slot.h"

#include <math.h>
#include <string.h>

/* A first set has FEW irrelevant tags and some more for each relevant one. */
enum { FEW = 48, MORE = 4, HANDFUL = 8 };

/* Enough tags to enter a working set from all of them, and how many more it takes then. */
enum { SMALL = 192, SPARE = 24 };

/* Rounds in which tags are let go; times that tags may find no room, and that a set may be left. */
enum { PRUNE_ROUNDS = 8, CROWDED = 6, LEAVES = 3 };

/* Steps to find a threshold. */
enum { HALVINGS = 12 };

/* Tags so far below the margin that they are let go, and so near that they are taken in. */
static const float let_go = 0.1F, take_in = 0.02F;

/* The score of tags that are in the set, among those outside. */
static const float taken = -1e30F;

/* The part of the gap that a working set may have: the tags outside have the rest. */
static const double near_gap = 0.75;

static float margin_of(const f0t_svm_rule *rule, const float *scores)
{
    float least = scores[rule->relevant[0]];
    for (size_t i = 1; i < rule->count; i++)
        least = scores[rule->relevant[i]] < least ? scores[rule->relevant[i]] : least;
    return least - 1;
}

/* The scores of tags outside the set, all others far below, into thread->scratch. Returns the
 * highest. */
static float part_outside(const f0t_svm_slot *slot, const f0t_svm_thread *thread,
                          const float *scores)
{
    float *outside = thread->scratch, highest = -HUGE_VALF;
    memcpy(outside, scores, slot->rule.tags * sizeof *outside);
    for (size_t i = 0; i < slot->set_count; i++)
        outside[slot->set[i]] = taken;
#pragma omp simd reduction(max : highest)
    for (size_t t = 0; t < slot->rule.tags; t++)
        highest = outside[t] > highest ? outside[t] : highest;
    return highest;
}

/* What the tags outside the set add to the objective. */
static double loss_outside(const f0t_svm_slot *slot, const float *outside, const float *scores,
                           float margin)
{
    const f0t_svm_rule *rule = &slot->rule;
    double sum = 0;
    for (size_t t = 0; t < rule->tags; t++)
        for (size_t i = 0; outside[t] > margin && i < rule->count; i++) {
            double z = 1 - (double)scores[rule->relevant[i]] + (double)outside[t];
            z = z > 0 ? z : 0;
            sum += slot->task.hinge == F0T_HINGE_SQUARED ? z * z : z;
        }
    return sum;
}

/* Lets go of irrelevant tags that have no part in w and are below `least`. */
static void prune(f0t_svm_slot *slot, const float *scores, float least)
{
    size_t kept = slot->rule.count;
    for (size_t i = kept; i < slot->set_count; i++)
        if (slot->beta[i] != 0 || scores[slot->set[i]] > least) {
            slot->set[kept] = slot->set[i];
            slot->set_scores[kept] = slot->set_scores[i];
            slot->beta[kept++] = slot->beta[i];
        }
    slot->set_count = kept;
}

/* A tag that has no part in w yet. */
static void add(f0t_svm_slot *slot, const float *scores, uint32_t tag)
{
    slot->set[slot->set_count] = tag;
    slot->set_scores[slot->set_count] = (double)scores[tag];
    slot->beta[slot->set_count++] = 0;
}

static size_t count_above(const float *scores, size_t count, float least)
{
    size_t above = 0;
    for (size_t t = 0; t < count; t++)
        above += scores[t] > least;
    return above;
}

/* A score that nearly `count` of the tags of thread->scratch are above, never more. */
static float threshold(const f0t_svm_slot *slot, const f0t_svm_thread *thread, size_t count)
{
    float low = HUGE_VALF, high = -HUGE_VALF;
    for (size_t t = 0; t < slot->rule.tags; t++) {
        const float score = thread->scratch[t];
        low = score > taken && score < low ? score : low;
        high = score > high ? score : high;
    }
    low -= 1;
    if (count_above(thread->scratch, slot->rule.tags, low) <= count)
        return low;
    for (int i = 0; i < HALVINGS; i++) {
        const float middle = low + (high - low) / 2;
        const size_t above = count_above(thread->scratch, slot->rule.tags, middle);
        if (above <= count)
            high = middle;
        else
            low = middle;
        if (above <= count && above >= count - count / 8)
            break;
    }
    return high;
}

/* Adds the tags of thread->scratch above `least`: the highest, when there is no room for all, and
 * false. */
static bool add_above(f0t_svm_slot *slot, const f0t_svm_thread *thread, float least)
{
    const float *outside = thread->scratch;
    const size_t room = thread->work->room - slot->set_count;
    const bool fits = count_above(outside, slot->rule.tags, least) <= room;
    if (!fits)
        least = threshold(slot, thread, room);
    for (size_t t = 0; t < slot->rule.tags; t++)
        if (outside[t] > least)
            add(slot, outside, (uint32_t)t);
    return fits;
}

/* Whether the set's problem is solved well enough. */
static bool is_near(const f0t_svm_slot *slot, const f0t_svm_bounds *bounds)
{
    return f0t_svm_gap(bounds->primal, bounds->dual) <= near_gap * slot->task.gap;
}

/* Goes on to the next loss; half the way to the last one that was solved, when this one was not.
 * False when there is none. */
static bool next_loss(f0t_svm_slot *slot, double size)
{
    if (slot->loss_done) {
        slot->solved_k = slot->loss.k;
        return f0t_svm_loss_next(&slot->loss, &slot->task, size);
    }
    const double k = sqrt(slot->loss.k * slot->solved_k);
    const bool nearer = k < 0.8 * slot->loss.k;
    slot->loss.k = k;
    return nearer;
}

/* Solves the set's problem with one loss after the other: until all are done where the set has all
 * tags, else until `stages` took steps. */
static f0t_svm_bounds solve(f0t_svm_slot *slot, f0t_svm_work *work, int stages)
{
    const bool complete = work->count == slot->rule.tags;
    f0t_svm_bounds bounds = {.dual = slot->dual};
    do {
        int steps = 0;
        slot->loss_done = f0t_svm_work_solve(&bounds, &steps, work, &slot->task, slot->loss);
        f0t_svm_work_lengthen(&bounds, work, &slot->task, near_gap * slot->task.gap);
        slot->dual = bounds.dual;
        stages -= steps > 0;
        if ((stages <= 0 && !complete) || is_near(slot, &bounds))
            break;
    } while (next_loss(slot, work->svm->size));
    return bounds;
}

static void solve_set(f0t_svm_slot *slot, const f0t_svm_thread *thread, float *w, int stages)
{
    f0t_svm_work *work = thread->work;
    const f0t_svm_bounds bounds = solve(slot, work, stages);
    slot->near = is_near(slot, &bounds);
    slot->primal = bounds.primal;
    f0t_svm_work_direction(w, work);
    if (slot->near) {
        f0t_svm_work_result(slot->result, work);
        slot->primal = f0t_svm_work_primal(work, &slot->task);
    }
    memcpy(slot->beta, work->beta, work->count * sizeof *slot->beta);
    memcpy(slot->set_scores, work->scores, work->count * sizeof *slot->set_scores);
    slot->state = F0T_SVM_WORK;
}

static void load_set(const f0t_svm_slot *slot, const f0t_svm_thread *thread)
{
    f0t_svm_work_load(thread->work, slot->set, slot->beta, slot->set_scores, slot->rule.count,
                      slot->set_count);
}

static void take_relevant(f0t_svm_slot *slot)
{
    slot->set_count = slot->rule.count;
    memcpy(slot->set, slot->rule.relevant, slot->rule.count * sizeof *slot->set);
    memset(slot->beta, 0, slot->rule.count * sizeof *slot->beta);
}

/* With a handful of relevant tags the first set has nearly all that the second loss needs. */
void f0t_svm_set_begin(f0t_svm_slot *slot, const f0t_svm_thread *thread, f0t_svm_rows rows)
{
    const size_t room = thread->work->room - slot->rule.count;
    const size_t few = FEW + MORE * slot->rule.count;
    slot->entered.k = 0;
    take_relevant(slot);
    part_outside(slot, thread, rows.scores);
    if (slot->rule.tags <= thread->work->room)
        add_above(slot, thread, taken);
    else
        add_above(slot, thread, threshold(slot, thread, few < room ? few : room));
    memset(slot->set_scores, 0, slot->set_count * sizeof *slot->set_scores);
    load_set(slot, thread);
    solve_set(slot, thread, rows.query, slot->rule.count <= HANDFUL ? 2 : 1);
}

bool f0t_svm_set_enter(f0t_svm_slot *slot, const f0t_svm_thread *thread, f0t_svm_rows rows)
{
    const size_t room = thread->work->room, most = slot->stiff || room < SMALL ? room : SMALL;
    const float margin = margin_of(&slot->rule, slot->at);
    size_t near = slot->rule.count;
    for (size_t t = 0; t < slot->rule.tags; t++)
        near += slot->at[t] > margin && rows.weights[t] <= 0;
    if (slot->left > LEAVES || near > most || (slot->left && slot->loss.k <= slot->entered.k))
        return false;
    slot->entered = slot->loss;
    take_relevant(slot);
    part_outside(slot, thread, slot->at);
    near = near + near / 4 + SPARE < room ? near + near / 4 + SPARE : room;
    add_above(slot, thread, threshold(slot, thread, near - slot->rule.count));
    for (size_t i = 0; i < slot->set_count; i++)
        slot->beta[i] = (double)rows.weights[slot->set[i]] / slot->task.lambda;
    load_set(slot, thread);
    f0t_svm_work_result(slot->result, thread->work);
    solve_set(slot, thread, rows.query, 1);
    return true;
}

/* Goes on over all tags: from where the working set was entered, or from its solution if it was the
 * first thing. */
static void leave(f0t_svm_slot *slot, const f0t_svm_thread *thread, f0t_svm_rows rows)
{
    slot->left++;
    slot->crowded = 0;
    slot->set_count = 0;
    if (slot->entered.k > 0) {
        slot->loss = slot->entered;
        slot->state = F0T_SVM_POINT;
        memcpy(rows.query, slot->w, thread->svm->rank * sizeof *slot->w);
        return;
    }
    memcpy(slot->w, rows.query, thread->svm->rank * sizeof *slot->w);
    f0t_svm_newton_score(slot, thread, rows);
}

/* Brings the set up to date. False when too many tags stay outside too often. */
static bool choose(f0t_svm_slot *slot, const f0t_svm_thread *thread, const float *scores,
                   float margin, float highest)
{
    if (slot->rounds <= PRUNE_ROUNDS && slot->set_count < slot->rule.tags)
        prune(slot, scores, margin - let_go);
    if (highest <= margin - take_in || add_above(slot, thread, margin - take_in))
        return true;
    return ++slot->crowded <= CROWDED;
}

void f0t_svm_set_score(f0t_svm_slot *slot, const f0t_svm_thread *thread, f0t_svm_rows rows)
{
    const float margin = margin_of(&slot->rule, rows.scores);
    const float highest = part_outside(slot, thread, rows.scores);
    double primal = slot->primal;
    if (highest > margin)
        primal += loss_outside(slot, thread->scratch, rows.scores, margin);
    if ((slot->near && f0t_svm_gap(primal, slot->dual) <= slot->task.gap) ||
        slot->rounds >= F0T_SVM_ROUNDS) {
        slot->in_result = slot->near;
        f0t_svm_slot_finish(slot, primal);
        return;
    }
    const bool stuck = !slot->near && isfinite(slot->primal) && !next_loss(slot, thread->svm->size);
    if (stuck || !choose(slot, thread, rows.scores, margin, highest)) {
        leave(slot, thread, rows);
        return;
    }
    load_set(slot, thread);
    solve_set(slot, thread, rows.query, 1);
}
