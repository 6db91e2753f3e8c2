/* The distinct rules of a dataset: many images have the same tags, and each rule is solved once. */
#ifndef F0T_RANK_RULES_H
#define F0T_RANK_RULES_H

#include "base/status.h"

#define F0T_NO_RULE UINT32_MAX /* of an image without a relevant tag */
#define F0T_NO_TAG UINT32_MAX  /* of a tag that is not in the subset */

/* Tag sets of images as the dataset has them: those of image m are indices in the half-open range
 * [offsets[m], offsets[m + 1]), in any order, repeated or not, each below `tags`. */
typedef struct f0t_tag_sets {
    const size_t *offsets; /* [images + 1] */
    const uint32_t *indices;
    size_t images;
    size_t tags;
} f0t_tag_sets;

/* Rule r: the tags are relevant in [offsets[r], offsets[r + 1]), ascending, each once; all other tags
 * below `tags` are irrelevant. Its images, ascending, are images in [firsts[r], firsts[r + 1]). Rules
 * stand in the order of their first images. */
typedef struct f0t_rules {
    size_t tags;  /* T, the size of the subset */
    size_t count; /* R */
    size_t image_count;
    size_t *offsets;    /* [R + 1] */
    uint32_t *relevant; /* [offsets[R]] */
    size_t *firsts;     /* [R + 1] */
    uint32_t *images;   /* [firsts[R]] */
    uint32_t *of_image; /* [image_count], F0T_NO_RULE where no tag of the subset is relevant */
} f0t_rules;

/* The rules over a subset of the tags: tag t has the number number[t] below `subset` there, or
 * F0T_NO_TAG. With `number` NULL the subset is all tags. Takes time and memory in proportion to the
 * images and their tags, whatever they are. */
f0t_status f0t_rules_create(f0t_rules **out, const f0t_tag_sets *sets, const uint32_t *number,
                            size_t subset);
void f0t_rules_free(f0t_rules *rules);

#endif
