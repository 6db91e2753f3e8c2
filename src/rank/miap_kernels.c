/* The inner loops of MiAP: miap.h has what others call. */
#include "base/kernels.h"

#include <stdint.h>

/* 32-bit counts are as wide as floats, which makes them fast; so a stretch at a time. */
enum { STRETCH = 1 << 24 };

size_t F0T_KERNEL(count_before)(const float *x, size_t n, size_t at)
{
    const float score = x[at];
    size_t total = 0;
    for (size_t from = 0, to; from < n; from = to) {
        uint32_t count = 0;
        /* Before `at` equal ones count, after it they do not. */
        size_t end = from < at ? at : n;
        to = end - from < STRETCH ? end : from + STRETCH;
        if (from < at) {
#pragma omp simd reduction(+ : count)
            for (size_t i = from; i < to; i++)
                count += x[i] >= score;
        } else {
#pragma omp simd reduction(+ : count)
            for (size_t i = from; i < to; i++)
                count += x[i] > score;
        }
        total += count;
    }
    return total;
}

bool F0T_KERNEL(has_nan)(const float *x, size_t n)
{
    uint32_t bad = 0;
#pragma omp simd reduction(| : bad)
    for (size_t i = 0; i < n; i++)
        bad |= x[i] != x[i];
    return bad;
}
