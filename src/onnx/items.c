#include "onnx/items.h"

#include "base/alloc.h"
#include "onnx/op.h"

#include <float.h>
#include <math.h>
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

/* Counts uses, makers and users anew. */
static void count_uses(f0t_onnx_items *items, const size_t *outputs, size_t count)
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

/* ---- Idioms ---------------------------------------------------------------------------------- */

/* What exporters write in several nodes, found from its last node backwards. Every value between must
 * be used inside the idiom alone. */

/* The node that makes v, when it is this operator and v is used `uses` times. */
static f0t_onnx_item *made_by(const f0t_onnx_items *items, size_t v, const char *op, size_t uses)
{
    size_t n = v == F0T_NONE ? F0T_NONE : items->maker[v];
    bool right = n != F0T_NONE && items->uses[v] == uses && f0t_onnx_item_is(&items->list[n], op);
    return right ? &items->list[n] : NULL;
}

static bool is_float(const f0t_onnx_items *items, size_t v)
{
    return items->fold->arrays[v].type == F0T_ONNX_FLOAT;
}

/* v is one number, near `value`. */
static bool is_number(const f0t_onnx_items *items, size_t v, float value)
{
    if (v == F0T_NONE)
        return false;
    const f0t_onnx_array *a = &items->fold->arrays[v];
    return a->f && a->count == 1 && fabsf(a->f[0] - value) <= 1e-3F * fabsf(value);
}

/* Of the two inputs, the one that is not `v`; F0T_NONE when neither is. */
static size_t other(const f0t_onnx_item *item, size_t v)
{
    const size_t *in = item->node->inputs;
    return in[0] == v ? in[1] : in[1] == v ? in[0] : F0T_NONE;
}

/* An idiom gives the shape of what it takes: a factor of one number may have more dimensions. */
static bool keeps_shape(const f0t_onnx_items *items, size_t x, const f0t_onnx_item *last)
{
    return f0t_onnx_array_same_shape(&items->fold->arrays[x],
                                     &items->fold->arrays[last->node->outputs[0]]);
}

static void become_activation(f0t_onnx_item *item, size_t x, f0t_activation kind, float alpha)
{
    item->kind = F0T_ONNX_ITEM_ACTIVATION;
    item->x = x;
    item->output = item->node->outputs[0];
    item->after[0] = (f0t_after){kind, alpha, 0};
    item->after_count = 1;
}

/* x·sigmoid(x), x·sigmoid(a·x): Swish, and CLIP's quick Gelu. */
static bool join_swish(f0t_onnx_items *items, f0t_onnx_item *mul)
{
    for (size_t side = 0; side < 2; side++) {
        size_t x = mul->node->inputs[side], gate = mul->node->inputs[!side];
        f0t_onnx_item *sigmoid = made_by(items, gate, "Sigmoid", 1), *scale;
        if (!sigmoid)
            continue;
        size_t inside = sigmoid->node->inputs[0];
        if (inside == x) {
            sigmoid->kind = F0T_ONNX_ITEM_GONE;
            become_activation(mul, x, F0T_ACTIVATION_SWISH, 1);
            return true;
        }
        scale = made_by(items, inside, "Mul", 1);
        size_t factor = scale ? other(scale, x) : F0T_NONE;
        if (factor == F0T_NONE || !items->fold->arrays[factor].f ||
            items->fold->arrays[factor].count != 1 || !keeps_shape(items, x, mul))
            continue;
        sigmoid->kind = scale->kind = F0T_ONNX_ITEM_GONE;
        become_activation(mul, x, F0T_ACTIVATION_SWISH, items->fold->arrays[factor].f[0]);
        return true;
    }
    return false;
}

/* x·HardSigmoid(x) with slope 1/6. */
static bool join_hardswish(f0t_onnx_items *items, f0t_onnx_item *mul)
{
    for (size_t side = 0; side < 2; side++) {
        size_t x = mul->node->inputs[side], gate = mul->node->inputs[!side];
        f0t_onnx_item *hard = made_by(items, gate, "HardSigmoid", 1);
        if (!hard || hard->node->inputs[0] != x)
            continue;
        f0t_op_call call = {.node = hard->node, .op = hard->node->op};
        if (fabsf(f0t_op_float(&call, "alpha", 0.2F) - 1.0F / 6.0F) > 1e-4F ||
            fabsf(f0t_op_float(&call, "beta", 0.5F) - 0.5F) > 1e-4F)
            continue;
        hard->kind = F0T_ONNX_ITEM_GONE;
        become_activation(mul, x, F0T_ACTIVATION_HARDSWISH, 0);
        return true;
    }
    return false;
}

/* 1 + erf(x / sqrt 2), as the nodes Add, Erf and Div (or Mul); x is found on the way. */
static bool find_erf(const f0t_onnx_items *items, size_t v, f0t_onnx_item *parts[3], size_t *x)
{
    parts[0] = made_by(items, v, "Add", 1);
    for (size_t side = 0; parts[0] && side < 2; side++) {
        parts[1] = made_by(items, parts[0]->node->inputs[side], "Erf", 1);
        if (!parts[1] || !is_number(items, parts[0]->node->inputs[!side], 1))
            continue;
        size_t inside = parts[1]->node->inputs[0];
        parts[2] = made_by(items, inside, "Div", 1);
        if (parts[2] && is_number(items, parts[2]->node->inputs[1], sqrtf(2))) {
            *x = parts[2]->node->inputs[0];
            return true;
        }
        parts[2] = made_by(items, inside, "Mul", 1);
        for (size_t k = 0; parts[2] && k < 2; k++)
            if (is_number(items, parts[2]->node->inputs[k], sqrtf(0.5F))) {
                *x = parts[2]->node->inputs[!k];
                return true;
            }
    }
    return false;
}

/* x · (1 + erf(x / sqrt 2)) · 1/2, multiplied in any order. */
static bool join_gelu(f0t_onnx_items *items, f0t_onnx_item *mul)
{
    for (size_t side = 0; side < 2; side++) {
        f0t_onnx_item *inner = made_by(items, mul->node->inputs[side], "Mul", 1), *parts[3];
        size_t factors[3], x;
        if (!inner)
            continue;
        factors[0] = mul->node->inputs[!side];
        factors[1] = inner->node->inputs[0];
        factors[2] = inner->node->inputs[1];
        for (size_t e = 0; e < 3; e++) {
            size_t a = factors[(e + 1) % 3], b = factors[(e + 2) % 3];
            if (!find_erf(items, factors[e], parts, &x))
                continue;
            if ((!(a == x && is_number(items, b, 0.5F)) &&
                 !(b == x && is_number(items, a, 0.5F))) ||
                !keeps_shape(items, x, mul))
                continue;
            inner->kind = parts[0]->kind = parts[1]->kind = parts[2]->kind = F0T_ONNX_ITEM_GONE;
            become_activation(mul, x, F0T_ACTIVATION_GELU, 0);
            return true;
        }
    }
    return false;
}

/* ---- Layer normalisation --------------------------------------------------------------------------
 */

/* The mean over the last dimension, kept. */
static bool is_last_mean(const f0t_onnx_items *items, const f0t_onnx_item *mean)
{
    f0t_op_call call = {.node = mean->node, .op = mean->node->op};
    const f0t_onnx_array *x = &items->fold->arrays[mean->node->inputs[0]];
    size_t count;
    const int64_t *axes = f0t_op_ints(&count, &call, "axes");
    if (mean->node->input_count > 1 && mean->node->inputs[1] != F0T_NONE) {
        axes = items->fold->arrays[mean->node->inputs[1]].i;
        count = items->fold->arrays[mean->node->inputs[1]].count;
    }
    return axes && count == 1 && (axes[0] == -1 || axes[0] == (int64_t)x->rank - 1) &&
           f0t_op_int(&call, "keepdims", 1);
}

typedef struct norm_parts {
    f0t_onnx_item *sub, *mean, *square, *variance, *add, *root;
    float epsilon;
} norm_parts;

/* d / sqrt(mean(d²) + epsilon) with d = x - mean(x). */
static bool find_norm(const f0t_onnx_items *items, const f0t_onnx_item *div, norm_parts *p)
{
    size_t d = div->node->inputs[0];
    p->sub = made_by(items, d, "Sub", 2);
    p->square = NULL;
    if (!p->sub || !(p->root = made_by(items, div->node->inputs[1], "Sqrt", 1)) ||
        !(p->add = made_by(items, p->root->node->inputs[0], "Add", 1)))
        return false;
    for (size_t side = 0; side < 2; side++) {
        const f0t_onnx_array *e = &items->fold->arrays[p->add->node->inputs[!side]];
        p->variance = made_by(items, p->add->node->inputs[side], "ReduceMean", 1);
        if (!p->variance || !e->f || e->count != 1)
            continue;
        p->epsilon = e->f[0];
        p->square = made_by(items, p->variance->node->inputs[0], "Pow", 1);
        break;
    }
    if (!p->square || p->square->node->inputs[0] != d ||
        !is_number(items, p->square->node->inputs[1], 2) || !is_last_mean(items, p->variance))
        return false;
    p->mean = made_by(items, p->sub->node->inputs[1], "ReduceMean", 1);
    return p->mean && is_last_mean(items, p->mean) &&
           p->mean->node->inputs[0] == p->sub->node->inputs[0];
}

/* A constant for each element of the last dimension that the only user of v combines with it. */
static f0t_onnx_item *follow(f0t_onnx_items *items, size_t v, const char *op, size_t *constant)
{
    size_t n = items->user[v];
    const f0t_onnx_array *a = &items->fold->arrays[v];
    if (items->uses[v] != 1 || n == F0T_NONE || !f0t_onnx_item_is(&items->list[n], op))
        return NULL;
    size_t c = other(&items->list[n], v);
    if (c == F0T_NONE || !f0t_onnx_fold_is_constant(items->fold, c) ||
        items->fold->arrays[c].rank != 1 || items->fold->arrays[c].count != a->dims[a->rank - 1] ||
        !keeps_shape(items, v, &items->list[n]))
        return NULL;
    *constant = c;
    return &items->list[n];
}

static void join_norm(f0t_onnx_items *items, f0t_onnx_item *div)
{
    norm_parts p;
    f0t_onnx_item *last = div, *next;
    size_t scale = F0T_NONE, bias = F0T_NONE;
    if (!find_norm(items, div, &p) || !keeps_shape(items, p.sub->node->inputs[0], div))
        return;
    if ((next = follow(items, f0t_onnx_item_output(last), "Mul", &scale))) {
        last->kind = F0T_ONNX_ITEM_GONE;
        last = next;
        if ((next = follow(items, last->node->outputs[0], "Add", &bias))) {
            last->kind = F0T_ONNX_ITEM_GONE;
            last = next;
        }
    }
    p.mean->kind = p.square->kind = p.variance->kind = p.add->kind = F0T_ONNX_ITEM_GONE;
    p.sub->kind = p.root->kind = F0T_ONNX_ITEM_GONE;
    last->kind = F0T_ONNX_ITEM_LAYER_NORM;
    last->x = p.sub->node->inputs[0];
    last->output = last->node->outputs[0];
    last->scale = scale;
    last->bias = bias;
    last->epsilon = p.epsilon;
}

static f0t_status join_idioms(f0t_onnx_items *items)
{
    for (size_t n = 0; n < items->count; n++) {
        f0t_onnx_item *item = &items->list[n];
        if (item->kind != F0T_ONNX_ITEM_NODE || !is_float(items, item->node->outputs[0]) ||
            !items->fold->arrays[item->node->outputs[0]].count)
            continue;
        if (f0t_onnx_item_is(item, "Mul")) {
            if (!join_swish(items, item) && !join_hardswish(items, item))
                join_gelu(items, item);
        } else if (f0t_onnx_item_is(item, "Div")) {
            join_norm(items, item);
        }
    }
    return F0T_OK;
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
    count_uses(items, outputs, count);
    F0T_TRY(join_idioms(items));
    for (size_t n = 0; n < items->count; n++) {
        set_from_node(&items->list[n], items->fold);
        if (items->list[n].kind == F0T_ONNX_ITEM_NODE)
            set_norm(&items->list[n], items->fold);
    }
    count_uses(items, outputs, count);
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
