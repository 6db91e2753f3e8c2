/*
 * The k largest of each row where k is too large for top.cu: its keys, sorted in runs that fit into shared memory, and then
 * merged two by two, of which the first k go on. No two keys are equal, but for those that are 0 and stand for nothing.
 */
#include "cuda/key.cuh"

enum { RUN = 2048, SORT_THREADS = RUN / 4, MERGE_THREADS = 256 };

/* ---- Runs ---------------------------------------------------------------------------------------- */

/* Puts the larger of keys[i] and keys[i + far] first where `falls`, else last. */
__device__ inline void exchange(uint64_t *keys, unsigned i, unsigned far, bool falls)
{
    const uint64_t a = keys[i], b = keys[i + far];
    if ((a < b) == falls) {
        keys[i] = b;
        keys[i + far] = a;
    }
}

/* Batcher's bitonic sort, largest first. */
__device__ inline void sort_shared(uint64_t *keys)
{
    for (unsigned length = 2; length <= RUN; length *= 2)
        for (unsigned far = length / 2; far; far /= 2) {
            __syncthreads();
            for (unsigned j = threadIdx.x; j < RUN / 2; j += SORT_THREADS) {
                const unsigned i = j / far * 2 * far + j % far;
                exchange(keys, i, far, !(i & length));
            }
        }
    __syncthreads();
}

/* to[rows x runs x kept] */
__global__ void __launch_bounds__(SORT_THREADS)
    sort_runs(uint64_t *to, const float *x, size_t n, unsigned runs, unsigned kept)
{
    __shared__ uint64_t keys[RUN];
    const float *row = x + blockIdx.x / runs * n;
    const size_t first = (size_t)(blockIdx.x % runs) * RUN;
    for (unsigned i = threadIdx.x; i < RUN; i += SORT_THREADS)
        keys[i] = first + i < n ? key_of(row, first + i) : 0;
    sort_shared(keys);
    for (unsigned i = threadIdx.x; i < kept; i += SORT_THREADS)
        to[(size_t)blockIdx.x * kept + i] = keys[i];
}

/* ---- Merging ------------------------------------------------------------------------------------- */

struct merging {
    size_t rows, runs, length; /* what there is: rows x runs x length keys */
    size_t pairs, kept;        /* what there will be: rows x pairs x kept */
};

/* Key p of two runs together, the second of which may have no length. */
__device__ inline uint64_t merged(const uint64_t *a, size_t a_length, const uint64_t *b,
                                  size_t b_length, size_t p)
{
    size_t least = p > b_length ? p - b_length : 0, most = p < a_length ? p : a_length;
    while (least < most) { /* how many of the p keys before it are a's */
        const size_t middle = (least + most) / 2;
        if (a[middle] >= b[p - 1 - middle])
            least = middle + 1;
        else
            most = middle;
    }
    const size_t i = least, j = p - i;
    const uint64_t first = i < a_length ? a[i] : 0, second = j < b_length ? b[j] : 0;
    return first > second ? first : second;
}

__global__ void __launch_bounds__(MERGE_THREADS)
    merge_runs(uint64_t *to, const uint64_t *from, merging m)
{
    const size_t i = (size_t)blockIdx.x * MERGE_THREADS + threadIdx.x;
    if (i >= m.rows * m.pairs * m.kept)
        return;
    const size_t pair = i / m.kept % m.pairs, row = i / m.kept / m.pairs;
    const uint64_t *a = from + (row * m.runs + 2 * pair) * m.length;
    const size_t b_length = 2 * pair + 1 < m.runs ? m.length : 0;
    to[i] = merged(a, m.length, a + m.length, b_length, i % m.kept);
}

/* ---- Rows ---------------------------------------------------------------------------------------- */

static size_t runs_of(size_t n)
{
    return (n + RUN - 1) / RUN;
}

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* What the next level makes of it. */
static void plan_level(merging *m, size_t k)
{
    m->pairs = (m->runs + 1) / 2;
    m->kept = smaller(k, 2 * m->length);
}

static void end_level(merging *m)
{
    m->runs = m->pairs;
    m->length = m->kept;
}

/* The largest of all levels: their last runs are not full. */
size_t f0t_kernel_sort_work(size_t rows, size_t n, size_t k)
{
    merging m = {rows, runs_of(n), smaller(k, RUN), 0, 0};
    size_t most = m.runs * m.length;
    while (m.runs > 1) {
        plan_level(&m, k);
        end_level(&m);
        most = m.runs * m.length > most ? m.runs * m.length : most;
    }
    return rows * most;
}

cudaError_t f0t_kernel_sort(uint64_t **keys, uint64_t *const work[2], const float *x, size_t rows,
                            size_t n, size_t k, cudaStream_t stream)
{
    merging m = {rows, runs_of(n), smaller(k, RUN), 0, 0};
    int at = 0;
    sort_runs<<<(unsigned)(rows * m.runs), SORT_THREADS, 0, stream>>>(
        work[0], x, n, (unsigned)m.runs, (unsigned)m.length);
    while (m.runs > 1) {
        plan_level(&m, k);
        const size_t blocks = (rows * m.pairs * m.kept + MERGE_THREADS - 1) / MERGE_THREADS;
        merge_runs<<<(unsigned)blocks, MERGE_THREADS, 0, stream>>>(work[1 - at], work[at], m);
        end_level(&m);
        at = 1 - at;
    }
    *keys = work[at];
    return cudaGetLastError();
}
