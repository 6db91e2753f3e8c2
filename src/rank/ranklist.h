/*
 * Ranking SVMs of whole lists: the direction w that minimises
 *
 *     λ/2 ‖w‖² + Σ over i before j of max(0, 1 − w·v_i + w·v_j)²
 *
 * over all pairs of tags that a list orders, not only those of relevant and irrelevant ones. All
 * lists are over the same tags and are solved side by side, so that scores come from matrix products.
 */
#ifndef F0T_RANK_RANKLIST_H
#define F0T_RANK_RANKLIST_H

#include "rank/ranksvm.h"

/* Solves lists[rows x tags] into directions[rows x dims]. In a list tag i comes before tag j where its
 * number is larger; equal ones make no pair; NaN is refused. The relative duality gap is at most
 * `gap` (0: 0.001), or what 60 Newton steps reach. results[rows] may be NULL. */
f0t_status f0t_ranklist_solve(float *directions, f0t_ranksvm_result *results,
                              const f0t_ranksvm *svm, const float *lists, size_t rows,
                              double lambda, double gap, const f0t_monitor *monitor);

#endif
