#include "eval/protocol.h"

#include "base/alloc.h"
#include "base/group.h"
#include "base/monitor.h"
#include "baseline/neighbours.h"
#include "math/matmul.h"
#include "rank/miap.h"

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

/* ---- Fitting --------------------------------------------------------------------------------- */

/* A method that is run by the protocol. */
typedef struct method_run {
    const f0t_eval_protocol *protocol;
    const f0t_ranker *ranker;
    const f0t_eval_protocol_options *options;
    f0t_monitor monitor; /* of the method: warnings, progress, stop */
} method_run;

/* What the fits of a method to one task share. */
typedef struct fit_context {
    f0t_task task;
    void *shared;
} fit_context;

static void pass_warning(void *user, f0t_log_level level, const char *line)
{
    const method_run *r = user;
    if (level == F0T_LOG_WARNING)
        f0t_log(r->options->monitor, level, "%s: %s", r->ranker->name, line);
}

/* With the name of the method and the training set. */
static void pass_progress(void *user, const f0t_progress *progress)
{
    const method_run *r = user;
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

static f0t_status fit_context_open(fit_context *context, method_run *r, const f0t_eval_task *task,
                                   double effort)
{
    const f0t_eval_protocol_options *o = r->options;
    const double epochs = round((double)o->epochs * effort);
    *context = (fit_context){.task = task->base};
    context->task.seed = o->seed;
    context->task.effort = effort;
    context->task.epochs = o->epochs && epochs < 1 ? 1 : (size_t)epochs;
    context->task.hidden = o->hidden;
    context->task.hidden_count = o->hidden_count;
    context->task.classes = o->classes;
    context->task.class_vectors = o->class_vectors;
    /* Trials only choose. */
    context->task.bf16 = o->bf16 || (effort < 1 && f0t_matmul_bf16_native());
    context->task.store = o->store;
    context->task.monitor = &r->monitor;
    context->task.ranker = r->ranker;
    return r->ranker->prepare ? r->ranker->prepare(&context->shared, &context->task) : F0T_OK;
}

static void fit_context_close(fit_context *context, const f0t_ranker *ranker)
{
    if (ranker->release && context->shared)
        ranker->release(context->shared);
    context->shared = NULL;
}

/* A fit with what it stands on. */
typedef struct f0t_eval_kept {
    const f0t_ranker *ranker;
    const f0t_eval_task *learned;
    fit_context context;
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
    fit_context_close(&kept->context, kept->ranker);
    f0t_free(kept);
}

/* ---- Tuning: what was tried before ----------------------------------------------------------- */

/* The setting that tuning chose. */
typedef struct choice {
    double values[F0T_KNOBS_MAX];
    size_t trials;                /* made */
    size_t fits;                  /* that they took */
    double score;                 /* of the best trial; NaN where nothing could be judged */
    double folds[F0T_TUNE_PARTS]; /* [fold_count] in each of them */
    size_t fold_count;
} choice;

typedef struct tuning {
    method_run *run;
    fit_context contexts[F0T_FOLDS];
    bool open[F0T_FOLDS];
    f0t_eval_split few[F0T_FOLDS]; /* for a method that cannot rank as many tags as were held out */
    f0t_eval_memo own, *memo;      /* own, or that of the options */
    size_t fits;
    f0t_stage stage;
} tuning;

void f0t_eval_memo_free(f0t_eval_memo *memo)
{
    kept_free(memo->kept);
    f0t_free(memo->trials);
    *memo = (f0t_eval_memo){0};
}

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

/* ---- Tuning: a trial ------------------------------------------------------------------------- */

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
    method_run *r = t->run;
    const f0t_ranker *ranker = r->ranker;
    void *fitted = NULL;
    if (!t->open[fold]) {
        F0T_TRY(fit_context_open(&t->contexts[fold], r, r->protocol->folds[fold].task,
                                 r->options->effort));
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
 * setting and no failure. Of several processes the first one's word counts: all must go on alike. */
static f0t_status try_next(struct f0t_eval_memo_trial *trial, tuning *t)
{
    f0t_status status = try_fold(trial, t, trial->done);
    trial->failed = status == F0T_ERROR_NUMERIC || status == F0T_ERROR_UNSUPPORTED;
    if (!trial->failed)
        F0T_TRY(status);
    return f0t_group_broadcast(f0t_group_current(), trial, sizeof *trial);
}

/* Fold after fold until it is behind what it must beat. What another criterion has tried beyond that does not
 * count: the choice is the same whatever was asked for before. */
static f0t_status try_knobs(f0t_tune_search *search, tuning *t, const double *knobs)
{
    const f0t_eval_protocol *p = t->run->protocol;
    const size_t all = is_whole(p) ? F0T_FOLDS : p->fold_count;
    const f0t_tune_trial *incumbent =
        search->trial_count ? &search->trials[search->incumbent] : NULL;
    const double began = f0t_time();
    struct f0t_eval_memo_trial *trial;
    size_t parts = 0;
    F0T_TRY(recall(&trial, t, knobs));
    const double *scores = trial->scores[p->criterion];
    while (parts < all && !(incumbent && f0t_tune_is_behind(incumbent, scores, parts))) {
        while (trial->done <= parts && !trial->failed)
            F0T_TRY(try_next(trial, t));
        if (trial->done <= parts)
            break;
        parts++;
    }
    const bool failed = trial->failed && parts == trial->done;
    return f0t_tune_add_parts(search, knobs, scores, failed ? 0 : parts, f0t_time() - began);
}

/* ---- Tuning: all trials ---------------------------------------------------------------------- */

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

static bool has_truth(const f0t_eval_protocol *p)
{
    for (size_t fold = 0; fold < p->fold_count; fold++) {
        const f0t_samples *truth = &p->folds[fold].validation.truth;
        if (truth->offsets[truth->count] > 0)
            return true;
    }
    return false;
}

static f0t_status run_trials(f0t_tune_search *search, tuning *t)
{
    double knobs[F0T_KNOBS_MAX];
    while (f0t_tune_next(knobs, search)) {
        F0T_TRY(f0t_stage_update(&t->stage, search->trial_count));
        F0T_TRY(try_knobs(search, t, knobs));
    }
    return F0T_OK;
}

/* The search ends after a fixed number of trials, never by the clock: the same seed gives the same choice. */
static f0t_status search_knobs(choice *to, tuning *t)
{
    const f0t_ranker *ranker = t->run->ranker;
    f0t_tune_search search = {
        .count = ranker->knob_count, .grid = ranker->knobs, .most = t->run->options->trials};
    f0t_status status = run_trials(&search, t);
    if (status == F0T_OK) {
        const f0t_tune_trial *best = &search.trials[search.best];
        memcpy(to->values, best->values, sizeof to->values);
        to->trials = search.trial_count;
        to->fits = t->fits;
        to->score = best->score;
        memcpy(to->folds, best->parts, sizeof to->folds);
        to->fold_count = best->part_count;
    }
    f0t_tune_close(&search);
    return status;
}

/* Chooses the knobs; the first values where there is nothing to choose by. */
static f0t_status tune(choice *to, method_run *r)
{
    const f0t_ranker *ranker = r->ranker;
    tuning t = {.run = r};
    t.memo = memo_of(&t);
    char name[96];
    *to = (choice){.score = (double)NAN};
    for (size_t i = 0; i < ranker->knob_count; i++)
        to->values[i] = ranker->knobs[i].values[ranker->knobs[i].first];
    if (!ranker->knob_count || !r->options->trials || !has_truth(r->protocol))
        return F0T_OK;
    snprintf(name, sizeof name, "%s (%s), tuning", ranker->name,
             f0t_training_set_name(r->protocol->training_set));
    t.stage = f0t_stage_begin(r->options->monitor, name, "trials", r->options->trials);
    f0t_status status = limit_splits(&t);
    if (status == F0T_OK)
        status = search_knobs(to, &t);
    for (size_t fold = 0; fold < F0T_FOLDS; fold++) {
        if (t.open[fold])
            fit_context_close(&t.contexts[fold], r->ranker);
        f0t_eval_split_free(&t.few[fold]);
    }
    f0t_eval_memo_free(&t.own);
    f0t_stage_end(&t.stage);
    return status;
}

/* ---- Testing --------------------------------------------------------------------------------- */

/* Marks the cell as done: how many images and tags, and the knobs (NULL: none). */
static void describe_cell(f0t_eval_cell *cell, const f0t_eval_split *split,
                          const f0t_ranker *ranker, const choice *chosen)
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
                            const choice *chosen, f0t_eval_cost cost)
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
static bool chooses(const method_run *r)
{
    return !r->options->trials && r->ranker->choose;
}

/* The fit of the other training set, if this one would be the same. */
static f0t_eval_kept *find_kept(const method_run *r, const choice *chosen)
{
    f0t_eval_kept *kept = r->options->memo ? r->options->memo->kept : NULL;
    const size_t bytes = r->ranker->knob_count * sizeof *chosen->values;
    return kept && learns_same(kept->learned, &r->protocol->task) &&
                   (chooses(r) || !memcmp(kept->knobs, chosen->values, bytes))
               ? kept
               : NULL;
}

static f0t_status fit_kept(f0t_eval_kept *kept, method_run *r, const choice *chosen)
{
    const double began = f0t_time();
    kept->ranker = r->ranker;
    kept->learned = &r->protocol->task;
    memcpy(kept->knobs, chosen->values, sizeof kept->knobs);
    take_lent(r->options->store); /* by trials */
    F0T_TRY(fit_context_open(&kept->context, r, kept->learned, 1));
    if (chooses(r))
        F0T_TRY(r->ranker->choose(kept->knobs, &kept->context.task, kept->context.shared));
    F0T_TRY(r->ranker->fit(&kept->fitted, &kept->context.task, kept->context.shared, kept->knobs));
    kept->train_s = f0t_time() - began + take_lent(r->options->store);
    return F0T_OK;
}

/* *out is the memo's where there is one, else the caller's to free. */
static f0t_status fit_chosen(f0t_eval_kept **out, method_run *r, const choice *chosen)
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

static f0t_status tune_and_test(f0t_eval_cell *cells, method_run *r)
{
    choice chosen;
    f0t_eval_kept *kept;
    const double began = f0t_time(), used = f0t_cpu_time();
    F0T_TRY(tune(&chosen, r));
    f0t_eval_cost cost = {.trials = chosen.trials,
                          .fits = chosen.fits,
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
static f0t_status blame(const method_run *r)
{
    char why[1024];
    snprintf(why, sizeof why, "%s", f0t_last_error());
    const f0t_dataset *dataset = r->protocol->task.tags->dataset;
    F0T_TRY(f0t_eval_check_features(dataset, 0, f0t_dataset_image_count(dataset)));
    f0t_log(r->options->monitor, F0T_LOG_WARNING, "%s (%s) has no result: %s", r->ranker->name,
            f0t_training_set_name(r->protocol->training_set), why);
    return f0t_fail(F0T_ERROR_UNSUPPORTED, "%s", why);
}

f0t_status f0t_eval_protocol_run(f0t_eval_cell cells[F0T_SCENARIOS],
                                 const f0t_eval_protocol *protocol, const f0t_ranker *ranker,
                                 const f0t_eval_protocol_options *options)
{
    method_run r = {.protocol = protocol, .ranker = ranker, .options = options};
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
    if (status == F0T_ERROR_NUMERIC)
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
