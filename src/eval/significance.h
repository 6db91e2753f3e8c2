/*
 * What chance has to do with a result. A method has a score for each test image (its average precision) in
 * each repeat of the comparison; its value is the mean over the images of a repeat, and then over the repeats.
 */
#ifndef F0T_EVAL_SIGNIFICANCE_H
#define F0T_EVAL_SIGNIFICANCE_H

#include "base/status.h"

/* scores[draws x images], 0 … 1; NaN: this image has none in this draw. */
typedef struct f0t_scores {
    size_t draws, images;
    const double *scores;
} f0t_scores;

double f0t_scores_mean(const f0t_scores *scores);

/* How often each image and each draw is taken in each of F0T_RESAMPLES samples with replacement: the same for
 * all methods, which makes their intervals comparable. */
enum { F0T_RESAMPLES = 1000 };
typedef struct f0t_resamples {
    size_t draws, images;
    uint16_t *draw_counts;  /* [F0T_RESAMPLES x draws] */
    uint16_t *image_counts; /* [F0T_RESAMPLES x images] */
} f0t_resamples;

f0t_status f0t_resamples_create(f0t_resamples *out, size_t draws, size_t images, uint64_t seed);
void f0t_resamples_free(f0t_resamples *resamples);

/* The bootstrap interval (Efron 1979) that has 95 % of the means of such samples: of images and, where there is
 * more than one, of draws at the same time (Owen 2007: too wide rather than too narrow; but two or three
 * draws say little about others). NaN where no image has a score. */
void f0t_scores_interval(double *low, double *high, const f0t_scores *scores,
                         const f0t_resamples *resamples);

/* The paired permutation test: the chance of a difference of means as large as that of a and b, either way,
 * if for each image it were a coin's toss which of the two methods has which score. Over F0T_FLIPS tosses of all
 * coins, itself included: at least 1 / (F0T_FLIPS + 1). NaN where no image has a score of both; both have the
 * same shape. */
enum { F0T_FLIPS = 1999 };
f0t_status f0t_scores_compare(double *p, const f0t_scores *a, const f0t_scores *b, uint64_t seed);

#endif
