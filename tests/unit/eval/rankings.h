/* Rankings for tests of metrics, and the metrics by their definitions, slowly. */
#ifndef F0T_TESTS_RANKINGS_H
#define F0T_TESTS_RANKINGS_H

#include "support.h"

#include "base/random.h"
#include "eval/metrics.h"

#include <math.h>
#include <stdlib.h>

enum { R_IMAGES = 60, R_TAGS = 40 };

typedef struct ranking_case {
    size_t images, tags;
    float scores[R_IMAGES * R_TAGS];
    bool truth[R_IMAGES * R_TAGS];
    size_t offsets[R_IMAGES + 1];
    uint32_t relevant[R_IMAGES * R_TAGS];
} ranking_case;

static inline void ranking_case_index(ranking_case *c)
{
    size_t at = 0;
    for (size_t m = 0; m < c->images; m++) {
        c->offsets[m] = at;
        for (size_t t = 0; t < c->tags; t++)
            if (c->truth[m * c->tags + t])
                c->relevant[at++] = (uint32_t)t;
    }
    c->offsets[c->images] = at;
}

/* `levels` different scores: few of them make many ties. */
static inline void ranking_case_draw(ranking_case *c, uint64_t seed, size_t images, size_t tags,
                                     uint64_t levels, double share)
{
    const f0t_random random = {seed, 1}, truth = {seed, 2};
    c->images = images;
    c->tags = tags;
    for (size_t i = 0; i < images * tags; i++) {
        c->scores[i] = (float)f0t_random_below(&random, i, levels) - (float)levels / 2;
        c->truth[i] = f0t_random_uniform(&truth, i) < share;
    }
    ranking_case_index(c);
}

/* Entries of x[n], `stride` apart, with a higher score than entry i, and with the same. */
static inline void slow_place(double *above, double *equal, const float *x, size_t n, size_t stride,
                              size_t i)
{
    *above = *equal = 0;
    for (size_t j = 0; j < n; j++) {
        *above += x[j * stride] > x[i * stride];
        *equal += x[j * stride] == x[i * stride];
    }
}

/* The mean over the orders of equal scores (test_ties.c tries all): entry i may have any of their places, and
 * the relevant others of them are evenly spread over the other places. -1 where nothing is relevant. */
static inline double slow_precision(const float *x, const bool *truth, size_t n, size_t stride)
{
    double sum = 0, count = 0;
    for (size_t i = 0; i < n; i++) {
        double above, equal, higher = 0, others = -1;
        if (!truth[i * stride])
            continue;
        slow_place(&above, &equal, x, n, stride, i);
        for (size_t j = 0; j < n; j++) {
            higher += truth[j * stride] && x[j * stride] > x[i * stride];
            others += truth[j * stride] && x[j * stride] == x[i * stride];
        }
        for (double place = 1; place <= equal; place++)
            sum += (higher + 1 + (equal > 1 ? others * (place - 1) / (equal - 1) : 0)) /
                   (above + place) / equal;
        count++;
    }
    return count > 0 ? sum / count : -1;
}

/* Blocks of `step` images. */
static inline f0t_status ranking_measure_kinds(f0t_metric_values *out, const ranking_case *c,
                                               const size_t *cutoffs, size_t count, size_t step,
                                               const bool *seen)
{
    f0t_metrics *metrics;
    f0t_status status = f0t_metrics_create(&metrics, c->tags, c->images, cutoffs, count, seen);
    for (size_t m = 0; m < c->images && status == F0T_OK; m += step) {
        size_t rows = c->images - m < step ? c->images - m : step, offsets[R_IMAGES + 1];
        for (size_t r = 0; r <= rows; r++)
            offsets[r] = c->offsets[m + r] - c->offsets[m];
        f0t_ranking block = {.images = rows,
                             .tags = c->tags,
                             .scores = c->scores + m * c->tags,
                             .offsets = offsets,
                             .relevant = c->relevant + c->offsets[m]};
        status = f0t_metrics_add(metrics, &block);
    }
    if (status == F0T_OK)
        status = f0t_metrics_get(out, metrics);
    f0t_metrics_free(metrics);
    return status;
}

static inline f0t_status ranking_measure(f0t_metric_values *out, const ranking_case *c,
                                         const size_t *cutoffs, size_t count, size_t step)
{
    return ranking_measure_kinds(out, c, cutoffs, count, step, NULL);
}

static inline void assert_near(double got, double want, const char *what)
{
    if (isnan(got) != isnan(want) || fabs(got - want) > 1e-12)
        fail_msg("%s is %.15g, not %.15g", what, got, want);
}

#endif
