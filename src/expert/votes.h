/*
 * Neighbours' votes: the score of a tag is the share of the k nearest training images that have it, each
 * counted by its nearness:
 *
 *     p_t = Σ_j w_j y_jt,    w = softmax(β cos_j)
 *
 * The metric is metric.h's with the first axes only. Rows are kept as bytes: neighbours are found by products of
 * integers, which are exact in every order of summation, so that a row's scores do not depend on the rows beside it.
 */
#ifndef F0T_EXPERT_VOTES_H
#define F0T_EXPERT_VOTES_H

#include "base/status.h"

/* Axes of the metric, and training images that are kept, at most. Products of F0T_VOTES_AXES signed bytes stay
 * below 2^24: exact also where they are summed in float32. */
enum { F0T_VOTES_AXES = 128, F0T_VOTES_IMAGES = 20000 };

typedef struct f0t_votes {
    size_t images;   /* M */
    size_t features; /* D */
    size_t dim;      /* axes of the metric, at most F0T_VOTES_AXES */
    size_t tags;     /* T */
    float *map;      /* [dim x D] of the metric */
    float *shift;    /* [dim] */
    int8_t *rows;    /* [M x dim] the mapped images, each times a factor of its own */
    float *scales;   /* [M] one over the length of the image's bytes; 0 for a row of zeros */
    size_t *offsets; /* [M + 1] image i has the tags relevant[offsets[i]] … before offsets[i + 1] */
    uint32_t *relevant; /* each below T */
    size_t k;           /* from 1 to M */
    double sharpness;   /* β */
} f0t_votes;

/* From rows[count x D] of length 1 with their tags; count and D are at least 1. Of more than F0T_VOTES_IMAGES, so
 * many evenly spaced ones vote. k (20, 50, 100 or 200, at most a third of the images) and β (0, 5, 10 or 15) are
 * those with the least squared error, leaving one out, over at most 2,000 images. `monitor` may be NULL. */
f0t_status f0t_votes_fit(f0t_votes **out, const float *rows, size_t count, size_t features,
                         const size_t *offsets, const uint32_t *relevant, size_t tags,
                         const f0t_monitor *monitor);
void f0t_votes_free(f0t_votes *votes);

/* out[rows x T] of features[rows x D] of any length. A row with NaN or infinity gets NaN. */
f0t_status f0t_votes_score(float *out, const f0t_votes *votes, const float *features, size_t rows);

/* ---- For the fit -------------------------------------------------------------------------------- */

/* features[rows x D] become bytes[rows x dim] and scales[rows]. */
f0t_status f0t_votes_bytes(int8_t *bytes, float *scales, const f0t_votes *votes,
                           const float *features, size_t rows);

/* The nearest images of rows that are bytes[rows x dim]: index and value are [rows x k] with k at most M, nearest
 * first; a value is the product with the image's scale. Row r does not see image skip[r]; skip may be NULL. */
f0t_status f0t_votes_nearest(uint32_t *index, float *value, const f0t_votes *votes,
                             const int8_t *bytes, size_t rows, size_t k, const uint32_t *skip);

#endif
