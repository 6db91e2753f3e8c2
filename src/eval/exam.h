/*
 * Lessons and exams: what a method may learn from, and the images and tags that it then ranks. The
 * annotations in a lesson are those of its tags on training and validation images, and no others.
 */
#ifndef F0T_EVAL_EXAM_H
#define F0T_EVAL_EXAM_H

#include "eval/scenario.h"
#include "rank/miap.h"

/* A task with what it stands on. */
typedef struct f0t_class {
    const f0t_eval_tags *tags;
    f0t_task task;
    f0t_condition unit;
    float *vectors;  /* [T x d] */
    uint32_t *place; /* [tags->count] number among the T training tags, or F0T_NO_SAMPLE_TAG */
} f0t_class;

/* The training tags are those of mask[tags->count]. The rest of the task (seed, effort, epochs, bf16,
 * monitor) is the caller's to set. */
f0t_status f0t_class_create(f0t_class *out, const f0t_eval_tags *tags, const bool *mask);
void f0t_class_free(f0t_class *class);
/* Some training image has one of the training tags. */
bool f0t_class_teaches(const f0t_class *class);

/* The images of a part, the tags to rank for them, and the right answers. */
typedef struct f0t_exam {
    const f0t_class *class;
    f0t_samples answers;  /* relevant tags among the candidates */
    f0t_samples training; /* true training tags of the images: for the oracle alone */
    size_t count;         /* candidates */
    uint32_t *tags;       /* [count] their numbers in the vocabulary, ascending */
    float *vectors;       /* [count x d] */
    uint32_t *known;      /* [count] number among the training tags, or F0T_NO_SAMPLE_TAG */
} f0t_exam;

f0t_status f0t_exam_create(f0t_exam *out, const f0t_class *class, f0t_split split,
                           const bool *mask);
void f0t_exam_free(f0t_exam *exam);

/* Scores come in blocks: images first, …, first + block->images - 1 of the exam. */
typedef f0t_status (*f0t_exam_sink)(void *user, size_t first, const f0t_ranking *block);

/* A method and what it has learned. */
typedef struct f0t_candidate {
    const f0t_ranker *ranker;
    const f0t_task *task;
    void *fitted;
} f0t_candidate;

/* Lets the method rank; *seconds (may be NULL) is what scoring took, without reading features. */
f0t_status f0t_exam_take(double *seconds, const f0t_exam *exam, const f0t_candidate *candidate,
                         f0t_exam_sink sink, void *user);

/* The MiAP of it, 0 … 1; NaN when no image has a relevant tag. */
f0t_status f0t_exam_miap(double *miap, const f0t_exam *exam, const f0t_candidate *candidate);

#endif
