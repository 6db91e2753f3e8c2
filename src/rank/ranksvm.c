#include "rank/ranksvm.h"

#include "base/alloc.h"
#include "base/monitor.h"
#include "base/size.h"
#include "base/team.h"
#include "rank/ranksvm_slot.h"

#include <math.h>
#include <string.h>

enum {
    MOST_SLOTS = 512,
    LEAST_SLOTS = 64,
    SMALLEST_ROOM = 192,
    LARGEST_ROOM = 640,
    SPARE_ROOM = 192
};
enum { RESULT_ROWS = 256 };

/* Everything that a call of f0t_ranksvm_solve allocates. */
typedef struct solver {
    const f0t_ranksvm *svm;
    const f0t_rules *rules;
    const double *lambdas;
    size_t *order; /* [lambda_count] of the values of λ, the largest first */
    size_t lambda_count;
    f0t_ranksvm_options options;
    float *directions;
    f0t_ranksvm_result *results;

    size_t threads;
    f0t_svm_thread *thread_room; /* [threads] */
    size_t room;
    size_t slot_count, live; /* slots 0 … live - 1 have rules */
    f0t_svm_slot *slots;
    size_t next_rule, solved, missed;
    float *queries, *scores, *weights, *sums; /* [slots x rank or tags] */
    float *w, *step, *rest, *at, *along, *own;
    uint32_t *sets;
    double *betas, *set_scores;

    /* Results that wait to be turned back to the caller's axes. */
    size_t waiting;
    float *turned, *restored; /* [RESULT_ROWS x rank], [RESULT_ROWS x dims] */
    size_t *places;           /* [RESULT_ROWS] rows of directions */
} solver;

/* ---- Memory ------------------------------------------------------------------------------------ */

static bool any_wide(const f0t_rules *rules)
{
    for (size_t r = 0; r < rules->count; r++) {
        const f0t_svm_rule rule = {NULL, rules->offsets[r + 1] - rules->offsets[r], rules->tags};
        if (f0t_svm_rule_is_wide(&rule))
            return true;
    }
    return false;
}

static f0t_status thread_create(f0t_svm_thread *thread, const solver *s, bool wide)
{
    const size_t tags = s->svm->tags;
    thread->svm = s->svm;
    F0T_TRY(f0t_svm_work_create(&thread->work, s->svm, s->room));
    F0T_TRY(f0t_svm_pairs_create(&thread->pairs, tags, wide));
    F0T_TRY(f0t_alloc(&thread->scratch, tags, sizeof(float)));
    return f0t_alloc(&thread->slopes, tags, sizeof(float));
}

static void thread_free(f0t_svm_thread *thread)
{
    f0t_svm_work_free(thread->work);
    f0t_svm_pairs_free(thread->pairs);
    f0t_free(thread->scratch);
    f0t_free(thread->slopes);
}

static f0t_status rows_create(solver *s)
{
    const size_t rank = s->svm->rank, tags = s->svm->tags;
    float **short_rows[] = {&s->queries, &s->sums, &s->w, &s->step, &s->rest};
    float **long_rows[] = {&s->scores, &s->weights, &s->at, &s->along};
    size_t total;
    if (!f0t_size_mul(&total, s->slot_count, tags))
        return f0t_fail(F0T_ERROR_MEMORY, "no memory for the scores of %zu tags", tags);
    for (size_t i = 0; i < sizeof short_rows / sizeof *short_rows; i++)
        F0T_TRY(f0t_alloc_zero(short_rows[i], s->slot_count * rank, sizeof(float)));
    for (size_t i = 0; i < sizeof long_rows / sizeof *long_rows; i++)
        F0T_TRY(f0t_alloc_zero(long_rows[i], total, sizeof(float)));
    F0T_TRY(f0t_alloc(&s->sets, s->slot_count * s->room, sizeof *s->sets));
    F0T_TRY(f0t_alloc(&s->betas, s->slot_count * s->room, sizeof *s->betas));
    F0T_TRY(f0t_alloc(&s->set_scores, s->slot_count * s->room, sizeof *s->set_scores));
    F0T_TRY(f0t_alloc(&s->own, s->slot_count * s->svm->dims, sizeof *s->own));
    F0T_TRY(f0t_alloc(&s->turned, RESULT_ROWS * rank, sizeof(float)));
    F0T_TRY(f0t_alloc(&s->restored, RESULT_ROWS * s->svm->dims, sizeof(float)));
    memset(s->turned, 0, RESULT_ROWS * rank * sizeof(float));
    return f0t_alloc(&s->places, RESULT_ROWS, sizeof *s->places);
}

static void slots_link(solver *s)
{
    const size_t rank = s->svm->rank, tags = s->svm->tags;
    for (size_t i = 0; i < s->slot_count; i++) {
        f0t_svm_slot *slot = &s->slots[i];
        slot->w = s->w + i * rank;
        slot->step = s->step + i * rank;
        slot->rest = s->rest + i * rank;
        slot->at = s->at + i * tags;
        slot->along = s->along + i * tags;
        slot->result = s->own + i * s->svm->dims;
        slot->set = s->sets + i * s->room;
        slot->beta = s->betas + i * s->room;
        slot->set_scores = s->set_scores + i * s->room;
    }
}

static size_t limit(size_t value, size_t least, size_t most)
{
    return value < least ? least : value > most ? most : value;
}

/* The smallest power of two that is at least n: products are prepared for few numbers of rows. */
static size_t power_of_two(size_t n)
{
    size_t power = 1;
    while (power < n)
        power *= 2;
    return power;
}

static f0t_status solver_create(solver *s)
{
    const size_t tags = s->svm->tags;
    s->room = limit(s->svm->rank + SPARE_ROOM, SMALLEST_ROOM, LARGEST_ROOM);
    s->room = s->room < tags ? s->room : tags;
    size_t slots = s->options.batch ? s->options.batch
                                    : limit(((size_t)1 << 21) / tags, LEAST_SLOTS, MOST_SLOTS);
    slots = slots < s->rules->count ? slots : s->rules->count;
    s->slot_count = power_of_two(limit(slots, LEAST_SLOTS, 4096));
    s->threads = (size_t)f0t_team_size();
    F0T_TRY(f0t_alloc_zero(&s->thread_room, s->threads, sizeof *s->thread_room));
    F0T_TRY(f0t_alloc_zero(&s->slots, s->slot_count, sizeof *s->slots));
    F0T_TRY(f0t_alloc(&s->order, s->lambda_count, sizeof *s->order));
    const bool wide = any_wide(s->rules);
    for (size_t i = 0; i < s->threads; i++)
        F0T_TRY(thread_create(&s->thread_room[i], s, wide));
    F0T_TRY(rows_create(s));
    slots_link(s);
    return F0T_OK;
}

static void solver_free(solver *s)
{
    void *all[] = {s->slots, s->order,  s->queries,  s->scores, s->weights,    s->sums,
                   s->w,     s->step,   s->rest,     s->at,     s->along,      s->sets,
                   s->betas, s->turned, s->restored, s->places, s->set_scores, s->own};
    for (size_t i = 0; s->thread_room && i < s->threads; i++)
        thread_free(&s->thread_room[i]);
    f0t_free(s->thread_room);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        f0t_free(all[i]);
}

/* ---- Results ----------------------------------------------------------------------------------- */

static f0t_status flush(solver *s)
{
    const size_t dims = s->svm->dims;
    if (!s->waiting)
        return F0T_OK;
    F0T_TRY(f0t_ranksvm_restore(s->restored, s->svm, s->turned, RESULT_ROWS));
    for (size_t i = 0; i < s->waiting; i++)
        memcpy(s->directions + s->places[i] * dims, s->restored + i * dims, dims * sizeof(float));
    s->waiting = 0;
    return F0T_OK;
}

static f0t_status take_result(solver *s, const f0t_svm_slot *slot, const float *query)
{
    const size_t rank = s->svm->rank;
    const size_t place = s->order[slot->series] * s->rules->count + slot->number;
    if (slot->in_result) {
        memcpy(s->directions + place * s->svm->dims, slot->result, s->svm->dims * sizeof(float));
    } else {
        memcpy(s->turned + s->waiting * rank, query, rank * sizeof *query);
        s->places[s->waiting++] = place;
    }
    s->missed += slot->gap > slot->task.gap;
    s->solved++;
    if (s->results)
        s->results[place] = (f0t_ranksvm_result){slot->primal, slot->gap, slot->rounds};
    return s->waiting == RESULT_ROWS ? flush(s) : F0T_OK;
}

/* ---- Rounds ------------------------------------------------------------------------------------ */

/* Gives the slot the next rule. False when there is none. */
static bool assign(solver *s, f0t_svm_slot *slot)
{
    if (s->next_rule == s->rules->count)
        return false;
    const size_t r = s->next_rule++, first = s->rules->offsets[r];
    slot->number = r;
    slot->series = 0;
    slot->rule = (f0t_svm_rule){s->rules->relevant + first, s->rules->offsets[r + 1] - first,
                                s->rules->tags};
    slot->task = (f0t_svm_task){s->options.hinge, s->lambdas[s->order[0]], s->options.gap};
    slot->state = F0T_SVM_NEW;
    return true;
}

/* Puts the last slot into the place of one that has no rule. */
static void close_up(solver *s, size_t i)
{
    const size_t last = --s->live, rank = s->svm->rank;
    const f0t_svm_slot freed = s->slots[i];
    s->slots[i] = s->slots[last];
    s->slots[last] = freed;
    if (i != last)
        memcpy(s->queries + i * rank, s->queries + last * rank, rank * sizeof *s->queries);
}

/* Takes results and refills the slots. */
static f0t_status refill(solver *s)
{
    for (size_t i = 0; i < s->live;) {
        f0t_svm_slot *slot = &s->slots[i];
        if (slot->state != F0T_SVM_DONE) {
            i++;
            continue;
        }
        F0T_TRY(take_result(s, slot, s->queries + i * s->svm->rank));
        if (++slot->series < s->lambda_count)
            f0t_svm_slot_continue(slot, s->lambdas[s->order[slot->series]], s->svm->size);
        else if (!assign(s, slot))
            close_up(s, i);
    }
    return F0T_OK;
}

static f0t_svm_rows rows_of(const solver *s, size_t i)
{
    const size_t rank = s->svm->rank, tags = s->svm->tags;
    return (f0t_svm_rows){s->queries + i * rank, s->scores + i * tags, s->weights + i * tags,
                          s->sums + i * rank};
}

typedef void (*slot_step)(f0t_svm_slot *, const f0t_svm_thread *, f0t_svm_rows);

static void begin(f0t_svm_slot *slot, const f0t_svm_thread *thread, f0t_svm_rows rows)
{
    if (slot->state == F0T_SVM_NEW)
        f0t_svm_slot_begin(slot, thread, rows);
}

static void sum(f0t_svm_slot *slot, const f0t_svm_thread *thread, f0t_svm_rows rows)
{
    if (f0t_svm_slot_sums(slot))
        f0t_svm_slot_sum(slot, thread, rows);
}

/* Each slot's step is its own: which thread takes it does not matter. */
static void each(const solver *s, slot_step step)
{
#pragma omp parallel for schedule(dynamic, 4) num_threads((int)s->threads)
    for (size_t i = 0; i < s->live; i++) {
#ifdef _OPENMP
        const f0t_svm_thread *thread = &s->thread_room[omp_get_thread_num()];
#else
        const f0t_svm_thread *thread = &s->thread_room[0];
#endif
        step(&s->slots[i], thread, rows_of(s, i));
    }
}

/* With few rows other kernels of oneDNN (1 row with SSE4.1; 1, 2, 8 and 32 with AVX2) would sum in
 * another order, and a rule's direction would depend on its company. Rows beyond the live ones are of
 * no interest. */
static size_t product_rows(const solver *s)
{
    return power_of_two(s->live > LEAST_SLOTS ? s->live : LEAST_SLOTS);
}

static f0t_status run_round(solver *s)
{
    each(s, begin);
    const size_t rows = product_rows(s);
    F0T_TRY(f0t_ranksvm_scores(s->scores, s->svm, s->queries, rows));
    each(s, f0t_svm_slot_score);
    bool sums = false;
    for (size_t i = 0; i < s->live; i++)
        sums = sums || f0t_svm_slot_sums(&s->slots[i]);
    if (sums) {
        F0T_TRY(f0t_ranksvm_sums(s->sums, s->svm, s->weights, rows));
        each(s, sum);
    }
    return refill(s);
}

static f0t_status run(solver *s, const f0t_monitor *monitor)
{
    f0t_stage stage = f0t_stage_begin(monitor, "solving ranking SVMs", "rules",
                                      s->rules->count * s->lambda_count);
    while (s->live < s->slot_count && assign(s, &s->slots[s->live]))
        s->live++;
    while (s->live) {
        F0T_TRY(run_round(s));
        F0T_TRY(f0t_stage_update(&stage, s->solved));
    }
    F0T_TRY(flush(s));
    f0t_stage_end(&stage);
    if (s->missed)
        f0t_log(monitor, F0T_LOG_WARNING, "%zu of %zu ranking SVMs ended above the gap of %g",
                s->missed, s->solved, s->options.gap);
    return F0T_OK;
}

/* ---- The call ---------------------------------------------------------------------------------- */

static f0t_status check(const f0t_ranksvm *svm, const f0t_rules *rules, const double *lambdas,
                        size_t count, const f0t_ranksvm_options *options)
{
    if (rules->tags != svm->tags)
        return f0t_fail(F0T_ERROR_MISMATCH, "rules over %zu tags, vectors of %zu", rules->tags,
                        svm->tags);
    for (size_t i = 0; i < count; i++)
        if (!(lambdas[i] > 0) || !isfinite(lambdas[i]))
            return f0t_fail(F0T_ERROR_ARGUMENT, "lambda is %g: it must be above 0", lambdas[i]);
    if (options && (!(options->gap >= 0) || options->gap >= 1))
        return f0t_fail(F0T_ERROR_ARGUMENT, "the gap is %g: it must be from 0 to below 1",
                        options->gap);
    return F0T_OK;
}

static void order_lambdas(solver *s)
{
    for (size_t i = 0; i < s->lambda_count; i++) {
        size_t at = i;
        for (; at && s->lambdas[s->order[at - 1]] < s->lambdas[i]; at--)
            s->order[at] = s->order[at - 1];
        s->order[at] = i;
    }
}

f0t_status f0t_ranksvm_solve(float *directions, f0t_ranksvm_result *results, const f0t_ranksvm *svm,
                             const f0t_rules *rules, const double *lambdas, size_t count,
                             const f0t_ranksvm_options *options, const f0t_monitor *monitor)
{
    F0T_TRY(check(svm, rules, lambdas, count, options));
    if (!rules->count || !count)
        return F0T_OK;
    solver s = {.svm = svm,
                .rules = rules,
                .lambdas = lambdas,
                .lambda_count = count,
                .options = options ? *options : (f0t_ranksvm_options){0},
                .directions = directions,
                .results = results};
    if (s.options.gap == 0)
        s.options.gap = F0T_RANKSVM_GAP;
    f0t_status status = solver_create(&s);
    if (status == F0T_OK) {
        order_lambdas(&s);
        status = run(&s, monitor);
    }
    solver_free(&s);
    return status;
}
