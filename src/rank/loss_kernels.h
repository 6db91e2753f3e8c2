/*
 * The inner loops of the losses. Compiled once a CPU level. A row is the scores of one image with
 * those of its relevant tags set to -infinity, so that they add nothing to a sum over the
 * irrelevant. Sums are taken in double, or in float over short stretches.
 */
#ifndef F0T_RANK_LOSS_KERNELS_H
#define F0T_RANK_LOSS_KERNELS_H

#include "base/cpu.h"

#include <stddef.h>

/* y = exp(row − shift); returns Σ y. */
F0T_KERNEL_DECLARE(double, row_exp, (float *y, const float *row, size_t n, float shift));

/*
 * RankNet's pairs of one relevant tag with all irrelevant ones, from exponentials taken once a
 * score: z_n = t_n u is exp(s_n − s_p). Adds sigmoid(s_n − s_p) = z / (1 + z) to gradient[n] and
 * returns their sum. log Π (1 + z) is the sum of the losses over the relevant tags: excess[n], from
 * 0, becomes that product − 1, which is accurate for small z too.
 */
F0T_KERNEL_DECLARE(double, pairs_from_exp,
                   (float *excess, float *gradient, const float *t, float u, size_t n));
/* Σ log(1 + excess), and excess = 0. */
F0T_KERNEL_DECLARE(double, excess_take, (float *excess, size_t n));

/* The same pairs from the scores, whatever their range: adds Σ softplus(row − score) to *loss. */
F0T_KERNEL_DECLARE(double, pairs_from_scores,
                   (double *loss, float *gradient, const float *row, float score, size_t n));

/* Σ [1 + row]₊ or its squares; gradient[n] = slope where the bracket is above 0, or twice the
 * bracket times slope. */
F0T_KERNEL_DECLARE(double, row_hinge, (float *gradient, const float *row, size_t n, float slope));
F0T_KERNEL_DECLARE(double, row_squared_hinge,
                   (float *gradient, const float *row, size_t n, float slope));

F0T_KERNEL_DECLARE(void, row_scale, (float *y, const float *x, size_t n, float factor));

/* Σ (x − target)², gradient = factor (x − target). gradient may be x. */
F0T_KERNEL_DECLARE(double, row_distance,
                   (float *gradient, const float *x, const float *target, size_t n, float factor));

#endif
