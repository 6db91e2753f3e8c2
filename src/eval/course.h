/*
 * A course: one lesson with the exams that tune a method and those that test it. For the lessons that
 * teach every tag which is ranked, the validation images judge. Where unseen tags will be ranked, a
 * fifth of the seen ones plays them: methods learn from the others, and are judged by how they rank
 * the held-out tags, or all seen ones where the test ranks both kinds together. Which tags are held out
 * matters more than most settings do, so that several fifths have their turn and the mean counts.
 */
#ifndef F0T_EVAL_COURSE_H
#define F0T_EVAL_COURSE_H

#include "eval/exam.h"
#include "eval/tune.h"
#include "eval/values.h"

enum { F0T_SAMPLE_TOP = 5, F0T_FOLDS = 5 };

/* What is judged: the ranking of the held-out tags alone, and that of all. */
typedef enum f0t_view { F0T_VIEW_NEW, F0T_VIEW_ALL, F0T_VIEWS } f0t_view;

/* What trials learn, and the exam of the validation images that judges them. */
typedef struct f0t_fold {
    f0t_class own;          /* where it is not what the course teaches */
    const f0t_class *class; /* it, or the course's */
    f0t_exam mock;          /* of all tags of the lesson, also those held out */
    uint32_t *held;         /* [held_count] which of its candidates are held out */
    size_t held_count;
} f0t_fold;

typedef struct f0t_course {
    f0t_lesson lesson;
    f0t_class class;                /* what is learned in the end */
    char refusal[F0T_REFUSAL_SIZE]; /* why no method can learn it; "": they can */
    f0t_fold folds[F0T_FOLDS];
    size_t fold_count; /* 0 where nothing can be tuned */
    f0t_view view;     /* which ranking counts */
    bool asked[F0T_SCENARIOS];
    f0t_exam finals[F0T_SCENARIOS]; /* of the test images */
} f0t_course;

/* `asked` are the scenarios of this lesson that are wanted. Where the data cannot teach it, refusal
 * says why, and every method is refused. */
f0t_status f0t_course_create(f0t_course *out, f0t_lesson lesson, const f0t_eval_tags *tags,
                             const bool asked[F0T_SCENARIOS], uint64_t seed);
void f0t_course_free(f0t_course *course);

/* What the lessons of one method share: LEARN_SEEN and LEARN_FOR_BOTH try the same settings on the
 * same folds, and only judge them by other rankings. */
typedef struct f0t_memo {
    struct f0t_memo_trial {
        double knobs[F0T_KNOBS_MAX], scores[F0T_VIEWS];
    } * trials;
    size_t count, capacity;
} f0t_memo;

void f0t_memo_free(f0t_memo *memo);

typedef struct f0t_course_options {
    uint64_t seed;
    size_t trials; /* of tuning, at the most; 0: none, each knob keeps its first value */
    double effort; /* of a trial */
    size_t epochs;
    const size_t *hidden; /* [hidden_count] of net and warp; NULL: the paper's shape */
    size_t hidden_count;
    bool bf16;
    const size_t *cutoffs;
    size_t cutoff_count;
    const uint32_t
        *samples; /* [sample_count] places among the test images whose first tags are kept */
    size_t sample_count;
    f0t_memo *memo;                    /* NULL: nothing is shared */
    struct f0t_neighbour_store *store; /* between methods and lessons; NULL: none */
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
