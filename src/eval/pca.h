/*
 * Principal components without centring: the directions in which vectors reach farthest from the
 * origin, which is a point of its own for offsets between words (section 3.2 of the paper).
 */
#ifndef F0T_EVAL_PCA_H
#define F0T_EVAL_PCA_H

#include "base/status.h"

/* Sums of products, block by block. */
typedef struct f0t_pca {
    size_t dims;
    double rows;
    double *moments; /* [dims x dims] the lower triangle */
} f0t_pca;

f0t_status f0t_pca_create(f0t_pca *pca, size_t dims);
void f0t_pca_free(f0t_pca *pca);
/* x[rows x dims] */
f0t_status f0t_pca_add(f0t_pca *pca, const float *x, size_t rows);
/* The first `count` components as rows of axes[count x dims], each with its largest number above 0,
 * and values[count], the mean squares along them, descending; *total is the sum over all. The sums
 * are used up. */
f0t_status f0t_pca_finish(float *axes, double *values, double *total, f0t_pca *pca, size_t count);

#endif
