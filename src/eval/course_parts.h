/* What the parts of running a course share: tuning, the fit, the finals. */
#ifndef F0T_EVAL_COURSE_PARTS_H
#define F0T_EVAL_COURSE_PARTS_H

#include "base/monitor.h"
#include "eval/course.h"

/* Finals that are the same as one that is done (open, where every other tag is unseen) become copies of
 * it. */
f0t_status f0t_course_copies(f0t_cell *cells, const f0t_course *course);

/* A method in a course. */
typedef struct f0t_attempt {
    const f0t_course *course;
    const f0t_ranker *ranker;
    const f0t_course_options *options;
    f0t_monitor monitor; /* of the method: warnings, progress, stop */
} f0t_attempt;

/* What it learns from, with what all its fits share. */
typedef struct f0t_desk {
    f0t_task task;
    void *shared;
} f0t_desk;

f0t_status f0t_desk_open(f0t_desk *desk, f0t_attempt *attempt, const f0t_class *class,
                         double effort);
void f0t_desk_close(f0t_desk *desk, const f0t_attempt *attempt);

/* Chooses the knobs; the first values where there is nothing to choose by. */
f0t_status f0t_course_tune(f0t_choice *out, f0t_attempt *attempt);

/* Takes every final that was asked for and is not done. */
f0t_status f0t_course_finals(f0t_cell *cells, const f0t_course *course,
                             const f0t_candidate *candidate, const f0t_course_options *options,
                             const f0t_choice *choice, f0t_effort effort);

/* Marks the cell as done: how many images and tags, and the knobs (NULL: none). */
void f0t_cell_describe(f0t_cell *cell, const f0t_exam *exam, const f0t_ranker *ranker,
                       const f0t_choice *choice);

#endif
