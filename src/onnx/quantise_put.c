/* Pieces of a quantised network: tensors, and QuantizeLinear and DequantizeLinear with their scales. */
#include "onnx/quantise_write.h"

#include "base/alloc.h"

#include <math.h>
#include <stdio.h>

/* Numbers of onnx.proto that are written. */
enum { ATTRIBUTE_NAME = 1, ATTRIBUTE_I = 3, ATTRIBUTE_TYPE = 20, ATTRIBUTE_INT = 2 };
enum { TENSOR_DIMS = 1, TENSOR_TYPE = 2, TENSOR_NAME = 8, TENSOR_RAW = 9 };

void f0t_quantise_name(char out[F0T_QUANTISE_NAME], const f0t_quantise_writing *w, size_t value,
                       const char *part)
{
    snprintf(out, F0T_QUANTISE_NAME, "%s%zu_%s", w->prefix, value, part);
}

/* ---- Pieces ---------------------------------------------------------------------------------- */

void f0t_quantise_put_tensor(f0t_quantise_writing *w, const char *name, int type,
                             const f0t_onnx_array *shape, const void *data, size_t bytes)
{
    f0t_onnx_pack t = {0};
    for (size_t d = 0; d < shape->rank; d++)
        f0t_onnx_pack_int(&t, TENSOR_DIMS, shape->dims[d]);
    f0t_onnx_pack_int(&t, TENSOR_TYPE, (uint64_t)type);
    f0t_onnx_pack_text(&t, TENSOR_NAME, name);
    f0t_onnx_pack_bytes(&t, TENSOR_RAW, data, bytes);
    f0t_onnx_pack_message(w->out, F0T_ONNX_GRAPH_INITIALIZER, &t);
}

void f0t_quantise_put_list(f0t_quantise_writing *w, const char *name, int type, const void *data,
                           size_t count, size_t size)
{
    f0t_onnx_array shape = {.rank = 1, .dims = {count}};
    f0t_quantise_put_tensor(w, name, type, &shape, data, count * size);
}

void f0t_quantise_put_number(f0t_quantise_writing *w, const char *name, int type, const void *data,
                             size_t size)
{
    f0t_onnx_array shape = {.rank = 0};
    f0t_quantise_put_tensor(w, name, type, &shape, data, size);
}

static void put_axis(f0t_onnx_pack *node, size_t axis)
{
    f0t_onnx_pack a = {0};
    f0t_onnx_pack_text(&a, ATTRIBUTE_NAME, "axis");
    f0t_onnx_pack_int(&a, ATTRIBUTE_I, axis);
    f0t_onnx_pack_int(&a, ATTRIBUTE_TYPE, ATTRIBUTE_INT);
    f0t_onnx_pack_message(node, NODE_ATTRIBUTE, &a);
}

/* QuantizeLinear or DequantizeLinear; `axis` F0T_NONE: one scale. */
static void put_node(f0t_quantise_writing *w, const char *op, const char *in, const char *scale,
                     const char *zero, const char *out, size_t axis)
{
    f0t_onnx_pack n = {0};
    f0t_onnx_pack_text(&n, NODE_INPUT, in);
    f0t_onnx_pack_text(&n, NODE_INPUT, scale);
    if (zero)
        f0t_onnx_pack_text(&n, NODE_INPUT, zero);
    f0t_onnx_pack_text(&n, NODE_OUTPUT, out);
    f0t_onnx_pack_text(&n, NODE_NAME, out);
    f0t_onnx_pack_text(&n, NODE_OP, op);
    if (axis != F0T_NONE)
        put_axis(&n, axis);
    f0t_onnx_pack_message(w->out, F0T_ONNX_GRAPH_NODE, &n);
}

/* ---- Values on a grid ------------------------------------------------------------------------ */

void f0t_quantise_put_grid(f0t_quantise_writing *w, size_t value)
{
    char scale_name[F0T_QUANTISE_NAME], zero_name[F0T_QUANTISE_NAME], bytes[F0T_QUANTISE_NAME],
        floats[F0T_QUANTISE_NAME];
    if (!w->q->values[value].on_grid)
        return;
    const f0t_grid grid = f0t_quantise_grid(w->q, value);
    const uint8_t zero = (uint8_t)grid.zero;
    f0t_quantise_name(scale_name, w, value, "scale");
    f0t_quantise_name(zero_name, w, value, "zero");
    f0t_quantise_name(bytes, w, value, "bytes");
    f0t_quantise_name(floats, w, value, "floats");
    f0t_quantise_put_number(w, scale_name, F0T_ONNX_FLOAT, &grid.scale, sizeof grid.scale);
    f0t_quantise_put_number(w, zero_name, F0T_ONNX_UINT8, &zero, sizeof zero);
    put_node(w, "QuantizeLinear", w->graph->values[value].name, scale_name, zero_name, bytes,
             F0T_NONE);
    put_node(w, "DequantizeLinear", bytes, scale_name, zero_name, floats, F0T_NONE);
}

const char *f0t_quantise_taken_name(char buffer[F0T_QUANTISE_NAME], const f0t_quantise_writing *w,
                                    size_t value)
{
    if (value == F0T_NONE)
        return "";
    if (!w->q->values[value].on_grid)
        return w->graph->values[value].name;
    f0t_quantise_name(buffer, w, value, "floats");
    return buffer;
}

/* ---- Weights --------------------------------------------------------------------------------- */

typedef struct eight {
    float *weights, *bias, *scales; /* of a layer */
    int8_t *bytes;
    int32_t *bias_bytes;
} eight;

static void clear_eight(eight *e)
{
    f0t_free(e->weights);
    f0t_free(e->bias);
    f0t_free(e->scales);
    f0t_free(e->bytes);
    f0t_free(e->bias_bytes);
}

static int64_t clamp(double x, int64_t most)
{
    double y = rint(x);
    return y > (double)most ? most : y > -(double)most ? (int64_t)y : -most;
}

/* The bias is int32 in steps of x's scale times the filter's, which is large enough for that. */
static f0t_status fill_eight(eight *e, f0t_quantise_writing *w, const f0t_quantise_layer *l)
{
    const size_t count = w->q->fold.arrays[l->weights].count;
    const float source = f0t_quantise_grid(w->q, l->x).scale;
    const float *scales;
    F0T_TRY(f0t_quantise_weights(&e->weights, &e->bias, w->q, l));
    F0T_TRY(f0t_alloc(&e->scales, l->filters, sizeof *e->scales));
    F0T_TRY(f0t_alloc(&e->bytes, count, sizeof *e->bytes));
    F0T_TRY(f0t_alloc(&e->bias_bytes, l->filters, sizeof *e->bias_bytes));
    F0T_TRY(f0t_quantise_scales(&scales, w->q, l, e->weights));
    for (size_t f = 0; f < l->filters; f++) {
        float least = fabsf(e->bias[f]) / source / (float)(1 << 30);
        e->scales[f] = scales[f] < least ? least : scales[f];
    }
    for (size_t k = 0; k < count; k++)
        e->bytes[k] = (int8_t)clamp((double)e->weights[k] /
                                        (double)e->scales[f0t_quantise_filter(w->q, l, k)],
                                    f0t_quantise_weight_most(w->q));
    for (size_t f = 0; f < l->filters; f++) {
        e->bias_bytes[f] =
            (int32_t)clamp((double)e->bias[f] / ((double)source * (double)e->scales[f]), INT32_MAX);
        e->bias[f] = source * e->scales[f]; /* from now on the scale of the bias */
    }
    return F0T_OK;
}

f0t_status f0t_quantise_put_weights(f0t_quantise_writing *w, const f0t_quantise_layer *l)
{
    const f0t_onnx_array *shape = &w->q->fold.arrays[l->weights];
    char names[7][F0T_QUANTISE_NAME];
    static const char *const parts[] = {"weights", "weights_scale", "weights_zero", "weight_floats",
                                        "bias",    "bias_scale",    "bias_floats"};
    eight e = {0};
    int8_t *zeros = NULL;
    for (size_t k = 0; k < 7; k++)
        f0t_quantise_name(names[k], w, l->output, parts[k]);
    f0t_status status = fill_eight(&e, w, l);
    if (status == F0T_OK)
        status = f0t_alloc_zero(&zeros, l->filters, 1);
    if (status == F0T_OK) {
        f0t_quantise_put_tensor(w, names[0], F0T_ONNX_INT8, shape, e.bytes, shape->count);
        f0t_quantise_put_list(w, names[1], F0T_ONNX_FLOAT, e.scales, l->filters, sizeof *e.scales);
        f0t_quantise_put_list(w, names[2], F0T_ONNX_INT8, zeros, l->filters, 1);
        put_node(w, "DequantizeLinear", names[0], names[1], names[2], names[3], l->axis);
    }
    if (status == F0T_OK && f0t_quantise_has_bias(l)) {
        f0t_quantise_put_list(w, names[4], F0T_ONNX_INT32, e.bias_bytes, l->filters,
                              sizeof *e.bias_bytes);
        f0t_quantise_put_list(w, names[5], F0T_ONNX_FLOAT, e.bias, l->filters, sizeof *e.bias);
        put_node(w, "DequantizeLinear", names[4], names[5], NULL, names[6], 0);
    }
    f0t_free(zeros);
    clear_eight(&e);
    return status;
}
