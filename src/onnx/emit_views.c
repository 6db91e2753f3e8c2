/* Another shape or order of the same elements: where it can be, of the same memory. */
#include "onnx/builder.h"

#include <string.h>

/* ---- For attention --------------------------------------------------------------------------------
 */

/* Heads are cut out of one array, turned and multiplied. The products take them where they are, by their steps
 * (emit_attention.c): nothing is moved on the way there. */

enum { WAY_MOST = 8, SPLIT_MOST = 8 };

static bool is_on_the_way(const f0t_onnx_item *item)
{
    static const char *const ops[] = {"Transpose", "Reshape", "Squeeze", "Unsqueeze", "Gather"};
    for (size_t k = 0; k < sizeof ops / sizeof *ops; k++)
        if (f0t_onnx_item_is(item, ops[k]))
            return item->node->output_count == 1;
    return false;
}

/* Whether a product is all that becomes of `value`, whose elements are but seen otherwise before. */
static bool goes_to_product(const f0t_onnx_builder *b, size_t value, bool split)
{
    for (size_t k = 0; k < WAY_MOST; k++) {
        const f0t_onnx_item *next = f0t_onnx_builder_only_user(b, value);
        if (!next || next->kind != F0T_ONNX_ITEM_NODE || next->node->inputs[0] == F0T_NONE)
            return false;
        if (f0t_onnx_item_is(next, "MatMul"))
            return !f0t_onnx_builder_is_constant(b, next->node->inputs[0]) &&
                   !f0t_onnx_builder_is_constant(b, next->node->inputs[1]);
        if (split && f0t_onnx_item_is(next, "Split") && next->node->output_count <= SPLIT_MOST) {
            for (size_t j = 0; j < next->node->output_count; j++)
                if (!goes_to_product(b, next->node->outputs[j], false))
                    return false;
            return true;
        }
        if (!is_on_the_way(next) || next->node->inputs[0] != value)
            return false;
        value = next->node->outputs[0];
    }
    return false;
}

/* Steps between the elements of `in`, where what is made of it should but be seen otherwise. */
static bool seen_by_steps(size_t *strides, const f0t_onnx_builder *b, size_t in, size_t out)
{
    return f0t_onnx_builder_array(b, in)->type == F0T_ONNX_FLOAT &&
           f0t_onnx_builder_array(b, in)->count && f0t_onnx_builder_array(b, in)->rank &&
           f0t_onnx_builder_array(b, out)->count && f0t_onnx_builder_array(b, out)->rank &&
           goes_to_product(b, out, true) && f0t_onnx_builder_steps(strides, b, in);
}

/* Says that `out` lies in the memory of `in` from element `begin` on. */
static f0t_status see(f0t_onnx_builder *b, size_t in, size_t out, const size_t *strides,
                      size_t begin)
{
    const f0t_onnx_array *y = f0t_onnx_builder_array(b, out);
    f0t_layout *layout;
    size_t slot = b->places[in].slot, reach = 1;
    for (size_t d = 0; d < y->rank; d++)
        reach += (y->dims[d] - 1) * strides[d];
    F0T_TRY(f0t_layout_create_strided(&layout, y->rank, y->dims, strides, F0T_F32));
    f0t_status status = F0T_OK;
    if (begin)
        status = f0t_onnx_builder_window_of(&slot, b, slot, begin * sizeof(float),
                                            reach * sizeof(float), f0t_layout_bytes(layout));
    if (status == F0T_OK)
        status = f0t_onnx_builder_place(b, out, slot, layout);
    f0t_layout_free(layout);
    return status;
}

f0t_status f0t_emit_split(f0t_onnx_builder *b, const f0t_onnx_item *item, bool *done)
{
    const f0t_onnx_node *node = item->node;
    const f0t_onnx_array *x = f0t_onnx_builder_array(b, node->inputs[0]);
    f0t_op_call call = {.node = node, .op = node->op};
    size_t strides[F0T_ONNX_RANK], axis, begin = 0;
    if (f0t_onnx_builder_is_constant(b, node->inputs[0]) || node->output_count > SPLIT_MOST)
        return F0T_OK;
    for (size_t k = 0; k < node->output_count; k++)
        if (!seen_by_steps(strides, b, node->inputs[0], node->outputs[k]))
            return F0T_OK;
    F0T_TRY(f0t_op_axis(&axis, f0t_op_int(&call, "axis", 0), x->rank));
    *done = true;
    for (size_t k = 0; k < node->output_count; k++) {
        F0T_TRY(see(b, node->inputs[0], node->outputs[k], strides, begin));
        begin += f0t_onnx_builder_array(b, node->outputs[k])->dims[axis] * strides[axis];
    }
    return F0T_OK;
}

/* One index that is known. */
f0t_status f0t_emit_gather(f0t_onnx_builder *b, const f0t_onnx_item *item, bool *done)
{
    const f0t_onnx_node *node = item->node;
    const f0t_onnx_array *x = f0t_onnx_builder_array(b, node->inputs[0]),
                         *at = f0t_onnx_builder_array(b, node->inputs[1]);
    f0t_op_call call = {.node = node, .op = node->op};
    size_t strides[F0T_ONNX_RANK], axis;
    if (f0t_onnx_builder_is_constant(b, node->inputs[0]) || at->rank || !at->i ||
        !seen_by_steps(strides, b, node->inputs[0], node->outputs[0]))
        return F0T_OK;
    F0T_TRY(f0t_op_axis(&axis, f0t_op_int(&call, "axis", 0), x->rank));
    const int64_t size = (int64_t)x->dims[axis], k = at->i[0] < 0 ? at->i[0] + size : at->i[0];
    if (k < 0 || k >= size)
        return F0T_OK;
    const size_t begin = (size_t)k * strides[axis];
    memmove(&strides[axis], &strides[axis + 1], (x->rank - axis - 1) * sizeof *strides);
    *done = true;
    return see(b, node->inputs[0], node->outputs[0], strides, begin);
}

/* Steps of the same elements in a shape that has other dimensions of size 1 alone. */
static bool move_ones(size_t *to, const f0t_onnx_array *y, const size_t *from,
                      const f0t_onnx_array *x)
{
    size_t d = 0;
    for (size_t e = 0; e < y->rank; e++) {
        to[e] = 1;
        if (y->dims[e] == 1)
            continue;
        while (d < x->rank && x->dims[d] == 1)
            d++;
        if (d == x->rank || x->dims[d] != y->dims[e])
            return false;
        to[e] = from[d++];
    }
    while (d < x->rank && x->dims[d] == 1)
        d++;
    return d == x->rank;
}

/* ---- Views: another shape of the same memory ------------------------------------------------------
 */

/* Exporters write a Pad by nothing before pooling. */
static bool pads(const f0t_onnx_builder *b, const f0t_onnx_item *item)
{
    f0t_op_call call = {.node = item->node, .op = item->node->op};
    size_t count;
    const int64_t *list =
        f0t_op_ints(&count, &call, f0t_op_has(&call, "paddings") ? "paddings" : "pads");
    if (!f0t_onnx_item_is(item, "Pad"))
        return false;
    if (item->node->input_count > 1 && item->node->inputs[1] != F0T_NONE) {
        list = f0t_onnx_builder_array(b, item->node->inputs[1])->i;
        count = f0t_onnx_builder_array(b, item->node->inputs[1])->count;
    }
    for (size_t k = 0; list && k < count; k++)
        if (list[k])
            return true;
    return !list;
}

f0t_status f0t_emit_view(f0t_onnx_builder *b, const f0t_onnx_item *item, bool *done)
{
    size_t in = item->node->inputs[0], out = item->node->outputs[0], slot;
    size_t from[F0T_ONNX_RANK], strides[F0T_ONNX_RANK];
    if (item->node->output_count > 1 || f0t_onnx_builder_is_constant(b, in) || pads(b, item))
        return F0T_OK;
    *done = true;
    if (b->places[in].eight)
        return f0t_emit_eight_view(b, in, out);
    if (f0t_onnx_array_same_shape(f0t_onnx_builder_array(b, in), f0t_onnx_builder_array(b, out)))
        return f0t_onnx_builder_place(b, out, b->places[in].slot, b->places[in].layout);
    if (b->places[in].layout && seen_by_steps(from, b, in, out) &&
        move_ones(strides, f0t_onnx_builder_array(b, out), from, f0t_onnx_builder_array(b, in)))
        return see(b, in, out, strides, 0);
    F0T_TRY(f0t_onnx_builder_need_plain(&slot, b, in));
    return f0t_onnx_builder_place(b, out, slot, NULL);
}

/* ---- Transpose ------------------------------------------------------------------------------------
 */

f0t_status f0t_onnx_builder_seen_as(f0t_layout **out, const f0t_onnx_array *value,
                                    const f0t_onnx_array *other, const size_t *from)
{
    size_t strides[F0T_ONNX_RANK] = {0}, plain[F0T_ONNX_RANK] = {0}, stride = 1;
    for (size_t d = other->rank; d-- > 0;) {
        plain[d] = stride;
        stride *= other->dims[d];
    }
    for (size_t d = 0; d < value->rank; d++)
        strides[d] = plain[from[d]];
    return f0t_layout_create_strided(out, value->rank, value->dims, strides, F0T_F32);
}

void f0t_onnx_builder_order(size_t *order, size_t *back, const f0t_onnx_item *item, size_t rank)
{
    f0t_op_call call = {.node = item->node, .op = item->node->op};
    size_t count;
    const int64_t *perm = f0t_op_ints(&count, &call, "perm");
    for (size_t d = 0; d < rank; d++)
        order[d] = perm ? (size_t)perm[d] : rank - 1 - d;
    for (size_t d = 0; d < rank; d++)
        back[order[d]] = d;
}

/* A value that lies in blocks is rewritten as the result wants it; a plain one for which channels come
 * last (as between the blocks of ConvNeXt) is only seen otherwise. */
f0t_status f0t_emit_transpose(f0t_onnx_builder *b, const f0t_onnx_item *item, bool *done)
{
    size_t in = item->node->inputs[0], out = item->node->outputs[0], slot;
    const f0t_onnx_array *x = f0t_onnx_builder_array(b, in), *y = f0t_onnx_builder_array(b, out);
    size_t order[F0T_ONNX_RANK] = {0}, back[F0T_ONNX_RANK] = {0};
    size_t from[F0T_ONNX_RANK], strides[F0T_ONNX_RANK];
    f0t_layout *layout;
    if (x->type != F0T_ONNX_FLOAT || x->rank < 2 || f0t_onnx_builder_is_constant(b, in))
        return F0T_OK;
    *done = true;
    f0t_onnx_builder_order(order, back, item, x->rank);
    if (seen_by_steps(from, b, in, out)) {
        for (size_t d = 0; d < x->rank; d++)
            strides[d] = from[order[d]];
        return see(b, in, out, strides, 0);
    }
    bool to_channels_first = x->rank == 4 && order[1] == 3 && order[2] == 1 && order[3] == 2;
    if (to_channels_first && !b->places[in].layout) {
        F0T_TRY(f0t_onnx_builder_seen_as(&layout, y, x, order));
        slot = b->places[in].slot;
        f0t_status status = f0t_onnx_builder_place(b, out, slot, layout);
        f0t_layout_free(layout);
        return status;
    }
    F0T_TRY(f0t_onnx_builder_seen_as(&layout, x, y, back));
    f0t_status status = f0t_onnx_builder_need_layout(&slot, b, in, layout);
    f0t_layout_free(layout);
    F0T_TRY(status);
    return f0t_onnx_builder_place(b, out, slot, NULL);
}
