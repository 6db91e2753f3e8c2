/* The inner loops of the pairs of a batch. Compiled once a CPU level. */
#ifndef F0T_RANK_LOSS_BATCH_KERNELS_H
#define F0T_RANK_LOSS_BATCH_KERNELS_H

#include "base/kernels.h"

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

/* Beyond this distance sigmoid is 1 and softplus the identity, to a double's precision; and where
 * it is below the negative of FAR_BELOW both are 0 to any use. */
#define F0T_FAR_ABOVE 40.0
#define F0T_FAR_BELOW 100.0

#endif
