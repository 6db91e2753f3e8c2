#include "math/topk.h"

#include "base/alloc.h"
#include "base/kernels.h"
#include "base/size.h"
#include "base/team.h"

#include <math.h>
#include <string.h>

/* ---- The heap --------------------------------------------------------------------------------- */

/* The best so far, with the worst at the top; a scan for numbers above the worst passes over all
 * others. The values stand beside the indices, or, where `value` is NULL, at x[index]. */
typedef struct heap {
    uint32_t *index;
    float *value;
    const float *x;
    size_t count;
} heap;

static float value_of(const heap *h, size_t at)
{
    return h->value ? h->value[at] : h->x[h->index[at]];
}

/* NaN is worse than every number, and of two equal ones that with the higher index. */
static bool worse(float value, uint32_t index, float than_value, uint32_t than_index)
{
    if (value < than_value)
        return true;
    if (value > than_value)
        return false;
    bool none = isnan(value), than_none = isnan(than_value);
    return none != than_none ? none : index > than_index;
}

static bool worse_at(const heap *h, size_t at, float than_value, uint32_t than_index)
{
    return worse(value_of(h, at), h->index[at], than_value, than_index);
}

static void put(const heap *h, size_t at, float value, uint32_t index)
{
    h->index[at] = index;
    if (h->value)
        h->value[at] = value;
}

static void sift_down(const heap *h, size_t at, float value, uint32_t index)
{
    for (size_t child; (child = 2 * at + 1) < h->count; at = child) {
        if (child + 1 < h->count && worse_at(h, child + 1, value_of(h, child), h->index[child]))
            child++;
        if (!worse_at(h, child, value, index))
            break;
        put(h, at, value_of(h, child), h->index[child]);
    }
    put(h, at, value, index);
}

static void make_heap(const heap *h)
{
    for (size_t i = h->count / 2; i-- > 0;)
        sift_down(h, i, value_of(h, i), h->index[i]);
}

/* From a heap to the best first. */
static void sort(heap h)
{
    for (size_t last = h.count; last-- > 1;) {
        float value = value_of(&h, last);
        uint32_t index = h.index[last];
        put(&h, last, value_of(&h, 0), h.index[0]);
        h.count = last;
        sift_down(&h, 0, value, index);
    }
}

/* ---- All numbers at once ---------------------------------------------------------------------- */

/* While the worst is NaN every number is better, and nothing can be skipped. */
static size_t next_better(const float *x, size_t from, size_t n, float limit)
{
    if (!isnan(limit))
        return f0t_kernels()->find_above(x, from, n, limit);
    while (from < n && isnan(x[from]))
        from++;
    return from;
}

/* A heap of the h->count best of x[n], from those at h->index, which come before number `from`. Equal numbers that come
 * later never win: no tie is lost. */
static void improve(const heap *h, const float *x, size_t from, size_t n)
{
    make_heap(h);
    for (size_t i = from; (i = next_better(x, i, n, x[h->index[0]])) < n; i++)
        sift_down(h, 0, x[i], (uint32_t)i);
}

/* ---- A number of them that is neither small nor large -------------------------------------------- */

/* From MIDDLING on a heap takes many numbers that better ones replace: those above a bound are gathered and sorted. */
enum { MIDDLING = 32, MIDDLING_MOST = 256, LANES = 4, LONG = 4, GATHERED = 4 * MIDDLING_MOST };
enum { SHORT = 16 }; /* what is sorted by insertion */

/* Larger for what comes first: a larger number, or an equal one with a lower index. Not for NaN. */
static uint64_t key_of(float value, uint32_t index)
{
    uint32_t bits;
    value += 0.0F; /* -0 is 0 */
    memcpy(&bits, &value, sizeof bits);
    bits = bits >> 31 ? ~bits : bits | 0x80000000U;
    return (uint64_t)bits << 32 | (UINT32_MAX - index);
}

static void swap(uint64_t *a, uint64_t *b)
{
    const uint64_t kept = *a;
    *a = *b;
    *b = kept;
}

/* The largest to the front, of more than two keys that are all different. Returns how many these are, neither none nor
 * all. */
static size_t part(uint64_t *keys, size_t n)
{
    uint64_t *middle = &keys[n / 2], *last = &keys[n - 1];
    if (*middle > keys[0])
        swap(middle, keys);
    if (*last > keys[0])
        swap(last, keys);
    if (*last > *middle)
        swap(last, middle);
    const uint64_t pivot = *middle;
    size_t i = 0, j = n - 1;
    for (;;) {
        while (keys[i] > pivot)
            i++;
        while (keys[j] < pivot)
            j--;
        if (i >= j)
            return j + 1;
        swap(&keys[i++], &keys[j--]);
    }
}

static void insertion_sort(uint64_t *keys, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        const uint64_t key = keys[i];
        size_t j = i;
        for (; j > 0 && keys[j - 1] < key; j--)
            keys[j] = keys[j - 1];
        keys[j] = key;
    }
}

/* The first k in order. */
static void sort_keys(uint64_t *keys, size_t n, size_t k)
{
    while (n > SHORT) {
        const size_t front = part(keys, n);
        if (k > front)
            sort_keys(keys + front, n - front, k - front);
        n = front;
        k = k < front ? k : front;
    }
    insertion_sort(keys, n);
}

/* The k-th of x[n] from the top, n at most LANES · MIDDLING_MOST. */
static float kth(const float *x, size_t n, size_t k)
{
    uint64_t room[LANES * MIDDLING_MOST], *keys = room;
    for (size_t i = 0; i < n; i++)
        keys[i] = key_of(x[i], (uint32_t)i);
    while (n > SHORT) {
        const size_t front = part(keys, n);
        if (k > front) {
            keys += front;
            n -= front;
            k -= front;
        } else {
            n = front;
        }
    }
    insertion_sort(keys, n);
    return x[UINT32_MAX - (uint32_t)keys[k - 1]];
}

/* A number that the k best are not below, k from MIDDLING to MIDDLING_MOST: of the largest numbers of LANES · k parts
 * of x, the k-th. */
static float bound(const float *x, size_t n, size_t k)
{
    float most[LANES * MIDDLING_MOST];
    const size_t lanes = LANES * k;
    for (size_t j = 0; j < lanes; j++)
        most[j] = -INFINITY;
    for (size_t i = 0; i + lanes <= n; i += lanes)
        for (size_t j = 0; j < lanes; j++)
            most[j] = x[i + j] > most[j] ? x[i + j] : most[j];
    return kth(most, lanes, k);
}

/* False where the bound says nothing, or too little. */
static bool gather(uint32_t *index, const float *x, size_t n, size_t k)
{
    uint64_t keys[GATHERED];
    size_t count = 0;
    const float least = nextafterf(bound(x, n, k), -INFINITY);
    if (!(least > -INFINITY))
        return false;
    for (size_t i = 0; (i = f0t_kernels()->find_above(x, i, n, least)) < n; i++) {
        if (count == GATHERED)
            return false;
        keys[count++] = key_of(x[i], (uint32_t)i);
    }
    if (count < k) /* a bound that is denormal is 0 where the process has such numbers flushed */
        return false;
    sort_keys(keys, count, k);
    for (size_t i = 0; i < k; i++)
        index[i] = UINT32_MAX - (uint32_t)keys[i];
    return true;
}

/* ---- All numbers at once, whatever their number ----------------------------------------------------- */

static void take_by_heap(uint32_t *index, const float *x, size_t n, size_t count)
{
    const heap h = {index, NULL, x, count};
    for (size_t i = 0; i < count; i++)
        index[i] = (uint32_t)i;
    improve(&h, x, count, n);
    sort(h);
}

size_t f0t_topk_row(uint32_t *index, float *value, const float *x, size_t n, size_t k)
{
    const size_t count = k < n ? k : n;
    if (!count)
        return 0;
    const bool middling = count >= MIDDLING && count <= MIDDLING_MOST && n / count >= LONG * LANES;
    if (!middling || !gather(index, x, n, count))
        take_by_heap(index, x, n, count);
    for (size_t i = 0; value && i < count; i++)
        value[i] = x[index[i]];
    return count;
}

/* Below this many numbers, starting threads costs more than it saves. */
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

/* ---- Numbers piece by piece ------------------------------------------------------------------- */

f0t_status f0t_best_create(f0t_best **out, size_t rows, size_t k)
{
    f0t_best *b = NULL;
    size_t size;
    *out = NULL;
    if (!f0t_size_mul(&size, rows, k))
        return f0t_fail(F0T_ERROR_MEMORY, "no memory for the %zu best of %zu rows", k, rows);
    F0T_TRY(f0t_alloc_zero(&b, 1, sizeof *b));
    b->rows = rows;
    b->k = k;
    f0t_status status = f0t_alloc_zero(&b->count, rows, sizeof *b->count);
    if (status == F0T_OK)
        status = f0t_alloc(&b->index, size, sizeof *b->index);
    if (status == F0T_OK)
        status = f0t_alloc(&b->value, size, sizeof *b->value);
    if (status != F0T_OK) {
        f0t_best_free(b);
        return status;
    }
    *out = b;
    return F0T_OK;
}

void f0t_best_free(f0t_best *b)
{
    if (!b)
        return;
    f0t_free(b->count);
    f0t_free(b->index);
    f0t_free(b->value);
    f0t_free(b);
}

/* A heap once it is full, and unordered before. */
static heap row_of(const f0t_best *b, size_t row)
{
    return (heap){b->index + row * b->k, b->value + row * b->k, NULL, b->count[row]};
}

/* Takes numbers as they come until the row is full; returns how many of x it has read. */
static size_t fill(f0t_best *b, heap *h, const float *x, size_t n, uint32_t first, uint32_t skip)
{
    size_t i = 0;
    for (; i < n && h->count < b->k; i++) {
        uint32_t index = first + (uint32_t)i;
        if (index == skip || isnan(x[i]))
            continue;
        h->value[h->count] = x[i];
        h->index[h->count++] = index;
        if (h->count == b->k)
            make_heap(h);
    }
    return i;
}

void f0t_best_add(f0t_best *b, size_t row, const float *x, size_t n, uint32_t first, uint32_t skip)
{
    heap h = row_of(b, row);
    if (!b->k)
        return;
    size_t i = fill(b, &h, x, n, first, skip);
    b->count[row] = (uint32_t)h.count;
    for (; i < n; i++) {
        /* Also an equal number is of interest: its index may be lower. */
        i = f0t_kernels()->find_above(x, i, n, nextafterf(h.value[0], -INFINITY));
        if (i == n)
            return;
        uint32_t index = first + (uint32_t)i;
        if (index != skip && worse(h.value[0], h.index[0], x[i], index))
            sift_down(&h, 0, x[i], index);
    }
}

float f0t_best_least(const f0t_best *b, size_t row)
{
    return b->k && b->count[row] == b->k ? b->value[row * b->k] : -INFINITY;
}

void f0t_best_sort(f0t_best *b, size_t row)
{
    heap h = row_of(b, row);
    make_heap(&h);
    sort(h);
}
