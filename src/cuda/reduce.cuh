/* Reductions of a warp and of a block, in a fixed order: the same bytes every time. */
#ifndef F0T_CUDA_REDUCE_CUH
#define F0T_CUDA_REDUCE_CUH

#include "cuda/device.cuh"

/* Of every kernel that reduces. */
enum { THREADS = 256, WARPS = THREADS / 32 };

template <typename T, typename ADD> __device__ inline T reduce_warp(T value, ADD add)
{
    for (int far = 16; far; far /= 2)
        value = add(value, __shfl_xor_sync(0xFFFFFFFFU, value, far));
    return value;
}

/* Of all threads, to all of them. */
template <typename T, typename ADD> __device__ inline T reduce_block(T value, ADD add)
{
    __shared__ T of_warp[WARPS];
    __syncthreads();
    value = reduce_warp(value, add);
    if (threadIdx.x % 32 == 0)
        of_warp[threadIdx.x / 32] = value;
    __syncthreads();
    value = of_warp[0];
    for (int w = 1; w < WARPS; w++)
        value = add(value, of_warp[w]);
    return value;
}

__device__ inline double sum_warp(double value)
{
    return reduce_warp(value, [](double a, double b) { return a + b; });
}

__device__ inline double sum_block(double value)
{
    return reduce_block(value, [](double a, double b) { return a + b; });
}

__device__ inline unsigned least_block(unsigned value)
{
    return reduce_block(value, [](unsigned a, unsigned b) { return a < b ? a : b; });
}

#endif
