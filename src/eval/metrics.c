#include "eval/metrics.h"

#include "base/alloc.h"
#include "eval/tag_precision.h"
#include "math/topk.h"

#include <math.h>

static const size_t SCORES_IN_MEMORY = (size_t)384 << 20;

/* Counts for one K. */
typedef struct cutoff {
    size_t k;
    uint64_t hits;
    uint32_t *tag_hits;      /* [tags] */
    uint32_t *tag_predicted; /* [tags] */
    uint32_t *tag_tagged;    /* [tags] the same over images that have a relevant tag */
} cutoff;

struct f0t_metrics {
    size_t tags, most; /* most: the largest K, or all tags */
    f0t_miap miap;
    uint64_t relevant;
    uint32_t *tag_relevant; /* [tags] */
    f0t_tag_precision precision;
    size_t cutoff_count;
    cutoff cutoffs[F0T_CUTOFFS_MOST];
};

static f0t_status cutoff_create(cutoff *c, size_t k, size_t tags)
{
    c->k = k;
    F0T_TRY(f0t_alloc_zero(&c->tag_hits, tags, sizeof *c->tag_hits));
    F0T_TRY(f0t_alloc_zero(&c->tag_predicted, tags, sizeof *c->tag_predicted));
    return f0t_alloc_zero(&c->tag_tagged, tags, sizeof *c->tag_tagged);
}

static f0t_status allocate(f0t_metrics *m, size_t images, const size_t *cutoffs, size_t count)
{
    F0T_TRY(f0t_alloc_zero(&m->tag_relevant, m->tags, sizeof *m->tag_relevant));
    F0T_TRY(f0t_tag_precision_create(&m->precision, images, m->tags, SCORES_IN_MEMORY));
    for (size_t i = 0; i < count; i++) {
        m->cutoff_count++;
        m->most = cutoffs[i] > m->most ? cutoffs[i] : m->most;
        F0T_TRY(cutoff_create(&m->cutoffs[i], cutoffs[i], m->tags));
    }
    m->most = m->most < m->tags ? m->most : m->tags;
    return F0T_OK;
}

f0t_status f0t_metrics_create(f0t_metrics **out, size_t tags, size_t images, const size_t *cutoffs,
                              size_t count)
{
    f0t_metrics *m;
    *out = NULL;
    if (count > F0T_CUTOFFS_MOST)
        return f0t_fail(F0T_ERROR_ARGUMENT, "%zu values of K; %d at the most", count,
                        F0T_CUTOFFS_MOST);
    F0T_TRY(f0t_alloc_zero(&m, 1, sizeof *m));
    m->tags = tags;
    m->precision.scores.file = -1;
    f0t_status status = allocate(m, images, cutoffs, count);
    if (status != F0T_OK)
        f0t_metrics_free(m);
    else
        *out = m;
    return status;
}

void f0t_metrics_free(f0t_metrics *m)
{
    if (!m)
        return;
    for (size_t i = 0; i < m->cutoff_count; i++) {
        f0t_free(m->cutoffs[i].tag_hits);
        f0t_free(m->cutoffs[i].tag_predicted);
        f0t_free(m->cutoffs[i].tag_tagged);
    }
    f0t_free(m->tag_relevant);
    f0t_tag_precision_free(&m->precision);
    f0t_free(m);
}

/* ---- Adding -------------------------------------------------------------------------------- */

static bool is_relevant(const uint32_t *list, size_t count, uint32_t tag)
{
    size_t low = 0;
    while (count > 0) {
        size_t half = count / 2;
        if (list[low + half] == tag)
            return true;
        if (list[low + half] < tag) {
            low += half + 1;
            count -= half + 1;
        } else {
            count = half;
        }
    }
    return false;
}

static void add_image(f0t_metrics *m, const uint32_t *top, const uint32_t *relevant, size_t count)
{
    for (size_t rank = 0; rank < m->most; rank++) {
        bool hit = is_relevant(relevant, count, top[rank]);
        for (size_t i = 0; i < m->cutoff_count; i++) {
            cutoff *c = &m->cutoffs[i];
            if (rank >= c->k)
                continue;
            c->hits += hit;
            c->tag_hits[top[rank]] += hit;
            c->tag_predicted[top[rank]]++;
            c->tag_tagged[top[rank]] += count > 0;
        }
    }
    for (size_t i = 0; i < count; i++)
        m->tag_relevant[relevant[i]]++;
    m->relevant += count;
}

f0t_status f0t_metrics_add(f0t_metrics *m, const f0t_ranking *block)
{
    uint32_t *top;
    if (block->tags != m->tags || block->columns)
        return f0t_fail(F0T_ERROR_INTERNAL, "metrics of %zu tags got a block of %zu", m->tags,
                        block->tags);
    F0T_TRY(f0t_miap_add(&m->miap, block));
    F0T_TRY(f0t_tag_precision_add(&m->precision, block));
    F0T_TRY(f0t_alloc(&top, block->images, m->most * sizeof *top));
    f0t_topk_rows(top, NULL, block->scores, block->images, m->tags, m->most);
    for (size_t r = 0; r < block->images; r++)
        add_image(m, top + r * m->most, block->relevant + block->offsets[r],
                  block->offsets[r + 1] - block->offsets[r]);
    f0t_free(top);
    return F0T_OK;
}

/* ---- Values -------------------------------------------------------------------------------- */

static double ratio(double a, double b)
{
    return b > 0 ? a / b : (double)NAN;
}

/* F1 is not defined where one of the two is not. */
static f0t_prf prf_of(double p, double r)
{
    return (f0t_prf){p, r, p + r == 0 ? 0 : ratio(2 * p * r, p + r)};
}

/* Tags without a relevant image have no recall, and are left out of its mean. */
static double mean_recall(const f0t_metrics *m, const cutoff *c)
{
    double sum = 0, tags = 0;
    for (size_t t = 0; t < m->tags; t++)
        if (m->tag_relevant[t]) {
            sum += (double)c->tag_hits[t] / (double)m->tag_relevant[t];
            tags++;
        }
    return ratio(sum, tags);
}

/* The mean of hits / predicted; tags that are never predicted count 0, or not at all. */
static double mean_precision(const f0t_metrics *m, const cutoff *c, const uint32_t *predicted,
                             bool only_predicted)
{
    double sum = 0, tags = 0;
    for (size_t t = 0; t < m->tags; t++) {
        sum += predicted[t] ? (double)c->tag_hits[t] / (double)predicted[t] : 0;
        tags += predicted[t] || !only_predicted;
    }
    return ratio(sum, tags);
}

static f0t_cutoff_values cutoff_values(const f0t_metrics *m, const cutoff *c)
{
    double first = (double)(c->k < m->tags ? c->k : m->tags), hits = (double)c->hits;
    double recall = ratio(hits, (double)m->relevant), class_recall = mean_recall(m, c);
    f0t_cutoff_values v = {.k = c->k};
    v.pooled = prf_of(ratio(hits, first * (double)m->miap.images), recall);
    v.pooled_tagged = prf_of(ratio(hits, first * (double)m->miap.ranked), recall);
    v.class_all = prf_of(mean_precision(m, c, c->tag_predicted, false), class_recall);
    v.class_predicted = prf_of(mean_precision(m, c, c->tag_predicted, true), class_recall);
    v.class_tagged = prf_of(mean_precision(m, c, c->tag_tagged, false), class_recall);
    for (size_t t = 0; t < m->tags; t++)
        v.n_plus += c->tag_hits[t] > 0;
    return v;
}

f0t_status f0t_metrics_get(f0t_metric_values *out, const f0t_metrics *m)
{
    double sum;
    *out = (f0t_metric_values){.images = m->miap.images,
                               .tagged = m->miap.ranked,
                               .tags = m->tags,
                               .miap = f0t_miap_get(&m->miap),
                               .miap_all = f0t_miap_get_all(&m->miap),
                               .cutoff_count = m->cutoff_count};
    F0T_TRY(f0t_tag_precision_get(&sum, &out->occurring, &m->precision));
    out->map = ratio(sum, (double)out->occurring);
    out->map_all = ratio(sum, (double)out->tags);
    for (size_t i = 0; i < m->cutoff_count; i++)
        out->cutoffs[i] = cutoff_values(m, &m->cutoffs[i]);
    return F0T_OK;
}
