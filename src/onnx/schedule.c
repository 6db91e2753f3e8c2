#include "onnx/builder.h"

#include "base/alloc.h"
#include "base/size.h"
#include "base/team.h"
#include "math/workspace.h"

#include <string.h>

/* ---- Making it ------------------------------------------------------------------------------------
 */

static bool has_empty(const f0t_onnx_builder *b, const f0t_onnx_item *item)
{
    for (size_t k = 0; k < f0t_onnx_item_input_count(item); k++) {
        size_t v = f0t_onnx_item_input(item, k);
        if (v != F0T_NONE && !f0t_onnx_builder_array(b, v)->count)
            return true;
    }
    return !f0t_onnx_builder_array(b, f0t_onnx_item_output(item))->count;
}

static f0t_status emit_node(f0t_onnx_builder *b, size_t n, bool *done)
{
    static const struct {
        const char *op;
        f0t_status (*emit)(f0t_onnx_builder *b, const f0t_onnx_item *item, bool *done);
        f0t_status (*emit_chain)(f0t_onnx_builder *b, size_t item, bool *done);
    } emitters[] = {
        {"Conv", NULL, f0t_emit_conv},
        {"MaxPool", f0t_emit_pool, NULL},
        {"AveragePool", f0t_emit_pool, NULL},
        {"GlobalAveragePool", f0t_emit_pool, NULL},
        {"GlobalMaxPool", f0t_emit_pool, NULL},
        {"Add", NULL, f0t_emit_binary},
        {"Sub", NULL, f0t_emit_binary},
        {"Mul", NULL, f0t_emit_binary},
        {"Div", NULL, f0t_emit_binary},
        {"Concat", f0t_emit_concat, NULL},
        {"BatchNormalization", NULL, f0t_emit_batch_norm},
        {"Gemm", NULL, f0t_emit_gemm},
        {"MatMul", NULL, f0t_emit_matmul},
        {"Reshape", f0t_emit_view, NULL},
        {"Flatten", f0t_emit_view, NULL},
        {"Squeeze", f0t_emit_view, NULL},
        {"Unsqueeze", f0t_emit_view, NULL},
        {"Identity", f0t_emit_view, NULL},
        {"Dropout", f0t_emit_view, NULL},
        {"Pad", f0t_emit_view, NULL},
        {"Transpose", f0t_emit_transpose, NULL},
        {"Split", f0t_emit_split, NULL},
        {"Gather", f0t_emit_gather, NULL},
        {"Softmax", f0t_emit_softmax, NULL},
        {"QuantizeLinear", f0t_emit_quantise, NULL},
        {"DequantizeLinear", f0t_emit_dequantise, NULL},
        {"QLinearConv", f0t_emit_qlinear_conv, NULL},
        {"QLinearMatMul", f0t_emit_qlinear_matmul, NULL},
    };
    const f0t_onnx_item *item = &b->items.list[n];
    for (size_t k = 0; k < sizeof emitters / sizeof *emitters; k++)
        if (f0t_onnx_item_is(item, emitters[k].op))
            return emitters[k].emit ? emitters[k].emit(b, item, done)
                                    : emitters[k].emit_chain(b, n, done);
    return F0T_OK;
}

static f0t_status emit_item(f0t_onnx_builder *b, size_t n)
{
    const f0t_onnx_item *item = &b->items.list[n];
    bool done = false;
    if (item->kind == F0T_ONNX_ITEM_ACTIVATION)
        F0T_TRY(f0t_emit_activation(b, item, &done));
    else if (item->kind == F0T_ONNX_ITEM_LAYER_NORM)
        F0T_TRY(f0t_emit_layer_norm(b, item, &done));
    else if (!has_empty(b, item))
        F0T_TRY(emit_node(b, n, &done));
    return done ? F0T_OK : f0t_emit_op(b, item);
}

static f0t_status check_operations(const f0t_onnx_builder *b)
{
    const f0t_onnx_schedule *s = b->schedule;
    double most = f0t_onnx_budget_operations(s->file, s->images);
    if (b->operations <= most)
        return F0T_OK;
    return f0t_fail(
        F0T_ERROR_UNSUPPORTED,
        "a run would take more than %.0f GFLOP, which a file of %zu bytes does not explain",
        most / 1e9, s->file);
}

f0t_status f0t_onnx_builder_charge(f0t_onnx_builder *b, const f0t_onnx_item *item)
{
    enum { PER_ELEMENT = 8, ITEM_STEPS = 100000 };
    const f0t_onnx_schedule *s = b->schedule;
    b->operations += f0t_onnx_fold_operations(&s->fold, item->node);
    for (size_t k = 0; k < f0t_onnx_item_input_count(item); k++)
        if (f0t_onnx_item_input(item, k) != F0T_NONE)
            b->operations += PER_ELEMENT *
                             (double)f0t_onnx_builder_array(b, f0t_onnx_item_input(item, k))->count;
    F0T_TRY(check_operations(b));
    return f0t_onnx_budget_steps(s->fold.budget, ITEM_STEPS);
}

static f0t_status emit_all(f0t_onnx_builder *b)
{
    for (size_t n = 0; n < b->items.count; n++) {
        const f0t_onnx_item *item = &b->items.list[n];
        if (b->done[n] || item->kind == F0T_ONNX_ITEM_GONE)
            continue;
        b->done[n] = true;
        f0t_status status = f0t_onnx_builder_charge(b, item);
        if (status == F0T_OK)
            status = emit_item(b, n);
        F0T_TRY(f0t_onnx_graph_fail_at(b->schedule->graph, item->node, status));
        f0t_onnx_builder_consume(b, item);
    }
    return check_operations(b);
}

static f0t_status place_inputs(f0t_onnx_builder *b)
{
    const f0t_onnx_graph *graph = b->schedule->graph;
    for (size_t k = 0; k < graph->input_count; k++) {
        size_t v = graph->inputs[k].value;
        if (f0t_onnx_builder_is_constant(b, v))
            continue;
        if (!f0t_onnx_array_type_is_float(f0t_onnx_builder_array(b, v)->type) && b->items.uses[v])
            return f0t_fail(F0T_ERROR_UNSUPPORTED, "%s: input '%s' is %s, not float", graph->path,
                            graph->values[v].name,
                            f0t_onnx_array_type_name((int)f0t_onnx_builder_array(b, v)->type));
        F0T_TRY(f0t_onnx_builder_place_input(b, v, k));
    }
    return F0T_OK;
}

/* The outputs must outlive the last step. */
static f0t_status place_outputs(f0t_onnx_builder *b, const f0t_onnx_schedule_options *o)
{
    f0t_onnx_schedule *s = b->schedule;
    for (size_t k = 0; k < o->output_count; k++) {
        size_t v = o->outputs[k];
        s->output_values[k] = v;
        s->outputs[k] = *f0t_onnx_builder_array(b, v);
        s->outputs[k].owned = false;
        s->output_slots[k] = F0T_NONE;
        if (f0t_onnx_builder_is_constant(b, v)) {
            F0T_TRY(f0t_onnx_fold_decode(&s->fold, v));
            continue;
        }
        F0T_TRY(f0t_onnx_builder_need_plain(&s->output_slots[k], b, v));
    }
    for (size_t k = 0; k < o->output_count; k++)
        if (s->output_slots[k] != F0T_NONE)
            s->slots[s->output_slots[k]].last = s->step_count;
    s->output_count = o->output_count;
    return F0T_OK;
}

/* Pictures and results are the caller's memory, of the same order as the arrays between them. */
static f0t_status check_ends(const f0t_onnx_builder *b, const f0t_onnx_schedule_options *o,
                             size_t most)
{
    const f0t_onnx_graph *graph = b->schedule->graph;
    size_t count = 0;
    for (size_t k = 0; k < graph->input_count; k++)
        if (!f0t_size_add(&count, count, f0t_onnx_builder_array(b, graph->inputs[k].value)->count))
            count = SIZE_MAX;
    for (size_t k = 0; k < o->output_count; k++)
        if (!f0t_size_add(&count, count, f0t_onnx_builder_array(b, o->outputs[k])->count))
            count = SIZE_MAX;
    if (count > most / sizeof(float))
        return f0t_fail(F0T_ERROR_UNSUPPORTED,
                        "%s: what it takes and gives are more than %zu MB, which a file of %zu "
                        "bytes does not explain",
                        graph->path, most >> 20, b->schedule->file);
    return F0T_OK;
}

static f0t_status build(f0t_onnx_builder *b, const f0t_onnx_schedule_options *o)
{
    f0t_onnx_schedule *s = b->schedule;
    const f0t_onnx_graph *graph = s->graph;
    const size_t most = f0t_onnx_budget_arena(s->file);
    F0T_TRY(check_ends(b, o, most));
    F0T_TRY(f0t_onnx_items_create(&b->items, &s->fold, o->outputs, o->output_count));
    F0T_TRY(f0t_alloc_zero(&b->places, graph->value_count, sizeof *b->places));
    F0T_TRY(f0t_alloc(&b->left, graph->value_count, sizeof *b->left));
    F0T_TRY(f0t_alloc_zero(&b->done, b->items.count, sizeof *b->done));
    memcpy(b->left, b->items.uses, graph->value_count * sizeof *b->left);
    F0T_TRY(place_inputs(b));
    F0T_TRY(f0t_onnx_builder_find_blocks(b));
    F0T_TRY(emit_all(b));
    F0T_TRY(place_outputs(b, o));
    f0t_status status = f0t_onnx_builder_arrange(&s->arena, b, most);
    return status == F0T_OK ? F0T_OK : f0t_fail_prefix(status, "%s: ", graph->path);
}

static void clear_builder(f0t_onnx_builder *b)
{
    for (size_t v = 0; b->places && v < b->schedule->graph->value_count; v++)
        f0t_layout_free(b->places[v].layout);
    f0t_free(b->places);
    f0t_free(b->left);
    f0t_free(b->done);
    f0t_onnx_items_clear(&b->items);
}

static f0t_status fill(f0t_onnx_schedule *s, f0t_onnx_weights *weights,
                       const f0t_onnx_schedule_options *o)
{
    f0t_onnx_builder b = {.schedule = s, .weights = weights, .type = F0T_F32};
    f0t_onnx_budget budget = f0t_onnx_budget_load(s->file, o->monitor);
    b.bf16 = o->bf16;
    if (o->bf16 && f0t_matmul_bf16_native())
        b.type = F0T_BF16;
    F0T_TRY(f0t_alloc_zero(&s->outputs, o->output_count, sizeof *s->outputs));
    F0T_TRY(f0t_alloc(&s->output_slots, o->output_count, sizeof *s->output_slots));
    F0T_TRY(f0t_alloc(&s->output_values, o->output_count, sizeof *s->output_values));
    F0T_TRY(
        f0t_onnx_fold_create(&s->fold, s->graph, o->inputs, o->outputs, o->output_count, &budget));
    f0t_status status = build(&b, o);
    s->fold.budget = NULL;
    clear_builder(&b);
    return status;
}

f0t_status f0t_onnx_schedule_create(f0t_onnx_schedule **out, const f0t_onnx_graph *graph,
                                    f0t_onnx_weights *weights,
                                    const f0t_onnx_schedule_options *options)
{
    f0t_onnx_schedule *s;
    *out = NULL;
    F0T_TRY(f0t_alloc_zero(&s, 1, sizeof *s));
    s->graph = graph;
    s->images = options->images;
    s->file = f0t_onnx_graph_file_bytes(graph);
    s->threads = f0t_team_size();
    int before = f0t_team_enter();
    f0t_status status = fill(s, weights, options);
    f0t_team_leave(before);
    if (status == F0T_OK)
        status = f0t_onnx_graph_check(graph); /* its weights were read */
    if (status == F0T_OK)
        *out = s;
    else
        f0t_onnx_schedule_free(s);
    return status;
}

static void free_step(f0t_onnx_step *step)
{
    f0t_layer_free(step->layer);
    f0t_free(step->sources);
    f0t_free(step->results);
    f0t_free(step->owned);
    f0t_free(step->inputs);
    f0t_free(step->outputs);
    f0t_free(step->left_out);
    f0t_free(step->attention);
}

void f0t_onnx_schedule_free(f0t_onnx_schedule *s)
{
    if (!s)
        return;
    for (size_t k = 0; k < s->step_count; k++)
        free_step(&s->steps[k]);
    if (s->fold.graph)
        f0t_onnx_fold_clear(&s->fold);
    f0t_free(s->steps);
    f0t_free(s->slots);
    f0t_free(s->outputs);
    f0t_free(s->output_slots);
    f0t_free(s->output_values);
    f0t_free(s);
}

/* ---- Running it -----------------------------------------------------------------------------------
 */

const f0t_onnx_array *f0t_onnx_schedule_output(const f0t_onnx_schedule *schedule, size_t k)
{
    return &schedule->outputs[k];
}

size_t f0t_onnx_schedule_steps(const f0t_onnx_schedule *schedule)
{
    return schedule->step_count;
}

size_t f0t_onnx_schedule_arena(const f0t_onnx_schedule *schedule)
{
    return schedule->arena;
}

size_t f0t_onnx_schedule_arena_most(const f0t_onnx_schedule *schedule)
{
    return f0t_onnx_budget_arena(schedule->file);
}

bool f0t_onnx_schedule_joins(const f0t_onnx_schedule *schedule)
{
    for (size_t k = 0; k < schedule->slot_count; k++)
        if (schedule->slots[k].parent != F0T_NONE)
            return true;
    return false;
}

static size_t dense_bytes(const f0t_onnx_step *step, size_t rows)
{
    if (step->packed)
        return step->product.m == rows ? f0t_packed_bytes(step->packed) : 0;
    return step->layer && f0t_layout_is_matrix(f0t_layer_source(step->layer), rows)
               ? f0t_layout_bytes(f0t_layer_weights(step->layer))
               : 0;
}

size_t f0t_onnx_schedule_dense(const f0t_onnx_schedule *schedule)
{
    const size_t rows = schedule->images ? schedule->images : 1;
    size_t bytes = 0;
    for (size_t k = 0; k < schedule->step_count; k++)
        bytes += dense_bytes(&schedule->steps[k], rows);
    return bytes;
}

int f0t_onnx_schedule_threads(const f0t_onnx_schedule *schedule)
{
    return schedule->threads;
}

static void copy_output(const f0t_onnx_schedule *s, size_t k, const f0t_onnx_frame *frame, void *to)
{
    const f0t_onnx_array *shape = &s->outputs[k], *constant = &s->fold.arrays[s->output_values[k]];
    size_t bytes = shape->count *
                   (f0t_onnx_array_type_is_float(shape->type) ? sizeof(float) : sizeof(int64_t));
    const void *from = s->output_slots[k] != F0T_NONE ? f0t_onnx_frame_at(frame, s->output_slots[k])
                       : constant->f                  ? (const void *)constant->f
                                                      : (const void *)constant->i;
    memcpy(to, from, bytes);
}

static f0t_status run_steps(const f0t_onnx_schedule *s, const f0t_onnx_frame *frame)
{
    for (size_t k = 0; k < s->step_count; k++) {
        f0t_status status = f0t_onnx_budget_look(frame->budget);
        if (status == F0T_OK)
            status = s->steps[k].run(&s->steps[k], frame);
        if (status != F0T_OK)
            return s->steps[k].node ? f0t_onnx_graph_fail_at(s->graph, s->steps[k].node, status)
                                    : status;
    }
    return F0T_OK;
}

f0t_status f0t_onnx_schedule_run(void *const *outputs, f0t_onnx_schedule *s,
                                 const float *const *inputs, const f0t_monitor *monitor)
{
    f0t_workspace *memory;
    f0t_onnx_budget budget = f0t_onnx_budget_run(s->file, s->images, monitor);
    F0T_TRY(f0t_workspace_take(&memory, s->arena + 1)); /* there is some always */
    f0t_onnx_frame frame = {
        .schedule = s, .arena = memory->data, .inputs = inputs, .budget = &budget};
    const bool awake = f0t_team_wake();
    int before = f0t_team_enter();
    f0t_status status = run_steps(s, &frame);
    f0t_team_leave(before);
    f0t_team_rest(awake);
    for (size_t k = 0; k < s->output_count && status == F0T_OK; k++)
        copy_output(s, k, &frame, outputs[k]);
    f0t_workspace_give(memory);
    return status;
}
