#include "math/best.h"

#include "base/alloc.h"
#include "base/kernels.h"
#include "base/size.h"

#include <math.h>

/* A row is a heap with its worst at the top once it is full, and unordered before. */

typedef struct heap {
    uint32_t *index;
    float *value;
    size_t count;
} heap;

static bool worse(float value, uint32_t index, float than_value, uint32_t than_index)
{
    return value < than_value || (value == than_value && index > than_index);
}

static void sift_down(const heap *h, size_t at, float value, uint32_t index)
{
    for (size_t child; (child = 2 * at + 1) < h->count; at = child) {
        if (child + 1 < h->count &&
            worse(h->value[child + 1], h->index[child + 1], h->value[child], h->index[child]))
            child++;
        if (!worse(h->value[child], h->index[child], value, index))
            break;
        h->value[at] = h->value[child];
        h->index[at] = h->index[child];
    }
    h->value[at] = value;
    h->index[at] = index;
}

static void order(const heap *h)
{
    for (size_t i = h->count / 2; i-- > 0;)
        sift_down(h, i, h->value[i], h->index[i]);
}

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

/* Takes numbers as they come until the row is full; gives how many of x it has looked at. */
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
            order(h);
    }
    return i;
}

void f0t_best_add(f0t_best *b, size_t row, const float *x, size_t n, uint32_t first, uint32_t skip)
{
    heap h = {b->index + row * b->k, b->value + row * b->k, b->count[row]};
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

void f0t_best_sort(f0t_best *b, size_t row)
{
    heap h = {b->index + row * b->k, b->value + row * b->k, b->count[row]};
    order(&h);
    for (size_t last = h.count; last-- > 1;) {
        float value = h.value[last];
        uint32_t index = h.index[last];
        h.value[last] = h.value[0];
        h.index[last] = h.index[0];
        h.count = last;
        sift_down(&h, 0, value, index);
    }
}
