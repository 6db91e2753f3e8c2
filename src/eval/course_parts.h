/* What the two halves of running a course share. */
#ifndef F0T_EVAL_COURSE_PARTS_H
#define F0T_EVAL_COURSE_PARTS_H

#include "eval/course.h"

/* Finals that are the same as one that is done (open, where every other tag is unseen) become copies of
 * it. */
f0t_status f0t_course_copies(f0t_cell *cells, const f0t_course *course);

/* Takes every final that was asked for and is not done. */
f0t_status f0t_course_finals(f0t_cell *cells, const f0t_course *course,
                             const f0t_candidate *candidate, const f0t_course_options *options,
                             const f0t_choice *choice, f0t_effort effort);

/* Marks the cell as done: how many images and tags, and the knobs (NULL: none). */
void f0t_cell_describe(f0t_cell *cell, const f0t_exam *exam, const f0t_ranker *ranker,
                       const f0t_choice *choice);

#endif
