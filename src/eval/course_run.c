/* One method goes through a course: trials, the fit, the finals. */
#include "eval/course_parts.h"

#include "base/monitor.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* A method in a course. */
typedef struct attempt {
    const f0t_course *course;
    const f0t_ranker *ranker;
    const f0t_course_options *options;
    f0t_monitor monitor; /* of the method: warnings, progress, stop */
    f0t_task task;
    void *shared;
    f0t_stage stage; /* of the trials */
    size_t trials;
} attempt;

/* ---- Learning ------------------------------------------------------------------------------ */

static void pass_warning(void *user, f0t_log_level level, const char *line)
{
    const attempt *a = user;
    if (level == F0T_LOG_WARNING)
        f0t_log(a->options->monitor, level, "%s: %s", a->ranker->name, line);
}

/* Says whose work it is. */
static void pass_progress(void *user, const f0t_progress *progress)
{
    const attempt *a = user;
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

static f0t_status open_task(attempt *a, const f0t_class *class, double effort)
{
    const f0t_course_options *o = a->options;
    a->task = class->task;
    a->task.seed = o->seed;
    a->task.effort = effort;
    double epochs = round((double)o->epochs * effort);
    a->task.epochs = o->epochs && epochs < 1 ? 1 : (size_t)epochs;
    a->task.hidden = o->hidden;
    a->task.hidden_count = o->hidden_count;
    a->task.bf16 = o->bf16;
    a->task.monitor = &a->monitor;
    a->shared = NULL;
    return a->ranker->prepare ? a->ranker->prepare(&a->shared, &a->task) : F0T_OK;
}

static void close_task(attempt *a)
{
    if (a->ranker->release && a->shared)
        a->ranker->release(a->shared);
    a->shared = NULL;
}

static void forget(const attempt *a, void *fitted)
{
    if (fitted)
        a->ranker->free(fitted);
}

/* ---- Tuning -------------------------------------------------------------------------------- */

static bool can_take(const attempt *a, const f0t_exam *mock)
{
    return !a->ranker->most_tags || mock->count <= a->ranker->most_tags;
}

static f0t_status judge(double *score, const attempt *a, void *fitted)
{
    const f0t_candidate candidate = {a->ranker, &a->task, fitted};
    return f0t_exam_miap(score, &a->course->mock, &candidate);
}

/* A fit that diverges, or whose scores are not numbers, is a bad setting and no failure. */
static f0t_status try_knobs(double *score, void *user, const double *knobs)
{
    attempt *a = user;
    void *fitted = NULL;
    f0t_status status = f0t_stage_update(&a->stage, a->trials++);
    if (status == F0T_OK)
        status = a->ranker->fit(&fitted, &a->task, a->shared, knobs);
    if (status == F0T_OK)
        status = judge(score, a, fitted);
    forget(a, fitted);
    if (status == F0T_ERROR_NUMERIC) {
        *score = (double)NAN;
        return F0T_OK;
    }
    return status;
}

static f0t_status tune(f0t_choice *tuning, attempt *a)
{
    const f0t_course *c = a->course;
    const f0t_ranker *r = a->ranker;
    char name[96];
    const f0t_samples *answers = &c->mock.answers;
    const bool judged = can_take(a, &c->mock) && answers->offsets[answers->count] > 0;
    f0t_choice_default(tuning, r->knobs, r->knob_count);
    if (!r->knob_count || !a->options->trials || !judged)
        return F0T_OK;
    snprintf(name, sizeof name, "%s (%s), tuning", r->name, f0t_lesson_name(c->lesson));
    a->stage = f0t_stage_begin(a->options->monitor, name, "trials", a->options->trials);
    f0t_status status = open_task(a, c->rehearses ? &c->rehearsal : &c->class,
                                  r->deep ? a->options->effort / 2 : a->options->effort);
    if (status == F0T_OK)
        status = f0t_choose(tuning, r->knobs, r->knob_count, a->options->trials, try_knobs, a);
    close_task(a);
    f0t_stage_end(&a->stage);
    return status;
}

/* ---- All of it ---------------------------------------------------------------------------- */

static f0t_status learn_and_take(f0t_cell *cells, attempt *a)
{
    f0t_choice tuning;
    f0t_effort effort = {0};
    void *fitted = NULL;
    double began = f0t_time();
    F0T_TRY(tune(&tuning, a));
    effort.trials = tuning.trials;
    effort.validation = tuning.score;
    effort.tune_s = tuning.trials ? f0t_time() - began : 0;
    began = f0t_time();
    f0t_status status = open_task(a, &a->course->class, 1);
    if (status == F0T_OK)
        status = a->ranker->fit(&fitted, &a->task, a->shared, tuning.values);
    effort.train_s = f0t_time() - began;
    f0t_candidate candidate = {a->ranker, &a->task, fitted};
    if (status == F0T_OK)
        status = f0t_course_finals(cells, a->course, &candidate, a->options, &tuning, effort);
    forget(a, fitted);
    close_task(a);
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
            snprintf(refusal, sizeof refusal, "%s", why);
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

f0t_status f0t_course_run(f0t_cell cells[F0T_SCENARIOS], const f0t_course *course,
                          const f0t_ranker *ranker, const f0t_course_options *options)
{
    attempt a = {.course = course, .ranker = ranker, .options = options};
    a.monitor = (f0t_monitor){.log = pass_warning,
                              .progress = pass_progress,
                              .user = &a,
                              .stop = options->monitor ? options->monitor->stop : NULL};
    F0T_TRY(f0t_course_copies(cells, course));
    if (!refuse(cells, course, ranker, NULL))
        return F0T_OK;
    f0t_status status = learn_and_take(cells, &a);
    if (status == F0T_ERROR_UNSUPPORTED) {
        refuse(cells, course, ranker, f0t_last_error());
        return F0T_OK;
    }
    if (status != F0T_OK)
        return f0t_fail_prefix(status, "%s (%s): ", ranker->name, f0t_lesson_name(course->lesson));
    return F0T_OK;
}
