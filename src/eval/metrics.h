/*
 * How good rankings are. Scores come block by block; where some are equal, metrics are expectations over
 * the orders that they may have. docs/evaluation.md has the formulas.
 *
 *     f0t_metrics *metrics;
 *     f0t_metrics_create(&metrics, tags, images, cutoffs, 2, NULL)
 *     f0t_metrics_add(metrics, &block)   for each block
 *     f0t_metrics_get(&values, metrics)
 */
#ifndef F0T_EVAL_METRICS_H
#define F0T_EVAL_METRICS_H

#include "eval/retrieval.h"

enum { F0T_CUTOFFS_MOST = 8 };

/* Precision, recall and F1, each 0 … 1. Here and below NaN is what is not defined: a mean over
 * nothing, recall where nothing is relevant, and F1 without either. */
typedef struct f0t_prf {
    double p, r, f;
} f0t_prf;

/* Of the seen tags, or the unseen ones, in the ranking of both. */
typedef struct f0t_kind_values {
    f0t_prf pooled;
    double class_r; /* mean over these tags */
} f0t_kind_values;

/* The first K tags of every image are its predictions. */
typedef struct f0t_cutoff_values {
    size_t k;
    f0t_prf pooled;           /* P = Σ hits / (K M), R = Σ hits / Σ |Y|, over all M images */
    f0t_prf pooled_tagged;    /* over images that have a relevant tag */
    f0t_prf class_all;        /* means over tags; a tag that is never predicted has precision 0 */
    f0t_prf class_predicted;  /* such a tag is left out of the mean of the precisions */
    f0t_prf class_tagged;     /* as class_all, over images that have a relevant tag */
    double n_plus;            /* tags with a hit */
    f0t_kind_values kinds[2]; /* unseen, seen; here and below NaN without two kinds */
    double harmonic_f, harmonic_class_r; /* harmonic means of the two kinds */
    double area;                         /* under the seen-unseen curve (eval/stacking.h) */
} f0t_cutoff_values;

typedef struct f0t_metric_values {
    size_t images, tagged;  /* all; with a relevant tag */
    size_t tags, occurring; /* all; with a relevant image */
    double miap;            /* over images that have a relevant tag */
    double miap_all;        /* the others count 0 */
    double map;     /* mean over tags of the average precision of their images; tags without one
                        are left out */
    double map_all; /* those count 0 */
    double map_interpolated, map_eleven; /* eval/retrieval.h */
    /* As scikit-learn defines them, over images that have a relevant tag. Coverage is a number of tags, and
     * it and the loss are the better the smaller. */
    double ndcg, coverage, ranking_loss, lrap;
    double seen_miap, unseen_miap; /* with the relevant tags of one kind alone, in the ranking of
                                      both; NaN without two kinds */
    double harmonic_miap;          /* their harmonic mean */
    size_t cutoff_count;
    f0t_cutoff_values cutoffs[F0T_CUTOFFS_MOST];
} f0t_metric_values;

/* Of methods whose scores are logits of probabilities: eval/reliability.h. */
typedef struct f0t_confidence_values {
    double ece,
        ece_first;    /* expected calibration error: all pairs, the first five tags of images */
    double brier;     /* of all pairs */
    double threshold; /* that chooses sets, 0 … 1 */
    double tags;      /* in a set, mean over images */
    f0t_prf sets;     /* pooled */
} f0t_confidence_values;

typedef struct f0t_metrics f0t_metrics;

/* cutoffs[count] are the K, each above 0. `images` is how many will come. Scores are kept for the
 * average precision of tags: in memory, or beyond 384 MB in a temporary file. seen[tags] says which tags
 * were learned; NULL: it makes no difference. */
f0t_status f0t_metrics_create(f0t_metrics **out, size_t tags, size_t images, const size_t *cutoffs,
                              size_t count, const bool *seen);
void f0t_metrics_free(f0t_metrics *metrics);

/* Adds images; all their `tags` columns are ranked (block->columns is NULL). Fails with
 * F0T_ERROR_NUMERIC when a score is NaN. */
f0t_status f0t_metrics_add(f0t_metrics *metrics, const f0t_ranking *block);
f0t_status f0t_metrics_get(f0t_metric_values *out, const f0t_metrics *metrics);
/* The average precision of each image that came, 0 … 1 or F0T_NOT_RANKED. */
const double *f0t_metrics_precisions(const f0t_metrics *metrics);
/* Of each tag, after f0t_metrics_get. */
const f0t_retrieval_values *f0t_metrics_tags(const f0t_metrics *metrics);

#endif
