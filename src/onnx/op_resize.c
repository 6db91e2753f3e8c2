/* Resize and Upsample: one dimension after the other, each result a sum of up to four elements. */
#include "onnx/ops.h"

#include "base/alloc.h"
#include "base/size.h"

#include <math.h>
#include <string.h>

enum { TAPS = 4 };

typedef struct tap {
    size_t count; /* 0: outside, the value for that is taken */
    size_t at[TAPS];
    double weight[TAPS];
} tap;

typedef struct how {
    const char *mode, *coordinates, *nearest;
    double a, outside;
    bool exclude;
} how;

typedef struct axis {
    size_t in, out;
    double scale, start, end; /* start and end of the region of interest */
} axis;

/* ---- Where a result lies in the input ---------------------------------------------------------
 */

static double place(const how *h, const axis *x, double out)
{
    double in = (double)x->in, length = x->scale * in;
    if (strcmp(h->coordinates, "asymmetric") == 0)
        return out / x->scale;
    if (strcmp(h->coordinates, "align_corners") == 0)
        return length > 1 ? out * (in - 1) / (length - 1) : 0; /* length is not rounded here */
    if (strcmp(h->coordinates, "tf_half_pixel_for_nn") == 0)
        return (out + 0.5) / x->scale;
    if (strcmp(h->coordinates, "tf_crop_and_resize") == 0)
        return x->out > 1 ? x->start * (in - 1) +
                                out * (x->end - x->start) * (in - 1) / ((double)x->out - 1)
                          : 0.5 * (x->start + x->end) * (in - 1);
    if (strcmp(h->coordinates, "pytorch_half_pixel") == 0 && length <= 1)
        return 0;
    return (out + 0.5) / x->scale - 0.5;
}

static double nearest(const how *h, double at)
{
    if (strcmp(h->nearest, "floor") == 0)
        return floor(at);
    if (strcmp(h->nearest, "ceil") == 0)
        return ceil(at);
    if (strcmp(h->nearest, "round_prefer_ceil") == 0)
        return floor(at + 0.5);
    return ceil(at - 0.5);
}

/* NaN is at 0. */
static size_t within(double at, size_t size)
{
    return !(at > 0) ? 0 : at >= (double)(size - 1) ? size - 1 : (size_t)at;
}

/* Keys, 1981: the cubic convolution kernel with free parameter a. */
static double cubic(double distance, double a)
{
    double d = fabs(distance);
    if (d <= 1)
        return ((a + 2) * d - (a + 3)) * d * d + 1;
    return d < 2 ? a * (((d - 5) * d + 8) * d - 4) : 0;
}

static void add(tap *t, double at, double weight, const axis *x, bool exclude)
{
    bool outside = at < 0 || at > (double)(x->in - 1);
    t->at[t->count] = within(at, x->in);
    t->weight[t->count++] = outside && exclude ? 0 : weight;
}

static tap find_taps(const how *h, const axis *x, size_t out)
{
    tap t = {0};
    double at = place(h, x, (double)out), low = floor(at), sum = 0;
    bool crop = strcmp(h->coordinates, "tf_crop_and_resize") == 0;
    if (crop && !(at >= 0 && at <= (double)(x->in - 1)))
        return t;
    if (h->mode[0] == 'n') {
        add(&t, nearest(h, at), 1, x, false);
    } else if (h->mode[0] == 'l') {
        add(&t, low, 1 - (at - low), x, false);
        add(&t, low + 1, at - low, x, false);
    } else {
        for (int k = -1; k <= 2; k++)
            add(&t, low + k, cubic(at - low - k, h->a), x, h->exclude);
        for (size_t k = 0; k < t.count; k++)
            sum += t.weight[k];
        for (size_t k = 0; k < t.count && h->exclude; k++)
            t.weight[k] /= sum;
    }
    return t;
}

/* ---- Along one dimension ------------------------------------------------------------------------
 */

static f0t_status resize_axis(const f0t_op_call *call, float *y, const float *x, const how *h,
                              const axis *a, size_t outer, size_t inner)
{
    for (size_t o = 0; o < a->out; o++) {
        F0T_TRY(f0t_op_steps(call, outer * inner, TAPS));
        tap t = find_taps(h, a, o);
        for (size_t r = 0; r < outer; r++)
            for (size_t k = 0; k < inner; k++) {
                double sum = t.count ? 0 : h->outside;
                for (size_t e = 0; e < t.count; e++)
                    sum += t.weight[e] * (double)x[(r * a->in + t.at[e]) * inner + k];
                y[(r * a->out + o) * inner + k] = (float)sum;
            }
    }
    return F0T_OK;
}

/* What lies between two dimensions: may be larger than input and result. */
static f0t_status take_floats(const f0t_op_call *call, float **out, size_t count)
{
    *out = NULL;
    F0T_TRY(f0t_onnx_budget_take(call->budget, count, sizeof **out));
    return f0t_alloc(out, count, sizeof **out);
}

/* Each step's result is the next one's input. */
static f0t_status resize_all(f0t_op_call *call, const f0t_onnx_array *x, const how *h,
                             const axis *axes)
{
    float *from = NULL, *to;
    const float *source = x->f;
    f0t_onnx_array *y = call->outputs;
    f0t_status status = F0T_OK;
    size_t count = x->count, outer = 1, inner = x->count, taken = 0;
    for (size_t d = 0; d < x->rank && status == F0T_OK; d++) {
        inner /= x->dims[d];
        bool crop = axes[d].start != 0 || axes[d].end != 1;
        if (axes[d].in != axes[d].out || crop) {
            if (!f0t_size_mul(&count, count / axes[d].in, axes[d].out))
                count = SIZE_MAX;
            status = take_floats(call, &to, count);
            if (status == F0T_OK) {
                taken += count;
                status = resize_axis(call, to, source, h, &axes[d], outer, inner);
                f0t_free(from);
                source = from = to;
            }
        }
        outer *= axes[d].out;
    }
    if (status == F0T_OK)
        memcpy(y->f, source, y->count * sizeof *y->f);
    f0t_free(from);
    f0t_onnx_budget_give(call->budget, taken, sizeof *from);
    return status;
}

/* ---- Attributes and inputs ----------------------------------------------------------------------
 */

static const f0t_onnx_array *filled(const f0t_op_call *call, size_t k)
{
    const f0t_onnx_array *in = f0t_op_in(call, k);
    return in && in->count ? in : NULL;
}

static f0t_status set_axis(axis *a, double scale, const f0t_onnx_array *sizes, size_t k)
{
    if (sizes) {
        if (sizes->i[k] < 1 || sizes->i[k] > INT32_MAX)
            return f0t_fail(F0T_ERROR_FORMAT, "a size of %lld", (long long)sizes->i[k]);
        a->out = (size_t)sizes->i[k];
        a->scale = (double)a->out / (double)a->in;
        return F0T_OK;
    }
    double out = floor((double)a->in * scale);
    if (!(scale > 0) || !(out < 1e9) || out < 1)
        return f0t_fail(F0T_ERROR_FORMAT, "a scale of %g", scale);
    a->out = (size_t)out;
    a->scale = scale;
    return F0T_OK;
}

static f0t_status read_axes(axis *axes, const f0t_op_call *call)
{
    const f0t_onnx_array *x = f0t_op_in(call, 0);
    bool old = call->opset < 11;
    const f0t_onnx_array *roi = old ? NULL : filled(call, 1), *scales = filled(call, old ? 1 : 2);
    const f0t_onnx_array *sizes = old ? NULL : filled(call, 3);
    size_t count, attributes, places[F0T_ONNX_RANK];
    const int64_t *list = f0t_op_ints(&count, call, "axes");
    const float *given = f0t_op_floats(&attributes, call, "scales");
    bool crop =
        strcmp(f0t_op_text(call, "coordinate_transformation_mode", ""), "tf_crop_and_resize") == 0;
    count = list ? count : x->rank;
    if (scales && !scales->f)
        F0T_TRY(f0t_op_need(call, old ? 1 : 2));
    if (sizes && !sizes->i)
        F0T_TRY(f0t_op_need(call, 3));
    if (sizes && !sizes->i)
        return f0t_fail(F0T_ERROR_FORMAT, "its sizes are not integers");
    if (scales)
        given = scales->f;
    if ((sizes    ? sizes->count
         : scales ? scales->count
                  : attributes) != count ||
        (!sizes && !given) || (roi && roi->f && roi->count != 2 * count))
        return f0t_fail(F0T_ERROR_FORMAT, "its scales or sizes are not for %zu dimensions", count);
    F0T_TRY(f0t_op_axis_list(places, list, count, x->rank));
    for (size_t k = 0; k < count; k++) {
        axis *a = &axes[places[k]];
        F0T_TRY(set_axis(a, sizes ? 0 : (double)given[k], sizes, k));
        if (!crop || !roi || !roi->f)
            continue;
        a->start = (double)roi->f[k];
        a->end = (double)roi->f[count + k];
        if (!isfinite(a->start) || !isfinite(a->end))
            return f0t_fail(F0T_ERROR_FORMAT, "a region from %g to %g", a->start, a->end);
    }
    return F0T_OK;
}

static f0t_status read_how(how *h, const f0t_op_call *call)
{
    bool old = call->opset < 11;
    h->mode = f0t_op_text(call, "mode", "nearest");
    h->coordinates =
        f0t_op_text(call, "coordinate_transformation_mode", old ? "asymmetric" : "half_pixel");
    h->nearest = f0t_op_text(call, "nearest_mode", old ? "floor" : "round_prefer_floor");
    h->a = (double)f0t_op_float(call, "cubic_coeff_a", -0.75F);
    h->outside = (double)f0t_op_float(call, "extrapolation_value", 0);
    h->exclude = f0t_op_int(call, "exclude_outside", 0) != 0;
    if (f0t_op_int(call, "antialias", 0))
        return f0t_fail(F0T_ERROR_UNSUPPORTED, "antialias");
    if (strcmp(f0t_op_text(call, "keep_aspect_ratio_policy", "stretch"), "stretch") != 0)
        return f0t_fail(F0T_ERROR_UNSUPPORTED, "keep_aspect_ratio_policy");
    if (strcmp(h->mode, "nearest") != 0 && strcmp(h->mode, "cubic") != 0 &&
        strcmp(h->mode, "linear") != 0 && strcmp(h->mode, "bilinear") != 0)
        return f0t_fail(F0T_ERROR_UNSUPPORTED, "mode '%s'", h->mode);
    h->mode = strcmp(h->mode, "bilinear") == 0 ? "linear" : h->mode;
    return F0T_OK;
}

f0t_status f0t_op_resize(f0t_op_call *call)
{
    const f0t_onnx_array *x = f0t_op_in(call, 0);
    axis axes[F0T_ONNX_RANK];
    size_t dims[F0T_ONNX_RANK];
    how h;
    F0T_TRY(read_how(&h, call));
    if (!f0t_onnx_array_type_is_float(x->type) || !x->count)
        return f0t_fail(F0T_ERROR_UNSUPPORTED, "its input is empty or not float");
    for (size_t d = 0; d < x->rank; d++)
        axes[d] = (axis){x->dims[d], x->dims[d], 1, 0, 1};
    F0T_TRY(read_axes(axes, call));
    for (size_t d = 0; d < x->rank; d++)
        dims[d] = axes[d].out;
    F0T_TRY(f0t_op_output(call, 0, x->type, x->rank, dims));
    return call->shape_only ? F0T_OK : resize_all(call, x, &h, axes);
}
