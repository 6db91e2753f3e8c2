/* The module's door: the device, and its table of operations. */
#include "cuda/cuda.h"

#include "base/module.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

f0t_module_host f0t_cuda_host;
cudaStream_t f0t_cuda_stream, f0t_cuda_aside;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static cudaEvent_t branched, ended;
static bool is_aside; /* something may be running there */
static uint64_t joins = 1;

/* A failure shows in the operation's own first call. */
void f0t_cuda_join(void)
{
    if (is_aside)
        (void)cudaStreamWaitEvent(f0t_cuda_stream, ended, 0);
    joins += is_aside;
    is_aside = false;
}

void f0t_cuda_enter(bool join)
{
    pthread_mutex_lock(&lock);
    if (join)
        f0t_cuda_join();
}

bool f0t_cuda_is_aside(void)
{
    return is_aside;
}

uint64_t f0t_cuda_joins(void)
{
    return joins;
}

void f0t_cuda_leave(const int *unused)
{
    (void)unused;
    pthread_mutex_unlock(&lock);
}

/* Updates that follow each other branch once: they wait for what came before the first of them. */
f0t_status f0t_cuda_branch(void)
{
    if (is_aside)
        return F0T_OK;
    F0T_CUDA_TRY(cudaEventRecord(branched, f0t_cuda_stream), "the optimiser");
    F0T_CUDA_TRY(cudaStreamWaitEvent(f0t_cuda_aside, branched, 0), "the optimiser");
    return F0T_OK;
}

f0t_status f0t_cuda_branch_end(void)
{
    F0T_CUDA_TRY(cudaEventRecord(ended, f0t_cuda_aside), "the optimiser");
    is_aside = true;
    return F0T_OK;
}

/* ---- Failures ---------------------------------------------------------------------------------- */

static f0t_status out_of_memory(const char *what)
{
    size_t unused = 0, all = 0;
    (void)cudaGetLastError(); /* this error is not kept by the device */
    if (cudaMemGetInfo(&unused, &all) != cudaSuccess || !all) /* nor is there any to ask it with */
        return F0T_CUDA_FAIL(F0T_ERROR_MEMORY,
                             "no memory on the GPU for %s: another program, ended, makes room",
                             what);
    return F0T_CUDA_FAIL(F0T_ERROR_MEMORY,
                         "no memory on the GPU for %s (%zu of %zu MB are free): a smaller batch or "
                         "net, or another program ended, makes room",
                         what, unused >> 20, all >> 20);
}

f0t_status f0t_cuda_failed(const char *what, const char *why, const char *name)
{
    return F0T_CUDA_FAIL(F0T_ERROR_IO,
                         "the GPU failed at %s: %s (%s); it may be lost to this process: start "
                         "again, a training by its checkpoint",
                         what, why, name);
}

f0t_status f0t_cuda_check(cudaError_t error, const char *what)
{
    if (error == cudaSuccess)
        return F0T_OK;
    if (error == cudaErrorMemoryAllocation)
        return out_of_memory(what);
    return f0t_cuda_failed(what, cudaGetErrorString(error), cudaGetErrorName(error));
}

/* ---- The device -------------------------------------------------------------------------------- */

/* A driver of CUDA's version 13.0 says 13000. */
static f0t_status explain_no_device(cudaError_t error)
{
    int driver = 0, wanted = 0;
    (void)cudaDriverGetVersion(&driver);
    (void)cudaRuntimeGetVersion(&wanted);
    (void)cudaGetLastError();
    if (!driver)
        return F0T_CUDA_FAIL(F0T_ERROR_NOT_FOUND,
                             "no NVIDIA driver is installed: --device cpu needs none");
    if (error == cudaErrorInsufficientDriver)
        return F0T_CUDA_FAIL(
            F0T_ERROR_UNSUPPORTED,
            "the NVIDIA driver is too old: it knows CUDA %d.%d, and this module is "
            "built with %d.%d",
            driver / 1000, driver % 1000 / 10, wanted / 1000, wanted % 1000 / 10);
    if (error == cudaErrorNoDevice || error == cudaSuccess)
        return F0T_CUDA_FAIL(F0T_ERROR_NOT_FOUND,
                             "there is no NVIDIA GPU here, or CUDA_VISIBLE_DEVICES hides it");
    return f0t_cuda_check(error, "its start");
}

/* bfloat16 products begin with compute capability 8.0. */
static f0t_status check_capability(void)
{
    int major = 0, minor = 0;
    F0T_CUDA_TRY(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0), "its start");
    F0T_CUDA_TRY(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, 0), "its start");
    if (major >= 8)
        return F0T_OK;
    return F0T_CUDA_FAIL(F0T_ERROR_UNSUPPORTED,
                         "the GPU has compute capability %d.%d: 8.0 (Ampere) or later is needed",
                         major, minor);
}

/* Memory that is freed stays with the process: buffers come and go with every block of rows. */
static f0t_status keep_memory(void)
{
    cudaMemPool_t pool;
    uint64_t all = UINT64_MAX;
    F0T_CUDA_TRY(cudaDeviceGetDefaultMemPool(&pool, 0), "its start");
    F0T_CUDA_TRY(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &all), "its start");
    return F0T_OK;
}

static f0t_status start(void)
{
    int count = 0;
    cudaError_t error = cudaGetDeviceCount(&count);
    if (error != cudaSuccess || !count)
        return explain_no_device(error);
    error = cudaSetDevice(0);
    if (error != cudaSuccess)
        return explain_no_device(error);
    F0T_TRY(check_capability());
    F0T_TRY(keep_memory());
    F0T_TRY(f0t_cuda_memory_open());
    F0T_CUDA_TRY(cudaStreamCreateWithFlags(&f0t_cuda_stream, cudaStreamNonBlocking), "its start");
    F0T_CUDA_TRY(cudaStreamCreateWithFlags(&f0t_cuda_aside, cudaStreamNonBlocking), "its start");
    F0T_CUDA_TRY(cudaEventCreateWithFlags(&branched, cudaEventDisableTiming), "its start");
    F0T_CUDA_TRY(cudaEventCreateWithFlags(&ended, cudaEventDisableTiming), "its start");
    return f0t_cuda_product_open();
}

static const f0t_compute cuda = {
    .device = "cuda",
    .shares_memory = false,
    .alloc = f0t_cuda_alloc,
    .release = f0t_cuda_release,
    .room = f0t_cuda_room,
    .upload = f0t_cuda_upload,
    .download = f0t_cuda_download,
    .stream = f0t_cuda_stream_in,
    .gather = f0t_cuda_gather,
    .pack = f0t_cuda_pack,
    .begin = f0t_cuda_begin,
    .end = f0t_cuda_end,
    .product = f0t_cuda_product,
    .drop = f0t_cuda_drop,
    .gate = f0t_cuda_gate,
    .outputs = f0t_cuda_outputs,
    .loss_create = f0t_cuda_loss_create,
    .loss_free = f0t_cuda_loss_free,
    .loss = f0t_cuda_loss,
    .loss_sum = f0t_cuda_loss_sum,
    .regression = f0t_cuda_regression,
    .update = f0t_cuda_update,
    .descend = f0t_cuda_descend,
    .top = f0t_cuda_top,
    .places = f0t_cuda_places,
};

static const char version[] = F0T_MODULE_VERSION;

__attribute__((visibility("default"))) f0t_module_open_function f0t_module_open;

f0t_status f0t_module_open(const f0t_compute **out, const f0t_module_host *host)
{
    *out = NULL;
    if (host->size != sizeof *host || host->compute_size != sizeof cuda ||
        strcmp(host->version, version) != 0)
        return host->fail(F0T_ERROR_MISMATCH,
                          "the module of the GPU is of fast0tag %s, the library of %s: install "
                          "both of one build",
                          version, host->version);
    f0t_cuda_host = *host;
    F0T_TRY(start());
    *out = &cuda;
    return F0T_OK;
}
