/* Compiled once a CPU level. */
#ifndef F0T_WORD_NEAREST_KERNELS_H
#define F0T_WORD_NEAREST_KERNELS_H

#include "base/cpu.h"

#include <stddef.h>

/* The products of a[n] with b[n] and with itself, summed in double: nothing overflows. */
F0T_KERNEL_DECLARE(void, products,
                   (double *ab, double *aa, const float *a, const float *b, size_t n));

#endif
