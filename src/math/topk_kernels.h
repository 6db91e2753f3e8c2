/* The scan of top-k. Compiled once a CPU level. */
#ifndef F0T_MATH_TOPK_KERNELS_H
#define F0T_MATH_TOPK_KERNELS_H

#include "base/cpu.h"

#include <stddef.h>

/* The first i in from … n - 1 with x[i] > limit, or n. */
F0T_KERNEL_DECLARE(size_t, find_above, (const float *x, size_t from, size_t n, float limit));

#endif
