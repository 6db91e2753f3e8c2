/* The device's memory: buffers, the ways in and out, and what the operations keep for themselves. */
#include "cuda/cuda.h"
#include "cuda/kernels.h"

#include <stdlib.h>
#include <string.h>

/* Numbers that are converted at a time. */
enum { CHUNK = 1 << 22 };

static size_t bytes_of(const f0t_buffer *buffer, size_t count)
{
    return count * (buffer->type == F0T_BF16 ? sizeof(uint16_t) : sizeof(float));
}

static void *at(const f0t_buffer *buffer, size_t first)
{
    return (char *)buffer->data + bytes_of(buffer, first);
}

/* ---- Buffers ----------------------------------------------------------------------------------- */

/* A buffer of nothing has an address, too. */
static f0t_status take(f0t_buffer *buffer)
{
    if (buffer->count > SIZE_MAX / sizeof(float) / 2)
        return f0t_cuda_check(cudaErrorMemoryAllocation, "an array");
    const size_t bytes = bytes_of(buffer, buffer->count);
    F0T_CUDA_TRY(cudaMallocAsync(&buffer->data, bytes ? bytes : 1, f0t_cuda_stream), "an array");
    return F0T_OK;
}

f0t_status f0t_cuda_alloc(f0t_buffer *buffer)
{
    F0T_CUDA_ENTER();
    F0T_TRY(f0t_cuda_flush());
    F0T_TRY(take(buffer));
    F0T_CUDA_TRY(cudaMemsetAsync(buffer->data, 0, bytes_of(buffer, buffer->count), f0t_cuda_stream),
                 "an array");
    return F0T_OK;
}

void f0t_cuda_release(f0t_buffer *buffer)
{
    F0T_CUDA_ENTER();
    (void)f0t_cuda_flush(); /* what fails here, the step that it was of says again */
    if (buffer->data)
        (void)cudaFreeAsync(buffer->data, f0t_cuda_stream);
    free(buffer->packed);
}

static size_t most = SIZE_MAX; /* bytes that buffers may have */

f0t_status f0t_cuda_memory_open(void)
{
    const char *text = getenv("F0T_CUDA_ROOM");
    char *end;
    most = SIZE_MAX;
    if (!text || !*text)
        return F0T_OK;
    const unsigned long long megabytes = strtoull(text, &end, 10);
    if (*end || text[0] < '0' || text[0] > '9' || megabytes > SIZE_MAX >> 20)
        return F0T_CUDA_FAIL(F0T_ERROR_ARGUMENT,
                             "F0T_CUDA_ROOM is '%s': it must be a number of megabytes", text);
    most = (size_t)megabytes << 20;
    return F0T_OK;
}

/* What the driver has left, and what was freed and stays with the process. */
size_t f0t_cuda_room(void)
{
    F0T_CUDA_ENTER();
    size_t left = 0, all = 0;
    uint64_t kept = 0, used = 0;
    cudaMemPool_t pool;
    if (cudaMemGetInfo(&left, &all) != cudaSuccess ||
        cudaDeviceGetDefaultMemPool(&pool, 0) != cudaSuccess ||
        cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReservedMemCurrent, &kept) != cudaSuccess ||
        cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used) != cudaSuccess)
        return 0;
    const size_t room = left + (size_t)(kept - used), rest = used < most ? most - used : 0;
    return room < rest ? room : rest;
}

static f0t_status upload_half(uint16_t *to, const float *from, size_t n)
{
    void *wide;
    F0T_TRY(f0t_cuda_scratch(&wide, F0T_SCRATCH_CONVERT, CHUNK * sizeof(float)));
    for (size_t done = 0; done < n; done += CHUNK) {
        const size_t count = n - done < CHUNK ? n - done : CHUNK;
        F0T_CUDA_TRY(cudaMemcpyAsync(wide, from + done, count * sizeof *from,
                                     cudaMemcpyHostToDevice, f0t_cuda_stream),
                     "an upload");
        F0T_CUDA_TRY(f0t_kernel_to_bf16(to + done, wide, count, f0t_cuda_stream), "an upload");
    }
    return F0T_OK;
}

/* The caller may use its memory again. Of a copy from memory that is not pinned CUDA only says that it might have been
 * read when the call returns. */
f0t_status f0t_cuda_upload(f0t_buffer *to, size_t first, const float *from, size_t n)
{
    F0T_CUDA_ENTER();
    F0T_TRY(f0t_cuda_flush());
    if (to->type == F0T_BF16)
        F0T_TRY(upload_half(at(to, first), from, n));
    else
        F0T_CUDA_TRY(cudaMemcpyAsync(at(to, first), from, n * sizeof *from, cudaMemcpyHostToDevice,
                                     f0t_cuda_stream),
                     "an upload");
    F0T_CUDA_TRY(cudaStreamSynchronize(f0t_cuda_stream), "an upload");
    return F0T_OK;
}

static f0t_status download_half(float *to, const uint16_t *from, size_t n)
{
    void *wide;
    F0T_TRY(f0t_cuda_scratch(&wide, F0T_SCRATCH_CONVERT, CHUNK * sizeof(float)));
    for (size_t done = 0; done < n; done += CHUNK) {
        const size_t count = n - done < CHUNK ? n - done : CHUNK;
        F0T_CUDA_TRY(f0t_kernel_to_f32(wide, from + done, count, f0t_cuda_stream), "a download");
        F0T_CUDA_TRY(cudaMemcpyAsync(to + done, wide, count * sizeof *to, cudaMemcpyDeviceToHost,
                                     f0t_cuda_stream),
                     "a download");
    }
    return F0T_OK;
}

f0t_status f0t_cuda_download(float *to, const f0t_buffer *from, size_t first, size_t n)
{
    F0T_CUDA_ENTER();
    F0T_TRY(f0t_cuda_flush());
    if (from->type == F0T_BF16)
        F0T_TRY(download_half(to, at(from, first), n));
    else
        F0T_CUDA_TRY(cudaMemcpyAsync(to, at(from, first), n * sizeof *to, cudaMemcpyDeviceToHost,
                                     f0t_cuda_stream),
                     "a download");
    F0T_CUDA_TRY(cudaStreamSynchronize(f0t_cuda_stream), "a download");
    return F0T_OK;
}

f0t_status f0t_cuda_gather(f0t_buffer *to, const f0t_buffer *from, const uint32_t *index,
                           size_t rows, size_t cols)
{
    F0T_CUDA_ENTER();
    void *own;
    if (!rows || !cols)
        return F0T_OK;
    F0T_TRY(f0t_cuda_capture());
    F0T_TRY(f0t_cuda_stage(&own, index, rows * sizeof *index));
    F0T_CUDA_TRY(
        f0t_kernel_gather(to->data, from->data, own, rows, bytes_of(from, cols), f0t_cuda_stream),
        "gathering rows");
    return F0T_OK;
}

/* ---- Packed matrices --------------------------------------------------------------------------- */

/* The products take either layout as it is. */
typedef struct layout {
    bool transposed;
} layout;

bool f0t_cuda_packed_transposed(const f0t_buffer *buffer)
{
    return ((const layout *)buffer->packed)->transposed;
}

f0t_status f0t_cuda_pack(f0t_buffer *to, const float *from, size_t k, size_t n, bool transposed,
                         size_t rows)
{
    (void)rows;
    layout *own = malloc(sizeof *own);
    if (!own)
        return F0T_CUDA_FAIL(F0T_ERROR_MEMORY, "no memory for a packed matrix");
    own->transposed = transposed;
    to->packed = own;
    F0T_TRY(f0t_cuda_alloc(to));
    return f0t_cuda_upload(to, 0, from, k * n);
}

/* ---- Memory of the module's own ----------------------------------------------------------------- */

/* Both streams may be at work with what is freed: it is waited for, which is rare. The memory is that of the buffers, so
 * that what was left for it beside the features of a training is there. */
static f0t_status grow_own(void **memory, size_t *bytes, size_t wanted)
{
    F0T_TRY(f0t_cuda_flush());
    F0T_CUDA_TRY(cudaDeviceSynchronize(), "its own work");
    if (*memory)
        (void)cudaFreeAsync(*memory, f0t_cuda_stream);
    *memory = NULL;
    *bytes = 0;
    F0T_CUDA_TRY(cudaMallocAsync(memory, wanted, f0t_cuda_stream), "its own work");
    F0T_CUDA_TRY(cudaMemsetAsync(*memory, 0, wanted, f0t_cuda_stream), "its own work");
    F0T_CUDA_TRY(cudaDeviceSynchronize(), "its own work");
    *bytes = wanted;
    return F0T_OK;
}

f0t_status f0t_cuda_scratch(void **out, f0t_cuda_scratch_use use, size_t bytes)
{
    static struct {
        void *memory;
        size_t bytes;
    } kept[F0T_SCRATCHES];
    *out = NULL;
    if (kept[use].bytes < bytes)
        F0T_TRY(grow_own(&kept[use].memory, &kept[use].bytes, bytes));
    *out = kept[use].memory;
    return F0T_OK;
}

f0t_status f0t_cuda_zeros(unsigned **out, size_t count)
{
    static void *memory;
    static size_t bytes;
    *out = NULL;
    if (bytes < count * sizeof **out)
        F0T_TRY(grow_own(&memory, &bytes, count * sizeof **out));
    *out = memory;
    return F0T_OK;
}

/* Pinned memory, the device's beside it, and when the copy between them was done. */
typedef struct stage {
    void *pinned, *device;
    size_t bytes;
    cudaEvent_t copied;
    bool waits; /* for the graph that it is a part of to start */
} stage;

static f0t_status grow(stage *s, size_t bytes)
{
    const size_t least = 1 << 16, wanted = bytes < least ? least : 2 * bytes;
    if (!s->copied)
        F0T_CUDA_TRY(cudaEventCreateWithFlags(&s->copied, cudaEventDisableTiming), "its start");
    if (s->bytes >= bytes)
        return F0T_OK;
    F0T_TRY(f0t_cuda_flush());
    (void)cudaFreeHost(s->pinned);
    if (s->device)
        (void)cudaFreeAsync(s->device, f0t_cuda_stream);
    *s = (stage){.copied = s->copied};
    F0T_CUDA_TRY(cudaMallocHost(&s->pinned, wanted), "what a batch brings");
    F0T_CUDA_TRY(cudaMallocAsync(&s->device, wanted, f0t_cuda_stream), "what a batch brings");
    s->bytes = wanted;
    return F0T_OK;
}

static stage stages[F0T_CUDA_STAGES];
static stage *current; /* that was taken */

f0t_status f0t_cuda_stage_take(void **pinned, size_t bytes)
{
    static size_t next;
    *pinned = NULL;
    current = &stages[next++ % F0T_CUDA_STAGES];
    if (current->waits)
        F0T_TRY(f0t_cuda_flush()); /* which records what the next line waits for */
    current->waits = false;
    if (current->copied)
        F0T_CUDA_TRY(cudaEventSynchronize(current->copied), "what a batch brings");
    F0T_TRY(grow(current, bytes));
    *pinned = current->pinned;
    return F0T_OK;
}

f0t_status f0t_cuda_stage_send(void **out, size_t bytes)
{
    *out = NULL;
    F0T_CUDA_TRY(cudaMemcpyAsync(current->device, current->pinned, bytes, cudaMemcpyHostToDevice,
                                 f0t_cuda_stream),
                 "what a batch brings");
    current->waits = f0t_cuda_is_captured();
    if (!current->waits)
        F0T_CUDA_TRY(cudaEventRecord(current->copied, f0t_cuda_stream), "what a batch brings");
    *out = current->device;
    return F0T_OK;
}

cudaError_t f0t_cuda_stages_started(void)
{
    cudaError_t error = cudaSuccess;
    for (size_t i = 0; i < F0T_CUDA_STAGES; i++) {
        if (!stages[i].waits)
            continue;
        stages[i].waits = false;
        const cudaError_t recorded = cudaEventRecord(stages[i].copied, f0t_cuda_stream);
        error = error == cudaSuccess ? recorded : error;
    }
    return error;
}

f0t_status f0t_cuda_stage(void **out, const void *from, size_t bytes)
{
    void *pinned;
    *out = NULL;
    F0T_TRY(f0t_cuda_stage_take(&pinned, bytes));
    memcpy(pinned, from, bytes);
    return f0t_cuda_stage_send(out, bytes);
}

f0t_status f0t_cuda_stage_relevant(const uint32_t **out, const size_t *offsets,
                                   const uint32_t *relevant, size_t images)
{
    const size_t first = images ? offsets[0] : 0, count = images ? offsets[images] - first : 0;
    const size_t bytes = (images + 1 + count) * sizeof **out;
    void *pinned, *staged;
    *out = NULL;
    if (count > UINT32_MAX)
        return F0T_CUDA_FAIL(F0T_ERROR_UNSUPPORTED, "a batch of %zu relevant tags is too large",
                             count);
    F0T_TRY(f0t_cuda_stage_take(&pinned, bytes));
    uint32_t *to = pinned;
    to[0] = 0;
    for (size_t m = 0; m < images; m++)
        to[m + 1] = (uint32_t)(offsets[m + 1] - first);
    if (count)
        memcpy(to + images + 1, relevant + first, count * sizeof *to);
    F0T_TRY(f0t_cuda_stage_send(&staged, bytes));
    *out = staged;
    return F0T_OK;
}
