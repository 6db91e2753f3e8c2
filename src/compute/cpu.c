/* The CPU as a compute object: oneDNN's products (math/), and this part's passes over memory. */
#include "base/alloc.h"
#include "base/context.h"
#include "compute/compute.h"
#include "math/topk.h"

#include <string.h>

/* ---- Memory ------------------------------------------------------------------------------------ */

static f0t_status cpu_alloc(f0t_buffer *buffer)
{
    return f0t_alloc_zero(&buffer->data, buffer->count, f0t_dtype_size(buffer->type));
}

static void cpu_release(f0t_buffer *buffer)
{
    f0t_packed_free(buffer->packed);
    f0t_free(buffer->data);
}

static f0t_status cpu_upload(f0t_buffer *to, size_t first, const float *from, size_t n)
{
    if (to->type == F0T_BF16)
        f0t_f32_to_bf16((uint16_t *)to->data + first, from, n);
    else
        memcpy((float *)to->data + first, from, n * sizeof *from);
    return F0T_OK;
}

static f0t_status cpu_download(float *to, const f0t_buffer *from, size_t first, size_t n)
{
    const size_t size = f0t_dtype_size(from->type);
    f0t_dtype_to_f32(to, (const char *)from->data + first * size, from->type, n);
    return F0T_OK;
}

static f0t_status cpu_pack(f0t_buffer *to, const float *from, size_t k, size_t n, bool transposed,
                           size_t rows)
{
    f0t_packed *packed;
    F0T_TRY(f0t_packed_create(&packed, k, n, to->type, rows));
    to->packed = packed;
    return f0t_packed_set(packed, from, transposed);
}

/* ---- The training step -------------------------------------------------------------------------- */

static f0t_status cpu_product(f0t_buffer *c, const f0t_buffer *a, const f0t_buffer *b,
                              const f0t_buffer *bias, const f0t_matmul *op)
{
    const float *added = bias ? bias->data : NULL;
    if (b->packed)
        return f0t_matmul_run_packed(c->data, a->data, b->packed, added, op);
    return f0t_matmul_run(c->data, a->data, b->data, added, op);
}

static f0t_status cpu_drop(f0t_buffer *y, const f0t_buffer *x, size_t n, const f0t_dropout *dropout)
{
    if (y->data == x->data)
        f0t_layer_drop(y->data, y->type, n, dropout);
    else
        f0t_layer_input(y->data, y->type, x->data, n, dropout);
    return F0T_OK;
}

static f0t_status cpu_gate(f0t_buffer *d, const f0t_buffer *y, size_t rows, size_t cols,
                           float scale, f0t_buffer *sums)
{
    f0t_layer_gate(d->data, y->data, d->type, rows, cols, scale, sums->data);
    return F0T_OK;
}

static f0t_status cpu_outputs(f0t_buffer *to, const f0t_buffer *d, size_t rows, size_t cols,
                              f0t_buffer *sums)
{
    f0t_layer_output(to->data, to->type, d->data, rows, cols, sums->data);
    return F0T_OK;
}

static f0t_status cpu_loss(f0t_loss_result *result, f0t_buffer *gradient, const f0t_buffer *scores,
                           f0t_loss_plan *plan, const f0t_loss_batch *batch)
{
    f0t_loss_batch own = *batch;
    own.scores = scores->data;
    return f0t_loss_run(result, gradient->data, plan, &own);
}

static f0t_status cpu_regression(f0t_loss_result *result, f0t_buffer *gradient,
                                 const f0t_buffer *outputs, const f0t_regression *regression)
{
    f0t_regression own = *regression;
    own.outputs = outputs->data;
    return f0t_regression_run(result, gradient->data, &own);
}

static void *data_of(const f0t_buffer *buffer)
{
    return buffer ? buffer->data : NULL;
}

static f0t_status cpu_update(const f0t_parameter_buffers *parameters, const f0t_buffer *gradient,
                             size_t n, const f0t_optimizer *optimizer, uint64_t t, double rate)
{
    const f0t_parameters own = {.w = parameters->w->data,
                                .m = parameters->m->data,
                                .v = data_of(parameters->v),
                                .half = data_of(parameters->half),
                                .decays = parameters->decays};
    f0t_optimizer_update(&own, 0, gradient->data, n, optimizer, t, rate);
    return F0T_OK;
}

/* ---- Ranking ------------------------------------------------------------------------------------ */

static f0t_status cpu_top(uint32_t *index, float *value, const f0t_buffer *scores, size_t rows,
                          size_t n, size_t k)
{
    f0t_topk_rows(index, value, scores->data, rows, n, k);
    return F0T_OK;
}

const f0t_compute f0t_compute_cpu = {
    .device = "cpu",
    .shares_memory = true,
    .alloc = cpu_alloc,
    .release = cpu_release,
    .upload = cpu_upload,
    .download = cpu_download,
    .pack = cpu_pack,
    .product = cpu_product,
    .drop = cpu_drop,
    .gate = cpu_gate,
    .outputs = cpu_outputs,
    .loss_create = f0t_loss_plan_create,
    .loss_free = f0t_loss_plan_free,
    .loss = cpu_loss,
    .regression = cpu_regression,
    .update = cpu_update,
    .top = cpu_top,
};
