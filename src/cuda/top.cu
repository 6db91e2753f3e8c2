/*
 * The k largest of each row, for small k: sort.cu has the others.
 *
 * A block takes a chunk of a row. Its threads find the largest key of each one's share; the k-th largest of these is a
 * bound that k keys reach, so that what reaches it, few more than k as a rule, contains the first k, which are put in
 * order by counting. The chunks' results are the next level's row.
 */
#include "cuda/key.cuh"

enum { THREADS = 256, EACH = 32, CHUNK = THREADS * EACH, LIST = F0T_KERNEL_TOP_MOST * EACH };

__device__ inline uint64_t key_of(const uint64_t *x, size_t i)
{
    return x[i];
}

/* How many of keys[n] are larger. */
__device__ inline int rank_of(uint64_t key, const uint64_t *keys, int n)
{
    int rank = 0;
    for (int i = 0; i < n; i++)
        rank += keys[i] > key;
    return rank;
}

template <typename T>
__global__ void __launch_bounds__(THREADS)
    select(uint64_t *to, const T *x, size_t n, unsigned chunks, int k)
{
    __shared__ uint64_t list[LIST], largest[THREADS], bound;
    __shared__ int count;
    const T *row = x + blockIdx.x / chunks * n;
    const size_t first = (size_t)(blockIdx.x % chunks) * CHUNK;
    const size_t end = n - first < CHUNK ? n : first + CHUNK;
    uint64_t best = 0;
    for (size_t i = first + threadIdx.x; i < end; i += THREADS) {
        const uint64_t key = key_of(row, i);
        best = key > best ? key : best;
    }
    largest[threadIdx.x] = best;
    if (threadIdx.x == 0) {
        bound = 0;
        count = 0;
    }
    __syncthreads();
    if (best && rank_of(best, largest, THREADS) == k - 1)
        bound = best;
    __syncthreads();
    for (size_t i = first + threadIdx.x; i < end && best >= bound; i += THREADS) {
        const uint64_t key = key_of(row, i);
        if (key && key >= bound)
            list[atomicAdd(&count, 1)] = key;
    }
    __syncthreads();
    to += (size_t)blockIdx.x * k;
    for (int i = threadIdx.x; i < count; i += THREADS) {
        const int rank = rank_of(list[i], list, count);
        if (rank < k)
            to[rank] = list[i];
    }
    for (int i = count + threadIdx.x; i < k; i += THREADS)
        to[i] = 0;
}

static size_t chunks_of(size_t n)
{
    return (n + CHUNK - 1) / CHUNK;
}

size_t f0t_kernel_top_work(size_t rows, size_t n, size_t k)
{
    return rows * chunks_of(n) * k;
}

cudaError_t f0t_kernel_top(uint64_t **keys, uint64_t *const work[2], const float *x, size_t rows,
                           size_t n, size_t k, cudaStream_t stream)
{
    size_t chunks = chunks_of(n);
    int at = 0;
    select<<<(unsigned)(rows * chunks), THREADS, 0, stream>>>(work[0], x, n, (unsigned)chunks,
                                                              (int)k);
    while (chunks > 1) {
        const size_t length = chunks * k;
        chunks = chunks_of(length);
        select<<<(unsigned)(rows * chunks), THREADS, 0, stream>>>(work[1 - at], work[at], length,
                                                                  (unsigned)chunks, (int)k);
        at = 1 - at;
    }
    *keys = work[at];
    return cudaGetLastError();
}
