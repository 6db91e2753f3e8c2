#include "math/topk.h"

#include "base/kernels.h"
#include "base/team.h"

#include <math.h>

/* The best k so far are a heap of indices with the worst at its top; a scan for numbers above the
 * worst passes over all others. Equal numbers that come later never win: no tie is lost. */

static bool worse(const float *x, uint32_t i, uint32_t j)
{
    bool no_i = isnan(x[i]), no_j = isnan(x[j]);
    if (no_i != no_j)
        return no_i;
    if (!no_i && x[i] != x[j])
        return x[i] < x[j];
    return i > j;
}

static void sift_down(uint32_t *heap, size_t count, size_t at, const float *x)
{
    uint32_t moved = heap[at];
    for (size_t child; (child = 2 * at + 1) < count; at = child) {
        if (child + 1 < count && worse(x, heap[child + 1], heap[child]))
            child++;
        if (!worse(x, heap[child], moved))
            break;
        heap[at] = heap[child];
    }
    heap[at] = moved;
}

static void heap_sort(uint32_t *heap, size_t count, const float *x)
{
    for (size_t last = count; last-- > 1;) {
        uint32_t worst = heap[0];
        heap[0] = heap[last];
        heap[last] = worst;
        sift_down(heap, last, 0, x);
    }
}

/* While the worst is NaN every number is better, and nothing can be skipped. */
static size_t next_better(const float *x, size_t from, size_t n, float limit)
{
    if (!isnan(limit))
        return f0t_kernels()->find_above(x, from, n, limit);
    while (from < n && isnan(x[from]))
        from++;
    return from;
}

size_t f0t_topk_row(uint32_t *index, float *value, const float *x, size_t n, size_t k)
{
    size_t count = k < n ? k : n;
    if (!count)
        return 0;
    for (size_t i = 0; i < count; i++)
        index[i] = (uint32_t)i;
    for (size_t i = count / 2; i-- > 0;)
        sift_down(index, count, i, x);
    for (size_t i = count; (i = next_better(x, i, n, x[index[0]])) < n; i++) {
        index[0] = (uint32_t)i;
        sift_down(index, count, 0, x);
    }
    heap_sort(index, count, x);
    for (size_t i = 0; value && i < count; i++)
        value[i] = x[index[i]];
    return count;
}

/* Below this many numbers, starting threads costs more than it gives. */
enum { SMALL = 1 << 15 };

void f0t_topk_rows(uint32_t *index, float *value, const float *x, size_t rows, size_t n, size_t k)
{
    size_t count = k < n ? k : n;
    int threads = f0t_team_size();
    (void)threads;
#pragma omp parallel for schedule(static) num_threads(threads) if (rows > 1 && rows * n > SMALL)
    for (size_t i = 0; i < rows; i++)
        f0t_topk_row(index + i * count, value ? value + i * count : NULL, x + i * n, n, k);
}
