/*
 * A GPU as a compute object (compute/compute.h): what the files of this module share.
 *
 * All work is in one stream, in the order of the calls, so that memory of the module's own, which one operation
 * after the other uses, needs no waiting; small updates are in a second one, beside the large, and whatever comes after
 * the updates waits for both. A lock makes an operation's launches one piece. The launches of a training step become one
 * CUDA graph (graph.c). No sum depends on the order in which blocks run: the same calls give the same bytes on the same
 * GPU.
 */
#ifndef F0T_CUDA_CUDA_H
#define F0T_CUDA_CUDA_H

#include "compute/device.h"

#include <cuda_runtime_api.h>

extern f0t_module_host f0t_cuda_host;
extern cudaStream_t f0t_cuda_stream;
extern cudaStream_t f0t_cuda_aside; /* beside it: f0t_cuda_branch */

#define F0T_CUDA_FAIL f0t_cuda_host.fail

/* Records what CUDA says as the last error: one line, and what to do about it. */
f0t_status f0t_cuda_check(cudaError_t error, const char *what);
f0t_status f0t_cuda_failed(const char *what, const char *why, const char *name);

#define F0T_CUDA_TRY(call, what)                          \
    do {                                                  \
        cudaError_t f0t_cuda_error_ = (call);             \
        if (f0t_cuda_error_ != cudaSuccess)               \
            return f0t_cuda_check(f0t_cuda_error_, what); \
    } while (0)

/* Around an operation: enters the lock, and leaves it where the function returns. `join` has the stream wait for the one
 * beside it. */
void f0t_cuda_enter(bool join);
void f0t_cuda_join(void);
/* Around what is started in f0t_cuda_aside: it waits for all that was started before, and the next operation that
 * joins waits for it. */
f0t_status f0t_cuda_branch(void);
f0t_status f0t_cuda_branch_end(void);
/* Whether something may be running there, and how many times the streams have joined: what was recorded there before is
 * done. */
bool f0t_cuda_is_aside(void);
uint64_t f0t_cuda_joins(void);
void f0t_cuda_leave(const int *unused);
#define F0T_CUDA_ENTER_AND(join)                                                 \
    __attribute__((cleanup(f0t_cuda_leave), unused)) const int f0t_entered_ = 0; \
    f0t_cuda_enter(join)
#define F0T_CUDA_ENTER() F0T_CUDA_ENTER_AND(true)

/* ---- Steps as graphs ---------------------------------------------------------------------------- */

void f0t_cuda_begin(void);
f0t_status f0t_cuda_end(void);
/* Inside the lock. Operations of a step call `capture` before they start anything: within begin and end, it is held back.
 * All others call `flush` first: what was held back starts, and then the rest of the step at once. */
f0t_status f0t_cuda_capture(void);
f0t_status f0t_cuda_flush(void);
bool f0t_cuda_is_captured(void);
/* Around what cannot be done again once it has begun, as the caller may try where memory was missing: a failure for that
 * reason is then the step's. Such a one, and that of a part which could not start, is what every operation after it fails
 * with, and the step's `end`: releasing memory, which cannot fail, loses none. */
f0t_status f0t_cuda_once(f0t_status status);

/* ---- Memory ------------------------------------------------------------------------------------ */

f0t_status f0t_cuda_memory_open(void);
f0t_status f0t_cuda_alloc(f0t_buffer *buffer);
void f0t_cuda_release(f0t_buffer *buffer);
size_t f0t_cuda_room(void);
f0t_status f0t_cuda_upload(f0t_buffer *to, size_t first, const float *from, size_t n);
f0t_status f0t_cuda_download(float *to, const f0t_buffer *from, size_t first, size_t n);
f0t_status f0t_cuda_stream_in(f0t_buffer *to, size_t first, size_t n, f0t_fill *fill, void *user);
f0t_status f0t_cuda_gather(f0t_buffer *to, const f0t_buffer *from, const uint32_t *index,
                           size_t rows, size_t cols);
f0t_status f0t_cuda_pack(f0t_buffer *to, const float *from, size_t k, size_t n, bool transposed,
                         size_t rows);
/* Whether a packed matrix lies as n x k. */
bool f0t_cuda_packed_transposed(const f0t_buffer *buffer);

/* Memory of the module's own for at least `bytes`, the content of which is lost at the next operation; one place for
 * each use that an operation may have at the same time. Inside the lock. */
typedef enum f0t_cuda_scratch_use {
    F0T_SCRATCH_CONVERT, /* numbers on their way between float32 and bfloat16 */
    F0T_SCRATCH_BIAS,    /* a bias in bfloat16 */
    F0T_SCRATCH_PRODUCT, /* cuBLASLt's, in either stream */
    F0T_SCRATCH_PRODUCT_ASIDE,
    F0T_SCRATCH_GRADIENT,
    F0T_SCRATCH_BAND,
    F0T_SCRATCH_BAND_NEXT,
    F0T_SCRATCH_SUMS,
    F0T_SCRATCH_TOP,
    F0T_SCRATCH_TOP_NEXT,
    F0T_SCRATCHES
} f0t_cuda_scratch_use;
f0t_status f0t_cuda_scratch(void **out, f0t_cuda_scratch_use use, size_t bytes);
/* `count` numbers that are 0, and that whoever uses them leaves so. */
f0t_status f0t_cuda_zeros(unsigned **out, size_t count);

/* A copy of the caller's bytes on the device, through pinned memory: the call does not wait for the stream unless many
 * of them are on their way. Valid for the operations that are started before the next F0T_CUDA_STAGES calls. Inside the
 * lock. */
enum { F0T_CUDA_STAGES = 16 };
f0t_status f0t_cuda_stage(void **out, const void *from, size_t bytes);
/* In two steps: memory that the caller fills, and its way to the device. */
f0t_status f0t_cuda_stage_take(void **pinned, size_t bytes);
f0t_status f0t_cuda_stage_send(void **out, size_t bytes);
/* After a graph was started: what it copies may be filled again when it has run. */
cudaError_t f0t_cuda_stages_started(void);
/* Where the relevant tags of each image begin, and the tags, in one piece and from 0: (*out)[images + 1] and what
 * follows. */
f0t_status f0t_cuda_stage_relevant(const uint32_t **out, const size_t *offsets,
                                   const uint32_t *relevant, size_t images);

/* ---- Operations -------------------------------------------------------------------------------- */

f0t_status f0t_cuda_product_open(void);
/* The memory of products in f0t_cuda_aside, which is not to be taken while something is on its way there. */
f0t_status f0t_cuda_product_reserve(void);
f0t_status f0t_cuda_product(f0t_buffer *c, const f0t_buffer *a, const f0t_buffer *b,
                            const f0t_buffer *bias, const f0t_matmul *op);
/* Where a product runs, and how A lies. */
typedef struct f0t_cuda_way {
    cudaStream_t stream;
    size_t a_stride; /* between the rows that A is stored as; 0: they follow each other */
} f0t_cuda_way;
/* The same inside the lock, with plain memory. */
f0t_status f0t_cuda_multiply(void *c, const void *a, const void *b, const float *bias,
                             const f0t_matmul *op, const f0t_cuda_way *way);
f0t_status f0t_cuda_drop(f0t_buffer *y, const f0t_buffer *x, size_t n, const f0t_dropout *dropout);
f0t_status f0t_cuda_gate(f0t_buffer *d, const f0t_buffer *y, size_t rows, size_t cols, float scale,
                         f0t_buffer *sums);
f0t_status f0t_cuda_outputs(f0t_buffer *to, const f0t_buffer *d, size_t rows, size_t cols,
                            f0t_buffer *sums);
f0t_status f0t_cuda_update(const f0t_parameter_buffers *parameters, const f0t_buffer *gradient,
                           size_t n, const f0t_optimizer *optimizer, uint64_t t, double rate);
f0t_status f0t_cuda_descend(const f0t_parameter_buffers *parameters, const f0t_buffer *dy,
                            const f0t_buffer *x, size_t rows, size_t outputs, size_t inputs,
                            const f0t_optimizer *optimizer, uint64_t t, double rate);
f0t_status f0t_cuda_loss_create(f0t_loss_plan **out, const f0t_loss_options *options, size_t images,
                                size_t tags);
void f0t_cuda_loss_free(f0t_loss_plan *plan);
f0t_status f0t_cuda_loss(f0t_loss_result *result, f0t_buffer *gradient, const f0t_buffer *scores,
                         f0t_loss_plan *plan, const f0t_loss_batch *batch);
f0t_status f0t_cuda_loss_sum(double *sum, f0t_loss_plan *plan);
f0t_status f0t_cuda_regression(f0t_loss_result *result, f0t_buffer *gradient,
                               const f0t_buffer *outputs, const f0t_regression *regression);
f0t_status f0t_cuda_top(uint32_t *index, float *value, const f0t_buffer *scores, size_t rows,
                        size_t n, size_t k);
f0t_status f0t_cuda_places(f0t_place *places, const f0t_buffer *scores, size_t rows, size_t n,
                           const size_t *offsets, const uint32_t *relevant);

#endif
