/* The trials of a course. */
#include "eval/course_parts.h"

#include "base/alloc.h"
#include "rank/miap.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Of a network, whose trials cost ten times what others do. */
enum { DEEP_FOLDS = 2 };

typedef struct tuning {
    f0t_attempt *attempt;
    f0t_desk desks[F0T_FOLDS];
    bool open[F0T_FOLDS];
    f0t_exam few[F0T_FOLDS]; /* for a method that cannot rank as many as were held out */
    f0t_stage stage;
    size_t trials;
} tuning;

/* ---- What was tried before ------------------------------------------------------------------- */

void f0t_memo_free(f0t_memo *memo)
{
    f0t_free(memo->trials);
    *memo = (f0t_memo){0};
}

/* Where nothing is held out nothing is shared. */
static f0t_memo *memo_of(const f0t_attempt *a)
{
    return a->course->folds[0].class == &a->course->class ? NULL : a->options->memo;
}

static bool recall(double *score, const f0t_attempt *a, const double *knobs)
{
    const f0t_memo *memo = memo_of(a);
    for (size_t i = 0; memo && i < memo->count; i++)
        if (!memcmp(memo->trials[i].knobs, knobs, a->ranker->knob_count * sizeof *knobs)) {
            *score = memo->trials[i].scores[a->course->view];
            return true;
        }
    return false;
}

static f0t_status remember(const f0t_attempt *a, const double *knobs, const double *scores)
{
    f0t_memo *memo = memo_of(a);
    if (!memo)
        return F0T_OK;
    F0T_TRY(f0t_grow(&memo->trials, &memo->capacity, memo->count, 1, sizeof *memo->trials));
    struct f0t_memo_trial *trial = &memo->trials[memo->count++];
    memcpy(trial->knobs, knobs, a->ranker->knob_count * sizeof *knobs);
    memcpy(trial->scores, scores, sizeof trial->scores);
    return F0T_OK;
}

/* ---- A trial ----------------------------------------------------------------------------------- */

static double effort_of(const f0t_attempt *a)
{
    const double effort = a->options->effort;
    return a->ranker->deep ? effort / 2 : effort;
}

static size_t folds_of(const f0t_attempt *a)
{
    const size_t count = a->course->fold_count;
    return a->ranker->deep && count > DEEP_FOLDS ? DEEP_FOLDS : count;
}

typedef struct grading {
    f0t_miap sums[F0T_VIEWS];
    const f0t_fold *fold; /* NULL: every tag of the exam is held out */
} grading;

static f0t_status grade(void *user, size_t first, const f0t_ranking *block)
{
    grading *g = user;
    f0t_ranking held = *block;
    (void)first;
    if (!g->fold)
        return f0t_miap_add(&g->sums[F0T_VIEW_NEW], block);
    if (g->fold->held_count) {
        held.columns = g->fold->held;
        held.column_count = g->fold->held_count;
        F0T_TRY(f0t_miap_add(&g->sums[F0T_VIEW_NEW], &held));
    }
    return f0t_miap_add(&g->sums[F0T_VIEW_ALL], block);
}

/* Adds what the fit is worth in each view; one without a right answer does not count. */
static f0t_status judge(double *sums, size_t *counts, const tuning *t, size_t fold, void *fitted)
{
    const f0t_candidate candidate = {t->attempt->ranker, &t->desks[fold].task, fitted};
    const f0t_fold *f = &t->attempt->course->folds[fold];
    const bool few = t->few[fold].class != NULL;
    grading g = {.fold = few ? NULL : f};
    F0T_TRY(f0t_exam_take(NULL, few ? &t->few[fold] : &f->mock, &candidate, grade, &g));
    for (int view = 0; view < F0T_VIEWS; view++)
        if (g.sums[view].ranked) {
            sums[view] += f0t_miap_get(&g.sums[view]);
            counts[view]++;
        }
    return F0T_OK;
}

static f0t_status try_fold(double *sums, size_t *counts, tuning *t, size_t fold,
                           const double *knobs)
{
    f0t_attempt *a = t->attempt;
    const f0t_ranker *r = a->ranker;
    void *fitted = NULL;
    if (!t->open[fold]) {
        F0T_TRY(f0t_desk_open(&t->desks[fold], a, a->course->folds[fold].class, effort_of(a)));
        t->open[fold] = true;
    }
    f0t_status status = r->fit(&fitted, &t->desks[fold].task, t->desks[fold].shared, knobs);
    if (status == F0T_OK)
        status = judge(sums, counts, t, fold, fitted);
    if (fitted)
        r->free(fitted);
    return status;
}

/* A fit that diverges or finds nothing to learn from, or whose scores are not numbers, is a bad
 * setting and no failure. */
static f0t_status try_knobs(double *score, void *user, const double *knobs)
{
    tuning *t = user;
    const f0t_course *c = t->attempt->course;
    double scores[F0T_VIEWS] = {0};
    size_t counts[F0T_VIEWS] = {0};
    f0t_status status = f0t_stage_update(&t->stage, t->trials++);
    if (status == F0T_OK && recall(score, t->attempt, knobs))
        return F0T_OK;
    for (size_t fold = 0; fold < folds_of(t->attempt) && status == F0T_OK; fold++)
        status = try_fold(scores, counts, t, fold, knobs);
    for (int view = 0; view < F0T_VIEWS; view++)
        scores[view] =
            status == F0T_OK && counts[view] ? scores[view] / (double)counts[view] : (double)NAN;
    *score = scores[c->view];
    if (status == F0T_ERROR_NUMERIC || status == F0T_ERROR_UNSUPPORTED)
        status = F0T_OK;
    return status == F0T_OK ? remember(t->attempt, knobs, scores) : status;
}

/* ---- All of them ------------------------------------------------------------------------------- */

/* An exam of `most` of the held-out tags, from all over the vocabulary. */
static f0t_status make_few(f0t_exam *few, const f0t_fold *fold, size_t most)
{
    bool *mask;
    F0T_TRY(f0t_alloc_zero(&mask, fold->class->tags->count, sizeof *mask));
    for (size_t i = 0; i < most; i++)
        mask[fold->mock.tags[fold->held[i * fold->held_count / most]]] = true;
    f0t_status status = f0t_exam_create(few, fold->class, F0T_VAL, mask);
    f0t_free(mask);
    return status;
}

/* A method that ranks so many tags and no more is asked for new ones alone. */
static f0t_status limit_exams(tuning *t)
{
    const f0t_course *c = t->attempt->course;
    const size_t most = t->attempt->ranker->most_tags;
    for (size_t i = 0; most && i < c->fold_count; i++) {
        const f0t_fold *fold = &c->folds[i];
        if (fold->mock.count > most && fold->held_count)
            F0T_TRY(make_few(&t->few[i], fold, most < fold->held_count ? most : fold->held_count));
    }
    return F0T_OK;
}

static bool has_answers(const f0t_course *c)
{
    for (size_t fold = 0; fold < c->fold_count; fold++) {
        const f0t_samples *answers = &c->folds[fold].mock.answers;
        if (answers->offsets[answers->count] > 0)
            return true;
    }
    return false;
}

f0t_status f0t_course_tune(f0t_choice *choice, f0t_attempt *a)
{
    const f0t_ranker *r = a->ranker;
    tuning t = {.attempt = a};
    char name[96];
    f0t_choice_default(choice, r->knobs, r->knob_count);
    if (!r->knob_count || !a->options->trials || !has_answers(a->course))
        return F0T_OK;
    snprintf(name, sizeof name, "%s (%s), tuning", r->name, f0t_lesson_name(a->course->lesson));
    t.stage = f0t_stage_begin(a->options->monitor, name, "trials", a->options->trials);
    f0t_status status = limit_exams(&t);
    if (status == F0T_OK)
        status = f0t_choose(choice, r->knobs, r->knob_count, a->options->trials, try_knobs, &t);
    for (size_t fold = 0; fold < F0T_FOLDS; fold++) {
        if (t.open[fold])
            f0t_desk_close(&t.desks[fold], a);
        f0t_exam_free(&t.few[fold]);
    }
    f0t_stage_end(&t.stage);
    return status;
}
