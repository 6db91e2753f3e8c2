#include "eval/tuning.h"

#include "base/alloc.h"
#include "base/group.h"
#include "base/monitor.h"
#include "baseline/neighbours.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- Folds and test splits ------------------------------------------------------------------- */

/* Trials learn from the training tags without the held-out ones, and rank those, or all. */
static f0t_status add_fold(f0t_eval_protocol *p, const f0t_eval_tags *tags, const bool *all,
                           bool *mask, bool *held, uint64_t seed, size_t number)
{
    f0t_eval_fold *fold = &p->folds[p->fold_count];
    size_t taken;
    f0t_eval_tags_mask(mask, tags, f0t_training_set_tags(p->training_set));
    F0T_TRY(f0t_eval_tags_hold_out(&taken, mask, held, tags, seed, number));
    if (!taken)
        return F0T_OK;
    F0T_TRY(f0t_eval_task_create(&fold->own, tags, mask));
    if (fold->own.base.tags < 2 || !f0t_eval_task_has_examples(&fold->own)) {
        f0t_eval_task_free(&fold->own); /* trials could learn nothing */
        return F0T_OK;
    }
    fold->task = &fold->own;
    p->fold_count++;
    F0T_TRY(f0t_eval_split_create(&fold->validation, fold->task, F0T_VAL, all));
    F0T_TRY(f0t_alloc(&fold->held, taken, sizeof *fold->held));
    for (size_t i = 0; i < fold->validation.count; i++)
        if (held[fold->validation.tags[i]])
            fold->held[fold->held_count++] = (uint32_t)i;
    return F0T_OK;
}

static f0t_status add_folds(f0t_eval_protocol *p, const f0t_eval_tags *tags, const bool *all,
                            bool *mask, bool *held, uint64_t seed)
{
    p->criterion = p->training_set == F0T_LEARN_SEEN ? F0T_CRITERION_HELD_OUT : F0T_CRITERION_ALL;
    for (size_t i = 0; i < F0T_FOLDS; i++)
        F0T_TRY(add_fold(p, tags, all, mask, held, seed, i));
    return F0T_OK;
}

/* One fold, with nothing held out. */
static f0t_status add_whole(f0t_eval_protocol *p, const bool *all)
{
    p->criterion = F0T_CRITERION_ALL;
    p->fold_count = 1;
    p->folds[0].task = &p->task;
    return f0t_eval_split_create(&p->folds[0].validation, &p->task, F0T_VAL, all);
}

/* Every training set but that of all tags is about seen tags and others. */
static void find_refusal(f0t_eval_protocol *p, const f0t_eval_tags *tags, bool *mask)
{
    const f0t_task *base = &p->task.base;
    size_t seen = f0t_eval_tags_mask(mask, tags, F0T_TAG_SEEN);
    size_t unseen = f0t_eval_tags_mask(mask, tags, F0T_TAG_UNSEEN);
    if (p->training_set != F0T_LEARN_ALL && (seen < 2 || unseen < 2))
        snprintf(p->refusal, sizeof p->refusal,
                 "two seen and two unseen tags with a vector are needed; there are %zu and %zu",
                 seen, unseen);
    else if (base->tags < 2)
        snprintf(p->refusal, sizeof p->refusal, "two tags with a vector are needed; there are %zu",
                 base->tags);
    else if (!f0t_eval_task_has_examples(&p->task))
        snprintf(p->refusal, sizeof p->refusal,
                 "none of the %zu training images has one of the %zu tags to learn",
                 base->train.count, base->tags);
}

static f0t_status create(f0t_eval_protocol *p, const f0t_eval_tags *tags, bool *masks,
                         uint64_t seed)
{
    bool *all = masks, *mask = masks + tags->count, *held = mask + tags->count;
    f0t_eval_tags_mask(all, tags, f0t_training_set_tags(p->training_set));
    F0T_TRY(f0t_eval_task_create(&p->task, tags, all));
    find_refusal(p, tags, mask);
    bool held_out = p->training_set == F0T_LEARN_SEEN || p->training_set == F0T_LEARN_FOR_BOTH;
    if (!*p->refusal)
        F0T_TRY(held_out ? add_folds(p, tags, all, mask, held, seed) : add_whole(p, all));
    for (int s = 0; s < F0T_SCENARIOS; s++) {
        if (!p->asked[s])
            continue;
        f0t_eval_tags_mask(mask, tags, f0t_scenario_ranks((f0t_scenario)s));
        F0T_TRY(f0t_eval_split_create(&p->tests[s], &p->task, F0T_TEST, mask));
        if (s == F0T_COMPLETION)
            F0T_TRY(f0t_eval_split_complete(&p->tests[s], seed));
        p->tests[s].part = f0t_scenario_name((f0t_scenario)s);
    }
    return F0T_OK;
}

f0t_status f0t_eval_protocol_create(f0t_eval_protocol *p, f0t_training_set training_set,
                                    const f0t_eval_tags *tags, const bool asked[F0T_SCENARIOS],
                                    uint64_t seed)
{
    bool *masks;
    *p = (f0t_eval_protocol){.training_set = training_set};
    for (int s = 0; s < F0T_SCENARIOS; s++)
        p->asked[s] = asked[s] && f0t_scenario_training_set((f0t_scenario)s) == training_set;
    F0T_TRY(f0t_alloc(&masks, 3 * tags->count, sizeof *masks));
    f0t_status status = create(p, tags, masks, seed);
    f0t_free(masks);
    if (status != F0T_OK)
        f0t_eval_protocol_free(p);
    return status;
}

void f0t_eval_protocol_free(f0t_eval_protocol *p)
{
    for (size_t i = 0; i < F0T_FOLDS; i++) {
        f0t_eval_split_free(&p->folds[i].validation);
        f0t_free(p->folds[i].held);
        f0t_eval_task_free(&p->folds[i].own);
    }
    for (int s = 0; s < F0T_SCENARIOS; s++)
        f0t_eval_split_free(&p->tests[s]);
    f0t_eval_task_free(&p->task);
    *p = (f0t_eval_protocol){0};
}

/* ---- The fit that is tested ------------------------------------------------------------------ */

/* A fit with what it stands on. */
typedef struct f0t_eval_kept {
    const f0t_ranker *ranker;
    const f0t_eval_task *learned;
    f0t_eval_context context;
    double knobs[F0T_KNOBS_MAX];
    void *fitted;
    double train_s;
} f0t_eval_kept;

static void kept_free(f0t_eval_kept *kept)
{
    if (!kept)
        return;
    if (kept->fitted)
        kept->ranker->free(kept->fitted);
    f0t_eval_context_close(&kept->context, kept->ranker);
    f0t_free(kept);
}

void f0t_eval_memo_free(f0t_eval_memo *memo)
{
    kept_free(memo->kept);
    f0t_free(memo->trials);
    *memo = (f0t_eval_memo){0};
}

/* ---- Testing --------------------------------------------------------------------------------- */

/* Marks the cell as done: how many images and tags, and the knobs (NULL: none). */
static void describe_cell(f0t_eval_cell *cell, const f0t_eval_split *split,
                          const f0t_ranker *ranker, const f0t_eval_choice *chosen)
{
    cell->done = true;
    cell->images = split->truth.count;
    cell->tags = split->count;
    cell->knob_count = chosen ? ranker->knob_count : 0;
    for (size_t i = 0; i < cell->knob_count; i++) {
        snprintf(cell->knob_names[i], sizeof cell->knob_names[i], "%s", ranker->knobs[i].name);
        cell->knobs[i] = chosen->values[i];
    }
}

/* A test of the same tags that has been run; NULL: none. */
static const f0t_eval_cell *find_same(const f0t_eval_cell *cells, const f0t_eval_protocol *p,
                                      int scenario)
{
    for (int s = 0; s < F0T_SCENARIOS; s++) {
        const f0t_eval_split *a = &p->tests[s], *b = &p->tests[scenario];
        if (p->asked[s] && cells[s].done && cells[s].top && a->count == b->count &&
            a->completes == b->completes &&
            memcmp(a->tags, b->tags, a->count * sizeof *a->tags) == 0)
            return &cells[s];
    }
    return NULL;
}

/* Tests that are the same as one that is done (open, where every other tag is unseen) become copies of
 * it. */
static f0t_status copy_same(f0t_eval_cell *cells, const f0t_eval_protocol *p)
{
    for (int s = 0; s < F0T_SCENARIOS; s++) {
        const f0t_eval_cell *same = p->asked[s] && !cells[s].done ? find_same(cells, p, s) : NULL;
        if (same)
            F0T_TRY(f0t_eval_cell_copy(&cells[s], same));
    }
    return F0T_OK;
}

/* Every scenario that was asked for and is not done. */
static f0t_status run_tests(f0t_eval_cell *cells, const f0t_eval_protocol *p,
                            const f0t_eval_fit *fit, const f0t_eval_protocol_options *options,
                            const f0t_eval_choice *chosen, f0t_eval_cost cost)
{
    for (int s = 0; s < F0T_SCENARIOS; s++) {
        if (!p->asked[s] || cells[s].done)
            continue;
        F0T_TRY(f0t_eval_cell_test(&cells[s], &cost, &p->tests[s], fit, options));
        describe_cell(&cells[s], &p->tests[s], fit->ranker, chosen);
        F0T_TRY(copy_same(cells, p));
    }
    return F0T_OK;
}

/* ---- Running a method ------------------------------------------------------------------------ */

/* What was borrowed costs what making it would: methods are compared as if each were alone. */
static double take_lent(f0t_neighbour_store *store)
{
    const double lent = store ? store->lent : 0;
    if (store)
        store->lent = 0;
    return lent;
}

static bool learns_same(const f0t_eval_task *a, const f0t_eval_task *b)
{
    return a->base.tags == b->base.tags &&
           !memcmp(a->place, b->place, a->tags->count * sizeof *a->place);
}

/* Untuned, a method chooses by itself. */
static bool chooses(const f0t_eval_method *r)
{
    return !r->options->trials && r->ranker->choose;
}

/* The fit of the other training set, if this one would be the same. */
static f0t_eval_kept *find_kept(const f0t_eval_method *r, const f0t_eval_choice *chosen)
{
    f0t_eval_kept *kept = r->options->memo ? r->options->memo->kept : NULL;
    const size_t bytes = r->ranker->knob_count * sizeof *chosen->values;
    return kept && learns_same(kept->learned, &r->protocol->task) &&
                   (chooses(r) || !memcmp(kept->knobs, chosen->values, bytes))
               ? kept
               : NULL;
}

static f0t_status keep_model(const f0t_eval_kept *kept, const f0t_eval_method *r)
{
    const char *path = r->options->model;
    return path && r->ranker->save && r->protocol->training_set == F0T_LEARN_SEEN
               ? r->ranker->save(kept->fitted, &kept->context.task, path)
               : F0T_OK;
}

static f0t_status fit_kept(f0t_eval_kept *kept, f0t_eval_method *r, const f0t_eval_choice *chosen)
{
    const double began = f0t_time();
    kept->ranker = r->ranker;
    kept->learned = &r->protocol->task;
    memcpy(kept->knobs, chosen->values, sizeof kept->knobs);
    take_lent(r->options->store); /* by trials */
    F0T_TRY(f0t_eval_context_open(&kept->context, r, kept->learned));
    if (chooses(r))
        F0T_TRY(r->ranker->choose(kept->knobs, &kept->context.task, kept->context.shared));
    F0T_TRY(r->ranker->fit(&kept->fitted, &kept->context.task, kept->context.shared, kept->knobs));
    kept->train_s = f0t_time() - began + take_lent(r->options->store);
    return keep_model(kept, r);
}

/* *out is the memo's where there is one, else the caller's to free. */
static f0t_status fit_chosen(f0t_eval_kept **out, f0t_eval_method *r, const f0t_eval_choice *chosen)
{
    f0t_eval_memo *memo = r->options->memo;
    f0t_eval_kept *kept = NULL;
    *out = find_kept(r, chosen);
    if (*out)
        return F0T_OK;
    if (memo) {
        kept_free(memo->kept);
        memo->kept = NULL;
    }
    F0T_TRY(f0t_alloc_zero(&kept, 1, sizeof *kept));
    f0t_status status = fit_kept(kept, r, chosen);
    if (status != F0T_OK) {
        kept_free(kept);
        return status;
    }
    if (memo)
        memo->kept = kept;
    *out = kept;
    return F0T_OK;
}

static f0t_status tune_and_test(f0t_eval_cell *cells, f0t_eval_method *r)
{
    f0t_eval_choice chosen;
    f0t_eval_kept *kept;
    const double began = f0t_time(), used = f0t_cpu_time();
    F0T_TRY(f0t_eval_tune(&chosen, r));
    f0t_eval_cost cost = {.trials = chosen.trials,
                          .fits = chosen.fits,
                          .effort = chosen.effort,
                          .counted_s = chosen.seconds,
                          .validation = chosen.score,
                          .tune_s = chosen.trials ? f0t_time() - began : 0,
                          .tune_cpu_s = chosen.trials ? f0t_cpu_time() - used : 0};
    _Static_assert(sizeof cost.folds == sizeof chosen.folds, "one number per fold");
    memcpy(cost.folds, chosen.folds, sizeof cost.folds);
    cost.fold_count = chosen.fold_count;
    F0T_TRY(fit_chosen(&kept, r, &chosen));
    cost.train_s = kept->train_s;
    memcpy(chosen.values, kept->knobs, sizeof chosen.values);
    kept->context.task.monitor = &r->monitor;
    const f0t_eval_fit fit = {r->ranker, &kept->context.task, kept->fitted};
    f0t_status status = run_tests(cells, r->protocol, &fit, r->options, &chosen, cost);
    if (!r->options->memo)
        kept_free(kept);
    return status;
}

/* What the method cannot do is a result, too. Gives whether anything is left to do. */
static bool refuse(f0t_eval_cell *cells, const f0t_eval_protocol *p, const f0t_ranker *ranker,
                   const char *why)
{
    bool left = false;
    for (int s = 0; s < F0T_SCENARIOS; s++) {
        if (!p->asked[s] || cells[s].done)
            continue;
        char refusal[F0T_REFUSAL_SIZE];
        if (why)
            f0t_line_clean(refusal,
                           snprintf(refusal, sizeof refusal, "%s", why) >= (int)sizeof refusal);
        else if (!f0t_scenario_refuses(refusal, (f0t_scenario)s, ranker, p->tests[s].count)) {
            left = true;
            continue;
        }
        f0t_eval_cell_free(&cells[s]);
        memcpy(cells[s].refusal, refusal, sizeof refusal);
        describe_cell(&cells[s], &p->tests[s], ranker, NULL);
    }
    return left;
}

f0t_status f0t_eval_check_features(const f0t_dataset *dataset, size_t first, size_t end)
{
    float *row;
    F0T_TRY(f0t_alloc(&row, f0t_dataset_dim(dataset), sizeof *row));
    f0t_status status = F0T_OK;
    for (size_t m = first; m < end && status == F0T_OK; m++)
        status = f0t_dataset_read_features(row, dataset, m, 1);
    f0t_free(row);
    return status;
}

/* A number overflowed: the data at fault ends all; else the method has no result, UNSUPPORTED. */
static f0t_status blame(const f0t_eval_method *r)
{
    char why[1024];
    snprintf(why, sizeof why, "%s", f0t_last_error());
    const f0t_dataset *dataset = r->protocol->task.tags->dataset;
    F0T_TRY(f0t_eval_check_features(dataset, 0, f0t_dataset_image_count(dataset)));
    f0t_log(r->options->monitor, F0T_LOG_WARNING, "%s (%s) has no result: %s", r->ranker->name,
            f0t_training_set_name(r->protocol->training_set), why);
    return f0t_fail(F0T_ERROR_UNSUPPORTED, "%s", why);
}

static void pass_warning(void *user, f0t_log_level level, const char *line)
{
    const f0t_eval_method *r = user;
    if (level == F0T_LOG_WARNING)
        f0t_log(r->options->monitor, level, "%s: %s", r->ranker->name, line);
}

/* With the name of the method and the training set. */
static void pass_progress(void *user, const f0t_progress *progress)
{
    const f0t_eval_method *r = user;
    const f0t_monitor *outer = r->options->monitor;
    char stage[160];
    f0t_progress named = *progress;
    if (!outer || !outer->progress)
        return;
    snprintf(stage, sizeof stage, "%s (%s), %s", r->ranker->name,
             f0t_training_set_name(r->protocol->training_set), progress->stage);
    named.stage = stage;
    outer->progress(outer->user, &named);
}

f0t_status f0t_eval_protocol_run(f0t_eval_cell cells[F0T_SCENARIOS],
                                 const f0t_eval_protocol *protocol, const f0t_ranker *ranker,
                                 const f0t_eval_protocol_options *options)
{
    f0t_eval_method r = {.protocol = protocol, .ranker = ranker, .options = options};
    r.monitor = (f0t_monitor){.log = pass_warning,
                              .progress = pass_progress,
                              .user = &r,
                              .stop = options->monitor ? options->monitor->stop : NULL};
    F0T_TRY(copy_same(cells, protocol));
    if (!refuse(cells, protocol, ranker, NULL))
        return F0T_OK;
    if (*protocol->refusal) {
        refuse(cells, protocol, ranker, protocol->refusal);
        return F0T_OK;
    }
    f0t_status status = tune_and_test(cells, &r);
    if (status == F0T_ERROR_NUMERIC && f0t_group_current()->size == 1) /* else: eval/tuning.c */
        status = blame(&r);
    if (status == F0T_ERROR_UNSUPPORTED) {
        refuse(cells, protocol, ranker, f0t_last_error());
        return F0T_OK;
    }
    if (status != F0T_OK)
        return f0t_fail_prefix(status, "%s (%s): ", ranker->name,
                               f0t_training_set_name(protocol->training_set));
    return F0T_OK;
}
