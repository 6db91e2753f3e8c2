/* f0t_train_tune: trial after trial, for as long as there is time. */
#include "base/alloc.h"
#include "base/monitor.h"
#include "model/options.h"
#include "model/train.h"
#include "model/tune_journal.h"
#include "model/tune_judge.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Trials that shall fit into the time, and the epochs that each has at least. */
enum { TRIALS = 12, LEAST_EPOCHS = 2 };

typedef struct search {
    const f0t_train_options *asked;
    f0t_train_options full; /* the same without "auto" */
    const f0t_dataset *dataset;
    const f0t_vectors *vectors;
    const f0t_monitor *monitor;
    f0t_monitor quiet; /* of the trials: it can stop them, and hears nothing */
    f0t_tune_space space;
    f0t_tune_judge judge;
    f0t_tune_journal journal;
    size_t best;    /* among the journal's trials */
    double seconds; /* there are */
    double spent;   /* of them */
} search;

/* ---- One trial ----------------------------------------------------------------------------- */

/* What a trial trains with: the asked options, on the kept tags, without a trace. */
static f0t_train_options trial_options(const search *s)
{
    f0t_train_options options = *s->asked;
    options.tags = s->judge.kept.tags;
    options.tag_count = s->judge.kept.count;
    options.checkpoint = NULL;
    options.resume = false;
    options.epoch = NULL;
    return options;
}

static void describe(const search *s, const f0t_tune_trial *trial, const f0t_tune_score *score)
{
    char values[256] = "";
    size_t used = 0;
    for (size_t i = 0; i < s->space.count && used < sizeof values; i++) {
        const f0t_tune_knob *knob = s->space.knobs[i];
        const double value = trial->setting.values[i];
        if (knob->offset == F0T_TUNE_CONDITION)
            used += (size_t)snprintf(values + used, sizeof values - used, ", %s",
                                     value < 0.5 ? "scaled" : "standardised");
        else
            used += (size_t)snprintf(values + used, sizeof values - used, ", %s %.3g", knob->name,
                                     value);
    }
    f0t_log(s->monitor, F0T_LOG_INFO, "trial %zu: %.2f %% (known tags %.2f, held out %.2f)%s%s",
            s->journal.count, trial->score, score->kept, score->held, values,
            s->best + 1 == s->journal.count ? " *" : "");
}

/* Trains, judges and notes a trial; `options` ends as what was used. */
static f0t_status run_trial(search *s, f0t_train_options *options)
{
    const double began = f0t_time();
    f0t_model *model;
    f0t_tune_score score;
    F0T_TRY(f0t_train_run(&model, options, s->dataset, s->vectors, &s->quiet));
    f0t_status status = f0t_tune_judge_run(&score, &s->judge, model);
    f0t_model_free(model);
    F0T_TRY(status);
    const f0t_tune_trial trial = {.setting = f0t_tune_setting_get(&s->space, options),
                                  .score = f0t_tune_score_mean(&score),
                                  .seconds = f0t_time() - began};
    F0T_TRY(f0t_tune_journal_add(&s->journal, &s->space, &trial));
    if (trial.score > s->journal.trials[s->best].score)
        s->best = s->journal.count - 1;
    s->spent += trial.seconds;
    describe(s, &trial, &score);
    return F0T_OK;
}

/* ---- How long a trial is --------------------------------------------------------------------- */

static void note_epoch(void *user, const f0t_epoch *epoch)
{
    double *seconds = user;
    seconds[epoch->number > 1] = epoch->seconds;
}

/* Epochs of a trial: as many as a training has, or fewer so that enough trials fit. One short
 * training tells how long an epoch takes. */
static f0t_status choose_epochs(search *s, size_t *epochs)
{
    f0t_train_options options = trial_options(s);
    const double began = f0t_time();
    double seconds[2] = {0, 0};
    f0t_model *model;
    *epochs = 0;
    if (options.method == F0T_METHOD_LINEAR)
        return F0T_OK;
    options.epochs = LEAST_EPOCHS;
    options.epoch = note_epoch;
    options.epoch_user = seconds;
    F0T_TRY(f0t_train_run(&model, &options, s->dataset, s->vectors, &s->quiet));
    f0t_model_free(model);
    const double epoch = fmax(seconds[1] - seconds[0], 1e-6);
    const double fit = (s->seconds - (f0t_time() - began)) / TRIALS / epoch;
    *epochs = fit >= (double)s->full.epochs ? s->full.epochs
              : fit > LEAST_EPOCHS          ? (size_t)fit
                                            : LEAST_EPOCHS;
    s->spent += f0t_time() - began;
    return F0T_OK;
}

/* ---- The search ---------------------------------------------------------------------------- */

/* What makes trials comparable: the options, and what they are tried on. */
static f0t_status make_identity(char **out, const search *s)
{
    char data[128];
    snprintf(data, sizeof data, " %zu images, %zu features, %zu and %zu tags",
             f0t_dataset_split_count(s->dataset, F0T_TRAIN), f0t_dataset_dim(s->dataset),
             s->judge.kept.count, s->judge.held.count);
    return f0t_train_options_identify(out, &s->full, data);
}

/* Goes on with a journal, or begins one. */
static f0t_status begin(search *s, const char *path)
{
    char *identity;
    size_t epochs;
    F0T_TRY(make_identity(&identity, s));
    f0t_status status =
        f0t_tune_journal_open(&s->journal, path, s->asked->resume, identity, &s->space);
    if (status == F0T_OK && s->journal.count == 0) {
        status = choose_epochs(s, &epochs);
        if (status == F0T_OK)
            status = f0t_tune_journal_begin(&s->journal, &s->space, epochs);
    }
    f0t_free(identity);
    for (size_t i = 0; i < s->journal.count; i++) {
        s->spent += s->journal.trials[i].seconds;
        if (s->journal.trials[i].score > s->journal.trials[s->best].score)
            s->best = i;
    }
    return status;
}

/* A trial is begun when one as long as the last would end in time; the first one always is. */
static bool has_time(const search *s)
{
    const size_t count = s->journal.count;
    return count == 0 || s->spent + s->journal.trials[count - 1].seconds <= s->seconds;
}

static f0t_status run_trials(search *s)
{
    f0t_stage stage = f0t_stage_begin(s->monitor, "tuning", "seconds", (uint64_t)s->seconds);
    while (has_time(s)) {
        const size_t trial = s->journal.count;
        f0t_train_options options = trial_options(s);
        F0T_TRY(f0t_stage_update(&stage, (uint64_t)fmin(s->spent, s->seconds)));
        if (options.method != F0T_METHOD_LINEAR)
            options.epochs = s->journal.epochs;
        if (trial > 0) {
            const f0t_tune_setting setting = f0t_tune_setting_draw(
                &s->space, &s->journal.trials[s->best].setting, s->asked->seed, trial);
            f0t_tune_setting_set(&s->space, &setting, &options);
        }
        F0T_TRY(run_trial(s, &options));
    }
    f0t_stage_end(&stage);
    return F0T_OK;
}

static f0t_status run(search *s, const char *journal)
{
    F0T_TRY(f0t_tune_judge_create(&s->judge, s->asked, s->dataset, s->vectors));
    F0T_TRY(begin(s, journal));
    return run_trials(s);
}

f0t_status f0t_train_tune(f0t_train_options *options, f0t_tuning *tuning,
                          const f0t_dataset *dataset, const f0t_vectors *vectors, double seconds,
                          const char *journal, const f0t_monitor *monitor)
{
    F0T_REQUIRE(options);
    F0T_REQUIRE(tuning);
    F0T_REQUIRE(dataset);
    F0T_REQUIRE(vectors);
    const f0t_train_options asked = *options;
    search s = {.asked = &asked,
                .full = asked,
                .dataset = dataset,
                .vectors = vectors,
                .monitor = monitor,
                .quiet = {.stop = monitor ? monitor->stop : NULL},
                .space = f0t_tune_space_of(&asked),
                .seconds = seconds};
    *tuning = (f0t_tuning){0};
    F0T_TRY(f0t_train_options_check(&asked));
    f0t_train_options_resolve(&s.full, f0t_dataset_split_count(dataset, F0T_TRAIN),
                              f0t_dataset_dim(dataset), f0t_vectors_dim(vectors));
    if (!(seconds > 0))
        return f0t_fail(F0T_ERROR_ARGUMENT, "%g seconds to tune in: it must be above 0", seconds);
    if (s.space.count == 0)
        return f0t_fail(F0T_ERROR_ARGUMENT, "every option is given: there is nothing to tune");
    f0t_status status = run(&s, journal);
    if (status == F0T_OK) {
        f0t_tune_setting_set(&s.space, &s.journal.trials[s.best].setting, options);
        *tuning = (f0t_tuning){s.journal.count, s.journal.trials[0].score,
                               s.journal.trials[s.best].score, s.spent};
    }
    f0t_tune_journal_close(&s.journal);
    f0t_tune_judge_free(&s.judge);
    return status;
}
