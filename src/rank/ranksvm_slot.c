#include "rank/ranksvm_slot.h"

#include <math.h>
#include <string.h>

/* A rule that needs more rounds than this ends with the gap it has. */
enum { ROUNDS = 2000 };

/* The result of the slot is in its query. */
static void finish(f0t_svm_slot *slot, double primal)
{
    slot->primal = primal;
    slot->gap = f0t_svm_gap(primal, slot->dual);
    slot->state = F0T_SVM_DONE;
}

/* ---- All tags, by conjugate gradients ---------------------------------------------------------- */

/* Newton steps over all tags, by conjugate gradients: O. Chapelle and S. S. Keerthi, Efficient
 * algorithms for ranking with SVMs, Information Retrieval 13 (2010). Each product with the Hessian
 * takes a round. */

enum { CONJUGATE_STEPS = 60, STIFF = 25 };

/* Conjugate gradients stop when they have made the residual this much smaller. */
static const double forcing = 0.1;

/* Float32 scores are no sharper than this. */
static const double sharpest = 1e5;

/* With a larger gap w says little about which tags are near the margin in the end. */
static const double reliable = 0.1;

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

static void score_all(f0t_svm_slot *slot, const f0t_svm_thread *thread, f0t_svm_rows rows)
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

static void next_direction(f0t_svm_slot *slot, const f0t_svm_thread *thread, f0t_svm_rows rows)
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

/* ---- All tags, exactly ------------------------------------------------------------------------- */

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

static void score_exact(f0t_svm_slot *slot, const f0t_svm_thread *thread, f0t_svm_rows rows)
{
    if (slot->state == F0T_SVM_GRADIENT) {
        bend(slot, thread, rows);
        return;
    }
    memcpy(slot->along, rows.scores, slot->rule.tags * sizeof *slot->along);
    advance(slot, thread, rows);
}

/* ---- Working sets ------------------------------------------------------------------------------ */

/* Round by round: the scores of all tags say which are missing. */

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
static void begin_set(f0t_svm_slot *slot, const f0t_svm_thread *thread, f0t_svm_rows rows)
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

/* Not twice with the same loss, not when it failed too often, not with too many tags. */
static bool enter_set(f0t_svm_slot *slot, const f0t_svm_thread *thread, f0t_svm_rows rows)
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
    score_all(slot, thread, rows);
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

static void score_set(f0t_svm_slot *slot, const f0t_svm_thread *thread, f0t_svm_rows rows)
{
    const float margin = margin_of(&slot->rule, rows.scores);
    const float highest = part_outside(slot, thread, rows.scores);
    double primal = slot->primal;
    if (highest > margin)
        primal += loss_outside(slot, thread->scratch, rows.scores, margin);
    if ((slot->near && f0t_svm_gap(primal, slot->dual) <= slot->task.gap) ||
        slot->rounds >= ROUNDS) {
        slot->in_result = slot->near;
        finish(slot, primal);
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

/* ---- After the sums ---------------------------------------------------------------------------- */

static void judge(f0t_svm_slot *slot, const f0t_svm_thread *thread, f0t_svm_rows rows)
{
    const double lambda = slot->task.lambda;
    const f0t_svm_bounds bounds =
        f0t_svm_bounds_get(&slot->task, slot->loss, &slot->sums, dot(thread, slot->w, slot->w),
                           dot(thread, rows.sums, rows.sums) / (lambda * lambda));
    slot->dual = fmax(slot->dual, bounds.dual);
    memcpy(rows.query, slot->w, thread->svm->rank * sizeof *rows.query);
    if (f0t_svm_gap(bounds.primal, slot->dual) <= slot->task.gap || slot->rounds >= ROUNDS) {
        finish(slot, bounds.primal);
        return;
    }
    slot->state = F0T_SVM_POINT;
    if (slot->loss.k < sharpest && f0t_svm_loss_done(&slot->task, slot->loss, &bounds) &&
        f0t_svm_loss_next(&slot->loss, &slot->task, thread->svm->size))
        return;
    if (f0t_svm_gap(bounds.rounded_primal, bounds.rounded_dual) <= reliable &&
        enter_set(slot, thread, rows))
        return;
    if (!slot->stiff || !begin_exact(slot, thread, rows))
        begin_step(slot, thread, rows);
}

void f0t_svm_slot_sum(f0t_svm_slot *slot, const f0t_svm_thread *thread, f0t_svm_rows rows)
{
    if (slot->state == F0T_SVM_EVALUATE)
        judge(slot, thread, rows);
    else
        next_direction(slot, thread, rows);
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
        finish(slot, pairs);
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
        begin_set(slot, thread, rows);
        return;
    }
    memcpy(slot->w, rows.query, thread->svm->rank * sizeof *slot->w);
    score_all(slot, thread, rows);
}

void f0t_svm_slot_score(f0t_svm_slot *slot, const f0t_svm_thread *thread, f0t_svm_rows rows)
{
    slot->rounds++;
    if (slot->state == F0T_SVM_START)
        start(slot, thread, rows);
    else if (slot->state == F0T_SVM_WORK)
        score_set(slot, thread, rows);
    else if (slot->state == F0T_SVM_GRADIENT || slot->state == F0T_SVM_ALONG)
        score_exact(slot, thread, rows);
    else if (slot->state == F0T_SVM_POINT || f0t_svm_slot_sums(slot))
        score_all(slot, thread, rows);
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
