/*
 * Eight bits: arrays stay bytes between QuantizeLinear and DequantizeLinear, which cost nothing then, and what lies
 * between is done by integer kernels: convolutions and dense layers whose input is on a grid and whose weights are
 * int8, with activations and the quantising of the result inside; sums of two such arrays; the largest of windows.
 * Everything else takes floats, which are made where they are needed.
 */
#include "onnx/builder.h"

#include "base/alloc.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* ---- Grids ----------------------------------------------------------------------------------- */

static const f0t_grid ONES = {1, 0};

/* One number that is known, of a scale that can be divided by; a missing zero point is 0. */
static bool read_grid(f0t_grid *out, const f0t_onnx_array *scale, const f0t_onnx_array *zero)
{
    if (!scale->f || scale->count != 1 || (zero && (!zero->i || zero->count != 1)) ||
        !isnormal(scale->f[0]) || !isnormal(1 / scale->f[0]))
        return false;
    *out = (f0t_grid){scale->f[0], zero ? (int32_t)zero->i[0] : 0};
    return true;
}

/* The grid of a QuantizeLinear or DequantizeLinear. */
static bool node_grid(f0t_grid *out, const f0t_onnx_builder *b, const f0t_onnx_node *node)
{
    return read_grid(out, f0t_onnx_builder_array(b, node->inputs[1]),
                     f0t_onnx_fold_zero(&b->schedule->fold, node));
}

static f0t_dtype type_of(const f0t_onnx_array *a)
{
    return a->type == F0T_ONNX_INT8 ? F0T_I8 : F0T_U8;
}

static int32_t lowest(f0t_dtype type)
{
    return type == F0T_I8 ? INT8_MIN : 0;
}

/* Row-major, as bytes. */
static f0t_status row_layout(f0t_layout **out, const f0t_onnx_array *a, f0t_dtype type)
{
    static const size_t one = 1;
    return f0t_layout_create(out, a->rank ? a->rank : 1, a->rank ? a->dims : &one, type);
}

/* ---- Quantising, and back -------------------------------------------------------------------- */

/* Images with their channels last, as the kernels take them. */
static f0t_status choose_layout(f0t_layout **out, const f0t_onnx_array *a)
{
    return a->rank == 4 || a->rank == 5
               ? f0t_layout_create_channels_last(out, a->rank, a->dims, type_of(a))
               : row_layout(out, a, type_of(a));
}

static f0t_status quantise(f0t_onnx_builder *b, const f0t_onnx_item *item, f0t_layer **layer,
                           const f0t_layout *to)
{
    size_t in = item->node->inputs[0], out = item->node->outputs[0], slot;
    f0t_onnx_step *step;
    F0T_TRY(f0t_onnx_builder_slot(&slot, b, f0t_layout_bytes(to)));
    F0T_TRY(f0t_onnx_builder_step(&step, b, f0t_onnx_step_run_layer, item->node, 1, 1));
    step->layer = *layer;
    *layer = NULL;
    step->sources[0] = b->places[in].slot;
    step->results[0] = slot;
    f0t_onnx_builder_used(b);
    return f0t_onnx_builder_place_eight(b, out, slot, to, ONES);
}

static f0t_status make_quantiser(f0t_layer **out, f0t_layout **to, f0t_onnx_builder *b,
                                 const f0t_onnx_item *item, f0t_grid grid)
{
    const f0t_onnx_place *place = &b->places[item->node->inputs[0]];
    const f0t_onnx_array *x = f0t_onnx_builder_array(b, item->node->inputs[0]);
    f0t_layout *from;
    *out = NULL;
    *to = NULL;
    F0T_TRY(place->layout ? f0t_layout_copy(&from, place->layout) : row_layout(&from, x, F0T_F32));
    f0t_status status = choose_layout(to, f0t_onnx_builder_array(b, item->node->outputs[0]));
    if (status == F0T_OK)
        status = f0t_layer_create_regrid(out, *to, grid, from, place->eight ? place->grid : ONES);
    f0t_layout_free(from);
    return status;
}

f0t_status f0t_emit_quantise(f0t_onnx_builder *b, const f0t_onnx_item *item, bool *done)
{
    size_t in = item->node->inputs[0], out = item->node->outputs[0];
    const f0t_onnx_place *place = &b->places[in];
    const f0t_onnx_array *y = f0t_onnx_builder_array(b, out);
    f0t_grid grid;
    f0t_layer *layer;
    f0t_layout *to;
    if (f0t_onnx_builder_is_constant(b, in) || !place->made ||
        f0t_onnx_builder_array(b, in)->type != F0T_ONNX_FLOAT ||
        !f0t_onnx_array_type_is_eight(y->type) || !node_grid(&grid, b, item->node))
        return F0T_OK;
    *done = true;
    if (place->eight && place->grid.scale == grid.scale && place->grid.zero == grid.zero &&
        f0t_layout_type(place->layout) == type_of(y))
        return f0t_onnx_builder_place_eight(b, out, place->slot, place->layout, ONES);
    f0t_status status = make_quantiser(&layer, &to, b, item, grid);
    if (status == F0T_OK)
        status = quantise(b, item, &layer, to);
    else if (status == F0T_ERROR_UNSUPPORTED) {
        *done = false;
        status = F0T_OK;
    }
    f0t_layer_free(layer);
    f0t_layout_free(to);
    return status;
}

f0t_status f0t_emit_dequantise(f0t_onnx_builder *b, const f0t_onnx_item *item, bool *done)
{
    size_t in = item->node->inputs[0], out = item->node->outputs[0];
    f0t_grid grid;
    if (f0t_onnx_builder_is_constant(b, in) || !b->places[in].eight ||
        f0t_onnx_builder_array(b, out)->type != F0T_ONNX_FLOAT || !node_grid(&grid, b, item->node))
        return F0T_OK;
    *done = true;
    return f0t_onnx_builder_place_eight(b, out, b->places[in].slot, b->places[in].layout, grid);
}

/* Another shape of the same bytes. */
f0t_status f0t_emit_eight_view(f0t_onnx_builder *b, size_t in, size_t out)
{
    const f0t_onnx_place *place = &b->places[in];
    const f0t_onnx_array *x = f0t_onnx_builder_array(b, in), *y = f0t_onnx_builder_array(b, out);
    f0t_layout *from, *to;
    size_t slot;
    if (f0t_onnx_array_same_shape(x, y))
        return f0t_onnx_builder_place_eight(b, out, place->slot, place->layout, place->grid);
    F0T_TRY(row_layout(&from, x, f0t_layout_type(place->layout)));
    f0t_status status = f0t_onnx_builder_need_layout(&slot, b, in, from);
    f0t_layout_free(from);
    F0T_TRY(status);
    F0T_TRY(row_layout(&to, y, f0t_layout_type(place->layout)));
    status = f0t_onnx_builder_place_eight(b, out, slot, to, place->grid);
    f0t_layout_free(to);
    return status;
}

/* ---- The end of a layer ---------------------------------------------------------------------- */

/* What becomes of a layer's sums: activations, then floats or the grid of a QuantizeLinear that follows. */
typedef struct ending {
    f0t_after after[F0T_LAYER_AFTER];
    size_t after_count;
    const f0t_onnx_item *quantise; /* or NULL */
    f0t_grid grid;
    f0t_dtype type;
    float factor; /* of the sums, before the activations */
    size_t output;
} ending;

static void find_quantise(ending *e, const f0t_onnx_builder *b, size_t value)
{
    const f0t_onnx_item *next = f0t_onnx_builder_only_user(b, value);
    e->output = value;
    e->type = F0T_F32;
    e->factor = 1;
    e->grid = ONES;
    if (!next || !f0t_onnx_item_is(next, "QuantizeLinear") || next->node->inputs[0] != value)
        return;
    const f0t_onnx_array *y = f0t_onnx_builder_array(b, next->node->outputs[0]);
    if (!f0t_onnx_array_type_is_eight(y->type) || !node_grid(&e->grid, b, next->node))
        return;
    e->quantise = next;
    e->type = type_of(y);
    e->output = next->node->outputs[0];
}

/* f(a·x) = a·f(x) for a > 0, its limits being scaled. */
static bool scales_along(const f0t_after *after)
{
    return after->kind == F0T_ACTIVATION_RELU || after->kind == F0T_ACTIVATION_CLIP;
}

/* Whether the type's own range cuts off all that this activation would. */
static bool is_saturation(const ending *e, const f0t_after *after)
{
    if (e->grid.zero != lowest(e->type) || after->alpha != 0)
        return false;
    return after->kind == F0T_ACTIVATION_RELU ||
           (after->kind == F0T_ACTIVATION_CLIP && after->beta >= (float)UINT8_MAX);
}

static void scale_activations(ending *e)
{
    size_t kept = 0;
    e->factor = 1 / e->grid.scale;
    for (size_t k = 0; k < e->after_count; k++) {
        f0t_after a = e->after[k];
        if (a.kind == F0T_ACTIVATION_CLIP) {
            a.alpha *= e->factor;
            a.beta *= e->factor;
        }
        if (k + 1 < e->after_count || !is_saturation(e, &a))
            e->after[kept++] = a;
    }
    e->after_count = kept;
}

/* oneDNN 2.6 confuses two of them. */
static bool has_linear(const f0t_after *after, size_t count)
{
    for (size_t k = 0; k < count; k++)
        if (after[k].kind == F0T_ACTIVATION_LINEAR)
            return true;
    return false;
}

/* False when it cannot be. */
static bool find_ending(ending *e, const f0t_onnx_builder *b, size_t value, const f0t_after *after,
                        size_t count)
{
    bool along = true;
    *e = (ending){.after_count = count};
    if (count > F0T_LAYER_AFTER)
        return false;
    for (size_t k = 0; k < count; k++) {
        e->after[k] = after[k];
        along &= scales_along(&after[k]);
    }
    find_quantise(e, b, value);
    if (!e->quantise)
        return true;
    if (along)
        scale_activations(e);
    else if (count < F0T_LAYER_AFTER && !has_linear(after, count))
        e->after[e->after_count++] = (f0t_after){F0T_ACTIVATION_LINEAR, 1 / e->grid.scale, 0};
    else
        return false;
    return true;
}

static f0t_status place_ending(f0t_onnx_builder *b, const ending *e, size_t slot,
                               const f0t_layout *layout)
{
    if (!e->quantise)
        return f0t_onnx_builder_place(b, e->output, slot, layout);
    b->done[e->quantise - b->items.list] = true;
    return f0t_onnx_builder_place_eight(b, e->output, slot, layout, ONES);
}

/* ---- Weights --------------------------------------------------------------------------------- */

/* int8, or uint8 around 128, on one grid or one for each filter. */
typedef struct eight_weights {
    size_t value; /* the constant of eight bits */
    const f0t_onnx_array *bytes, *scale;
    bool shifted;
} eight_weights;

static bool zero_is(const f0t_onnx_array *zero, int64_t wanted)
{
    if (!zero)
        return wanted == 0;
    for (size_t k = 0; k < zero->count; k++)
        if (!zero->i || zero->i[k] != wanted)
            return false;
    return true;
}

static bool set_weights(eight_weights *out, const f0t_onnx_builder *b, size_t value,
                        const f0t_onnx_array *scale, const f0t_onnx_array *zero, size_t filters)
{
    const f0t_onnx_array *bytes = f0t_onnx_builder_array(b, value);
    *out = (eight_weights){value, bytes, scale, bytes->type == F0T_ONNX_UINT8};
    return f0t_layer_eight_native() && f0t_onnx_array_known(bytes) &&
           f0t_onnx_array_type_is_eight(bytes->type) && scale->f &&
           (scale->count == 1 || scale->count == filters) && zero_is(zero, out->shifted ? 128 : 0);
}

/* Those that a DequantizeLinear of a constant gives, with a scale for each index of `axis` or one. */
static bool find_weights(eight_weights *out, const f0t_onnx_builder *b, size_t value, int64_t axis)
{
    const f0t_onnx_node *node = b->schedule->fold.scaled[value];
    const f0t_onnx_array *w = f0t_onnx_builder_array(b, value);
    if (!node)
        return false;
    f0t_op_call call = {.node = node, .op = node->op};
    int64_t given = f0t_op_int(&call, "axis", 1);
    const f0t_onnx_array *scale = f0t_onnx_builder_array(b, node->inputs[1]);
    if (scale->count != 1 && (given < 0 ? given + (int64_t)w->rank : given) != axis)
        return false;
    return set_weights(out, b, node->inputs[0], scale, f0t_onnx_fold_zero(&b->schedule->fold, node),
                       w->dims[axis]);
}

/* Below it, a bias in units of the sums would say more of them than of itself. */
static const double LEAST_SCALE = 1e-20;

/* What the sums are multiplied by, and the bias in their units; false where floats cannot say it. `bias` comes in
 * real units. */
static bool set_scales(float *scales, float *bias, const eight_weights *w, float source,
                       const float *norm, float factor, size_t filters)
{
    for (size_t k = 0; k < filters; k++) {
        double sum = (double)source * (double)w->scale->f[w->scale->count == 1 ? 0 : k];
        double scale = sum * (norm ? (double)norm[k] : 1);
        if (!(fabs(scale) >= LEAST_SCALE))
            return false;
        float in_sums = (float)((double)bias[k] / scale);
        scales[k] = (float)(scale * (double)factor);
        bias[k] = bias[k] != 0 ? in_sums : 0;
        if (!isnormal(scales[k]) || !isfinite(bias[k]))
            return false;
    }
    return true;
}

/* Whether int32 holds the sum of so many products, whatever the bytes are. */
static bool sums_fit(size_t products)
{
    return products <= INT32_MAX / (UINT8_MAX * -INT8_MIN);
}

/* A layer that this CPU has no kernel for is no error. */
static f0t_status if_supported(f0t_status status, bool *done)
{
    *done = status != F0T_ERROR_UNSUPPORTED;
    return *done ? status : F0T_OK;
}

/* ---- Convolution ----------------------------------------------------------------------------- */

typedef struct eight_conv {
    const f0t_onnx_item *item;
    size_t x;
    eight_weights weights;
    f0t_layer_conv how;
    f0t_layer_rescale rescale;
    const f0t_onnx_chain *chain; /* or NULL */
    ending end;
    float *scales, *bias; /* taken by the step, freed with this */
} eight_conv;

static f0t_status emit_conv(f0t_onnx_builder *b, eight_conv *c, f0t_layer **layer,
                            const f0t_layout *filters)
{
    size_t source, result;
    f0t_onnx_step *step;
    F0T_TRY(f0t_onnx_builder_need_layout(&source, b, c->x, f0t_layer_source(*layer)));
    F0T_TRY(f0t_onnx_builder_slot(&result, b, f0t_layout_bytes(f0t_layer_result(*layer))));
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
    return place_ending(b, &c->end, result, f0t_layer_result(step->layer));
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

/* `grid`: of the input; `norm`: of each filter, or NULL. */
static f0t_status convolve(f0t_onnx_builder *b, eight_conv *c, f0t_grid grid, const float *norm,
                           bool *done)
{
    size_t filters = c->weights.bytes->dims[0];
    f0t_layer *layer;
    f0t_layout *plain;
    bool usual;
    F0T_TRY(f0t_alloc(&c->scales, filters, sizeof *c->scales));
    if (!sums_fit(c->weights.bytes->count / filters) ||
        !set_scales(c->scales, c->bias, &c->weights, grid.scale, norm, c->end.factor, filters))
        return F0T_OK;
    F0T_TRY(describe(c, &usual, b, (float)grid.zero));
    if (!usual)
        return F0T_OK;
    F0T_TRY(filter_layout(&plain, c->weights.bytes, c->how.groups));
    f0t_status status = if_supported(f0t_layer_create_conv(&layer, &c->how, NULL), done);
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
    if (!find_weights(&c.weights, b, node->inputs[1], 0))
        return F0T_OK;
    if (has_bias)
        F0T_TRY(f0t_onnx_fold_decode(&b->schedule->fold, node->inputs[2]));
    f0t_onnx_chain_find(&chain, b, node->outputs[0], false);
    c.chain = &chain;
    if (!find_ending(&c.end, b, chain.output, chain.after, chain.after_count))
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
    eight_weights weights;
    bool transposed;
    f0t_grid grid; /* of x */
    ending end;
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
    f0t_status status =
        row_layout(&rows, f0t_onnx_builder_array(b, d->x), f0t_layout_type(b->places[d->x].layout));
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
    F0T_TRY(row_layout(&out, f0t_onnx_builder_array(b, d->end.output), d->end.type));
    status = place_ending(b, &d->end, result, out);
    f0t_layout_free(out);
    return status;
}

static f0t_status multiply(f0t_onnx_builder *b, eight_dense *d, float alpha, bool *done)
{
    f0t_layer *layer;
    F0T_TRY(f0t_alloc(&d->scales, d->n, sizeof *d->scales));
    if (!sums_fit(d->k) || !set_scales(d->scales, d->bias, &d->weights, d->grid.scale * alpha, NULL,
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
    f0t_status status = if_supported(f0t_layer_create_dense(&layer, &how), done);
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
    if (!find_weights(&e.weights, b, d->weights, d->transposed ? 0 : 1) ||
        !find_ending(&e.end, b, d->output, &relu, d->relu ? 1 : 0))
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
static bool read_qlinear(eight_weights *weights, f0t_grid *grid, ending *end,
                         const f0t_onnx_builder *b, const f0t_onnx_node *node, size_t filters)
{
    const f0t_onnx_array *in[8];
    for (size_t k = 0; k < 8; k++)
        in[k] = f0t_onnx_builder_array(b, node->inputs[k]);
    *end = (ending){.output = node->outputs[0],
                    .type = type_of(f0t_onnx_builder_array(b, node->outputs[0]))};
    if (f0t_onnx_builder_is_constant(b, node->inputs[0]) || !b->places[node->inputs[0]].eight ||
        !read_grid(grid, in[1], in[2]) || !read_grid(&end->grid, in[6], in[7]))
        return false;
    end->factor = 1 / end->grid.scale;
    return set_weights(weights, b, node->inputs[3], in[4], in[5], filters);
}

static f0t_status place_bytes(f0t_onnx_builder *b, const f0t_onnx_item *item, f0t_status status,
                              bool done)
{
    if (status == F0T_OK && done) {
        b->places[item->node->outputs[0]].eight = true;
        b->places[item->node->outputs[0]].grid = ONES;
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

/* ---- Sums ------------------------------------------------------------------------------------ */

/* x·sx + y·sy + (z - zx·sx - zy·sy), then the limits of an activation. oneDNN 2.6 takes the same shift for both where
 * there are two. */
typedef struct eight_sum {
    size_t x, y;
    const f0t_onnx_item *activation; /* or NULL */
    ending end;
    float scales[2];
    f0t_after after[F0T_LAYER_AFTER];
    size_t after_count;
} eight_sum;

static bool is_floats(const f0t_onnx_builder *b, size_t value)
{
    return !f0t_onnx_builder_is_constant(b, value) && b->places[value].eight &&
           f0t_onnx_builder_array(b, value)->type == F0T_ONNX_FLOAT;
}

/* A relu or clip of numbers that are larger by `zero`. */
static f0t_after shifted_limits(const f0t_after *after, float zero)
{
    bool relu = after->kind == F0T_ACTIVATION_RELU;
    return (f0t_after){F0T_ACTIVATION_CLIP, zero + (relu ? 0 : after->alpha),
                       relu ? FLT_MAX : after->beta + zero};
}

static bool read_sum(eight_sum *s, const f0t_onnx_builder *b, const f0t_onnx_item *item)
{
    const size_t *in = item->node->inputs;
    *s = (eight_sum){.x = in[0], .y = in[1]};
    if (!f0t_onnx_item_is(item, "Add") || in[0] == in[1] || !is_floats(b, in[0]) ||
        !is_floats(b, in[1]) ||
        !f0t_onnx_array_same_shape(f0t_onnx_builder_array(b, in[0]),
                                   f0t_onnx_builder_array(b, in[1])))
        return false;
    const f0t_onnx_item *next = f0t_onnx_builder_only_user(b, item->node->outputs[0]);
    bool activates = next && next->kind == F0T_ONNX_ITEM_ACTIVATION && next->after_count == 1 &&
                     scales_along(&next->after[0]) &&
                     (next->after[0].kind == F0T_ACTIVATION_CLIP || next->after[0].alpha == 0);
    s->activation = activates ? next : NULL;
    if (!find_ending(&s->end, b, activates ? next->output : item->node->outputs[0],
                     activates ? next->after : NULL, activates ? 1 : 0) ||
        !s->end.quantise)
        return false;
    const f0t_grid x = b->places[in[0]].grid, y = b->places[in[1]].grid;
    s->scales[0] = x.scale * s->end.factor;
    s->scales[1] = y.scale * s->end.factor;
    float shift = -((float)x.zero * s->scales[0] + (float)y.zero * s->scales[1]);
    float zero = (float)s->end.grid.zero;
    if (shift + zero != 0)
        s->after[s->after_count++] = (f0t_after){F0T_ACTIVATION_LINEAR, 1, shift + zero};
    if (s->end.after_count)
        s->after[s->after_count++] = shifted_limits(&s->end.after[0], zero);
    return isnormal(s->scales[0]) && isnormal(s->scales[1]) && isfinite(shift);
}

static f0t_status add(f0t_onnx_builder *b, const f0t_onnx_item *item, const eight_sum *s,
                      const f0t_layout *y, const f0t_layout *result, bool *done)
{
    f0t_layer *layer;
    f0t_onnx_step *step;
    size_t second, slot = b->places[s->x].slot;
    F0T_TRY(if_supported(f0t_layer_create_scaled_sum(&layer, b->places[s->x].layout, y, result,
                                                     s->scales, s->after, s->after_count),
                         done));
    if (!*done)
        return F0T_OK;
    f0t_status status = f0t_onnx_builder_need_layout(&second, b, s->y, y);
    if (status == F0T_OK && !f0t_onnx_builder_is_last(b, s->x))
        status = f0t_onnx_builder_slot(&slot, b, f0t_layout_bytes(result));
    if (status == F0T_OK)
        status = f0t_onnx_builder_step(&step, b, f0t_onnx_step_run_layer, item->node, 2, 1);
    if (status != F0T_OK) {
        f0t_layer_free(layer);
        return status;
    }
    step->layer = layer;
    step->sources[0] = b->places[s->x].slot;
    step->sources[1] = second;
    step->results[0] = slot;
    f0t_onnx_builder_used(b);
    if (s->activation)
        b->done[s->activation - b->items.list] = true;
    return place_ending(b, &s->end, slot, result);
}

f0t_status f0t_emit_eight_sum(f0t_onnx_builder *b, const f0t_onnx_item *item, bool *done)
{
    eight_sum s;
    f0t_layout *y, *result;
    if (!read_sum(&s, b, item))
        return F0T_OK;
    F0T_TRY(f0t_layout_copy_as(&y, b->places[s.x].layout, f0t_layout_type(b->places[s.y].layout)));
    f0t_status status = f0t_layout_copy_as(&result, b->places[s.x].layout, s.end.type);
    if (status == F0T_OK) {
        status = add(b, item, &s, y, result, done);
        f0t_layout_free(result);
    }
    f0t_layout_free(y);
    return status;
}
