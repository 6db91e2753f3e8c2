/* One method goes through a course: tuning, the fit, the finals. */
#include "eval/course_parts.h"

#include "base/alloc.h"
#include "baseline/neighbours.h"
#include "math/matmul.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- Learning ------------------------------------------------------------------------------ */

static void pass_warning(void *user, f0t_log_level level, const char *line)
{
    const f0t_attempt *a = user;
    if (level == F0T_LOG_WARNING)
        f0t_log(a->options->monitor, level, "%s: %s", a->ranker->name, line);
}

/* Says whose work it is. */
static void pass_progress(void *user, const f0t_progress *progress)
{
    const f0t_attempt *a = user;
    const f0t_monitor *outer = a->options->monitor;
    char stage[160];
    f0t_progress named = *progress;
    if (!outer || !outer->progress)
        return;
    snprintf(stage, sizeof stage, "%s (%s), %s", a->ranker->name,
             f0t_lesson_name(a->course->lesson), progress->stage);
    named.stage = stage;
    outer->progress(outer->user, &named);
}

f0t_status f0t_desk_open(f0t_desk *desk, f0t_attempt *a, const f0t_class *class, double effort)
{
    const f0t_course_options *o = a->options;
    const double epochs = round((double)o->epochs * effort);
    *desk = (f0t_desk){.task = class->task};
    desk->task.seed = o->seed;
    desk->task.effort = effort;
    desk->task.epochs = o->epochs && epochs < 1 ? 1 : (size_t)epochs;
    desk->task.hidden = o->hidden;
    desk->task.hidden_count = o->hidden_count;
    /* Trials only choose. */
    desk->task.bf16 = o->bf16 || (effort < 1 && f0t_matmul_bf16_native());
    desk->task.store = o->store;
    desk->task.monitor = &a->monitor;
    return a->ranker->prepare ? a->ranker->prepare(&desk->shared, &desk->task) : F0T_OK;
}

void f0t_desk_close(f0t_desk *desk, const f0t_attempt *a)
{
    if (a->ranker->release && desk->shared)
        a->ranker->release(desk->shared);
    desk->shared = NULL;
}

/* ---- All of it ---------------------------------------------------------------------------- */

/* What was borrowed costs what making it would: methods are compared as if each were alone. */
static double take_lent(f0t_neighbour_store *store)
{
    const double lent = store ? store->lent : 0;
    if (store)
        store->lent = 0;
    return lent;
}

static f0t_status learn_and_take(f0t_cell *cells, f0t_attempt *a)
{
    f0t_choice choice;
    f0t_desk desk;
    f0t_effort effort = {0};
    void *fitted = NULL;
    double began = f0t_time();
    F0T_TRY(f0t_course_tune(&choice, a));
    effort.trials = choice.trials;
    effort.validation = choice.score;
    effort.tune_s = choice.trials ? f0t_time() - began : 0;
    take_lent(a->options->store); /* by trials */
    began = f0t_time();
    f0t_status status = f0t_desk_open(&desk, a, &a->course->class, 1);
    if (status == F0T_OK && !a->options->trials && a->ranker->choose)
        status = a->ranker->choose(choice.values, &desk.task, desk.shared);
    if (status == F0T_OK)
        status = a->ranker->fit(&fitted, &desk.task, desk.shared, choice.values);
    effort.train_s = f0t_time() - began + take_lent(a->options->store);
    const f0t_candidate candidate = {a->ranker, &desk.task, fitted};
    if (status == F0T_OK)
        status = f0t_course_finals(cells, a->course, &candidate, a->options, &choice, effort);
    if (fitted)
        a->ranker->free(fitted);
    f0t_desk_close(&desk, a);
    return status;
}

/* What the method cannot do is a result, too. Gives whether anything is left to do. */
static bool refuse(f0t_cell *cells, const f0t_course *c, const f0t_ranker *ranker, const char *why)
{
    bool left = false;
    for (int s = 0; s < F0T_SCENARIOS; s++) {
        if (!c->asked[s] || cells[s].done)
            continue;
        char refusal[F0T_REFUSAL_SIZE];
        if (why)
            f0t_line_clean(refusal,
                           snprintf(refusal, sizeof refusal, "%s", why) >= (int)sizeof refusal);
        else if (!f0t_scenario_refuses(refusal, (f0t_scenario)s, ranker, c->finals[s].count)) {
            left = true;
            continue;
        }
        f0t_cell_free(&cells[s]);
        memcpy(cells[s].refusal, refusal, sizeof refusal);
        f0t_cell_describe(&cells[s], &c->finals[s], ranker, NULL);
    }
    return left;
}

/* Fails where the features hold what is no number. */
static f0t_status check_features(const f0t_dataset *dataset)
{
    size_t images = f0t_dataset_image_count(dataset);
    float *row;
    F0T_TRY(f0t_alloc(&row, f0t_dataset_dim(dataset), sizeof *row));
    f0t_status status = F0T_OK;
    for (size_t m = 0; m < images && status == F0T_OK; m++)
        status = f0t_dataset_read_features(dataset, m, 1, row);
    f0t_free(row);
    return status;
}

/* Numbers failed: the data's fault ends all, the method's is its result, UNSUPPORTED. */
static f0t_status blame(const f0t_attempt *a)
{
    char why[1024];
    snprintf(why, sizeof why, "%s", f0t_last_error());
    F0T_TRY(check_features(a->course->class.tags->dataset));
    f0t_log(a->options->monitor, F0T_LOG_WARNING, "%s (%s) has no result: %s", a->ranker->name,
            f0t_lesson_name(a->course->lesson), why);
    return f0t_fail(F0T_ERROR_UNSUPPORTED, "%s", why);
}

f0t_status f0t_course_run(f0t_cell cells[F0T_SCENARIOS], const f0t_course *course,
                          const f0t_ranker *ranker, const f0t_course_options *options)
{
    f0t_attempt a = {.course = course, .ranker = ranker, .options = options};
    a.monitor = (f0t_monitor){.log = pass_warning,
                              .progress = pass_progress,
                              .user = &a,
                              .stop = options->monitor ? options->monitor->stop : NULL};
    F0T_TRY(f0t_course_copies(cells, course));
    if (!refuse(cells, course, ranker, NULL))
        return F0T_OK;
    if (*course->refusal) {
        refuse(cells, course, ranker, course->refusal);
        return F0T_OK;
    }
    f0t_status status = learn_and_take(cells, &a);
    if (status == F0T_ERROR_NUMERIC)
        status = blame(&a);
    if (status == F0T_ERROR_UNSUPPORTED) {
        refuse(cells, course, ranker, f0t_last_error());
        return F0T_OK;
    }
    if (status != F0T_OK)
        return f0t_fail_prefix(status, "%s (%s): ", ranker->name, f0t_lesson_name(course->lesson));
    return F0T_OK;
}
