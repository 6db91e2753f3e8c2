/* Pooling, straight from its definition. */
#include "onnx/ops.h"

#include "base/size.h"

#include <math.h>

typedef struct pool {
    const f0t_onnx_array *x;
    f0t_onnx_window w;
    int kind;
    bool count_padding, column_major;
    float power;
    size_t plane; /* elements of one input plane */
    size_t taps;  /* of one window */
} pool;

/* The input coordinates of tap k of the window at output o; false outside. */
static bool place(size_t *at, const pool *p, const size_t *o, size_t k)
{
    const f0t_onnx_window *w = &p->w;
    size_t index = 0, rest = k, stride = 1;
    for (size_t d = w->rank; d-- > 0;) {
        size_t i = o[d] * w->stride[d] + rest % w->kernel[d] * w->dilation[d];
        rest /= w->kernel[d];
        if (i < w->before[d] || i - w->before[d] >= w->in[d])
            return false;
        index += (i - w->before[d]) * stride;
        stride *= w->in[d];
    }
    *at = index;
    return true;
}

/* Taps of the window that lie in the padded input: what an average with padding divides by. */
static size_t padded_taps(const pool *p, const size_t *o)
{
    const f0t_onnx_window *w = &p->w;
    size_t taps = 1;
    for (size_t d = 0; d < w->rank; d++) {
        size_t inside = 0, end = w->in[d] + w->before[d] + w->after[d];
        for (size_t k = 0; k < w->kernel[d]; k++)
            inside += o[d] * w->stride[d] + k * w->dilation[d] < end;
        taps *= inside;
    }
    return taps;
}

/* Index of the largest as Indices wants it: in the whole input, row- or column-major. */
static int64_t index_of(const pool *p, size_t plane, size_t at)
{
    size_t index = at;
    if (p->column_major) {
        size_t stride = p->plane;
        index = 0;
        for (size_t d = p->w.rank; d-- > 0;) {
            stride /= p->w.in[d];
            index += at % p->w.in[d] * stride;
            at /= p->w.in[d];
        }
    }
    return (int64_t)(plane * p->plane + index);
}

static float pool_window(const pool *p, size_t plane, const size_t *o, int64_t *index)
{
    const f0t_onnx_array *x = p->x;
    size_t seen = 0, at, best = 0;
    double sum = 0;
    float top = -INFINITY;
    for (size_t k = 0; k < p->taps; k++) {
        if (!place(&at, p, o, k))
            continue;
        float v = x->f ? x->f[plane * p->plane + at] : (float)x->i[plane * p->plane + at];
        if (v > top || !seen || v != v) {
            top = v;
            best = at;
        }
        sum += p->kind == F0T_POOL_LP ? pow(fabs((double)v), (double)p->power) : (double)v;
        seen++;
    }
    *index = index_of(p, plane, best);
    if (p->kind == F0T_POOL_MAX)
        return top;
    if (p->kind == F0T_POOL_LP)
        return (float)pow(sum, 1.0 / (double)p->power);
    size_t by = p->count_padding ? padded_taps(p, o) : seen;
    return by ? (float)(sum / (double)by) : 0.0F;
}

static f0t_status run(f0t_op_call *call, const pool *p)
{
    f0t_onnx_array *y = call->outputs, *indices = call->output_count > 1 ? &call->outputs[1] : NULL;
    size_t area = 1, across = 0;
    for (size_t d = 0; d < p->w.rank; d++) {
        area *= p->w.out[d];
        across += p->w.kernel[d];
    }
    for (size_t k = 0; k < y->count; k++) {
        F0T_TRY(f0t_op_steps(call, p->taps, 4));
        F0T_TRY(f0t_op_steps(call, p->count_padding ? across : 0, 1));
        size_t o[F0T_ONNX_WINDOW_RANK], rest = k % area;
        int64_t index;
        for (size_t d = p->w.rank; d-- > 0;) {
            o[d] = rest % p->w.out[d];
            rest /= p->w.out[d];
        }
        float v = pool_window(p, k / area, o, &index);
        if (y->f)
            y->f[k] = v;
        else
            y->i[k] = f0t_onnx_array_to_integer(y->type, (double)v);
        if (indices)
            indices->i[k] = index;
    }
    return F0T_OK;
}

static f0t_status give(f0t_op_call *call, pool *p)
{
    const f0t_onnx_array *x = p->x;
    size_t dims[F0T_ONNX_RANK] = {x->dims[0], x->dims[1]};
    p->kind = call->op->kind;
    p->count_padding = f0t_op_int(call, "count_include_pad", 0) != 0;
    p->column_major = f0t_op_int(call, "storage_order", 0) != 0;
    p->power = call->op->kind == F0T_POOL_LP ? (float)f0t_op_int(call, "p", 2) : 1.0F;
    p->plane = p->taps = 1;
    for (size_t d = 0; d < p->w.rank; d++) {
        dims[2 + d] = p->w.out[d];
        p->plane *= p->w.in[d];
        if (!f0t_size_mul(&p->taps, p->taps, p->w.kernel[d]))
            return f0t_fail(F0T_ERROR_FORMAT, "its window is larger than memory");
    }
    if (!p->plane)
        return f0t_fail(F0T_ERROR_FORMAT, "its input is empty");
    if (!f0t_onnx_array_type_is_float(x->type) && p->kind != F0T_POOL_MAX)
        return f0t_fail(F0T_ERROR_FORMAT, "its input is not float");
    F0T_TRY(f0t_op_output(call, 0, x->type, x->rank, dims));
    F0T_TRY(f0t_op_output(call, 1, F0T_ONNX_INT64, x->rank, dims));
    return call->shape_only ? F0T_OK : run(call, p);
}

f0t_status f0t_op_pool(f0t_op_call *call)
{
    pool p = {.x = f0t_op_in(call, 0)};
    F0T_TRY(f0t_onnx_window_read(&p.w, call, p.x, NULL));
    return give(call, &p);
}

f0t_status f0t_op_global_pool(f0t_op_call *call)
{
    const f0t_onnx_array *x = f0t_op_in(call, 0);
    pool p = {.x = x, .w = {.rank = 1, .stride = {1}, .dilation = {1}, .out = {1}}};
    size_t plane = 1, dims[F0T_ONNX_RANK] = {x->dims[0], x->dims[1]};
    if (x->rank < 3)
        return f0t_fail(F0T_ERROR_FORMAT, "an input of %zu dimensions", x->rank);
    for (size_t d = 2; d < x->rank; d++) {
        plane *= x->dims[d];
        dims[d] = 1;
    }
    p.w.in[0] = p.w.kernel[0] = p.plane = p.taps = plane;
    p.kind = call->op->kind;
    p.power = 2.0F;
    F0T_TRY(f0t_op_output(call, 0, x->type, x->rank, dims));
    return call->shape_only ? F0T_OK : run(call, &p);
}
