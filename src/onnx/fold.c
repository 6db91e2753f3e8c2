#include "onnx/fold.h"

#include "base/alloc.h"
#include "onnx/ops.h"

#include <string.h>

/* Constants of up to so many elements, and vectors, are decoded at once: lists, scales, limits. Matrices of eight bits
 * are weights. */
enum { SMALL = 1024, NODE_STEPS = 1000 };

bool f0t_onnx_fold_is_constant(const f0t_onnx_fold *fold, size_t value)
{
    return f0t_onnx_array_known(&fold->arrays[value]);
}

size_t f0t_onnx_fold_matrix(bool *transposed, const f0t_onnx_fold *fold, size_t value)
{
    size_t source = fold->turned[value];
    *transposed = source != F0T_NONE;
    return *transposed ? source : value;
}

/* A sum of huge ones is only an order of magnitude. */
double f0t_onnx_fold_operations(const f0t_onnx_fold *fold, const f0t_onnx_node *node)
{
    const f0t_onnx_array *y = &fold->arrays[node->outputs[0]];
    if (node->input_count < 2 || node->inputs[1] == F0T_NONE)
        return 0;
    const bool scaled = strncmp(node->op->name, "QLinear", 7) == 0 && node->input_count > 3 &&
                        node->inputs[3] != F0T_NONE;
    const f0t_onnx_array *w = &fold->arrays[node->inputs[scaled ? 3 : 1]],
                         *x = &fold->arrays[node->inputs[0]];
    double each = 0;
    if ((strcmp(node->op->name, "Conv") == 0 || strcmp(node->op->name, "QLinearConv") == 0 ||
         strcmp(node->op->name, "ConvInteger") == 0) &&
        w->dims[0])
        each = (double)(w->count / w->dims[0]);
    else if (strcmp(node->op->name, "MatMul") == 0 ||
             strcmp(node->op->name, "QLinearMatMul") == 0 ||
             strcmp(node->op->name, "MatMulInteger") == 0)
        each = (double)x->dims[x->rank - 1];
    else if (strcmp(node->op->name, "Gemm") == 0 && y->count)
        each = (double)(x->count / y->dims[0]);
    return 2 * (double)y->count * each;
}

/* Puts the elements of a matrix that was only noted as the transpose of another in its own order. */
static f0t_status turn(f0t_onnx_array *to, const f0t_onnx_array *shape, f0t_onnx_array *from)
{
    *to = *shape;
    to->raw = NULL;
    to->f = NULL;
    F0T_TRY(f0t_onnx_array_alloc(to));
    size_t rows = to->dims[0], columns = to->dims[1];
    for (size_t r = 0; r < rows; r++)
        for (size_t c = 0; c < columns; c++)
            to->f[r * columns + c] = from->f[c * rows + r];
    return F0T_OK;
}

/* Before the elements of a constant are decoded. */
static f0t_status charge(const f0t_onnx_fold *fold, size_t value)
{
    const f0t_onnx_array *array = &fold->arrays[value];
    bool is_float = f0t_onnx_array_type_is_float(array->type);
    f0t_status status = f0t_onnx_budget_take(fold->budget, array->count,
                                             is_float ? sizeof *array->f : sizeof *array->i);
    if (status == F0T_OK)
        status = f0t_onnx_budget_steps(fold->budget, array->count);
    if (status != F0T_OK)
        f0t_fail_prefix(status, "tensor '%s': ", fold->graph->values[value].name);
    return status;
}

/* Constants of eight bits that were only noted as scaled become what they stand for. */
static f0t_status unscale(f0t_onnx_fold *fold, size_t value)
{
    const f0t_onnx_node *node = fold->scaled[value];
    f0t_onnx_array *to = &fold->arrays[value];
    const f0t_onnx_array *zero = f0t_onnx_fold_zero(fold, node);
    const unsigned char *raw = to->raw;
    f0t_op_call call = {.node = node, .op = node->op};
    to->raw = NULL;
    f0t_status status = f0t_onnx_array_alloc(to);
    if (status != F0T_OK) {
        to->raw = raw;
        return status;
    }
    fold->scaled[value] = NULL;
    return f0t_dequantise(to, raw, fold->arrays[node->inputs[0]].type,
                          &fold->arrays[node->inputs[1]], zero, f0t_op_int(&call, "axis", 1));
}

f0t_status f0t_onnx_fold_decode(f0t_onnx_fold *fold, size_t value)
{
    f0t_onnx_array decoded, turned, *array = &fold->arrays[value];
    if (!array->raw)
        return F0T_OK;
    F0T_TRY(charge(fold, value));
    if (fold->scaled[value])
        return unscale(fold, value);
    F0T_TRY(f0t_onnx_array_copy(&decoded, array));
    if (fold->turned[value] == F0T_NONE) {
        *array = decoded;
        return F0T_OK;
    }
    f0t_status status = turn(&turned, array, &decoded);
    f0t_onnx_array_clear(&decoded);
    F0T_TRY(status);
    fold->turned[value] = F0T_NONE;
    *array = turned;
    return F0T_OK;
}

/* Constants of the file are borrowed. */
static f0t_status take_constants(f0t_onnx_fold *fold)
{
    const f0t_onnx_graph *graph = fold->graph;
    for (size_t v = 0; v < graph->value_count; v++) {
        const f0t_onnx_array *constant = &graph->values[v].constant;
        fold->arrays[v] = *constant;
        fold->turned[v] = F0T_NONE;
        fold->arrays[v].owned = false;
        bool large = f0t_onnx_array_type_is_float(constant->type) && constant->count > SMALL;
        if (constant->raw &&
            (constant->rank <= 1 || !(large || f0t_onnx_array_type_is_eight(constant->type))))
            F0T_TRY(f0t_onnx_fold_decode(fold, v));
    }
    return F0T_OK;
}

/* From the outputs backwards. */
static f0t_status mark_used(f0t_onnx_fold *fold, const size_t *outputs, size_t count)
{
    const f0t_onnx_graph *graph = fold->graph;
    for (size_t k = 0; k < count; k++)
        if (graph->values[outputs[k]].producer != F0T_NONE)
            fold->used[graph->values[outputs[k]].producer] = true;
    for (size_t n = graph->node_count; n-- > 0;) {
        const f0t_onnx_node *node = &graph->nodes[n];
        for (size_t k = 0; k < node->input_count && fold->used[n]; k++) {
            size_t v = node->inputs[k];
            if (v != F0T_NONE && graph->values[v].producer != F0T_NONE)
                fold->used[graph->values[v].producer] = true;
        }
    }
    return f0t_onnx_graph_check_ops(graph, fold->used);
}

static bool shape_is_enough(const f0t_onnx_node *node)
{
    return strcmp(node->op->name, "Shape") == 0 || strcmp(node->op->name, "Size") == 0;
}

static bool all_constant(const f0t_onnx_fold *fold, const f0t_onnx_node *node)
{
    for (size_t k = 0; k < node->input_count; k++)
        if (node->inputs[k] != F0T_NONE && !f0t_onnx_fold_is_constant(fold, node->inputs[k]))
            return false;
    return true;
}

/* Notes the transpose of a large matrix of the file in place of making it. */
static bool note_turned(f0t_onnx_fold *fold, const f0t_onnx_node *node, f0t_onnx_array *out)
{
    size_t in = node->input_count == 1 ? node->inputs[0] : F0T_NONE;
    const f0t_onnx_array *x = in == F0T_NONE ? NULL : &fold->arrays[in];
    f0t_op_call call = {.node = node, .op = node->op};
    size_t count;
    const int64_t *order = f0t_op_ints(&count, &call, "perm");
    if (strcmp(node->op->name, "Transpose") != 0 || !x || node->output_count != 1 || !x->raw ||
        x->rank != 2 || fold->turned[in] != F0T_NONE || fold->scaled[in] ||
        !f0t_onnx_array_type_is_float(x->type) ||
        (order && (count != 2 || order[0] != 1 || order[1] != 0)))
        return false;
    *out = (f0t_onnx_array){.type = x->type, .rank = 2, .count = x->count, .raw = x->raw};
    out->dims[0] = x->dims[1];
    out->dims[1] = x->dims[0];
    fold->turned[node->outputs[0]] = in;
    fold->used[node - fold->graph->nodes] = false;
    return true;
}

const f0t_onnx_array *f0t_onnx_fold_zero(const f0t_onnx_fold *fold, const f0t_onnx_node *node)
{
    bool given = node->input_count > 2 && node->inputs[2] != F0T_NONE;
    return given ? &fold->arrays[node->inputs[2]] : NULL;
}

/* Notes weights of eight bits with their scales in place of what they stand for, which is four times as large. */
static f0t_status note_scaled(f0t_onnx_fold *fold, const f0t_onnx_node *node,
                              const f0t_onnx_array **inputs, f0t_onnx_array *out, bool *noted)
{
    size_t in = node->input_count ? node->inputs[0] : F0T_NONE;
    const f0t_onnx_array *x = in == F0T_NONE ? NULL : &fold->arrays[in];
    if (strcmp(node->op->name, "DequantizeLinear") != 0 || !x || !x->raw || x->rank < 2 ||
        !f0t_onnx_array_type_is_eight(x->type))
        return F0T_OK;
    for (size_t k = 0; k < node->input_count; k++) {
        inputs[k] = node->inputs[k] == F0T_NONE ? NULL : &fold->arrays[node->inputs[k]];
        if (k && inputs[k])
            F0T_TRY(f0t_onnx_fold_decode(fold, node->inputs[k]));
    }
    F0T_TRY(f0t_onnx_node_run(out, fold->graph, node, inputs, true, fold->budget));
    *noted = out->type == F0T_ONNX_FLOAT;
    if (!*noted)
        return F0T_OK;
    out->raw = x->raw;
    fold->scaled[node->outputs[0]] = node;
    fold->used[node - fold->graph->nodes] = false;
    return F0T_OK;
}

static f0t_status run_node(f0t_onnx_fold *fold, const f0t_onnx_node *node,
                           const f0t_onnx_array **inputs, f0t_onnx_array *outputs)
{
    const f0t_onnx_graph *graph = fold->graph;
    bool constant = all_constant(fold, node);
    bool noted = constant && note_turned(fold, node, outputs);
    if (constant && !noted)
        F0T_TRY(note_scaled(fold, node, inputs, outputs, &noted));
    if (noted)
        return F0T_OK;
    for (size_t k = 0; k < node->input_count; k++) {
        if (constant && node->inputs[k] != F0T_NONE)
            F0T_TRY(
                f0t_onnx_graph_fail_at(graph, node, f0t_onnx_fold_decode(fold, node->inputs[k])));
        inputs[k] = node->inputs[k] == F0T_NONE ? NULL : &fold->arrays[node->inputs[k]];
    }
    bool now = constant || shape_is_enough(node);
    F0T_TRY(f0t_onnx_node_run(outputs, graph, node, inputs, !now, fold->budget));
    if (!now)
        return F0T_OK;
    fold->used[node - graph->nodes] = false;
    return F0T_OK;
}

static f0t_status fold_node(f0t_onnx_fold *fold, const f0t_onnx_node *node)
{
    const f0t_onnx_array **inputs;
    f0t_onnx_array *outputs = NULL;
    F0T_TRY(f0t_onnx_budget_steps(fold->budget, NODE_STEPS + node->input_count));
    F0T_TRY(f0t_alloc(&inputs, node->input_count, sizeof *inputs));
    f0t_status status = f0t_alloc_zero(&outputs, node->output_count, sizeof *outputs);
    if (status == F0T_OK)
        status = run_node(fold, node, inputs, outputs);
    for (size_t k = 0; outputs && k < node->output_count; k++) {
        if (status == F0T_OK)
            fold->arrays[node->outputs[k]] = outputs[k];
        else
            f0t_onnx_array_clear(&outputs[k]);
    }
    f0t_free(outputs);
    f0t_free(inputs);
    return status;
}

static f0t_status fold_all(f0t_onnx_fold *fold, const f0t_onnx_array *inputs, const size_t *outputs,
                           size_t output_count)
{
    const f0t_onnx_graph *graph = fold->graph;
    f0t_status status = take_constants(fold);
    if (status != F0T_OK)
        return f0t_fail_prefix(status, "%s: ", graph->path);
    for (size_t k = 0; k < graph->input_count; k++) {
        fold->arrays[graph->inputs[k].value] = inputs[k];
        fold->arrays[graph->inputs[k].value].owned = false;
    }
    F0T_TRY(mark_used(fold, outputs, output_count));
    for (size_t n = 0; n < graph->node_count; n++)
        if (fold->used[n])
            F0T_TRY(fold_node(fold, &graph->nodes[n]));
    /* What only led to constants has nothing to do any more. */
    bool *wanted = fold->used;
    memset(wanted, 0, graph->node_count * sizeof *wanted);
    for (size_t k = 0; k < output_count; k++)
        if (!f0t_onnx_fold_is_constant(fold, outputs[k]) &&
            graph->values[outputs[k]].producer != F0T_NONE)
            wanted[graph->values[outputs[k]].producer] = true;
    for (size_t n = graph->node_count; n-- > 0;)
        for (size_t k = 0; k < graph->nodes[n].input_count && wanted[n]; k++) {
            size_t v = graph->nodes[n].inputs[k];
            if (v != F0T_NONE && !f0t_onnx_fold_is_constant(fold, v) &&
                graph->values[v].producer != F0T_NONE)
                wanted[graph->values[v].producer] = true;
        }
    return F0T_OK;
}

f0t_status f0t_onnx_fold_create(f0t_onnx_fold *out, const f0t_onnx_graph *graph,
                                const f0t_onnx_array *inputs, const size_t *outputs,
                                size_t output_count, f0t_onnx_budget *budget)
{
    *out = (f0t_onnx_fold){.graph = graph, .budget = budget};
    f0t_status status = f0t_alloc_zero(&out->arrays, graph->value_count, sizeof *out->arrays);
    if (status == F0T_OK)
        status = f0t_alloc(&out->turned, graph->value_count, sizeof *out->turned);
    if (status == F0T_OK)
        status = f0t_alloc_zero(&out->scaled, graph->value_count, sizeof *out->scaled);
    if (status == F0T_OK)
        status = f0t_alloc_zero(&out->used, graph->node_count, sizeof *out->used);
    if (status == F0T_OK)
        status = fold_all(out, inputs, outputs, output_count);
    if (status != F0T_OK)
        f0t_onnx_fold_clear(out);
    return status;
}

void f0t_onnx_fold_clear(f0t_onnx_fold *fold)
{
    for (size_t v = 0; fold->arrays && v < fold->graph->value_count; v++)
        f0t_onnx_array_clear(&fold->arrays[v]);
    f0t_free(fold->arrays);
    f0t_free(fold->used);
    f0t_free(fold->turned);
    f0t_free(fold->scaled);
    *fold = (f0t_onnx_fold){0};
}
