/* A row of a sparse matrix times a dense one. Compiled once a CPU level. */
#ifndef F0T_MATH_SPARSE_KERNELS_H
#define F0T_MATH_SPARSE_KERNELS_H

#include "base/cpu.h"

#include <stddef.h>
#include <stdint.h>

/* c[n] = Σ value[k] · row column[k] of b[… x n], k below count. */
F0T_KERNEL_DECLARE(void, sparse_row,
                   (float *c, const uint32_t *column, const float *value, size_t count,
                    const float *b, size_t n));

#endif
