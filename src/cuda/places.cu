/* Where the relevant entries of rows stand: one block per row, one warp per entry. */
#include "cuda/device.cuh"

enum { THREADS = 256, WARPS = THREADS / 32 };

__global__ void __launch_bounds__(THREADS)
    find_places(uint2 *places, unsigned *bad, const float *scores, size_t n,
                const uint32_t *offsets, const uint32_t *relevant)
{
    const float *row = scores + blockIdx.x * n;
    const unsigned lane = threadIdx.x % 32;
    int nan = 0;
    for (size_t t = threadIdx.x; t < n; t += THREADS)
        nan |= isnan(row[t]);
    if (__syncthreads_or(nan)) {
        if (threadIdx.x == 0)
            atomicMin(bad, blockIdx.x);
        return;
    }
    for (uint32_t i = offsets[blockIdx.x] + threadIdx.x / 32; i < offsets[blockIdx.x + 1];
         i += WARPS) {
        const float own = row[relevant[i]];
        unsigned above = 0, equal = 0;
        for (size_t t = lane; t < n; t += 32) {
            above += row[t] > own;
            equal += row[t] == own;
        }
        above = __reduce_add_sync(0xFFFFFFFFU, above);
        equal = __reduce_add_sync(0xFFFFFFFFU, equal);
        if (lane == 0)
            places[i] = make_uint2(above, equal);
    }
}

cudaError_t f0t_kernel_places(uint2 *places, unsigned *bad, const float *scores, size_t rows,
                              size_t n, const uint32_t *offsets, const uint32_t *relevant,
                              cudaStream_t stream)
{
    find_places<<<(unsigned)rows, THREADS, 0, stream>>>(places, bad, scores, n, offsets, relevant);
    return cudaGetLastError();
}
