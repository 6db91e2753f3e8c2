/* Passes over memory: conversion, rows, dropout, the backward pass through dropout and ReLU. */
#include "cuda/device.cuh"

enum { THREADS = 256, BLOCKS_MOST = 1 << 16 };

static unsigned blocks_for(size_t work, size_t each)
{
    const size_t blocks = (work + each - 1) / each;
    return (unsigned)(blocks < BLOCKS_MOST ? (blocks ? blocks : 1) : BLOCKS_MOST);
}

__device__ inline size_t first_of_thread()
{
    return (size_t)blockIdx.x * blockDim.x + threadIdx.x;
}

__device__ inline size_t threads_of_grid()
{
    return (size_t)gridDim.x * blockDim.x;
}

template <typename T, int V> struct __align__(V * sizeof(T)) several
{
    T value[V];
};

/* ---- Conversion and rows ------------------------------------------------------------------------ */

template <typename TO, typename FROM> __global__ void convert(TO *to, const FROM *from, size_t n)
{
    for (size_t i = first_of_thread(); i < n; i += threads_of_grid())
        f0t_store(to + i, f0t_load(from + i));
}

cudaError_t f0t_kernel_to_bf16(uint16_t *to, const float *from, size_t n, cudaStream_t stream)
{
    if (n)
        convert<<<blocks_for(n, THREADS), THREADS, 0, stream>>>(to, from, n);
    return cudaGetLastError();
}

cudaError_t f0t_kernel_to_f32(float *to, const uint16_t *from, size_t n, cudaStream_t stream)
{
    if (n)
        convert<<<blocks_for(n, THREADS), THREADS, 0, stream>>>(to, from, n);
    return cudaGetLastError();
}

/* A row in units of U, the largest that divides it. */
template <typename U>
__global__ void gather(U *to, const U *from, const uint32_t *index, size_t rows, size_t units)
{
    for (size_t r = blockIdx.x; r < rows; r += gridDim.x)
        for (size_t i = threadIdx.x; i < units; i += blockDim.x)
            to[r * units + i] = from[(size_t)index[r] * units + i];
}

cudaError_t f0t_kernel_gather(void *to, const void *from, const uint32_t *index, size_t rows,
                              size_t bytes, cudaStream_t stream)
{
    const unsigned blocks = blocks_for(rows, 1);
    if (bytes % sizeof(uint4) == 0)
        gather<<<blocks, THREADS, 0, stream>>>((uint4 *)to, (const uint4 *)from, index, rows,
                                               bytes / sizeof(uint4));
    else
        gather<<<blocks, THREADS, 0, stream>>>((uint16_t *)to, (const uint16_t *)from, index, rows,
                                               bytes / sizeof(uint16_t));
    return cudaGetLastError();
}

template <typename T>
__global__ void no_product(T *c, const float *bias, size_t rows, size_t cols, bool accumulate,
                           bool relu)
{
    for (size_t i = first_of_thread(); i < rows * cols; i += threads_of_grid()) {
        float value = (accumulate ? f0t_load(c + i) : 0.0F) + (bias ? bias[i % cols] : 0.0F);
        f0t_store(c + i, relu && value < 0.0F ? 0.0F : value);
    }
}

cudaError_t f0t_kernel_no_product(void *c, bool half, const float *bias, size_t rows, size_t cols,
                                  bool accumulate, bool relu, cudaStream_t stream)
{
    const unsigned blocks = blocks_for(rows * cols, THREADS);
    if (half)
        no_product<<<blocks, THREADS, 0, stream>>>((uint16_t *)c, bias, rows, cols, accumulate,
                                                   relu);
    else
        no_product<<<blocks, THREADS, 0, stream>>>((float *)c, bias, rows, cols, accumulate, relu);
    return cudaGetLastError();
}

/* ---- Dropout ----------------------------------------------------------------------------------- */

/* Block `i` of base/random.h's generator. */
__device__ inline uint4 random_block(uint64_t seed, uint64_t stream, uint64_t i)
{
    uint32_t k0 = (uint32_t)seed, k1 = (uint32_t)(seed >> 32);
    uint4 c =
        make_uint4((uint32_t)i, (uint32_t)(i >> 32), (uint32_t)stream, (uint32_t)(stream >> 32));
#pragma unroll
    for (int round = 0; round < 10; round++) {
        const uint32_t h0 = __umulhi(0xD2511F53U, c.x), l0 = 0xD2511F53U * c.x;
        const uint32_t h1 = __umulhi(0xCD9E8D57U, c.z), l1 = 0xCD9E8D57U * c.z;
        c = make_uint4(h1 ^ c.y ^ k0, l1, h0 ^ c.w ^ k1, l0);
        k0 += 0x9E3779B9U;
        k1 += 0xBB67AE85U;
    }
    return c;
}

enum { GROUP = 512, LANES = 64 };

/* A thread draws one block: the numbers of the elements b, b + 64, … b + 448 of a group of 512 (compute/dropout.h). `y` and
 * `x` begin with the first group's first element, of which those before `skipped` and from `end` on are not there. */
template <typename TO, typename FROM>
__global__ void __launch_bounds__(THREADS)
    drop(TO *y, const FROM *x, uint64_t skipped, uint64_t end, f0t_kernel_dropout dropout,
         uint64_t groups)
{
    const uint64_t t = first_of_thread(), first = t / LANES * GROUP + t % LANES;
    const uint64_t group = t / LANES * GROUP;
    const bool whole = group >= skipped && group + GROUP <= end;
    float value[8];
    if (t >= groups * LANES)
        return;
#pragma unroll
    for (int j = 0; j < 8; j++)
        if (whole || (first + LANES * j >= skipped && first + LANES * j < end))
            value[j] = f0t_load(x + first + LANES * j);
    const uint4 words =
        random_block(dropout.seed, dropout.stream, dropout.first / GROUP * LANES + t);
    const uint32_t word[4] = {words.x, words.y, words.z, words.w};
#pragma unroll
    for (int j = 0; j < 8; j++) {
        const uint32_t number = word[j / 2] >> j % 2 * 16 & 0xFFFF;
        if (whole || (first + LANES * j >= skipped && first + LANES * j < end))
            f0t_store(y + first + LANES * j,
                      number < dropout.limit ? 0.0F : value[j] * dropout.scale);
    }
}

/* The same of whole groups, four blocks of a thread: b … b + 3. */
template <typename TO, typename FROM>
__global__ void __launch_bounds__(THREADS)
    drop_fours(TO *y, const FROM *x, f0t_kernel_dropout dropout, uint64_t groups)
{
    const uint64_t t = first_of_thread();
    const uint64_t first = t / (LANES / 4) * GROUP + t % (LANES / 4) * 4;
    const uint64_t block = dropout.first / GROUP * LANES + t * 4;
    several<FROM, 4> from[8];
    several<TO, 4> to[8];
    if (t >= groups * (LANES / 4))
        return;
#pragma unroll
    for (int j = 0; j < 8; j++)
        from[j] = *(const several<FROM, 4> *)(x + first + LANES * j);
#pragma unroll
    for (int i = 0; i < 4; i++) {
        const uint4 words = random_block(dropout.seed, dropout.stream, block + i);
        const uint32_t word[4] = {words.x, words.y, words.z, words.w};
#pragma unroll
        for (int j = 0; j < 8; j++) {
            const uint32_t number = word[j / 2] >> j % 2 * 16 & 0xFFFF;
            f0t_store(&to[j].value[i],
                      number < dropout.limit ? 0.0F : f0t_load(&from[j].value[i]) * dropout.scale);
        }
    }
#pragma unroll
    for (int j = 0; j < 8; j++)
        *(several<TO, 4> *)(y + first + LANES * j) = to[j];
}

/* From the first element of a group on: its whole groups. */
template <typename TO, typename FROM>
static cudaError_t run_drop_fours(TO *y, const FROM *x, uint64_t groups,
                                  const f0t_kernel_dropout *dropout, cudaStream_t stream)
{
    const uint64_t threads = groups * (LANES / 4);
    drop_fours<<<(unsigned)((threads + THREADS - 1) / THREADS), THREADS, 0, stream>>>(
        y, x, *dropout, groups);
    return cudaGetLastError();
}

template <typename TO, typename FROM>
static cudaError_t run_drop(TO *y, const FROM *x, size_t n, const f0t_kernel_dropout *dropout,
                            cudaStream_t stream)
{
    const uint64_t skipped = dropout->first % GROUP, whole = skipped ? 0 : n / GROUP;
    f0t_kernel_dropout rest = *dropout;
    if (!dropout->limit) {
        convert<<<blocks_for(n, THREADS), THREADS, 0, stream>>>(y, x, n);
        return cudaGetLastError();
    }
    if (whole) {
        const cudaError_t error = run_drop_fours(y, x, whole, dropout, stream);
        if (error != cudaSuccess || n % GROUP == 0)
            return error;
    }
    rest.first += whole * GROUP;
    y += whole * GROUP;
    x += whole * GROUP;
    n -= whole * GROUP;
    const uint64_t groups = (rest.first + n - 1) / GROUP - rest.first / GROUP + 1;
    drop<<<(unsigned)((groups * LANES + THREADS - 1) / THREADS), THREADS, 0, stream>>>(
        y - skipped, x - skipped, skipped, skipped + n, rest, groups);
    return cudaGetLastError();
}

cudaError_t f0t_kernel_drop(void *y, bool y_half, const void *x, bool x_half, size_t n,
                            const f0t_kernel_dropout *dropout, cudaStream_t stream)
{
    if (y_half && x_half)
        return run_drop((uint16_t *)y, (const uint16_t *)x, n, dropout, stream);
    if (y_half)
        return run_drop((uint16_t *)y, (const float *)x, n, dropout, stream);
    if (x_half)
        return run_drop((float *)y, (const uint16_t *)x, n, dropout, stream);
    return run_drop((float *)y, (const float *)x, n, dropout, stream);
}

/* ---- Backward ---------------------------------------------------------------------------------- */

/* A block takes WIDE · V columns and PART rows: warp w the rows w, w + WARPS, … of them, a lane V columns. The warps' sums
 * are added in their order, and by the block that is ready last those of all parts in theirs. */
enum { WIDE = 32, WARPS = 8, PART = 128 };

size_t f0t_kernel_parts(size_t rows)
{
    return (rows + PART - 1) / PART;
}

template <int V>
__device__ inline void add_up(float *sums, const float (&total)[V], size_t first, size_t cols,
                              const f0t_kernel_sums &work)
{
    __shared__ float shared[WARPS][WIDE * V];
    __shared__ bool last;
    const int c = threadIdx.y * WIDE + threadIdx.x;
    float sum = 0;
#pragma unroll
    for (int v = 0; v < V; v++)
        shared[threadIdx.y][threadIdx.x * V + v] = total[v];
    __syncthreads();
    for (int w = 0; w < WARPS && c < WIDE * V; w++)
        sum += shared[w][c];
    if (c < WIDE * V && first + c < cols)
        work.parts[blockIdx.y * cols + first + c] = sum;
    __threadfence();
    __syncthreads();
    if (c == 0)
        last = atomicInc(&work.ready[blockIdx.x], gridDim.y - 1) == gridDim.y - 1;
    __syncthreads();
    if (!last || c >= WIDE * V || first + c >= cols)
        return;
    __threadfence();
    sum = 0;
    for (unsigned p = 0; p < gridDim.y; p++)
        sum += __ldcg(work.parts + p * cols + first + c);
    sums[first + c] = sum;
}

__device__ inline size_t first_of_part()
{
    return (size_t)blockIdx.y * PART + threadIdx.y;
}

__device__ inline size_t end_of_part(size_t rows)
{
    const size_t end = (size_t)(blockIdx.y + 1) * PART;
    return end < rows ? end : rows;
}

template <typename T> __device__ inline float gated(const T *d, const T *y, float scale)
{
    return f0t_load(y) > 0.0F ? f0t_load(d) * scale : 0.0F;
}

enum { AHEAD = 8 }; /* rows that a warp loads before it needs the first */

/* V columns at a time; rows are whole numbers of them. */
template <int V, typename T>
__global__ void __launch_bounds__(WIDE *WARPS)
    gate_several(T *d, const T *y, size_t rows, size_t cols, float scale, float *sums,
                 f0t_kernel_sums work)
{
    const size_t first = (size_t)blockIdx.x * WIDE * V, c = first + threadIdx.x * V;
    const size_t end = c < cols ? end_of_part(rows) : 0;
    float total[V] = {};
    for (size_t r = first_of_part(); r < end; r += WARPS * AHEAD) {
        several<T, V> by[AHEAD], of[AHEAD];
#pragma unroll
        for (int a = 0; a < AHEAD; a++)
            if (r + a * WARPS < end) {
                by[a] = *(const several<T, V> *)(y + (r + a * WARPS) * cols + c);
                of[a] = *(several<T, V> *)(d + (r + a * WARPS) * cols + c);
            }
#pragma unroll
        for (int a = 0; a < AHEAD; a++)
            if (r + a * WARPS < end) {
#pragma unroll
                for (int v = 0; v < V; v++) {
                    const float value = gated(&of[a].value[v], &by[a].value[v], scale);
                    total[v] += value;
                    f0t_store(&of[a].value[v], value);
                }
                *(several<T, V> *)(d + (r + a * WARPS) * cols + c) = of[a];
            }
    }
    add_up(sums, total, first, cols, work);
}

template <typename T>
__global__ void __launch_bounds__(WIDE *WARPS)
    gate_each(T *d, const T *y, size_t rows, size_t cols, float scale, float *sums,
              f0t_kernel_sums work)
{
    const size_t first = (size_t)blockIdx.x * WIDE, c = first + threadIdx.x;
    float total[1] = {0};
    for (size_t r = first_of_part(); r < end_of_part(rows) && c < cols; r += WARPS) {
        const float value = gated(d + r * cols + c, y + r * cols + c, scale);
        total[0] += value;
        f0t_store(d + r * cols + c, value);
    }
    add_up(sums, total, first, cols, work);
}

static dim3 grid_for(size_t rows, size_t cols, size_t each)
{
    return dim3((unsigned)((cols + each - 1) / each), (unsigned)f0t_kernel_parts(rows));
}

template <typename T>
static cudaError_t run_gate(T *d, const T *y, size_t rows, size_t cols, float scale, float *sums,
                            const f0t_kernel_sums *work, cudaStream_t stream)
{
    const dim3 threads(WIDE, WARPS);
    if (cols % 4 == 0)
        gate_several<4><<<grid_for(rows, cols, 4 * WIDE), threads, 0, stream>>>(d, y, rows, cols,
                                                                                scale, sums, *work);
    else if (cols % 2 == 0)
        gate_several<2><<<grid_for(rows, cols, 2 * WIDE), threads, 0, stream>>>(d, y, rows, cols,
                                                                                scale, sums, *work);
    else
        gate_each<<<grid_for(rows, cols, WIDE), threads, 0, stream>>>(d, y, rows, cols, scale, sums,
                                                                      *work);
    return cudaGetLastError();
}

cudaError_t f0t_kernel_gate(void *d, const void *y, bool half, size_t rows, size_t cols,
                            float scale, float *sums, const f0t_kernel_sums *work,
                            cudaStream_t stream)
{
    return half
               ? run_gate((uint16_t *)d, (const uint16_t *)y, rows, cols, scale, sums, work, stream)
               : run_gate((float *)d, (const float *)y, rows, cols, scale, sums, work, stream);
}

template <typename T>
__global__ void __launch_bounds__(WIDE *WARPS)
    outputs(T *to, const float *d, size_t rows, size_t cols, float *sums, f0t_kernel_sums work)
{
    const size_t first = (size_t)blockIdx.x * WIDE, c = first + threadIdx.x;
    const size_t end = c < cols ? end_of_part(rows) : 0;
    float total[1] = {0};
    for (size_t r = first_of_part(); r < end; r += WARPS * AHEAD) {
        float value[AHEAD];
#pragma unroll
        for (int a = 0; a < AHEAD; a++)
            value[a] = r + a * WARPS < end ? d[(r + a * WARPS) * cols + c] : 0.0F;
#pragma unroll
        for (int a = 0; a < AHEAD; a++)
            if (r + a * WARPS < end) {
                total[0] += value[a];
                f0t_store(to + (r + a * WARPS) * cols + c, value[a]);
            }
    }
    add_up(sums, total, first, cols, work);
}

cudaError_t f0t_kernel_outputs(void *to, bool half, const float *d, size_t rows, size_t cols,
                               float *sums, const f0t_kernel_sums *work, cudaStream_t stream)
{
    const dim3 threads(WIDE, WARPS), blocks = grid_for(rows, cols, WIDE);
    if (half)
        outputs<<<blocks, threads, 0, stream>>>((uint16_t *)to, d, rows, cols, sums, *work);
    else
        outputs<<<blocks, threads, 0, stream>>>((float *)to, d, rows, cols, sums, *work);
    return cudaGetLastError();
}
