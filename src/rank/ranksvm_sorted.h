/* Pair sums by one sort and prefix sums, in O(T log T) for any number of relevant tags. */
#ifndef F0T_RANK_RANKSVM_SORTED_H
#define F0T_RANK_RANKSVM_SORTED_H

#include "rank/ranksvm_pairs.h"

typedef struct f0t_svm_sorted f0t_svm_sorted;

f0t_status f0t_svm_sorted_create(f0t_svm_sorted **out, size_t tags);
void f0t_svm_sorted_free(f0t_svm_sorted *sorted);

/* As f0t_svm_pairs_gradient and f0t_svm_pairs_hessian. */
void f0t_svm_sorted_gradient(f0t_svm_sorted *sorted, f0t_svm_sums *sums, float *weights,
                             const float *scores, const f0t_svm_rule *rule, f0t_svm_loss loss);
void f0t_svm_sorted_hessian(f0t_svm_sorted *sorted, float *weights, const float *x,
                            const float *scores, const f0t_svm_rule *rule, f0t_svm_loss loss);

#endif
