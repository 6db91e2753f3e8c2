#include "base/kernels.h"

enum { BLOCK = 64 };

/* One number for the block keeps the loop free of branches: compilers vectorise it. */
static int any_above(const float *x, float limit)
{
    int any = 0;
    for (int j = 0; j < BLOCK; j++)
        any |= x[j] > limit;
    return any;
}

size_t F0T_KERNEL(find_above)(const float *x, size_t from, size_t n, float limit)
{
    size_t i = from;
    while (n - i >= BLOCK && !any_above(x + i, limit))
        i += BLOCK;
    while (i < n && !(x[i] > limit))
        i++;
    return i;
}
