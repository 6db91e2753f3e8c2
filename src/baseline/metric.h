/*
 * The distance that neighbours are near by. Features are turned to their principal axes, centred, and
 * each axis is divided by the fourth root of its variance λ: half way from the Euclidean distance
 * (nothing divided) to Mahalanobis' (√λ). Then they are brought to length 1 again.
 */
#ifndef F0T_BASELINE_METRIC_H
#define F0T_BASELINE_METRIC_H

#include "base/status.h"

typedef struct f0t_metric {
    size_t features; /* D */
    float *map;      /* [D x D] */
    float *shift;    /* [D] minus the mean, mapped */
} f0t_metric;

/* From rows[count x D]. */
f0t_status f0t_metric_create(f0t_metric **out, const float *rows, size_t count, size_t features,
                             const f0t_monitor *monitor);
void f0t_metric_free(f0t_metric *metric);

/* rows[count x D] become to[count x D]. */
f0t_status f0t_metric_apply(const f0t_metric *metric, float *to, const float *rows, size_t count);

#endif
