#include "bench_peers.h"

#include "cli.h"

#include <cblas.h>
#include <dnnl.h>
#include <stdlib.h>

enum { ARGS = 3 };

struct bench_onednn {
    dnnl_engine_t engine;
    dnnl_stream_t stream;
    dnnl_primitive_desc_t hint, desc;
    dnnl_primitive_t primitive;
    dnnl_exec_arg_t args[ARGS]; /* A, B, C */
    bool failed;
};

static dnnl_memory_desc_t layout(bench_onednn *peer, size_t rows, size_t cols, f0t_dtype type,
                                 dnnl_format_tag_t tag)
{
    dnnl_memory_desc_t out = {0};
    dnnl_dims_t dims = {(dnnl_dim_t)rows, (dnnl_dim_t)cols};
    peer->failed |=
        dnnl_memory_desc_init_by_tag(&out, 2, dims, type == F0T_BF16 ? dnnl_bf16 : dnnl_f32, tag);
    return out;
}

static void describe_matmul(bench_onednn *peer, const bench_product *product)
{
    const f0t_matmul *op = &product->op;
    dnnl_memory_desc_t a =
        layout(peer, op->m, op->k, op->type, op->a_transposed ? dnnl_ba : dnnl_ab);
    dnnl_memory_desc_t b = layout(peer, op->k, op->n, op->type,
                                  product->packed    ? dnnl_format_tag_any
                                  : op->b_transposed ? dnnl_ba
                                                     : dnnl_ab);
    dnnl_memory_desc_t c = layout(peer, op->m, op->n, op->result, dnnl_ab);
    dnnl_matmul_desc_t desc;
    peer->failed = peer->failed || dnnl_matmul_desc_init(&desc, &a, &b, NULL, &c) ||
                   dnnl_primitive_desc_create(&peer->desc, &desc, NULL, peer->engine, NULL);
    peer->args[0].arg = DNNL_ARG_SRC;
    peer->args[1].arg = DNNL_ARG_WEIGHTS;
    peer->args[2].arg = DNNL_ARG_DST;
}

/* x·Wᵀ, dy·W and dyᵀ·x: the three passes of a dense layer, all layouts plain. */
static void describe_inner_product(bench_onednn *peer, const f0t_matmul *op)
{
    size_t batch = op->a_transposed ? op->k : op->m, in = op->b_transposed ? op->k : op->n;
    size_t out = op->b_transposed ? op->n : op->a_transposed ? op->m : op->k;
    dnnl_memory_desc_t x = layout(peer, batch, in, op->type, dnnl_ab);
    dnnl_memory_desc_t w = layout(peer, out, in, op->type, dnnl_ab);
    dnnl_memory_desc_t y = layout(peer, batch, out, op->type, dnnl_ab);
    dnnl_memory_desc_t result = layout(peer, op->m, op->n, op->result, dnnl_ab);
    dnnl_inner_product_desc_t forward, desc;
    int data[] = {DNNL_ARG_DIFF_DST, DNNL_ARG_WEIGHTS, DNNL_ARG_DIFF_SRC};
    int weights[] = {DNNL_ARG_DIFF_DST, DNNL_ARG_SRC, DNNL_ARG_DIFF_WEIGHTS};
    int ahead[] = {DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_DST}, *roles = ahead;
    peer->failed = peer->failed ||
                   dnnl_inner_product_forward_desc_init(&forward, dnnl_forward_training, &x, &w,
                                                        NULL, op->b_transposed ? &result : &y);
    peer->failed =
        peer->failed || dnnl_primitive_desc_create(&peer->hint, &forward, NULL, peer->engine, NULL);
    if (op->b_transposed) {
        desc = forward;
    } else if (op->a_transposed) {
        peer->failed |= dnnl_inner_product_backward_weights_desc_init(&desc, &x, &result, NULL, &y);
        roles = weights;
    } else {
        peer->failed |= dnnl_inner_product_backward_data_desc_init(&desc, &result, &w, &y);
        roles = data;
    }
    peer->failed = peer->failed ||
                   dnnl_primitive_desc_create(&peer->desc, &desc, NULL, peer->engine, peer->hint);
    for (int i = 0; i < ARGS; i++)
        peer->args[i].arg = roles[i];
}

static void *writable(const void *memory)
{
    union {
        const void *in;
        void *out;
    } cast = {memory};
    return cast.out;
}

/* Changes the layout of B once, before anything is measured. */
static void pack(bench_onednn *peer, const bench_product *product)
{
    const f0t_matmul *op = &product->op;
    dnnl_memory_desc_t plain =
        layout(peer, op->k, op->n, op->type, op->b_transposed ? dnnl_ba : dnnl_ab);
    dnnl_memory_t source = NULL;
    dnnl_primitive_desc_t desc = NULL;
    dnnl_primitive_t reorder = NULL;
    peer->failed = peer->failed ||
                   dnnl_memory_create(&source, &plain, peer->engine, writable(product->b)) ||
                   dnnl_reorder_primitive_desc_create(
                       &desc, &plain, peer->engine,
                       dnnl_primitive_desc_query_md(peer->desc, dnnl_query_weights_md, 0),
                       peer->engine, NULL) ||
                   dnnl_primitive_create(&reorder, desc);
    dnnl_exec_arg_t args[] = {{DNNL_ARG_FROM, source}, {DNNL_ARG_TO, peer->args[1].memory}};
    peer->failed = peer->failed || dnnl_primitive_execute(reorder, peer->stream, 2, args) ||
                   dnnl_stream_wait(peer->stream);
    dnnl_memory_destroy(source);
    dnnl_primitive_destroy(reorder);
    dnnl_primitive_desc_destroy(desc);
}

bench_onednn *bench_onednn_create(const bench_product *product, bench_primitive primitive)
{
    if (primitive == BENCH_INNER_PRODUCT &&
        (product->packed || (product->op.a_transposed && product->op.b_transposed)))
        return NULL;
    bench_onednn *peer = cli_alloc(sizeof *peer);
    void *data[] = {writable(product->a), writable(product->b), product->c};
    peer->failed = dnnl_engine_create(&peer->engine, dnnl_cpu, 0) ||
                   dnnl_stream_create(&peer->stream, peer->engine, dnnl_stream_default_flags);
    if (primitive == BENCH_MATMUL)
        describe_matmul(peer, product);
    else
        describe_inner_product(peer, &product->op);
    peer->failed = peer->failed || dnnl_primitive_create(&peer->primitive, peer->desc);
    for (int i = 0; i < ARGS && !peer->failed; i++)
        peer->failed = dnnl_memory_create(
            &peer->args[i].memory,
            dnnl_primitive_desc_query_md(peer->desc, dnnl_query_exec_arg_md, peer->args[i].arg),
            peer->engine, i == 1 && product->packed ? DNNL_MEMORY_ALLOCATE : data[i]);
    if (product->packed && !peer->failed)
        pack(peer, product);
    if (!peer->failed)
        return peer;
    bench_onednn_free(peer);
    return NULL;
}

void bench_onednn_free(bench_onednn *peer)
{
    if (!peer)
        return;
    for (int i = 0; i < ARGS; i++)
        dnnl_memory_destroy(peer->args[i].memory);
    dnnl_primitive_destroy(peer->primitive);
    dnnl_primitive_desc_destroy(peer->desc);
    dnnl_primitive_desc_destroy(peer->hint);
    dnnl_stream_destroy(peer->stream);
    dnnl_engine_destroy(peer->engine);
    free(peer);
}

f0t_status bench_onednn_run(void *context)
{
    bench_onednn *peer = context;
    bool failed = dnnl_primitive_execute(peer->primitive, peer->stream, ARGS, peer->args) ||
                  dnnl_stream_wait(peer->stream);
    return failed ? f0t_fail(F0T_ERROR_INTERNAL, "oneDNN, called directly, fails") : F0T_OK;
}

f0t_status bench_openblas_run(void *context)
{
    const bench_product *product = context;
    const f0t_matmul *op = &product->op;
    cblas_sgemm(CblasRowMajor, op->a_transposed ? CblasTrans : CblasNoTrans,
                op->b_transposed ? CblasTrans : CblasNoTrans, (int)op->m, (int)op->n, (int)op->k,
                1.0F, product->a, (int)(op->a_transposed ? op->m : op->k), product->b,
                (int)(op->b_transposed ? op->k : op->n), 0.0F, product->c, (int)op->n);
    return F0T_OK;
}
