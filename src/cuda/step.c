/* The passes of a training step between its products, and the optimiser's. */
#include "cuda/cuda.h"
#include "cuda/kernels.h"

static bool is_half(const f0t_buffer *buffer)
{
    return buffer->type == F0T_BF16;
}

static void *data_of(const f0t_buffer *buffer)
{
    return buffer ? buffer->data : NULL;
}

f0t_status f0t_cuda_drop(f0t_buffer *y, const f0t_buffer *x, size_t n, const f0t_dropout *dropout)
{
    F0T_CUDA_ENTER();
    const f0t_kernel_dropout own = {.seed = dropout->random.seed,
                                    .stream = dropout->random.stream,
                                    .first = dropout->first,
                                    .limit = dropout->limit,
                                    .scale = dropout->scale};
    if (!n || (y->data == x->data && !dropout->limit))
        return F0T_OK;
    F0T_TRY(f0t_cuda_capture());
    return f0t_cuda_check(
        f0t_kernel_drop(y->data, is_half(y), x->data, is_half(x), n, &own, f0t_cuda_stream),
        "dropout");
}

static f0t_status prepare_sums(f0t_kernel_sums *out, size_t rows, size_t cols)
{
    void *parts;
    F0T_TRY(f0t_cuda_scratch(&parts, F0T_SCRATCH_SUMS,
                             f0t_kernel_parts(rows) * cols * sizeof *out->parts));
    out->parts = parts;
    return f0t_cuda_zeros(&out->ready, cols);
}

f0t_status f0t_cuda_gate(f0t_buffer *d, const f0t_buffer *y, size_t rows, size_t cols, float scale,
                         f0t_buffer *sums)
{
    F0T_CUDA_ENTER();
    f0t_kernel_sums work;
    if (!rows || !cols)
        return F0T_OK;
    F0T_TRY(f0t_cuda_capture());
    F0T_TRY(prepare_sums(&work, rows, cols));
    return f0t_cuda_check(f0t_kernel_gate(d->data, y->data, is_half(d), rows, cols, scale,
                                          sums->data, &work, f0t_cuda_stream),
                          "the backward pass");
}

f0t_status f0t_cuda_outputs(f0t_buffer *to, const f0t_buffer *d, size_t rows, size_t cols,
                            f0t_buffer *sums)
{
    F0T_CUDA_ENTER();
    f0t_kernel_sums work;
    if (!rows || !cols)
        return F0T_OK;
    F0T_TRY(f0t_cuda_capture());
    F0T_TRY(prepare_sums(&work, rows, cols));
    return f0t_cuda_check(f0t_kernel_outputs(to->data, is_half(to), d->data, rows, cols, sums->data,
                                             &work, f0t_cuda_stream),
                          "the backward pass");
}

/* ---- The optimiser ------------------------------------------------------------------------------ */

static f0t_kernel_parameters parameters_of(const f0t_parameter_buffers *p)
{
    return (f0t_kernel_parameters){
        .w = data_of(p->w), .m = data_of(p->m), .v = data_of(p->v), .half = data_of(p->half)};
}

static f0t_kernel_update factors_of(const f0t_optimizer *optimizer, bool decays, uint64_t t,
                                    double rate)
{
    const f0t_update_factors f = f0t_cuda_host.update_factors(optimizer, decays, t, rate);
    return (f0t_kernel_update){.adam = optimizer->kind == F0T_OPTIMIZER_ADAM,
                               .beta1 = f.beta1,
                               .rest1 = f.rest1,
                               .beta2 = f.beta2,
                               .rest2 = f.rest2,
                               .rate = f.rate,
                               .root = f.root,
                               .epsilon = f.epsilon,
                               .keep = f.keep,
                               .momentum = f.momentum,
                               .decay = f.decay};
}

f0t_status f0t_cuda_update(const f0t_parameter_buffers *parameters, const f0t_buffer *gradient,
                           size_t n, const f0t_optimizer *optimizer, uint64_t t, double rate)
{
    F0T_CUDA_ENTER_AND(false);
    const f0t_kernel_parameters p = parameters_of(parameters);
    const f0t_kernel_update factors = factors_of(optimizer, parameters->decays, t, rate);
    if (!n)
        return F0T_OK;
    F0T_TRY(f0t_cuda_capture());
    F0T_TRY(f0t_cuda_branch());
    F0T_CUDA_TRY(f0t_kernel_update_run(&p, gradient->data, n, &factors, f0t_cuda_aside),
                 "the optimiser");
    return f0t_cuda_once(f0t_cuda_branch_end());
}

/* A weight's update, all of it. */
typedef struct descent {
    f0t_kernel_parameters p;
    f0t_kernel_update factors;
    const f0t_buffer *dy, *x;
    f0t_matmul op;
} descent;

/* A small one: beside what else is to be done. */
static f0t_status descend_aside(const descent *d)
{
    const size_t n = d->op.m * d->op.n;
    void *gradient;
    F0T_TRY(f0t_cuda_scratch(&gradient, F0T_SCRATCH_GRADIENT, n * sizeof(float)));
    F0T_TRY(f0t_cuda_product_reserve());
    F0T_TRY(f0t_cuda_branch());
    F0T_TRY(f0t_cuda_multiply(gradient, d->dy->data, d->x->data, NULL, &d->op,
                              &(f0t_cuda_way){.stream = f0t_cuda_aside}));
    F0T_CUDA_TRY(f0t_kernel_update_run(&d->p, gradient, n, &d->factors, f0t_cuda_aside),
                 "the optimiser");
    return f0t_cuda_once(f0t_cuda_branch_end());
}

/*
 * A large one in bands of rows, whose gradients stay in the cache: they are written and read there and not in memory,
 * where an update by Adam moves 26 bytes per parameter, 34 if they went through it. The products are in one stream and
 * the updates in the other: when the last blocks of one run, those of the next have begun.
 */
/* Numbers of a band, about, and what its rows are a multiple of. */
enum { BAND = 1 << 23, BAND_ROWS = 256 };

typedef struct band {
    float *gradient;
    cudaEvent_t multiplied, updated;
    uint64_t joins; /* when `updated` was recorded: it is waited for until the streams join */
} band;

static f0t_status prepare_band(band *b, f0t_cuda_scratch_use use, size_t numbers)
{
    void *memory;
    F0T_TRY(f0t_cuda_scratch(&memory, use, numbers * sizeof *b->gradient));
    b->gradient = memory;
    if (b->updated)
        return F0T_OK;
    F0T_CUDA_TRY(cudaEventCreateWithFlags(&b->multiplied, cudaEventDisableTiming), "the optimiser");
    F0T_CUDA_TRY(cudaEventCreateWithFlags(&b->updated, cudaEventDisableTiming), "the optimiser");
    return F0T_OK;
}

static f0t_kernel_parameters parameters_at(const f0t_kernel_parameters *p, size_t first)
{
    return (f0t_kernel_parameters){.w = p->w + first,
                                   .m = p->m + first,
                                   .v = p->v ? p->v + first : NULL,
                                   .half = p->half ? p->half + first : NULL};
}

/* Rows [first, first + rows) of the weight. */
static f0t_status descend_band(const descent *d, band *b, size_t first, size_t rows)
{
    const size_t size = is_half(d->dy) ? sizeof(uint16_t) : sizeof(float);
    const char *dy = (const char *)d->dy->data + first * size;
    const f0t_kernel_parameters p = parameters_at(&d->p, first * d->op.n);
    f0t_matmul op = d->op;
    op.m = rows;
    if (f0t_cuda_is_aside() && b->joins == f0t_cuda_joins())
        F0T_CUDA_TRY(cudaStreamWaitEvent(f0t_cuda_stream, b->updated, 0), "the optimiser");
    F0T_TRY(f0t_cuda_multiply(b->gradient, dy, d->x->data, NULL, &op,
                              &(f0t_cuda_way){.stream = f0t_cuda_stream, .a_stride = d->op.m}));
    F0T_CUDA_TRY(cudaEventRecord(b->multiplied, f0t_cuda_stream), "the optimiser");
    F0T_CUDA_TRY(cudaStreamWaitEvent(f0t_cuda_aside, b->multiplied, 0), "the optimiser");
    F0T_CUDA_TRY(f0t_kernel_update_run(&p, b->gradient, rows * op.n, &d->factors, f0t_cuda_aside),
                 "the optimiser");
    F0T_CUDA_TRY(cudaEventRecord(b->updated, f0t_cuda_aside), "the optimiser");
    b->joins = f0t_cuda_joins();
    return f0t_cuda_branch_end();
}

static f0t_status descend_in_bands(const descent *d)
{
    static band bands[2];
    const size_t outputs = d->op.m, whole = BAND / d->op.n / BAND_ROWS * BAND_ROWS;
    const size_t rows = whole ? whole : BAND_ROWS;
    for (int i = 0; i < 2; i++)
        F0T_TRY(
            prepare_band(&bands[i], i ? F0T_SCRATCH_BAND_NEXT : F0T_SCRATCH_BAND, rows * d->op.n));
    F0T_TRY(f0t_cuda_flush()); /* two streams are a little faster than their graph, 1 % of a step */
    for (size_t first = 0, i = 0; first < outputs; first += rows, i++)
        F0T_TRY(f0t_cuda_once(descend_band(d, &bands[i % 2], first,
                                           outputs - first < rows ? outputs - first : rows)));
    return F0T_OK;
}

/* With the optimiser in the product's epilogue. */
static f0t_status descend_at_once(const descent *d)
{
    return f0t_cuda_check(f0t_kernel_descend(&d->p, d->dy->data, d->x->data, d->op.k, d->op.m,
                                             d->op.n, &d->factors, f0t_cuda_stream),
                          "the optimiser");
}

/* From so many parameters on. */
enum { LARGE = 1 << 22 };

f0t_status f0t_cuda_descend(const f0t_parameter_buffers *parameters, const f0t_buffer *dy,
                            const f0t_buffer *x, size_t rows, size_t outputs, size_t inputs,
                            const f0t_optimizer *optimizer, uint64_t t, double rate)
{
    F0T_CUDA_ENTER_AND(false);
    const descent d = {
        .p = parameters_of(parameters),
        .factors = factors_of(optimizer, parameters->decays, t, rate),
        .dy = dy,
        .x = x,
        .op = {.m = outputs, .n = inputs, .k = rows, .type = dy->type, .a_transposed = true}};
    F0T_TRY(f0t_cuda_capture());
    if (is_half(dy) && f0t_kernel_descends(rows, outputs, inputs))
        return descend_at_once(&d);
    return outputs * inputs >= LARGE ? descend_in_bands(&d) : descend_aside(&d);
}
