/*
 * f0t_train_tune: which options of a training are searched for, and how a trial is judged. A fifth of the
 * tags is held out: the search shall find what is good for tags that are not seen, too.
 */
#include "base/alloc.h"
#include "base/monitor.h"
#include "base/random.h"
#include "model/model.h"
#include "model/options.h"
#include "model/samples.h"
#include "model/train.h"
#include "model/tune.h"
#include "model/validate.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* Trials that shall fit into the time, and the epochs that each has at least. One tag in five is held
 * out, as wherever something is tuned for tags that are not seen (docs/evaluation.md). */
enum { TRIALS = 12, LEAST_EPOCHS = 2, HELD_OUT = 5 };

/* ---- Options that are searched for --------------------------------------------------------- */

typedef struct option_knob {
    f0t_tune_range range;
    size_t offset; /* of a double in f0t_train_options; CONDITION: 0.5 and above means standardised
                      features */
} option_knob;

#define CONDITION SIZE_MAX
#define AT(field) offsetof(f0t_train_options, field)

static const option_knob LINEAR[] = {
    {{"lambda", 0.01, 1000, true}, AT(lambda)},
    {{"ridge", 0.003, 100, true}, AT(ridge)},
    {.range = {.name = NULL}},
};
static const option_knob ADAM[] = {
    {{"rate", 1e-4, 1e-2, true}, AT(rate)},
    {{"decay", 0.1, 30, true}, AT(decay)},
    {{"input_dropout", 0, 0.6, false}, AT(input_dropout)},
    {{"hidden_dropout", 0, 0.6, false}, AT(hidden_dropout)},
    {{"standard", 0, 1, false}, CONDITION},
    {.range = {.name = NULL}},
};
static const option_knob SGD[] = {
    {{"rate", 0.01, 1, true}, AT(rate)},
    {{"decay", 1e-6, 1e-2, true}, AT(decay)},
    {{"input_dropout", 0, 0.6, false}, AT(input_dropout)},
    {{"hidden_dropout", 0, 0.6, false}, AT(hidden_dropout)},
    {{"standard", 0, 1, false}, CONDITION},
    {.range = {.name = NULL}},
};

static double get(const option_knob *knob, const f0t_train_options *o)
{
    double value;
    if (knob->offset == CONDITION)
        return o->condition == F0T_CONDITION_STANDARD ? 0.75 : 0.25;
    memcpy(&value, (const char *)o + knob->offset, sizeof value);
    return value;
}

static void set(const option_knob *knob, f0t_train_options *o, double value)
{
    if (knob->offset == CONDITION)
        o->condition = value < 0.5 ? F0T_CONDITION_SCALE : F0T_CONDITION_STANDARD;
    else
        memcpy((char *)o + knob->offset, &value, sizeof value);
}

static bool is_auto(const option_knob *knob, const f0t_train_options *o)
{
    if (knob->offset == CONDITION)
        return o->condition == F0T_CONDITION_AUTO;
    if (knob->offset == AT(hidden_dropout) && o->method != F0T_METHOD_NET)
        return false;
    return get(knob, o) == F0T_AUTO;
}

/* ---- Judging ------------------------------------------------------------------------------- */

/* Some tags and the validation images that have them. */
typedef struct tag_part {
    uint32_t *tags; /* numbers in the dataset */
    size_t count;
    f0t_vocab *vocab;
    f0t_samples val;
} tag_part;

static void part_free(tag_part *part)
{
    f0t_free(part->tags);
    f0t_vocab_free(part->vocab);
    f0t_samples_free(&part->val);
}

static f0t_status part_create(tag_part *part, const f0t_dataset *dataset, const uint32_t *tags,
                              size_t count, const f0t_vectors *vectors,
                              const f0t_train_options *options)
{
    uint32_t *number = NULL;
    part->count = count;
    F0T_TRY(f0t_alloc(&part->tags, count, sizeof *part->tags));
    if (count)
        memcpy(part->tags, tags, count * sizeof *tags);
    f0t_status status =
        f0t_tags_find(&part->vocab, &number, dataset, tags, count, vectors, options, NULL);
    if (status == F0T_OK)
        status = f0t_samples_create(&part->val, dataset, F0T_VAL, number,
                                    f0t_vocab_count(part->vocab), true);
    f0t_free(number);
    return status;
}

/* MiAP in percent on the validation images, the part's tags ranked among themselves; NaN where no image
 * has one. */
static f0t_status part_judge(double *miap, const tag_part *part, const f0t_dataset *dataset,
                             const f0t_model *model)
{
    const f0t_net *net = model->net;
    const f0t_train_data data = {.dataset = dataset,
                                 .condition = &model->condition,
                                 .train = &part->val,
                                 .val = &part->val,
                                 .tags = f0t_vocab_vectors(part->vocab),
                                 .dim = f0t_vocab_dim(part->vocab)};
    *miap = (double)NAN;
    return part->val.tags ? f0t_validate(miap, &net, 1, &data) : F0T_OK;
}

static bool has_relevant(const tag_part *part)
{
    return part->val.count && part->val.offsets[part->val.count] > 0;
}

/* The mean of the two, or the one there is. */
static double mean_of(double kept, double held)
{
    return isnan(held) ? kept : isnan(kept) ? held : (kept + held) / 2;
}

/* ---- One trial ----------------------------------------------------------------------------- */

typedef struct tuning {
    const f0t_train_options *asked;
    f0t_train_options full; /* the same without "auto" */
    const f0t_dataset *dataset;
    const f0t_vectors *vectors;
    const f0t_monitor *monitor;
    f0t_monitor quiet;                       /* of the trials: it can stop them, and logs nothing */
    const option_knob *knobs[F0T_KNOBS_MAX]; /* [search.count] */
    f0t_tune_search search;
    tag_part kept, held;
} tuning;

/* The knobs whose values are "auto" in the options. */
static void choose_knobs(tuning *t)
{
    const f0t_train_options *o = t->asked;
    const option_knob *knob = o->method == F0T_METHOD_LINEAR      ? LINEAR
                              : o->optimizer == F0T_OPTIMIZER_SGD ? SGD
                                                                  : ADAM;
    for (; knob->range.name; knob++)
        if (is_auto(knob, o)) {
            t->knobs[t->search.count] = knob;
            t->search.ranges[t->search.count++] = knob->range;
        }
}

static void set_knobs(const tuning *t, f0t_train_options *options, const double *values)
{
    for (size_t i = 0; i < t->search.count; i++)
        set(t->knobs[i], options, values[i]);
}

/* What a trial trains with: the asked options, on the kept tags, without a trace. */
static f0t_train_options trial_options(const tuning *t)
{
    f0t_train_options options = *t->asked;
    options.tags = t->kept.tags;
    options.tag_count = t->kept.count;
    options.checkpoint = NULL;
    options.resume = false;
    options.epoch = NULL;
    return options;
}

/* Logs the last trial. */
static void describe(const tuning *t, double kept, double held)
{
    const size_t count = t->search.trial_count;
    const f0t_tune_trial *trial = &t->search.trials[count - 1];
    char values[256] = "";
    size_t used = 0;
    for (size_t i = 0; i < t->search.count && used < sizeof values; i++) {
        const double value = trial->values[i];
        if (t->knobs[i]->offset == CONDITION)
            used += (size_t)snprintf(values + used, sizeof values - used, ", %s",
                                     value < 0.5 ? "scaled" : "standardised");
        else
            used += (size_t)snprintf(values + used, sizeof values - used, ", %s %.3g",
                                     t->knobs[i]->range.name, value);
    }
    f0t_log(t->monitor, F0T_LOG_INFO, "trial %zu: %.2f %% (known tags %.2f, held out %.2f)%s%s",
            count, trial->score, kept, held, values, t->search.best + 1 == count ? " *" : "");
}

/* Trains, judges and adds a trial; `options` ends as what was used. */
static f0t_status run_trial(tuning *t, f0t_train_options *options)
{
    const double began = f0t_time();
    double values[F0T_KNOBS_MAX], kept, held;
    f0t_model *model;
    F0T_TRY(f0t_train_run(&model, options, t->dataset, t->vectors, &t->quiet));
    f0t_status status = part_judge(&kept, &t->kept, t->dataset, model);
    if (status == F0T_OK)
        status = part_judge(&held, &t->held, t->dataset, model);
    f0t_model_free(model);
    F0T_TRY(status);
    for (size_t i = 0; i < t->search.count; i++)
        values[i] = get(t->knobs[i], options);
    F0T_TRY(f0t_tune_add(&t->search, values, mean_of(kept, held), f0t_time() - began));
    describe(t, kept, held);
    return F0T_OK;
}

/* ---- How long a trial is ------------------------------------------------------------------- */

static void note_epoch(void *user, const f0t_epoch *epoch)
{
    double *seconds = user;
    seconds[epoch->number > 1] = epoch->seconds;
}

/* Epochs of a trial: as many as a training has, or fewer so that enough trials fit. One short
 * training shows how long an epoch takes. */
static f0t_status choose_epochs(tuning *t, size_t *epochs)
{
    f0t_train_options options = trial_options(t);
    const double began = f0t_time();
    double seconds[2] = {0, 0};
    f0t_model *model;
    *epochs = 0;
    if (options.method == F0T_METHOD_LINEAR)
        return F0T_OK;
    options.epochs = LEAST_EPOCHS;
    options.epoch = note_epoch;
    options.epoch_user = seconds;
    F0T_TRY(f0t_train_run(&model, &options, t->dataset, t->vectors, &t->quiet));
    f0t_model_free(model);
    const double epoch = fmax(seconds[1] - seconds[0], 1e-6);
    const double fit = (t->search.seconds - (f0t_time() - began)) / TRIALS / epoch;
    *epochs = fit >= (double)t->full.epochs ? t->full.epochs
              : fit > LEAST_EPOCHS          ? (size_t)fit
                                            : LEAST_EPOCHS;
    t->search.spent += f0t_time() - began;
    return F0T_OK;
}

/* ---- All trials ---------------------------------------------------------------------------- */

/* The tags that f0t_train would take, shuffled, in two parts. */
static f0t_status split_tags(tuning *t, uint32_t *tags, size_t count)
{
    const f0t_random random = {t->asked->seed, UINT64_C(0x74756e65) << 32}; /* "tune" */
    const size_t held = count / HELD_OUT;
    f0t_random_shuffle(tags, count, &random);
    F0T_TRY(part_create(&t->held, t->dataset, tags, held, t->vectors, t->asked));
    F0T_TRY(part_create(&t->kept, t->dataset, tags + held, count - held, t->vectors, t->asked));
    if (!has_relevant(&t->kept) && !has_relevant(&t->held))
        return f0t_fail(F0T_ERROR_FORMAT,
                        "%s: no validation image has a tag to learn: nothing can be tuned",
                        f0t_dataset_path(t->dataset));
    return F0T_OK;
}

static f0t_status hold_out(tuning *t)
{
    uint32_t *tags;
    size_t count;
    F0T_TRY(f0t_tags_choose(&tags, &count, t->dataset, t->asked));
    f0t_status status = split_tags(t, tags, count);
    f0t_free(tags);
    return status;
}

/* What makes trials comparable: the options, and what they are tried on. */
static f0t_status make_identity(char **out, const tuning *t)
{
    char data[128];
    snprintf(data, sizeof data, " %zu images, %zu features, %zu and %zu tags",
             f0t_dataset_split_count(t->dataset, F0T_TRAIN), f0t_dataset_dim(t->dataset),
             t->kept.count, t->held.count);
    return f0t_train_options_identify(out, &t->full, data);
}

/* Continues a journal, or begins one. */
static f0t_status begin(tuning *t, const char *path)
{
    char *identity;
    size_t epochs;
    F0T_TRY(make_identity(&identity, t));
    f0t_status status = f0t_tune_open(&t->search, path, t->asked->resume, identity);
    if (status == F0T_OK && t->search.trial_count == 0) {
        status = choose_epochs(t, &epochs);
        if (status == F0T_OK)
            status = f0t_tune_begin(&t->search, epochs);
    }
    f0t_free(identity);
    return status;
}

static f0t_status run_trials(tuning *t)
{
    const double seconds = t->search.seconds;
    double values[F0T_KNOBS_MAX];
    f0t_stage stage = f0t_stage_begin(t->monitor, "tuning", "seconds", (uint64_t)seconds);
    while (f0t_tune_next(values, &t->search)) {
        f0t_train_options options = trial_options(t);
        F0T_TRY(f0t_stage_update(&stage, (uint64_t)fmin(t->search.spent, seconds)));
        if (options.method != F0T_METHOD_LINEAR)
            options.epochs = t->search.epochs;
        if (t->search.trial_count > 0)
            set_knobs(t, &options, values);
        F0T_TRY(run_trial(t, &options));
    }
    f0t_stage_end(&stage);
    return F0T_OK;
}

static f0t_status run(tuning *t, const char *journal)
{
    F0T_TRY(hold_out(t));
    F0T_TRY(begin(t, journal));
    return run_trials(t);
}

f0t_status f0t_train_tune(f0t_train_options *options, f0t_tuning *out, const f0t_dataset *dataset,
                          const f0t_vectors *vectors, double seconds, const char *journal,
                          const f0t_context *context)
{
    F0T_ENTER(context);
    const f0t_monitor *monitor = f0t_context_monitor(context);
    F0T_REQUIRE(options);
    F0T_REQUIRE(out);
    F0T_REQUIRE(dataset);
    F0T_REQUIRE(vectors);
    f0t_train_options asked = F0T_TRAIN_OPTIONS;
    F0T_TRY(f0t_options_read(&asked, sizeof asked, options, "f0t_train_options"));
    tuning t = {.asked = &asked,
                .full = asked,
                .dataset = dataset,
                .vectors = vectors,
                .monitor = monitor,
                .quiet = {.stop = monitor ? monitor->stop : NULL},
                .search = {.seed = asked.seed, .seconds = seconds}};
    *out = (f0t_tuning){0};
    choose_knobs(&t);
    F0T_TRY(f0t_train_options_check(&asked));
    F0T_TRY(f0t_train_options_check_use(&asked, "tune"));
    f0t_train_options_resolve(&t.full, f0t_dataset_split_count(dataset, F0T_TRAIN),
                              f0t_dataset_dim(dataset), f0t_vectors_dim(vectors));
    if (!(seconds > 0))
        return f0t_fail(F0T_ERROR_ARGUMENT, "%g seconds to tune in: it must be above 0", seconds);
    if (t.search.count == 0)
        return f0t_fail(F0T_ERROR_ARGUMENT, "every option is given: there is nothing to tune");
    f0t_status status = run(&t, journal);
    if (status == F0T_OK) {
        const f0t_tune_trial *trials = t.search.trials;
        f0t_train_options chosen = asked;
        set_knobs(&t, &chosen, trials[t.search.best].values);
        f0t_options_write(options, &chosen, sizeof chosen);
        *out = (f0t_tuning){t.search.trial_count, trials[0].score, trials[t.search.best].score,
                            t.search.spent};
    }
    f0t_tune_close(&t.search);
    part_free(&t.kept);
    part_free(&t.held);
    return status;
}
