/* Nodes of older operator sets, as the set of a quantised network has them. */
#include "onnx/quantise_write.h"

static bool is_among(const char *name, const char *const *list, size_t count)
{
    for (size_t k = 0; k < count; k++)
        if (strcmp(name, list[k]) == 0)
            return true;
    return false;
}

/* What means in set 13 what it meant in set 7. */
static bool is_unchanged(const f0t_onnx_node *node)
{
    static const char *const names[] = {"Conv",
                                        "Relu",
                                        "MaxPool",
                                        "AveragePool",
                                        "GlobalAveragePool",
                                        "Flatten",
                                        "Gemm",
                                        "MatMul",
                                        "Add",
                                        "Sub",
                                        "Mul",
                                        "Div",
                                        "Concat",
                                        "Sigmoid",
                                        "HardSigmoid",
                                        "Tanh",
                                        "Identity",
                                        "Transpose",
                                        "Reshape",
                                        "LeakyRelu",
                                        "Constant",
                                        "Shape",
                                        "Gather",
                                        "Cast",
                                        "ReduceMean",
                                        "Sqrt",
                                        "Pow",
                                        "Erf",
                                        "GlobalMaxPool",
                                        "Elu",
                                        "LRN",
                                        "HardSwish",
                                        "Exp",
                                        "BatchNormalization"};
    return is_among(node->proto->op_type, names, sizeof names / sizeof *names);
}

/* `paddings`, as set 1 has it, goes before `pads` where a node has both: op_move.c. */
static bool pads_nothing(const f0t_op_call *call)
{
    size_t count;
    const int64_t *pads = f0t_op_has(call, "paddings") ? NULL : f0t_op_ints(&count, call, "pads");
    if (!pads)
        return false;
    for (size_t k = 0; k < count; k++)
        if (pads[k])
            return false;
    return true;
}

static bool has_mask(const f0t_quantise_writing *w, const f0t_onnx_node *node)
{
    return node->output_count > 1 && w->q->values[node->outputs[1]].uses;
}

/* The limits become inputs, of the type of what they limit. */
static bool clips_floats(const f0t_quantise_writing *w, const f0t_onnx_node *node)
{
    return w->q->fold.used[node - w->graph->nodes] &&
           w->q->fold.arrays[node->inputs[0]].type == F0T_ONNX_FLOAT;
}

/* Sets that have these as attributes are read with inputs, too, which go before the attributes. */
static bool takes_more(const f0t_onnx_node *node)
{
    static const char *const names[] = {"Clip", "Pad", "Squeeze", "Unsqueeze"};
    return node->input_count > 1 &&
           is_among(node->proto->op_type, names, sizeof names / sizeof *names);
}

static f0t_status refuse(const f0t_quantise_writing *w, const char *why)
{
    return f0t_fail(F0T_ERROR_UNSUPPORTED,
                    "it is of operator set %d, and %s in set %d: convert the network to that set "
                    "first",
                    w->graph->opset, why, (int)F0T_QUANTISE_OPSET);
}

/* No axes: all of size 1 go, and none come. */
static f0t_quantise_renewal renew_axes(const f0t_op_call *call, const char *name)
{
    size_t count;
    f0t_op_ints(&count, call, "axes");
    if (!count && strcmp(name, "Unsqueeze") == 0)
        name = "Identity";
    return (f0t_quantise_renewal){.op = name, .has_axes = count > 0};
}

f0t_status f0t_quantise_renew(f0t_quantise_renewal *out, const f0t_quantise_writing *w,
                              const f0t_onnx_node *node)
{
    f0t_op_call call = {.node = node, .op = node->op};
    const char *name = node->proto->op_type;
    const bool oldest = w->graph->opset < 11; /* what set 11 made inputs are attributes */
    *out = (f0t_quantise_renewal){0};
    if (w->graph->opset >= F0T_QUANTISE_OPSET || is_unchanged(node))
        return F0T_OK;
    if (strcmp(name, "Dropout") == 0 && has_mask(w, node))
        return f0t_fail(
            F0T_ERROR_UNSUPPORTED,
            "its mask is used, and it is of operator set %d: convert the network to set "
            "%d first",
            w->graph->opset, (int)F0T_QUANTISE_OPSET);
    const bool squeezes = strcmp(name, "Squeeze") == 0 || strcmp(name, "Unsqueeze") == 0;
    if ((oldest || squeezes) && takes_more(node))
        return refuse(w, "is written otherwise");
    if (strcmp(name, "Dropout") == 0 || (strcmp(name, "Pad") == 0 && oldest && pads_nothing(&call)))
        out->op = "Identity";
    else if (strcmp(name, "Clip") == 0 && oldest && clips_floats(w, node))
        *out = (f0t_quantise_renewal){.op = "Clip", .has_limits = true};
    else if (squeezes)
        *out = renew_axes(&call, name);
    else if (strcmp(name, "Clip") == 0 || strcmp(name, "Slice") == 0 || strcmp(name, "Pad") == 0)
        return oldest ? refuse(w, "is written otherwise") : F0T_OK;
    else
        return refuse(w, "may mean something else");
    return F0T_OK;
}

void f0t_quantise_put_renewed(f0t_quantise_writing *w, f0t_onnx_pack *n, const f0t_onnx_node *node,
                              const f0t_quantise_renewal *r)
{
    f0t_op_call call = {.node = node, .op = node->op};
    char name[F0T_QUANTISE_NAME];
    if (r->has_limits) {
        const float limits[] = {f0t_op_float(&call, "min", -3.402823e38F),
                                f0t_op_float(&call, "max", 3.402823e38F)};
        for (size_t k = 0; k < 2; k++) {
            f0t_quantise_name(name, w, node->outputs[0], k ? "most" : "least");
            f0t_quantise_put_number(w, name, F0T_ONNX_FLOAT, &limits[k], sizeof *limits);
            f0t_onnx_pack_text(n, NODE_INPUT, name);
        }
    }
    if (r->has_axes) {
        size_t count;
        const int64_t *axes = f0t_op_ints(&count, &call, "axes");
        f0t_quantise_name(name, w, node->outputs[0], "axes");
        f0t_quantise_put_list(w, name, F0T_ONNX_INT64, axes, count, sizeof *axes);
        f0t_onnx_pack_text(n, NODE_INPUT, name);
    }
    f0t_onnx_pack_text(n, NODE_OP, r->op);
}
