/*
 * The inner loops of the ranking SVM. Compiled once a CPU level.
 *
 * A loss is h with h'(z) = min(k max(0, z), cap). k = 2 and cap = ∞ is the squared hinge; cap = 1
 * is the hinge with its corner rounded over 0 < z < 1/k. Pairs in the zone, where h is curved, are
 * those with 0 < z and k z < cap.
 */
#ifndef F0T_RANK_RANKSVM_KERNELS_H
#define F0T_RANK_RANKSVM_KERNELS_H

#include "base/kernels.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct f0t_svm_loss {
    double k;
    double cap;
} f0t_svm_loss;

/* Over all pairs: Σ h'(z), Σ h'(z) z, Σ h'(z)², Σ max(0, z), and how many are in the zone. */
typedef struct f0t_svm_sums {
    double slope;
    double moment;
    double square;
    double slack;
    double zone;
} f0t_svm_sums;

/* The Laplacian of the graph of the zone's pairs times a vector: yp[i] = Σ xp[i] − xn[j] over the
 * pairs of i in the zone, yn[j] = Σ xn[j] − xp[i]. */
typedef struct f0t_svm_zone {
    const float *p, *n; /* scores, which say what is in the zone */
    size_t np, nn;
    f0t_svm_loss loss;
} f0t_svm_zone;

#endif
