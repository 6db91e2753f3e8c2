/*
 * Eight bits: arrays stay bytes between QuantizeLinear and DequantizeLinear, which cost nothing then, and what lies
 * between is done by integer kernels: convolutions and dense layers whose input is on a grid and whose weights are
 * int8, with activations and the quantising of the result inside; sums of two such arrays; the largest of windows.
 * Everything else takes floats, which are made where they are needed.
 */
#include "onnx/eight.h"

#include <float.h>
#include <math.h>

/* ---- Quantising, and back -------------------------------------------------------------------- */

static const f0t_onnx_item *last_user(const f0t_onnx_builder *b, size_t value)
{
    const size_t n = b->items.user[value];
    return n == F0T_NONE ? NULL : &b->items.list[n];
}

/* Whether it is multiplied by a matrix in the end, which takes rows. */
static bool is_multiplied(const f0t_onnx_builder *b, size_t value)
{
    const f0t_onnx_item *user = last_user(b, value);
    if (user && f0t_onnx_item_is(user, "DequantizeLinear"))
        user = last_user(b, f0t_onnx_item_output(user));
    return user && (f0t_onnx_item_is(user, "MatMul") || f0t_onnx_item_is(user, "QLinearMatMul"));
}

/* Images with their channels last, as the kernels take them. */
static f0t_status choose_layout(f0t_layout **out, const f0t_onnx_builder *b, size_t value)
{
    const f0t_onnx_array *a = f0t_onnx_builder_array(b, value);
    return (a->rank == 4 || a->rank == 5) && !is_multiplied(b, value)
               ? f0t_layout_create_channels_last(out, a->rank, a->dims, f0t_eight_type(a))
               : f0t_eight_row_layout(out, a, f0t_eight_type(a));
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
    return f0t_onnx_builder_place_eight(b, out, slot, to, F0T_EIGHT_ONES);
}

static f0t_status make_quantiser(f0t_layer **out, f0t_layout **to, f0t_onnx_builder *b,
                                 const f0t_onnx_item *item, f0t_grid grid)
{
    const f0t_onnx_place *place = &b->places[item->node->inputs[0]];
    const f0t_onnx_array *x = f0t_onnx_builder_array(b, item->node->inputs[0]);
    f0t_layout *from;
    *out = NULL;
    *to = NULL;
    F0T_TRY(place->layout ? f0t_layout_copy(&from, place->layout)
                          : f0t_eight_row_layout(&from, x, F0T_F32));
    f0t_status status = choose_layout(to, b, item->node->outputs[0]);
    if (status == F0T_OK)
        status = f0t_layer_create_regrid(out, *to, grid, from,
                                         place->eight ? place->grid : F0T_EIGHT_ONES);
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
        !f0t_onnx_array_type_is_eight(y->type) || !f0t_eight_node_grid(&grid, b, item->node))
        return F0T_OK;
    *done = true;
    if (place->eight && place->grid.scale == grid.scale && place->grid.zero == grid.zero &&
        f0t_layout_type(place->layout) == f0t_eight_type(y))
        return f0t_onnx_builder_place_eight(b, out, place->slot, place->layout, F0T_EIGHT_ONES);
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
        f0t_onnx_builder_array(b, out)->type != F0T_ONNX_FLOAT ||
        !f0t_eight_node_grid(&grid, b, item->node))
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
    F0T_TRY(f0t_eight_row_layout(&from, x, f0t_layout_type(place->layout)));
    f0t_status status = f0t_onnx_builder_need_layout(&slot, b, in, from);
    f0t_layout_free(from);
    F0T_TRY(status);
    F0T_TRY(f0t_eight_row_layout(&to, y, f0t_layout_type(place->layout)));
    status = f0t_onnx_builder_place_eight(b, out, slot, to, place->grid);
    f0t_layout_free(to);
    return status;
}

/* ---- Sums ------------------------------------------------------------------------------------ */

/* x·sx + y·sy + (z - zx·sx - zy·sy), then the limits of an activation. oneDNN 2.6 takes the same shift for both where
 * there are two. */
typedef struct eight_sum {
    size_t x, y;
    const f0t_onnx_item *activation; /* or NULL */
    f0t_eight_ending end;
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
    if (!f0t_eight_find_sum_ending(&s->end, &s->activation, b, item))
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
    F0T_TRY(f0t_eight_if_supported(f0t_layer_create_scaled_sum(&layer, b->places[s->x].layout, y,
                                                               result, s->scales, s->after,
                                                               s->after_count),
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
    return f0t_eight_place_ending(b, &s->end, slot, result);
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
