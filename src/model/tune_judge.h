/* The tags that a search trains with, those it holds out, and how good a model is at both. */
#ifndef F0T_MODEL_TUNE_JUDGE_H
#define F0T_MODEL_TUNE_JUDGE_H

#include "model/model.h"

/* Some tags and the validation images that have them. */
typedef struct f0t_tune_part {
    uint32_t *tags; /* numbers in the dataset */
    size_t count;
    f0t_vocab *vocab;
    f0t_samples val;
} f0t_tune_part;

typedef struct f0t_tune_judge {
    const f0t_dataset *dataset;
    f0t_tune_part kept, held;
} f0t_tune_judge;

/* For the tags that f0t_train would take with these options. Fails when no validation image has
 * one of them. */
f0t_status f0t_tune_judge_create(f0t_tune_judge *out, const f0t_train_options *options,
                                 const f0t_dataset *dataset, const f0t_vectors *vectors);
void f0t_tune_judge_free(f0t_tune_judge *judge);

/* MiAP in percent on the validation images, over the kept and over the held-out tags, each ranked
 * among themselves; NaN where no image has one. */
typedef struct f0t_tune_score {
    double kept, held;
} f0t_tune_score;

f0t_status f0t_tune_judge_run(f0t_tune_score *score, const f0t_tune_judge *judge,
                              const f0t_model *model);

/* The mean of the two, or the one there is. */
double f0t_tune_score_mean(const f0t_tune_score *score);

#endif
