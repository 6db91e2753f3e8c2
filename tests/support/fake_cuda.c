/* What a function does not look at has its name all the same: compiled with -Wno-unused-parameter. */
#include "fake_cuda.h"

#include "cuda/kernels.h"

#include <cublasLt.h>
#include <stdlib.h>
#include <string.h>

__attribute__((visibility("default")))
fake_cuda_state fake_cuda = {.driver = 13000, .devices = 1, .major = 9};

static cudaError_t next(void)
{
    const size_t call = ++fake_cuda.calls, at = fake_cuda.fail_at;
    return at && (call == at || (fake_cuda.lost && call > at)) ? (cudaError_t)fake_cuda.error
                                                               : cudaSuccess;
}

static cublasStatus_t next_of_cublas(void)
{
    const cudaError_t error = next();
    return error == cudaSuccess                 ? CUBLAS_STATUS_SUCCESS
           : error == cudaErrorMemoryAllocation ? CUBLAS_STATUS_ALLOC_FAILED
                                                : CUBLAS_STATUS_EXECUTION_FAILED;
}

/* ---- The device ---- */

cudaError_t cudaGetDeviceCount(int *count)
{
    *count = fake_cuda.devices;
    if (fake_cuda.driver < 13000)
        return cudaErrorInsufficientDriver;
    return fake_cuda.devices ? next() : cudaErrorNoDevice;
}

cudaError_t cudaDriverGetVersion(int *version)
{
    *version = fake_cuda.driver;
    return cudaSuccess;
}

cudaError_t cudaRuntimeGetVersion(int *version)
{
    *version = 13000;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute, int device)
{
    *value = attribute == cudaDevAttrComputeCapabilityMajor ? fake_cuda.major : 0;
    return next();
}

cudaError_t cudaGetLastError(void)
{
    return cudaSuccess;
}

const char *cudaGetErrorName(cudaError_t error)
{
    return "cudaErrorFake";
}

const char *cudaGetErrorString(cudaError_t error)
{
    return "what a fake says";
}

const char *cublasLtGetStatusString(cublasStatus_t status)
{
    return "what a fake says";
}

/* ---- Memory ---- */

/* So much is taken to see whether it is there, and not used. */
static const size_t MUCH = (size_t)1 << 28;

static cudaError_t take(void **out, size_t bytes)
{
    const cudaError_t error = next();
    *out = NULL;
    if (error != cudaSuccess)
        return error;
    if (bytes > (size_t)1 << 40)
        return cudaErrorMemoryAllocation;
    *out = calloc(bytes < MUCH ? bytes : 1, 1);
    fake_cuda.live += *out != NULL;
    return *out ? cudaSuccess : cudaErrorMemoryAllocation;
}

/* A GPU that is lost says so here, too, and its memory is gone all the same. */
static cudaError_t give(void *memory)
{
    fake_cuda.live -= memory != NULL;
    free(memory);
    return next();
}

cudaError_t cudaMallocAsync(void **out, size_t bytes, cudaStream_t stream)
{
    return take(out, bytes);
}

cudaError_t cudaFreeAsync(void *memory, cudaStream_t stream)
{
    return give(memory);
}

cudaError_t cudaMallocHost(void **out, size_t bytes)
{
    return take(out, bytes);
}

cudaError_t cudaFreeHost(void *memory)
{
    return give(memory);
}

cudaError_t cudaMemGetInfo(size_t *left, size_t *all)
{
    *left = *all = (size_t)8 << 30;
    return next();
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *pool, int device)
{
    *pool = NULL;
    return next();
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attribute, void *value)
{
    memset(value, 0, sizeof(uint64_t));
    return next();
}

typedef struct copy {
    void *to;
    const void *from;
    size_t bytes;
} copy;

static copy on_the_way;

static void arrive(void)
{
    if (on_the_way.bytes)
        memcpy(on_the_way.to, on_the_way.from, on_the_way.bytes);
    on_the_way.bytes = 0;
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind,
                            cudaStream_t stream)
{
    const cudaError_t error = next();
    arrive();
    if (error == cudaSuccess && bytes && fake_cuda.late && kind == cudaMemcpyHostToDevice)
        on_the_way = (copy){to, from, bytes};
    else if (error == cudaSuccess && bytes)
        memcpy(to, from, bytes);
    return error;
}

cudaError_t cudaMemsetAsync(void *to, int value, size_t bytes, cudaStream_t stream)
{
    const cudaError_t error = next();
    if (error == cudaSuccess && bytes && bytes < MUCH)
        memset(to, value, bytes);
    return error;
}

/* ---- Streams, events, graphs: everything is done at once ---- */

static char thing; /* that any handle points to */

/* A handle, or NULL where the call fails. */
static cudaError_t hand_out(void *out)
{
    const cudaError_t error = next();
    void *handle = error == cudaSuccess ? &thing : NULL;
    memcpy(out, &handle, sizeof handle);
    return error;
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *out, unsigned flags)
{
    return hand_out(out);
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *out, unsigned flags)
{
    return hand_out(out);
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph)
{
    return hand_out(graph);
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t *out, cudaGraph_t graph, unsigned long long flags)
{
    fake_cuda.instantiated++;
    return hand_out(out);
}

cublasStatus_t cublasLtCreate(cublasLtHandle_t *out)
{
    memset(out, 0, sizeof *out);
    return next_of_cublas();
}

static cublasStatus_t create(void *out)
{
    const cublasStatus_t status = next_of_cublas();
    void *handle = status == CUBLAS_STATUS_SUCCESS ? malloc(1) : NULL;
    fake_cuda.live += handle != NULL;
    memcpy(out, &handle, sizeof handle);
    return status;
}

static cublasStatus_t destroy(void *memory)
{
    fake_cuda.live -= memory != NULL;
    free(memory);
    return next_of_cublas();
}

cublasStatus_t cublasLtMatmulDescCreate(cublasLtMatmulDesc_t *out, cublasComputeType_t compute,
                                        cudaDataType_t scale)
{
    return create(out);
}

cublasStatus_t cublasLtMatmulDescDestroy(cublasLtMatmulDesc_t product)
{
    return destroy(product);
}

cublasStatus_t cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t *out, cudaDataType type,
                                          uint64_t rows, uint64_t cols, int64_t stride)
{
    return create(out);
}

cublasStatus_t cublasLtMatrixLayoutDestroy(cublasLtMatrixLayout_t layout)
{
    return destroy(layout);
}

cublasStatus_t cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t *out)
{
    return create(out);
}

cublasStatus_t cublasLtMatmulPreferenceDestroy(cublasLtMatmulPreference_t preference)
{
    return destroy(preference);
}

cublasStatus_t cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t handle, cublasLtMatmulDesc_t product,
                                              cublasLtMatrixLayout_t a, cublasLtMatrixLayout_t b,
                                              cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t d,
                                              cublasLtMatmulPreference_t preference, int wanted,
                                              cublasLtMatmulHeuristicResult_t *results, int *count)
{
    *count = wanted;
    return next_of_cublas();
}

/* ---- The kernels that copy, and those that answer ---- */

cudaError_t f0t_kernel_to_bf16(uint16_t *to, const float *from, size_t n, cudaStream_t stream)
{
    for (size_t i = 0; i < n; i++) {
        uint32_t bits;
        memcpy(&bits, from + i, sizeof bits);
        to[i] = (uint16_t)(bits >> 16);
    }
    return next();
}

cudaError_t f0t_kernel_to_f32(float *to, const uint16_t *from, size_t n, cudaStream_t stream)
{
    for (size_t i = 0; i < n; i++) {
        const uint32_t bits = (uint32_t)from[i] << 16;
        memcpy(to + i, &bits, sizeof bits);
    }
    return next();
}

cudaError_t f0t_kernel_gather(void *to, const void *from, const uint32_t *index, size_t rows,
                              size_t bytes, cudaStream_t stream)
{
    for (size_t r = 0; r < rows; r++)
        memcpy((char *)to + r * bytes, (const char *)from + index[r] * bytes, bytes);
    return next();
}

size_t f0t_kernel_parts(size_t rows)
{
    return rows;
}

bool f0t_kernel_descends(size_t rows, size_t outputs, size_t inputs)
{
    return false;
}

size_t f0t_kernel_loss_rows(size_t images, size_t tags)
{
    return tags > 50000 ? images * tags : 0;
}

size_t f0t_kernel_pairs_work(size_t images, size_t tags)
{
    return images * tags;
}

cudaError_t f0t_kernel_pairs(f0t_kernel_losses *to, double weight, const f0t_kernel_batch *batch,
                             size_t relevant, void *work, cudaStream_t stream)
{
    const cudaError_t error = next();
    to->far = fake_cuda.far;
    to->low = -1;
    to->high = 30000;
    fake_cuda.losses += error == cudaSuccess;
    return error;
}

size_t f0t_kernel_top_work(size_t rows, size_t n, size_t k)
{
    return rows * k;
}

/* All are equal: the first are those with the lowest numbers. */
cudaError_t f0t_kernel_top(uint64_t **keys, uint64_t *const work[2], const float *x, size_t rows,
                           size_t n, size_t k, cudaStream_t stream)
{
    *keys = work[0];
    for (size_t i = 0; i < rows * k; i++)
        work[0][i] = (uint64_t)0x80000000U << 32 | (uint32_t) ~(i % k);
    return next();
}

size_t f0t_kernel_sort_work(size_t rows, size_t n, size_t k)
{
    return rows * k;
}

cudaError_t f0t_kernel_sort(uint64_t **keys, uint64_t *const work[2], const float *x, size_t rows,
                            size_t n, size_t k, cudaStream_t stream)
{
    return f0t_kernel_top(keys, work, x, rows, n, k, stream);
}

cudaError_t f0t_kernel_places(uint2 *places, unsigned *bad, const float *scores, size_t rows,
                              size_t n, const uint32_t *offsets, const uint32_t *relevant,
                              cudaStream_t stream)
{
    for (uint32_t i = 0; i < offsets[rows]; i++)
        places[i] = (uint2){.x = 0, .y = 1};
    return next();
}

/* ---- What does nothing ---- */

cudaError_t cudaSetDevice(int device)
{
    return next();
}

cudaError_t cudaDeviceSynchronize(void)
{
    arrive();
    return next();
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attribute, void *value)
{
    return next();
}

/* Waiting takes no memory. */
cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    const cudaError_t error = next();
    arrive();
    return error == cudaErrorMemoryAllocation ? cudaSuccess : error;
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags)
{
    return next();
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    return next();
}

cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
    return next();
}

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, enum cudaStreamCaptureMode mode)
{
    return next();
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t made, cudaStream_t stream)
{
    fake_cuda.launched++;
    return next();
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t made)
{
    return next();
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph)
{
    return next();
}

cublasStatus_t cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t product,
                                              cublasLtMatmulDescAttributes_t attribute,
                                              const void *value, size_t size)
{
    return next_of_cublas();
}

cublasStatus_t cublasLtMatmulPreferenceSetAttribute(cublasLtMatmulPreference_t preference,
                                                    cublasLtMatmulPreferenceAttributes_t attribute,
                                                    const void *value, size_t size)
{
    return next_of_cublas();
}

cublasStatus_t cublasLtMatmul(cublasLtHandle_t handle, cublasLtMatmulDesc_t product,
                              const void *alpha, const void *a, cublasLtMatrixLayout_t a_layout,
                              const void *b, cublasLtMatrixLayout_t b_layout, const void *beta,
                              const void *c, cublasLtMatrixLayout_t c_layout, void *d,
                              cublasLtMatrixLayout_t d_layout,
                              const cublasLtMatmulAlgo_t *algorithm, void *workspace, size_t size,
                              cudaStream_t stream)
{
    return next_of_cublas();
}

cudaError_t f0t_kernel_no_product(void *c, bool half, const float *bias, size_t rows, size_t cols,
                                  bool accumulate, bool relu, cudaStream_t stream)
{
    return next();
}

cudaError_t f0t_kernel_drop(void *y, bool y_half, const void *x, bool x_half, size_t n,
                            const f0t_kernel_dropout *dropout, cudaStream_t stream)
{
    return next();
}

cudaError_t f0t_kernel_gate(void *d, const void *y, bool half, size_t rows, size_t cols,
                            float scale, float *sums, const f0t_kernel_sums *work,
                            cudaStream_t stream)
{
    return next();
}

cudaError_t f0t_kernel_outputs(void *to, bool half, const float *d, size_t rows, size_t cols,
                               float *sums, const f0t_kernel_sums *work, cudaStream_t stream)
{
    return next();
}

cudaError_t f0t_kernel_update_run(const f0t_kernel_parameters *p, const float *g, size_t n,
                                  const f0t_kernel_update *factors, cudaStream_t stream)
{
    const cudaError_t error = next();
    fake_cuda.updates += error == cudaSuccess;
    return error;
}

cudaError_t f0t_kernel_descend(const f0t_kernel_parameters *p, const uint16_t *dy,
                               const uint16_t *x, size_t rows, size_t outputs, size_t inputs,
                               const f0t_kernel_update *factors, cudaStream_t stream)
{
    return next();
}

cudaError_t f0t_kernel_loss(int loss, const f0t_kernel_batch *batch, cudaStream_t stream)
{
    return next();
}

cudaError_t f0t_kernel_regression(float *gradient, double *losses, const float *outputs,
                                  const float *targets, size_t images, size_t dims, double scale,
                                  const uint32_t *trains, cudaStream_t stream)
{
    return next();
}

cudaError_t f0t_kernel_loss_add(f0t_kernel_losses *to, const double *losses, size_t images,
                                double weight, cudaStream_t stream)
{
    const cudaError_t error = next();
    fake_cuda.losses += error == cudaSuccess;
    return error;
}
