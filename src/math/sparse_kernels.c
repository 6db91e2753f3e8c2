#include "base/kernels.h"

#include <string.h>

enum { AHEAD = 4 }; /* rows of b that are fetched before they are needed */

static void fetch(const float *row, size_t n)
{
    for (size_t j = 0; j < n; j += 16)
        __builtin_prefetch(row + j);
}

void F0T_KERNEL(sparse_row)(float *c, const uint32_t *column, const float *value, size_t count,
                            const float *b, size_t n)
{
    memset(c, 0, n * sizeof *c);
    for (size_t k = 0; k < count; k++) {
        const float *row = b + column[k] * n;
        float v = value[k];
        if (k + AHEAD < count)
            fetch(b + column[k + AHEAD] * n, n);
        for (size_t j = 0; j < n; j++)
            c[j] += v * row[j];
    }
}
