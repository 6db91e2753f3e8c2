/*
 * Tasks and splits: what a method may learn from, and the images and tags that it then ranks. A task has
 * the annotations of its training tags on training and validation images, and no others.
 */
#ifndef F0T_EVAL_TASK_H
#define F0T_EVAL_TASK_H

#include "eval/scenario.h"
#include "rank/miap.h"

/* ---- Tasks --------------------------------------------------------------------------------- */

/* A task with what it stands on. */
typedef struct f0t_eval_task {
    const f0t_eval_tags *tags;
    f0t_task base; /* what the method is given */
    f0t_condition unit;
    float *vectors;  /* [T x d] */
    uint32_t *place; /* [tags->count] number among the T training tags, or F0T_NO_SAMPLE_TAG */
} f0t_eval_task;

/* The training tags are those of mask[tags->count]. The rest of `base` (seed, effort, epochs, bf16,
 * monitor) is the caller's to set. */
f0t_status f0t_eval_task_create(f0t_eval_task *out, const f0t_eval_tags *tags, const bool *mask);
void f0t_eval_task_free(f0t_eval_task *task);
/* Some training image has one of the training tags. */
bool f0t_eval_task_has_examples(const f0t_eval_task *task);

/* ---- Splits -------------------------------------------------------------------------------- */

/* The images of a split of the dataset, the candidate tags to rank for them, and which are relevant. */
typedef struct f0t_eval_split {
    const f0t_eval_task *task;
    const char *part; /* the scenario that is tested; NULL: it judges trials. The caller's to set */
    f0t_samples truth;  /* relevant tags among the candidates */
    f0t_samples oracle; /* true training tags of the images: for the oracle method alone */
    size_t count;       /* candidates */
    uint32_t *tags;     /* [count] their numbers in the vocabulary, ascending */
    float *vectors;     /* [count x d] */
    uint32_t *known;    /* [count] number among the training tags, or F0T_NO_SAMPLE_TAG */
    bool completes; /* `oracle` has the tags that are given, `truth` those that are looked for */
} f0t_eval_split;

/* The candidates are the tags of mask[tags->count]. */
f0t_status f0t_eval_split_create(f0t_eval_split *out, const f0t_eval_task *task, f0t_split split,
                                 const bool *mask);
/* Half of each image's tags, rounded down and drawn by seed, become given ones: methods may know them, they come last
 * in every ranking, and are not looked for. Of an image with one tag none is looked for. The candidates
 * must be the training tags. */
f0t_status f0t_eval_split_complete(f0t_eval_split *split, uint64_t seed);
void f0t_eval_split_free(f0t_eval_split *split);

/* ---- Scoring ------------------------------------------------------------------------------- */

/* A method and what it has learned. */
typedef struct f0t_eval_fit {
    const f0t_ranker *ranker;
    const f0t_task *task;
    void *fitted;
} f0t_eval_fit;

/* Scores come in blocks: images [first, first + block->images) of the split. */
typedef f0t_status (*f0t_eval_sink)(void *user, size_t first, const f0t_ranking *block);

/* Lets the method score the candidates for every image; *seconds (may be NULL) is what scoring took,
 * without reading features. */
f0t_status f0t_eval_split_score(double *seconds, const f0t_eval_split *split,
                                const f0t_eval_fit *fit, f0t_eval_sink sink, void *user);
/* The same for images [first, end) of it; not of a method that wants them whole (f0t_ranker.whole). */
f0t_status f0t_eval_split_score_some(double *seconds, const f0t_eval_split *split,
                                     const f0t_eval_fit *fit, size_t first, size_t end,
                                     f0t_eval_sink sink, void *user);

#endif
