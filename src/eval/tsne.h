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

/* All zero: 30 neighbours, 1000 steps, exact up to 2500 points, cells seen under 0.5. */
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

#endif
