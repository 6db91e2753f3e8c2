/*
 * Sums over all pairs of a ranking problem, without a list of pairs: of tags of two kinds, and of the
 * tags of a ranking list.
 */
#ifndef F0T_RANK_RANKSVM_PAIRS_H
#define F0T_RANK_RANKSVM_PAIRS_H

#include "base/kernels.h"
#include "base/status.h"

/* ---- Losses ------------------------------------------------------------------------------------ */

/* A loss is h with h'(z) = min(k max(0, z), cap). k = 2 and cap = ∞ is the squared hinge; cap = 1 is the
 * hinge with its corner rounded over 0 < z < 1/k. Pairs in the zone, where h is curved, are those with
 * 0 < z and k z < cap. */
typedef struct f0t_svm_loss {
    double k;
    double cap;
} f0t_svm_loss;

/* Over all pairs: Σ h'(z), Σ h'(z) z, Σ h'(z)², Σ max(0, z), and how many are in the zone. */
typedef struct f0t_svm_sums {
    double slope;
    double moment;
    double square;
    double slack;
    double zone;
} f0t_svm_sums;

/* For the kernel that multiplies the Laplacian of the zone with a vector. */
typedef struct f0t_svm_zone {
    const float *p, *n; /* scores, which say what is in the zone */
    size_t np, nn;
    f0t_svm_loss loss;
} f0t_svm_zone;

/* ---- Two kinds of tags ------------------------------------------------------------------------- */

/* Pairs of a relevant and an irrelevant tag: loops over the relevant tags where they are few, one sort
 * and prefix sums where both kinds are many. */

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

/* The second way alone, in O(T log T) for any number of relevant tags. */
typedef struct f0t_svm_sorted f0t_svm_sorted;

f0t_status f0t_svm_sorted_create(f0t_svm_sorted **out, size_t tags);
void f0t_svm_sorted_free(f0t_svm_sorted *sorted);

/* As f0t_svm_pairs_gradient and f0t_svm_pairs_hessian. */
void f0t_svm_sorted_gradient(f0t_svm_sorted *sorted, f0t_svm_sums *sums, float *weights,
                             const float *scores, const f0t_svm_rule *rule, f0t_svm_loss loss);
void f0t_svm_sorted_hessian(f0t_svm_sorted *sorted, float *weights, const float *x,
                            const float *scores, const f0t_svm_rule *rule, f0t_svm_loss loss);

/* ---- Ranking lists ----------------------------------------------------------------------------- */

/*
 * Sums over all pairs of a ranking list, without a list of pairs: tag i comes before tag j where
 * level[i] < level[j], and z = 1 − s_i + s_j of their scores. One sort by score and two sweeps, each
 * over a tree of partial sums by level: O(T log T) (Lee, Lin, "Large-scale linear RankSVM", Neural
 * Computation 2014).
 */

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
