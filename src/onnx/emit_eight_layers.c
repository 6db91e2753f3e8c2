/* Convolutions and dense layers of eight bits, of DequantizeLinear or of QLinearConv and QLinearMatMul. */
#include "onnx/eight.h"

#include "base/alloc.h"

#include <math.h>
#include <string.h>

/* ---- A sum that a convolution does ----------------------------------------------------------- */

/* In networks with shortcuts QuantizeLinear, DequantizeLinear and the Add of another array of eight bits follow a
 * convolution. It adds them itself, in the memory of that array, where its own result would be written and read once more
 * otherwise. That is kept within its grid, whose end may stand for a relu, but not rounded to it: one rounding less than
 * the file has. */
typedef struct eight_addend {
    const f0t_onnx_item *back, *add; /* DequantizeLinear, Add; NULL where there is none */
    const f0t_onnx_item *activation; /* or NULL */
    size_t other;
    f0t_eight_ending end; /* of the sum */
    f0t_after after[F0T_LAYER_AFTER];
    size_t after_count;
} eight_addend;

/* Whether the memory of `value` can become that of a sum which is a byte of `type`. */
static bool can_hold(const f0t_onnx_builder *b, size_t value, const f0t_onnx_array *shape,
                     f0t_dtype type)
{
    return !f0t_onnx_builder_is_constant(b, value) && b->places[value].made &&
           b->places[value].eight && f0t_onnx_builder_array(b, value)->type == F0T_ONNX_FLOAT &&
           f0t_onnx_array_same_shape(f0t_onnx_builder_array(b, value), shape) &&
           f0t_layout_type(b->places[value].layout) == type && f0t_onnx_builder_is_last(b, value);
}

/* What is done to the sums of products, which are in steps of the result. */
static bool set_after(eight_addend *a, const f0t_onnx_builder *b, const f0t_eight_ending *q)
{
    const f0t_grid other = b->places[a->other].grid;
    const float scale = other.scale * a->end.factor, shift = -(float)other.zero * scale;
    const float own = q->grid.scale * a->end.factor;
    const int32_t low = f0t_eight_lowest(q->type) - q->grid.zero;
    a->after[a->after_count++] =
        (f0t_after){F0T_ACTIVATION_CLIP, own * (float)low, own * (float)(low + UINT8_MAX)};
    if (shift != 0)
        a->after[a->after_count++] = (f0t_after){F0T_ACTIVATION_LINEAR, 1, shift};
    a->after[a->after_count++] = (f0t_after){F0T_ACTIVATION_SUM, scale, 0};
    return isnormal(scale) && isfinite(shift) && isnormal(own);
}

/* False: there is none; a->add is NULL then. */
static bool find_addend(eight_addend *a, const f0t_onnx_builder *b, const f0t_eight_ending *q)
{
    const f0t_onnx_item *back = f0t_onnx_builder_only_user(b, q->output);
    f0t_grid grid;
    if (!q->quantise || q->after_count || !back || !f0t_onnx_item_is(back, "DequantizeLinear") ||
        back->node->inputs[0] != q->output || !f0t_eight_node_grid(&grid, b, back->node) ||
        grid.scale != q->grid.scale || grid.zero != q->grid.zero)
        return false;
    const size_t value = back->node->outputs[0];
    const f0t_onnx_item *add = f0t_onnx_builder_only_user(b, value);
    if (!add || !f0t_onnx_item_is(add, "Add") || add->node->inputs[0] == add->node->inputs[1] ||
        !f0t_eight_find_sum_ending(&a->end, &a->activation, b, add) || a->end.after_count)
        return false;
    a->back = back;
    a->other = add->node->inputs[add->node->inputs[0] == value ? 1 : 0];
    if (!can_hold(b, a->other, f0t_onnx_builder_array(b, value), a->end.type) ||
        !set_after(a, b, q))
        return false;
    a->add = add;
    return true;
}

/* ---- Convolution ----------------------------------------------------------------------------- */

typedef struct eight_conv {
    const f0t_onnx_item *item;
    size_t x;
    f0t_eight_weights weights;
    f0t_layer_conv how;
    f0t_layer_rescale rescale;
    const f0t_onnx_chain *chain; /* or NULL */
    f0t_eight_ending end;
    eight_addend addend;  /* .add is NULL where there is none */
    float *scales, *bias; /* taken by the step, freed with this */
} eight_conv;

static f0t_status choose_result(size_t *slot, f0t_onnx_builder *b, const eight_conv *c,
                                const f0t_layout *layout)
{
    return c->addend.add ? f0t_onnx_builder_need_layout(slot, b, c->addend.other, layout)
                         : f0t_onnx_builder_slot(slot, b, f0t_layout_bytes(layout));
}

static f0t_status place_result(f0t_onnx_builder *b, const eight_conv *c, size_t slot,
                               const f0t_layout *layout)
{
    const eight_addend *a = &c->addend;
    if (!a->add)
        return f0t_eight_place_ending(b, &c->end, slot, layout);
    f0t_onnx_builder_consume(b, a->add);
    const f0t_onnx_item *done[] = {c->end.quantise, a->back, a->add, a->activation};
    for (size_t k = 0; k < sizeof done / sizeof *done; k++)
        if (done[k])
            b->done[done[k] - b->items.list] = true;
    return f0t_eight_place_ending(b, &a->end, slot, layout);
}

static f0t_status emit_conv(f0t_onnx_builder *b, eight_conv *c, f0t_layer **layer,
                            const f0t_layout *filters)
{
    size_t source, result;
    f0t_onnx_step *step;
    F0T_TRY(f0t_onnx_builder_need_layout(&source, b, c->x, f0t_layer_source(*layer)));
    F0T_TRY(choose_result(&result, b, c, f0t_layer_result(*layer)));
    F0T_TRY(f0t_onnx_builder_step(&step, b, f0t_onnx_step_run_layer, c->item->node, 1, 1));
    step->layer = *layer;
    *layer = NULL;
    step->sources[0] = source;
    step->results[0] = result;
    step->owned = c->bias;
    step->constants[1] = c->bias;
    c->bias = NULL;
    F0T_TRY(f0t_onnx_weights_eight(&step->constants[0], b->weights, &b->schedule->fold,
                                   c->item->node, c->weights.value, c->weights.shifted, filters,
                                   f0t_layer_weights(step->layer)));
    f0t_onnx_builder_used(b);
    for (size_t k = 0; c->chain && k < c->chain->item_count; k++)
        b->done[c->chain->items[k]] = true;
    return place_result(b, c, result, f0t_layer_result(step->layer));
}

/* How the filters of the file lie: groups are a dimension of their own. */
static f0t_status filter_layout(f0t_layout **out, const f0t_onnx_array *w, size_t groups)
{
    size_t dims[F0T_ONNX_RANK + 1], rank = 0;
    if (groups > 1)
        dims[rank++] = groups;
    dims[rank++] = w->dims[0] / groups;
    for (size_t d = 1; d < w->rank; d++)
        dims[rank++] = w->dims[d];
    return f0t_layout_create(out, rank, dims, F0T_I8);
}

static f0t_status describe(eight_conv *c, bool *usual, const f0t_onnx_builder *b, float source_zero)
{
    const f0t_onnx_array *x = f0t_onnx_builder_array(b, c->x), *w = c->weights.bytes;
    f0t_op_call call = {.node = c->item->node, .op = c->item->node->op};
    f0t_onnx_window window;
    F0T_TRY(f0t_onnx_window_read(&window, &call, x, w));
    c->rescale = (f0t_layer_rescale){c->scales, (int32_t)source_zero, c->end.grid.zero};
    c->how = (f0t_layer_conv){.images = x->dims[0],
                              .channels = x->dims[1],
                              .filters = w->dims[0],
                              .groups = (size_t)f0t_op_int(&call, "group", 1),
                              .type = f0t_layout_type(b->places[c->x].layout),
                              .result = c->end.type,
                              .after = c->end.after,
                              .after_count = c->end.after_count,
                              .rescale = &c->rescale};
    memcpy(c->how.in, window.in, sizeof c->how.in);
    *usual = f0t_onnx_builder_window(&c->how.window, &window);
    return F0T_OK;
}

/* What makes steps of the sum's grid of its sums of products. False: one is no normal float32. */
static bool set_scales(float *scales, const eight_conv *c)
{
    const double factor = (double)c->end.grid.scale * (double)c->addend.end.factor;
    bool normal = true;
    for (size_t k = 0; k < c->how.filters; k++) {
        scales[k] = (float)((double)c->scales[k] * factor);
        normal &= isnormal(scales[k]) != 0;
    }
    return normal;
}

static f0t_status create_with_sum(f0t_layer **out, const eight_conv *c, bool *done)
{
    const eight_addend *a = &c->addend;
    f0t_status status = F0T_OK;
    float *scales;
    F0T_TRY(f0t_alloc(&scales, c->how.filters, sizeof *scales));
    const f0t_layer_rescale rescale = {scales, c->rescale.source_zero, a->end.grid.zero};
    f0t_layer_conv how = c->how;
    how.result = a->end.type;
    how.after = a->after;
    how.after_count = a->after_count;
    how.rescale = &rescale;
    if (set_scales(scales, c))
        status = f0t_eight_if_supported(f0t_layer_create_conv(out, &how, NULL), done);
    f0t_free(scales);
    return status;
}

/* With the sum that follows, where there is one and a kernel that does it, too. */
static f0t_status create_layer(f0t_layer **out, const f0t_onnx_builder *b, eight_conv *c,
                               bool *done)
{
    eight_addend *a = &c->addend;
    *done = false;
    if (c->chain && f0t_layer_conv_takes_sum(&c->how) && find_addend(a, b, &c->end)) {
        F0T_TRY(create_with_sum(out, c, done));
        if (!*done)
            a->add = NULL;
    }
    return *done ? F0T_OK : f0t_eight_if_supported(f0t_layer_create_conv(out, &c->how, NULL), done);
}

/* `grid`: of the input; `norm`: of each filter, or NULL. */
static f0t_status convolve(f0t_onnx_builder *b, eight_conv *c, f0t_grid grid, const float *norm,
                           bool *done)
{
    size_t filters = c->weights.bytes->dims[0];
    f0t_layer *layer;
    f0t_layout *plain;
    bool usual;
    F0T_TRY(f0t_alloc(&c->scales, filters, sizeof *c->scales));
    if (!f0t_eight_sums_fit(c->weights.bytes->count / filters) ||
        !f0t_eight_set_scales(c->scales, c->bias, &c->weights, grid.scale, norm, c->end.factor,
                              filters))
        return F0T_OK;
    F0T_TRY(describe(c, &usual, b, (float)grid.zero));
    if (!usual)
        return F0T_OK;
    F0T_TRY(filter_layout(&plain, c->weights.bytes, c->how.groups));
    f0t_status status = create_layer(&layer, b, c, done);
    if (status == F0T_OK && *done) {
        status = emit_conv(b, c, &layer, plain);
        f0t_layer_free(layer);
    }
    f0t_layout_free(plain);
    return status;
}

f0t_status f0t_emit_eight_conv(f0t_onnx_builder *b, const f0t_onnx_item *item, bool *done)
{
    const f0t_onnx_node *node = item->node;
    const bool has_bias = node->input_count > 2 && node->inputs[2] != F0T_NONE;
    eight_conv c = {.item = item, .x = node->inputs[0]};
    f0t_onnx_chain chain;
    float *norm = NULL;
    if (!f0t_eight_find_weights(&c.weights, b, node->inputs[1], 0))
        return F0T_OK;
    if (has_bias)
        F0T_TRY(f0t_onnx_fold_decode(&b->schedule->fold, node->inputs[2]));
    f0t_onnx_chain_find(&chain, b, node->outputs[0], false);
    c.chain = &chain;
    if (!f0t_eight_find_ending(&c.end, b, chain.output, chain.after, chain.after_count))
        return F0T_OK;
    f0t_status status = f0t_onnx_chain_merge(
        &norm, &c.bias, b, has_bias ? f0t_onnx_builder_array(b, node->inputs[2]) : NULL, &chain,
        c.weights.bytes->dims[0]);
    if (status == F0T_OK)
        status = convolve(b, &c, b->places[c.x].grid, norm, done);
    f0t_free(norm);
    f0t_free(c.scales);
    f0t_free(c.bias);
    return status;
}

/* ---- Dense layers ---------------------------------------------------------------------------- */

typedef struct eight_dense {
    const f0t_onnx_item *item;
    size_t x, m, n, k;
    f0t_eight_weights weights;
    bool transposed;
    f0t_grid grid; /* of x */
    f0t_eight_ending end;
    float *scales, *bias; /* as of eight_conv */
} eight_dense;

/* Σ (x - zero)·w = Σ x·w - zero·Σ w, in units of the sums. */
static void move_zero(eight_dense *d)
{
    const f0t_onnx_array *w = d->weights.bytes;
    for (size_t j = 0; j < d->n && d->grid.zero; j++) {
        int64_t sum = 0;
        for (size_t l = 0; l < d->k; l++)
            sum += f0t_onnx_weights_eight_at(w, d->transposed ? j * d->k + l : l * d->n + j,
                                             d->weights.shifted);
        d->bias[j] -= (float)(sum * d->grid.zero);
    }
}

static f0t_status emit_dense(f0t_onnx_builder *b, eight_dense *d, f0t_layer **layer)
{
    const size_t dims[] = {d->k, d->n},
                 strides[] = {d->transposed ? 1 : d->n, d->transposed ? d->k : 1};
    f0t_layout *rows = NULL, *plain = NULL, *out = NULL;
    size_t source, result;
    f0t_onnx_step *step;
    f0t_status status = f0t_eight_row_layout(&rows, f0t_onnx_builder_array(b, d->x),
                                             f0t_layout_type(b->places[d->x].layout));
    if (status == F0T_OK)
        status = f0t_onnx_builder_need_layout(&source, b, d->x, rows);
    f0t_layout_free(rows);
    F0T_TRY(status);
    F0T_TRY(f0t_onnx_builder_slot(&result, b, f0t_layout_bytes(f0t_layer_result(*layer))));
    F0T_TRY(f0t_onnx_builder_step(&step, b, f0t_onnx_step_run_layer, d->item->node, 1, 1));
    step->layer = *layer;
    *layer = NULL;
    step->sources[0] = source;
    step->results[0] = result;
    step->owned = d->bias;
    step->constants[1] = d->bias;
    d->bias = NULL;
    F0T_TRY(f0t_layout_create_strided(&plain, 2, dims, strides, F0T_I8));
    status = f0t_onnx_weights_eight(&step->constants[0], b->weights, &b->schedule->fold,
                                    d->item->node, d->weights.value, d->weights.shifted, plain,
                                    f0t_layer_weights(step->layer));
    f0t_layout_free(plain);
    F0T_TRY(status);
    f0t_onnx_builder_used(b);
    F0T_TRY(f0t_eight_row_layout(&out, f0t_onnx_builder_array(b, d->end.output), d->end.type));
    status = f0t_eight_place_ending(b, &d->end, result, out);
    f0t_layout_free(out);
    return status;
}

static f0t_status multiply(f0t_onnx_builder *b, eight_dense *d, float alpha, bool *done)
{
    f0t_layer *layer;
    F0T_TRY(f0t_alloc(&d->scales, d->n, sizeof *d->scales));
    if (!f0t_eight_sums_fit(d->k) ||
        !f0t_eight_set_scales(d->scales, d->bias, &d->weights, d->grid.scale * alpha, NULL,
                              d->end.factor, d->n))
        return F0T_OK;
    move_zero(d);
    f0t_layer_rescale rescale = {d->scales, 0, d->end.grid.zero};
    f0t_layer_dense how = {.rows = d->m,
                           .inputs = d->k,
                           .outputs = d->n,
                           .type = f0t_layout_type(b->places[d->x].layout),
                           .result = d->end.type,
                           .after = d->end.after,
                           .after_count = d->end.after_count,
                           .rescale = &rescale};
    f0t_status status = f0t_eight_if_supported(f0t_layer_create_dense(&layer, &how), done);
    if (status == F0T_OK && *done) {
        status = emit_dense(b, d, &layer);
        f0t_layer_free(layer);
    }
    return status;
}

f0t_status f0t_emit_eight_dense(f0t_onnx_builder *b, const f0t_onnx_item *item,
                                const f0t_onnx_dense *d, bool *done)
{
    static const f0t_after relu = {F0T_ACTIVATION_RELU, 0, 0};
    eight_dense e = {.item = item,
                     .x = d->x,
                     .m = d->m,
                     .n = d->n,
                     .k = d->k,
                     .transposed = d->transposed,
                     .grid = b->places[d->x].grid};
    if (!f0t_eight_find_weights(&e.weights, b, d->weights, d->transposed ? 0 : 1) ||
        !f0t_eight_find_ending(&e.end, b, d->output, &relu, d->relu ? 1 : 0))
        return F0T_OK;
    F0T_TRY(f0t_alloc_zero(&e.bias, d->n, sizeof *e.bias));
    f0t_status status = F0T_OK;
    if (d->bias != F0T_NONE) {
        status = f0t_onnx_fold_decode(&b->schedule->fold, d->bias);
        const f0t_onnx_array *own = f0t_onnx_builder_array(b, d->bias);
        for (size_t k = 0; k < d->n && status == F0T_OK; k++)
            e.bias[k] = d->beta * own->f[own->count == 1 ? 0 : k];
    }
    if (status == F0T_OK)
        status = multiply(b, &e, d->alpha, done);
    if (*done && d->add)
        b->done[d->add - b->items.list] = true;
    if (*done && d->relu)
        b->done[d->relu - b->items.list] = true;
    f0t_free(e.scales);
    f0t_free(e.bias);
    return status;
}

/* ---- QLinearConv, QLinearMatMul -------------------------------------------------------------- */

/* Their inputs: x, its scale and zero point, w, its, those of the result. */
static bool read_qlinear(f0t_eight_weights *weights, f0t_grid *grid, f0t_eight_ending *end,
                         const f0t_onnx_builder *b, const f0t_onnx_node *node, size_t filters)
{
    const f0t_onnx_array *in[8];
    for (size_t k = 0; k < 8; k++)
        in[k] = f0t_onnx_builder_array(b, node->inputs[k]);
    *end = (f0t_eight_ending){.output = node->outputs[0],
                              .type = f0t_eight_type(f0t_onnx_builder_array(b, node->outputs[0]))};
    if (f0t_onnx_builder_is_constant(b, node->inputs[0]) || !b->places[node->inputs[0]].eight ||
        !f0t_eight_read_grid(grid, in[1], in[2]) || !f0t_eight_read_grid(&end->grid, in[6], in[7]))
        return false;
    end->factor = 1 / end->grid.scale;
    return f0t_eight_set_weights(weights, b, node->inputs[3], in[4], in[5], filters);
}

static f0t_status place_bytes(f0t_onnx_builder *b, const f0t_onnx_item *item, f0t_status status,
                              bool done)
{
    if (status == F0T_OK && done) {
        b->places[item->node->outputs[0]].eight = true;
        b->places[item->node->outputs[0]].grid = F0T_EIGHT_ONES;
    }
    return status;
}

f0t_status f0t_emit_qlinear_conv(f0t_onnx_builder *b, const f0t_onnx_item *item, bool *done)
{
    const f0t_onnx_node *node = item->node;
    const bool has_bias = node->input_count > 8 && node->inputs[8] != F0T_NONE;
    eight_conv c = {.item = item, .x = node->inputs[0]};
    f0t_grid grid;
    size_t filters = f0t_onnx_builder_array(b, node->inputs[3])->dims[0];
    if (!read_qlinear(&c.weights, &grid, &c.end, b, node, filters) ||
        (has_bias && !f0t_onnx_builder_is_constant(b, node->inputs[8])))
        return F0T_OK;
    F0T_TRY(f0t_alloc_zero(&c.bias, filters, sizeof *c.bias));
    f0t_status status =
        has_bias ? f0t_onnx_fold_decode(&b->schedule->fold, node->inputs[8]) : F0T_OK;
    for (size_t k = 0; k < filters && has_bias && status == F0T_OK; k++) {
        float scale = grid.scale * c.weights.scale->f[c.weights.scale->count == 1 ? 0 : k];
        c.bias[k] = (float)f0t_onnx_builder_array(b, node->inputs[8])->i[k] * scale;
    }
    if (status == F0T_OK)
        status = convolve(b, &c, grid, NULL, done);
    f0t_free(c.scales);
    f0t_free(c.bias);
    return place_bytes(b, item, status, *done);
}

f0t_status f0t_emit_qlinear_matmul(f0t_onnx_builder *b, const f0t_onnx_item *item, bool *done)
{
    const f0t_onnx_node *node = item->node;
    const f0t_onnx_array *x = f0t_onnx_builder_array(b, node->inputs[0]),
                         *w = f0t_onnx_builder_array(b, node->inputs[3]);
    eight_dense d = {.item = item, .x = node->inputs[0]};
    f0t_matmul_form form;
    F0T_TRY(f0t_matmul_shape(&form, x, w));
    if (w->rank != 2 || x->rank < 2 ||
        !read_qlinear(&d.weights, &d.grid, &d.end, b, node, w->dims[1]))
        return F0T_OK;
    d.m = form.m * form.batch.count;
    d.n = form.n;
    d.k = form.k;
    F0T_TRY(f0t_alloc_zero(&d.bias, d.n, sizeof *d.bias));
    f0t_status status = multiply(b, &d, 1, done);
    f0t_free(d.scales);
    f0t_free(d.bias);
    return place_bytes(b, item, status, *done);
}
