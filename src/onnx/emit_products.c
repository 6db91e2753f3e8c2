/* Gemm and MatMul: constant matrices are packed once, the others multiplied as they are. */
#include "onnx/builder.h"

#include "base/alloc.h"
#include "base/team.h"

/* ---- Running ------------------------------------------------------------------------------------
 */

static f0t_status run_packed(const f0t_onnx_step *step, const f0t_onnx_frame *frame)
{
    const void *x = f0t_onnx_frame_at(frame, step->sources[0]);
    if (step->product.type == F0T_BF16) {
        void *narrow = f0t_onnx_frame_scratch(frame, step);
        f0t_f32_to_bf16(narrow, x, step->product.m * step->product.k);
        x = narrow;
    }
    return f0t_matmul_run_packed(f0t_onnx_frame_at(frame, step->results[0]), x, step->packed,
                                 step->constants[0], &step->product);
}

enum { PRODUCT_STEPS = 500 }; /* finding what is prepared for a product's shape */

typedef struct batch {
    const f0t_onnx_step *step;
    const float *side[2];
    float *z;
} batch;

static f0t_status run_product(const batch *p, size_t m)
{
    const f0t_matmul_form *f = &p->step->form;
    return f0t_matmul_run(p->z + m * f->m * f->n, p->side[0] + f0t_matmul_offset(f, 0, m),
                          p->side[1] + f0t_matmul_offset(f, 1, m), NULL, &p->step->product);
}

/* Each thread has products of its own: those of attention are too small to be shared. */
static f0t_status run_products(const batch *p, int threads)
{
    const size_t count = p->step->form.batch.count;
    f0t_failure failure = {.status = F0T_OK};
    (void)threads;
#pragma omp parallel for num_threads(threads)
    for (size_t m = 0; m < count; m++)
        f0t_failure_keep_first(&failure, run_product(p, m));
    return f0t_failure_raise(&failure);
}

static f0t_status run_batch(const f0t_onnx_step *step, const f0t_onnx_frame *frame)
{
    batch p = {.step = step, .z = f0t_onnx_frame_at(frame, step->results[0])};
    const size_t count = step->form.batch.count;
    const int threads = f0t_team_size();
    for (size_t k = 0; k < 2; k++)
        p.side[k] = step->sources[k] == F0T_NONE ? step->constants[k]
                                                 : f0t_onnx_frame_at(frame, step->sources[k]);
    F0T_TRY(f0t_onnx_budget_steps(frame->budget, (uint64_t)count * PRODUCT_STEPS));
    if (threads > 1 && count >= (size_t)threads)
        return run_products(&p, threads);
    for (size_t m = 0; m < count; m++)
        F0T_TRY(run_product(&p, m));
    return F0T_OK;
}

/* ---- With a constant matrix -----------------------------------------------------------------------
 */

/* A relu that follows. */
static void follow(const f0t_onnx_builder *b, f0t_onnx_dense *d)
{
    f0t_onnx_item *next = f0t_onnx_builder_only_user(b, d->output);
    if (next && next->kind == F0T_ONNX_ITEM_ACTIVATION && next->after_count == 1 &&
        next->after[0].kind == F0T_ACTIVATION_RELU && next->after[0].alpha == 0) {
        d->relu = next;
        d->output = next->output;
    }
}

static f0t_status set_bias(f0t_onnx_step *step, f0t_onnx_builder *b, const f0t_onnx_dense *d)
{
    if (d->bias == F0T_NONE)
        return F0T_OK;
    F0T_TRY(f0t_onnx_fold_decode(&b->schedule->fold, d->bias));
    const f0t_onnx_array *bias = f0t_onnx_builder_array(b, d->bias);
    F0T_TRY(f0t_alloc(&step->owned, d->n, sizeof *step->owned));
    for (size_t k = 0; k < d->n; k++)
        step->owned[k] = d->beta * bias->f[bias->count == 1 ? 0 : k];
    step->constants[0] = step->owned;
    return F0T_OK;
}

static f0t_status emit_dense(f0t_onnx_builder *b, const f0t_onnx_item *item,
                             const f0t_onnx_dense *d)
{
    const f0t_dtype type = b->bf16 && f0t_matmul_bf16_pays(d->m) ? F0T_BF16 : F0T_F32;
    size_t source, result;
    f0t_onnx_step *step;
    bool done = false;
    if (b->places[d->x].eight)
        F0T_TRY(f0t_emit_eight_dense(b, item, d, &done));
    if (done)
        return F0T_OK;
    F0T_TRY(f0t_onnx_builder_need_plain(&source, b, d->x));
    F0T_TRY(f0t_onnx_builder_place_plain(&result, b, d->output));
    F0T_TRY(f0t_onnx_builder_step(&step, b, run_packed, item->node, 1, 1));
    step->sources[0] = source;
    step->results[0] = result;
    step->product = (f0t_matmul){
        .m = d->m, .n = d->n, .k = d->k, .type = type, .result = F0T_F32, .relu = d->relu != NULL};
    bool turned;
    size_t weights = f0t_onnx_fold_matrix(&turned, &b->schedule->fold, d->weights);
    F0T_TRY(f0t_onnx_weights_matrix(&step->packed, b->weights, &b->schedule->fold, item->node,
                                    weights, d->transposed != turned, d->alpha, type, d->m));
    F0T_TRY(set_bias(step, b, d));
    f0t_onnx_builder_used(b);
    if (type == F0T_BF16)
        step->room = d->m * d->k * sizeof(uint16_t);
    if (d->add)
        b->done[d->add - b->items.list] = true;
    if (d->relu)
        b->done[d->relu - b->items.list] = true;
    return F0T_OK;
}

/* One number for each column, or one for all. */
static bool is_bias(const f0t_onnx_builder *b, size_t value, size_t n)
{
    const f0t_onnx_array *c = f0t_onnx_builder_array(b, value);
    if (!f0t_onnx_builder_is_constant(b, value) || (c->count != n && c->count != 1))
        return false;
    return c->count == 1 || c->dims[c->rank - 1] == n;
}

f0t_status f0t_emit_gemm(f0t_onnx_builder *b, size_t n, bool *done)
{
    const f0t_onnx_item *item = &b->items.list[n];
    const f0t_onnx_node *node = item->node;
    f0t_op_call call = {.node = node, .op = node->op};
    const f0t_onnx_array *z = f0t_onnx_builder_array(b, node->outputs[0]);
    const f0t_onnx_array *x = f0t_onnx_builder_array(b, node->inputs[0]);
    f0t_onnx_dense d = {.x = node->inputs[0],
                        .weights = node->inputs[1],
                        .bias = node->input_count > 2 ? node->inputs[2] : F0T_NONE,
                        .transposed = f0t_op_int(&call, "transB", 0) != 0,
                        .alpha = f0t_op_float(&call, "alpha", 1),
                        .beta = f0t_op_float(&call, "beta", 1),
                        .m = z->dims[0],
                        .n = z->dims[1],
                        .k = x->dims[1],
                        .output = node->outputs[0]};
    if (f0t_op_int(&call, "transA", 0) || !f0t_onnx_builder_is_constant(b, d.weights) ||
        f0t_onnx_builder_is_constant(b, d.x) || (d.bias != F0T_NONE && !is_bias(b, d.bias, d.n)))
        return F0T_OK;
    *done = true;
    follow(b, &d);
    return emit_dense(b, item, &d);
}

/* ---- MatMul -------------------------------------------------------------------------------------
 */

static void take_bias(const f0t_onnx_builder *b, f0t_onnx_dense *d)
{
    f0t_onnx_item *next = f0t_onnx_builder_only_user(b, d->output);
    if (!next || !f0t_onnx_item_is(next, "Add"))
        return;
    const size_t *in = next->node->inputs;
    size_t other = in[0] == d->output ? in[1] : in[0];
    if (f0t_onnx_builder_array(b, other)->count != d->n || !is_bias(b, other, d->n) ||
        !f0t_onnx_array_same_shape(f0t_onnx_builder_array(b, next->node->outputs[0]),
                                   f0t_onnx_builder_array(b, d->output)))
        return;
    d->bias = other;
    d->add = next;
    d->output = next->node->outputs[0];
}

static f0t_status emit_batch(f0t_onnx_builder *b, const f0t_onnx_item *item,
                             const f0t_matmul_form *form)
{
    f0t_onnx_step *step;
    size_t result, sources[2] = {F0T_NONE, F0T_NONE};
    const size_t *in = item->node->inputs;
    for (size_t k = 0; k < 2; k++) {
        if (f0t_onnx_builder_is_constant(b, in[k]))
            F0T_TRY(f0t_onnx_fold_decode(&b->schedule->fold, in[k]));
        else
            F0T_TRY(f0t_onnx_builder_need_plain(&sources[k], b, in[k]));
    }
    F0T_TRY(f0t_onnx_builder_place_plain(&result, b, item->node->outputs[0]));
    F0T_TRY(f0t_onnx_builder_step(&step, b, run_batch, item->node, 2, 1));
    for (size_t k = 0; k < 2; k++) {
        step->sources[k] = sources[k];
        step->constants[k] = f0t_onnx_builder_array(b, in[k])->f;
    }
    step->results[0] = result;
    step->form = *form;
    step->product = (f0t_matmul){.m = form->m, .n = form->n, .k = form->k};
    f0t_onnx_builder_used(b);
    return F0T_OK;
}

f0t_status f0t_emit_matmul(f0t_onnx_builder *b, size_t n, bool *done)
{
    const f0t_onnx_item *item = &b->items.list[n];
    const size_t *in = item->node->inputs;
    const f0t_onnx_array *x = f0t_onnx_builder_array(b, in[0]),
                         *y = f0t_onnx_builder_array(b, in[1]);
    f0t_matmul_form form;
    F0T_TRY(f0t_matmul_shape(&form, x, y));
    F0T_TRY(f0t_emit_attention(b, item, done));
    if (*done)
        return F0T_OK;
    *done = true;
    if (y->rank != 2 || x->rank < 2 || !f0t_onnx_builder_is_constant(b, in[1]) ||
        f0t_onnx_builder_is_constant(b, in[0]))
        return emit_batch(b, item, &form);
    f0t_onnx_dense d = {.x = in[0],
                        .weights = in[1],
                        .bias = F0T_NONE,
                        .alpha = 1,
                        .beta = 1,
                        .m = form.m * form.batch.count,
                        .n = form.n,
                        .k = form.k,
                        .output = item->node->outputs[0]};
    take_bias(b, &d);
    follow(b, &d);
    return emit_dense(b, item, &d);
}
