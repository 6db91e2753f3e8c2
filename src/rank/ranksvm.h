/*
 * Ranking SVMs: the direction w of each rule that minimises
 *
 *     λ/2 ‖w‖² + Σ over relevant p, irrelevant n of h(1 − w·p + w·n)
 *
 * with h(z) = max(0, z), the hinge of section 3.3 of the paper, or max(0, z)². All rules share the
 * tag vectors and are solved side by side, so that the scores of all tags come from matrix
 * products. docs/methods.md has the algorithm.
 *
 * Two levels of relevance are all that this solves: lists of more are ranklist.h's.
 */
#ifndef F0T_RANK_RANKSVM_H
#define F0T_RANK_RANKSVM_H

#include "rank/rules.h"

/* All zero: the paper's hinge, solved to a relative duality gap of 0.0005. */
typedef struct f0t_ranksvm_options {
    f0t_hinge hinge;
    double gap;   /* a rule is solved when (objective − dual) / objective is at most this */
    size_t batch; /* rules solved at a time, 64 at least; 0: what suits the number of tags */
} f0t_ranksvm_options;

/* How a rule was solved. The objective is at most `objective`, and no direction has one below
 * objective · (1 − gap). */
typedef struct f0t_ranksvm_result {
    double objective;
    double gap;
    uint32_t rounds; /* products with the tag vectors */
} f0t_ranksvm_result;

/* What all rules over the same tags share. Many threads may use one. */
typedef struct f0t_ranksvm f0t_ranksvm;

/* vectors[tags x dims]; NaN and infinity are refused (F0T_ERROR_NUMERIC). The vectors are copied. */
f0t_status f0t_ranksvm_create(f0t_ranksvm **out, const float *vectors, size_t tags, size_t dims);
void f0t_ranksvm_free(f0t_ranksvm *svm);

/* Solves every rule for each of `count` values λ > 0 into directions[count x rules x dims], in the
 * order of `lambdas`; from one λ to the next below it a rule starts from its last solution.
 * results[count x rules] may be NULL. A rule without a pair has the direction 0. Rules that stop
 * above the gap (none is known for λ from 1e-4 to 1e4 and unit vectors) have their best direction
 * and are counted in a warning. Same input, same bytes, whatever other rules there are, and for any
 * number of threads, as far as the matrix products give the same for any. */
f0t_status f0t_ranksvm_solve(float *directions, f0t_ranksvm_result *results, const f0t_ranksvm *svm,
                             const f0t_rules *rules, const double *lambdas, size_t count,
                             const f0t_ranksvm_options *options, const f0t_monitor *monitor);

/* ---- Part of the tags -------------------------------------------------------------------------- */

/*
 * A ranking SVM over part of the tags: some are relevant, some irrelevant, and all others have no
 * part in it. Rules know no such others: there each tag is one or the other.
 */

/* Memory of one thread, for one problem at a time. */
typedef struct f0t_ranksvm_part f0t_ranksvm_part;

/* `svm` must live as long. */
f0t_status f0t_ranksvm_part_create(f0t_ranksvm_part **out, const f0t_ranksvm *svm);
void f0t_ranksvm_part_free(f0t_ranksvm_part *part);

/* The direction[dims] for tags[count], distinct, of which the first `relevant` shall come before the
 * others; both kinds must be there. `options` may be NULL, its batch is ignored. Allocates nothing.
 * Where the plain hinge leaves many tags in the way (few dimensions, small λ) it may end above the gap:
 * the result says so. */
void f0t_ranksvm_part_solve(float *direction, f0t_ranksvm_result *result, f0t_ranksvm_part *part,
                            const uint32_t *tags, size_t relevant, size_t count, double lambda,
                            const f0t_ranksvm_options *options);

#endif
