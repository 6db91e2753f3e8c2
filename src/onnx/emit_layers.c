/* Pooling, activations, sums, products and concatenations in whatever layout their inputs have. */
#include "onnx/builder.h"

#include "base/alloc.h"

#include <string.h>

/* A step of one layer with one varying source; takes the layer. */
static f0t_status add_layer(f0t_onnx_builder *b, const f0t_onnx_item *item, f0t_layer *layer,
                            size_t source, size_t result, f0t_onnx_step **out)
{
    f0t_onnx_step *step;
    f0t_status status = f0t_onnx_builder_step(&step, b, f0t_onnx_step_run_layer, item->node, 1, 1);
    if (status != F0T_OK) {
        f0t_layer_free(layer);
        return status;
    }
    step->layer = layer;
    step->sources[0] = source;
    step->results[0] = result;
    f0t_onnx_builder_used(b);
    *out = step;
    return F0T_OK;
}

/* ---- Pooling ------------------------------------------------------------------------------------
 */

bool f0t_onnx_builder_window(f0t_layer_window *out, const f0t_onnx_window *w)
{
    enum { LONGEST = INT16_MAX };
    *out = (f0t_layer_window){.rank = w->rank};
    memcpy(out->kernel, w->kernel, sizeof w->kernel);
    memcpy(out->stride, w->stride, sizeof w->stride);
    memcpy(out->dilation, w->dilation, sizeof w->dilation);
    memcpy(out->before, w->before, sizeof w->before);
    memcpy(out->after, w->after, sizeof w->after);
    memcpy(out->out, w->out, sizeof w->out);
    for (size_t d = 0; d < w->rank; d++) {
        size_t span = (w->kernel[d] - 1) * w->dilation[d] + 1;
        if (w->in[d] > LONGEST || w->out[d] > LONGEST || w->stride[d] > LONGEST || span > LONGEST ||
            w->before[d] >= span || w->after[d] >= span + w->stride[d])
            return false;
    }
    return true;
}

static f0t_status read_window(f0t_onnx_window *out, const f0t_op_call *call,
                              const f0t_onnx_array *x)
{
    if (strncmp(call->op->name, "Global", 6) != 0)
        return f0t_onnx_window_read(out, call, x, NULL);
    *out = (f0t_onnx_window){.rank = x->rank - 2};
    for (size_t d = 0; d < out->rank; d++) {
        out->in[d] = out->kernel[d] = x->dims[2 + d];
        out->stride[d] = out->dilation[d] = out->out[d] = 1;
    }
    return F0T_OK;
}

/* oneDNN has no window that lies in padding alone, and counts padding after the given one. */
static bool is_plain_window(const f0t_layer_window *w, const f0t_onnx_array *x, bool counts_padding)
{
    for (size_t d = 0; d < w->rank; d++) {
        size_t last = (w->out[d] - 1) * w->stride[d] + (w->kernel[d] - 1) * w->dilation[d] + 1;
        size_t end = x->dims[2 + d] + w->before[d];
        if (w->before[d] >= w->kernel[d] || last >= end + w->kernel[d])
            return false;
        if (counts_padding && last > end + w->after[d])
            return false;
        if (w->dilation[d] != 1 && counts_padding)
            return false;
    }
    return true;
}

static f0t_status pool(f0t_onnx_builder *b, const f0t_onnx_item *item, const f0t_layout *layout,
                       f0t_layer_pool_kind kind, const f0t_layer_window *w)
{
    f0t_layer *layer;
    f0t_onnx_step *step;
    size_t result, in = item->node->inputs[0];
    F0T_TRY(f0t_layer_create_pool(&layer, kind, w, layout));
    f0t_status status =
        f0t_onnx_builder_slot(&result, b, f0t_layout_bytes(f0t_layer_result(layer)));
    if (status != F0T_OK) {
        f0t_layer_free(layer);
        return status;
    }
    F0T_TRY(add_layer(b, item, layer, b->places[in].slot, result, &step));
    return b->places[in].eight
               ? f0t_onnx_builder_place_eight(b, item->node->outputs[0], result,
                                              f0t_layer_result(step->layer), b->places[in].grid)
               : f0t_onnx_builder_place(b, item->node->outputs[0], result,
                                        f0t_layer_result(step->layer));
}

f0t_status f0t_emit_pool(f0t_onnx_builder *b, const f0t_onnx_item *item, bool *done)
{
    const f0t_onnx_array *x = f0t_onnx_builder_array(b, item->node->inputs[0]);
    f0t_op_call call = {.node = item->node, .op = item->node->op};
    bool average = item->node->op->kind == F0T_POOL_AVERAGE;
    bool eight = !average &&
                 b->places[item->node->inputs[0]].eight; /* the largest of them stays what it is */
    bool padding = average && f0t_op_int(&call, "count_include_pad", 0);
    f0t_onnx_window window;
    f0t_layer_window w;
    f0t_layout *layout;
    if (item->node->output_count > 1 || x->rank < 3 || x->rank > 5 ||
        (x->type != F0T_ONNX_FLOAT && !eight))
        return F0T_OK;
    F0T_TRY(read_window(&window, &call, x));
    if (!f0t_onnx_builder_window(&w, &window) || !is_plain_window(&w, x, padding))
        return F0T_OK;
    *done = true;
    F0T_TRY(eight ? f0t_layout_copy(&layout, b->places[item->node->inputs[0]].layout)
                  : f0t_onnx_builder_layout(&layout, b, item->node->inputs[0]));
    f0t_status status = pool(b, item, layout,
                             !average  ? F0T_LAYER_POOL_MAX
                             : padding ? F0T_LAYER_POOL_AVERAGE_PADDING
                                       : F0T_LAYER_POOL_AVERAGE,
                             &w);
    f0t_layout_free(layout);
    return status;
}

/* ---- Activations --------------------------------------------------------------------------------
 */

static f0t_status activate(f0t_onnx_builder *b, const f0t_onnx_item *item, const f0t_layout *layout)
{
    size_t source = b->places[item->x].slot, result = source;
    f0t_onnx_step *step;
    if (!f0t_onnx_builder_is_last(b, item->x))
        F0T_TRY(f0t_onnx_builder_slot(&result, b, f0t_layout_bytes(layout)));
    for (size_t k = 0; k < item->after_count; k++) {
        f0t_layer *layer;
        F0T_TRY(f0t_layer_create_activation(&layer, &item->after[k], layout));
        F0T_TRY(add_layer(b, item, layer, source, result, &step));
        source = result;
    }
    return f0t_onnx_builder_place(b, item->output, result,
                                  b->places[item->x].layout ? layout : NULL);
}

f0t_status f0t_emit_activation(f0t_onnx_builder *b, const f0t_onnx_item *item, bool *done)
{
    f0t_layout *layout;
    if (!f0t_onnx_builder_array(b, item->x)->count)
        return F0T_OK;
    F0T_TRY(f0t_onnx_builder_layout(&layout, b, item->x));
    *done = true;
    f0t_status status = activate(b, item, layout);
    f0t_layout_free(layout);
    return status;
}

/* ---- Sums and products --------------------------------------------------------------------------
 */

typedef struct pair {
    f0t_layer_binary_kind kind;
    size_t x, y; /* y is spread over x */
} pair;

/* y has the rank of x and each of its dimensions, or 1. */
static bool fits(const f0t_onnx_array *x, const f0t_onnx_array *y)
{
    if (x->rank != y->rank || !x->rank)
        return false;
    for (size_t d = 0; d < x->rank; d++)
        if (y->dims[d] != x->dims[d] && y->dims[d] != 1)
            return false;
    return true;
}

static bool read_pair(pair *out, const f0t_onnx_builder *b, const f0t_onnx_item *item)
{
    static const f0t_layer_binary_kind kinds[] = {[F0T_BINARY_ADD] = F0T_LAYER_ADD,
                                                  [F0T_BINARY_SUB] = F0T_LAYER_SUB,
                                                  [F0T_BINARY_MUL] = F0T_LAYER_MUL,
                                                  [F0T_BINARY_DIV] = F0T_LAYER_DIV};
    const size_t *in = item->node->inputs;
    int kind = item->node->op->kind;
    bool either = kind == F0T_BINARY_ADD || kind == F0T_BINARY_MUL;
    if (f0t_onnx_builder_array(b, in[0])->type != F0T_ONNX_FLOAT || b->schedule->graph->opset < 7)
        return false;
    *out = (pair){kinds[kind], in[0], in[1]};
    if (!f0t_onnx_builder_is_constant(b, out->x) &&
        fits(f0t_onnx_builder_array(b, out->x), f0t_onnx_builder_array(b, out->y)))
        return true;
    *out = (pair){kinds[kind], in[1], in[0]};
    return either && !f0t_onnx_builder_is_constant(b, out->x) &&
           fits(f0t_onnx_builder_array(b, out->x), f0t_onnx_builder_array(b, out->y));
}

/* The layout in which y is taken: as x lies where the shapes are the same, else plain. */
static f0t_status layout_of_y(f0t_onnx_builder *b, const pair *p, const f0t_layout *x,
                              f0t_layout **out)
{
    const f0t_onnx_array *y = f0t_onnx_builder_array(b, p->y);
    if (f0t_onnx_builder_is_constant(b, p->y))
        return f0t_layout_create(out, y->rank, y->dims, F0T_F32);
    if (f0t_onnx_array_same_shape(f0t_onnx_builder_array(b, p->x), y))
        return f0t_layout_copy(out, x);
    return f0t_onnx_builder_layout(out, b, p->y);
}

static void follow(f0t_onnx_builder *b, f0t_onnx_item **last, f0t_after *after, size_t *count,
                   size_t value)
{
    f0t_onnx_item *next = f0t_onnx_builder_only_user(b, value);
    *last = NULL;
    *count = 0;
    if (!next || next->kind != F0T_ONNX_ITEM_ACTIVATION)
        return;
    memcpy(after, next->after, next->after_count * sizeof *after);
    *count = next->after_count;
    *last = next;
}

static f0t_status combine(f0t_onnx_builder *b, const f0t_onnx_item *item, const pair *p,
                          const f0t_layout *x, const f0t_layout *y)
{
    f0t_onnx_step *step;
    f0t_onnx_item *next;
    f0t_after after[2];
    size_t count, result = b->places[p->x].slot, second = F0T_NONE;
    bool constant = f0t_onnx_builder_is_constant(b, p->y), plain = !b->places[p->x].layout;
    follow(b, &next, after, &count, item->node->outputs[0]);
    if (!constant)
        F0T_TRY(f0t_onnx_builder_need_layout(&second, b, p->y, y));
    if (!f0t_onnx_builder_is_last(b, p->x) || p->x == p->y)
        F0T_TRY(f0t_onnx_builder_slot(&result, b, f0t_layout_bytes(x)));
    F0T_TRY(f0t_onnx_builder_step(&step, b, f0t_onnx_step_run_layer, item->node, 2, 1));
    F0T_TRY(f0t_layer_create_binary(&step->layer, p->kind, x, y, after, count));
    step->sources[0] = b->places[p->x].slot;
    step->sources[1] = second;
    step->results[0] = result;
    step->constants[0] = constant ? f0t_onnx_builder_array(b, p->y)->f : NULL;
    f0t_onnx_builder_used(b);
    if (next)
        b->done[next - b->items.list] = true;
    return f0t_onnx_builder_place(b, next ? next->output : item->node->outputs[0], result,
                                  plain ? NULL : x);
}

/* With AVX2 oneDNN 2.6 loses what is added to channels that do not fill its blocks of eight. */
static bool fills_blocks(const f0t_onnx_builder *b, size_t value)
{
    const f0t_onnx_array *x = f0t_onnx_builder_array(b, value);
    return !b->places[value].layout || (x->rank > 1 && x->dims[1] % 8 == 0);
}

f0t_status f0t_emit_binary(f0t_onnx_builder *b, size_t n, bool *done)
{
    const f0t_onnx_item *item = &b->items.list[n];
    f0t_layout *x, *y = NULL;
    pair p;
    F0T_TRY(f0t_emit_eight_sum(b, item, done));
    if (!*done)
        F0T_TRY(f0t_emit_gated_conv(b, item, done));
    if (*done || !read_pair(&p, b, item) || !fills_blocks(b, p.x))
        return F0T_OK;
    *done = true;
    if (f0t_onnx_builder_is_constant(b, p.y))
        F0T_TRY(f0t_onnx_fold_decode(&b->schedule->fold, p.y));
    F0T_TRY(f0t_onnx_builder_layout(&x, b, p.x));
    f0t_status status = layout_of_y(b, &p, x, &y);
    if (status == F0T_OK)
        status = combine(b, item, &p, x, y);
    f0t_layout_free(x);
    f0t_layout_free(y);
    return status;
}

/* ---- Concatenation ------------------------------------------------------------------------------
 */

/* oneDNN numbers the sources of a layer below 1024. */
enum { CONCAT_MOST = 512 };

/* Without a step: what is joined was written where it is wanted. */
static f0t_status join_in_place(f0t_onnx_builder *b, const f0t_onnx_item *item,
                                f0t_layout *const *layouts, bool *done)
{
    size_t slots[CONCAT_MOST], bytes[CONCAT_MOST], count = item->node->input_count, result;
    f0t_layout *whole;
    F0T_TRY(f0t_layout_stack(&whole, (const f0t_layout *const *)layouts, count));
    if (!whole)
        return F0T_OK;
    for (size_t k = 0; k < count; k++) {
        slots[k] = b->places[item->node->inputs[k]].slot;
        bytes[k] = f0t_layout_bytes(layouts[k]);
    }
    f0t_status status = f0t_onnx_builder_stack(&result, b, slots, bytes, count);
    *done = status == F0T_OK && result != F0T_NONE;
    if (*done)
        status = f0t_onnx_builder_place(b, item->node->outputs[0], result, whole);
    f0t_layout_free(whole);
    return status;
}

static f0t_status join(f0t_onnx_builder *b, const f0t_onnx_item *item, f0t_layout **layouts,
                       size_t axis)
{
    size_t count = item->node->input_count, result;
    f0t_onnx_step *step;
    bool plain = true, done = false;
    for (size_t k = 0; k < count; k++) {
        F0T_TRY(f0t_onnx_builder_layout(&layouts[k], b, item->node->inputs[k]));
        plain &= !b->places[item->node->inputs[k]].layout;
    }
    if (axis == 1)
        F0T_TRY(join_in_place(b, item, layouts, &done));
    if (done)
        return F0T_OK;
    F0T_TRY(f0t_onnx_builder_step(&step, b, f0t_onnx_step_run_layer, item->node, count, 1));
    F0T_TRY(f0t_layer_create_concat(&step->layer, (const f0t_layout *const *)layouts, count, axis));
    F0T_TRY(f0t_onnx_builder_slot(&result, b, f0t_layout_bytes(f0t_layer_result(step->layer))));
    for (size_t k = 0; k < count; k++)
        step->sources[k] = b->places[item->node->inputs[k]].slot;
    step->results[0] = result;
    f0t_onnx_builder_used(b);
    return f0t_onnx_builder_place(b, item->node->outputs[0], result,
                                  plain ? NULL : f0t_layer_result(step->layer));
}

f0t_status f0t_emit_concat(f0t_onnx_builder *b, const f0t_onnx_item *item, bool *done)
{
    const f0t_onnx_node *node = item->node;
    f0t_op_call call = {.node = node, .op = node->op};
    const f0t_onnx_array *x = f0t_onnx_builder_array(b, node->inputs[0]);
    f0t_layout **layouts;
    size_t axis;
    if (node->input_count > CONCAT_MOST || x->rank < 3 || x->rank > 5 || x->type != F0T_ONNX_FLOAT)
        return F0T_OK;
    for (size_t k = 0; k < node->input_count; k++) /* plain ones of another type do not mix */
        if (f0t_onnx_builder_is_constant(b, node->inputs[k]) || !b->places[node->inputs[k]].layout)
            return F0T_OK;
    F0T_TRY(f0t_op_axis(&axis, f0t_op_int(&call, "axis", 1), x->rank));
    F0T_TRY(f0t_alloc_zero(&layouts, node->input_count, sizeof *layouts));
    *done = true;
    f0t_status status = join(b, item, layouts, axis);
    for (size_t k = 0; k < node->input_count; k++)
        f0t_layout_free(layouts[k]);
    f0t_free(layouts);
    return status;
}

/* ---- Batch normalisation that no convolution could take ---------------------------------------------
 */

static f0t_status normalise(f0t_onnx_builder *b, const f0t_onnx_item *item,
                            const f0t_layout *layout)
{
    f0t_op_call call = {.node = item->node, .op = item->node->op};
    size_t in = item->node->inputs[0], result = b->places[in].slot;
    f0t_onnx_item *next = f0t_onnx_builder_only_user(b, item->node->outputs[0]);
    bool relu = next && next->kind == F0T_ONNX_ITEM_ACTIVATION && next->after_count == 1 &&
                next->after[0].kind == F0T_ACTIVATION_RELU && next->after[0].alpha == 0;
    f0t_layer *layer;
    f0t_onnx_step *step;
    if (!f0t_onnx_builder_is_last(b, in))
        F0T_TRY(f0t_onnx_builder_slot(&result, b, f0t_layout_bytes(layout)));
    F0T_TRY(f0t_layer_create_norm(&layer, layout, f0t_op_float(&call, "epsilon", 1e-5F), relu));
    F0T_TRY(add_layer(b, item, layer, b->places[in].slot, result, &step));
    static const size_t order[] = {3, 4, 1, 2}; /* mean, variance, scale, shift */
    for (size_t k = 0; k < 4; k++)
        step->constants[k] = f0t_onnx_builder_array(b, item->node->inputs[order[k]])->f;
    if (relu)
        b->done[next - b->items.list] = true;
    return f0t_onnx_builder_place(b, relu ? next->output : item->node->outputs[0], result,
                                  b->places[in].layout ? layout : NULL);
}

f0t_status f0t_emit_batch_norm(f0t_onnx_builder *b, size_t n, bool *done)
{
    const f0t_onnx_item *item = &b->items.list[n];
    const f0t_onnx_array *x = f0t_onnx_builder_array(b, item->node->inputs[0]);
    f0t_layout *layout;
    for (size_t k = 1; k < 5; k++)
        if (!f0t_onnx_builder_array(b, item->node->inputs[k])->f)
            return F0T_OK;
    if (x->type != F0T_ONNX_FLOAT || x->rank > 5)
        return F0T_OK;
    *done = true;
    F0T_TRY(f0t_onnx_builder_layout(&layout, b, item->node->inputs[0]));
    f0t_status status = normalise(b, item, layout);
    f0t_layout_free(layout);
    return status;
}
