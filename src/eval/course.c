#include "eval/course.h"

#include "base/alloc.h"

/* Trials learn from the lesson's tags without the held-out ones, and rank those, or all. */
static f0t_status rehearse(f0t_course *c, const f0t_eval_tags *tags, bool *all, bool *mask,
                           bool *held, uint64_t seed)
{
    size_t taken;
    f0t_eval_tags_mask(mask, tags, f0t_lesson_tags(c->lesson));
    F0T_TRY(f0t_eval_tags_hold_out(&taken, mask, held, tags, seed));
    F0T_TRY(f0t_class_create(&c->rehearsal, tags, mask));
    c->rehearses = true;
    return f0t_exam_create(&c->mock, &c->rehearsal, F0T_VAL,
                           c->lesson == F0T_LEARN_FOR_BOTH ? all : held);
}

static f0t_status create(f0t_course *c, const f0t_eval_tags *tags, bool *masks, uint64_t seed)
{
    bool *all = masks, *mask = masks + tags->count, *held = mask + tags->count;
    f0t_eval_tags_mask(all, tags, f0t_lesson_tags(c->lesson));
    F0T_TRY(f0t_class_create(&c->class, tags, all));
    if (c->lesson == F0T_LEARN_SEEN || c->lesson == F0T_LEARN_FOR_BOTH)
        F0T_TRY(rehearse(c, tags, all, mask, held, seed));
    else
        F0T_TRY(f0t_exam_create(&c->mock, &c->class, F0T_VAL, all));
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
    f0t_exam_free(&c->mock);
    for (int s = 0; s < F0T_SCENARIOS; s++)
        f0t_exam_free(&c->finals[s]);
    f0t_class_free(&c->class);
    f0t_class_free(&c->rehearsal);
    *c = (f0t_course){0};
}
