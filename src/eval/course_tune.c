/* The trials of a course. */
#include "eval/course_parts.h"

#include "base/alloc.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct tuning {
    f0t_attempt *attempt;
    f0t_study_place places[F0T_FOLDS];
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
            *score = memo->trials[i].scores[a->course->judge];
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

static bool is_asked(const f0t_attempt *a, int mock)
{
    return mock == (int)a->course->judge || memo_of(a);
}

static const f0t_exam *mock_exam(const tuning *t, size_t fold, int mock)
{
    return t->few[fold].class ? &t->few[fold] : &t->attempt->course->folds[fold].mocks[mock];
}

/* Adds what the fit is worth in each exam; one without a right answer does not count. */
static f0t_status judge(double *sums, size_t *counts, const tuning *t, size_t fold, void *fitted)
{
    const f0t_candidate candidate = {t->attempt->ranker, &t->places[fold].task, fitted};
    for (int mock = 0; mock < F0T_MOCKS; mock++) {
        double miap;
        if (!is_asked(t->attempt, mock))
            continue;
        F0T_TRY(f0t_exam_miap(&miap, mock_exam(t, fold, mock), &candidate));
        if (isnan(miap))
            continue;
        sums[mock] += miap;
        counts[mock]++;
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
        F0T_TRY(f0t_place_open(&t->places[fold], a, a->course->folds[fold].class,
                               r->deep ? a->options->effort / 2 : a->options->effort));
        t->open[fold] = true;
    }
    f0t_status status = r->fit(&fitted, &t->places[fold].task, t->places[fold].shared, knobs);
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
    double scores[F0T_MOCKS] = {0};
    size_t counts[F0T_MOCKS] = {0};
    f0t_status status = f0t_stage_update(&t->stage, t->trials++);
    if (status == F0T_OK && recall(score, t->attempt, knobs))
        return F0T_OK;
    for (size_t fold = 0; fold < c->fold_count && status == F0T_OK; fold++)
        status = try_fold(scores, counts, t, fold, knobs);
    for (int mock = 0; mock < F0T_MOCKS; mock++)
        scores[mock] =
            status == F0T_OK && counts[mock] ? scores[mock] / (double)counts[mock] : (double)NAN;
    *score = scores[c->judge];
    if (status == F0T_ERROR_NUMERIC || status == F0T_ERROR_UNSUPPORTED)
        status = F0T_OK;
    return status == F0T_OK ? remember(t->attempt, knobs, scores) : status;
}

/* ---- All of them ------------------------------------------------------------------------------- */

/* An exam of `most` of the tags, from all over the vocabulary. */
static f0t_status make_few(f0t_exam *few, const f0t_exam *mock, size_t most)
{
    const f0t_eval_tags *tags = mock->class->tags;
    bool *mask;
    F0T_TRY(f0t_alloc_zero(&mask, tags->count, sizeof *mask));
    for (size_t i = 0; i < most; i++)
        mask[mock->tags[i * mock->count / most]] = true;
    f0t_status status = f0t_exam_create(few, mock->class, F0T_VAL, mask);
    f0t_free(mask);
    return status;
}

static f0t_status limit_exams(tuning *t)
{
    const f0t_course *c = t->attempt->course;
    const size_t most = t->attempt->ranker->most_tags;
    for (size_t fold = 0; fold < c->fold_count; fold++) {
        const f0t_exam *mock = &c->folds[fold].mocks[c->judge];
        if (most && mock->count > most)
            F0T_TRY(make_few(&t->few[fold], mock, most));
    }
    return F0T_OK;
}

static bool has_answers(const f0t_course *c)
{
    for (size_t fold = 0; fold < c->fold_count; fold++) {
        const f0t_samples *answers = &c->folds[fold].mocks[c->judge].answers;
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
            f0t_place_close(&t.places[fold], a);
        f0t_exam_free(&t.few[fold]);
    }
    f0t_stage_end(&t.stage);
    return status;
}
