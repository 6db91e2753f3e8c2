#include "eval/metrics.h"

#include "base/alloc.h"
#include "eval/retrieval.h"
#include "eval/stacking.h"
#include "math/topk.h"
#include "rank/ties.h"

#include <math.h>
#include <string.h>

/* ---- Counts -------------------------------------------------------------------------------- */

static const size_t SCORES_IN_MEMORY = (size_t)384 << 20;

/* Counts for one K. An entry among those with the score of place K counts by the share of their orders in
 * which it is among the first K. */
typedef struct cutoff {
    size_t k;
    double hits;
    double *tag_hits;      /* [tags] */
    double *tag_predicted; /* [tags] */
    double *tag_tagged;    /* [tags] the same over images that have a relevant tag */
    double *tag_missed;    /* [tags] the probability that it was never predicted rightly */
} cutoff;

/* Sums over images that have a relevant tag. */
typedef struct list_sums {
    double ndcg, coverage, loss, lrap;
} list_sums;

struct f0t_metrics {
    size_t tags, most; /* most: the largest K and one more, or all tags */
    f0t_miap miap;
    double *precisions; /* [images], of those that came */
    size_t images;      /* that will come */
    uint64_t relevant;
    uint32_t *tag_relevant; /* [tags] */
    double *discounts;      /* [tags + 1] sums of the first ones of nDCG */
    list_sums lists;
    f0t_retrieval retrieval;
    f0t_retrieval_values *tag_values; /* [tags] */
    bool *seen;                       /* [tags]; NULL: no two kinds to compare */
    f0t_miap kinds[2];                /* of unseen and seen tags in the ranking of all */
    f0t_stacking *stacking;           /* where there are two kinds */
    size_t cutoff_count;
    cutoff cutoffs[F0T_CUTOFFS_MOST];
};

static f0t_status cutoff_create(cutoff *c, size_t k, size_t tags)
{
    c->k = k;
    F0T_TRY(f0t_alloc_zero(&c->tag_hits, tags, sizeof *c->tag_hits));
    F0T_TRY(f0t_alloc_zero(&c->tag_predicted, tags, sizeof *c->tag_predicted));
    F0T_TRY(f0t_alloc_zero(&c->tag_tagged, tags, sizeof *c->tag_tagged));
    F0T_TRY(f0t_alloc(&c->tag_missed, tags, sizeof *c->tag_missed));
    for (size_t t = 0; t < tags; t++)
        c->tag_missed[t] = 1;
    return F0T_OK;
}

/* Where there are tags of one kind alone there is nothing to compare. */
static f0t_status divide(f0t_metrics *m, const bool *seen, const size_t *cutoffs, size_t count)
{
    size_t known = 0;
    for (size_t t = 0; seen && t < m->tags; t++)
        known += seen[t];
    if (known == 0 || known == m->tags)
        return F0T_OK;
    F0T_TRY(f0t_alloc(&m->seen, m->tags, sizeof *m->seen));
    memcpy(m->seen, seen, m->tags * sizeof *m->seen);
    return f0t_stacking_create(&m->stacking, seen, m->tags, cutoffs, count);
}

static f0t_status allocate(f0t_metrics *m, size_t images, const size_t *cutoffs, size_t count)
{
    m->images = images;
    F0T_TRY(f0t_alloc(&m->precisions, images, sizeof *m->precisions));
    F0T_TRY(f0t_alloc_zero(&m->tag_relevant, m->tags, sizeof *m->tag_relevant));
    F0T_TRY(f0t_alloc(&m->tag_values, m->tags, sizeof *m->tag_values));
    F0T_TRY(f0t_alloc_zero(&m->discounts, m->tags + 1, sizeof *m->discounts));
    for (size_t i = 0; i < m->tags; i++)
        m->discounts[i + 1] = m->discounts[i] + 1 / log2((double)i + 2);
    F0T_TRY(f0t_retrieval_create(&m->retrieval, images, m->tags, SCORES_IN_MEMORY));
    for (size_t i = 0; i < count; i++) {
        m->cutoff_count++;
        m->most = cutoffs[i] + 1 > m->most ? cutoffs[i] + 1 : m->most;
        F0T_TRY(cutoff_create(&m->cutoffs[i], cutoffs[i], m->tags));
    }
    m->most = m->most < m->tags ? m->most : m->tags;
    return F0T_OK;
}

f0t_status f0t_metrics_create(f0t_metrics **out, size_t tags, size_t images, const size_t *cutoffs,
                              size_t count, const bool *seen)
{
    f0t_metrics *m;
    *out = NULL;
    if (count > F0T_CUTOFFS_MOST)
        return f0t_fail(F0T_ERROR_ARGUMENT, "%zu values of K; at most %d", count, F0T_CUTOFFS_MOST);
    F0T_TRY(f0t_alloc_zero(&m, 1, sizeof *m));
    m->tags = tags;
    m->retrieval.scores.file = -1;
    f0t_status status = allocate(m, images, cutoffs, count);
    if (status == F0T_OK)
        status = divide(m, seen, cutoffs, count);
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
        f0t_free(m->cutoffs[i].tag_missed);
    }
    f0t_free(m->precisions);
    f0t_free(m->tag_relevant);
    f0t_free(m->tag_values);
    f0t_free(m->discounts);
    f0t_free(m->seen);
    f0t_stacking_free(m->stacking);
    f0t_retrieval_free(&m->retrieval);
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

/* An image's scores and relevant tags. */
typedef struct row {
    const float *scores;
    const uint32_t *relevant;
    size_t count;
} row;

/* A tag that is among the first K in this share of the orders. */
static void predict(cutoff *c, const row *r, uint32_t tag, double share)
{
    const double hit = is_relevant(r->relevant, r->count, tag) ? share : 0;
    c->hits += hit;
    c->tag_hits[tag] += hit;
    c->tag_predicted[tag] += share;
    c->tag_tagged[tag] += r->count ? share : 0;
    c->tag_missed[tag] *= 1 - hit;
}

/* top[most] are the first tags. Where the score of place K is that of the place after it, too, all tags with
 * this score share the places that are left for them. */
static void add_first(const f0t_metrics *m, cutoff *c, const row *r, const uint32_t *top)
{
    const size_t k = c->k < m->tags ? c->k : m->tags;
    size_t sure = k, equal = 0;
    const float last = r->scores[top[k - 1]];
    if (k < m->tags && r->scores[top[k]] == last)
        while (sure > 0 && r->scores[top[sure - 1]] == last)
            sure--;
    for (size_t i = 0; i < sure; i++)
        predict(c, r, top[i], 1);
    if (sure == k)
        return;
    for (size_t t = 0; t < m->tags; t++)
        equal += r->scores[t] == last;
    for (size_t t = 0; t < m->tags; t++)
        if (r->scores[t] == last)
            predict(c, r, (uint32_t)t, (double)(k - sure) / (double)equal);
}

static void add_image(f0t_metrics *m, const row *r, const uint32_t *top)
{
    for (size_t i = 0; i < m->cutoff_count && m->tags; i++)
        add_first(m, &m->cutoffs[i], r, top);
    for (size_t i = 0; i < r->count; i++)
        m->tag_relevant[r->relevant[i]]++;
    m->relevant += r->count;
}

/* As scikit-learn defines them: nDCG in expectation over equal scores, the others with the worst order of
 * them. */
static void add_list(f0t_metrics *m, const f0t_tie *ties, size_t ties_count, size_t relevant)
{
    const double irrelevant = (double)m->tags - (double)relevant;
    double gain = 0, wrong = 0, precision = 0, found = 0, last = 0;
    for (size_t i = 0; i < ties_count; i++) {
        const size_t above = ties[i].above, end = above + ties[i].size;
        const double r = ties[i].relevant;
        found += r;
        last = (double)end;
        gain += r / ties[i].size * (m->discounts[end] - m->discounts[above]);
        wrong += r * (last - found);
        precision += r * found / last;
    }
    m->lists.ndcg += gain / m->discounts[relevant];
    m->lists.coverage += last;
    m->lists.loss += irrelevant > 0 ? wrong / (found * irrelevant) : 0;
    m->lists.lrap += precision / found;
}

/* What is relevant for one kind of tags, in the ranking of all. */
static f0t_status add_kind(f0t_metrics *m, const f0t_ranking *block, bool kind)
{
    const size_t pairs = block->offsets[block->images] - block->offsets[0];
    size_t *offsets = NULL, count = 0;
    uint32_t *relevant = NULL;
    f0t_status status = f0t_alloc(&offsets, block->images + 1, sizeof *offsets);
    if (status == F0T_OK)
        status = f0t_alloc(&relevant, pairs, sizeof *relevant);
    for (size_t r = 0; r < block->images && status == F0T_OK; r++) {
        offsets[r] = count;
        for (size_t i = block->offsets[r]; i < block->offsets[r + 1]; i++)
            if (m->seen[block->relevant[i]] == kind)
                relevant[count++] = block->relevant[i];
    }
    if (status == F0T_OK) {
        f0t_ranking part = *block;
        offsets[block->images] = count;
        part.offsets = offsets;
        part.relevant = relevant;
        status = f0t_miap_add(&m->kinds[kind], &part);
    }
    f0t_free(offsets);
    f0t_free(relevant);
    return status;
}

/* Memory for one block. */
typedef struct block_memory {
    uint32_t *top; /* [images x most] */
    f0t_tie *ties; /* [tags] */
    float *values; /* [tags] */
} block_memory;

static f0t_status add_rows(f0t_metrics *m, block_memory *b, const f0t_ranking *block)
{
    F0T_TRY(f0t_alloc(&b->top, block->images, m->most * sizeof *b->top));
    F0T_TRY(f0t_alloc(&b->ties, m->tags, sizeof *b->ties));
    F0T_TRY(f0t_alloc(&b->values, m->tags, sizeof *b->values));
    f0t_topk_rows(b->top, NULL, block->scores, block->images, m->tags, m->most);
    for (size_t i = 0; i < block->images; i++) {
        const row r = {block->scores + i * m->tags, block->relevant + block->offsets[i],
                       block->offsets[i + 1] - block->offsets[i]};
        add_image(m, &r, b->top + i * m->most);
        if (r.count)
            add_list(m, b->ties,
                     f0t_ties_find(b->ties, b->values, r.scores, m->tags, r.relevant, r.count),
                     r.count);
    }
    return F0T_OK;
}

f0t_status f0t_metrics_add(f0t_metrics *m, const f0t_ranking *block)
{
    block_memory memory = {0};
    if (block->tags != m->tags || block->columns)
        return f0t_fail(F0T_ERROR_INTERNAL, "metrics of %zu tags got a block of %zu", m->tags,
                        block->tags);
    if (block->images > m->images - m->miap.images)
        return f0t_fail(F0T_ERROR_INTERNAL, "metrics of %zu images got more", m->images);
    F0T_TRY(f0t_miap_add_each(&m->miap, m->precisions + m->miap.images, block));
    F0T_TRY(f0t_retrieval_add(&m->retrieval, block));
    for (int kind = 0; kind < 2 && m->seen; kind++)
        F0T_TRY(add_kind(m, block, kind));
    if (m->stacking)
        F0T_TRY(f0t_stacking_add(m->stacking, block));
    f0t_status status = add_rows(m, &memory, block);
    f0t_free(memory.top);
    f0t_free(memory.ties);
    f0t_free(memory.values);
    return status;
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

/* The tags of one kind, or all. */
typedef enum which { UNSEEN, SEEN, ALL } which;

static bool is_of(const f0t_metrics *m, size_t tag, which kind)
{
    return kind == ALL || m->seen[tag] == (kind == SEEN);
}

/* Tags without a relevant image have no recall, and are left out of its mean. */
static double mean_recall(const f0t_metrics *m, const cutoff *c, which kind)
{
    double sum = 0, tags = 0;
    for (size_t t = 0; t < m->tags; t++)
        if (m->tag_relevant[t] && is_of(m, t, kind)) {
            sum += c->tag_hits[t] / (double)m->tag_relevant[t];
            tags++;
        }
    return ratio(sum, tags);
}

/* The mean of hits / predicted; tags that are never predicted count 0, or not at all. */
static double mean_precision(const f0t_metrics *m, const cutoff *c, const double *predicted,
                             bool only_predicted)
{
    double sum = 0, tags = 0;
    for (size_t t = 0; t < m->tags; t++) {
        sum += predicted[t] > 0 ? c->tag_hits[t] / predicted[t] : 0;
        tags += predicted[t] > 0 || !only_predicted;
    }
    return ratio(sum, tags);
}

static double harmonic(double a, double b)
{
    return a + b == 0 ? 0 : 2 * a * b / (a + b);
}

/* Of the tags of one kind among the first K of all. Where none of them is, precision is 0. */
static f0t_kind_values kind_values(const f0t_metrics *m, const cutoff *c, which kind)
{
    const double none = (double)NAN;
    double hits = 0, predicted = 0, relevant = 0;
    if (!m->seen)
        return (f0t_kind_values){{none, none, none}, none};
    for (size_t t = 0; t < m->tags; t++)
        if (is_of(m, t, kind)) {
            hits += c->tag_hits[t];
            predicted += c->tag_predicted[t];
            relevant += (double)m->tag_relevant[t];
        }
    return (f0t_kind_values){prf_of(predicted > 0 ? hits / predicted : 0, ratio(hits, relevant)),
                             mean_recall(m, c, kind)};
}

static f0t_cutoff_values cutoff_values(const f0t_metrics *m, const cutoff *c)
{
    double first = (double)(c->k < m->tags ? c->k : m->tags), hits = c->hits;
    double recall = ratio(hits, (double)m->relevant), class_recall = mean_recall(m, c, ALL);
    f0t_cutoff_values v = {.k = c->k};
    v.pooled = prf_of(ratio(hits, first * (double)m->miap.images), recall);
    v.pooled_tagged = prf_of(ratio(hits, first * (double)m->miap.ranked), recall);
    v.class_all = prf_of(mean_precision(m, c, c->tag_predicted, false), class_recall);
    v.class_predicted = prf_of(mean_precision(m, c, c->tag_predicted, true), class_recall);
    v.class_tagged = prf_of(mean_precision(m, c, c->tag_tagged, false), class_recall);
    for (size_t t = 0; t < m->tags; t++)
        v.n_plus += 1 - c->tag_missed[t];
    for (int kind = 0; kind < 2; kind++)
        v.kinds[kind] = kind_values(m, c, kind == SEEN ? SEEN : UNSEEN);
    v.harmonic_f = harmonic(v.kinds[0].pooled.f, v.kinds[1].pooled.f);
    v.harmonic_class_r = harmonic(v.kinds[0].class_r, v.kinds[1].class_r);
    v.area = (double)NAN;
    return v;
}

const double *f0t_metrics_precisions(const f0t_metrics *metrics)
{
    return metrics->precisions;
}

const f0t_retrieval_values *f0t_metrics_tags(const f0t_metrics *metrics)
{
    return metrics->tag_values;
}

static void set_retrieval(f0t_metric_values *out, const f0t_metrics *m)
{
    double sum = 0, interpolated = 0, eleven = 0, tags = 0;
    for (size_t t = 0; t < m->tags; t++) {
        const f0t_retrieval_values *v = &m->tag_values[t];
        if (v->precision == F0T_NOT_RANKED)
            continue;
        sum += v->precision;
        interpolated += v->interpolated;
        eleven += v->eleven;
        tags++;
    }
    out->occurring = (size_t)tags;
    out->map = ratio(sum, tags);
    out->map_all = ratio(sum, (double)m->tags);
    out->map_interpolated = ratio(interpolated, tags);
    out->map_eleven = ratio(eleven, tags);
}

static f0t_status set_kinds(f0t_metric_values *out, const f0t_metrics *m)
{
    double areas[F0T_CUTOFFS_MOST];
    out->unseen_miap = out->seen_miap = out->harmonic_miap = (double)NAN;
    if (!m->seen)
        return F0T_OK;
    out->unseen_miap = f0t_miap_get(&m->kinds[0]);
    out->seen_miap = f0t_miap_get(&m->kinds[1]);
    out->harmonic_miap = harmonic(out->unseen_miap, out->seen_miap);
    F0T_TRY(f0t_stacking_get(areas, m->stacking, m->tag_relevant));
    for (size_t i = 0; i < m->cutoff_count; i++)
        out->cutoffs[i].area = areas[i];
    return F0T_OK;
}

f0t_status f0t_metrics_get(f0t_metric_values *out, const f0t_metrics *m)
{
    const double tagged = (double)m->miap.ranked;
    *out = (f0t_metric_values){.images = m->miap.images,
                               .tagged = m->miap.ranked,
                               .tags = m->tags,
                               .miap = f0t_miap_get(&m->miap),
                               .miap_all = f0t_miap_get_all(&m->miap),
                               .ndcg = ratio(m->lists.ndcg, tagged),
                               .coverage = ratio(m->lists.coverage, tagged),
                               .ranking_loss = ratio(m->lists.loss, tagged),
                               .lrap = ratio(m->lists.lrap, tagged),
                               .cutoff_count = m->cutoff_count};
    F0T_TRY(f0t_retrieval_get(m->tag_values, &m->retrieval));
    set_retrieval(out, m);
    for (size_t i = 0; i < m->cutoff_count; i++)
        out->cutoffs[i] = cutoff_values(m, &m->cutoffs[i]);
    return set_kinds(out, m);
}
