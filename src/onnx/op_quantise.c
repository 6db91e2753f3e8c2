/* Numbers of eight bits and their scales: x ≈ (q - zero point)·scale. Quantising, its inverse, and the products
 * and convolutions of quantised arrays, straight from their definitions. */
#include "onnx/ops.h"

#include "base/alloc.h"

#include <math.h>

/* ---- Scales and zero points ------------------------------------------------------------------ */

bool f0t_quantised_limits(int64_t *low, int64_t *high, f0t_onnx_array_type type)
{
    *low = type == F0T_ONNX_INT8 ? INT8_MIN : type == F0T_ONNX_INT16 ? INT16_MIN : 0;
    *high = type == F0T_ONNX_INT8     ? INT8_MAX
            : type == F0T_ONNX_UINT8  ? UINT8_MAX
            : type == F0T_ONNX_INT16  ? INT16_MAX
            : type == F0T_ONNX_UINT16 ? UINT16_MAX
                                      : 0;
    return *high != 0;
}

static int64_t saturate(f0t_onnx_array_type type, double x, int64_t zero)
{
    int64_t low, high;
    f0t_quantised_limits(&low, &high, type);
    double shifted = rint(x) + (double)zero;
    if (!(shifted > (double)low)) /* NaN, too */
        return low;
    return shifted < (double)high ? (int64_t)shifted : high;
}

/* Elements are looked at where they are known. */
static f0t_status check_scale(const f0t_onnx_array *scale)
{
    if (!f0t_onnx_array_type_is_float(scale->type))
        return f0t_fail(F0T_ERROR_FORMAT, "a scale is %s, not float",
                        f0t_onnx_array_type_name((int)scale->type));
    for (size_t k = 0; scale->f && k < scale->count; k++)
        if (!isfinite(scale->f[k]) || scale->f[k] <= 0)
            return f0t_fail(F0T_ERROR_FORMAT, "a scale of %g", (double)scale->f[k]);
    return F0T_OK;
}

/* The scale and zero point of an array: one of each, or one for each index of a dimension. */
typedef struct grid {
    const f0t_onnx_array *scale, *zero; /* zero may be NULL: 0 */
    size_t count;                       /* of numbers in each: 1, or the size of the dimension */
    size_t each;                        /* elements between one index and the next */
} grid;

static f0t_status check_zero(const f0t_onnx_array *zero, f0t_onnx_array_type type, size_t count)
{
    if (!zero)
        return F0T_OK;
    if (zero->type != type)
        return f0t_fail(F0T_ERROR_FORMAT, "a zero point is %s, what it belongs to is %s",
                        f0t_onnx_array_type_name((int)zero->type),
                        f0t_onnx_array_type_name((int)type));
    if (zero->rank > 1 || zero->count != count)
        return f0t_fail(F0T_ERROR_FORMAT, "%zu zero points, not %zu", zero->count, count);
    return F0T_OK;
}

/* Of an array of shape `x` and the type `type` when quantised. */
static f0t_status read_grid(grid *out, const f0t_onnx_array *x, f0t_onnx_array_type type,
                            const f0t_onnx_array *scale, const f0t_onnx_array *zero, int64_t axis)
{
    *out = (grid){scale, zero, scale->count, 1};
    if (scale->rank > 1)
        return f0t_fail(F0T_ERROR_UNSUPPORTED, "scales of %zu dimensions", scale->rank);
    if (!scale->count)
        return f0t_fail(F0T_ERROR_FORMAT, "it has no scales");
    F0T_TRY(check_scale(scale));
    F0T_TRY(check_zero(zero, type, scale->count));
    if (scale->count == 1)
        return F0T_OK;
    size_t d;
    F0T_TRY(f0t_op_axis(&d, axis, x->rank));
    if (scale->count != x->dims[d])
        return f0t_fail(F0T_ERROR_FORMAT, "%zu scales for %zu", scale->count, x->dims[d]);
    for (size_t k = d + 1; k < x->rank; k++)
        out->each *= x->dims[k];
    return F0T_OK;
}

static size_t index_of(const grid *g, size_t element)
{
    return g->count == 1 ? 0 : element / g->each % g->count;
}

static double scale_of(const grid *g, size_t index)
{
    return (double)g->scale->f[g->count == 1 ? 0 : index];
}

static int64_t zero_of(const grid *g, size_t index)
{
    return g->zero ? g->zero->i[g->count == 1 ? 0 : index] : 0;
}

/* ---- One array ------------------------------------------------------------------------------- */

static f0t_status refuse_blocks(const f0t_op_call *call)
{
    return f0t_op_int(call, "block_size", 0)
               ? f0t_fail(F0T_ERROR_UNSUPPORTED, "scales of blocks are not known")
               : F0T_OK;
}

f0t_status f0t_op_quantise(f0t_op_call *call)
{
    const f0t_onnx_array *x = f0t_op_in(call, 0), *zero = f0t_op_in(call, 2);
    int64_t given = f0t_op_int(call, "output_dtype", 0), low, high;
    f0t_onnx_array_type type = zero                               ? zero->type
                               : given > 0 && given <= UINT16_MAX ? (f0t_onnx_array_type)given
                                                                  : F0T_ONNX_UINT8;
    grid g;
    if (!f0t_onnx_array_type_is_float(x->type) && x->type != F0T_ONNX_INT32)
        return f0t_fail(F0T_ERROR_FORMAT, "it quantises %s",
                        f0t_onnx_array_type_name((int)x->type));
    if (!f0t_quantised_limits(&low, &high, type))
        return f0t_fail(F0T_ERROR_UNSUPPORTED, "it quantises to the type %d of onnx.proto",
                        (int)type);
    F0T_TRY(refuse_blocks(call));
    F0T_TRY(read_grid(&g, x, type, f0t_op_in(call, 1), zero, f0t_op_int(call, "axis", 1)));
    F0T_TRY(f0t_op_output(call, 0, type, x->rank, x->dims));
    for (size_t k = 0; k < x->count && !call->shape_only; k++) {
        size_t n = index_of(&g, k);
        float value = x->f ? x->f[k] : (float)x->i[k];
        call->outputs->i[k] =
            saturate(type, (double)(value / (float)scale_of(&g, n)), zero_of(&g, n));
    }
    return F0T_OK;
}

f0t_status f0t_op_dequantise(f0t_op_call *call)
{
    const f0t_onnx_array *x = f0t_op_in(call, 0), *scale = f0t_op_in(call, 1);
    int64_t low, high;
    grid g;
    if (!f0t_quantised_limits(&low, &high, x->type) && x->type != F0T_ONNX_INT32)
        return f0t_fail(F0T_ERROR_FORMAT, "its input is %s",
                        f0t_onnx_array_type_name((int)x->type));
    F0T_TRY(refuse_blocks(call));
    F0T_TRY(read_grid(&g, x, x->type, scale, f0t_op_in(call, 2), f0t_op_int(call, "axis", 1)));
    F0T_TRY(f0t_op_output(call, 0, scale->type, x->rank, x->dims));
    for (size_t k = 0; k < x->count && !call->shape_only; k++) {
        size_t n = index_of(&g, k);
        call->outputs->f[k] = (float)(x->i[k] - zero_of(&g, n)) * (float)scale_of(&g, n);
    }
    return F0T_OK;
}

f0t_status f0t_dequantise(f0t_onnx_array *to, const unsigned char *bytes, f0t_onnx_array_type type,
                          const f0t_onnx_array *scale, const f0t_onnx_array *zero, int64_t axis)
{
    grid g;
    F0T_TRY(read_grid(&g, to, type, scale, zero, axis));
    for (size_t k = 0; k < to->count; k++) {
        size_t n = index_of(&g, k);
        int64_t q = f0t_onnx_array_wrap(type, bytes[k]);
        to->f[k] = (float)(q - zero_of(&g, n)) * (float)scale_of(&g, n);
    }
    return F0T_OK;
}

/* The range of this array, with 0 in it, as 0 … 255. */
f0t_status f0t_op_dynamic_quantise(f0t_op_call *call)
{
    const f0t_onnx_array *x = f0t_op_in(call, 0);
    float low = 0, high = 0;
    F0T_TRY(f0t_op_output(call, 0, F0T_ONNX_UINT8, x->rank, x->dims));
    F0T_TRY(f0t_op_output(call, 1, F0T_ONNX_FLOAT, 0, NULL));
    F0T_TRY(f0t_op_output(call, 2, F0T_ONNX_UINT8, 0, NULL));
    if (call->shape_only)
        return F0T_OK;
    for (size_t k = 0; k < x->count; k++) {
        low = x->f[k] < low ? x->f[k] : low;
        high = x->f[k] > high ? x->f[k] : high;
    }
    float scale = high > low ? (high - low) / 255 : 1;
    int64_t zero = saturate(F0T_ONNX_UINT8, (double)(-low / scale), 0);
    for (size_t k = 0; k < x->count; k++)
        call->outputs[0].i[k] = saturate(F0T_ONNX_UINT8, (double)(x->f[k] / scale), zero);
    if (call->output_count > 1)
        call->outputs[1].f[0] = scale;
    if (call->output_count > 2)
        call->outputs[2].i[0] = zero;
    return F0T_OK;
}

/* ---- Products and convolutions ----------------------------------------------------------------- */

/* The operands of a product or convolution, and how each is quantised: `a` by rows or as a whole, `b` by columns
 * or filters or as a whole. */
typedef struct operands {
    const f0t_onnx_array *a, *b;
    grid a_grid, b_grid, y_grid;
    bool scaled; /* there are scales; else only zero points */
} operands;

static const f0t_onnx_array *one_scale(void)
{
    static float one = 1;
    static const f0t_onnx_array scale = {.type = F0T_ONNX_FLOAT, .count = 1, .f = &one};
    return &scale;
}

/* Without scales, a list of zero points says how many there are. */
static f0t_status read_operand(grid *out, const f0t_onnx_array *x, const f0t_onnx_array *scale,
                               const f0t_onnx_array *zero, int64_t axis)
{
    if (!f0t_onnx_array_type_is_eight(x->type))
        return f0t_fail(F0T_ERROR_FORMAT, "it multiplies %s, not int8 or uint8",
                        f0t_onnx_array_type_name((int)x->type));
    if (scale)
        return read_grid(out, x, x->type, scale, zero, axis);
    f0t_onnx_array like = zero ? *zero : *one_scale();
    like.type = F0T_ONNX_FLOAT;
    like.f = NULL;
    F0T_TRY(read_grid(out, x, x->type, &like, zero, axis));
    out->scale = one_scale();
    return F0T_OK;
}

/* Inputs of QLinearConv and QLinearMatMul: a, its scale and zero point, b, its, y's. */
static f0t_status read_scaled(operands *out, const f0t_op_call *call, int64_t a_axis,
                              int64_t b_axis)
{
    const f0t_onnx_array *zero = f0t_op_in(call, 7);
    *out = (operands){.a = f0t_op_in(call, 0), .b = f0t_op_in(call, 3), .scaled = true};
    F0T_TRY(read_operand(&out->a_grid, out->a, f0t_op_in(call, 1), f0t_op_in(call, 2), a_axis));
    F0T_TRY(read_operand(&out->b_grid, out->b, f0t_op_in(call, 4), f0t_op_in(call, 5), b_axis));
    if (!f0t_onnx_array_type_is_eight(zero->type))
        return f0t_fail(F0T_ERROR_FORMAT, "its result is %s",
                        f0t_onnx_array_type_name((int)zero->type));
    F0T_TRY(read_grid(&out->y_grid, out->a, zero->type, f0t_op_in(call, 6), zero, a_axis));
    return out->y_grid.count == 1 ? F0T_OK
                                  : f0t_fail(F0T_ERROR_UNSUPPORTED, "its result has many scales");
}

/* Inputs of ConvInteger and MatMulInteger. */
static f0t_status read_integers(operands *out, const f0t_op_call *call, int64_t a_axis,
                                int64_t b_axis)
{
    *out = (operands){.a = f0t_op_in(call, 0), .b = f0t_op_in(call, 1)};
    F0T_TRY(read_operand(&out->a_grid, out->a, NULL, f0t_op_in(call, 2), a_axis));
    return read_operand(&out->b_grid, out->b, NULL, f0t_op_in(call, 3), b_axis);
}

/* The elements less their zero points, which float holds exactly; to be given back by drop_shifted. */
static f0t_status shift(float **out, const f0t_op_call *call, const f0t_onnx_array *x,
                        const grid *g)
{
    *out = NULL;
    F0T_TRY(f0t_onnx_budget_take(call->budget, x->count, sizeof **out));
    F0T_TRY(f0t_alloc(out, x->count, sizeof **out));
    for (size_t k = 0; k < x->count; k++)
        (*out)[k] = (float)(x->i[k] - zero_of(g, index_of(g, k)));
    return F0T_OK;
}

static void drop_shifted(const f0t_op_call *call, float *shifted, size_t count)
{
    if (shifted)
        f0t_onnx_budget_give(call->budget, count, sizeof *shifted);
    f0t_free(shifted);
}

/* Writes element k of the result, whose sum is this, in row `row` of a and column `column` of b. */
static void put(const f0t_op_call *call, const operands *o, size_t k, size_t row, size_t column,
                int64_t sum)
{
    int64_t *y = call->outputs->i;
    if (!o->scaled) {
        y[k] = f0t_onnx_array_wrap(F0T_ONNX_INT32, sum);
        return;
    }
    double scale = scale_of(&o->a_grid, row) * scale_of(&o->b_grid, column);
    y[k] = saturate(call->outputs->type, (double)sum * scale / scale_of(&o->y_grid, 0),
                    zero_of(&o->y_grid, 0));
}

static f0t_onnx_array_type result_type(const operands *o)
{
    return o->scaled ? o->y_grid.zero->type : F0T_ONNX_INT32;
}

static f0t_status multiply(const f0t_op_call *call, const operands *o, const f0t_matmul_form *f,
                           const float *a, const float *b)
{
    for (size_t p = 0; p < f->batch.count; p++) {
        const float *x = a + f0t_matmul_offset(f, 0, p), *y = b + f0t_matmul_offset(f, 1, p);
        for (size_t i = 0; i < f->m; i++) {
            F0T_TRY(f0t_op_steps(call, f->n, f->k));
            for (size_t j = 0; j < f->n; j++) {
                double sum = 0; /* of whole numbers below 2^53 */
                for (size_t l = 0; l < f->k; l++)
                    sum += (double)x[i * f->k + l] * (double)y[l * f->n + j];
                put(call, o, (p * f->m + i) * f->n + j, i, j, (int64_t)sum);
            }
        }
    }
    return F0T_OK;
}

static f0t_status run_matmul(f0t_op_call *call, const operands *o)
{
    f0t_matmul_form f;
    float *a = NULL, *b = NULL;
    F0T_TRY(f0t_matmul_shape(&f, o->a, o->b));
    F0T_TRY(f0t_op_output(call, 0, result_type(o), f.rank, f.dims));
    if (call->shape_only)
        return F0T_OK;
    f0t_status status = shift(&a, call, o->a, &o->a_grid);
    if (status == F0T_OK)
        status = shift(&b, call, o->b, &o->b_grid);
    if (status == F0T_OK)
        status = multiply(call, o, &f, a, b);
    drop_shifted(call, a, o->a->count);
    drop_shifted(call, b, o->b->count);
    return status;
}

/* a by rows, b by columns; a vector has one of them. */
static int64_t row_axis(const f0t_onnx_array *a)
{
    return a && a->rank > 1 ? (int64_t)a->rank - 2 : 0;
}

static int64_t column_axis(const f0t_onnx_array *b)
{
    return b && b->rank > 1 ? (int64_t)b->rank - 1 : 0;
}

f0t_status f0t_op_qlinear_matmul(f0t_op_call *call)
{
    operands o;
    F0T_TRY(read_scaled(&o, call, row_axis(f0t_op_in(call, 0)), column_axis(f0t_op_in(call, 3))));
    return run_matmul(call, &o);
}

f0t_status f0t_op_matmul_integer(f0t_op_call *call)
{
    operands o;
    F0T_TRY(read_integers(&o, call, row_axis(f0t_op_in(call, 0)), column_axis(f0t_op_in(call, 1))));
    return run_matmul(call, &o);
}

typedef struct conv_result {
    const f0t_op_call *call;
    const operands *o;
    const f0t_onnx_array *bias;
} conv_result;

static void put_window(void *to, size_t k, size_t filter, double sum)
{
    const conv_result *r = to;
    int64_t bias = r->bias ? r->bias->i[filter] : 0;
    put(r->call, r->o, k, 0, filter, (int64_t)sum + bias);
}

static f0t_status run_conv(f0t_op_call *call, const operands *o, const f0t_onnx_array *bias)
{
    f0t_conv_form form;
    float *x = NULL, *w = NULL;
    conv_result r = {call, o, bias};
    if (o->a_grid.count != 1)
        return f0t_fail(F0T_ERROR_FORMAT, "its input has %zu scales or zero points",
                        o->a_grid.count);
    F0T_TRY(f0t_conv_shape(&form, call, o->a, o->b, bias));
    F0T_TRY(f0t_op_output(call, 0, result_type(o), o->a->rank, form.dims));
    if (call->shape_only)
        return F0T_OK;
    f0t_status status = shift(&x, call, o->a, &o->a_grid);
    if (status == F0T_OK)
        status = shift(&w, call, o->b, &o->b_grid);
    if (status == F0T_OK)
        status = f0t_conv_sum(call, &form, x, w, put_window, &r);
    drop_shifted(call, x, o->a->count);
    drop_shifted(call, w, o->b->count);
    return status;
}

f0t_status f0t_op_qlinear_conv(f0t_op_call *call)
{
    const f0t_onnx_array *bias = f0t_op_in(call, 8);
    operands o;
    F0T_TRY(read_scaled(&o, call, 0, 0));
    if (bias && bias->type != F0T_ONNX_INT32)
        return f0t_fail(F0T_ERROR_FORMAT, "its bias is %s, not int32",
                        f0t_onnx_array_type_name((int)bias->type));
    return run_conv(call, &o, bias);
}

f0t_status f0t_op_conv_integer(f0t_op_call *call)
{
    operands o;
    F0T_TRY(read_integers(&o, call, 0, 0));
    return run_conv(call, &o, NULL);
}
