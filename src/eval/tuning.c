#include "eval/tuning.h"

#include "base/alloc.h"
#include "base/group.h"
#include "base/monitor.h"
#include "math/matmul.h"
#include "rank/miap.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- What fits share -------------------------------------------------------------------------- */

static f0t_task task_with(const f0t_eval_method *r, const f0t_eval_task *base, double effort)
{
    const f0t_eval_protocol_options *o = r->options;
    const bool own = o->blend_epochs && r->ranker == &f0t_ranker_blend;
    const size_t asked = own ? o->blend_epochs : o->epochs;
    const double epochs = round((double)asked * effort);
    f0t_task task = base->base;
    task.seed = o->seed;
    task.effort = effort;
    task.epochs = asked && epochs < 1 ? 1 : (size_t)epochs;
    task.hidden = o->hidden;
    task.hidden_count = o->hidden_count;
    task.classes = o->classes;
    task.class_vectors = o->class_vectors;
    task.bf16 = o->bf16;
    task.store = o->store;
    task.monitor = &r->monitor;
    task.ranker = r->ranker;
    return task;
}

static f0t_status open_trials(f0t_eval_context *context, f0t_eval_method *r,
                              const f0t_eval_task *task, double effort)
{
    *context = (f0t_eval_context){.task = task_with(r, task, effort)};
    context->task.bf16 |= f0t_matmul_bf16_native(); /* trials only choose */
    return r->ranker->prepare ? r->ranker->prepare(&context->shared, &context->task) : F0T_OK;
}

f0t_status f0t_eval_context_open(f0t_eval_context *context, f0t_eval_method *r,
                                 const f0t_eval_task *task)
{
    *context = (f0t_eval_context){.task = task_with(r, task, 1)};
    return r->ranker->prepare ? r->ranker->prepare(&context->shared, &context->task) : F0T_OK;
}

void f0t_eval_context_close(f0t_eval_context *context, const f0t_ranker *ranker)
{
    if (ranker->release && context->shared)
        ranker->release(context->shared);
    context->shared = NULL;
}

/* ---- Tuning ---------------------------------------------------------------------------------- */

typedef struct tuning {
    f0t_eval_method *run;
    f0t_eval_context contexts[F0T_FOLDS];
    bool open[F0T_FOLDS];
    f0t_eval_split few[F0T_FOLDS]; /* for a method that cannot rank as many tags as were held out */
    f0t_eval_memo own, *memo;      /* own, or that of the options */
    double effort;                 /* of a trial: the part of the epochs that it gets */
    size_t fits, skipped;          /* settings that cost too much are not tried */
    f0t_stage stage;
} tuning;

/* Nothing is held out: one fit for all parts of a trial, which are parts of the validation images. */
static bool is_whole(const f0t_eval_protocol *p)
{
    return p->folds[0].task == &p->task;
}

/* Where nothing is held out nothing is shared. */
static f0t_eval_memo *memo_of(tuning *t)
{
    f0t_eval_memo *shared = t->run->options->memo;
    return shared && !is_whole(t->run->protocol) ? shared : &t->own;
}

/* ---- What trials may cost -------------------------------------------------------------------- */

/* Of fits in a trial that goes to its end. */
static size_t fits_per_trial(const f0t_eval_protocol *p)
{
    return is_whole(p) ? 1 : p->fold_count;
}

/* One fit. */
static double seconds_of(const f0t_eval_method *r, const double *knobs, double effort)
{
    const f0t_task task = task_with(r, r->protocol->folds[0].task, effort);
    return r->ranker->cost ? r->ranker->cost(&task, knobs) / F0T_TUNE_OPERATIONS : 0;
}

/* The largest share of the epochs with which some settings can be tried; 0 where two cost more than there is. With less than a quarter of the epochs trials favour weak regularisation: there is little to regularise
 * yet. */
static double choose_effort(const f0t_eval_method *r, const double *first)
{
    static const double efforts[] = {1, 0.5, 0.25};
    enum { COUNT = sizeof efforts / sizeof *efforts, SETTINGS = 8 };
    if (!r->ranker->cost)
        return efforts[COUNT - 1];
    const size_t fits = fits_per_trial(r->protocol), most = r->options->trials;
    for (size_t i = 0; i < COUNT; i++) {
        const double seconds = seconds_of(r, first, efforts[i]);
        const size_t settings = i + 1 == COUNT ? 2 : most < SETTINGS ? most : SETTINGS;
        if ((double)(settings * fits) * seconds <= r->options->budget)
            return efforts[i];
    }
    return 0;
}

/* ---- What was tried before ------------------------------------------------------------------- */

/* What is known of a setting; a new entry where it is nothing. */
static f0t_status recall(struct f0t_eval_memo_trial **out, tuning *t, const double *knobs)
{
    f0t_eval_memo *memo = t->memo;
    const size_t bytes = t->run->ranker->knob_count * sizeof *knobs;
    for (size_t i = 0; i < memo->count; i++)
        if (!memcmp(memo->trials[i].knobs, knobs, bytes)) {
            *out = &memo->trials[i];
            return F0T_OK;
        }
    F0T_TRY(f0t_grow(&memo->trials, &memo->capacity, memo->count, 1, sizeof *memo->trials));
    *out = &memo->trials[memo->count++];
    **out = (struct f0t_eval_memo_trial){0};
    memcpy((*out)->knobs, knobs, bytes);
    return F0T_OK;
}

/* ---- A trial --------------------------------------------------------------------------------- */

typedef struct validation_sink {
    f0t_miap sums[F0T_CRITERIA][F0T_FOLDS];
    size_t parts, images;      /* images that are split into parts */
    const f0t_eval_fold *fold; /* NULL: every candidate is held out */
} validation_sink;

static f0t_status add_rows(validation_sink *to, size_t part, const f0t_ranking *rows)
{
    f0t_ranking held = *rows;
    if (!to->fold)
        return f0t_miap_add(&to->sums[F0T_CRITERION_HELD_OUT][part], rows);
    if (to->fold->held_count) {
        held.columns = to->fold->held;
        held.column_count = to->fold->held_count;
        F0T_TRY(f0t_miap_add(&to->sums[F0T_CRITERION_HELD_OUT][part], &held));
    }
    return f0t_miap_add(&to->sums[F0T_CRITERION_ALL][part], rows);
}

static f0t_status add_validation_block(void *user, size_t first, const f0t_ranking *block)
{
    validation_sink *to = user;
    for (size_t part = 0; part < to->parts; part++) {
        size_t from = part * to->images / to->parts, end = (part + 1) * to->images / to->parts;
        from = from < first ? first : from;
        end = end > first + block->images ? first + block->images : end;
        if (from >= end)
            continue;
        f0t_ranking rows = *block;
        rows.images = end - from;
        rows.scores += (from - first) * block->tags;
        rows.offsets += from - first;
        F0T_TRY(add_rows(to, part, &rows));
    }
    return F0T_OK;
}

/* Adds up what the processes have found, each on some of the images. Scores of one that are no numbers are all's. */
static f0t_status add_up(validation_sink *to, f0t_status status, const f0t_group *group)
{
    f0t_miap *all = &to->sums[0][0];
    enum { SUMS = F0T_CRITERIA * F0T_FOLDS };
    double sums[SUMS][3], failed = status == F0T_ERROR_NUMERIC;
    if (!(failed > 0))
        F0T_TRY(status);
    for (size_t i = 0; i < SUMS; i++) {
        sums[i][0] = all[i].sum;
        sums[i][1] = (double)all[i].ranked;
        sums[i][2] = (double)all[i].images;
    }
    F0T_TRY(f0t_group_total(group, &failed, 1));
    if (failed > 0)
        return status != F0T_OK ? status : f0t_fail(F0T_ERROR_NUMERIC, "a score is not a number");
    F0T_TRY(f0t_group_total(group, sums[0], SUMS * 3));
    for (size_t i = 0; i < SUMS; i++)
        all[i] = (f0t_miap){
            .sum = sums[i][0], .ranked = (size_t)sums[i][1], .images = (size_t)sums[i][2]};
    return F0T_OK;
}

/* Each process ranks some of the images. */
static f0t_status rank_validation(validation_sink *sink, const f0t_eval_split *split,
                                  const f0t_eval_fit *fit)
{
    const f0t_group *group = f0t_group_current();
    const size_t first = f0t_group_part(sink->images, group->rank, group->size);
    const size_t end = f0t_group_part(sink->images, group->rank + 1, group->size);
    if (group->size == 1 || fit->ranker->whole)
        return f0t_eval_split_score(NULL, split, fit, add_validation_block, sink);
    return add_up(
        sink, f0t_eval_split_score_some(NULL, split, fit, first, end, add_validation_block, sink),
        group);
}

/* The MiAP by each criterion; NaN where no image has a relevant tag. */
static f0t_status judge(struct f0t_eval_memo_trial *to, const tuning *t, size_t fold, void *fitted)
{
    const f0t_eval_fit fit = {t->run->ranker, &t->contexts[fold].task, fitted};
    const f0t_eval_fold *f = &t->run->protocol->folds[fold];
    const bool few = t->few[fold].task != NULL, whole = is_whole(t->run->protocol);
    const f0t_eval_split *split = few ? &t->few[fold] : &f->validation;
    validation_sink sink = {
        .fold = few ? NULL : f, .parts = whole ? F0T_FOLDS : 1, .images = split->truth.count};
    F0T_TRY(rank_validation(&sink, split, &fit));
    for (int i = 0; i < F0T_CRITERIA; i++)
        for (size_t part = 0; part < sink.parts; part++)
            to->scores[i][fold + part] =
                sink.sums[i][part].ranked ? f0t_miap_get(&sink.sums[i][part]) : (double)NAN;
    to->done = fold + sink.parts;
    return F0T_OK;
}

static f0t_status try_fold(struct f0t_eval_memo_trial *to, tuning *t, size_t fold)
{
    f0t_eval_method *r = t->run;
    const f0t_ranker *ranker = r->ranker;
    void *fitted = NULL;
    if (!t->open[fold]) {
        F0T_TRY(open_trials(&t->contexts[fold], r, r->protocol->folds[fold].task, t->effort));
        t->open[fold] = true;
    }
    t->fits++;
    f0t_status status =
        ranker->fit(&fitted, &t->contexts[fold].task, t->contexts[fold].shared, to->knobs);
    if (status == F0T_OK)
        status = judge(to, t, fold, fitted);
    if (fitted)
        ranker->free(fitted);
    return status;
}

/* A fit that diverges or finds nothing to learn from, or whose scores are not numbers, is a bad
 * setting and no failure. Of several processes the first one's word counts: all must go on alike. A number that
 * overflows may do so in one of them alone, while the others wait for it inside the fit: that ends the run. */
static f0t_status try_next(struct f0t_eval_memo_trial *trial, tuning *t)
{
    f0t_status status = try_fold(trial, t, trial->done);
    trial->failed = (status == F0T_ERROR_NUMERIC && f0t_group_current()->size == 1) ||
                    status == F0T_ERROR_UNSUPPORTED;
    if (!trial->failed)
        F0T_TRY(status);
    return f0t_group_broadcast(f0t_group_current(), trial, sizeof *trial);
}

/* Fold after fold until it is behind what it must beat. What another criterion has tried beyond that does not
 * count: the f0t_eval_choice is the same whatever was asked for before. */
static f0t_status try_knobs(f0t_tune_search *search, tuning *t, const double *knobs)
{
    const f0t_eval_protocol *p = t->run->protocol;
    const size_t all = is_whole(p) ? F0T_FOLDS : p->fold_count;
    const f0t_tune_trial *incumbent =
        search->trial_count ? &search->trials[search->incumbent] : NULL;
    struct f0t_eval_memo_trial *trial;
    size_t parts = 0;
    bool failed = false;
    F0T_TRY(recall(&trial, t, knobs));
    const double *scores = trial->scores[p->criterion];
    while (parts < all && !(incumbent && f0t_tune_is_behind(incumbent, scores, parts))) {
        while (trial->done <= parts && !trial->failed)
            F0T_TRY(try_next(trial, t));
        failed = trial->done <= parts;
        if (failed)
            break;
        parts++;
    }
    const double fits = is_whole(p) ? 1 : (double)parts + failed;
    return f0t_tune_add_parts(search, knobs, scores, failed ? 0 : parts,
                              fits * seconds_of(t->run, knobs, t->effort));
}

/* ---- All trials ------------------------------------------------------------------------------ */

/* A split of `most` of the held-out tags, from all over the vocabulary. */
static f0t_status make_few(f0t_eval_split *few, const f0t_eval_fold *fold, size_t most)
{
    bool *mask;
    F0T_TRY(f0t_alloc_zero(&mask, fold->task->tags->count, sizeof *mask));
    for (size_t i = 0; i < most; i++)
        mask[fold->validation.tags[fold->held[i * fold->held_count / most]]] = true;
    f0t_status status = f0t_eval_split_create(few, fold->task, F0T_VAL, mask);
    f0t_free(mask);
    return status;
}

/* A method that ranks so many tags and no more is asked for new ones alone. */
static f0t_status limit_splits(tuning *t)
{
    const f0t_eval_protocol *p = t->run->protocol;
    const size_t most = t->run->ranker->most_tags;
    for (size_t i = 0; most && i < p->fold_count; i++) {
        const f0t_eval_fold *fold = &p->folds[i];
        if (fold->validation.count > most && fold->held_count)
            F0T_TRY(make_few(&t->few[i], fold, most < fold->held_count ? most : fold->held_count));
    }
    return F0T_OK;
}

static bool has_choice(const f0t_ranker *ranker)
{
    for (size_t i = 0; i < ranker->knob_count; i++)
        if (ranker->knobs[i].count > 1)
            return true;
    return false;
}

static bool has_truth(const f0t_eval_protocol *p)
{
    for (size_t fold = 0; fold < p->fold_count; fold++) {
        const f0t_samples *truth = &p->folds[fold].validation.truth;
        if (truth->offsets[truth->count] > 0)
            return true;
    }
    return false;
}

/* What the method chooses by itself, and would use if nothing were tuned. */
static f0t_status choose_first(double *values, f0t_eval_method *r)
{
    f0t_eval_context context;
    f0t_status status = f0t_eval_context_open(&context, r, &r->protocol->task);
    if (status == F0T_OK)
        status = r->ranker->choose(values, &context.task, context.shared);
    f0t_eval_context_close(&context, r->ranker);
    F0T_TRY(status);
    return f0t_group_broadcast(f0t_group_current(), values, r->ranker->knob_count * sizeof *values);
}

/* The search begins where the method would stay without it: tuning leaves that only for what is better. */
static void begin_at(f0t_knob *grid, const f0t_ranker *ranker, const double *values)
{
    for (size_t k = 0; k < ranker->knob_count; k++) {
        grid[k] = ranker->knobs[k];
        for (size_t i = 0; i < grid[k].count; i++)
            if (grid[k].values[i] == values[k])
                grid[k].first = i;
    }
}

static f0t_status run_trials(f0t_tune_search *search, tuning *t)
{
    double knobs[F0T_KNOBS_MAX];
    const double fits = (double)fits_per_trial(t->run->protocol);
    while (f0t_tune_next(knobs, search)) {
        const double seconds = fits * seconds_of(t->run, knobs, t->effort);
        F0T_TRY(f0t_stage_update(&t->stage, search->trial_count));
        if (search->spent + seconds <= t->run->options->budget) {
            F0T_TRY(try_knobs(search, t, knobs));
        } else { /* others may cost less */
            F0T_TRY(f0t_tune_add_parts(search, knobs, NULL, 0, 0));
            t->skipped++;
        }
    }
    return F0T_OK;
}

/* The search ends after a number of trials or where the next could cost more than is left, never by the clock: the same seed
 * gives the same f0t_eval_choice. */
static f0t_status search_knobs(f0t_eval_choice *to, tuning *t)
{
    const f0t_ranker *ranker = t->run->ranker;
    f0t_knob grid[F0T_KNOBS_MAX];
    begin_at(grid, ranker, to->values);
    f0t_tune_search search = {
        .count = ranker->knob_count, .grid = grid, .most = t->run->options->trials};
    f0t_status status = run_trials(&search, t);
    if (status == F0T_OK) {
        const f0t_tune_trial *best = &search.trials[search.best];
        memcpy(to->values, best->values, sizeof to->values);
        to->trials = search.trial_count - t->skipped;
        to->fits = t->fits;
        to->effort = t->effort;
        to->seconds = search.spent;
        to->score = best->score;
        memcpy(to->folds, best->parts, sizeof to->folds);
        to->fold_count = best->part_count;
    }
    f0t_tune_close(&search);
    return status;
}

f0t_status f0t_eval_tune(f0t_eval_choice *to, f0t_eval_method *r)
{
    const f0t_ranker *ranker = r->ranker;
    tuning t = {.run = r};
    t.memo = memo_of(&t);
    char name[96];
    *to = (f0t_eval_choice){.score = (double)NAN, .effort = (double)NAN, .seconds = (double)NAN};
    for (size_t i = 0; i < ranker->knob_count; i++)
        to->values[i] = ranker->knobs[i].values[ranker->knobs[i].first];
    if (!has_choice(ranker) || !r->options->trials)
        return F0T_OK;
    if (ranker->choose)
        F0T_TRY(choose_first(to->values, r));
    if (!has_truth(r->protocol))
        return F0T_OK;
    t.effort = choose_effort(r, to->values);
    if (!(t.effort > 0)) {
        to->effort = to->seconds = 0;
        return F0T_OK;
    }
    snprintf(name, sizeof name, "%s (%s), tuning", ranker->name,
             f0t_training_set_name(r->protocol->training_set));
    t.stage = f0t_stage_begin(r->options->monitor, name, "trials", r->options->trials);
    f0t_status status = limit_splits(&t);
    if (status == F0T_OK)
        status = search_knobs(to, &t);
    for (size_t fold = 0; fold < F0T_FOLDS; fold++) {
        if (t.open[fold])
            f0t_eval_context_close(&t.contexts[fold], r->ranker);
        f0t_eval_split_free(&t.few[fold]);
    }
    f0t_eval_memo_free(&t.own);
    f0t_stage_end(&t.stage);
    return status;
}
