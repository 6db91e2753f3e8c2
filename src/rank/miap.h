/*
 * Mean image average precision. The tags of an image are ranked by their scores; its average
 * precision is the mean over its relevant tags of (relevant tags ranked so far) / (tags ranked so far),
 * counted at each relevant tag; where scores are equal, its expectation over their orders
 * (ties.h). The mean goes over images that have a relevant tag.
 */
#ifndef F0T_RANK_MIAP_H
#define F0T_RANK_MIAP_H

#include "compute/compute.h"

/* Start with all zero and add block after block: the result does not depend on the blocks. */
typedef struct f0t_miap {
    double sum;    /* of average precisions */
    size_t ranked; /* images that have a relevant tag */
    size_t images; /* all */
} f0t_miap;

/* The scores of some images and their relevant tags. */
typedef struct f0t_ranking {
    size_t images;
    size_t tags;
    const float *scores;      /* [images x tags] */
    const size_t *offsets;    /* [images + 1] row m has relevant in [offsets[m], offsets[m + 1]): */
    const uint32_t *relevant; /* ascending, distinct, below `tags` */
    const uint32_t *columns;  /* [column_count] the tags that are ranked, ascending and distinct;
                                 NULL: all. Other tags, relevant or not, do not exist. */
    size_t column_count;
} f0t_ranking;

/* Adds these images. Fails with F0T_ERROR_NUMERIC, naming the row, when the score of a ranked tag
 * is NaN, and then adds nothing; infinities are ranked. Same bytes for any number of threads.
 * Memory comes from f0t_workspace_take: repeated calls allocate nothing. */
f0t_status f0t_miap_add(f0t_miap *miap, const f0t_ranking *ranking);

/* The same from the places of their relevant tags, of row m in the half-open range [offsets[m], offsets[m + 1]) -
 * offsets[0]; they are put in order. */
f0t_status f0t_miap_add_places(f0t_miap *miap, f0t_place *places, const size_t *offsets,
                               size_t images);

/* The average precision of each image, 0 … 1, into out[images]; F0T_NOT_RANKED for those without a
 * relevant tag. Fails as f0t_miap_add does. */
#define F0T_NOT_RANKED (-1.0)
f0t_status f0t_miap_each(double *out, const f0t_ranking *ranking);
/* Both at once. */
f0t_status f0t_miap_add_each(f0t_miap *miap, double *out, const f0t_ranking *ranking);

/* The mean, 0 … 1, over images with a relevant tag; and with the others counted as 0. NaN when there
 * is nothing to take the mean of. */
double f0t_miap_get(const f0t_miap *miap);
double f0t_miap_get_all(const f0t_miap *miap);

#endif
