/* Sparse matrices, row by row, and their products with dense ones. Results do not depend on the
 * number of threads. */
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

#endif
