/*
 * Fits of a few numbers to many (image, tag) pairs that were held out: how experts' probabilities are mixed,
 * and how scores become probabilities. Both pull weakly towards given values, so that few pairs change little
 * and many decide.
 */
#ifndef F0T_MODEL_STACKING_H
#define F0T_MODEL_STACKING_H

#include "base/status.h"

enum { F0T_STACKED_MOST = 8 };

/* Pairs: columns[c][i] is what column c says of pair i, truth[i] is 1 where the tag fits the image, else 0. */
typedef struct f0t_pairs_table {
    size_t pairs;
    size_t columns;
    const float *column[F0T_STACKED_MOST];
    const uint8_t *truth;
} f0t_pairs_table;

/* Weights w >= 0 that minimise Σ_i (truth_i − Σ_c w_c column_c,i)² + strength · |w − prior|², into weights[columns].
 * Same bytes for any number of threads. */
void f0t_mixture_fit(double *weights, const double *prior, double strength,
                     const f0t_pairs_table *table);

/* P(truth) = σ(Σ_c w_c column_c + w_last): the w that maximise the likelihood less strength / 2 · |w − prior|²,
 * into weights[columns + 1]. */
void f0t_logistic_fit(double *weights, const double *prior, double strength,
                      const f0t_pairs_table *table);

#endif
