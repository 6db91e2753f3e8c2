#include "rank/ranksvm_pairs.h"

#include "base/alloc.h"

#include <math.h>
#include <string.h>

/* ---- Sorting by score -------------------------------------------------------------------------- */

/* A number that sorts as the score does, over the tag. */
static uint64_t key_of(float score, size_t tag)
{
    uint32_t bits;
    memcpy(&bits, &score, sizeof bits);
    bits = bits >> 31 ? ~bits : bits | 0x80000000U;
    return (uint64_t)bits << 32 | (uint32_t)tag;
}

/* By the upper half of each key, eleven bits per pass: stable, and linear in time, whatever the scores
 * are. */
static void radix_sort(uint64_t **keys, uint64_t **swap, size_t count)
{
    for (int shift = 32; shift < 64; shift += 11) {
        uint32_t starts[2048] = {0}, total = 0;
        uint64_t *from = *keys, *to = *swap;
        for (size_t i = 0; i < count; i++)
            starts[from[i] >> shift & 2047]++;
        for (size_t b = 0; b < 2048; b++) {
            uint32_t here = starts[b];
            starts[b] = total;
            total += here;
        }
        for (size_t i = 0; i < count; i++)
            to[starts[from[i] >> shift & 2047]++] = from[i];
        *keys = to;
        *swap = from;
    }
}

/* ---- Two kinds of tags, by a sort -------------------------------------------------------------- */

/* One side of the pairs, relevant or irrelevant, by ascending score. */
typedef struct side {
    size_t count;
    uint64_t *keys; /* [tags] a number that sorts as the score does, over the tag */
    double *score;  /* [tags] */
    double *sum;    /* [tags + 1] prefix sums of the scores, or of what is summed */
    double *square; /* [tags + 1] of their squares */
} side;

struct f0t_svm_sorted {
    side relevant, irrelevant;
    uint64_t *swap; /* [tags] */
};

static f0t_status side_create(side *s, size_t tags)
{
    F0T_TRY(f0t_alloc(&s->keys, tags, sizeof *s->keys));
    F0T_TRY(f0t_alloc(&s->score, tags, sizeof *s->score));
    F0T_TRY(f0t_alloc(&s->sum, tags + 1, sizeof *s->sum));
    return f0t_alloc(&s->square, tags + 1, sizeof *s->square);
}

static void side_free(side *s)
{
    f0t_free(s->keys);
    f0t_free(s->score);
    f0t_free(s->sum);
    f0t_free(s->square);
}

f0t_status f0t_svm_sorted_create(f0t_svm_sorted **out, size_t tags)
{
    f0t_svm_sorted *sorted = NULL;
    *out = NULL;
    F0T_TRY(f0t_alloc_zero(&sorted, 1, sizeof *sorted));
    f0t_status status = side_create(&sorted->relevant, tags);
    if (status == F0T_OK)
        status = side_create(&sorted->irrelevant, tags);
    if (status == F0T_OK)
        status = f0t_alloc(&sorted->swap, tags, sizeof *sorted->swap);
    if (status == F0T_OK)
        *out = sorted;
    else
        f0t_svm_sorted_free(sorted);
    return status;
}

void f0t_svm_sorted_free(f0t_svm_sorted *sorted)
{
    if (!sorted)
        return;
    side_free(&sorted->relevant);
    side_free(&sorted->irrelevant);
    f0t_free(sorted->swap);
    f0t_free(sorted);
}

static uint32_t tag_at(const side *s, size_t i)
{
    return (uint32_t)s->keys[i];
}

static void side_sort(side *s, uint64_t **swap, const float *scores)
{
    radix_sort(&s->keys, swap, s->count);
    for (size_t i = 0; i < s->count; i++)
        s->score[i] = (double)scores[tag_at(s, i)];
}

static void sort_sides(f0t_svm_sorted *sorted, const float *scores, const f0t_svm_rule *rule)
{
    side *p = &sorted->relevant, *n = &sorted->irrelevant;
    p->count = n->count = 0;
    for (size_t t = 0; t < rule->tags; t++) {
        bool relevant = p->count < rule->count && rule->relevant[p->count] == t;
        side *s = relevant ? p : n;
        s->keys[s->count++] = key_of(scores[t], t);
    }
    side_sort(p, &sorted->swap, scores);
    side_sort(n, &sorted->swap, scores);
}

static void prefix_scores(side *s)
{
    s->sum[0] = s->square[0] = 0;
    for (size_t i = 0; i < s->count; i++) {
        s->sum[i + 1] = s->sum[i] + s->score[i];
        s->square[i + 1] = s->square[i] + s->score[i] * s->score[i];
    }
}

static void prefix_values(side *s, const float *x)
{
    s->sum[0] = 0;
    for (size_t i = 0; i < s->count; i++)
        s->sum[i + 1] = s->sum[i] + (double)x[tag_at(s, i)];
}

/* The zone is where 0 < z < width. */
static double zone_width(f0t_svm_loss loss)
{
    return loss.cap / loss.k;
}

/* z = base - score over the relevant tags [0, from) beyond the zone and [from, to) in it. */
static double add_pairs(f0t_svm_sums *sums, const side *p, double base, size_t from, size_t to,
                        f0t_svm_loss loss)
{
    const double in = (double)(to - from), sum = p->sum[to] - p->sum[from];
    const double z = in * base - sum;
    const double zz = in * base * base - 2 * base * sum + p->square[to] - p->square[from];
    const double beyond = from ? (double)from * base - p->sum[from] : 0;
    const double cap = from ? loss.cap : 0;
    const double slope = loss.k * z + cap * (double)from;
    sums->slope += slope;
    sums->moment += loss.k * zz + cap * beyond;
    sums->square += loss.k * loss.k * zz + cap * cap * (double)from;
    sums->slack += z + beyond;
    sums->zone += in;
    return slope;
}

void f0t_svm_sorted_gradient(f0t_svm_sorted *sorted, f0t_svm_sums *sums, float *weights,
                             const float *scores, const f0t_svm_rule *rule, f0t_svm_loss loss)
{
    const side *p = &sorted->relevant, *n = &sorted->irrelevant;
    const double width = zone_width(loss);
    sort_sides(sorted, scores, rule);
    prefix_scores(&sorted->relevant);
    prefix_scores(&sorted->irrelevant);
    memset(sums, 0, sizeof *sums);
    for (size_t j = 0, from = 0, to = 0; j < n->count; j++) {
        const double base = 1 + n->score[j];
        while (to < p->count && p->score[to] < base)
            to++;
        while (from < to && base - p->score[from] >= width)
            from++;
        weights[tag_at(n, j)] = -(float)add_pairs(sums, p, base, from, to, loss);
    }
    for (size_t i = 0, from = 0, to = 0; i < p->count; i++) {
        const double base = 1 - p->score[i];
        while (from < n->count && base + n->score[from] <= 0)
            from++;
        while (to < n->count && base + n->score[to] < width)
            to++;
        const double in = (double)(to - from), beyond = (double)(n->count - to);
        const double z = in * base + n->sum[to] - n->sum[from];
        weights[tag_at(p, i)] = (float)(loss.k * z + (beyond > 0 ? loss.cap * beyond : 0));
    }
}

void f0t_svm_sorted_hessian(f0t_svm_sorted *sorted, float *weights, const float *x,
                            const float *scores, const f0t_svm_rule *rule, f0t_svm_loss loss)
{
    const side *p = &sorted->relevant, *n = &sorted->irrelevant;
    const double width = zone_width(loss);
    sort_sides(sorted, scores, rule);
    prefix_values(&sorted->relevant, x);
    prefix_values(&sorted->irrelevant, x);
    for (size_t j = 0, from = 0, to = 0; j < n->count; j++) {
        const double base = 1 + n->score[j];
        const uint32_t tag = tag_at(n, j);
        while (to < p->count && p->score[to] < base)
            to++;
        while (from < to && base - p->score[from] >= width)
            from++;
        double y = (double)(to - from) * (double)x[tag] - (p->sum[to] - p->sum[from]);
        weights[tag] = (float)(loss.k * y);
    }
    for (size_t i = 0, from = 0, to = 0; i < p->count; i++) {
        const double base = 1 - p->score[i];
        const uint32_t tag = tag_at(p, i);
        while (from < n->count && base + n->score[from] <= 0)
            from++;
        while (to < n->count && base + n->score[to] < width)
            to++;
        double y = (double)(to - from) * (double)x[tag] - (n->sum[to] - n->sum[from]);
        weights[tag] = (float)(loss.k * y);
    }
}

/* ---- Two kinds of tags ------------------------------------------------------------------------- */

struct f0t_svm_pairs {
    float *irrelevant; /* [tags] scores, those of relevant tags far below any margin */
    float *relevant;   /* [tags] */
    float *x, *y;      /* [tags] of relevant tags */
    f0t_svm_sorted *sorted;
};

/* From here on a sort of all tags costs less than a pass over them for each relevant tag. */
enum { WIDE = 768 };

/* A score that puts every pair of its tag out of the zone and out of the loss. */
static const float far_below = -1e30F;

bool f0t_svm_rule_is_wide(const f0t_svm_rule *rule)
{
    return rule->count > WIDE && rule->tags - rule->count > WIDE / 8;
}

f0t_status f0t_svm_pairs_create(f0t_svm_pairs **out, size_t tags, bool wide)
{
    f0t_svm_pairs *pairs = NULL;
    *out = NULL;
    F0T_TRY(f0t_alloc_zero(&pairs, 1, sizeof *pairs));
    f0t_status status = f0t_alloc(&pairs->irrelevant, tags, sizeof(float));
    if (status == F0T_OK)
        status = f0t_alloc(&pairs->relevant, tags, sizeof(float));
    if (status == F0T_OK)
        status = f0t_alloc(&pairs->x, tags, sizeof(float));
    if (status == F0T_OK)
        status = f0t_alloc(&pairs->y, tags, sizeof(float));
    if (status == F0T_OK && wide)
        status = f0t_svm_sorted_create(&pairs->sorted, tags);
    if (status == F0T_OK)
        *out = pairs;
    else
        f0t_svm_pairs_free(pairs);
    return status;
}

void f0t_svm_pairs_free(f0t_svm_pairs *pairs)
{
    if (!pairs)
        return;
    f0t_free(pairs->irrelevant);
    f0t_free(pairs->relevant);
    f0t_free(pairs->x);
    f0t_free(pairs->y);
    f0t_svm_sorted_free(pairs->sorted);
    f0t_free(pairs);
}

static void part(f0t_svm_pairs *pairs, const float *scores, const f0t_svm_rule *rule)
{
    memcpy(pairs->irrelevant, scores, rule->tags * sizeof(float));
    for (size_t i = 0; i < rule->count; i++) {
        pairs->relevant[i] = scores[rule->relevant[i]];
        pairs->irrelevant[rule->relevant[i]] = far_below;
    }
}

void f0t_svm_pairs_gradient(f0t_svm_pairs *pairs, f0t_svm_sums *sums, float *weights,
                            const float *scores, const f0t_svm_rule *rule, f0t_svm_loss loss)
{
    if (pairs->sorted && f0t_svm_rule_is_wide(rule)) {
        f0t_svm_sorted_gradient(pairs->sorted, sums, weights, scores, rule, loss);
        return;
    }
    part(pairs, scores, rule);
    f0t_kernels()->svm_pairs_f32(sums, pairs->y, weights, pairs->relevant, rule->count,
                                 pairs->irrelevant, rule->tags, loss);
    for (size_t t = 0; t < rule->tags; t++)
        weights[t] = -weights[t];
    for (size_t i = 0; i < rule->count; i++)
        weights[rule->relevant[i]] = pairs->y[i];
}

double f0t_svm_pairs_hessian(f0t_svm_pairs *pairs, float *weights, const float *x,
                             const float *scores, const f0t_svm_rule *rule, f0t_svm_loss loss)
{
    if (pairs->sorted && f0t_svm_rule_is_wide(rule)) {
        f0t_svm_sorted_hessian(pairs->sorted, weights, x, scores, rule, loss);
    } else {
        const f0t_svm_zone zone = {pairs->relevant, pairs->irrelevant, rule->count, rule->tags,
                                   loss};
        part(pairs, scores, rule);
        for (size_t i = 0; i < rule->count; i++)
            pairs->x[i] = x[rule->relevant[i]];
        f0t_kernels()->svm_zone_product(pairs->y, weights, pairs->x, x, &zone);
        for (size_t i = 0; i < rule->count; i++)
            weights[rule->relevant[i]] = pairs->y[i];
        for (size_t t = 0; t < rule->tags; t++)
            weights[t] *= (float)loss.k;
    }
    return f0t_kernels()->svm_dot(x, weights, rule->tags);
}

/* ---- Ranking lists ----------------------------------------------------------------------------- */

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

static void sort_tags(f0t_list_pairs *p, const float *x)
{
    for (size_t i = 0; i < p->tags; i++)
        p->keys[i] = key_of(x[i] + 0.0F, i); /* −0 is 0 */
    radix_sort(&p->keys, &p->swap, p->tags);
}

size_t f0t_list_levels(f0t_list_pairs *p, uint32_t *levels, const float *list)
{
    uint32_t level = 0;
    sort_tags(p, list);
    for (size_t i = p->tags; i-- > 0;) {
        if (i + 1 < p->tags && p->keys[i] >> 32 != p->keys[i + 1] >> 32)
            level++;
        levels[(uint32_t)p->keys[i]] = level;
    }
    return p->tags ? (size_t)level + 1 : 0;
}

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
    sort_tags(p, scores);
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
