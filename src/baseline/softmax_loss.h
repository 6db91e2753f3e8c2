/*
 * Cross entropy of a softmax over all tags against the uniform distribution over an image's relevant
 * tags: log Σ_t exp(s_t) − (1/|Y|) Σ_{p ∈ Y} s_p. The loss of a batch is the mean over its images
 * with a relevant and an irrelevant tag.
 */
#ifndef F0T_BASELINE_SOFTMAX_LOSS_H
#define F0T_BASELINE_SOFTMAX_LOSS_H

#include "rank/loss.h"

/* y[n] = softmax of x[n]; y may be x. Returns log Σ exp(x). */
float f0t_softmax_row(float *y, const float *x, size_t n);

/* As f0t_loss_run. */
f0t_status f0t_softmax_loss_run(f0t_loss_result *result, float *gradient,
                                const f0t_loss_batch *batch);

#endif
