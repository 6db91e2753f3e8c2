/*
 * What the confidences of a calibrated method are worth on the test images: whether they are true, and how
 * good the sets are that they choose. An image's set is the tags whose confidence reaches a threshold, which
 * the validation images choose: the one with the best pooled F1. Where some of the tags were not learned, what
 * is true of them on validation images is not looked at: the confidences then say what F1 to expect.
 */
#ifndef F0T_EVAL_RELIABILITY_H
#define F0T_EVAL_RELIABILITY_H

#include "eval/metrics.h"
#include "eval/task.h"
#include "model/confidence.h"

enum { F0T_FIRST_TAGS = 5, F0T_CURVE_POINTS = F0T_RISK_GRID / 4 };

/* Which pairs of image and tag a reliability is about. */
typedef enum f0t_reliability_part {
    F0T_ALL_PAIRS,   /* most of which nobody would ever be shown */
    F0T_FIRST_PAIRS, /* the F0T_FIRST_TAGS first tags of each image */
    F0T_RELIABILITY_PARTS
} f0t_reliability_part;

/* What plots show. */
typedef struct f0t_reliability_curves {
    size_t bin_counts[F0T_RELIABILITY_PARTS];
    f0t_reliability_bin bins[F0T_RELIABILITY_PARTS][F0T_RELIABILITY_BINS];
    f0t_prf sets[F0T_CURVE_POINTS]; /* pooled, by threshold f0t_curve_threshold(i) */
} f0t_reliability_curves;

double f0t_curve_threshold(size_t i);

typedef struct f0t_eval_reliability f0t_eval_reliability;

/* Lets the method score the validation images of the dataset, to choose the threshold for the tags of
 * `test`. */
f0t_status f0t_eval_reliability_create(f0t_eval_reliability **out, const f0t_eval_split *test,
                                       const f0t_eval_fit *fit);
void f0t_eval_reliability_free(f0t_eval_reliability *reliability);

/* Adds test images. */
f0t_status f0t_eval_reliability_add(f0t_eval_reliability *reliability, const f0t_ranking *block);
void f0t_eval_reliability_get(f0t_confidence_values *values, f0t_reliability_curves *curves,
                              const f0t_eval_reliability *reliability);

#endif
