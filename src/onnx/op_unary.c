/* Operators on each number by itself. */
#include "onnx/ops.h"

#include <float.h>
#include <math.h>

/* a and b are the attributes of the operator, where it has some. */
typedef float (*function)(float x, float a, float b);

#define ONE(name, expression)                    \
    static float name(float x, float a, float b) \
    {                                            \
        (void)a;                                 \
        (void)b;                                 \
        return expression;                       \
    }

ONE(f_abs, fabsf(x))
ONE(f_acos, acosf(x))
ONE(f_acosh, acoshf(x))
ONE(f_asin, asinf(x))
ONE(f_asinh, asinhf(x))
ONE(f_atan, atanf(x))
ONE(f_atanh, atanhf(x))
ONE(f_ceil, ceilf(x))
ONE(f_celu, fmaxf(0.0F, x) + fminf(0.0F, a *expm1f(x / a)))
ONE(f_cos, cosf(x))
ONE(f_cosh, coshf(x))
ONE(f_elu, x < 0 ? a * expm1f(x) : x)
ONE(f_erf, erff(x))
ONE(f_exp, expf(x))
ONE(f_floor, floorf(x))
ONE(f_gelu, 0.5F * x * (1.0F + erff(x * 0.70710678F)))
ONE(f_gelu_tanh, 0.5F * x * (1.0F + tanhf(0.79788456F * (x + 0.044715F * x * x * x))))
ONE(f_hardsigmoid, fmaxf(0.0F, fminf(1.0F, a *x + b)))
ONE(f_hardswish, x *fmaxf(0.0F, fminf(1.0F, x / 6.0F + 0.5F)))
ONE(f_identity, x)
ONE(f_leakyrelu, x < 0 ? a * x : x)
ONE(f_log, logf(x))
ONE(f_mish, x *tanhf(x > 20 ? x : log1pf(expf(x))))
ONE(f_neg, -x)
ONE(f_reciprocal, 1.0F / x)
ONE(f_relu, x < 0 ? 0.0F : x)
ONE(f_round, rintf(x)) /* ties to even, as ONNX wants */
ONE(f_selu, b *(x > 0 ? x : a * expm1f(x)))
ONE(f_shrink, x<-b ? x + a : x> b ? x - a : 0.0F)
ONE(f_sigmoid, 1.0F / (1.0F + expf(-x)))
ONE(f_sign, (float)((x > 0) - (x < 0)))
ONE(f_sin, sinf(x))
ONE(f_sinh, sinhf(x))
ONE(f_softplus, x > 20 ? x : log1pf(expf(x)))
ONE(f_softsign, x / (1.0F + fabsf(x)))
ONE(f_sqrt, sqrtf(x))
ONE(f_tan, tanf(x))
ONE(f_tanh, tanhf(x))
ONE(f_thresholded, x > a ? x : 0.0F)

/* The attributes and what they are when missing. */
static const struct {
    function f;
    const char *a;
    float a_default;
    const char *b;
    float b_default;
} functions[] = {
    [F0T_UNARY_ABS] = {f_abs, NULL, 0, NULL, 0},
    [F0T_UNARY_ACOS] = {f_acos, NULL, 0, NULL, 0},
    [F0T_UNARY_ACOSH] = {f_acosh, NULL, 0, NULL, 0},
    [F0T_UNARY_ASIN] = {f_asin, NULL, 0, NULL, 0},
    [F0T_UNARY_ASINH] = {f_asinh, NULL, 0, NULL, 0},
    [F0T_UNARY_ATAN] = {f_atan, NULL, 0, NULL, 0},
    [F0T_UNARY_ATANH] = {f_atanh, NULL, 0, NULL, 0},
    [F0T_UNARY_CEIL] = {f_ceil, NULL, 0, NULL, 0},
    [F0T_UNARY_CELU] = {f_celu, "alpha", 1, NULL, 0},
    [F0T_UNARY_COS] = {f_cos, NULL, 0, NULL, 0},
    [F0T_UNARY_COSH] = {f_cosh, NULL, 0, NULL, 0},
    [F0T_UNARY_ELU] = {f_elu, "alpha", 1, NULL, 0},
    [F0T_UNARY_ERF] = {f_erf, NULL, 0, NULL, 0},
    [F0T_UNARY_EXP] = {f_exp, NULL, 0, NULL, 0},
    [F0T_UNARY_FLOOR] = {f_floor, NULL, 0, NULL, 0},
    [F0T_UNARY_GELU] = {f_gelu, NULL, 0, NULL, 0},
    [F0T_UNARY_HARDSIGMOID] = {f_hardsigmoid, "alpha", 0.2F, "beta", 0.5F},
    [F0T_UNARY_HARDSWISH] = {f_hardswish, NULL, 0, NULL, 0},
    [F0T_UNARY_IDENTITY] = {f_identity, NULL, 0, NULL, 0},
    [F0T_UNARY_LEAKYRELU] = {f_leakyrelu, "alpha", 0.01F, NULL, 0},
    [F0T_UNARY_LOG] = {f_log, NULL, 0, NULL, 0},
    [F0T_UNARY_MISH] = {f_mish, NULL, 0, NULL, 0},
    [F0T_UNARY_NEG] = {f_neg, NULL, 0, NULL, 0},
    [F0T_UNARY_RECIPROCAL] = {f_reciprocal, NULL, 0, NULL, 0},
    [F0T_UNARY_RELU] = {f_relu, NULL, 0, NULL, 0},
    [F0T_UNARY_ROUND] = {f_round, NULL, 0, NULL, 0},
    [F0T_UNARY_SELU] = {f_selu, "alpha", 1.67326324F, "gamma", 1.05070098F},
    [F0T_UNARY_SHRINK] = {f_shrink, "bias", 0, "lambd", 0.5F},
    [F0T_UNARY_SIGMOID] = {f_sigmoid, NULL, 0, NULL, 0},
    [F0T_UNARY_SIGN] = {f_sign, NULL, 0, NULL, 0},
    [F0T_UNARY_SIN] = {f_sin, NULL, 0, NULL, 0},
    [F0T_UNARY_SINH] = {f_sinh, NULL, 0, NULL, 0},
    [F0T_UNARY_SOFTPLUS] = {f_softplus, NULL, 0, NULL, 0},
    [F0T_UNARY_SOFTSIGN] = {f_softsign, NULL, 0, NULL, 0},
    [F0T_UNARY_SQRT] = {f_sqrt, NULL, 0, NULL, 0},
    [F0T_UNARY_TAN] = {f_tan, NULL, 0, NULL, 0},
    [F0T_UNARY_TANH] = {f_tanh, NULL, 0, NULL, 0},
    [F0T_UNARY_THRESHOLDEDRELU] = {f_thresholded, "alpha", 1, NULL, 0},
};

static int64_t negate(int64_t x)
{
    return (int64_t)(0 - (uint64_t)x);
}

static f0t_status on_integers(f0t_op_call *call, const f0t_onnx_array *x)
{
    f0t_onnx_array *y = call->outputs;
    for (size_t k = 0; k < x->count; k++) {
        int64_t v = x->i[k];
        switch (call->op->kind) {
        case F0T_UNARY_ABS:
            v = v < 0 ? negate(v) : v;
            break;
        case F0T_UNARY_NEG:
            v = negate(v);
            break;
        case F0T_UNARY_SIGN:
            v = (v > 0) - (v < 0);
            break;
        case F0T_UNARY_RELU:
            v = v < 0 ? 0 : v;
            break;
        default:
            break;
        }
        y->i[k] = f0t_onnx_array_wrap(x->type, v);
    }
    return F0T_OK;
}

static bool has_integer_form(int kind)
{
    return kind == F0T_UNARY_ABS || kind == F0T_UNARY_NEG || kind == F0T_UNARY_SIGN ||
           kind == F0T_UNARY_RELU || kind == F0T_UNARY_IDENTITY;
}

f0t_status f0t_op_unary(f0t_op_call *call)
{
    const f0t_onnx_array *x = f0t_op_in(call, 0);
    int kind = call->op->kind;
    function f = functions[kind].f;
    if (!f0t_onnx_array_type_is_float(x->type) && !has_integer_form(kind))
        return f0t_fail(F0T_ERROR_UNSUPPORTED, "it is not known for %s",
                        f0t_onnx_array_type_name((int)x->type));
    F0T_TRY(f0t_op_output_like(call, 0, x));
    if (call->shape_only)
        return F0T_OK;
    if (!f0t_onnx_array_type_is_float(x->type))
        return on_integers(call, x);
    if (kind == F0T_UNARY_GELU && f0t_op_text(call, "approximate", "none")[0] == 't')
        f = f_gelu_tanh;
    float a =
        functions[kind].a ? f0t_op_float(call, functions[kind].a, functions[kind].a_default) : 0.0F;
    float b =
        functions[kind].b ? f0t_op_float(call, functions[kind].b, functions[kind].b_default) : 0.0F;
    for (size_t k = 0; k < x->count; k++)
        call->outputs->f[k] = f(x->f[k], a, b);
    return F0T_OK;
}

/* ---- Clip ---------------------------------------------------------------------------------------
 */

static f0t_status clip_integers(f0t_op_call *call, const f0t_onnx_array *x)
{
    const f0t_onnx_array *low = f0t_op_in(call, 1), *high = f0t_op_in(call, 2);
    for (size_t k = 0; k < x->count; k++) {
        int64_t v = x->i[k];
        v = low && v < low->i[0] ? low->i[0] : v;
        call->outputs->i[k] = high && v > high->i[0] ? high->i[0] : v;
    }
    return F0T_OK;
}

/* The limits are attributes up to set 10, then inputs. */
f0t_status f0t_op_clip(f0t_op_call *call)
{
    const f0t_onnx_array *x = f0t_op_in(call, 0), *low = f0t_op_in(call, 1),
                         *high = f0t_op_in(call, 2);
    if ((low && low->count != 1) || (high && high->count != 1))
        return f0t_fail(F0T_ERROR_FORMAT, "its limits are not single numbers");
    F0T_TRY(f0t_op_output_like(call, 0, x));
    if (call->shape_only)
        return F0T_OK;
    if (!f0t_onnx_array_type_is_float(x->type))
        return clip_integers(call, x);
    float min = low ? low->f[0] : f0t_op_float(call, "min", -FLT_MAX);
    float max = high ? high->f[0] : f0t_op_float(call, "max", FLT_MAX);
    for (size_t k = 0; k < x->count; k++) {
        float v = x->f[k];
        v = v < min ? min : v;
        call->outputs->f[k] = v > max ? max : v;
    }
    return F0T_OK;
}

/* ---- Tests --------------------------------------------------------------------------------------
 */

f0t_status f0t_op_test(f0t_op_call *call)
{
    const f0t_onnx_array *x = f0t_op_in(call, 0);
    bool infinite = call->op->kind == F0T_TEST_ISINF;
    bool below = f0t_op_int(call, "detect_negative", 1) != 0;
    bool above = f0t_op_int(call, "detect_positive", 1) != 0;
    F0T_TRY(f0t_op_output(call, 0, F0T_ONNX_BOOL, x->rank, x->dims));
    if (call->shape_only)
        return F0T_OK;
    for (size_t k = 0; k < x->count; k++)
        call->outputs->i[k] =
            infinite ? isinf(x->f[k]) && (x->f[k] < 0 ? below : above) : isnan(x->f[k]);
    return F0T_OK;
}

f0t_status f0t_op_not(f0t_op_call *call)
{
    const f0t_onnx_array *x = f0t_op_in(call, 0);
    if (x->type != F0T_ONNX_BOOL)
        return f0t_fail(F0T_ERROR_FORMAT, "its input is not bool");
    F0T_TRY(f0t_op_output_like(call, 0, x));
    for (size_t k = 0; k < x->count && !call->shape_only; k++)
        call->outputs->i[k] = !x->i[k];
    return F0T_OK;
}

/* At inference nothing is dropped; the mask, where it is wanted, is all true. */
f0t_status f0t_op_dropout(f0t_op_call *call)
{
    const f0t_onnx_array *x = f0t_op_in(call, 0), *training = f0t_op_in(call, 2);
    if (!f0t_onnx_array_type_is_float(x->type))
        return f0t_fail(F0T_ERROR_FORMAT, "its input is not float");
    if (training) {
        F0T_TRY(f0t_op_need(call, 2));
        if (!training->i || !training->count || training->i[0])
            return f0t_fail(F0T_ERROR_UNSUPPORTED, "it is in training mode");
    }
    F0T_TRY(f0t_op_output_like(call, 0, x));
    F0T_TRY(f0t_op_output(call, 1, call->opset < 10 ? x->type : F0T_ONNX_BOOL, x->rank, x->dims));
    if (call->shape_only)
        return F0T_OK;
    for (size_t k = 0; k < x->count; k++)
        call->outputs[0].f[k] = x->f[k];
    for (size_t k = 0; k < x->count && call->output_count > 1; k++) {
        if (call->outputs[1].f)
            call->outputs[1].f[k] = 1.0F;
        else
            call->outputs[1].i[k] = 1;
    }
    return F0T_OK;
}
