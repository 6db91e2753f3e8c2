/*
 * Attention: softmax(scale · Q·Kᵀ)·V of each head in one step. The products of a head stay in the cache of the core
 * that makes them, and heads are read and written where they are in the arrays of all heads, by their steps.
 */
#include "onnx/builder.h"

#include "base/alloc.h"
#include "base/kernels.h"
#include "base/size.h"
#include "base/team.h"
#include "math/attention.h"
#include "math/matmul.h"

#include <math.h>

enum { Q, K, V, RESULT, SIDES };
enum { OUTER = 2 }; /* dimensions before the matrices, at most */

/* A matrix for each of the outer indices. */
typedef struct side {
    size_t steps[OUTER];
    size_t row;      /* between its rows, whose elements lie beside each other */
    bool transposed; /* its columns do */
} side;

typedef struct f0t_onnx_attention {
    side sides[SIDES];
    size_t outer[OUTER];
    size_t m, n, inner, width; /* Q is m x inner, K inner x n, V n x width */
    size_t rows;               /* of Q that a thread takes at a time */
    size_t room;               /* floats that it needs for them */
    float scale;
} attention;

/* ---- Running ------------------------------------------------------------------------------------
 */

static size_t begins_at(const attention *a, size_t which, size_t head)
{
    const side *s = &a->sides[which];
    return head / a->outer[1] * s->steps[0] + head % a->outer[1] * s->steps[1];
}

static f0t_attention native_form(const attention *a, size_t rows)
{
    return (f0t_attention){.m = rows,
                           .n = a->n,
                           .inner = a->inner,
                           .width = a->width,
                           .q_row = a->sides[Q].row,
                           .k_row = a->sides[K].row,
                           .v_row = a->sides[V].row,
                           .result_row = a->sides[RESULT].row,
                           .k_transposed = a->sides[K].transposed,
                           .scale = a->scale};
}

/* Some rows of a head by a kernel of our own. */
static void run_native(const attention *a, const float *const *in, float *out, float *room,
                       size_t head, size_t from, size_t rows)
{
    const f0t_attention h = native_form(a, rows);
    f0t_attention_run(out + begins_at(a, RESULT, head) + from * a->sides[RESULT].row,
                      in[Q] + begins_at(a, Q, head) + from * a->sides[Q].row,
                      in[K] + begins_at(a, K, head), in[V] + begins_at(a, V, head), &h, room);
}

/* Some rows of a head: all, unless there are more threads than heads. */
static f0t_status run_rows(const attention *a, const float *const *in, float *out, float *weights,
                           size_t head, size_t from)
{
    const size_t rows = a->m - from < a->rows ? a->m - from : a->rows;
    if (f0t_attention_native()) {
        run_native(a, in, out, weights, head, from, rows);
        return F0T_OK;
    }
    const f0t_matmul_strided first = {.m = rows,
                                      .n = a->n,
                                      .k = a->inner,
                                      .a_row = a->sides[Q].row,
                                      .b_row = a->sides[K].row,
                                      .c_row = a->n,
                                      .b_transposed = a->sides[K].transposed,
                                      .alpha = a->scale},
                             second = {.m = rows,
                                       .n = a->width,
                                       .k = a->n,
                                       .a_row = a->n,
                                       .b_row = a->sides[V].row,
                                       .c_row = a->sides[RESULT].row,
                                       .alpha = 1};
    F0T_TRY(f0t_matmul_run_strided(weights, in[Q] + begins_at(a, Q, head) + from * a->sides[Q].row,
                                   in[K] + begins_at(a, K, head), &first));
    for (size_t r = 0; r < rows; r++)
        f0t_kernels()->row_softmax(weights + r * a->n, weights + r * a->n, a->n);
    return f0t_matmul_run_strided(out + begins_at(a, RESULT, head) + from * a->sides[RESULT].row,
                                  weights, in[V] + begins_at(a, V, head), &second);
}

static f0t_status run(const f0t_onnx_step *step, const f0t_onnx_frame *frame)
{
    const attention *a = step->attention;
    const size_t parts = (a->m + a->rows - 1) / a->rows;
    const int64_t all = (int64_t)(a->outer[0] * a->outer[1] * parts);
    const int threads =
        f0t_team_size() < frame->schedule->threads ? f0t_team_size() : frame->schedule->threads;
    const float *in[3];
    float *out = f0t_onnx_frame_at(frame, step->results[0]),
          *scratch = f0t_onnx_frame_scratch(frame, step);
    f0t_failure failure = {.status = F0T_OK};
    (void)threads;
    for (size_t k = 0; k < 3; k++)
        in[k] = f0t_onnx_frame_at(frame, step->sources[k]);
#pragma omp parallel for num_threads(threads)
    for (int64_t i = 0; i < all; i++)
        f0t_failure_keep_first(&failure,
                               run_rows(a, in, out, scratch + (size_t)f0t_team_member() * a->room,
                                        (size_t)i / parts, (size_t)i % parts * a->rows));
    return f0t_failure_raise(&failure);
}

/* ---- Finding it ---------------------------------------------------------------------------------
 */

/* The items of one attention, and the values that it takes and makes. */
typedef struct found {
    const f0t_onnx_item *scale, *softmax, *second; /* scale may be NULL */
    size_t values[SIDES];
    float factor;
} found;

/* A factor that is one number. */
static bool read_scale(found *f, f0t_onnx_builder *b, const f0t_onnx_item *item, size_t value)
{
    const bool div = f0t_onnx_item_is(item, "Div");
    if (!div && !f0t_onnx_item_is(item, "Mul"))
        return false;
    const size_t *in = item->node->inputs, other = in[0] == value ? in[1] : in[0];
    if ((div && in[0] != value) || !f0t_onnx_builder_is_constant(b, other) ||
        f0t_onnx_builder_array(b, other)->count != 1 ||
        f0t_onnx_fold_decode(&b->schedule->fold, other) != F0T_OK ||
        !f0t_onnx_builder_array(b, other)->f ||
        !f0t_onnx_array_same_shape(f0t_onnx_builder_array(b, value),
                                   f0t_onnx_builder_array(b, item->node->outputs[0])))
        return false;
    const float number = f0t_onnx_builder_array(b, other)->f[0];
    f->factor = div ? 1 / number : number;
    f->scale = item;
    return isfinite(f->factor);
}

static bool is_array(const f0t_onnx_builder *b, size_t value)
{
    return !f0t_onnx_builder_is_constant(b, value) && b->places[value].made &&
           f0t_onnx_builder_array(b, value)->type == F0T_ONNX_FLOAT &&
           f0t_onnx_builder_array(b, value)->count;
}

/* Ranks and outer dimensions are the same, and not many. */
static bool fit(const f0t_onnx_builder *b, const found *f)
{
    const f0t_onnx_array *q = f0t_onnx_builder_array(b, f->values[Q]);
    if (q->rank < 3 || q->rank > 2 + OUTER)
        return false;
    for (size_t k = K; k <= V; k++) {
        const f0t_onnx_array *x = f0t_onnx_builder_array(b, f->values[k]);
        if (x->rank != q->rank)
            return false;
        for (size_t d = 0; d < q->rank - 2; d++)
            if (x->dims[d] != q->dims[d])
                return false;
    }
    return true;
}

static bool find(found *f, f0t_onnx_builder *b, const f0t_onnx_item *item)
{
    *f = (found){.values = {item->node->inputs[0], item->node->inputs[1]}, .factor = 1};
    size_t value = item->node->outputs[0];
    const f0t_onnx_item *next = f0t_onnx_builder_only_user(b, value);
    if (next && read_scale(f, b, next, value)) {
        value = next->node->outputs[0];
        next = f0t_onnx_builder_only_user(b, value);
    }
    if (!next || !f0t_onnx_builder_is_softmax(b, next))
        return false;
    f->softmax = next;
    value = next->node->outputs[0];
    f->second = f0t_onnx_builder_only_user(b, value);
    if (!f->second || !f0t_onnx_item_is(f->second, "MatMul") || f->second->node->inputs[0] != value)
        return false;
    f->values[V] = f->second->node->inputs[1];
    f->values[RESULT] = f->second->node->outputs[0];
    return is_array(b, f->values[Q]) && is_array(b, f->values[K]) && is_array(b, f->values[V]) &&
           fit(b, f);
}

/* ---- Emitting -----------------------------------------------------------------------------------
 */

/* False where its rows do not lie as a product takes them. */
static bool set_side(attention *a, size_t which, const f0t_onnx_array *x, const size_t *strides)
{
    side *s = &a->sides[which];
    const size_t r = x->rank, rows = x->dims[r - 2], columns = x->dims[r - 1];
    for (size_t d = 0; d < r - 2; d++)
        s->steps[OUTER - (r - 2) + d] = strides[d];
    s->transposed = which == K && strides[r - 2] == 1 && strides[r - 1] >= rows;
    s->row = s->transposed ? strides[r - 1] : strides[r - 2];
    return s->transposed || (strides[r - 1] == 1 && s->row >= columns);
}

static f0t_status take_side(attention *a, f0t_onnx_builder *b, size_t which, size_t value,
                            size_t *slot)
{
    const f0t_onnx_array *x = f0t_onnx_builder_array(b, value);
    size_t strides[F0T_ONNX_RANK], step = 1;
    *slot = b->places[value].slot;
    if (f0t_onnx_builder_steps(strides, b, value) && set_side(a, which, x, strides))
        return F0T_OK;
    for (size_t d = x->rank; d-- > 0;) {
        strides[d] = step;
        step *= x->dims[d];
    }
    set_side(a, which, x, strides);
    return f0t_onnx_builder_need_plain(slot, b, value);
}

/* As the Transpose that follows wants it, where there is one that keeps rows; else plain. */
static f0t_status place_result(attention *a, f0t_onnx_builder *b, size_t value, size_t *slot)
{
    const f0t_onnx_array *z = f0t_onnx_builder_array(b, value);
    const f0t_onnx_item *next = f0t_onnx_builder_only_user(b, value);
    size_t order[F0T_ONNX_RANK] = {0}, back[F0T_ONNX_RANK] = {0}, strides[F0T_ONNX_RANK];
    f0t_layout *layout;
    for (size_t d = 0; d < z->rank; d++)
        back[d] = d;
    const f0t_onnx_array *seen = z;
    if (next && f0t_onnx_item_is(next, "Transpose")) {
        f0t_onnx_builder_order(order, back, next, z->rank);
        seen = f0t_onnx_builder_array(b, next->node->outputs[0]);
    }
    F0T_TRY(f0t_onnx_builder_seen_as(&layout, z, seen, back));
    if (!f0t_layout_strides(strides, layout) || !set_side(a, RESULT, z, strides)) {
        f0t_layout_free(layout);
        for (size_t d = 0; d < z->rank; d++)
            back[d] = d;
        F0T_TRY(f0t_onnx_builder_seen_as(&layout, z, z, back));
        f0t_layout_strides(strides, layout);
        set_side(a, RESULT, z, strides);
    }
    f0t_status status = f0t_onnx_builder_slot(slot, b, f0t_layout_bytes(layout));
    if (status == F0T_OK)
        status = f0t_onnx_builder_place(b, value, *slot, layout);
    f0t_layout_free(layout);
    return status;
}

/* Each thread takes a head, or, where these are fewer, a part of one: the weights of all threads are at most those of
 * all heads. */
static void divide(attention *a, size_t threads)
{
    const size_t heads = a->outer[0] * a->outer[1];
    const size_t parts = heads < threads ? (threads + heads - 1) / heads : 1;
    a->rows = (a->m + parts - 1) / parts;
}

static f0t_status need_scratch(size_t *bytes, const f0t_onnx_builder *b, attention *a)
{
    const f0t_attention h = native_form(a, a->rows);
    a->room = f0t_attention_native() ? f0t_attention_room(&h) : a->rows * a->n;
    if (!a->room || !f0t_size_mul(bytes, a->room * sizeof(float), (size_t)b->schedule->threads))
        return f0t_fail(F0T_ERROR_MEMORY, "attention is larger than memory");
    return F0T_OK;
}

static void finish(f0t_onnx_builder *b, const found *f)
{
    const f0t_onnx_item *parts[] = {f->scale, f->softmax, f->second};
    for (size_t k = 0; k < 3; k++)
        if (parts[k]) {
            f0t_onnx_builder_consume(b, parts[k]);
            b->done[parts[k] - b->items.list] = true;
        }
}

static f0t_status emit(f0t_onnx_builder *b, const f0t_onnx_item *item, const found *f, attention *a)
{
    size_t slots[SIDES], room = 0;
    f0t_onnx_step *step;
    for (size_t k = Q; k <= V; k++)
        F0T_TRY(take_side(a, b, k, f->values[k], &slots[k]));
    F0T_TRY(place_result(a, b, f->values[RESULT], &slots[RESULT]));
    F0T_TRY(need_scratch(&room, b, a));
    F0T_TRY(f0t_onnx_builder_step(&step, b, run, item->node, 3, 1));
    F0T_TRY(f0t_alloc(&step->attention, 1, sizeof *step->attention));
    *step->attention = *a;
    step->room = room;
    for (size_t k = Q; k <= V; k++)
        step->sources[k] = slots[k];
    step->results[0] = slots[RESULT];
    f0t_onnx_builder_used(b);
    finish(b, f);
    return F0T_OK;
}

f0t_status f0t_emit_attention(f0t_onnx_builder *b, const f0t_onnx_item *item, bool *done)
{
    found f;
    if (!find(&f, b, item))
        return F0T_OK;
    const f0t_onnx_array *q = f0t_onnx_builder_array(b, f.values[Q]),
                         *k = f0t_onnx_builder_array(b, f.values[K]),
                         *v = f0t_onnx_builder_array(b, f.values[V]);
    attention a = {.m = q->dims[q->rank - 2],
                   .n = k->dims[q->rank - 1],
                   .inner = q->dims[q->rank - 1],
                   .width = v->dims[q->rank - 1],
                   .outer = {1, 1},
                   .scale = f.factor};
    for (size_t d = 0; d < q->rank - 2; d++)
        a.outer[OUTER - (q->rank - 2) + d] = q->dims[d];
    divide(&a, (size_t)b->schedule->threads);
    *done = true;
    if (f.scale)
        F0T_TRY(f0t_onnx_builder_charge(b, f.scale));
    F0T_TRY(f0t_onnx_builder_charge(b, f.softmax));
    F0T_TRY(f0t_onnx_builder_charge(b, f.second));
    return emit(b, item, &f, &a);
}
