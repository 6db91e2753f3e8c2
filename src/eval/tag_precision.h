/*
 * Average precision of tags: the images are ranked for each tag by their scores, equal ones by image
 * order. The ranks of a tag's relevant images are known only when all scores are, so these are kept
 * (f0t_spill) and passed over a second time, each score being put between those of the relevant
 * images by bisection: n log p for n scores.
 */
#ifndef F0T_EVAL_TAG_PRECISION_H
#define F0T_EVAL_TAG_PRECISION_H

#include "eval/spill.h"
#include "rank/miap.h"

typedef struct f0t_tag_precision {
    size_t tags;
    f0t_spill scores;
    uint32_t *relevant_tags; /* the relevant (tag, image) pairs, in the order they came */
    uint32_t *relevant_images;
    size_t pairs, tag_capacity, image_capacity;
} f0t_tag_precision;

/* Up to `limit` bytes of scores stay in memory. */
f0t_status f0t_tag_precision_create(f0t_tag_precision *p, size_t images, size_t tags, size_t limit);
void f0t_tag_precision_free(f0t_tag_precision *p);
f0t_status f0t_tag_precision_add(f0t_tag_precision *p, const f0t_ranking *block);

/* The sum of the average precisions of tags that have a relevant image, and how many these are. */
f0t_status f0t_tag_precision_get(double *sum, size_t *occurring, const f0t_tag_precision *p);

#endif
