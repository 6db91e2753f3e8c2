/*
 * How near an image is to each of some training images, the landmarks:
 *
 *     k_j(x) = exp(-s (1 - cos(x, l_j)))
 *
 * in the metric of the votes (votes.h), which keep those images: what a linear map of k can say of a tag is no plane through
 * the features, but a sum of hills around images (Williams and Seeger, "Using the Nyström method to speed up kernel
 * machines", NIPS 2000). s is 2 over the mean of 1 - cos among the landmarks.
 */
#ifndef F0T_EXPERT_LANDMARKS_H
#define F0T_EXPERT_LANDMARKS_H

#include "expert/metric.h"
#include "expert/votes.h"

enum { F0T_LANDMARKS_MOST = 2048 };

typedef struct f0t_landmarks {
    size_t count;      /* L */
    uint32_t *images;  /* [L] their numbers among the votes' images */
    f0t_metric metric; /* its arrays are the votes' */
    float *points;     /* [L x dim] of length 1 */
    double sharpness;  /* s */
} f0t_landmarks;

/* At most F0T_LANDMARKS_MOST of the votes' images, evenly spaced. The votes outlive them. */
f0t_status f0t_landmarks_create(f0t_landmarks **out, const f0t_votes *votes);
/* These images, each one of the votes'; count is at least 1. */
f0t_status f0t_landmarks_place(f0t_landmarks **out, const f0t_votes *votes, const uint32_t *images,
                               size_t count);
void f0t_landmarks_free(f0t_landmarks *landmarks);

/* out[rows x L] of features[rows x D] of any length. A row with NaN or infinity gets NaN. */
f0t_status f0t_landmarks_near(float *out, const f0t_landmarks *landmarks, const float *features,
                              size_t rows);
/* Of the landmarks to each other, out[L x L]. */
f0t_status f0t_landmarks_among(float *out, const f0t_landmarks *landmarks);

#endif
