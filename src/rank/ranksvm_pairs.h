/*
 * Sums over all pairs of a relevant and an irrelevant tag, without a list of pairs: loops over the
 * relevant tags where they are few, one sort and prefix sums where both kinds are many.
 */
#ifndef F0T_RANK_RANKSVM_PAIRS_H
#define F0T_RANK_RANKSVM_PAIRS_H

#include "base/status.h"
#include "rank/ranksvm_kernels.h"

/* A rule: its relevant tags among all. */
typedef struct f0t_svm_rule {
    const uint32_t *relevant; /* [count] ascending */
    size_t count;
    size_t tags;
} f0t_svm_rule;

/* True where sorting is the faster way. */
bool f0t_svm_rule_is_wide(const f0t_svm_rule *rule);

/* Room for the sums, of one thread. */
typedef struct f0t_svm_pairs f0t_svm_pairs;

/* For rules over this many tags; `wide` when there are wide ones among them. */
f0t_status f0t_svm_pairs_create(f0t_svm_pairs **out, size_t tags, bool wide);
void f0t_svm_pairs_free(f0t_svm_pairs *pairs);

/* Sums at scores[tags]. weights[tags] becomes Σ h'(z) over the pairs of each tag, negative for
 * irrelevant ones: Σ weights · vectors is minus the gradient of the loss. */
void f0t_svm_pairs_gradient(f0t_svm_pairs *pairs, f0t_svm_sums *sums, float *weights,
                            const float *scores, const f0t_svm_rule *rule, f0t_svm_loss loss);

/* weights = k L x, L being the Laplacian of the zone's pairs at scores: Σ weights · vectors is the
 * Hessian of the loss times the direction that has the scores x. Returns x·weights. */
double f0t_svm_pairs_hessian(f0t_svm_pairs *pairs, float *weights, const float *x,
                             const float *scores, const f0t_svm_rule *rule, f0t_svm_loss loss);

#endif
