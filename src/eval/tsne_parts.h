/* Inside t-SNE: how alike points are, the forces between their images, and the tree of Barnes-Hut. */
#ifndef F0T_EVAL_TSNE_PARTS_H
#define F0T_EVAL_TSNE_PARTS_H

#include "base/status.h"

/* ---- Likeness ------------------------------------------------------------------------------ */

/* p_ij, symmetric, its sum 1: all of them, or for each point those of some neighbours. */
typedef struct f0t_likeness {
    size_t count;
    float *all;       /* [count x count]; NULL: the lists */
    size_t *offsets;  /* [count + 1] the neighbours of i are others[offsets[i]] up to, without, */
    uint32_t *others; /* others[offsets[i + 1]], ascending */
    float *values;    /* as others */
} f0t_likeness;

/* The widths of the Gaussians are such that `perplexity` neighbours count; with `lists`, the next
 * 3 x perplexity points alone are looked at. */
f0t_status f0t_likeness_create(f0t_likeness *out, const float *points, size_t count, size_t dims,
                               double perplexity, bool lists, const f0t_monitor *monitor);
void f0t_likeness_free(f0t_likeness *likeness);

/* One row: from squared distances to weights whose sum is 1 and whose entropy is log(perplexity);
 * in place. */
void f0t_likeness_row(float *row, size_t count, double perplexity);

/* ---- Forces ---------------------------------------------------------------------------------- */

/* What the others do to a point: Σ p k d and Σ k² d, with d the offset from them and
 * k = 1 / (1 + |d|²), and Σ k. */
typedef struct f0t_pull {
    double near_x, near_y, far_x, far_y, sum;
} f0t_pull;

/* Pulls of all points, exactly; far_* and sum without the point itself. */
void f0t_pulls_exact(f0t_pull *pulls, const float *x, const float *y, const f0t_likeness *likeness);

typedef struct f0t_tree f0t_tree;

f0t_status f0t_tree_create(f0t_tree **out, size_t count);
void f0t_tree_free(f0t_tree *tree);
/* The same by a tree that is built over the points, and the lists of neighbours. */
f0t_status f0t_pulls_tree(f0t_tree *tree, f0t_pull *pulls, const float *x, const float *y,
                          const f0t_likeness *likeness, double theta);

#endif
