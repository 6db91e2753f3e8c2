#include "onnx/items.h"

#include "base/alloc.h"
#include "onnx/op.h"

#include <float.h>
#include <string.h>

size_t f0t_onnx_item_input_count(const f0t_onnx_item *item)
{
    return item->kind == F0T_ONNX_ITEM_NODE ? item->node->input_count : 1;
}

size_t f0t_onnx_item_input(const f0t_onnx_item *item, size_t k)
{
    return item->kind == F0T_ONNX_ITEM_NODE ? item->node->inputs[k] : item->x;
}

size_t f0t_onnx_item_output(const f0t_onnx_item *item)
{
    return item->kind == F0T_ONNX_ITEM_NODE ? item->node->outputs[0] : item->output;
}

bool f0t_onnx_item_is(const f0t_onnx_item *item, const char *op)
{
    return item->kind == F0T_ONNX_ITEM_NODE && strcmp(item->node->op->name, op) == 0;
}

void f0t_onnx_items_count(f0t_onnx_items *items, const size_t *outputs, size_t count)
{
    size_t values = items->fold->graph->value_count;
    for (size_t v = 0; v < values; v++) {
        items->uses[v] = 0;
        items->maker[v] = items->user[v] = F0T_NONE;
    }
    for (size_t n = 0; n < items->count; n++) {
        const f0t_onnx_item *item = &items->list[n];
        if (item->kind == F0T_ONNX_ITEM_GONE)
            continue;
        for (size_t k = 0; k < f0t_onnx_item_input_count(item); k++) {
            size_t v = f0t_onnx_item_input(item, k);
            if (v == F0T_NONE)
                continue;
            items->uses[v]++;
            items->user[v] = n;
        }
        for (size_t k = 0; item->kind == F0T_ONNX_ITEM_NODE && k < item->node->output_count; k++)
            items->maker[item->node->outputs[k]] = n;
        if (item->kind != F0T_ONNX_ITEM_NODE)
            items->maker[item->output] = n;
    }
    /* An output counts twice: nobody may take it as a mere step between two nodes. */
    for (size_t k = 0; k < count; k++)
        items->uses[outputs[k]] += 2;
}

/* ---- Activations of one node ----------------------------------------------------------------------
 */

static const struct {
    const char *op;
    f0t_activation kind;
    const char *attribute; /* alpha */
    float alpha;           /* when it is missing */
} simple[] = {
    {"Relu", F0T_ACTIVATION_RELU, NULL, 0},
    {"LeakyRelu", F0T_ACTIVATION_RELU, "alpha", 0.01F},
    {"Sigmoid", F0T_ACTIVATION_SIGMOID, NULL, 0},
    {"Tanh", F0T_ACTIVATION_TANH, NULL, 0},
    {"Elu", F0T_ACTIVATION_ELU, "alpha", 1},
    {"HardSwish", F0T_ACTIVATION_HARDSWISH, NULL, 0},
    {"Mish", F0T_ACTIVATION_MISH, NULL, 0},
    {"Sqrt", F0T_ACTIVATION_SQRT, NULL, 0},
    {"Exp", F0T_ACTIVATION_EXP, NULL, 0},
};

static void set_activation(f0t_onnx_item *item, f0t_activation kind, float alpha, float beta)
{
    item->x = item->node->inputs[0];
    item->output = item->node->outputs[0];
    item->kind = F0T_ONNX_ITEM_ACTIVATION;
    item->after[item->after_count++] = (f0t_after){kind, alpha, beta};
}

static bool limit(float *out, const f0t_onnx_fold *fold, const f0t_onnx_node *node, size_t k)
{
    if (k >= node->input_count || node->inputs[k] == F0T_NONE)
        return true;
    const f0t_onnx_array *in = &fold->arrays[node->inputs[k]];
    if (!in->f || in->count != 1)
        return false;
    *out = in->f[0];
    return true;
}

static void set_from_node(f0t_onnx_item *item, const f0t_onnx_fold *fold)
{
    const f0t_onnx_node *node = item->node;
    f0t_op_call call = {.node = node, .op = node->op, .opset = fold->graph->opset};
    float low = f0t_op_float(&call, "min", -FLT_MAX), high = f0t_op_float(&call, "max", FLT_MAX);
    if (!node->input_count || node->inputs[0] == F0T_NONE || !fold->arrays[node->inputs[0]].count ||
        fold->arrays[node->inputs[0]].type != F0T_ONNX_FLOAT)
        return;
    for (size_t k = 0; k < sizeof simple / sizeof *simple; k++)
        if (f0t_onnx_item_is(item, simple[k].op)) {
            float alpha = simple[k].attribute
                              ? f0t_op_float(&call, simple[k].attribute, simple[k].alpha)
                              : simple[k].alpha;
            set_activation(item, simple[k].kind, alpha, 0);
            return;
        }
    if (f0t_onnx_item_is(item, "Clip") && limit(&low, fold, node, 1) &&
        limit(&high, fold, node, 2)) {
        set_activation(item, F0T_ACTIVATION_CLIP, low, high);
    } else if (f0t_onnx_item_is(item, "HardSigmoid")) {
        set_activation(item, F0T_ACTIVATION_LINEAR, f0t_op_float(&call, "alpha", 0.2F),
                       f0t_op_float(&call, "beta", 0.5F));
        item->after[item->after_count++] = (f0t_after){F0T_ACTIVATION_CLIP, 0, 1};
    } else if (f0t_onnx_item_is(item, "Gelu")) {
        bool by_tanh = f0t_op_text(&call, "approximate", "none")[0] == 't';
        set_activation(item, by_tanh ? F0T_ACTIVATION_GELU_TANH : F0T_ACTIVATION_GELU, 0, 0);
    }
}

/* LayerNormalization over the last dimension, without its other outputs. */
static void set_norm(f0t_onnx_item *item, const f0t_onnx_fold *fold)
{
    const f0t_onnx_node *node = item->node;
    f0t_op_call call = {.node = node, .op = node->op, .opset = fold->graph->opset};
    int64_t axis = f0t_op_int(&call, "axis", -1);
    const f0t_onnx_array *x = &fold->arrays[node->inputs[0]];
    if (!f0t_onnx_item_is(item, "LayerNormalization") || node->output_count > 1 ||
        (axis != -1 && axis != (int64_t)x->rank - 1) || x->type != F0T_ONNX_FLOAT || !x->count)
        return;
    for (size_t k = 1; k < node->input_count; k++)
        if (node->inputs[k] != F0T_NONE && !f0t_onnx_fold_is_constant(fold, node->inputs[k]))
            return;
    item->scale = node->inputs[1];
    item->bias = node->input_count > 2 ? node->inputs[2] : F0T_NONE;
    item->epsilon = f0t_op_float(&call, "epsilon", 1e-5F);
    item->x = node->inputs[0];
    item->output = node->outputs[0];
    item->kind = F0T_ONNX_ITEM_LAYER_NORM;
}

/* ---- The list -------------------------------------------------------------------------------------
 */

static f0t_status fill(f0t_onnx_items *items, const size_t *outputs, size_t count)
{
    const f0t_onnx_graph *graph = items->fold->graph;
    F0T_TRY(f0t_alloc(&items->list, graph->node_count, sizeof *items->list));
    F0T_TRY(f0t_alloc(&items->uses, graph->value_count, sizeof *items->uses));
    F0T_TRY(f0t_alloc(&items->maker, graph->value_count, sizeof *items->maker));
    F0T_TRY(f0t_alloc(&items->user, graph->value_count, sizeof *items->user));
    for (size_t n = 0; n < graph->node_count; n++)
        if (items->fold->used[n])
            items->list[items->count++] =
                (f0t_onnx_item){.kind = F0T_ONNX_ITEM_NODE, .node = &graph->nodes[n]};
    f0t_onnx_items_count(items, outputs, count);
    F0T_TRY(f0t_onnx_items_join(items));
    for (size_t n = 0; n < items->count; n++) {
        set_from_node(&items->list[n], items->fold);
        if (items->list[n].kind == F0T_ONNX_ITEM_NODE)
            set_norm(&items->list[n], items->fold);
    }
    f0t_onnx_items_count(items, outputs, count);
    return F0T_OK;
}

f0t_status f0t_onnx_items_create(f0t_onnx_items *out, f0t_onnx_fold *fold, const size_t *outputs,
                                 size_t count)
{
    *out = (f0t_onnx_items){.fold = fold};
    f0t_status status = fill(out, outputs, count);
    if (status != F0T_OK)
        f0t_onnx_items_clear(out);
    return status;
}

void f0t_onnx_items_clear(f0t_onnx_items *items)
{
    f0t_free(items->list);
    f0t_free(items->uses);
    f0t_free(items->maker);
    f0t_free(items->user);
    *items = (f0t_onnx_items){0};
}
