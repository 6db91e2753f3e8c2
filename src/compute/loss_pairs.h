/*
 * RankNet over all pairs of a batch: P relevant entries a_i, N irrelevant entries b_j,
 *
 *     loss = 1 / (P N) Σ_i Σ_j log(1 + exp(b_j − a_i)).
 *
 * P N is some 10^9: what is summed over i is an analytic function of b, singular only at
 * a_i ± iπ, ± 3iπ, …, so that Chebyshev interpolation in pieces of 2.5 with 16 nodes gives it to
 * more than a float's precision: Bernstein's ellipse of radius 5 around a piece keeps clear of the
 * singularities, and bounds the error by 2e-8 of the smallest value in the piece; 1e-11 is the most
 * that the tests see. The sums over j are the same interpolation transposed: each b_j is spread
 * over the nodes of its piece. Work: 16 (P · pieces + N).
 */
#ifndef F0T_COMPUTE_LOSS_PAIRS_H
#define F0T_COMPUTE_LOSS_PAIRS_H

#include "compute/loss.h"

/* Nodes of a piece, its width, and how many there may be from the smallest score to the largest. */
#define F0T_NODES 16
#define F0T_PIECE_WIDTH 2.5
#define F0T_PIECES_MOST 8192

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

typedef struct f0t_batch_pairs f0t_batch_pairs;

/* Memory for batches of at most this many scores, below 2^32. */
f0t_status f0t_batch_pairs_create(f0t_batch_pairs **out, size_t scores);
void f0t_batch_pairs_free(f0t_batch_pairs *pairs);

/* As f0t_loss_run. The scores are finite and the batch is as it should be. */
f0t_status f0t_batch_pairs_run(f0t_loss_result *result, float *gradient, f0t_batch_pairs *pairs,
                               const f0t_loss_batch *batch);

#endif
