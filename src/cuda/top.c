/* Rankings of rows: the first of each, from the kernels' keys (top.cu), and the places of some (places.cu). */
#include "cuda/cuda.h"
#include "cuda/kernels.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A key's upper half orders as the numbers do, its lower half is the complement of the index. NaN is 0. */
static float value_of(uint64_t key)
{
    const uint32_t order = (uint32_t)(key >> 32);
    const uint32_t bits = order & 0x80000000U ? order & 0x7FFFFFFFU : ~order;
    float value;
    memcpy(&value, &bits, sizeof value);
    return order ? value : NAN;
}

/* The first k of some rows, by keys that reach the bound of a few (top.cu), or by sorting (sort.cu). */
typedef struct choice {
    size_t (*work)(size_t rows, size_t n, size_t k);
    cudaError_t (*run)(uint64_t **keys, uint64_t *const work[2], const float *x, size_t rows,
                       size_t n, size_t k, cudaStream_t stream);
} choice;

static const choice few = {f0t_kernel_top_work, f0t_kernel_top};
static const choice many = {f0t_kernel_sort_work, f0t_kernel_sort};

static f0t_status find_keys(uint64_t *to, const choice *by, const float *scores, size_t rows,
                            size_t n, size_t k)
{
    F0T_CUDA_ENTER();
    const size_t bytes = by->work(rows, n, k) * sizeof *to;
    void *first, *second;
    uint64_t *keys;
    F0T_TRY(f0t_cuda_flush());
    F0T_TRY(f0t_cuda_scratch(&first, F0T_SCRATCH_TOP, bytes));
    F0T_TRY(f0t_cuda_scratch(&second, F0T_SCRATCH_TOP_NEXT, bytes));
    F0T_CUDA_TRY(by->run(&keys, (uint64_t *[]){first, second}, scores, rows, n, k, f0t_cuda_stream),
                 "the choice of the first");
    F0T_CUDA_TRY(
        cudaMemcpyAsync(to, keys, rows * k * sizeof *to, cudaMemcpyDeviceToHost, f0t_cuda_stream),
        "the choice of the first");
    F0T_CUDA_TRY(cudaStreamSynchronize(f0t_cuda_stream), "the choice of the first");
    return F0T_OK;
}

static void split(uint32_t *index, float *value, const uint64_t *keys, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        index[i] = ~(uint32_t)keys[i];
        if (value)
            value[i] = value_of(keys[i]);
    }
}

/* Keys of the rows that are sorted at a time, about. */
static const size_t AT_A_TIME = (size_t)1 << 22;

static size_t rows_at_a_time(const choice *by, size_t rows, size_t n, size_t k)
{
    const size_t each = by->work(1, n, k), most = each < AT_A_TIME ? AT_A_TIME / each : 1;
    return by == &few || rows < most ? rows : most;
}

f0t_status f0t_cuda_top(uint32_t *index, float *value, const f0t_buffer *scores, size_t rows,
                        size_t n, size_t k)
{
    const size_t kept = k < n ? k : n;
    if (!rows || !kept)
        return F0T_OK;
    const choice *by = kept > F0T_KERNEL_TOP_MOST ? &many : &few;
    const size_t most = rows_at_a_time(by, rows, n, kept);
    uint64_t *keys = malloc(most * kept * sizeof *keys);
    if (!keys)
        return F0T_CUDA_FAIL(F0T_ERROR_MEMORY, "no memory for the first %zu of %zu rows", kept,
                             most);
    f0t_status status = F0T_OK;
    for (size_t r = 0; r < rows && status == F0T_OK; r += most) {
        const size_t some = rows - r < most ? rows - r : most;
        status = find_keys(keys, by, (const float *)scores->data + r * n, some, n, kept);
        if (status == F0T_OK)
            split(index + r * kept, value ? value + r * kept : NULL, keys, some * kept);
    }
    free(keys);
    return status;
}

/* ---- Places ------------------------------------------------------------------------------------ */

/* In one piece of scratch: the first row with a NaN, and the places. */
f0t_status f0t_cuda_places(f0t_place *places, const f0t_buffer *scores, size_t rows, size_t n,
                           const size_t *offsets, const uint32_t *relevant)
{
    F0T_CUDA_ENTER();
    const size_t count = rows ? offsets[rows] - offsets[0] : 0;
    const uint32_t *own;
    unsigned bad;
    void *memory;
    if (!rows)
        return F0T_OK;
    F0T_TRY(f0t_cuda_flush());
    F0T_TRY(f0t_cuda_stage_relevant(&own, offsets, relevant, rows));
    F0T_TRY(f0t_cuda_scratch(&memory, F0T_SCRATCH_TOP, (count + 1) * sizeof *places));
    uint2 *found = (uint2 *)memory + 1;
    F0T_CUDA_TRY(cudaMemsetAsync(memory, 0xFF, sizeof bad, f0t_cuda_stream), "a ranking");
    F0T_CUDA_TRY(f0t_kernel_places(found, memory, scores->data, rows, n, own, own + rows + 1,
                                   f0t_cuda_stream),
                 "a ranking");
    F0T_CUDA_TRY(cudaMemcpyAsync(&bad, memory, sizeof bad, cudaMemcpyDeviceToHost, f0t_cuda_stream),
                 "a ranking");
    F0T_CUDA_TRY(cudaMemcpyAsync(places, found, count * sizeof *places, cudaMemcpyDeviceToHost,
                                 f0t_cuda_stream),
                 "a ranking");
    F0T_CUDA_TRY(cudaStreamSynchronize(f0t_cuda_stream), "a ranking");
    if (bad != UINT32_MAX)
        return F0T_CUDA_FAIL(F0T_ERROR_NUMERIC, "row %u: a score is NaN", bad);
    return F0T_OK;
}
