/* The leading singular vectors of a large sparse matrix. */
#ifndef F0T_MATH_SVD_H
#define F0T_MATH_SVD_H

#include "math/sparse.h"

typedef struct f0t_svd_options {
    size_t oversampling; /* columns beyond those asked for that take part */
    size_t rounds;       /* of subspace iteration: each is two sparse products */
    uint64_t seed;
    const f0t_monitor *monitor;
} f0t_svd_options;

/*
 * Randomised subspace iteration (Halko, Martinsson and Tropp, SIAM Review 2011): the d leading right
 * singular vectors of A as the columns of v[cols x d], and their singular values s[d], descending.
 * Where A has a smaller rank the rest of both is 0. The same bytes with any number of threads.
 */
f0t_status f0t_sparse_svd(float *v, float *s, const f0t_sparse *a, size_t d,
                          const f0t_svd_options *options);

#endif
