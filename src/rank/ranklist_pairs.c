#include "rank/ranklist_pairs.h"

#include "base/alloc.h"

#include <string.h>

/* Sums over tags of a level. */
typedef struct node {
    double count, sum, square;
} node;

struct f0t_list_pairs {
    size_t tags;
    uint64_t *keys, *swap; /* [tags] */
    uint32_t *order;       /* [tags] where the caller keeps none */
    node *tree;            /* [tags + 1] of partial sums by level (Fenwick 1994) */
    double *sums;          /* [tags + 1] the same of one number */
};

f0t_status f0t_list_pairs_create(f0t_list_pairs **out, size_t tags)
{
    f0t_list_pairs *p = NULL;
    *out = NULL;
    F0T_TRY(f0t_alloc_zero(&p, 1, sizeof *p));
    p->tags = tags;
    f0t_status status = f0t_alloc(&p->keys, tags, sizeof *p->keys);
    if (status == F0T_OK)
        status = f0t_alloc(&p->swap, tags, sizeof *p->swap);
    if (status == F0T_OK)
        status = f0t_alloc(&p->order, tags, sizeof *p->order);
    if (status == F0T_OK)
        status = f0t_alloc(&p->tree, tags + 1, sizeof *p->tree);
    if (status == F0T_OK)
        status = f0t_alloc(&p->sums, tags + 1, sizeof *p->sums);
    if (status != F0T_OK) {
        f0t_list_pairs_free(p);
        return status;
    }
    *out = p;
    return F0T_OK;
}

void f0t_list_pairs_free(f0t_list_pairs *p)
{
    if (!p)
        return;
    f0t_free(p->keys);
    f0t_free(p->swap);
    f0t_free(p->order);
    f0t_free(p->tree);
    f0t_free(p->sums);
    f0t_free(p);
}

/* ---- Sorting ----------------------------------------------------------------------------------- */

static uint64_t key_of(float score, size_t tag)
{
    uint32_t bits;
    score += 0.0F; /* −0 is 0 */
    memcpy(&bits, &score, sizeof bits);
    bits = bits >> 31 ? ~bits : bits | 0x80000000U;
    return (uint64_t)bits << 32 | (uint32_t)tag;
}

/* Eleven bits of the upper half a pass: linear in time, and stable. */
static void sort(f0t_list_pairs *p, const float *x)
{
    for (size_t i = 0; i < p->tags; i++)
        p->keys[i] = key_of(x[i], i);
    for (int shift = 32; shift < 64; shift += 11) {
        uint32_t starts[2048] = {0}, total = 0;
        for (size_t i = 0; i < p->tags; i++)
            starts[p->keys[i] >> shift & 2047]++;
        for (size_t b = 0; b < 2048; b++) {
            uint32_t here = starts[b];
            starts[b] = total;
            total += here;
        }
        for (size_t i = 0; i < p->tags; i++)
            p->swap[starts[p->keys[i] >> shift & 2047]++] = p->keys[i];
        uint64_t *sorted = p->swap;
        p->swap = p->keys;
        p->keys = sorted;
    }
}

size_t f0t_list_levels(f0t_list_pairs *p, uint32_t *levels, const float *list)
{
    uint32_t level = 0;
    sort(p, list);
    for (size_t i = p->tags; i-- > 0;) {
        if (i + 1 < p->tags && p->keys[i] >> 32 != p->keys[i + 1] >> 32)
            level++;
        levels[(uint32_t)p->keys[i]] = level;
    }
    return p->tags ? (size_t)level + 1 : 0;
}

/* ---- Trees of partial sums --------------------------------------------------------------------- */

static void insert(node *tree, size_t size, size_t level, double x)
{
    for (size_t i = level + 1; i <= size; i += i & (~i + 1)) {
        tree[i].count++;
        tree[i].sum += x;
        tree[i].square += x * x;
    }
}

/* Sums over the levels below this one. */
static node below(const node *tree, size_t level)
{
    node sum = {0, 0, 0};
    for (size_t i = level; i > 0; i &= i - 1) {
        sum.count += tree[i].count;
        sum.sum += tree[i].sum;
        sum.square += tree[i].square;
    }
    return sum;
}

static void insert_sum(double *tree, size_t size, size_t level, double x)
{
    for (size_t i = level + 1; i <= size; i += i & (~i + 1))
        tree[i] += x;
}

static double below_sum(const double *tree, size_t level)
{
    double sum = 0;
    for (size_t i = level; i > 0; i &= i - 1)
        sum += tree[i];
    return sum;
}

/* ---- Sweeps ------------------------------------------------------------------------------------ */

/* Each tag as the earlier of its pairs: by falling score, the tree has those whose score is above its
 * own minus 1. Levels are turned round, so that later ones are below. */
static void sweep_earlier(f0t_list_pairs *p, f0t_list_sums *sums, float *weights, float *degrees,
                          const float *scores, const uint32_t *levels, const uint32_t *order)
{
    const size_t T = p->tags;
    memset(p->tree, 0, (T + 1) * sizeof *p->tree);
    for (size_t i = T, next = T; i-- > 0;) {
        const uint32_t tag = order[i];
        const double s = (double)scores[tag];
        while (next > 0 && (double)scores[order[next - 1]] > s - 1) {
            next--;
            insert(p->tree, T, T - 1 - levels[order[next]], (double)scores[order[next]]);
        }
        const node later = below(p->tree, T - 1 - levels[tag]);
        const double slack = later.count * (1 - s) + later.sum;
        weights[tag] = (float)(2 * slack);
        if (degrees)
            degrees[tag] = (float)later.count;
        sums->slack += slack;
        sums->square += (1 - s) * (slack + later.sum) + later.square;
        sums->active += later.count;
    }
}

/* And as the later one: by rising score, the tree has those whose score is below its own plus 1. */
static void sweep_later(f0t_list_pairs *p, float *weights, float *degrees, const float *scores,
                        const uint32_t *levels, const uint32_t *order)
{
    const size_t T = p->tags;
    memset(p->tree, 0, (T + 1) * sizeof *p->tree);
    for (size_t j = 0, next = 0; j < T; j++) {
        const uint32_t tag = order[j];
        const double s = (double)scores[tag];
        for (; next < T && (double)scores[order[next]] < s + 1; next++)
            insert(p->tree, T, levels[order[next]], (double)scores[order[next]]);
        const node earlier = below(p->tree, levels[tag]);
        weights[tag] = (float)((double)weights[tag] - 2 * (earlier.count * (1 + s) - earlier.sum));
        if (degrees)
            degrees[tag] += (float)earlier.count;
    }
}

void f0t_list_gradient(f0t_list_pairs *p, f0t_list_sums *sums, float *weights, uint32_t *order,
                       float *degrees, const float *scores, const uint32_t *levels)
{
    uint32_t *ranks = order ? order : p->order;
    sort(p, scores);
    for (size_t i = 0; i < p->tags; i++)
        ranks[i] = (uint32_t)p->keys[i];
    *sums = (f0t_list_sums){0};
    sweep_earlier(p, sums, weights, degrees, scores, levels, ranks);
    sweep_later(p, weights, degrees, scores, levels, ranks);
}

void f0t_list_hessian(f0t_list_pairs *p, float *weights, const float *x, const float *scores,
                      const uint32_t *levels, const uint32_t *order, const float *degrees)
{
    const size_t T = p->tags;
    memset(p->sums, 0, (T + 1) * sizeof *p->sums);
    for (size_t i = T, next = T; i-- > 0;) {
        const uint32_t tag = order[i];
        const double s = (double)scores[tag];
        while (next > 0 && (double)scores[order[next - 1]] > s - 1) {
            next--;
            insert_sum(p->sums, T, T - 1 - levels[order[next]], (double)x[order[next]]);
        }
        weights[tag] = (float)((double)degrees[tag] * (double)x[tag] -
                               below_sum(p->sums, T - 1 - levels[tag]));
    }
    memset(p->sums, 0, (T + 1) * sizeof *p->sums);
    for (size_t j = 0, next = 0; j < T; j++) {
        const uint32_t tag = order[j];
        const double s = (double)scores[tag];
        for (; next < T && (double)scores[order[next]] < s + 1; next++)
            insert_sum(p->sums, T, levels[order[next]], (double)x[order[next]]);
        weights[tag] = 2 * (float)((double)weights[tag] - below_sum(p->sums, levels[tag]));
    }
}
