/* Convolutions, straight from their definition. */
#include "onnx/ops.h"

#include "base/size.h"

#include <string.h>

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
    const float *x, *w, *bias;
    float *y;
    size_t channels, filters, groups;
    space s;
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
        double sum = l->bias ? (double)l->bias[f] : 0;
        for (size_t c = 0; c < inner; c++)
            sum += sum_window(x + c * plane, l->w + (f * inner + c) * taps, s, o);
        l->y[(n * l->filters + f) * area + k] = (float)sum;
    }
    return F0T_OK;
}

static f0t_status check_weights(size_t *groups, const f0t_op_call *call, bool transposed)
{
    const f0t_onnx_array *x = f0t_op_in(call, 0), *w = f0t_op_in(call, 1), *b = f0t_op_in(call, 2);
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

f0t_status f0t_op_conv(f0t_op_call *call)
{
    const f0t_onnx_array *x = f0t_op_in(call, 0), *w = f0t_op_in(call, 1), *b = f0t_op_in(call, 2);
    f0t_onnx_window window;
    size_t groups, dims[F0T_ONNX_RANK] = {x->dims[0], w->dims[0]};
    F0T_TRY(check_weights(&groups, call, false));
    F0T_TRY(f0t_onnx_window_read(&window, call, x, w));
    for (size_t d = 0; d < window.rank; d++)
        dims[2 + d] = window.out[d];
    F0T_TRY(f0t_op_output(call, 0, x->type, x->rank, dims));
    if (call->shape_only)
        return F0T_OK;
    layer l = {x->f,       w->f,       b ? b->f : NULL, call->outputs->f,
               x->dims[1], w->dims[0], groups,          as_three(&window)};
    for (size_t n = 0; n < x->dims[0]; n++)
        for (size_t f = 0; f < l.filters; f++)
            F0T_TRY(convolve(call, &l, n, f));
    return F0T_OK;
}

/* ---- Transposed -----------------------------------------------------------------------------------
 */

/* The window of the convolution whose transpose this is: `in` is what this one gives. */
static f0t_status read_transposed(f0t_onnx_window *out, const f0t_op_call *call,
                                  const f0t_onnx_array *x, const f0t_onnx_array *w)
{
    size_t extra_count, shape_count;
    const int64_t *extra = f0t_op_ints(call, "output_padding", &extra_count);
    const int64_t *shape = f0t_op_ints(call, "output_shape", &shape_count);
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
        float *y = l->y + (n * l->filters + group * per_group + f) * plane;
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
    size_t groups, dims[F0T_ONNX_RANK], plane = 1;
    F0T_TRY(check_weights(&groups, call, true));
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
    layer l = {x->f, w->f, NULL, y->f, x->dims[1], dims[1], groups, as_three(&window)};
    for (size_t n = 0; n < x->dims[0]; n++)
        for (size_t c = 0; c < x->dims[1]; c++)
            F0T_TRY(convolve_back(call, &l, n, c));
    return F0T_OK;
}
