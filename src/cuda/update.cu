/* The optimiser's pass over memory. */
#include "cuda/device.cuh"

enum { THREADS = 256 };

/* Thread t takes elements 4t … 4t + 3; the last ones one by one. */
template <bool ADAM>
__global__ void __launch_bounds__(THREADS)
    update(f0t_kernel_parameters p, const float *g, size_t n, f0t_kernel_update factors)
{
    const size_t i = ((size_t)blockIdx.x * THREADS + threadIdx.x) * 4;
    if (i + 4 <= n) {
        float4 w = __ldcs((float4 *)(p.w + i)), m = __ldcs((float4 *)(p.m + i)), v = {};
        if (ADAM)
            v = __ldcs((float4 *)(p.v + i));
        f0t_update_four<ADAM>(&w, &m, &v, __ldcs((const float4 *)(g + i)), factors);
        __stcs((float4 *)(p.w + i), w);
        __stcs((float4 *)(p.m + i), m);
        if (ADAM)
            __stcs((float4 *)(p.v + i), v);
        if (p.half)
            *(uint2 *)(p.half + i) = f0t_narrow_four(w);
        return;
    }
    for (size_t j = i; j < n; j++) {
        float none = 0;
        f0t_update_one<ADAM>(p.w + j, p.m + j, ADAM ? p.v + j : &none, g[j], factors);
        if (p.half)
            p.half[j] = f0t_narrow(p.w[j]);
    }
}

cudaError_t f0t_kernel_update_run(const f0t_kernel_parameters *p, const float *g, size_t n,
                                  const f0t_kernel_update *factors, cudaStream_t stream)
{
    const unsigned blocks = (unsigned)((n + 4 * THREADS - 1) / (4 * THREADS));
    if (factors->adam)
        update<true><<<blocks, THREADS, 0, stream>>>(*p, g, n, *factors);
    else
        update<false><<<blocks, THREADS, 0, stream>>>(*p, g, n, *factors);
    return cudaGetLastError();
}
