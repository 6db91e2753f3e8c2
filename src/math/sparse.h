/* Sparse matrices, row by row, their products with dense ones, and their leading singular vectors. Results do
 * not depend on the number of threads. */
#ifndef F0T_MATH_SPARSE_H
#define F0T_MATH_SPARSE_H

#include "base/status.h"

/* Row i has value[k] in column[k] for k in [begin[i], begin[i + 1]). */
typedef struct f0t_sparse {
    size_t rows, cols;
    size_t *begin;    /* [rows + 1] */
    uint32_t *column; /* each below cols */
    float *value;
} f0t_sparse;

/* Room for `count` entries. The caller fills it. */
f0t_status f0t_sparse_create(f0t_sparse *out, size_t rows, size_t cols, size_t count);
void f0t_sparse_clear(f0t_sparse *matrix);

f0t_status f0t_sparse_transpose(f0t_sparse *out, const f0t_sparse *a);

/* c[rows x n] = A · b[cols x n] */
void f0t_sparse_multiply(float *c, const f0t_sparse *a, const float *b, size_t n);

/* ---- The leading singular vectors ------------------------------------------------------------ */

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
