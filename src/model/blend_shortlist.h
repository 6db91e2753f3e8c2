/*
 * The first learned tags of a blend that has thousands of them, without scoring all: the same tags, with the same
 * scores but for rounding.
 *
 * The most frequent tags are scored by every expert, and the k-th of them is a limit. Each expert's score of a tag is a
 * product with a vector of the tag, and a function that does not fall. So for the rare ones a screen bounds the products
 * from above (compute/screen.h), the bounds make one of p = Σ w_e p_e, and only the few tags whose p may pass the limit are
 * scored themselves.
 */
#ifndef F0T_MODEL_BLEND_SHORTLIST_H
#define F0T_MODEL_BLEND_SHORTLIST_H

#include "model/blend.h"

/* Tags that a blend has at least, and that may be asked for at most. */
enum { F0T_SHORTLIST_TAGS = 2048, F0T_SHORTLIST_MOST = 64 };

typedef struct f0t_shortlist f0t_shortlist;

/* *out stays NULL where all tags are to be scored: there are too few of them, or the bounds do not hold for a blend
 * with these numbers. The blend must stay. */
f0t_status f0t_shortlist_create(f0t_shortlist **out, const f0t_blend *blend);
void f0t_shortlist_free(f0t_shortlist *shortlist);

/* The first k of the learned tags for each of features[rows x D] of any length, and their logits, [rows x k]: larger
 * ones first, equal ones by their number. k is at most F0T_SHORTLIST_MOST. `net` NULL: the blend's. */
f0t_status f0t_shortlist_top(uint32_t *tag, float *logit, size_t k, const f0t_shortlist *shortlist,
                             const f0t_net *net, const float *features, size_t rows);

#endif
