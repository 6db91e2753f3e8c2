/*
 * What the closed-form methods learn from: sums of products of features x and tag indicators y over
 * the training images, in one pass over the features, block by block.
 */
#ifndef F0T_BASELINE_MOMENTS_H
#define F0T_BASELINE_MOMENTS_H

#include "baseline/ranker.h"

typedef struct f0t_task_moments {
    double images; /* M, or the sum of the weights */
    size_t features;
    size_t tags;
    double *squares; /* [D x D] Σ x xᵀ, the lower triangle */
    double *crossed; /* [T x D] Σ y xᵀ */
    double *pairs;   /* [T x T] Σ y yᵀ */
    double *sum;     /* [D] Σ x */
    double *counts;  /* [T] Σ y */
} f0t_task_moments;

/* weights[task->train.count] of the images, at least 0, or NULL: 1 each. The processes of a group (base/group.h) read a part
 * of the images each, and have the same sums. */
f0t_status f0t_task_moments_create(f0t_task_moments **out, const f0t_task *task,
                                   const double *weights);
/* The same of x and y minus their means; sum and counts stay. */
f0t_status f0t_task_moments_centre(f0t_task_moments **out, const f0t_task_moments *moments);
void f0t_task_moments_free(f0t_task_moments *moments);

/* map[rows x D] = targets (Σ x xᵀ + r I)⁻¹ of targets[rows x D], in place: the ridge regression onto
 * what was crossed with the features. r is `ridge` times the mean diagonal of Σ x xᵀ; more where that
 * leaves the system singular. */
f0t_status f0t_task_moments_solve(double *targets, size_t rows, const f0t_task_moments *moments,
                                  double ridge, const f0t_monitor *monitor);

#endif
