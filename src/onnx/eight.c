#include "onnx/eight.h"

#include <math.h>

/* ---- Grids ----------------------------------------------------------------------------------- */

/* One number that is known, of a scale that can be divided by; a missing zero point is 0. */
bool f0t_eight_read_grid(f0t_grid *out, const f0t_onnx_array *scale, const f0t_onnx_array *zero)
{
    if (!scale->f || scale->count != 1 || (zero && (!zero->i || zero->count != 1)) ||
        !isnormal(scale->f[0]) || !isnormal(1 / scale->f[0]))
        return false;
    *out = (f0t_grid){scale->f[0], zero ? (int32_t)zero->i[0] : 0};
    return true;
}

/* The grid of a QuantizeLinear or DequantizeLinear. */
bool f0t_eight_node_grid(f0t_grid *out, const f0t_onnx_builder *b, const f0t_onnx_node *node)
{
    return f0t_eight_read_grid(out, f0t_onnx_builder_array(b, node->inputs[1]),
                               f0t_onnx_fold_zero(&b->schedule->fold, node));
}

f0t_dtype f0t_eight_type(const f0t_onnx_array *a)
{
    return a->type == F0T_ONNX_INT8 ? F0T_I8 : F0T_U8;
}

int32_t f0t_eight_lowest(f0t_dtype type)
{
    return type == F0T_I8 ? INT8_MIN : 0;
}

/* Row-major, as bytes. */
f0t_status f0t_eight_row_layout(f0t_layout **out, const f0t_onnx_array *a, f0t_dtype type)
{
    static const size_t one = 1;
    return f0t_layout_create(out, a->rank ? a->rank : 1, a->rank ? a->dims : &one, type);
}

/* ---- The end of a layer ---------------------------------------------------------------------- */

static void find_quantise(f0t_eight_ending *e, const f0t_onnx_builder *b, size_t value)
{
    const f0t_onnx_item *next = f0t_onnx_builder_only_user(b, value);
    e->output = value;
    e->type = F0T_F32;
    e->factor = 1;
    e->grid = F0T_EIGHT_ONES;
    if (!next || !f0t_onnx_item_is(next, "QuantizeLinear") || next->node->inputs[0] != value)
        return;
    const f0t_onnx_array *y = f0t_onnx_builder_array(b, next->node->outputs[0]);
    if (!f0t_onnx_array_type_is_eight(y->type) || !f0t_eight_node_grid(&e->grid, b, next->node))
        return;
    e->quantise = next;
    e->type = f0t_eight_type(y);
    e->output = next->node->outputs[0];
}

/* f(a·x) = a·f(x) for a > 0, its limits being scaled. */
bool f0t_eight_scales_along(const f0t_after *after)
{
    return after->kind == F0T_ACTIVATION_RELU || after->kind == F0T_ACTIVATION_CLIP;
}

/* Whether the type's own range cuts off all that this activation would. */
static bool is_saturation(const f0t_eight_ending *e, const f0t_after *after)
{
    if (e->grid.zero != f0t_eight_lowest(e->type) || after->alpha != 0)
        return false;
    return after->kind == F0T_ACTIVATION_RELU ||
           (after->kind == F0T_ACTIVATION_CLIP && after->beta >= (float)UINT8_MAX);
}

static void scale_activations(f0t_eight_ending *e)
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
bool f0t_eight_find_ending(f0t_eight_ending *e, const f0t_onnx_builder *b, size_t value,
                           const f0t_after *after, size_t count)
{
    bool along = true;
    *e = (f0t_eight_ending){.after_count = count};
    if (count > F0T_LAYER_AFTER)
        return false;
    for (size_t k = 0; k < count; k++) {
        e->after[k] = after[k];
        along &= f0t_eight_scales_along(&after[k]);
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

bool f0t_eight_find_sum_ending(f0t_eight_ending *e, const f0t_onnx_item **activation,
                               const f0t_onnx_builder *b, const f0t_onnx_item *add)
{
    const f0t_onnx_item *next = f0t_onnx_builder_only_user(b, add->node->outputs[0]);
    const bool activates =
        next && next->kind == F0T_ONNX_ITEM_ACTIVATION && next->after_count == 1 &&
        f0t_eight_scales_along(&next->after[0]) &&
        (next->after[0].kind == F0T_ACTIVATION_CLIP || next->after[0].alpha == 0);
    *activation = activates ? next : NULL;
    return f0t_eight_find_ending(e, b, activates ? next->output : add->node->outputs[0],
                                 activates ? next->after : NULL, activates ? 1 : 0) &&
           e->quantise;
}

f0t_status f0t_eight_place_ending(f0t_onnx_builder *b, const f0t_eight_ending *e, size_t slot,
                                  const f0t_layout *layout)
{
    if (!e->quantise)
        return f0t_onnx_builder_place(b, e->output, slot, layout);
    b->done[e->quantise - b->items.list] = true;
    return f0t_onnx_builder_place_eight(b, e->output, slot, layout, F0T_EIGHT_ONES);
}

/* ---- Weights --------------------------------------------------------------------------------- */

static bool zero_is(const f0t_onnx_array *zero, int64_t wanted)
{
    if (!zero)
        return wanted == 0;
    for (size_t k = 0; k < zero->count; k++)
        if (!zero->i || zero->i[k] != wanted)
            return false;
    return true;
}

bool f0t_eight_set_weights(f0t_eight_weights *out, const f0t_onnx_builder *b, size_t value,
                           const f0t_onnx_array *scale, const f0t_onnx_array *zero, size_t filters)
{
    const f0t_onnx_array *bytes = f0t_onnx_builder_array(b, value);
    *out = (f0t_eight_weights){value, bytes, scale, bytes->type == F0T_ONNX_UINT8};
    return f0t_layer_eight_native() && f0t_onnx_array_known(bytes) &&
           f0t_onnx_array_type_is_eight(bytes->type) && scale->f &&
           (scale->count == 1 || scale->count == filters) && zero_is(zero, out->shifted ? 128 : 0);
}

/* Those that a DequantizeLinear of a constant gives, with a scale for each index of `axis` or one. */
bool f0t_eight_find_weights(f0t_eight_weights *out, const f0t_onnx_builder *b, size_t value,
                            int64_t axis)
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
    return f0t_eight_set_weights(out, b, node->inputs[0], scale,
                                 f0t_onnx_fold_zero(&b->schedule->fold, node), w->dims[axis]);
}

/* Below it, a bias in units of the sums would say more of them than of itself. */
static const double LEAST_SCALE = 1e-20;

/* What the sums are multiplied by, and the bias in their units; false where floats cannot say it. `bias` comes in
 * real units. */
bool f0t_eight_set_scales(float *scales, float *bias, const f0t_eight_weights *w, float source,
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
bool f0t_eight_sums_fit(size_t products)
{
    return products <= INT32_MAX / (UINT8_MAX * -INT8_MIN);
}

/* A layer that this CPU has no kernel for is no error. */
f0t_status f0t_eight_if_supported(f0t_status status, bool *done)
{
    *done = status != F0T_ERROR_UNSUPPORTED;
    return *done ? status : F0T_OK;
}
