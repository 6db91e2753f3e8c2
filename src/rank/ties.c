#include "rank/ties.h"

#include "base/kernels.h"

#include <stdlib.h>

/* Up to this many scores are counted one by one, over all entries, which is fast for each; with more, all
 * entries are put between them by bisection. */
enum { FEW = 32 };

/* ---- Finding ------------------------------------------------------------------------------- */

static int compare_down(const void *a, const void *b)
{
    const float x = *(const float *)a, y = *(const float *)b;
    return (x < y) - (x > y);
}

static void sort_down(float *values, size_t count)
{
    if (count > FEW) {
        qsort(values, count, sizeof *values, compare_down);
        return;
    }
    for (size_t i = 1; i < count; i++) {
        const float value = values[i];
        size_t j = i;
        for (; j > 0 && values[j - 1] < value; j--)
            values[j] = values[j - 1];
        values[j] = value;
    }
}

size_t f0t_ties_group(f0t_tie *ties, float *values, size_t count)
{
    size_t groups = 0;
    sort_down(values, count);
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || values[i] != values[groups - 1]) {
            values[groups] = values[i];
            ties[groups++] = (f0t_tie){0};
        }
        ties[groups - 1].relevant++;
    }
    return groups;
}

/* The first of the falling values that is not above x; `count` if there is none. */
static size_t first_not_above(const float *values, size_t count, float x)
{
    size_t low = 0;
    while (count > 0) {
        const size_t half = count / 2;
        if (values[low + half] > x) {
            low += half + 1;
            count -= half + 1;
        } else {
            count = half;
        }
    }
    return low;
}

void f0t_ties_count(f0t_tie *ties, const float *values, size_t groups, const float *scores,
                    size_t n, size_t stride)
{
    for (size_t t = 0; t < n; t++) {
        const float score = scores[t * stride];
        const size_t i = first_not_above(values, groups, score);
        if (i == groups)
            continue;
        if (values[i] == score)
            ties[i].size++;
        else
            ties[i].above++; /* but below the tie before */
    }
}

void f0t_ties_add_up(f0t_tie *ties, size_t groups)
{
    for (size_t i = 1; i < groups; i++)
        ties[i].above += ties[i - 1].above + ties[i - 1].size;
}

size_t f0t_ties_find(f0t_tie *ties, float *values, const float *scores, size_t n,
                     const uint32_t *hits, size_t count)
{
    for (size_t i = 0; i < count; i++)
        values[i] = scores[hits[i]];
    const size_t groups = f0t_ties_group(ties, values, count);
    if (groups > FEW) {
        f0t_ties_count(ties, values, groups, scores, n, 1);
        f0t_ties_add_up(ties, groups);
        return groups;
    }
    for (size_t i = 0; i < groups; i++)
        f0t_kernels()->count_above(&ties[i].above, &ties[i].size, scores, n, values[i]);
    return groups;
}

/* ---- Average precision --------------------------------------------------------------------- */

/* A tie of g entries, r relevant, has ranks a + 1 … a + g; R relevant entries are above it. Whatever stands at
 * place j is relevant with probability r / g, and then (r − 1) / (g − 1) is the probability that any of
 * the j − 1 others before it in the tie is. */
static double sum_of(const f0t_tie *tie, double above_relevant)
{
    const double a = tie->above, g = tie->size, r = tie->relevant;
    const double others = tie->size > 1 ? (r - 1) / (g - 1) : 0;
    double sum = 0;
    for (uint32_t j = 1; j <= tie->size; j++)
        sum += (above_relevant + 1 + (j - 1) * others) / (a + j);
    return sum * (r / g);
}

double f0t_ties_precision(const f0t_tie *ties, size_t count)
{
    double sum = 0, relevant = 0;
    for (size_t i = 0; i < count; i++) {
        sum += sum_of(&ties[i], relevant);
        relevant += ties[i].relevant;
    }
    return sum / relevant;
}
