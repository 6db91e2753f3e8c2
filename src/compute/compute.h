/*
 * Where numbers live and are multiplied.
 *
 * A compute object is a device: memory for arrays, and the few operations that training, tagging and
 * ranking are made of. This header is all that the rest of the library knows of it. f0t_compute_cpu is the one that
 * is built in; src/cuda/ is a GPU's, in a module that is loaded when a context asks for it (compute/device.h);
 * tests/support/plain_compute.c is a third one, in plain loops and double precision, through which a test trains and
 * tags.
 *
 *     const f0t_compute *compute = f0t_compute_current();
 *     f0t_buffer_create(&y, compute, F0T_F32, rows * outputs);
 *     compute->product(y, x, w, bias, &(f0t_matmul){.m = rows, .n = outputs, .k = inputs});
 *     compute->download(host, y, 0, rows * outputs);
 *     f0t_buffer_free(y);
 *
 * Matrices are row-major without padding and begin at the first element of their buffer. All buffers of an
 * operation are of the same compute object. An operation may still be running when it returns, and those
 * after it wait for it; download and what gives numbers to the caller return when they are there. How many
 * threads work is a matter of the caller's context (base/context.h).
 */
#ifndef F0T_COMPUTE_COMPUTE_H
#define F0T_COMPUTE_COMPUTE_H

#include "compute/dropout.h"
#include "compute/loss.h"
#include "compute/optimizer.h"
#include "math/matmul.h"

typedef struct f0t_compute f0t_compute;

/* An array on a device, or a matrix that was packed there for products. */
typedef struct f0t_buffer {
    const f0t_compute *compute;
    f0t_dtype type; /* F0T_F32 or F0T_BF16 */
    size_t count;
    void *data;   /* of the device; memory that the caller may use where compute->shares_memory */
    void *packed; /* the device's own form of a packed matrix, or NULL */
} f0t_buffer;

/* The parameters that an optimiser updates, and what it remembers of them; all of one length. */
typedef struct f0t_parameter_buffers {
    f0t_buffer *w;
    f0t_buffer *m, *v; /* moments; SGD has no v */
    f0t_buffer *half;  /* w rounded to bfloat16, or NULL */
    bool decays;
} f0t_parameter_buffers;

/* Writes n numbers. */
typedef f0t_status f0t_fill(void *user, float *to, size_t n);

/* Where an entry stands in a ranking: how many scores are higher than its own, and how many equal it, itself
 * included. */
typedef struct f0t_place {
    uint32_t above, equal;
} f0t_place;

struct f0t_compute {
    const char *device; /* "cpu", "cuda" */
    bool shares_memory; /* buffers are the caller's memory, too: nothing need be copied */

    /* ---- Memory ---- */

    /* Zeros for buffer->count elements of buffer->type. */
    f0t_status (*alloc)(f0t_buffer *buffer);
    void (*release)(f0t_buffer *buffer);
    /* Bytes that may be asked for. NULL: as for every program. */
    size_t (*room)(void);
    /* Elements [first, first + n) from and to float32: bfloat16 is rounded to nearest. */
    f0t_status (*upload)(f0t_buffer *to, size_t first, const float *from, size_t n);
    f0t_status (*download)(float *to, const f0t_buffer *from, size_t first, size_t n);
    /* The same for the n numbers that `fill`, called once before this returns, writes into memory from which they go to the
     * device while it computes: for what comes with every mini-batch. NULL: by upload. */
    f0t_status (*stream)(f0t_buffer *to, size_t first, size_t n, f0t_fill *fill, void *user);
    /* to[rows x cols] = row index[i] of `from`, for each i below `rows`; both of one type. NULL: arrays of many
     * rows stay in the caller's memory. */
    f0t_status (*gather)(f0t_buffer *to, const f0t_buffer *from, const uint32_t *index, size_t rows,
                         size_t cols);
    /* Sets `to`, of the type that it has, to B[k x n] in the layout that products with about `rows` rows like
     * best; `from` lies as n x k where `transposed`. For a B that is used often and changes seldom. */
    f0t_status (*pack)(f0t_buffer *to, const float *from, size_t k, size_t n, bool transposed,
                       size_t rows);

    /* ---- The training step ---- */

    /* Around the operations of a step: what they start may be held back and start as one piece, at `end` or when an
     * operation gives numbers to the caller. NULL: every operation starts at once. */
    void (*begin)(void);
    f0t_status (*end)(void);
    /* C = relu(A · B + bias + C), as `op` says (math/matmul.h). B may be packed, bias NULL. C overlaps
     * neither. */
    f0t_status (*product)(f0t_buffer *c, const f0t_buffer *a, const f0t_buffer *b,
                          const f0t_buffer *bias, const f0t_matmul *op);
    /* y = x after dropout; n elements, x of float32 or of y's type, or y itself. */
    f0t_status (*drop)(f0t_buffer *y, const f0t_buffer *x, size_t n, const f0t_dropout *dropout);
    /* Backward through dropout and ReLU: d = d · scale where y > 0, else 0; the sums of d's columns, before
     * rounding, into sums[cols]. */
    f0t_status (*gate)(f0t_buffer *d, const f0t_buffer *y, size_t rows, size_t cols, float scale,
                       f0t_buffer *sums);
    /* `to` = d[rows x cols] of float32 in to's type, and the sums of its columns. */
    f0t_status (*outputs)(f0t_buffer *to, const f0t_buffer *d, size_t rows, size_t cols,
                          f0t_buffer *sums);
    /* The ranking losses over batches of at most `images` rows of `tags` scores, with their gradient, and
     * regression: compute/loss.h, where scores and outputs come from a buffer in place of the structure's own. With
     * `result` NULL, which is for devices that have loss_sum, a loss is added up there. */
    f0t_status (*loss_create)(f0t_loss_plan **out, const f0t_loss_options *options, size_t images,
                              size_t tags);
    void (*loss_free)(f0t_loss_plan *plan);
    f0t_status (*loss)(f0t_loss_result *result, f0t_buffer *gradient, const f0t_buffer *scores,
                       f0t_loss_plan *plan, const f0t_loss_batch *batch);
    /* Σ loss · rows of the batches since the last call, and fails as one of them did: so that nobody waits for the
     * loss of each. NULL: `loss` gives every result at once. */
    f0t_status (*loss_sum)(double *sum, f0t_loss_plan *plan);
    f0t_status (*regression)(f0t_loss_result *result, f0t_buffer *gradient,
                             const f0t_buffer *outputs, const f0t_regression *regression);
    /* The optimiser's pass over n parameters by their gradient, as step t (from 1). */
    f0t_status (*update)(const f0t_parameter_buffers *parameters, const f0t_buffer *gradient,
                         size_t n, const f0t_optimizer *optimizer, uint64_t t, double rate);
    /* The same for a weight w[outputs x inputs] whose gradient is dyᵀ · x, of dy[rows x outputs] and x[rows x inputs]:
     * it need not go through memory. NULL: by product and update. */
    f0t_status (*descend)(const f0t_parameter_buffers *parameters, const f0t_buffer *dy,
                          const f0t_buffer *x, size_t rows, size_t outputs, size_t inputs,
                          const f0t_optimizer *optimizer, uint64_t t, double rate);

    /* ---- Ranking ---- */

    /* The min(k, n) largest of each row of scores[rows x n] to the caller: larger first, equal ones by lower
     * index, NaN after every number. `value` may be NULL. */
    f0t_status (*top)(uint32_t *index, float *value, const f0t_buffer *scores, size_t rows,
                      size_t n, size_t k);
    /* The places of the entries relevant[offsets[r]] … of each row r of scores[rows x n], one after the other from
     * offsets[0] on, to the caller. Fails with F0T_ERROR_NUMERIC where a score is NaN. NULL: from a copy of the
     * scores (rank/miap.h). */
    f0t_status (*places)(f0t_place *places, const f0t_buffer *scores, size_t rows, size_t n,
                         const size_t *offsets, const uint32_t *relevant);
};

/* This machine's processor. */
extern const f0t_compute f0t_compute_cpu;

/* That of the context which the calling thread works in. */
const f0t_compute *f0t_compute_current(void);

/* `count` zeros. Every free takes NULL. */
f0t_status f0t_buffer_create(f0t_buffer **out, const f0t_compute *compute, f0t_dtype type,
                             size_t count);
f0t_status f0t_buffer_create_packed(f0t_buffer **out, const f0t_compute *compute, f0t_dtype type,
                                    const float *b, size_t k, size_t n, bool transposed,
                                    size_t rows);
void f0t_buffer_free(f0t_buffer *buffer);

/* Memory of the caller's as a buffer, where compute->shares_memory; it is not freed. */
static inline f0t_buffer f0t_buffer_view(const f0t_compute *compute, f0t_dtype type, size_t count,
                                         const void *data)
{
    return (f0t_buffer){
        .compute = compute, .type = type, .count = count, .data = (void *)(uintptr_t)data};
}

#endif
