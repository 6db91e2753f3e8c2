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

/* More than the kernels keep: the CPU chooses from a copy of the scores. */
static f0t_status top_by_cpu(uint32_t *index, float *value, const f0t_buffer *scores, size_t rows,
                             size_t n, size_t k)
{
    const size_t kept = k < n ? k : n;
    float *row = malloc(n * sizeof *row);
    if (!row)
        return F0T_CUDA_FAIL(F0T_ERROR_MEMORY, "no memory for a row of %zu scores", n);
    f0t_status status = F0T_OK;
    for (size_t r = 0; r < rows && status == F0T_OK; r++) {
        const f0t_buffer view = f0t_buffer_view(f0t_cuda_host.cpu, F0T_F32, n, row);
        status = f0t_cuda_download(row, scores, r * n, n);
        if (status == F0T_OK)
            status = f0t_cuda_host.cpu->top(index + r * kept, value ? value + r * kept : NULL,
                                            &view, 1, n, k);
    }
    free(row);
    return status;
}

static f0t_status find_keys(uint64_t *to, const float *scores, size_t rows, size_t n, size_t k)
{
    F0T_CUDA_ENTER();
    const size_t bytes = f0t_kernel_top_work(rows, n, k) * sizeof *to;
    void *first, *second;
    uint64_t *keys;
    F0T_TRY(f0t_cuda_flush());
    F0T_TRY(f0t_cuda_scratch(&first, F0T_SCRATCH_TOP, bytes));
    F0T_TRY(f0t_cuda_scratch(&second, F0T_SCRATCH_TOP_NEXT, bytes));
    F0T_CUDA_TRY(
        f0t_kernel_top(&keys, (uint64_t *[]){first, second}, scores, rows, n, k, f0t_cuda_stream),
        "the choice of the first");
    F0T_CUDA_TRY(
        cudaMemcpyAsync(to, keys, rows * k * sizeof *to, cudaMemcpyDeviceToHost, f0t_cuda_stream),
        "the choice of the first");
    F0T_CUDA_TRY(cudaStreamSynchronize(f0t_cuda_stream), "the choice of the first");
    return F0T_OK;
}

f0t_status f0t_cuda_top(uint32_t *index, float *value, const f0t_buffer *scores, size_t rows,
                        size_t n, size_t k)
{
    const size_t kept = k < n ? k : n;
    if (!rows || !kept)
        return F0T_OK;
    if (kept > F0T_KERNEL_TOP_MOST)
        return top_by_cpu(index, value, scores, rows, n, k);
    uint64_t *keys = malloc(rows * kept * sizeof *keys);
    if (!keys)
        return F0T_CUDA_FAIL(F0T_ERROR_MEMORY, "no memory for the first %zu of %zu rows", kept,
                             rows);
    f0t_status status = find_keys(keys, scores->data, rows, n, kept);
    for (size_t i = 0; i < rows * kept && status == F0T_OK; i++) {
        index[i] = ~(uint32_t)keys[i];
        if (value)
            value[i] = value_of(keys[i]);
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
