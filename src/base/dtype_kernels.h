/* The conversions that are worth an instruction set of their own. Compiled once a CPU level. */
#ifndef F0T_BASE_DTYPE_KERNELS_H
#define F0T_BASE_DTYPE_KERNELS_H

#include "base/cpu.h"

#include <stddef.h>
#include <stdint.h>

F0T_KERNEL_DECLARE(void, f16_to_f32, (float *to, const void *from, size_t n));
F0T_KERNEL_DECLARE(void, bf16_to_f32, (float *to, const void *from, size_t n));
F0T_KERNEL_DECLARE(void, f32_to_f16_block, (uint16_t * to, const float *from, size_t n));
F0T_KERNEL_DECLARE(void, f32_to_bf16_block, (uint16_t * to, const float *from, size_t n));

#endif
