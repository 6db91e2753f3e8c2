#include "onnx/builder.h"

#include "base/alloc.h"

/* ---- Steps --------------------------------------------------------------------------------------
 */

f0t_status f0t_onnx_builder_step(f0t_onnx_step **out, f0t_onnx_builder *b, f0t_onnx_step_run run,
                                 const f0t_onnx_node *node, size_t sources, size_t results)
{
    f0t_onnx_schedule *s = b->schedule;
    F0T_TRY(f0t_grow(&s->steps, &b->step_capacity, s->step_count, 1, sizeof *s->steps));
    f0t_onnx_step *step = &s->steps[s->step_count++];
    *step = (f0t_onnx_step){.run = run, .node = node, .scratch = F0T_NONE};
    F0T_TRY(f0t_alloc(&step->sources, sources, sizeof *step->sources));
    F0T_TRY(f0t_alloc(&step->results, results, sizeof *step->results));
    for (size_t k = 0; k < sources; k++)
        step->sources[k] = F0T_NONE;
    for (size_t k = 0; k < results; k++)
        step->results[k] = F0T_NONE;
    step->source_count = sources;
    step->result_count = results;
    *out = step;
    return F0T_OK;
}

static void mark(f0t_onnx_schedule *s, size_t slot)
{
    if (slot == F0T_NONE)
        return;
    f0t_onnx_slot *at = &s->slots[slot];
    at->last = s->step_count - 1;
    at->first = at->first == F0T_NONE ? at->last : at->first;
}

void f0t_onnx_builder_used(f0t_onnx_builder *b)
{
    f0t_onnx_schedule *s = b->schedule;
    f0t_onnx_step *step = &s->steps[s->step_count - 1];
    for (size_t k = 0; k < step->source_count; k++)
        mark(s, step->sources[k]);
    for (size_t k = 0; k < step->result_count; k++)
        mark(s, step->results[k]);
    if (step->layer)
        step->room = f0t_layer_scratch(step->layer);
}

f0t_status f0t_onnx_step_run_layer(const f0t_onnx_step *step, const f0t_onnx_frame *frame)
{
    enum { FEW = 8 };
    const void *few[FEW], **sources = few;
    if (step->source_count > FEW)
        F0T_TRY(f0t_alloc(&sources, step->source_count, sizeof *sources));
    for (size_t k = 0; k < step->source_count; k++)
        sources[k] = step->sources[k] == F0T_NONE ? step->constants[0]
                                                  : f0t_onnx_frame_at(frame, step->sources[k]);
    f0t_status status =
        f0t_layer_run(f0t_onnx_frame_at(frame, step->results[0]), step->layer, sources,
                      step->constants, f0t_onnx_frame_scratch(frame, step));
    if (sources != few)
        f0t_free(sources);
    return status;
}

/* ---- Values -------------------------------------------------------------------------------------
 */

bool f0t_onnx_builder_is_constant(const f0t_onnx_builder *b, size_t value)
{
    return value == F0T_NONE || f0t_onnx_fold_is_constant(&b->schedule->fold, value);
}

static f0t_status plain_layout(f0t_layout **out, const f0t_onnx_array *a)
{
    static const size_t one = 1;
    return a->rank ? f0t_layout_create(out, a->rank, a->dims, F0T_F32)
                   : f0t_layout_create(out, 1, &one, F0T_F32);
}

/* A layout that is plain after all is none. */
static f0t_status forget_plain(f0t_onnx_place *place, const f0t_onnx_array *a)
{
    f0t_layout *plain;
    F0T_TRY(plain_layout(&plain, a));
    if (f0t_layout_equal(plain, place->layout)) {
        f0t_layout_free(place->layout);
        place->layout = NULL;
    }
    f0t_layout_free(plain);
    return F0T_OK;
}

/* Count and size were checked for overflow when the array was shaped. */
static size_t plain_bytes(const f0t_onnx_array *a)
{
    return a->count * (f0t_onnx_array_type_is_float(a->type) ? sizeof(float) : sizeof(int64_t));
}

/* Whatever an emitter thought: no value lies in memory that is too small for it. */
static f0t_status check_room(const f0t_onnx_builder *b, size_t value, size_t slot,
                             const f0t_layout *layout)
{
    size_t room = b->schedule->slots[slot].bytes;
    size_t need = layout ? f0t_layout_bytes(layout) : plain_bytes(f0t_onnx_builder_array(b, value));
    return need <= room
               ? F0T_OK
               : f0t_fail(F0T_ERROR_UNSUPPORTED, "%zu bytes do not fit into %zu", need, room);
}

f0t_status f0t_onnx_builder_place(f0t_onnx_builder *b, size_t value, size_t slot,
                                  const f0t_layout *layout)
{
    f0t_onnx_place *place = &b->places[value];
    F0T_TRY(check_room(b, value, slot, layout));
    place->made = true;
    place->slot = slot;
    place->has_plain = false;
    place->grid = (f0t_grid){1, 0};
    b->schedule->slots[slot].pending += b->left[value];
    if (!layout)
        return F0T_OK;
    F0T_TRY(f0t_layout_copy(&place->layout, layout));
    return forget_plain(place, f0t_onnx_builder_array(b, value));
}

f0t_status f0t_onnx_builder_place_eight(f0t_onnx_builder *b, size_t value, size_t slot,
                                        const f0t_layout *layout, f0t_grid grid)
{
    F0T_TRY(f0t_onnx_builder_place(b, value, slot, layout));
    b->places[value].eight = true;
    b->places[value].grid = grid;
    return F0T_OK;
}

f0t_status f0t_onnx_builder_place_plain(size_t *slot, f0t_onnx_builder *b, size_t value)
{
    F0T_TRY(f0t_onnx_builder_slot(slot, b, plain_bytes(f0t_onnx_builder_array(b, value))));
    return f0t_onnx_builder_place(b, value, *slot, NULL);
}

f0t_status f0t_onnx_builder_place_input(f0t_onnx_builder *b, size_t value, size_t input)
{
    size_t slot;
    F0T_TRY(f0t_onnx_builder_slot(&slot, b, plain_bytes(f0t_onnx_builder_array(b, value))));
    b->schedule->slots[slot].input = input;
    return f0t_onnx_builder_place(b, value, slot, NULL);
}

static f0t_status check_made(const f0t_onnx_builder *b, size_t value)
{
    if (b->places[value].made)
        return F0T_OK;
    return f0t_fail(F0T_ERROR_UNSUPPORTED, "'%s' is used in a way that is not known",
                    b->schedule->graph->values[value].name);
}

static f0t_status current_layout(f0t_layout **out, f0t_onnx_builder *b, size_t value)
{
    const f0t_onnx_place *place = &b->places[value];
    *out = NULL;
    F0T_TRY(check_made(b, value));
    return place->layout ? f0t_layout_copy(out, place->layout)
                         : plain_layout(out, f0t_onnx_builder_array(b, value));
}

static const f0t_grid ONES = {1, 0};

static f0t_status emit_reorder(f0t_onnx_builder *b, const f0t_layout *to, size_t result,
                               const f0t_layout *from, size_t source, f0t_grid grid)
{
    f0t_onnx_step *step;
    F0T_TRY(f0t_onnx_builder_step(&step, b, f0t_onnx_step_run_layer, NULL, 1, 1));
    step->sources[0] = source;
    step->results[0] = result;
    F0T_TRY(f0t_layer_create_regrid(&step->layer, to, ONES, from, grid));
    f0t_onnx_builder_used(b);
    return F0T_OK;
}

static bool is_eight(const f0t_layout *layout)
{
    return f0t_layout_type(layout) == F0T_U8 || f0t_layout_type(layout) == F0T_I8;
}

static f0t_status rewrite(f0t_onnx_builder *b, size_t value, const f0t_layout *to, size_t *slot)
{
    f0t_layout *from;
    F0T_TRY(current_layout(&from, b, value));
    const f0t_grid grid = is_eight(to) ? ONES : b->places[value].grid;
    f0t_status status = F0T_OK;
    if (f0t_layout_equal(from, to)) {
        *slot = b->places[value].slot;
    } else {
        status = f0t_onnx_builder_slot(slot, b, f0t_layout_bytes(to));
        if (status == F0T_OK)
            status = emit_reorder(b, to, *slot, from, b->places[value].slot, grid);
    }
    f0t_layout_free(from);
    return status;
}

/* The value is in memory of its own from now on, no longer on a grid, in this layout, which is taken. */
static f0t_status move(f0t_onnx_builder *b, size_t value, f0t_layout *layout)
{
    f0t_onnx_place *place = &b->places[value];
    size_t slot;
    f0t_status status = rewrite(b, value, layout, &slot);
    if (status != F0T_OK) {
        f0t_layout_free(layout);
        return status;
    }
    b->schedule->slots[place->slot].pending -= b->left[value];
    b->schedule->slots[slot].pending += b->left[value];
    f0t_layout_free(place->layout);
    place->slot = slot;
    place->layout = layout;
    place->eight = false;
    place->grid = ONES;
    return forget_plain(place, f0t_onnx_builder_array(b, value));
}

f0t_status f0t_onnx_builder_move(size_t *slot, f0t_onnx_builder *b, size_t value,
                                 const f0t_layout *layout)
{
    const f0t_onnx_place *place = &b->places[value];
    f0t_layout *copy;
    F0T_TRY(check_made(b, value));
    if (place->layout && f0t_layout_type(place->layout) == f0t_layout_type(layout) &&
        !b->schedule->slots[place->slot].shared && !f0t_layout_equal(place->layout, layout)) {
        F0T_TRY(f0t_layout_copy(&copy, layout));
        F0T_TRY(move(b, value, copy));
    }
    return rewrite(b, value, layout, slot);
}

f0t_status f0t_onnx_builder_layout(f0t_layout **out, f0t_onnx_builder *b, size_t value)
{
    if (b->places[value].eight) {
        f0t_layout *wide;
        F0T_TRY(f0t_layout_copy_as(&wide, b->places[value].layout, F0T_F32));
        F0T_TRY(move(b, value, wide));
    }
    return current_layout(out, b, value);
}

/* Integers are int64 where they are plain: in row-major order, then one by one. */
static f0t_status run_integers(const f0t_onnx_step *step, const f0t_onnx_frame *frame)
{
    const unsigned char *from = f0t_onnx_frame_at(frame, step->sources[0]);
    int64_t *to = f0t_onnx_frame_at(frame, step->results[0]);
    for (size_t k = 0; k < step->columns; k++)
        to[k] = f0t_onnx_array_wrap(step->type, from[k]);
    return F0T_OK;
}

static f0t_status need_integers(size_t *slot, f0t_onnx_builder *b, size_t value)
{
    static const size_t one = 1;
    const f0t_onnx_array *a = f0t_onnx_builder_array(b, value);
    f0t_layout *rows;
    f0t_onnx_step *step;
    size_t source;
    F0T_TRY(f0t_layout_create(&rows, a->rank ? a->rank : 1, a->rank ? a->dims : &one,
                              f0t_layout_type(b->places[value].layout)));
    f0t_status status = rewrite(b, value, rows, &source);
    f0t_layout_free(rows);
    F0T_TRY(status);
    F0T_TRY(f0t_onnx_builder_slot(slot, b, plain_bytes(a)));
    F0T_TRY(f0t_onnx_builder_step(&step, b, run_integers, NULL, 1, 1));
    step->sources[0] = source;
    step->results[0] = *slot;
    step->columns = a->count;
    step->type = a->type;
    f0t_onnx_builder_used(b);
    return F0T_OK;
}

f0t_status f0t_onnx_builder_need_layout(size_t *slot, f0t_onnx_builder *b, size_t value,
                                        const f0t_layout *layout)
{
    return rewrite(b, value, layout, slot);
}

f0t_status f0t_onnx_builder_need_plain(size_t *slot, f0t_onnx_builder *b, size_t value)
{
    f0t_onnx_place *place = &b->places[value];
    f0t_layout *plain;
    F0T_TRY(check_made(b, value));
    if (!place->layout || place->has_plain) {
        *slot = place->layout ? place->plain : place->slot;
        return F0T_OK;
    }
    if (place->eight && !f0t_onnx_array_type_is_float(f0t_onnx_builder_array(b, value)->type)) {
        F0T_TRY(need_integers(slot, b, value));
    } else {
        F0T_TRY(plain_layout(&plain, f0t_onnx_builder_array(b, value)));
        f0t_status status = rewrite(b, value, plain, slot);
        f0t_layout_free(plain);
        F0T_TRY(status);
    }
    if (*slot != place->slot) {
        b->schedule->slots[*slot].pending = b->left[value];
        place->plain = *slot;
        place->has_plain = true;
    }
    return F0T_OK;
}

bool f0t_onnx_builder_steps(size_t *strides, const f0t_onnx_builder *b, size_t value)
{
    const f0t_onnx_place *place = &b->places[value];
    const f0t_onnx_array *a = f0t_onnx_builder_array(b, value);
    size_t stride = 1;
    if (!place->made || place->eight || a->type != F0T_ONNX_FLOAT ||
        b->schedule->slots[place->slot].input != F0T_NONE)
        return false;
    if (place->layout)
        return f0t_layout_type(place->layout) == F0T_F32 &&
               f0t_layout_strides(strides, place->layout);
    for (size_t d = a->rank; d-- > 0;) {
        strides[d] = stride;
        stride *= a->dims[d];
    }
    return true;
}

bool f0t_onnx_builder_is_last(const f0t_onnx_builder *b, size_t value)
{
    const f0t_onnx_place *place = &b->places[value];
    const f0t_onnx_slot *slot = &b->schedule->slots[place->slot];
    return slot->input == F0T_NONE && slot->pending == 1 && !slot->shared;
}

static void consume(f0t_onnx_builder *b, size_t value)
{
    if (f0t_onnx_builder_is_constant(b, value))
        return;
    const f0t_onnx_place *place = &b->places[value];
    b->left[value]--;
    if (!place->made)
        return;
    b->schedule->slots[place->slot].pending--;
    if (place->has_plain)
        b->schedule->slots[place->plain].pending--;
}

void f0t_onnx_builder_consume(f0t_onnx_builder *b, const f0t_onnx_item *item)
{
    for (size_t k = 0; k < f0t_onnx_item_input_count(item); k++)
        consume(b, f0t_onnx_item_input(item, k));
}

f0t_onnx_item *f0t_onnx_builder_only_user(const f0t_onnx_builder *b, size_t value)
{
    size_t n = b->items.user[value];
    if (b->items.uses[value] != 1 || n == F0T_NONE || b->done[n])
        return NULL;
    return &b->items.list[n];
}
