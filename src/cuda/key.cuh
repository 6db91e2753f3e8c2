/* A number and its index as one key of 64 bits, in which larger numbers, and of equal ones lower indices, are larger: no two
 * keys are equal, and so a ranking does not depend on who comes first. NaN comes last, and 0 stands for no number. */
#ifndef F0T_CUDA_KEY_CUH
#define F0T_CUDA_KEY_CUH

#include "cuda/device.cuh"

__device__ inline uint64_t key_of(const float *x, size_t i)
{
    const float value = x[i];
    const uint32_t bits = value == 0.0F ? 0 : __float_as_uint(value); /* -0 is 0 */
    const uint32_t order = bits & 0x80000000U ? ~bits : bits | 0x80000000U;
    return (uint64_t)(isnan(value) ? 0 : order) << 32 | ~(uint32_t)i;
}

#endif
