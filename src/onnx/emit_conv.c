/* A convolution and what follows it: batch normalisation goes into the weights; activations and one
 * sum are done while the result is in registers. */
#include "onnx/builder.h"

#include "base/alloc.h"

#include <math.h>
#include <string.h>

static bool is_norm(const f0t_onnx_builder *b, const f0t_onnx_item *item)
{
    if (!f0t_onnx_item_is(item, "BatchNormalization") || item->node->output_count != 1)
        return false;
    for (size_t k = 1; k < 5; k++)
        if (!f0t_onnx_builder_array(b, item->node->inputs[k])->f)
            return false;
    return true;
}

/* The memory of the other side becomes the result's: it must be there and not needed later. */
static bool can_add(const f0t_onnx_builder *b, const f0t_onnx_item *item, size_t value,
                    size_t *other)
{
    const size_t *in = item->node->inputs;
    if (!f0t_onnx_item_is(item, "Add") || in[0] == in[1])
        return false;
    *other = in[0] == value ? in[1] : in[0];
    return !f0t_onnx_builder_is_constant(b, *other) && b->places[*other].made &&
           !b->places[*other].eight &&
           f0t_onnx_array_same_shape(f0t_onnx_builder_array(b, *other),
                                     f0t_onnx_builder_array(b, value)) &&
           f0t_onnx_builder_array(b, *other)->type == F0T_ONNX_FLOAT &&
           f0t_onnx_builder_is_last(b, *other);
}

static bool extend(const f0t_onnx_builder *b, f0t_onnx_chain *c, bool sums)
{
    const f0t_onnx_item *next = f0t_onnx_builder_only_user(b, c->output);
    size_t other;
    if (!next || c->item_count >= F0T_LAYER_AFTER)
        return false;
    if (next->kind == F0T_ONNX_ITEM_ACTIVATION &&
        c->after_count + next->after_count < F0T_LAYER_AFTER) {
        for (size_t k = 0; k < next->after_count; k++)
            c->after[c->after_count++] = next->after[k];
    } else if (next->kind == F0T_ONNX_ITEM_NODE && !c->norm && !c->after_count &&
               is_norm(b, next)) {
        c->norm = next;
    } else if (next->kind == F0T_ONNX_ITEM_NODE && sums && c->other == F0T_NONE &&
               can_add(b, next, c->output, &other)) {
        c->other = other;
        c->sum = next;
        c->after[c->after_count++] = (f0t_after){F0T_ACTIVATION_SUM, 1, 0};
    } else {
        return false;
    }
    c->items[c->item_count++] = (size_t)(next - b->items.list);
    c->output = f0t_onnx_item_output(next);
    return true;
}

void f0t_onnx_chain_find(f0t_onnx_chain *out, const f0t_onnx_builder *b, size_t value, bool sums)
{
    *out = (f0t_onnx_chain){.other = F0T_NONE, .output = value};
    while (extend(b, out, sums))
        continue;
}

f0t_status f0t_onnx_chain_merge(float **scale, float **bias, const f0t_onnx_builder *b,
                                const f0t_onnx_array *own, const f0t_onnx_chain *c, size_t filters)
{
    const f0t_onnx_item *norm = c->norm;
    *scale = NULL;
    F0T_TRY(f0t_alloc_zero(bias, filters, sizeof **bias));
    for (size_t k = 0; k < filters && own; k++)
        (*bias)[k] = own->f[k];
    if (!norm)
        return F0T_OK;
    F0T_TRY(f0t_alloc(scale, filters, sizeof **scale));
    f0t_op_call call = {.node = norm->node, .op = norm->node->op};
    double epsilon = (double)f0t_op_float(&call, "epsilon", 1e-5F);
    const f0t_onnx_array *in[5];
    for (size_t k = 1; k < 5; k++)
        in[k] = f0t_onnx_builder_array(b, norm->node->inputs[k]);
    for (size_t k = 0; k < filters; k++) {
        double s = (double)in[1]->f[k] / sqrt((double)in[4]->f[k] + epsilon);
        (*scale)[k] = (float)s;
        (*bias)[k] = (float)(((double)(*bias)[k] - (double)in[3]->f[k]) * s + (double)in[2]->f[k]);
    }
    return F0T_OK;
}

static f0t_status set_constants(f0t_onnx_step *step, f0t_onnx_builder *b, const f0t_onnx_item *conv,
                                const f0t_onnx_chain *c, size_t groups)
{
    size_t filters = f0t_onnx_builder_array(b, conv->node->inputs[1])->dims[0];
    const bool has_bias = conv->node->input_count > 2 && conv->node->inputs[2] != F0T_NONE;
    const f0t_onnx_array *own = has_bias ? f0t_onnx_builder_array(b, conv->node->inputs[2]) : NULL;
    float *scale = NULL, *bias = NULL;
    const float *kept;
    f0t_status status = f0t_onnx_chain_merge(&scale, &bias, b, own, c, filters);
    f0t_onnx_filters f = {conv->node, conv->node->inputs[1], groups, scale, bias};
    if (status == F0T_OK)
        status = f0t_onnx_weights_filters(&step->constants[0], &kept, b->weights,
                                          &b->schedule->fold, &f, f0t_layer_weights(step->layer));
    f0t_free(scale);
    f0t_free(bias);
    if (status == F0T_OK)
        step->constants[1] = kept;
    return status;
}

/* What oneDNN is asked for. */
static f0t_status describe(f0t_layer_conv *out, bool *usual, const f0t_onnx_builder *b,
                           const f0t_onnx_item *conv, const f0t_onnx_chain *c)
{
    const f0t_onnx_array *x = f0t_onnx_builder_array(b, conv->node->inputs[0]);
    const f0t_onnx_array *w = f0t_onnx_builder_array(b, conv->node->inputs[1]);
    f0t_op_call call = {.node = conv->node, .op = conv->node->op};
    f0t_onnx_window window;
    F0T_TRY(f0t_onnx_window_read(&window, &call, x, w));
    *out = (f0t_layer_conv){.images = x->dims[0],
                            .channels = x->dims[1],
                            .filters = w->dims[0],
                            .groups = (size_t)f0t_op_int(&call, "group", 1),
                            .type = b->type,
                            .result = b->type,
                            .blocks = b->blocks,
                            .after = c->after,
                            .after_count = c->after_count};
    memcpy(out->in, window.in, sizeof out->in);
    *usual = f0t_onnx_builder_window(&out->window, &window);
    if (f0t_layer_conv_prefers_f32(out))
        out->type = out->result = F0T_F32;
    return F0T_OK;
}

static bool has_constants(const f0t_onnx_builder *b, const f0t_onnx_node *node)
{
    const bool bias = node->input_count > 2 && node->inputs[2] != F0T_NONE;
    return !f0t_onnx_builder_is_constant(b, node->inputs[0]) &&
           f0t_onnx_builder_is_constant(b, node->inputs[1]) &&
           (!bias || f0t_onnx_builder_is_constant(b, node->inputs[2]));
}

static bool has_bytes(const f0t_onnx_items *items)
{
    for (size_t n = 0; n < items->count; n++)
        if (items->list[n].kind == F0T_ONNX_ITEM_NODE &&
            f0t_onnx_item_is(&items->list[n], "DequantizeLinear"))
            return true;
    return false;
}

/* Where a convolution of floats wants them; not among arrays of bytes, whose channels are last. */
f0t_status f0t_onnx_builder_find_blocks(f0t_onnx_builder *b)
{
    static const f0t_onnx_chain none = {.other = F0T_NONE};
    const bool floats = b->type == F0T_F32 && !has_bytes(&b->items);
    for (size_t n = 0; n < b->items.count && floats && !b->blocks; n++) {
        const f0t_onnx_item *item = &b->items.list[n];
        f0t_layer_conv how;
        bool usual;
        if (item->kind != F0T_ONNX_ITEM_NODE || !f0t_onnx_item_is(item, "Conv") ||
            !has_constants(b, item->node))
            continue;
        F0T_TRY(f0t_onnx_graph_fail_at(b->schedule->graph, item->node,
                                       describe(&how, &usual, b, item, &none)));
        b->blocks = usual && f0t_layer_conv_wants_blocks(&how);
    }
    return F0T_OK;
}

/* The result's memory: that of the value which is added, rewritten where it lies otherwise. */
static f0t_status choose_result(f0t_onnx_builder *b, const f0t_onnx_chain *c,
                                const f0t_layout *layout, size_t *slot)
{
    if (c->other == F0T_NONE)
        return f0t_onnx_builder_slot(slot, b, f0t_layout_bytes(layout));
    return f0t_onnx_builder_need_layout(slot, b, c->other, layout);
}

/* What a convolution takes: its input, or the two sides of a product that is done on the way. */
typedef struct operands {
    size_t x, gates; /* gates: F0T_NONE where there are none */
} operands;

static f0t_status emit(f0t_onnx_builder *b, const f0t_onnx_item *conv, const operands *in,
                       const f0t_onnx_chain *c, f0t_layer **layer, const f0t_layer_conv *how)
{
    const bool gated = in->gates != F0T_NONE;
    size_t source, gates = F0T_NONE, result;
    f0t_onnx_step *step;
    F0T_TRY(f0t_onnx_builder_move(&source, b, in->x, f0t_layer_source(*layer)));
    if (gated)
        F0T_TRY(f0t_onnx_builder_need_plain(&gates, b, in->gates));
    F0T_TRY(choose_result(b, c, f0t_layer_result(*layer), &result));
    F0T_TRY(f0t_onnx_builder_step(&step, b, f0t_onnx_step_run_layer, conv->node, gated ? 2 : 1, 1));
    step->layer = *layer;
    *layer = NULL;
    step->sources[0] = source;
    if (gated)
        step->sources[1] = gates;
    step->results[0] = result;
    F0T_TRY(set_constants(step, b, conv, c, how->groups));
    f0t_onnx_builder_used(b);
    if (c->sum)
        f0t_onnx_builder_consume(b, c->sum);
    for (size_t k = 0; k < c->item_count; k++)
        b->done[c->items[k]] = true;
    return f0t_onnx_builder_place(b, c->output, result, f0t_layer_result(step->layer));
}

static f0t_status decode(f0t_onnx_builder *b, const f0t_onnx_node *node)
{
    if (b->schedule->fold.turned[node->inputs[1]] != F0T_NONE)
        F0T_TRY(f0t_onnx_fold_decode(&b->schedule->fold, node->inputs[1]));
    if (node->input_count > 2 && node->inputs[2] != F0T_NONE)
        F0T_TRY(f0t_onnx_fold_decode(&b->schedule->fold, node->inputs[2]));
    return F0T_OK;
}

static f0t_status emit_as(f0t_onnx_builder *b, const f0t_onnx_item *conv, const operands *in,
                          const f0t_onnx_chain *c, const f0t_layer_conv *how)
{
    f0t_layer *layer;
    F0T_TRY(f0t_layer_create_conv(&layer, how, b->places[in->x].layout));
    f0t_status status = emit(b, conv, in, c, &layer, how);
    f0t_layer_free(layer);
    return status;
}

f0t_status f0t_emit_conv(f0t_onnx_builder *b, size_t n, bool *done)
{
    const f0t_onnx_item *conv = &b->items.list[n];
    const f0t_onnx_node *node = conv->node;
    const operands in = {node->inputs[0], F0T_NONE};
    f0t_onnx_chain c;
    f0t_layer_conv how;
    bool usual;
    if (!has_constants(b, node))
        return F0T_OK;
    if (b->places[node->inputs[0]].eight) {
        F0T_TRY(f0t_emit_eight_conv(b, conv, done));
        if (*done)
            return F0T_OK;
    }
    F0T_TRY(decode(b, node));
    f0t_onnx_chain_find(&c, b, node->outputs[0], true);
    F0T_TRY(describe(&how, &usual, b, conv, &c));
    if (!usual)
        return F0T_OK;
    *done = true;
    return emit_as(b, conv, &in, &c, &how);
}

/* ---- Gates ---------------------------------------------------------------------------------------- */

/* x is an array of pictures, y one number for each channel of each. */
static bool are_gates(const f0t_onnx_builder *b, size_t x, size_t y)
{
    const f0t_onnx_array *in = f0t_onnx_builder_array(b, x), *gates = f0t_onnx_builder_array(b, y);
    return !f0t_onnx_builder_is_constant(b, x) && !f0t_onnx_builder_is_constant(b, y) &&
           in->type == F0T_ONNX_FLOAT && gates->type == F0T_ONNX_FLOAT && in->rank == 4 &&
           gates->rank == 4 && in->dims[0] == gates->dims[0] && in->dims[1] == gates->dims[1] &&
           gates->dims[2] == 1 && gates->dims[3] == 1 && !b->places[x].eight && !b->places[y].eight;
}

/* A Mul by gates that a convolution follows is done by it, as squeeze and excitation (Hu et al., 2018) end. */
f0t_status f0t_emit_gated_conv(f0t_onnx_builder *b, const f0t_onnx_item *mul, bool *done)
{
    const size_t *sides = mul->node->inputs, value = mul->node->outputs[0];
    const bool first = are_gates(b, sides[0], sides[1]);
    const operands in = {sides[first ? 0 : 1], sides[first ? 1 : 0]};
    const f0t_onnx_item *conv = f0t_onnx_builder_only_user(b, value);
    f0t_onnx_chain c;
    f0t_layer_conv how;
    bool usual;
    if (!f0t_onnx_item_is(mul, "Mul") || !conv || !f0t_onnx_item_is(conv, "Conv") ||
        conv->node->inputs[0] != value || !are_gates(b, in.x, in.gates) ||
        !has_constants(b, conv->node) ||
        !f0t_onnx_builder_array(b, conv->node->outputs[0])->count) /* no filters */
        return F0T_OK;
    F0T_TRY(decode(b, conv->node));
    f0t_onnx_chain_find(&c, b, conv->node->outputs[0], true);
    F0T_TRY(describe(&how, &usual, b, conv, &c));
    how.gated = true;
    if (!usual || c.other == in.x || c.other == in.gates || !f0t_layer_conv_takes_gates(&how))
        return F0T_OK;
    *done = true;
    F0T_TRY(f0t_onnx_builder_charge(b, conv));
    F0T_TRY(emit_as(b, conv, &in, &c, &how));
    f0t_onnx_builder_consume(b, conv);
    b->done[conv - b->items.list] = true;
    return F0T_OK;
}
