/*
 * Conditioning of features. Rows are L2-normalised (the paper, section 5.1), which makes them tiny
 * numbers, about 1/√D each: a net learns better from numbers near 1. What is done here is stored in
 * the model and done to every later image.
 */
#ifndef F0T_MODEL_CONDITION_H
#define F0T_MODEL_CONDITION_H

#include "model/samples.h"

/* x is divided by its length, then becomes (x − shift) · scale, number by number. */
typedef struct f0t_condition {
    size_t dim;
    float *shift; /* [dim] */
    float *scale; /* [dim] */
} f0t_condition;

/* By kind: F0T_CONDITION_UNIT leaves it at length 1, F0T_CONDITION_SCALE makes the length √D,
 * F0T_CONDITION_STANDARD gives every feature mean 0 and variance 1 over the training samples (one
 * pass over them). */
f0t_status f0t_condition_create(f0t_condition *out, f0t_condition_kind kind,
                                const f0t_dataset *dataset, const f0t_samples *train,
                                const f0t_monitor *monitor);
void f0t_condition_free(f0t_condition *condition);

/* x[rows x dim] in place. */
void f0t_condition_apply(float *x, const f0t_condition *condition, size_t rows);

/* The conditioned features of these images of the dataset into to[count x dim]. */
f0t_status f0t_condition_gather(float *to, const f0t_condition *condition,
                                const f0t_dataset *dataset, const uint32_t *images, size_t count);

/* Images whose conditioned features f0t_condition_fill, an f0t_fill, writes one after the other. */
typedef struct f0t_condition_rows {
    const f0t_condition *condition;
    const f0t_dataset *dataset;
    const uint32_t *images;
} f0t_condition_rows;
f0t_status f0t_condition_fill(void *rows, float *to, size_t n);

#endif
