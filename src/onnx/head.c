#include "onnx/head.h"

#include "base/alloc.h"
#include "onnx/fold.h"
#include "onnx/op.h"

#include <string.h>

/* On the way back from the classes. */
typedef struct tail {
    const f0t_onnx_graph *graph;
    f0t_onnx_fold *fold;
    f0t_onnx_head *head;
    size_t features, classes; /* values */
} tail;

static const f0t_onnx_array *array_of(const tail *t, size_t v)
{
    return &t->fold->arrays[v];
}

static bool is_constant(const tail *t, size_t v)
{
    return v != F0T_NONE && f0t_onnx_fold_is_constant(t->fold, v);
}

static const f0t_onnx_node *maker(const tail *t, size_t v)
{
    const size_t n = t->graph->values[v].producer;
    return n == F0T_NONE ? NULL : &t->graph->nodes[n];
}

static bool is(const f0t_onnx_node *node, const char *name)
{
    return node && strcmp(node->op->name, name) == 0;
}

/* ---- What leaves the numbers as they are ----------------------------------------------------------- */

/* A transpose that moves nothing: one dimension has all elements. */
static bool is_line(const f0t_onnx_array *array)
{
    for (size_t d = 0; d < array->rank; d++)
        if (array->dims[d] == array->count)
            return true;
    return false;
}

static bool is_view(const tail *t, const f0t_onnx_node *node)
{
    static const char *const views[] = {"Dropout", "Flatten", "Identity",
                                        "Reshape", "Squeeze", "Unsqueeze"};
    if (is(node, "Transpose"))
        return is_line(array_of(t, node->inputs[0]));
    if (is(node, "Cast"))
        return f0t_onnx_array_type_is_float(array_of(t, node->outputs[0])->type);
    for (size_t k = 0; node && k < sizeof views / sizeof *views; k++)
        if (is(node, views[k]))
            return true;
    return false;
}

/* The value that has these numbers first. */
static size_t root(const tail *t, size_t v)
{
    for (const f0t_onnx_node *node = maker(t, v);
         is_view(t, node) && v == node->outputs[0] && !is_constant(t, v); node = maker(t, v))
        v = node->inputs[0];
    return v;
}

/* Over all classes at once. */
static bool is_softmax(const tail *t, const f0t_onnx_node *node)
{
    if (!is(node, "Softmax") && !is(node, "LogSoftmax"))
        return false;
    const f0t_op_call call = {.node = node, .op = node->op};
    const f0t_onnx_array *x = array_of(t, node->inputs[0]);
    const int64_t otherwise = t->graph->opset < 13 ? 1 : -1;
    size_t axis;
    if (f0t_op_axis(&axis, f0t_op_int(&call, "axis", otherwise), x->rank) != F0T_OK)
        return false;
    return x->dims[axis] == x->count;
}

/* ---- Biases ---------------------------------------------------------------------------------------- */

/* One number for each class, or one for all. */
static f0t_status add_bias(const tail *t, size_t v, float scale)
{
    F0T_TRY(f0t_onnx_fold_decode(t->fold, v));
    const f0t_onnx_array *bias = array_of(t, v);
    for (size_t c = 0; c < t->head->classes; c++)
        t->head->bias[c] += scale * bias->f[bias->count == 1 ? 0 : c];
    return F0T_OK;
}

static bool is_bias(const tail *t, size_t v)
{
    const size_t count = is_constant(t, v) ? array_of(t, v)->count : 0;
    return count && (count == t->head->classes || count == 1) &&
           f0t_onnx_array_type_is_float(array_of(t, v)->type);
}

/* Through additions of constants, which keep the number of elements. */
static f0t_status take_sums(size_t *v, const tail *t)
{
    const f0t_onnx_node *node = maker(t, *v);
    while (is(node, "Add") && array_of(t, node->outputs[0])->count == t->head->classes) {
        const size_t side = is_bias(t, node->inputs[0]) ? 0 : 1, other = node->inputs[!side];
        if (!is_bias(t, node->inputs[side]) || array_of(t, other)->count != t->head->classes)
            break;
        F0T_TRY(add_bias(t, node->inputs[side], 1));
        *v = root(t, other);
        node = maker(t, *v);
    }
    return F0T_OK;
}

/* ---- Weights --------------------------------------------------------------------------------------- */

/* From a constant matrix, dim x classes unless `transposed`. */
static f0t_status take_weights(const tail *t, size_t v, bool transposed, float scale)
{
    f0t_onnx_head *head = t->head;
    F0T_TRY(f0t_onnx_fold_decode(t->fold, v));
    F0T_TRY(
        f0t_onnx_budget_take(t->fold->budget, head->classes * head->dim, sizeof *head->weights));
    F0T_TRY(f0t_alloc(&head->weights, head->classes * head->dim, sizeof *head->weights));
    const float *from = array_of(t, v)->f;
    for (size_t c = 0; c < head->classes; c++)
        for (size_t d = 0; d < head->dim; d++)
            head->weights[c * head->dim + d] =
                scale * from[transposed ? c * head->dim + d : d * head->classes + c];
    return F0T_OK;
}

static bool is_matrix(const tail *t, size_t v, size_t rows, size_t columns)
{
    const f0t_onnx_array *w = array_of(t, v);
    return is_constant(t, v) && w->rank == 2 && w->dims[0] == rows && w->dims[1] == columns;
}

static f0t_status take_gemm(bool *taken, const tail *t, const f0t_onnx_node *node)
{
    const f0t_op_call call = {.node = node, .op = node->op};
    const size_t classes = t->head->classes, dim = t->head->dim;
    const size_t bias = node->input_count > 2 ? node->inputs[2] : F0T_NONE;
    const bool transposed = f0t_op_int(&call, "transB", 0) != 0;
    const f0t_onnx_array *x = array_of(t, node->inputs[0]);
    if (f0t_op_int(&call, "transA", 0) || x->count != dim ||
        !is_matrix(t, node->inputs[1], transposed ? classes : dim, transposed ? dim : classes) ||
        (bias != F0T_NONE && !is_bias(t, bias)))
        return F0T_OK;
    *taken = true;
    if (bias != F0T_NONE)
        F0T_TRY(add_bias(t, bias, f0t_op_float(&call, "beta", 1)));
    return take_weights(t, node->inputs[1], transposed, f0t_op_float(&call, "alpha", 1));
}

static f0t_status take_matmul(bool *taken, const tail *t, const f0t_onnx_node *node)
{
    if (array_of(t, node->inputs[0])->count != t->head->dim ||
        !is_matrix(t, node->inputs[1], t->head->dim, t->head->classes))
        return F0T_OK;
    *taken = true;
    return take_weights(t, node->inputs[1], false, 1);
}

/* One window that is all of the picture: its filters are rows of weights. */
static f0t_status take_conv(bool *taken, const tail *t, const f0t_onnx_node *node)
{
    const f0t_op_call call = {.node = node, .op = node->op};
    const f0t_onnx_array *x = array_of(t, node->inputs[0]), *w = array_of(t, node->inputs[1]);
    const size_t bias = node->input_count > 2 ? node->inputs[2] : F0T_NONE;
    f0t_onnx_window window;
    F0T_TRY(f0t_onnx_window_read(&window, &call, x, w));
    bool whole = f0t_op_int(&call, "group", 1) == 1 && is_constant(t, node->inputs[1]) &&
                 w->dims[0] == t->head->classes && x->count == t->head->dim &&
                 (bias == F0T_NONE || is_bias(t, bias));
    for (size_t d = 0; d < window.rank; d++)
        whole = whole && window.in[d] == window.kernel[d] && !window.before[d] &&
                !window.after[d] && (window.kernel[d] == 1 || window.dilation[d] == 1);
    if (!whole)
        return F0T_OK;
    *taken = true;
    if (bias != F0T_NONE)
        F0T_TRY(add_bias(t, bias, 1));
    return take_weights(t, node->inputs[1], true, 1);
}

/* ---- The way back ---------------------------------------------------------------------------------- */

static f0t_status refuse(const tail *t, const f0t_onnx_node *node)
{
    const char *from = t->graph->values[t->features].name, *to = t->graph->values[t->classes].name;
    if (!node)
        return f0t_fail(F0T_ERROR_UNSUPPORTED, "%s: '%s' does not come from '%s'", t->graph->path,
                        to, from);
    f0t_fail(F0T_ERROR_UNSUPPORTED, "'%s' does not come from '%s' by one layer of constant weights",
             to, from);
    return f0t_onnx_graph_fail_at(t->graph, node, F0T_ERROR_UNSUPPORTED);
}

static f0t_status take_layer(const tail *t, const f0t_onnx_node *node)
{
    bool taken = false;
    if (is(node, "Gemm"))
        F0T_TRY(take_gemm(&taken, t, node));
    else if (is(node, "MatMul"))
        F0T_TRY(take_matmul(&taken, t, node));
    else if (is(node, "Conv"))
        F0T_TRY(take_conv(&taken, t, node));
    return taken ? F0T_OK : refuse(t, node);
}

static f0t_status walk(const tail *t)
{
    size_t v = root(t, t->classes);
    if (is_softmax(t, maker(t, v)))
        v = root(t, maker(t, v)->inputs[0]);
    F0T_TRY(take_sums(&v, t));
    const f0t_onnx_node *node = maker(t, v);
    if (!node || is_constant(t, v) || v == root(t, t->features))
        return refuse(t, NULL);
    F0T_TRY(take_layer(t, node));
    const size_t x = root(t, node->inputs[0]);
    return x == root(t, t->features) ? F0T_OK : refuse(t, maker(t, x));
}

static f0t_status read_folded(f0t_onnx_head *out, const f0t_onnx_graph *graph, f0t_onnx_fold *fold,
                              size_t features, size_t classes)
{
    const tail t = {graph, fold, out, features, classes};
    const f0t_onnx_array *x = array_of(&t, features), *y = array_of(&t, classes);
    if (!f0t_onnx_array_type_is_float(x->type) || !f0t_onnx_array_type_is_float(y->type))
        return refuse(&t, NULL);
    out->dim = x->count;
    out->classes = y->count;
    if (!out->dim || !out->classes)
        return refuse(&t, NULL);
    F0T_TRY(f0t_onnx_budget_take(fold->budget, out->classes, sizeof *out->bias));
    F0T_TRY(f0t_alloc_zero(&out->bias, out->classes, sizeof *out->bias));
    return walk(&t);
}

f0t_status f0t_onnx_head_read(f0t_onnx_head *out, const f0t_onnx_graph *graph,
                              const f0t_onnx_array *inputs, size_t features, size_t classes,
                              const f0t_monitor *monitor)
{
    f0t_onnx_fold fold;
    f0t_onnx_budget budget = f0t_onnx_budget_load(f0t_onnx_graph_file_bytes(graph), monitor);
    const size_t wanted[] = {features, classes};
    *out = (f0t_onnx_head){0};
    F0T_TRY(f0t_onnx_fold_create(&fold, graph, inputs, wanted, 2, &budget));
    f0t_status status = read_folded(out, graph, &fold, features, classes);
    f0t_onnx_fold_clear(&fold);
    if (status != F0T_OK)
        f0t_onnx_head_clear(out);
    return status;
}

void f0t_onnx_head_clear(f0t_onnx_head *head)
{
    f0t_free(head->weights);
    f0t_free(head->bias);
    *head = (f0t_onnx_head){0};
}

/* ---- Which output ---------------------------------------------------------------------------------- */

/* Its numbers per picture; 0 for one that cannot be computed, or has none. */
static f0t_status measure(size_t *count, const f0t_onnx_graph *graph, const f0t_onnx_array *inputs,
                          size_t value, const f0t_monitor *monitor)
{
    f0t_onnx_fold fold;
    f0t_onnx_budget budget = f0t_onnx_budget_load(f0t_onnx_graph_file_bytes(graph), monitor);
    *count = 0;
    f0t_status status = f0t_onnx_fold_create(&fold, graph, inputs, &value, 1, &budget);
    if (status == F0T_ERROR_MEMORY || status == F0T_ERROR_INTERRUPTED)
        return status;
    if (status == F0T_OK)
        *count =
            f0t_onnx_array_type_is_float(fold.arrays[value].type) ? fold.arrays[value].count : 0;
    if (status == F0T_OK)
        f0t_onnx_fold_clear(&fold);
    return F0T_OK;
}

f0t_status f0t_onnx_head_find(size_t *classes, const f0t_onnx_graph *graph,
                              const f0t_onnx_array *inputs, size_t features, size_t count,
                              const f0t_monitor *monitor)
{
    *classes = F0T_NONE;
    for (size_t k = 0; k < graph->output_count && *classes == F0T_NONE; k++) {
        const size_t value = graph->outputs[k].value;
        size_t numbers;
        if (value == features)
            continue;
        F0T_TRY(measure(&numbers, graph, inputs, value, monitor));
        if (numbers == count)
            *classes = value;
    }
    return F0T_OK;
}
