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

/* The mean in each of the samples: of images and, where there is more than one, of draws at the same time (Owen
 * 2007: too wide rather than too narrow; but two or three draws say little about others). NaN where no image of a
 * sample has a score. */
void f0t_scores_resample(double means[F0T_RESAMPLES], const f0t_scores *scores,
                         const f0t_resamples *resamples);

/* The bootstrap interval (Efron 1979) that has 95 % of the values, which are put into order; NaN, NaN where none
 * is a number. */
void f0t_resampled_interval(double *low, double *high, double values[F0T_RESAMPLES]);
/* Twice the share of the samples on the other side of 0 than most: the chance of a difference as large if there
 * were none. At least 2 / (F0T_RESAMPLES + 1). */
double f0t_resampled_p(const double differences[F0T_RESAMPLES]);

/* The paired permutation test: the chance of a difference of means as large as that of a and b, either way,
 * if for each image it were a coin's toss which of the two methods has which score. Over F0T_FLIPS tosses of all
 * coins, itself included: at least 1 / (F0T_FLIPS + 1). NaN where no image has a score of both; both have the
 * same shape. */
enum { F0T_FLIPS = 1999 };
f0t_status f0t_scores_compare(double *p, const f0t_scores *a, const f0t_scores *b, uint64_t seed);

/* The same over draws instead of images: of each draw, whose means differ so much, a coin decides. It says whether
 * other draws would show the difference; five draws cannot say less than 1/16. Exact up to F0T_DRAWS_EXACT
 * draws. NaN for fewer than two. */
enum { F0T_DRAWS_EXACT = 12 };
f0t_status f0t_draws_compare(double *p, const f0t_scores *a, const f0t_scores *b, uint64_t seed);

/* Holm's correction (1979) of p[count], in place: what remains below 0.05 holds with 95 % for all of them
 * together. NaN are no tests. */
f0t_status f0t_holm(double *p, size_t count);

#endif
