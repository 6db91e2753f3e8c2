/*
 * t-SNE: a picture in the plane in which points that are near each other in many dimensions stay
 * near. Sources: van der Maaten and Hinton, "Visualizing Data using t-SNE", JMLR 9 (2008), the exact
 * form; van der Maaten, "Accelerating t-SNE using Tree-Based Algorithms", JMLR 15 (2014), Barnes-Hut.
 * The start is the caller's (principal components keep the large structure), the learning rate is
 * that of Belkina et al., Nature Communications 10 (2019).
 */
#ifndef F0T_EVAL_TSNE_H
#define F0T_EVAL_TSNE_H

#include "base/status.h"

/* Zero-initialise for 30 neighbours, 1000 steps, exact up to 2500 points, cells seen under 0.5. */
typedef struct f0t_tsne_options {
    double perplexity; /* how many neighbours count, about; fewer where there are few points */
    size_t steps;
    size_t exact; /* up to so many points all pairs are computed; above, Barnes-Hut */
    double
        theta; /* Barnes-Hut: a cell counts as one point when its size / distance is below this */
} f0t_tsne_options;

/* Moves x[n], y[n] from where they are, two different columns of any scale, to the picture of
 * points[n x dims]. Same input, same bytes, for any number of threads. *divergence (may be NULL) is
 * the Kullback-Leibler divergence that is left. */
f0t_status f0t_tsne_run(float *x, float *y, double *divergence, const float *points, size_t n,
                        size_t dims, const f0t_tsne_options *options, const f0t_monitor *monitor);

/* ---- Inside: likeness ------------------------------------------------------------------------------ */

/* p_ij, symmetric, its sum 1: all of them, or for each point those of some neighbours. */
typedef struct f0t_likeness {
    size_t count;
    float *all;       /* [count x count]; NULL: the lists */
    size_t *offsets;  /* [count + 1] the neighbours of i are others[offsets[i], offsets[i + 1]), */
    uint32_t *others; /* ascending */
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

/* ---- Inside: forces ---------------------------------------------------------------------------------- */

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
