/*
 * Ridge regression onto the tags' indicators: with features x and indicators y of the images, both centred, the
 * weights of a tag are those with the least
 *
 *     Σ_i (y_i - w·x_i)² + λ |w|²
 *
 * and its score is w·(x - mean) plus the tag's frequency: near the probability of the tag, not bound to [0, 1].
 * x are an image's features, or how near it is to landmarks (landmarks.h): then it is the regression with the kernel
 * exp(-s (1 - cos)).
 */
#ifndef F0T_EXPERT_RIDGE_H
#define F0T_EXPERT_RIDGE_H

#include "expert/landmarks.h"

/* Of many tags the weights are W = L R with a small rank: what they say of the training images is as near in squares
 * as that rank allows (reduced-rank regression: Izenman, Journal of Multivariate Analysis 1975). */
typedef struct f0t_ridge {
    size_t features; /* D; the landmarks' number, where there are some */
    size_t tags;     /* T */
    size_t rank;     /* r; 0: full */
    float *mean;     /* [D] */
    float *map;      /* [r x D] R; NULL where full */
    float *weights;  /* [T x r] L, or [T x D] W */
    float *base;     /* [T] the share of the images with the tag */
    double lambda;
    f0t_landmarks *landmarks; /* NULL: x are the features */
} f0t_ridge;

/* From rows[count x D] of length 1; image i has the tags relevant[offsets[i]] … before offsets[i + 1], each once and
 * below `tags`. count and D are at least 1. λ is 0.1, 0.3, 1, 3 or 10 times the mean eigenvalue of the centred
 * features' XᵀX, but at least half of the images' mean squared length, whatever one image says is then shrunk by a third: the
 * smallest whose generalised cross-validation error (Golub, Heath and Wahba, Technometrics 1979) over the 500 most
 * frequent tags is within 2.5 % of the least, for ranks lose more by shrinking than squares do. The rank is F0T_RIDGE_RANK where that makes less than half of the work.
 * `monitor` may be NULL. The weights are the same bytes for any number of threads. */
enum { F0T_RIDGE_RANK = 256 };
f0t_status f0t_ridge_fit(f0t_ridge **out, const float *rows, size_t count, size_t features,
                         const size_t *offsets, const uint32_t *relevant, size_t tags,
                         const f0t_monitor *monitor);
size_t f0t_ridge_usual_rank(size_t features, size_t tags);
/* From nearness to the votes' landmarks, of the images and tags that the votes are of. The votes outlive it. */
f0t_status f0t_ridge_fit_near(f0t_ridge **out, const f0t_votes *votes, const float *rows,
                              size_t count, const size_t *offsets, const uint32_t *relevant,
                              const f0t_monitor *monitor);
/* As f0t_ridge_fit with this rank, at most that of the features; 0: full. */
f0t_status f0t_ridge_fit_rank(f0t_ridge **out, const float *rows, size_t count, size_t features,
                              const size_t *offsets, const uint32_t *relevant, size_t tags,
                              size_t rank, const f0t_monitor *monitor);
void f0t_ridge_free(f0t_ridge *ridge);

/* out[rows x T] of features[rows x D] of any length. A row with NaN or infinity gets NaN. */
f0t_status f0t_ridge_score(float *out, const f0t_ridge *ridge, const float *features, size_t rows);

/* What the last product of a score takes, into inner[rows x r], or [rows x D] where the rank is full: the score of a
 * tag is inner · weights + base. */
f0t_status f0t_ridge_inner(float *inner, const f0t_ridge *ridge, const float *features,
                           size_t rows);

#endif
