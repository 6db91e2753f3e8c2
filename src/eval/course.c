#include "eval/course.h"

#include "base/alloc.h"

#include <stdio.h>

/* Trials learn from the lesson's tags without the held-out ones, and rank those, or all. */
static f0t_status add_fold(f0t_course *c, const f0t_eval_tags *tags, const bool *all, bool *mask,
                           bool *held, uint64_t seed, size_t number)
{
    f0t_fold *fold = &c->folds[c->fold_count];
    size_t taken;
    f0t_eval_tags_mask(mask, tags, f0t_lesson_tags(c->lesson));
    F0T_TRY(f0t_eval_tags_hold_out(&taken, mask, held, tags, seed, number));
    if (!taken)
        return F0T_OK;
    F0T_TRY(f0t_class_create(&fold->own, tags, mask));
    if (fold->own.task.tags < 2 || !f0t_class_teaches(&fold->own)) {
        f0t_class_free(&fold->own); /* trials could learn nothing */
        return F0T_OK;
    }
    fold->class = &fold->own;
    c->fold_count++;
    F0T_TRY(f0t_exam_create(&fold->mock, fold->class, F0T_VAL, all));
    F0T_TRY(f0t_alloc(&fold->held, taken, sizeof *fold->held));
    for (size_t i = 0; i < fold->mock.count; i++)
        if (held[fold->mock.tags[i]])
            fold->held[fold->held_count++] = (uint32_t)i;
    return F0T_OK;
}

static f0t_status rehearse(f0t_course *c, const f0t_eval_tags *tags, const bool *all, bool *mask,
                           bool *held, uint64_t seed)
{
    c->view = c->lesson == F0T_LEARN_SEEN ? F0T_VIEW_NEW : F0T_VIEW_ALL;
    for (size_t i = 0; i < F0T_FOLDS; i++)
        F0T_TRY(add_fold(c, tags, all, mask, held, seed, i));
    return F0T_OK;
}

static f0t_status judge_directly(f0t_course *c, const bool *all)
{
    c->view = F0T_VIEW_ALL;
    c->fold_count = 1;
    c->folds[0].class = &c->class;
    return f0t_exam_create(&c->folds[0].mock, &c->class, F0T_VAL, all);
}

/* Every lesson but that of all tags is about seen tags and others. */
static void find_refusal(f0t_course *c, const f0t_eval_tags *tags, bool *mask)
{
    const f0t_task *task = &c->class.task;
    size_t seen = f0t_eval_tags_mask(mask, tags, F0T_TAG_SEEN);
    size_t unseen = f0t_eval_tags_mask(mask, tags, F0T_TAG_UNSEEN);
    if (c->lesson != F0T_LEARN_ALL && (seen < 2 || unseen < 2))
        snprintf(c->refusal, sizeof c->refusal,
                 "two seen and two unseen tags with a vector are needed; there are %zu and %zu",
                 seen, unseen);
    else if (task->tags < 2)
        snprintf(c->refusal, sizeof c->refusal, "two tags with a vector are needed; there are %zu",
                 task->tags);
    else if (!f0t_class_teaches(&c->class))
        snprintf(c->refusal, sizeof c->refusal,
                 "none of the %zu training images has one of the %zu tags to learn",
                 task->train.count, task->tags);
}

static f0t_status create(f0t_course *c, const f0t_eval_tags *tags, bool *masks, uint64_t seed)
{
    bool *all = masks, *mask = masks + tags->count, *held = mask + tags->count;
    f0t_eval_tags_mask(all, tags, f0t_lesson_tags(c->lesson));
    F0T_TRY(f0t_class_create(&c->class, tags, all));
    find_refusal(c, tags, mask);
    bool others = c->lesson == F0T_LEARN_SEEN || c->lesson == F0T_LEARN_FOR_BOTH;
    if (!*c->refusal)
        F0T_TRY(others ? rehearse(c, tags, all, mask, held, seed) : judge_directly(c, all));
    for (int s = 0; s < F0T_SCENARIOS; s++) {
        if (!c->asked[s])
            continue;
        f0t_eval_tags_mask(mask, tags, f0t_scenario_ranks((f0t_scenario)s));
        F0T_TRY(f0t_exam_create(&c->finals[s], &c->class, F0T_TEST, mask));
    }
    return F0T_OK;
}

f0t_status f0t_course_create(f0t_course *c, f0t_lesson lesson, const f0t_eval_tags *tags,
                             const bool asked[F0T_SCENARIOS], uint64_t seed)
{
    bool *masks;
    *c = (f0t_course){.lesson = lesson};
    for (int s = 0; s < F0T_SCENARIOS; s++)
        c->asked[s] = asked[s] && f0t_scenario_lesson((f0t_scenario)s) == lesson;
    F0T_TRY(f0t_alloc(&masks, 3 * tags->count, sizeof *masks));
    f0t_status status = create(c, tags, masks, seed);
    f0t_free(masks);
    if (status != F0T_OK)
        f0t_course_free(c);
    return status;
}

void f0t_course_free(f0t_course *c)
{
    for (size_t i = 0; i < F0T_FOLDS; i++) {
        f0t_exam_free(&c->folds[i].mock);
        f0t_free(c->folds[i].held);
        f0t_class_free(&c->folds[i].own);
    }
    for (int s = 0; s < F0T_SCENARIOS; s++)
        f0t_exam_free(&c->finals[s]);
    f0t_class_free(&c->class);
    *c = (f0t_course){0};
}
