#include "rank/ranksvm_sorted.h"

#include "base/alloc.h"

#include <math.h>
#include <string.h>

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

/* ---- Sorting --------------------------------------------------------------------------------- */

static uint64_t key_of(float score, size_t tag)
{
    uint32_t bits;
    memcpy(&bits, &score, sizeof bits);
    bits = bits >> 31 ? ~bits : bits | 0x80000000U;
    return (uint64_t)bits << 32 | (uint32_t)tag;
}

/* By the upper half of each key, eleven bits a pass: linear in time, whatever the scores are. */
static void radix_sort(uint64_t *keys, uint64_t *swap, size_t count)
{
    for (int shift = 32; shift < 64; shift += 11) {
        size_t starts[2048] = {0}, total = 0;
        for (size_t i = 0; i < count; i++)
            starts[keys[i] >> shift & 2047]++;
        for (size_t b = 0; b < 2048; b++) {
            size_t here = starts[b];
            starts[b] = total;
            total += here;
        }
        for (size_t i = 0; i < count; i++)
            swap[starts[keys[i] >> shift & 2047]++] = keys[i];
        memcpy(keys, swap, count * sizeof *keys);
    }
}

static uint32_t tag_at(const side *s, size_t i)
{
    return (uint32_t)s->keys[i];
}

static void side_sort(side *s, uint64_t *swap, const float *scores)
{
    radix_sort(s->keys, swap, s->count);
    for (size_t i = 0; i < s->count; i++)
        s->score[i] = (double)scores[tag_at(s, i)];
}

static void sort(f0t_svm_sorted *sorted, const float *scores, const f0t_svm_rule *rule)
{
    side *p = &sorted->relevant, *n = &sorted->irrelevant;
    p->count = n->count = 0;
    for (size_t t = 0; t < rule->tags; t++) {
        bool relevant = p->count < rule->count && rule->relevant[p->count] == t;
        side *s = relevant ? p : n;
        s->keys[s->count++] = key_of(scores[t], t);
    }
    side_sort(p, sorted->swap, scores);
    side_sort(n, sorted->swap, scores);
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

/* ---- Sums ------------------------------------------------------------------------------------ */

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
    sort(sorted, scores, rule);
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
    sort(sorted, scores, rule);
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
