#include "catalogue/hits.h"

#include "base/alloc.h"

#include <math.h>
#include <stdlib.h>

f0t_status f0t_hits_add(f0t_hits *hits, f0t_hit hit)
{
    F0T_TRY(f0t_grow(&hits->items, &hits->capacity, hits->count, 1, sizeof *hits->items));
    if (isnan(hit.surety)) /* of a damaged file: sorting needs an order */
        hit.surety = -INFINITY;
    hits->items[hits->count++] = hit;
    return F0T_OK;
}

void f0t_hits_free(f0t_hits *hits)
{
    f0t_free(hits->items);
    *hits = (f0t_hits){0};
}

static int compare_ids(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

static int by_id(const void *left, const void *right)
{
    const f0t_hit *a = left, *b = right;
    const int order = compare_ids(a->id, b->id);
    return order ? order : b->tagged - a->tagged;
}

static int by_surety(const void *left, const void *right)
{
    const f0t_hit *a = left, *b = right;
    return a->surety != b->surety ? (a->surety < b->surety ? 1 : -1)
           : a->taken != b->taken ? (a->taken < b->taken ? 1 : -1)
                                  : compare_ids(a->id, b->id);
}

void f0t_hits_sort_by_id(f0t_hits *hits)
{
    size_t kept = 0;
    if (!hits->count)
        return;
    qsort(hits->items, hits->count, sizeof *hits->items, by_id);
    for (size_t i = 1; i < hits->count; i++)
        if (hits->items[i].id != hits->items[kept].id)
            hits->items[++kept] = hits->items[i];
    hits->count = kept + 1;
}

void f0t_hits_sort_by_surety(f0t_hit *items, size_t count)
{
    if (count)
        qsort(items, count, sizeof *items, by_surety);
}

const f0t_hit *f0t_hits_find(const f0t_hits *hits, int64_t id)
{
    size_t first = 0, end = hits->count;
    while (first < end) {
        const size_t middle = first + (end - first) / 2;
        if (hits->items[middle].id < id)
            first = middle + 1;
        else
            end = middle;
    }
    return first < hits->count && hits->items[first].id == id ? &hits->items[first] : NULL;
}
