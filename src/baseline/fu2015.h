/* What fu2015 ranks instead of tags: all combinations of a few tags. Number c has tag u where bit u of c
 * is set; 0, which has none, is left out. */
#ifndef F0T_BASELINE_FU2015_H
#define F0T_BASELINE_FU2015_H

#include "base/status.h"

enum { F0T_COMBINED_TAGS = 12 };

/* Prototypes of length 1, the sums of their tags' vectors: to[(2^tags − 1) x dim], combination c in
 * row c − 1. */
f0t_status f0t_combinations_create(float **to, const float *vectors, size_t tags, size_t dim);

/* Probabilities of the combinations are exp(similarity / temperature), brought to a sum of 1; a tag has
 * the sum over the combinations that have it. to[tags] of similarity[2^tags − 1], which is
 * overwritten. */
void f0t_combinations_marginals(float *to, float *similarity, size_t tags, double temperature);

#endif
