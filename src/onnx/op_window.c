/* Operators with windows, convolution and pooling: the geometry, and both straight from their definitions. */
#include "onnx/ops.h"

#include "base/size.h"

#include <math.h>
#include <string.h>

/* ---- Geometry -------------------------------------------------------------------------------- */

static f0t_status read_sizes(size_t *to, const f0t_op_call *call, const char *name, size_t rank)
{
    size_t count;
    const int64_t *list = f0t_op_ints(&count, call, name);
    for (size_t d = 0; d < rank; d++)
        to[d] = 1;
    if (!list)
        return F0T_OK;
    if (count != rank)
        return f0t_fail(F0T_ERROR_FORMAT, "%s has %zu numbers for %zu dimensions", name, count,
                        rank);
    for (size_t d = 0; d < rank; d++) {
        if (list[d] < 1 || list[d] > INT32_MAX)
            return f0t_fail(F0T_ERROR_FORMAT, "%s has %lld in it", name, (long long)list[d]);
        to[d] = (size_t)list[d];
    }
    return F0T_OK;
}

static f0t_status read_pads(f0t_onnx_window *w, const f0t_op_call *call)
{
    size_t count;
    const int64_t *pads = f0t_op_ints(&count, call, "pads");
    if (!pads)
        return F0T_OK;
    if (count != 2 * w->rank)
        return f0t_fail(F0T_ERROR_FORMAT, "pads has %zu numbers for %zu dimensions", count,
                        w->rank);
    for (size_t d = 0; d < count; d++) {
        if (pads[d] < 0 || pads[d] > INT32_MAX)
            return f0t_fail(F0T_ERROR_UNSUPPORTED, "padding by %lld", (long long)pads[d]);
        *(d < w->rank ? &w->before[d] : &w->after[d - w->rank]) = (size_t)pads[d];
    }
    return F0T_OK;
}

/* SAME: as many windows as strides fit into the input; the odd one of the padding is at the end
 * (upper) or the beginning (lower). */
static void pad_same(f0t_onnx_window *w, size_t d, size_t span, bool upper)
{
    size_t windows = (w->in[d] + w->stride[d] - 1) / w->stride[d];
    size_t needed = windows ? (windows - 1) * w->stride[d] + span : 0;
    size_t total = needed > w->in[d] ? needed - w->in[d] : 0;
    w->before[d] = upper ? total / 2 : total - total / 2;
    w->after[d] = total - w->before[d];
}

static f0t_status count_windows(f0t_onnx_window *w, const f0t_op_call *call)
{
    const char *pad = f0t_op_text(call, "auto_pad", "NOTSET");
    bool same = strncmp(pad, "SAME_", 5) == 0, ceil = f0t_op_int(call, "ceil_mode", 0) != 0;
    for (size_t d = 0; d < w->rank; d++) {
        size_t span, padded;
        if (!f0t_size_mul(&span, w->kernel[d] - 1, w->dilation[d]) || span > INT32_MAX)
            return f0t_fail(F0T_ERROR_FORMAT, "a window of %zu by steps of %zu is too large",
                            w->kernel[d], w->dilation[d]);
        span++;
        if (w->in[d] > INT32_MAX)
            return f0t_fail(F0T_ERROR_UNSUPPORTED, "an input of %zu", w->in[d]);
        if (same)
            pad_same(w, d, span, strcmp(pad, "SAME_UPPER") == 0);
        padded = w->in[d] + w->before[d] + w->after[d];
        if (padded < span)
            return f0t_fail(F0T_ERROR_FORMAT, "a window of %zu is larger than its input of %zu",
                            span, padded);
        size_t rest = padded - span;
        w->out[d] = rest / w->stride[d] + 1;
        /* The last window may begin in the padding before the end, never after it. */
        if (ceil && rest % w->stride[d] && w->out[d] * w->stride[d] < w->in[d] + w->before[d])
            w->out[d]++;
    }
    return F0T_OK;
}

f0t_status f0t_onnx_window_attributes(f0t_onnx_window *out, const f0t_op_call *call,
                                      const f0t_onnx_array *x, const f0t_onnx_array *weights)
{
    *out = (f0t_onnx_window){0};
    if (x->rank < 3 || x->rank > 2 + F0T_ONNX_WINDOW_RANK)
        return f0t_fail(F0T_ERROR_UNSUPPORTED, "an input of %zu dimensions", x->rank);
    out->rank = x->rank - 2;
    memcpy(out->in, x->dims + 2, out->rank * sizeof *out->in);
    F0T_TRY(read_sizes(out->kernel, call, "kernel_shape", out->rank));
    F0T_TRY(read_sizes(out->stride, call, "strides", out->rank));
    F0T_TRY(read_sizes(out->dilation, call, "dilations", out->rank));
    if (!weights && !f0t_op_has(call, "kernel_shape"))
        return f0t_fail(F0T_ERROR_FORMAT, "it has no kernel_shape");
    for (size_t d = 0; weights && d < out->rank; d++) {
        if (f0t_op_has(call, "kernel_shape") && out->kernel[d] != weights->dims[2 + d])
            return f0t_fail(F0T_ERROR_FORMAT, "kernel_shape says %zu, the weights are %zu",
                            out->kernel[d], weights->dims[2 + d]);
        out->kernel[d] = weights->dims[2 + d];
        if (!out->kernel[d])
            return f0t_fail(F0T_ERROR_FORMAT, "its weights are empty");
    }
    return read_pads(out, call);
}

f0t_status f0t_onnx_window_read(f0t_onnx_window *out, const f0t_op_call *call,
                                const f0t_onnx_array *x, const f0t_onnx_array *weights)
{
    F0T_TRY(f0t_onnx_window_attributes(out, call, x, weights));
    return count_windows(out, call);
}

/* ---- Convolution ----------------------------------------------------------------------------- */

/* Sizes as if there were always three spatial dimensions; missing ones are 1. */
typedef struct space {
    size_t in[3], kernel[3], stride[3], dilation[3], before[3], out[3];
} space;

static space as_three(const f0t_onnx_window *w)
{
    space s;
    for (size_t d = 0; d < 3; d++) {
        size_t from = d + w->rank - 3;
        bool real = d + w->rank >= 3;
        s.in[d] = real ? w->in[from] : 1;
        s.kernel[d] = real ? w->kernel[from] : 1;
        s.stride[d] = real ? w->stride[from] : 1;
        s.dilation[d] = real ? w->dilation[from] : 1;
        s.before[d] = real ? w->before[from] : 0;
        s.out[d] = real ? w->out[from] : 1;
    }
    return s;
}

/* The input coordinate of one kernel element, or false outside. */
static bool reach(size_t *at, const space *s, size_t d, size_t out, size_t k)
{
    size_t place = out * s->stride[d] + k * s->dilation[d];
    *at = place - s->before[d];
    return place >= s->before[d] && *at < s->in[d];
}

static double sum_window(const float *x, const float *w, const space *s, const size_t *o)
{
    double sum = 0;
    size_t z, y, c;
    for (size_t a = 0; a < s->kernel[0]; a++)
        for (size_t b = 0; b < s->kernel[1] && reach(&z, s, 0, o[0], a); b++)
            for (size_t e = 0; e < s->kernel[2] && reach(&y, s, 1, o[1], b); e++)
                if (reach(&c, s, 2, o[2], e))
                    sum += (double)x[(z * s->in[1] + y) * s->in[2] + c] *
                           (double)w[(a * s->kernel[1] + b) * s->kernel[2] + e];
    return sum;
}

typedef struct layer {
    const float *x, *w;
    size_t channels, filters, groups;
    space s;
    f0t_conv_put put;
    void *to;
} layer;

/* One output plane: image n, filter f. */
static f0t_status convolve(const f0t_op_call *call, const layer *l, size_t n, size_t f)
{
    const space *s = &l->s;
    size_t inner = l->channels / l->groups, group = f / (l->filters / l->groups);
    size_t plane = s->in[0] * s->in[1] * s->in[2], area = s->out[0] * s->out[1] * s->out[2];
    size_t taps = s->kernel[0] * s->kernel[1] * s->kernel[2];
    const float *x = l->x + (n * l->channels + group * inner) * plane;
    for (size_t k = 0; k < area; k++) {
        F0T_TRY(f0t_op_steps(call, inner, taps));
        size_t o[] = {k / s->out[2] / s->out[1], k / s->out[2] % s->out[1], k % s->out[2]};
        double sum = 0;
        for (size_t c = 0; c < inner; c++)
            sum += sum_window(x + c * plane, l->w + (f * inner + c) * taps, s, o);
        l->put(l->to, (n * l->filters + f) * area + k, f, sum);
    }
    return F0T_OK;
}

static f0t_status check_weights(size_t *groups, const f0t_op_call *call, const f0t_onnx_array *x,
                                const f0t_onnx_array *w, const f0t_onnx_array *b, bool transposed)
{
    int64_t given = f0t_op_int(call, "group", 1);
    if (x->rank < 3 || w->rank != x->rank)
        return f0t_fail(F0T_ERROR_FORMAT, "an input of %zu dimensions, weights of %zu", x->rank,
                        w->rank);
    *groups = given > 0 && given <= (int64_t)x->dims[1] ? (size_t)given : 0;
    if (!*groups || x->dims[1] % *groups || (!transposed && w->dims[0] % *groups))
        return f0t_fail(F0T_ERROR_FORMAT, "%zu channels and %zu filters in %lld groups", x->dims[1],
                        w->dims[0], (long long)given);
    size_t all;
    if (!f0t_size_mul(&all, w->dims[1], *groups))
        return f0t_fail(F0T_ERROR_FORMAT, "weights of %zu in %zu groups", w->dims[1], *groups);
    size_t wanted = transposed ? w->dims[0] : all;
    size_t filters = transposed ? all : w->dims[0];
    if (wanted != x->dims[1])
        return f0t_fail(F0T_ERROR_FORMAT, "the weights are for %zu channels, the input has %zu",
                        wanted, x->dims[1]);
    if (b && (b->rank != 1 || b->count != filters))
        return f0t_fail(F0T_ERROR_FORMAT, "a bias of %zu numbers for %zu filters", b->count,
                        filters);
    return F0T_OK;
}

f0t_status f0t_conv_shape(f0t_conv_form *out, const f0t_op_call *call, const f0t_onnx_array *x,
                          const f0t_onnx_array *w, const f0t_onnx_array *bias)
{
    *out = (f0t_conv_form){.images = x->dims[0], .channels = x->dims[1], .filters = w->dims[0]};
    F0T_TRY(check_weights(&out->groups, call, x, w, bias, false));
    F0T_TRY(f0t_onnx_window_read(&out->window, call, x, w));
    out->dims[0] = x->dims[0];
    out->dims[1] = w->dims[0];
    for (size_t d = 0; d < out->window.rank; d++)
        out->dims[2 + d] = out->window.out[d];
    return F0T_OK;
}

f0t_status f0t_conv_sum(const f0t_op_call *call, const f0t_conv_form *form, const float *x,
                        const float *w, f0t_conv_put put, void *to)
{
    layer l = {x, w, form->channels, form->filters, form->groups, as_three(&form->window), put, to};
    for (size_t n = 0; n < form->images; n++)
        for (size_t f = 0; f < l.filters; f++)
            F0T_TRY(convolve(call, &l, n, f));
    return F0T_OK;
}

static void put_float(void *to, size_t k, size_t filter, double sum)
{
    const f0t_op_call *call = to;
    const f0t_onnx_array *bias = f0t_op_in(call, 2);
    call->outputs->f[k] = (float)(bias ? sum + (double)bias->f[filter] : sum);
}

f0t_status f0t_op_conv(f0t_op_call *call)
{
    const f0t_onnx_array *x = f0t_op_in(call, 0), *w = f0t_op_in(call, 1);
    f0t_conv_form form;
    F0T_TRY(f0t_conv_shape(&form, call, x, w, f0t_op_in(call, 2)));
    F0T_TRY(f0t_op_output(call, 0, x->type, x->rank, form.dims));
    return call->shape_only ? F0T_OK : f0t_conv_sum(call, &form, x->f, w->f, put_float, call);
}

/* ---- Transposed -----------------------------------------------------------------------------------
 */

/* The window of the convolution whose transpose this is: `in` is what this one gives. */
static f0t_status read_transposed(f0t_onnx_window *out, const f0t_op_call *call,
                                  const f0t_onnx_array *x, const f0t_onnx_array *w)
{
    size_t extra_count, shape_count;
    const int64_t *extra = f0t_op_ints(&extra_count, call, "output_padding");
    const int64_t *shape = f0t_op_ints(&shape_count, call, "output_shape");
    const char *pad = f0t_op_text(call, "auto_pad", "NOTSET");
    F0T_TRY(f0t_onnx_window_attributes(out, call, x, w));
    if ((extra && extra_count != out->rank) || (shape && shape_count != out->rank))
        return f0t_fail(F0T_ERROR_FORMAT, "its attributes do not fit its input");
    for (size_t d = 0; d < out->rank; d++) {
        size_t span, more = 0;
        out->out[d] = x->dims[2 + d];
        if (extra && (extra[d] < 0 || extra[d] > INT16_MAX))
            return f0t_fail(F0T_ERROR_FORMAT, "output_padding %lld", (long long)extra[d]);
        more = extra ? (size_t)extra[d] : 0;
        if (!f0t_size_mul(&span, out->kernel[d] - 1, out->dilation[d]) || ++span > INT16_MAX ||
            !x->dims[2 + d] || x->dims[2 + d] > INT16_MAX)
            return f0t_fail(F0T_ERROR_UNSUPPORTED, "it is not known for this size");
        size_t full = (x->dims[2 + d] - 1) * out->stride[d] + span + more;
        bool same = strncmp(pad, "SAME_", 5) == 0;
        size_t wanted = shape  ? (size_t)shape[d]
                        : same ? x->dims[2 + d] * out->stride[d]
                               : full - out->before[d] - out->after[d];
        if ((!shape && !same && out->before[d] + out->after[d] >= full) || wanted > (1U << 24) ||
            !wanted)
            return f0t_fail(F0T_ERROR_FORMAT, "nothing is left of dimension %zu", d);
        if (shape || same) {
            size_t total = full > wanted ? full - wanted : 0;
            bool upper = strcmp(pad, "SAME_UPPER") == 0;
            out->before[d] = upper ? total / 2 : total - total / 2;
            if (!same)
                out->before[d] = total / 2;
        }
        out->in[d] = wanted;
    }
    return F0T_OK;
}

/* Adds what one input element gives to one output plane. */
static void spread(float *y, const float *w, float v, const space *s, const size_t *o)
{
    size_t z, h, c;
    for (size_t a = 0; a < s->kernel[0]; a++)
        for (size_t b = 0; b < s->kernel[1] && reach(&z, s, 0, o[0], a); b++)
            for (size_t e = 0; e < s->kernel[2] && reach(&h, s, 1, o[1], b); e++)
                if (reach(&c, s, 2, o[2], e))
                    y[(z * s->in[1] + h) * s->in[2] + c] +=
                        v * w[(a * s->kernel[1] + b) * s->kernel[2] + e];
}

static f0t_status convolve_back(const f0t_op_call *call, const layer *l, size_t n, size_t channel)
{
    const space *s = &l->s;
    size_t per_group = l->filters / l->groups, group = channel / (l->channels / l->groups);
    size_t plane = s->in[0] * s->in[1] * s->in[2], area = s->out[0] * s->out[1] * s->out[2];
    size_t taps = s->kernel[0] * s->kernel[1] * s->kernel[2];
    for (size_t f = 0; f < per_group; f++) {
        float *y = (float *)l->to + (n * l->filters + group * per_group + f) * plane;
        for (size_t k = 0; k < area; k++) {
            F0T_TRY(f0t_op_steps(call, taps, 1));
            size_t o[] = {k / s->out[2] / s->out[1], k / s->out[2] % s->out[1], k % s->out[2]};
            spread(y, l->w + (channel * per_group + f) * taps,
                   l->x[(n * l->channels + channel) * area + k], s, o);
        }
    }
    return F0T_OK;
}

f0t_status f0t_op_conv_transpose(f0t_op_call *call)
{
    const f0t_onnx_array *x = f0t_op_in(call, 0), *w = f0t_op_in(call, 1), *b = f0t_op_in(call, 2);
    f0t_onnx_window window;
    size_t groups = 0, dims[F0T_ONNX_RANK], plane = 1;
    F0T_TRY(check_weights(&groups, call, x, w, f0t_op_in(call, 2), true));
    F0T_TRY(read_transposed(&window, call, x, w));
    dims[0] = x->dims[0];
    dims[1] = w->dims[1] * groups;
    for (size_t d = 0; d < window.rank; d++)
        plane *= dims[2 + d] = window.in[d];
    F0T_TRY(f0t_op_output(call, 0, x->type, x->rank, dims));
    if (call->shape_only)
        return F0T_OK;
    f0t_onnx_array *y = call->outputs;
    for (size_t k = 0; k < y->count; k++)
        y->f[k] = b ? b->f[k / plane % dims[1]] : 0.0F;
    layer l = {x->f, w->f, x->dims[1], dims[1], groups, as_three(&window), NULL, y->f};
    for (size_t n = 0; n < x->dims[0]; n++)
        for (size_t c = 0; c < x->dims[1]; c++)
            F0T_TRY(convolve_back(call, &l, n, c));
    return F0T_OK;
}

/* ---- Pooling --------------------------------------------------------------------------------- */

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
