/* The inner loops of the pairs of a batch. Compiled once a CPU level. */
#ifndef F0T_RANK_LOSS_BATCH_KERNELS_H
#define F0T_RANK_LOSS_BATCH_KERNELS_H

#include "base/cpu.h"

#include <stddef.h>

/* Nodes of a piece, and its width. */
#define F0T_NODES 16
#define F0T_PIECE_WIDTH 2.5

/* The Chebyshev points of [-1, 1] and what depends on them alone. */
typedef struct f0t_nodes {
    double at[F0T_NODES];                /* in units of the scores, from a piece's centre */
    double exps[F0T_NODES];              /* exp(at) */
    double basis[F0T_NODES * F0T_NODES]; /* row m: T_m at each node */
} f0t_nodes;

/* The smallest and the largest of x. */
F0T_KERNEL_DECLARE(void, row_range, (float *low, float *high, const float *x, size_t n));

/* moments[m] = Σ T_m over the scores x of a piece. */
F0T_KERNEL_DECLARE(void, piece_moments, (double *moments, const float *x, size_t n, double centre));

/* y = factor · Σ_m coefficients[m] T_m at the scores x of a piece. */
F0T_KERNEL_DECLARE(void, piece_evaluate,
                   (float *y, const float *x, size_t n, double centre, const double *coefficients,
                    double factor));

/* At each node b of a piece, over the relevant scores a[n]: Σ softplus(b − a), Σ sigmoid(b − a). */
F0T_KERNEL_DECLARE(void, node_sums,
                   (double *softplus, double *sigmoid, const f0t_nodes *nodes, double centre,
                    const float *a, size_t n));

/* Σ weights sigmoid(b − a) over the nodes b of a piece; exp_centre is exp(centre − a). */
F0T_KERNEL_DECLARE(double, node_weighted,
                   (const f0t_nodes *nodes, const double *weights, double exp_centre));

/* Beyond this distance sigmoid is 1 and softplus the identity, to a double's precision; and where
 * it is below the negative of FAR_BELOW both are 0 to any use. */
#define F0T_FAR_ABOVE 40.0
#define F0T_FAR_BELOW 100.0

#endif
