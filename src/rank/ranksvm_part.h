/*
 * A ranking SVM over part of the tags: some are relevant, some irrelevant, and all others have no
 * part in it. The rules of ranksvm.h know no such others: there each tag is one or the other.
 */
#ifndef F0T_RANK_RANKSVM_PART_H
#define F0T_RANK_RANKSVM_PART_H

#include "rank/ranksvm.h"

/* Memory of one thread, for one problem at a time. */
typedef struct f0t_ranksvm_part f0t_ranksvm_part;

/* `svm` must live as long. */
f0t_status f0t_ranksvm_part_create(f0t_ranksvm_part **out, const f0t_ranksvm *svm);
void f0t_ranksvm_part_free(f0t_ranksvm_part *part);

/* The direction[dims] for tags[count], distinct, of which the first `relevant` shall come before the
 * others; both kinds must be there. `options` may be NULL, its batch is ignored. Allocates nothing.
 * Where the plain hinge leaves many tags in the way (few dimensions, small λ) it may end above the gap:
 * the result says so. */
void f0t_ranksvm_part_solve(f0t_ranksvm_part *part, float *direction, f0t_ranksvm_result *result,
                            const uint32_t *tags, size_t relevant, size_t count, double lambda,
                            const f0t_ranksvm_options *options);

#endif
