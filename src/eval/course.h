/*
 * A course: one lesson with the exam that tunes a method and those that test it. For the lessons that
 * teach every tag which is ranked, the validation images judge. Where unseen tags will be ranked, a
 * fifth of the seen ones plays them: methods learn from the others, and are judged by how they rank
 * the held-out tags, or all seen ones where the test ranks both kinds together.
 */
#ifndef F0T_EVAL_COURSE_H
#define F0T_EVAL_COURSE_H

#include "eval/exam.h"
#include "eval/tune.h"
#include "eval/values.h"

enum { F0T_SAMPLE_TOP = 5 };

typedef struct f0t_course {
    f0t_lesson lesson;
    f0t_class class;     /* what is learned in the end */
    f0t_class rehearsal; /* what trials learn, where that is something else */
    bool rehearses;
    f0t_exam mock; /* of the validation images */
    bool asked[F0T_SCENARIOS];
    f0t_exam finals[F0T_SCENARIOS]; /* of the test images */
} f0t_course;

/* `asked` are the scenarios of this lesson that are wanted. */
f0t_status f0t_course_create(f0t_course *out, f0t_lesson lesson, const f0t_eval_tags *tags,
                             const bool asked[F0T_SCENARIOS], uint64_t seed);
void f0t_course_free(f0t_course *course);

typedef struct f0t_course_options {
    uint64_t seed;
    size_t trials; /* of tuning, at the most; 0: none, each knob keeps its first value */
    double effort; /* of a trial */
    size_t epochs;
    const size_t *hidden; /* [hidden_count] of net; NULL: the paper's shape */
    size_t hidden_count;
    bool bf16;
    const size_t *cutoffs;
    size_t cutoff_count;
    const uint32_t
        *samples; /* [sample_count] places among the test images whose first tags are kept */
    size_t sample_count;
    const f0t_monitor *monitor;
} f0t_course_options;

/* The result of a method in a scenario. */
typedef struct f0t_cell {
    bool done;                      /* it played or could not; else nobody has asked yet */
    char refusal[F0T_REFUSAL_SIZE]; /* why it could not; "" when it played */
    size_t images, tags;
    f0t_values values;
    size_t knob_count;
    char knob_names[F0T_KNOBS_MAX][F0T_VALUE_NAME_MOST];
    double knobs[F0T_KNOBS_MAX];
    uint32_t
        *top; /* [sample_count x F0T_SAMPLE_TOP] vocabulary numbers, F0T_NO_SAMPLE_TAG behind the
                      last; NULL when it did not play */
    size_t top_count;
} f0t_cell;

void f0t_cell_free(f0t_cell *cell);

/* Tunes, fits once, and takes every final that was asked for: into cells[scenario], which are empty.
 * A final that is the same as another (open, where every other tag is unseen) is not taken twice. */
f0t_status f0t_course_run(f0t_cell cells[F0T_SCENARIOS], const f0t_course *course,
                          const f0t_ranker *ranker, const f0t_course_options *options);

#endif
