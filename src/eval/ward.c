/* Ward's clustering: of all pairs of groups, the one is joined that adds least to the variance inside
 * groups (Ward, JASA 58, 1963; the update is that of Lance and Williams, 1967). */
#include "eval/study.h"

#include <math.h>
#include <string.h>

static double squared_distance(const float *a, const float *b, size_t dim)
{
    double sum = 0;
    for (size_t k = 0; k < dim; k++) {
        const double d = (double)a[k] - (double)b[k];
        sum += d * d;
    }
    return sum;
}

/* Groups in work: a group stays in the row of its first point; a row that was joined has weight 0. */
typedef struct table {
    size_t count;
    double *distances; /* [count x count] */
    double *weights;   /* [count] */
} table;

static void find_nearest(const table *t, size_t *a, size_t *b)
{
    double least = HUGE_VAL;
    for (size_t i = 0; i < t->count; i++)
        for (size_t j = 0; t->weights[i] > 0 && j < i; j++)
            if (t->weights[j] > 0 && t->distances[i * t->count + j] < least) {
                least = t->distances[i * t->count + j];
                *a = j;
                *b = i;
            }
}

static void join(const table *t, size_t a, size_t b)
{
    const size_t n = t->count;
    const double wa = t->weights[a], wb = t->weights[b], ab = t->distances[a * n + b];
    for (size_t k = 0; k < n; k++) {
        const double w = t->weights[k];
        if (w <= 0 || k == a || k == b)
            continue;
        const double d =
            ((wa + w) * t->distances[a * n + k] + (wb + w) * t->distances[b * n + k] - w * ab) /
            (wa + wb + w);
        t->distances[a * n + k] = t->distances[k * n + a] = d;
    }
    t->weights[a] += wb;
    t->weights[b] = 0;
}

void f0t_ward(f0t_merge *merges, const float *vectors, size_t dim, const uint32_t *points,
              size_t count, double *room)
{
    const table t = {count, room, room + count * count};
    for (size_t i = 0; i < count; i++) {
        t.weights[i] = 1;
        for (size_t j = 0; j < count; j++)
            t.distances[i * count + j] =
                squared_distance(vectors + points[i] * dim, vectors + points[j] * dim, dim);
    }
    for (size_t i = 0; i + 1 < count; i++) {
        size_t a = 0, b = 0;
        find_nearest(&t, &a, &b);
        join(&t, a, b);
        merges[i] = (f0t_merge){(uint32_t)a, (uint32_t)b};
    }
}

void f0t_ward_cut(uint32_t *group, const f0t_merge *merges, size_t count, size_t k)
{
    for (size_t i = 0; i < count; i++)
        group[i] = (uint32_t)i;
    for (size_t m = 0; m + k < count; m++)
        for (size_t i = 0; i < count; i++)
            if (group[i] == merges[m].b)
                group[i] = merges[m].a;
    /* Numbered in the order of their first points. */
    uint32_t next = 0;
    for (size_t i = 0; i < count; i++) {
        if (group[i] != i)
            group[i] = group[group[i]];
        else
            group[i] = next++;
    }
}
