/* Compiled once a CPU level: miap.h has what others call. */
#ifndef F0T_RANK_MIAP_KERNELS_H
#define F0T_RANK_MIAP_KERNELS_H

#include "base/cpu.h"

#include <stdbool.h>
#include <stddef.h>

/* How many of x rank before x[at]: larger, or equal and earlier. */
F0T_KERNEL_DECLARE(size_t, count_before, (const float *x, size_t n, size_t at));

F0T_KERNEL_DECLARE(bool, has_nan, (const float *x, size_t n));

#endif
