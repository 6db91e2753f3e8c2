/* What was measured of a method in a scenario, as numbers with names: those of `eval --json`. */
#ifndef F0T_EVAL_VALUES_H
#define F0T_EVAL_VALUES_H

#include "eval/metrics.h"

enum { F0T_VALUES_MOST = 256, F0T_VALUE_NAME_MOST = 40, F0T_VALUES_FOLDS = 5 };

typedef struct f0t_values {
    size_t count;
    char names[F0T_VALUES_MOST][F0T_VALUE_NAME_MOST]; /* "miap", "p3", … */
    double values[F0T_VALUES_MOST];                   /* percent, seconds or counts */
} f0t_values;

/* What a result took: besides the metrics. */
typedef struct f0t_eval_cost {
    double tune_s, train_s, test_s; /* all trials; the last fit; scoring the test images */
    double tune_cpu_s;              /* processor time of all trials */
    size_t trials, fits;            /* settings tried, and the fits that took */
    double effort, counted_s;       /* of a trial; of the budget */
    double validation;              /* what tuning reached, 0 … 1; NaN without it */
    double folds[F0T_VALUES_FOLDS]; /* in each fold; only the first fold_count are set */
    size_t fold_count;
} f0t_eval_cost;

/* In the order of the JSON rows: miap, p3 r3 f3 …, class_p3 …, map, train_s, test_s, then the other
 * conventions and what else is known. Metrics become percent. `confidence` is NULL where scores are no
 * probabilities: what it would say is NaN. */
void f0t_values_set(f0t_values *out, const f0t_metric_values *metrics,
                    const f0t_confidence_values *confidence, const f0t_eval_cost *cost);

/* The metrics alone. */
void f0t_values_set_metrics(f0t_values *out, const f0t_metric_values *metrics);

/* The names alone, each with the number 0, for these K. */
void f0t_values_set_names(f0t_values *out, const size_t *cutoffs, size_t count);

void f0t_values_add(f0t_values *out, const char *name, double value);
/* NaN when there is no such value. */
double f0t_values_get(const f0t_values *values, const char *name);

#endif
