/*
 * Tags as queries: all images are ranked for a tag by its scores. The ranks of a tag's relevant images are
 * known only when all scores are, so these are kept (f0t_spill) and passed over a second time, each
 * score being put between those of the relevant images by bisection: n log p for n scores.
 */
#ifndef F0T_EVAL_RETRIEVAL_H
#define F0T_EVAL_RETRIEVAL_H

#include "eval/spill.h"
#include "rank/miap.h"

typedef struct f0t_retrieval {
    size_t tags;
    f0t_spill scores;
    uint32_t *relevant_tags; /* the relevant (tag, image) pairs, in the order they came */
    uint32_t *relevant_images;
    size_t pairs, tag_capacity, image_capacity;
} f0t_retrieval;

/* Of one tag, 0 … 1; all F0T_NOT_RANKED for a tag without a relevant image. */
typedef struct f0t_retrieval_values {
    double precision; /* average precision, not interpolated; in expectation over equal scores */
    /* With the precision at a recall replaced by the best one at that recall or a higher one: the mean over
     * the relevant images, and over the recalls 0, 0.1, … 1 (VOC 2007). Images with equal scores come
     * together. */
    double interpolated, eleven;
} f0t_retrieval_values;

/* For `images` of them; up to `limit` bytes of scores stay in memory. */
f0t_status f0t_retrieval_create(f0t_retrieval *out, size_t images, size_t tags, size_t limit);
void f0t_retrieval_free(f0t_retrieval *retrieval);
/* All tags of the block are ranked; no score is NaN. */
f0t_status f0t_retrieval_add(f0t_retrieval *retrieval, const f0t_ranking *block);
/* Into out[tags]. */
f0t_status f0t_retrieval_get(f0t_retrieval_values *out, const f0t_retrieval *retrieval);

#endif
