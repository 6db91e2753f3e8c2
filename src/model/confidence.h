/*
 * How sure a tag is. A confidence is the probability that a person would keep the tag; its logit is what
 * a calibrated method scores. Here: whether confidences are what they say (f0t_reliability), and which
 * threshold keeps a promise about the tags that reach it (f0t_risk_curve).
 */
#ifndef F0T_MODEL_CONFIDENCE_H
#define F0T_MODEL_CONFIDENCE_H

#include "model/samples.h"

/* The probability of a logit, and back; a logit is cut off at ±F0T_LOGIT_MOST. */
enum { F0T_LOGIT_MOST = 25 };
double f0t_confidence_of_logit(double logit);
double f0t_logit_of_confidence(double confidence);

/* ---- Reliability --------------------------------------------------------------------------- */

/* Pairs of an image and a tag, in narrow cells by their logit: what follows needs no more of them. Starts
 * with all zero; 100 KB, so nothing for a stack. */
enum { F0T_RELIABILITY_CELLS = 2 * F0T_LOGIT_MOST * 64 };
typedef struct f0t_reliability {
    double pairs[F0T_RELIABILITY_CELLS];
    double right[F0T_RELIABILITY_CELLS];      /* of them relevant */
    double logit[F0T_RELIABILITY_CELLS];      /* the sum */
    double confidence[F0T_RELIABILITY_CELLS]; /* the sum */
    double squares;                           /* Σ (confidence − relevant)² over all */
} f0t_reliability;

void f0t_reliability_add(f0t_reliability *to, double logit, bool right);
/* All pairs: logits[truth->count x truth->tags]. Fails with F0T_ERROR_NUMERIC at a NaN. */
f0t_status f0t_reliability_add_all(f0t_reliability *to, const float *logits,
                                   const f0t_samples *truth);

/* The pairs by rising confidence in bins of equally many. A cell stays whole: a bin may have more or
 * fewer where confidences are equal. Returns how many are not empty, the first of `out`. */
enum { F0T_RELIABILITY_BINS = 15 };
typedef struct f0t_reliability_bin {
    double pairs;
    double confidence; /* mean */
    double right;      /* share */
} f0t_reliability_bin;
size_t f0t_reliability_bins(f0t_reliability_bin out[F0T_RELIABILITY_BINS],
                            const f0t_reliability *from);

/* Expected calibration error: the mean over pairs of |confidence − right| of their bin. NaN without a
 * pair; so is the mean squared error of the confidences, the Brier score. */
double f0t_reliability_error(const f0t_reliability *from);
double f0t_reliability_brier(const f0t_reliability *from);

/* ---- Promises ------------------------------------------------------------------------------ */

/*
 * A threshold gives an image the set of tags whose confidence reaches it. On held-out images, for each
 * threshold of a fixed grid:
 */
enum { F0T_RISK_GRID = 256 };
typedef struct f0t_risk_curve {   /* plain numbers of one type, for a file to keep as it is */
    double images;                /* held-out images */
    double truths;                /* of them with a relevant tag */
    double relevant;              /* relevant tags of all of them */
    double tagged[F0T_RISK_GRID]; /* images whose set is not empty */
    double
        wrong[F0T_RISK_GRID]; /* mean over these of the share of their set that is not relevant */
    double
        missed[F0T_RISK_GRID]; /* mean over `truths` of the share of relevant tags not in the set */
    double written[F0T_RISK_GRID]; /* tags in all sets */
    double right[F0T_RISK_GRID];   /* of them relevant */
} f0t_risk_curve;

/* Threshold g of the grid, ascending: 0, then equal steps of the logit from 0.001 to 0.999. */
double f0t_risk_grid(size_t g);
/* The highest of its thresholds that this confidence reaches, as floats. */
size_t f0t_risk_place(float confidence);

/* confidence[truth->count x truth->tags], 0 … 1. Fails with F0T_ERROR_NUMERIC at a NaN. */
f0t_status f0t_risk_curve_fit(f0t_risk_curve *out, const float *confidence,
                              const f0t_samples *truth);
/* Whether f0t_risk_curve_fit can have made it: for curves from a file. */
bool f0t_risk_curve_is_valid(const f0t_risk_curve *curve);

/* Pooled over all images, for display: of the tags in sets those that are relevant, of the relevant tags
 * those in a set. NaN where there is none. */
double f0t_risk_pooled_precision(const f0t_risk_curve *curve, size_t g);
double f0t_risk_pooled_recall(const f0t_risk_curve *curve, size_t g);

/*
 * The lowest threshold with a promise about images like the held-out ones: of the images that get a tag
 * at all, each counted once, the mean share of right tags is at least `target`. Images that get none count
 * neither way: else a threshold that few reach could keep any promise. The promise fails with a probability
 * of at most 1 − level over the draw of the held-out images, however many there are and whatever the
 * confidences are worth. Learn then test (Angelopoulos, Bates, Candès, Jordan, Lei 2021): the hypothesis
 * that a threshold breaks the promise is tested with the p-value of Hoeffding and Bentkus, thresholds from
 * high to low by the fallback procedure (Wiens, Dmitrienko 2005), which begins at three places that depend on
 * `target` alone.
 *
 * Pooled over all tags, precision can differ from this mean; images with many sure tags lift it, as a rule.
 *
 * Fails with F0T_ERROR_UNSUPPORTED when no threshold passes, and says what can be promised with these images
 * and about how many would do.
 */
f0t_status f0t_risk_threshold_precision(float *threshold, const f0t_risk_curve *curve,
                                        double target, double level);

/* The highest threshold with the promise that images with a relevant tag get on average at least a share of
 * `target` of their relevant tags. Tested from low to high; else as above. */
f0t_status f0t_risk_threshold_recall(float *threshold, const f0t_risk_curve *curve, double target,
                                     double level);

/* An upper bound of the chance that `count` independent losses in [0, 1] have a mean of at most `mean` if
 * their expectation is above `bound`. */
double f0t_risk_p_value(double mean, double count, double bound);

#endif
