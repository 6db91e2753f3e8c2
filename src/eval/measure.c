/* f0t_metrics_measure: the metrics of a comparison, of scores that anybody made. */
#include "base/alloc.h"
#include "base/context.h"
#include "eval/values.h"
#include "fast0tag_tools.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Rows at a time. */
enum { BLOCK = 1000 };

typedef struct measured {
    f0t_measured shown;
    f0t_values values;
    f0t_measured_value *list;
    double *images, *tags;
} measured;

void f0t_measured_free(f0t_measured *shown)
{
    measured *m = (measured *)(void *)shown;
    if (!m)
        return;
    f0t_free(m->list);
    f0t_free(m->images);
    f0t_free(m->tags);
    f0t_free(m);
}

static f0t_status check_cutoffs(size_t cutoffs[F0T_CUTOFFS_MOST], size_t *count,
                                const f0t_metrics_options *o)
{
    static const size_t usual[] = {3, 5};
    const size_t *k = o->k ? o->k : usual;
    *count = o->k ? o->k_count : 2;
    if (*count > F0T_CUTOFFS_MOST)
        return f0t_fail(F0T_ERROR_ARGUMENT, "K: at most %d values", F0T_CUTOFFS_MOST);
    for (size_t i = 0; i < *count; i++) {
        if (k[i] == 0 || k[i] > UINT32_MAX)
            return f0t_fail(F0T_ERROR_ARGUMENT, "K: %zu is no number of first tags", k[i]);
        cutoffs[i] = k[i];
    }
    return F0T_OK;
}

static f0t_status add_all(f0t_metrics *metrics, const f0t_ranking *all)
{
    for (size_t first = 0; first < all->images; first += BLOCK) {
        f0t_ranking block = *all;
        block.images = all->images - first < BLOCK ? all->images - first : BLOCK;
        block.scores = all->scores + first * all->tags;
        block.offsets = all->offsets + first;
        f0t_status status = f0t_metrics_add(metrics, &block);
        if (status != F0T_OK && first)
            return f0t_fail_prefix(status, "from row %zu on: ", first);
        F0T_TRY(status);
    }
    return F0T_OK;
}

/* In percent; NaN where there is nothing relevant. */
static double percent(double precision)
{
    return precision == F0T_NOT_RANKED ? (double)NAN : 100 * precision;
}

static f0t_status read_all(measured *m, const f0t_metrics *metrics, size_t images, size_t tags)
{
    f0t_metric_values values;
    F0T_TRY(f0t_metrics_get(&values, metrics));
    f0t_values_set_metrics(&m->values, &values);
    F0T_TRY(f0t_alloc(&m->list, m->values.count, sizeof *m->list));
    F0T_TRY(f0t_alloc(&m->images, images, sizeof *m->images));
    F0T_TRY(f0t_alloc(&m->tags, tags, sizeof *m->tags));
    for (size_t i = 0; i < m->values.count; i++)
        m->list[i] = (f0t_measured_value){m->values.names[i], m->values.values[i]};
    for (size_t i = 0; i < images; i++)
        m->images[i] = percent(f0t_metrics_precisions(metrics)[i]);
    for (size_t i = 0; i < tags; i++)
        m->tags[i] = percent(f0t_metrics_tags(metrics)[i].precision);
    m->shown = (f0t_measured){.values = m->list,
                              .count = m->values.count,
                              .image_precisions = m->images,
                              .tag_precisions = m->tags};
    return F0T_OK;
}

f0t_status f0t_metrics_measure(f0t_measured **out, const float *scores, size_t images, size_t tags,
                               const size_t *offsets, const uint32_t *relevant,
                               const f0t_metrics_options *options, const f0t_context *context)
{
    F0T_ENTER(context);
    F0T_REQUIRE(out);
    *out = NULL;
    F0T_REQUIRE(scores);
    F0T_REQUIRE(offsets);
    F0T_REQUIRE(relevant);
    F0T_READ_OPTIONS(f0t_metrics_options, F0T_METRICS_OPTIONS, options);
    const f0t_ranking all = {
        .images = images, .tags = tags, .scores = scores, .offsets = offsets, .relevant = relevant};
    size_t cutoffs[F0T_CUTOFFS_MOST], count;
    f0t_metrics *metrics = NULL;
    measured *m = NULL;
    F0T_TRY(check_cutoffs(cutoffs, &count, options));
    f0t_status status = f0t_alloc_zero(&m, 1, sizeof *m);
    if (status == F0T_OK)
        status = f0t_metrics_create(&metrics, tags, images, cutoffs, count, options->seen);
    if (status == F0T_OK)
        status = add_all(metrics, &all);
    if (status == F0T_OK)
        status = read_all(m, metrics, images, tags);
    f0t_metrics_free(metrics);
    if (status == F0T_OK)
        *out = &m->shown;
    else if (m)
        f0t_measured_free(&m->shown);
    return status;
}
