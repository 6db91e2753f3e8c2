/* The tag vectors as the solver sees them: what every rule shares. */
#ifndef F0T_RANK_RANKSVM_SPACE_H
#define F0T_RANK_RANKSVM_SPACE_H

#include "math/matmul.h"
#include "rank/ranksvm.h"
#include "rank/ranksvm_kernels.h"

/* Only differences of vectors count, and ‖w‖ does not depend on the axes. So the vectors are
 * centred (smaller numbers, smaller errors) and turned to their principal axes: those without
 * extent are left out (fewer tags than dimensions cost what they are), and along the others the
 * second moments are a diagonal, which makes a good preconditioner. */
struct f0t_ranksvm {
    size_t tags;              /* T */
    size_t dims;              /* of the caller's vectors */
    size_t rank;              /* axes, at least 1 */
    float *vectors;           /* [T x rank] */
    float *given;             /* [T x dims] as they came */
    double *mean;             /* [dims] of the tags' vectors */
    double *moments;          /* [rank]: Σ over tags of the squared coordinate */
    double size;              /* mean squared length of a vector */
    float *gram;              /* [T x T], NULL when T is too large for that */
    f0t_packed *to_scores;    /* rank x T */
    f0t_packed *from_weights; /* T x rank */
    f0t_packed *axes;         /* rank x dims */
    const f0t_kernel_table *kernels;
};

/* Products that serve all rules in work: scores[rows x T] of directions[rows x rank], and
 * sums[rows x rank] of the vectors by weights[rows x T]. */
f0t_status f0t_ranksvm_scores(const f0t_ranksvm *svm, float *scores, const float *directions,
                              size_t rows);
f0t_status f0t_ranksvm_sums(const f0t_ranksvm *svm, float *sums, const float *weights, size_t rows);

/* The directions in the caller's coordinates, to[rows x dims]. */
f0t_status f0t_ranksvm_restore(const f0t_ranksvm *svm, float *to, const float *directions,
                               size_t rows);

#endif
