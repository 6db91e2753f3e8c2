/* The kernels, each started in the module's stream; what they give is cudaGetLastError's. Pointers are the device's. */
#ifndef F0T_CUDA_KERNELS_H
#define F0T_CUDA_KERNELS_H

#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- layers.cu ---- */

cudaError_t f0t_kernel_to_bf16(uint16_t *to, const float *from, size_t n, cudaStream_t stream);
cudaError_t f0t_kernel_to_f32(float *to, const uint16_t *from, size_t n, cudaStream_t stream);
/* Rows of `bytes` bytes. */
cudaError_t f0t_kernel_gather(void *to, const void *from, const uint32_t *index, size_t rows,
                              size_t bytes, cudaStream_t stream);
/* c[rows x cols] = relu(bias + c), with every part optional: the product of nothing. */
cudaError_t f0t_kernel_no_product(void *c, bool half, const float *bias, size_t rows, size_t cols,
                                  bool accumulate, bool relu, cudaStream_t stream);

/* compute/dropout.h's numbers; element 0 has the number `first`. */
typedef struct f0t_kernel_dropout {
    uint64_t seed, stream, first;
    uint32_t limit;
    float scale;
} f0t_kernel_dropout;
cudaError_t f0t_kernel_drop(void *y, bool y_half, const void *x, bool x_half, size_t n,
                            const f0t_kernel_dropout *dropout, cudaStream_t stream);
/* Sums over columns are made of parts of the rows: parts[f0t_kernel_parts(rows) x cols] is scratch, ready[cols] is 0
 * before and after. */
typedef struct f0t_kernel_sums {
    float *parts;
    unsigned *ready;
} f0t_kernel_sums;
size_t f0t_kernel_parts(size_t rows);
cudaError_t f0t_kernel_gate(void *d, const void *y, bool half, size_t rows, size_t cols,
                            float scale, float *sums, const f0t_kernel_sums *work,
                            cudaStream_t stream);
cudaError_t f0t_kernel_outputs(void *to, bool half, const float *d, size_t rows, size_t cols,
                               float *sums, const f0t_kernel_sums *work, cudaStream_t stream);

/* ---- update.cu ---- */

/* compute/optimizer.h's factors, and which optimiser. */
typedef struct f0t_kernel_update {
    bool adam;
    float beta1, rest1, beta2, rest2, rate, root, epsilon, keep, momentum, decay;
} f0t_kernel_update;
typedef struct f0t_kernel_parameters {
    float *w, *m, *v;
    uint16_t *half; /* or NULL */
} f0t_kernel_parameters;
cudaError_t f0t_kernel_update_run(const f0t_kernel_parameters *p, const float *g, size_t n,
                                  const f0t_kernel_update *factors, cudaStream_t stream);

/* ---- descend.cu ---- */

/* The same by the gradient dyᵀ · x of bfloat16 dy[rows x outputs] and x[rows x inputs], which goes through no memory: on
 * GPUs and for shapes that it is made for. */
bool f0t_kernel_descends(size_t rows, size_t outputs, size_t inputs);
cudaError_t f0t_kernel_descend(const f0t_kernel_parameters *p, const uint16_t *dy,
                               const uint16_t *x, size_t rows, size_t outputs, size_t inputs,
                               const f0t_kernel_update *factors, cudaStream_t stream);

/* ---- loss.cu ---- */

/* What the losses of a batch came to. `bad` is 1 + the first row without a finite loss, and `infinite` says that its
 * scores are finite all the same; `far` that they lie too far apart for pairs across the batch, from `low` to `high`. */
typedef struct f0t_kernel_losses {
    double sum;
    uint64_t bad;
    uint64_t infinite;
    uint64_t far;
    float low, high;
} f0t_kernel_losses;

typedef struct f0t_kernel_batch {
    size_t images, tags;
    const float *scores;
    const uint32_t *offsets;  /* [images + 1] */
    const uint32_t *relevant; /* all rows'; for listmle in the order that was drawn */
    double scale;             /* 1 / images that train */
    float *gradient;
    double *losses; /* [images] */
    float *rows;    /* [f0t_kernel_loss_rows] of scratch; NULL where that is 0 */
    double *tails;  /* [offsets[images]] of scratch, for listmle */
} f0t_kernel_batch;

/* Numbers that a batch needs memory for where the scores of a row do not fit into shared memory; else 0. */
size_t f0t_kernel_loss_rows(size_t images, size_t tags);
cudaError_t f0t_kernel_loss(int loss, const f0t_kernel_batch *batch, cudaStream_t stream);
cudaError_t f0t_kernel_regression(float *gradient, double *losses, const float *outputs,
                                  const float *targets, size_t images, size_t dims, double scale,
                                  const uint32_t *trains, cudaStream_t stream);
/* to->sum += weight · Σ losses, in a fixed order; a bad row is kept, the first one. */
cudaError_t f0t_kernel_loss_add(f0t_kernel_losses *to, const double *losses, size_t images,
                                double weight, cudaStream_t stream);

/* ---- pairs.cu ---- */

/* ranknet over the pairs across the batch, of which `relevant` entries are; of the batch, `scale`, `losses` and what follows
 * are not used. The loss times `weight` is added to to->sum, or what is wrong with it kept, as by f0t_kernel_loss_add. */
size_t f0t_kernel_pairs_work(size_t images, size_t tags); /* bytes */
cudaError_t f0t_kernel_pairs(f0t_kernel_losses *to, double weight, const f0t_kernel_batch *batch,
                             size_t relevant, void *work, cudaStream_t stream);

/* ---- top.cu ---- */

enum { F0T_KERNEL_TOP_MOST = 128 };
/* The k largest of each row of x[rows x n], best first, as keys[rows x k]; k is at most
 * F0T_KERNEL_TOP_MOST and n. work[2] are of f0t_kernel_top_work keys each. */
size_t f0t_kernel_top_work(size_t rows, size_t n, size_t k);
cudaError_t f0t_kernel_top(uint64_t **keys, uint64_t *const work[2], const float *x, size_t rows,
                           size_t n, size_t k, cudaStream_t stream);

/* ---- sort.cu ---- */

/* The same for any k up to n, by sorting. */
size_t f0t_kernel_sort_work(size_t rows, size_t n, size_t k);
cudaError_t f0t_kernel_sort(uint64_t **keys, uint64_t *const work[2], const float *x, size_t rows,
                            size_t n, size_t k, cudaStream_t stream);

/* ---- places.cu ---- */

/* places[i] = {how many of the row are above, and equal} for each relevant entry i; bad is the first row with a NaN,
 * and left alone where there is none. */
cudaError_t f0t_kernel_places(uint2 *places, unsigned *bad, const float *scores, size_t rows,
                              size_t n, const uint32_t *offsets, const uint32_t *relevant,
                              cudaStream_t stream);

#ifdef __cplusplus
}
#endif

#endif
