/*
 * The tags' side of wsabie: the vectors w_t that are trained beside U, and the objective of both.
 */
#ifndef F0T_BASELINE_WSABIE_H
#define F0T_BASELINE_WSABIE_H

#include "baseline/losses.h"
#include "compute/optimizer.h"
#include "model/trainer.h"

typedef struct f0t_wsabie_tags {
    f0t_warp_loss *warp;
    f0t_optimizer optimizer;
    size_t tags, dim, features, batch;
    double norm;             /* C */
    float *w;                /* [T x m] */
    float *m, *v;            /* the optimiser's */
    float *best;             /* [T x m] */
    float *dw;               /* [T x m] gradient of the last loss */
    float *scores, *dscores; /* [batch x T] */
    float *map;              /* [m x D] U */
    double *factors;         /* [D] */
} f0t_wsabie_tags;

/* Sizes T, m, D, the most rows of a mini-batch, and C; w begins normal with variance 1/m. */
f0t_status f0t_wsabie_tags_create(f0t_wsabie_tags *out, size_t tags, size_t dim, size_t features,
                                  size_t batch, double norm, uint64_t seed);
void f0t_wsabie_tags_free(f0t_wsabie_tags *tags);

/* For a net that is U: no hidden layer, no bias. */
f0t_objective f0t_wsabie_tags_objective(f0t_wsabie_tags *tags);

#endif
