/*
 * Sums over all pairs of a ranking list, without a list of pairs: tag i comes before tag j where
 * level[i] < level[j], and z = 1 − s_i + s_j of their scores. One sort by score and two sweeps, each
 * over a tree of partial sums by level: O(T log T) (Lee, Lin, "Large-scale linear RankSVM", Neural
 * Computation 2014).
 */
#ifndef F0T_RANK_RANKLIST_PAIRS_H
#define F0T_RANK_RANKLIST_PAIRS_H

#include "base/status.h"

/* Room for the sums, of one thread. */
typedef struct f0t_list_pairs f0t_list_pairs;

f0t_status f0t_list_pairs_create(f0t_list_pairs **out, size_t tags);
void f0t_list_pairs_free(f0t_list_pairs *pairs);

/* Levels of a list: 0 for the largest number, equal numbers have one level. Returns how many levels
 * there are. */
size_t f0t_list_levels(f0t_list_pairs *pairs, uint32_t *levels, const float *list);

/* Over the pairs with z > 0: Σ z, Σ z², and how many there are. */
typedef struct f0t_list_sums {
    double slack;
    double square;
    double active;
} f0t_list_sums;

/* At scores[tags]: weights[tags] becomes Σ 2z over the active pairs of each tag, negative where it is
 * the later one, so that Σ weights · vectors is minus the gradient of Σ z². order[tags] and
 * degrees[tags] are kept for the products with the Hessian there; both may be NULL. */
void f0t_list_gradient(f0t_list_pairs *pairs, f0t_list_sums *sums, float *weights, uint32_t *order,
                       float *degrees, const float *scores, const uint32_t *levels);

/* weights = 2 L x, L being the Laplacian of the graph of the active pairs at the scores. */
void f0t_list_hessian(f0t_list_pairs *pairs, float *weights, const float *x, const float *scores,
                      const uint32_t *levels, const uint32_t *order, const float *degrees);

#endif
