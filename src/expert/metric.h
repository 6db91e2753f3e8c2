/*
 * The distance that neighbours are near by. Features are turned to their principal axes, centred, and
 * each axis is divided by the fourth root of its variance λ: half way from the Euclidean distance
 * (nothing divided) to Mahalanobis' (√λ). Then they are brought to length 1 again.
 */
#ifndef F0T_EXPERT_METRIC_H
#define F0T_EXPERT_METRIC_H

#include "base/status.h"

typedef struct f0t_metric {
    size_t features; /* D */
    size_t dim;      /* the axes kept, those of largest variance; at most D */
    float *map;      /* [dim x D] */
    float *shift;    /* [dim] minus the mean, mapped */
} f0t_metric;

/* From rows[count x D], keeping at most `most` axes. `monitor` may be NULL. */
f0t_status f0t_metric_create(f0t_metric **out, const float *rows, size_t count, size_t features,
                             size_t most, const f0t_monitor *monitor);
void f0t_metric_free(f0t_metric *metric);

/* rows[count x D] become to[count x dim]. */
f0t_status f0t_metric_apply(float *to, const f0t_metric *metric, const float *rows, size_t count);

#endif
