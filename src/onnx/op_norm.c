/* Normalisation. Means and variances are summed in double. */
#include "onnx/ops.h"

#include <math.h>

static f0t_status check_channels(const f0t_op_call *call, size_t from, size_t to, size_t channels)
{
    for (size_t k = from; k < to; k++)
        if (f0t_op_in(call, k)->count != channels)
            return f0t_fail(F0T_ERROR_FORMAT, "input %zu has %zu numbers for %zu channels", k,
                            f0t_op_in(call, k)->count, channels);
    return F0T_OK;
}

/* y = (x - mean) / sqrt(var + epsilon) · scale + bias, channel by channel. */
f0t_status f0t_op_batch_norm(f0t_op_call *call)
{
    const f0t_onnx_array *x = f0t_op_in(call, 0);
    float epsilon = f0t_op_float(call, "epsilon", 1e-5F);
    if (f0t_op_int(call, "training_mode", 0) || call->output_count > 1)
        return f0t_fail(F0T_ERROR_UNSUPPORTED, "it is in training mode");
    if (x->rank < 2)
        return f0t_fail(F0T_ERROR_FORMAT, "an input of %zu dimensions", x->rank);
    size_t channels = x->dims[1], inner = 1;
    F0T_TRY(check_channels(call, 1, 5, channels));
    F0T_TRY(f0t_op_output_like(call, 0, x));
    for (size_t d = 2; d < x->rank; d++)
        inner *= x->dims[d];
    for (size_t k = 0; k < x->count && !call->shape_only; k++) {
        size_t c = k / inner % channels;
        double scale =
            (double)call->inputs[1]->f[c] / sqrt((double)call->inputs[4]->f[c] + (double)epsilon);
        call->outputs->f[k] = (float)(((double)x->f[k] - (double)call->inputs[3]->f[c]) * scale +
                                      (double)call->inputs[2]->f[c]);
    }
    return F0T_OK;
}

/* Mean and 1 / sqrt(variance + epsilon) of n numbers. */
static void moments(double *mean, double *scale, const float *x, size_t n, double epsilon)
{
    double sum = 0, squares = 0;
    for (size_t k = 0; k < n; k++)
        sum += (double)x[k];
    *mean = sum / (double)n;
    for (size_t k = 0; k < n; k++)
        squares += ((double)x[k] - *mean) * ((double)x[k] - *mean);
    *scale = 1.0 / sqrt(squares / (double)n + epsilon);
}

/* Groups of channels are normalised together; scale and bias are for each channel, or (up to set
 * 20) for each group. */
static f0t_status normalise_groups(f0t_op_call *call, size_t groups)
{
    const f0t_onnx_array *x = f0t_op_in(call, 0), *s = f0t_op_in(call, 1), *b = f0t_op_in(call, 2);
    double epsilon = (double)f0t_op_float(call, "epsilon", 1e-5F), mean, scale;
    if (x->rank < 2 || !groups || x->dims[1] % groups || s->count != b->count ||
        (s->count != x->dims[1] && s->count != groups))
        return f0t_fail(F0T_ERROR_FORMAT, "%zu channels, %zu groups, %zu scales, %zu biases",
                        x->rank > 1 ? x->dims[1] : 0, groups, s->count, b->count);
    F0T_TRY(f0t_op_output_like(call, 0, x));
    if (call->shape_only || !x->count)
        return F0T_OK;
    size_t all = x->dims[0] * groups, n = x->count / all, per = x->dims[1] / groups;
    size_t plane = n / per;
    for (size_t g = 0; g < all; g++) {
        moments(&mean, &scale, x->f + g * n, n, epsilon);
        for (size_t k = 0; k < n; k++) {
            size_t c = s->count == groups ? g % groups : g % groups * per + k / plane;
            call->outputs->f[g * n + k] =
                (float)(((double)x->f[g * n + k] - mean) * scale * (double)s->f[c] +
                        (double)b->f[c]);
        }
    }
    return F0T_OK;
}

f0t_status f0t_op_instance_norm(f0t_op_call *call)
{
    const f0t_onnx_array *x = f0t_op_in(call, 0);
    return normalise_groups(call, x->rank > 1 ? x->dims[1] : 0);
}

f0t_status f0t_op_group_norm(f0t_op_call *call)
{
    int64_t groups = f0t_op_int(call, "num_groups", 0);
    return normalise_groups(call, groups > 0 ? (size_t)groups : 0);
}

static f0t_status give_moments(f0t_op_call *call, const f0t_onnx_array *x, size_t axis)
{
    size_t dims[F0T_ONNX_RANK];
    for (size_t d = 0; d < x->rank; d++)
        dims[d] = d < axis ? x->dims[d] : 1;
    F0T_TRY(f0t_op_output(call, 1, F0T_ONNX_FLOAT, x->rank, dims));
    return f0t_op_output(call, 2, F0T_ONNX_FLOAT, x->rank, dims);
}

f0t_status f0t_op_layer_norm(f0t_op_call *call)
{
    const f0t_onnx_array *x = f0t_op_in(call, 0), *s = f0t_op_in(call, 1), *b = f0t_op_in(call, 2);
    double epsilon = (double)f0t_op_float(call, "epsilon", 1e-5F), mean, scale;
    size_t axis, n = 1;
    F0T_TRY(f0t_op_axis(&axis, f0t_op_int(call, "axis", -1), x->rank));
    for (size_t d = axis; d < x->rank; d++)
        n *= x->dims[d];
    if (s->count != n || (b && b->count != n))
        return f0t_fail(F0T_ERROR_UNSUPPORTED, "%zu scales for rows of %zu", s->count, n);
    F0T_TRY(f0t_op_output_like(call, 0, x));
    F0T_TRY(give_moments(call, x, axis));
    for (size_t r = 0; n && r < x->count / n && !call->shape_only; r++) {
        const float *row = x->f + r * n;
        moments(&mean, &scale, row, n, epsilon);
        for (size_t k = 0; k < n; k++)
            call->outputs->f[r * n + k] =
                (float)(((double)row[k] - mean) * scale * (double)s->f[k] +
                        (b ? (double)b->f[k] : 0.0));
        if (call->output_count > 1)
            call->outputs[1].f[r] = (float)mean;
        if (call->output_count > 2)
            call->outputs[2].f[r] = (float)scale;
    }
    return F0T_OK;
}

/* Across channels (Krizhevsky et al., 2012). */
f0t_status f0t_op_lrn(f0t_op_call *call)
{
    const f0t_onnx_array *x = f0t_op_in(call, 0);
    int64_t size = f0t_op_int(call, "size", 0);
    double alpha = (double)f0t_op_float(call, "alpha", 1e-4F);
    double beta = (double)f0t_op_float(call, "beta", 0.75F);
    double bias = (double)f0t_op_float(call, "bias", 1.0F);
    size_t plane = 1;
    if (x->rank < 2 || size < 1 || size > INT32_MAX)
        return f0t_fail(F0T_ERROR_FORMAT, "over %lld channels", (long long)size);
    for (size_t d = 2; d < x->rank; d++)
        plane *= x->dims[d];
    F0T_TRY(f0t_op_output_like(call, 0, x));
    for (size_t k = 0; k < x->count && !call->shape_only; k++) {
        F0T_TRY(f0t_op_steps(call, (size_t)size < x->dims[1] ? (size_t)size : x->dims[1], 1));
        int64_t c = (int64_t)(k / plane % x->dims[1]), last = (int64_t)x->dims[1] - 1;
        int64_t from = c - (size - 1) / 2, to = c + size / 2;
        double squares = 0;
        for (int64_t o = from < 0 ? 0 : from; o <= (to > last ? last : to); o++) {
            double v = (double)x->f[(size_t)((int64_t)k + (o - c) * (int64_t)plane)];
            squares += v * v;
        }
        call->outputs->f[k] =
            (float)((double)x->f[k] / pow(bias + alpha / (double)size * squares, beta));
    }
    return F0T_OK;
}

f0t_status f0t_op_lp_norm(f0t_op_call *call)
{
    const f0t_onnx_array *x = f0t_op_in(call, 0);
    int64_t p = f0t_op_int(call, "p", 2);
    size_t axis, outer = 1, inner = 1;
    F0T_TRY(f0t_op_axis(&axis, f0t_op_int(call, "axis", -1), x->rank));
    if (p != 1 && p != 2)
        return f0t_fail(F0T_ERROR_FORMAT, "p is %lld", (long long)p);
    F0T_TRY(f0t_op_output_like(call, 0, x));
    for (size_t d = 0; d < x->rank; d++)
        if (d != axis)
            *(d < axis ? &outer : &inner) *= x->dims[d];
    for (size_t k = 0; k < outer * inner && !call->shape_only; k++) {
        size_t n = x->dims[axis], base = k / inner * n * inner + k % inner;
        double sum = 0;
        for (size_t e = 0; e < n; e++) {
            double v = fabs((double)x->f[base + e * inner]);
            sum += p == 1 ? v : v * v;
        }
        sum = p == 1 ? sum : sqrt(sum);
        for (size_t e = 0; e < n; e++)
            call->outputs->f[base + e * inner] =
                sum > 0 ? (float)((double)x->f[base + e * inner] / sum) : 0.0F;
    }
    return F0T_OK;
}
