#include "io/dataset_rows.h"

#include "base/alloc.h"

#include <stdlib.h>

enum { FEW = 32 }; /* up to here insertion beats qsort */

f0t_status f0t_rows_add(f0t_rows *rows, uint32_t index)
{
    F0T_TRY(
        f0t_grow(&rows->indices, &rows->indices_capacity, rows->used, 1, sizeof *rows->indices));
    rows->indices[rows->used++] = index;
    return F0T_OK;
}

static int compare(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static void sort(uint32_t *indices, size_t n)
{
    if (n > FEW) {
        qsort(indices, n, sizeof *indices, compare);
        return;
    }
    for (size_t i = 1; i < n; i++) {
        uint32_t held = indices[i];
        size_t k = i;
        for (; k && indices[k - 1] > held; k--)
            indices[k] = indices[k - 1];
        indices[k] = held;
    }
}

f0t_status f0t_rows_end(f0t_rows *rows)
{
    F0T_TRY(f0t_grow(&rows->offsets, &rows->offsets_capacity, rows->count + (rows->offsets != NULL),
                     2, sizeof *rows->offsets));
    if (rows->count == 0)
        rows->offsets[0] = 0;
    size_t start = rows->offsets[rows->count], kept = start;
    if (rows->used > start)
        sort(rows->indices + start, rows->used - start);
    for (size_t i = start; i < rows->used; i++)
        if (i == start || rows->indices[i] != rows->indices[kept - 1])
            rows->indices[kept++] = rows->indices[i];
    rows->repeats += rows->used - kept;
    rows->used = kept;
    rows->offsets[++rows->count] = kept;
    return F0T_OK;
}

const uint32_t *f0t_rows_get(const f0t_rows *rows, size_t m, size_t *count)
{
    *count = rows->offsets[m + 1] - rows->offsets[m];
    return rows->indices ? rows->indices + rows->offsets[m] : NULL; /* NULL: no row has any */
}

void f0t_rows_free(f0t_rows *rows)
{
    f0t_free(rows->offsets);
    f0t_free(rows->indices);
    *rows = (f0t_rows){0};
}
