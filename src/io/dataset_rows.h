/* The tags of many images as indices: row m is indices[offsets[m]] … indices[offsets[m + 1] - 1]. */
#ifndef F0T_IO_DATASET_ROWS_H
#define F0T_IO_DATASET_ROWS_H

#include "base/status.h"

/* Built row by row. All zero has no rows. */
typedef struct f0t_rows {
    size_t *offsets; /* [count + 1]; NULL before the first row has ended */
    size_t count, offsets_capacity;
    uint32_t *indices;
    size_t used, indices_capacity; /* used: with those of the row that has not ended */
    uint64_t repeats;              /* indices that a row had twice and that were merged */
} f0t_rows;

/* Adds an index to the row that is being built. */
f0t_status f0t_rows_add(f0t_rows *rows, uint32_t index);
/* Ends the row: its indices are sorted, and each is there once. */
f0t_status f0t_rows_end(f0t_rows *rows);
/* The indices of row m. */
const uint32_t *f0t_rows_get(const f0t_rows *rows, size_t m, size_t *count);
void f0t_rows_free(f0t_rows *rows);

#endif
