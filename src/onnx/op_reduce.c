/* Operators that reduce along axes. */
#include "onnx/ops.h"

#include "base/alloc.h"

#include <math.h>

typedef struct reduction {
    bool gone[F0T_ONNX_RANK];
    size_t dims[F0T_ONNX_RANK], rank; /* of the result */
    size_t step[F0T_ONNX_RANK];       /* in the result, of each input dimension; 0: reduced */
    size_t each;                      /* elements that make one result */
} reduction;

static void shape_reduction(reduction *r, const f0t_onnx_array *x, bool keep)
{
    size_t stride = 1;
    r->rank = 0;
    r->each = 1;
    for (size_t d = 0; d < x->rank; d++) {
        if (!r->gone[d] || keep)
            r->dims[r->rank++] = r->gone[d] ? 1 : x->dims[d];
        r->each *= r->gone[d] ? x->dims[d] : 1;
    }
    for (size_t d = x->rank; d-- > 0;) {
        r->step[d] = r->gone[d] ? 0 : stride;
        stride *= r->gone[d] ? 1 : x->dims[d];
    }
}

static size_t target(const reduction *r, const f0t_onnx_array *x, size_t k)
{
    size_t at = 0;
    for (size_t d = x->rank; d-- > 0;) {
        at += k % x->dims[d] * r->step[d];
        k /= x->dims[d];
    }
    return at;
}

static double start_value(int kind)
{
    switch (kind) {
    case F0T_REDUCE_MAX:
    case F0T_REDUCE_LOG_SUM_EXP:
        return -INFINITY;
    case F0T_REDUCE_MIN:
        return INFINITY;
    case F0T_REDUCE_PROD:
        return 1;
    default:
        return 0;
    }
}

static double combine(int kind, double so_far, double v)
{
    switch (kind) {
    case F0T_REDUCE_MAX:
        return v > so_far || v != v ? v : so_far;
    case F0T_REDUCE_MIN:
        return v < so_far || v != v ? v : so_far;
    case F0T_REDUCE_PROD:
        return so_far * v;
    case F0T_REDUCE_L1:
        return so_far + fabs(v);
    case F0T_REDUCE_L2:
    case F0T_REDUCE_SUM_SQUARE:
        return so_far + v * v;
    case F0T_REDUCE_LOG_SUM_EXP: {
        double high = v > so_far ? v : so_far, low = v > so_far ? so_far : v;
        return isinf(high) ? high : high + log1p(exp(low - high));
    }
    default:
        return so_far + v;
    }
}

static double finish(int kind, double sum, size_t each)
{
    switch (kind) {
    case F0T_REDUCE_MEAN:
        return sum / (double)each;
    case F0T_REDUCE_L2:
        return sqrt(sum);
    case F0T_REDUCE_LOG_SUM:
        return log(sum);
    default:
        return sum;
    }
}

/* In double, one result at a time: sums stay exact to the last place of a float32. Integers are
 * exact up to 2^53. */
static void reduce_one(f0t_onnx_array *y, size_t k, const f0t_onnx_array *x, const reduction *r,
                       int kind, const size_t *starts, const size_t *offsets)
{
    double sum = start_value(kind);
    for (size_t e = 0; e < r->each; e++) {
        size_t at = starts[k] + offsets[e];
        sum = combine(kind, sum, x->f ? (double)x->f[at] : (double)x->i[at]);
    }
    sum = finish(kind, sum, r->each);
    if (y->f)
        y->f[k] = (float)sum;
    else
        y->i[k] = f0t_onnx_array_to_integer(y->type, sum);
}

/* Where each result's elements begin, and how far each of them is from that. */
static void list_places(size_t *starts, size_t *offsets, const f0t_onnx_array *x,
                        const reduction *r)
{
    size_t each = 0;
    for (size_t k = 0; k < x->count; k++) {
        size_t rest = k, kept = 0, gone = 0;
        for (size_t d = x->rank; d-- > 0;) {
            *(r->gone[d] ? &gone : &kept) += rest % x->dims[d];
            rest /= x->dims[d];
        }
        if (!gone)
            starts[target(r, x, k)] = k;
        if (!kept)
            offsets[each++] = k;
    }
}

static f0t_status reduce_all(const f0t_op_call *call, const f0t_onnx_array *x, const reduction *r)
{
    f0t_onnx_array *y = call->outputs;
    size_t *starts, *offsets = NULL;
    F0T_TRY(f0t_onnx_budget_take(call->budget, y->count + r->each, sizeof *starts));
    F0T_TRY(f0t_op_steps(call, x->count, 2 * x->rank));
    f0t_status status = f0t_alloc_zero(&starts, y->count, sizeof *starts);
    if (status == F0T_OK)
        status = f0t_alloc(&offsets, r->each, sizeof *offsets);
    if (status == F0T_OK)
        list_places(starts, offsets, x, r);
    for (size_t k = 0; k < y->count && status == F0T_OK; k++) {
        reduce_one(y, k, x, r, call->op->kind, starts, offsets);
        status = f0t_op_steps(call, r->each, 2);
    }
    f0t_free(offsets);
    f0t_free(starts);
    f0t_onnx_budget_give(call->budget, y->count + r->each, sizeof *starts);
    return status;
}

static f0t_status read_axes(reduction *r, const f0t_op_call *call, const f0t_onnx_array *x)
{
    const int64_t *axes;
    size_t count;
    F0T_TRY(f0t_op_list(&axes, &count, call, "axes", 1));
    bool all = !count && !f0t_op_int(call, "noop_with_empty_axes", 0);
    F0T_TRY(f0t_op_axes(r->gone, axes, count, x->rank));
    for (size_t d = 0; d < x->rank && all; d++)
        r->gone[d] = true;
    return F0T_OK;
}

f0t_status f0t_op_reduce(f0t_op_call *call)
{
    const f0t_onnx_array *x = f0t_op_in(call, 0);
    reduction r;
    F0T_TRY(read_axes(&r, call, x));
    shape_reduction(&r, x, f0t_op_int(call, "keepdims", 1) != 0);
    F0T_TRY(f0t_op_output(call, 0, x->type, r.rank, r.dims));
    return call->shape_only ? F0T_OK : reduce_all(call, x, &r);
}

/* ---- Along one axis -----------------------------------------------------------------------------
 */

static void around(size_t *outer, size_t *inner, const f0t_onnx_array *x, size_t axis)
{
    *outer = *inner = 1;
    for (size_t d = 0; d < x->rank; d++)
        if (d != axis)
            *(d < axis ? outer : inner) *= x->dims[d];
}

static bool goes_before(const f0t_onnx_array *x, size_t i, size_t j, bool max)
{
    if (x->f)
        return max ? x->f[i] > x->f[j] : x->f[i] < x->f[j];
    return max ? x->i[i] > x->i[j] : x->i[i] < x->i[j];
}

f0t_status f0t_op_arg(f0t_op_call *call)
{
    const f0t_onnx_array *x = f0t_op_in(call, 0);
    reduction r = {.gone = {false}};
    size_t axis, outer, inner;
    bool last = f0t_op_int(call, "select_last_index", 0) != 0;
    F0T_TRY(f0t_op_axis(&axis, f0t_op_int(call, "axis", 0), x->rank));
    r.gone[axis] = true;
    shape_reduction(&r, x, f0t_op_int(call, "keepdims", 1) != 0);
    F0T_TRY(f0t_op_output(call, 0, F0T_ONNX_INT64, r.rank, r.dims));
    if (call->shape_only)
        return F0T_OK;
    around(&outer, &inner, x, axis);
    size_t n = x->dims[axis];
    if (!n)
        return f0t_fail(F0T_ERROR_FORMAT, "it looks for the largest of nothing");
    for (size_t k = 0; k < outer * inner; k++) {
        size_t base = k / inner * n * inner + k % inner, best = 0;
        for (size_t e = 1; e < n; e++) {
            size_t here = base + e * inner, there = base + best * inner;
            bool max = call->op->kind == F0T_ARG_MAX;
            if (last ? !goes_before(x, there, here, max) : goes_before(x, here, there, max))
                best = e;
        }
        call->outputs->i[k] = (int64_t)best;
    }
    return F0T_OK;
}

static void softmax_row(float *y, const float *x, size_t n, size_t step, int kind)
{
    float top = -INFINITY;
    double sum = 0;
    size_t best = 0;
    for (size_t k = 0; k < n; k++)
        if (x[k * step] > top) {
            top = x[k * step];
            best = k;
        }
    for (size_t k = 0; k < n && kind != F0T_HARDMAX; k++)
        sum += (double)(y[k * step] = expf(x[k * step] - top));
    for (size_t k = 0; k < n; k++) {
        if (kind == F0T_HARDMAX)
            y[k * step] = k == best;
        else if (kind == F0T_SOFTMAX)
            y[k * step] = (float)((double)y[k * step] / sum);
        else
            y[k * step] = x[k * step] - top - (float)log(sum);
    }
}

/* Up to set 12 the array is a matrix of everything before `axis` by everything from it on. */
f0t_status f0t_op_softmax(f0t_op_call *call)
{
    const f0t_onnx_array *x = f0t_op_in(call, 0);
    size_t axis = 0, outer = 1, inner = 1, n;
    bool old = call->opset < 13;
    F0T_TRY(f0t_op_output_like(call, 0, x));
    if (x->rank)
        F0T_TRY(f0t_op_axis(&axis, f0t_op_int(call, "axis", old ? 1 : -1),
                            old && x->rank == 1 ? 2 : x->rank));
    if (call->shape_only || !x->count)
        return F0T_OK;
    around(&outer, &inner, x, axis);
    n = x->count / outer / inner;
    if (old) {
        n *= inner;
        inner = 1;
    }
    for (size_t k = 0; k < outer * inner; k++) {
        size_t base = k / inner * n * inner + k % inner;
        softmax_row(call->outputs->f + base, x->f + base, n, inner, call->op->kind);
    }
    return F0T_OK;
}

f0t_status f0t_op_cum_sum(f0t_op_call *call)
{
    const f0t_onnx_array *x = f0t_op_in(call, 0), *along = f0t_op_in(call, 1);
    size_t axis, outer, inner;
    bool exclusive = f0t_op_int(call, "exclusive", 0) != 0;
    bool reverse = f0t_op_int(call, "reverse", 0) != 0;
    F0T_TRY(f0t_op_need(call, 1));
    if (!along->i || along->count != 1)
        return f0t_fail(F0T_ERROR_FORMAT, "its axis is not one integer");
    F0T_TRY(f0t_op_axis(&axis, along->i[0], x->rank));
    F0T_TRY(f0t_op_output_like(call, 0, x));
    if (call->shape_only)
        return F0T_OK;
    around(&outer, &inner, x, axis);
    size_t n = x->dims[axis];
    f0t_onnx_array *y = call->outputs;
    for (size_t k = 0; k < outer * inner; k++) {
        double sum = 0;
        uint64_t whole = 0;
        for (size_t e = 0; e < n; e++) {
            size_t at = k / inner * n * inner + k % inner + (reverse ? n - 1 - e : e) * inner;
            double v = x->f ? (double)x->f[at] : 0;
            uint64_t w = x->i ? (uint64_t)x->i[at] : 0;
            if (y->f)
                y->f[at] = (float)(exclusive ? sum : sum + v);
            else
                y->i[at] = (int64_t)(exclusive ? whole : whole + w);
            sum += v;
            whole += w;
        }
    }
    return F0T_OK;
}
