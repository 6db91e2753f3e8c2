/* The inner loops of MiAP: ties.h and miap.h have what others call. */
#include "base/kernels.h"

#include <stdint.h>

/* 32-bit counts are as wide as floats, which makes them fast; tags are numbered by 32 bits. */
void F0T_KERNEL(count_above)(uint32_t *above, uint32_t *equal, const float *x, size_t n,
                             float value)
{
    uint32_t higher = 0, same = 0;
#pragma omp simd reduction(+ : higher, same)
    for (size_t i = 0; i < n; i++) {
        higher += x[i] > value;
        same += x[i] == value;
    }
    *above = higher;
    *equal = same;
}

bool F0T_KERNEL(has_nan)(const float *x, size_t n)
{
    uint32_t bad = 0;
#pragma omp simd reduction(| : bad)
    for (size_t i = 0; i < n; i++)
        bad |= x[i] != x[i];
    return bad;
}
