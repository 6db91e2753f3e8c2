/*
 * Numbers that come with every mini-batch: written by the caller into pinned memory, and copied to the device in a stream of
 * their own, while the kernels of the batch before run. There are two places: one is filled while the other is copied.
 */
#include "cuda/cuda.h"
#include "cuda/kernels.h"

#include <pthread.h>

enum { PLACES = 2 };

typedef struct place {
    float *pinned, *device;
    size_t bytes;
    cudaEvent_t copied; /* the pinned half may be filled again */
    cudaEvent_t used;   /* the device's half may be copied to again */
} place;

static cudaStream_t copies;
/* One filling at a time: the places take turns. */
static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;

static void end_turn(const int *unused)
{
    (void)unused;
    pthread_mutex_unlock(&turn);
}

static f0t_status create_events(place *p)
{
    if (!copies)
        F0T_CUDA_TRY(cudaStreamCreateWithFlags(&copies, cudaStreamNonBlocking), "its start");
    if (!p->copied)
        F0T_CUDA_TRY(cudaEventCreateWithFlags(&p->copied, cudaEventDisableTiming), "its start");
    if (!p->used)
        F0T_CUDA_TRY(cudaEventCreateWithFlags(&p->used, cudaEventDisableTiming), "its start");
    return F0T_OK;
}

/* The copies do not wait for the other stream: memory that it made or has still in use is waited for here. */
static f0t_status grow(place *p, size_t bytes)
{
    F0T_CUDA_ENTER();
    F0T_TRY(f0t_cuda_flush());
    F0T_CUDA_TRY(cudaDeviceSynchronize(), "what a batch brings");
    (void)cudaFreeHost(p->pinned);
    if (p->device)
        (void)cudaFreeAsync(p->device, f0t_cuda_stream);
    *p = (place){.copied = p->copied, .used = p->used};
    F0T_CUDA_TRY(cudaMallocHost((void **)&p->pinned, bytes), "what a batch brings");
    F0T_CUDA_TRY(cudaMallocAsync((void **)&p->device, bytes, f0t_cuda_stream),
                 "what a batch brings");
    F0T_CUDA_TRY(cudaStreamSynchronize(f0t_cuda_stream), "what a batch brings");
    p->bytes = bytes;
    return F0T_OK;
}

static f0t_status take(place **out, size_t bytes)
{
    static place places[PLACES];
    static size_t next;
    place *p = &places[next++ % PLACES];
    *out = p;
    F0T_TRY(create_events(p));
    F0T_CUDA_TRY(cudaEventSynchronize(p->copied), "what a batch brings");
    return p->bytes < bytes ? grow(p, bytes) : F0T_OK;
}

static f0t_status convert(f0t_buffer *to, size_t first, const float *from, size_t n)
{
    if (to->type == F0T_BF16)
        return f0t_cuda_check(
            f0t_kernel_to_bf16((uint16_t *)to->data + first, from, n, f0t_cuda_stream),
            "what a batch brings");
    F0T_CUDA_TRY(cudaMemcpyAsync((float *)to->data + first, from, n * sizeof *from,
                                 cudaMemcpyDeviceToDevice, f0t_cuda_stream),
                 "what a batch brings");
    return F0T_OK;
}

static f0t_status send(f0t_buffer *to, size_t first, place *p, size_t n)
{
    F0T_CUDA_ENTER();
    F0T_TRY(f0t_cuda_flush());
    F0T_CUDA_TRY(cudaStreamWaitEvent(copies, p->used, 0), "what a batch brings");
    F0T_CUDA_TRY(cudaMemcpyAsync(p->device, p->pinned, n * sizeof *p->pinned,
                                 cudaMemcpyHostToDevice, copies),
                 "what a batch brings");
    F0T_CUDA_TRY(cudaEventRecord(p->copied, copies), "what a batch brings");
    F0T_CUDA_TRY(cudaStreamWaitEvent(f0t_cuda_stream, p->copied, 0), "what a batch brings");
    F0T_TRY(convert(to, first, p->device, n));
    F0T_CUDA_TRY(cudaEventRecord(p->used, f0t_cuda_stream), "what a batch brings");
    return F0T_OK;
}

f0t_status f0t_cuda_stream_in(f0t_buffer *to, size_t first, size_t n, f0t_fill *fill, void *user)
{
    __attribute__((cleanup(end_turn), unused)) const int mine = 0;
    place *p;
    pthread_mutex_lock(&turn);
    if (!n)
        return F0T_OK;
    F0T_TRY(take(&p, n * sizeof(float)));
    F0T_TRY(fill(user, p->pinned, n));
    return send(to, first, p, n);
}
