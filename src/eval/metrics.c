#include "eval/metrics.h"

#include "base/alloc.h"
#include "base/team.h"
#include "eval/spill.h"
#include "math/topk.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Average precision of tags ------------------------------------------------------------- */

enum { BLOCK_BYTES = 1 << 24 };

/* The images are ranked for each tag by their scores, equal ones by image order. The ranks of a tag's relevant
 * images are known only when all scores are, so these are kept (f0t_spill) and passed over a second time,
 * each score being put between those of the relevant images by bisection: n log p for n scores. */
typedef struct tag_precision {
    size_t tags;
    f0t_spill scores;
    uint32_t *relevant_tags; /* the relevant (tag, image) pairs, in the order they came */
    uint32_t *relevant_images;
    size_t pairs, tag_capacity, image_capacity;
} tag_precision;

/* Up to `limit` bytes of scores stay in memory. */
static f0t_status tag_precision_create(tag_precision *p, size_t images, size_t tags, size_t limit)
{
    *p = (tag_precision){.tags = tags};
    return f0t_spill_create(&p->scores, images, tags, limit);
}

static void tag_precision_free(tag_precision *p)
{
    f0t_spill_free(&p->scores);
    f0t_free(p->relevant_tags);
    f0t_free(p->relevant_images);
    *p = (tag_precision){.scores.file = -1};
}

static f0t_status tag_precision_add(tag_precision *p, const f0t_ranking *block)
{
    size_t more = block->offsets[block->images] - block->offsets[0];
    F0T_TRY(f0t_grow(&p->relevant_tags, &p->tag_capacity, p->pairs, more, sizeof(uint32_t)));
    F0T_TRY(f0t_grow(&p->relevant_images, &p->image_capacity, p->pairs, more, sizeof(uint32_t)));
    for (size_t m = 0; m < block->images; m++)
        for (size_t i = block->offsets[m]; i < block->offsets[m + 1]; i++) {
            p->relevant_tags[p->pairs] = block->relevant[i];
            p->relevant_images[p->pairs++] = (uint32_t)(p->scores.rows + m);
        }
    return f0t_spill_add(&p->scores, block->scores, block->images);
}

/* ---- Average precision of tags: the second pass -------------------------------------------- */

/* The relevant images of tag t are keys[starts[t], starts[t + 1]), sorted, and before[…] counts the images
 * that rank between one and the one ahead of it, itself included. */
typedef struct pass {
    const tag_precision *p;
    size_t *starts;   /* [tags + 1] */
    uint64_t *keys;   /* [pairs] */
    uint32_t *before; /* [pairs] */
    float *block;     /* [block_rows x tags] */
    size_t block_rows;
} pass;

static f0t_status pass_create(pass *s, const tag_precision *p)
{
    size_t rows = p->tags ? BLOCK_BYTES / sizeof(float) / p->tags : 1;
    *s = (pass){.p = p, .block_rows = rows ? rows : 1};
    F0T_TRY(f0t_alloc_zero(&s->starts, p->tags + 1, sizeof *s->starts));
    F0T_TRY(f0t_alloc(&s->keys, p->pairs, sizeof *s->keys));
    F0T_TRY(f0t_alloc_zero(&s->before, p->pairs, sizeof *s->before));
    return f0t_alloc(&s->block, s->block_rows * p->tags, sizeof *s->block);
}

static void pass_free(pass *s)
{
    f0t_free(s->starts);
    f0t_free(s->keys);
    f0t_free(s->before);
    f0t_free(s->block);
}

/* Smaller for what ranks first: the float's bits in the order of the floats, turned around, and the
 * image after them. Adding 0 makes -0 equal to 0. */
static uint64_t key_of(float score, size_t image)
{
    float value = score + 0.0F;
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    bits = bits & 0x80000000U ? bits : ~bits & 0x7FFFFFFFU;
    return (uint64_t)bits << 32 | image;
}

static int compare_keys(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* starts[t] becomes where the pairs of tag t begin. */
static void count_starts(pass *s)
{
    const tag_precision *p = s->p;
    for (size_t i = 0; i < p->pairs; i++)
        s->starts[p->relevant_tags[i] + 1]++;
    for (size_t t = 0; t < p->tags; t++)
        s->starts[t + 1] += s->starts[t];
}

/* The pairs came image by image: next[t] is the place of the next pair of tag t. */
static f0t_status collect_keys(pass *s)
{
    const tag_precision *p = s->p;
    size_t *next, at = 0;
    f0t_status status = f0t_alloc(&next, p->tags, sizeof *next);
    if (status == F0T_OK)
        memcpy(next, s->starts, p->tags * sizeof *next);
    for (size_t first = 0; first < p->scores.rows && status == F0T_OK; first += s->block_rows) {
        size_t left = p->scores.rows - first;
        size_t rows = left < s->block_rows ? left : s->block_rows;
        status = f0t_spill_read(s->block, &p->scores, first, rows);
        for (; at < p->pairs && p->relevant_images[at] < first + rows && status == F0T_OK; at++) {
            size_t image = p->relevant_images[at], tag = p->relevant_tags[at];
            s->keys[next[tag]++] = key_of(s->block[(image - first) * p->tags + tag], image);
        }
    }
    f0t_free(next);
    return status;
}

static void sort_keys(pass *s)
{
#pragma omp parallel for schedule(dynamic, 16) num_threads(f0t_team_size())
    for (size_t t = 0; t < s->p->tags; t++)
        qsort(s->keys + s->starts[t], s->starts[t + 1] - s->starts[t], sizeof *s->keys,
              compare_keys);
}

/* The first key that is not below `key`. */
static size_t bisect(const uint64_t *keys, size_t from, size_t to, uint64_t key)
{
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        if (keys[middle] < key)
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

/* Threads share the tags, not the images: each count has one writer. */
static void count_block(pass *s, size_t first, size_t rows)
{
    size_t tags = s->p->tags;
#pragma omp parallel for schedule(static) num_threads(f0t_team_size())
    for (size_t t = 0; t < tags; t++) {
        size_t start = s->starts[t], end = s->starts[t + 1];
        if (start == end)
            continue;
        for (size_t m = 0; m < rows; m++) {
            size_t i = bisect(s->keys, start, end, key_of(s->block[m * tags + t], first + m));
            if (i < end)
                s->before[i]++;
        }
    }
}

static f0t_status count_ranks(pass *s)
{
    const f0t_spill *scores = &s->p->scores;
    for (size_t first = 0; first < scores->rows; first += s->block_rows) {
        size_t left = scores->rows - first;
        size_t rows = left < s->block_rows ? left : s->block_rows;
        F0T_TRY(f0t_spill_read(s->block, scores, first, rows));
        count_block(s, first, rows);
    }
    return F0T_OK;
}

static double precision_of(const pass *s, size_t tag)
{
    double sum = 0, rank = 0;
    size_t start = s->starts[tag], count = s->starts[tag + 1] - start;
    for (size_t i = 0; i < count; i++) {
        rank += (double)s->before[start + i];
        sum += (double)(i + 1) / rank;
    }
    return sum / (double)count;
}

static f0t_status run_pass(double *sum, size_t *occurring, pass *s)
{
    count_starts(s);
    F0T_TRY(collect_keys(s));
    sort_keys(s);
    F0T_TRY(count_ranks(s));
    *sum = 0;
    *occurring = 0;
    for (size_t t = 0; t < s->p->tags; t++)
        if (s->starts[t + 1] > s->starts[t]) {
            *sum += precision_of(s, t);
            (*occurring)++;
        }
    return F0T_OK;
}

/* The sum of the average precisions of tags that have a relevant image, and how many these are. */
static f0t_status tag_precision_get(double *sum, size_t *occurring, const tag_precision *p)
{
    pass s;
    f0t_status status = pass_create(&s, p);
    if (status == F0T_OK)
        status = run_pass(sum, occurring, &s);
    pass_free(&s);
    return status;
}

/* ---- Counts -------------------------------------------------------------------------------- */

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
    double *precisions; /* [images], of those that came */
    size_t images;      /* that will come */
    uint64_t relevant;
    uint32_t *tag_relevant; /* [tags] */
    tag_precision precision;
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
    m->images = images;
    F0T_TRY(f0t_alloc(&m->precisions, images, sizeof *m->precisions));
    F0T_TRY(f0t_alloc_zero(&m->tag_relevant, m->tags, sizeof *m->tag_relevant));
    F0T_TRY(tag_precision_create(&m->precision, images, m->tags, SCORES_IN_MEMORY));
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
        return f0t_fail(F0T_ERROR_ARGUMENT, "%zu values of K; at most %d", count, F0T_CUTOFFS_MOST);
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
    f0t_free(m->precisions);
    f0t_free(m->tag_relevant);
    tag_precision_free(&m->precision);
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
    if (block->images > m->images - m->miap.images)
        return f0t_fail(F0T_ERROR_INTERNAL, "metrics of %zu images got more", m->images);
    F0T_TRY(f0t_miap_add_each(&m->miap, m->precisions + m->miap.images, block));
    F0T_TRY(tag_precision_add(&m->precision, block));
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

const double *f0t_metrics_precisions(const f0t_metrics *metrics)
{
    return metrics->precisions;
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
    F0T_TRY(tag_precision_get(&sum, &out->occurring, &m->precision));
    out->map = ratio(sum, (double)out->occurring);
    out->map_all = ratio(sum, (double)out->tags);
    for (size_t i = 0; i < m->cutoff_count; i++)
        out->cutoffs[i] = cutoff_values(m, &m->cutoffs[i]);
    return F0T_OK;
}
