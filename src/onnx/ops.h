/* The functions of the table of operators, and the kinds that tell apart those which share one.
 */
#ifndef F0T_ONNX_OPS_H
#define F0T_ONNX_OPS_H

#include "onnx/op.h"

enum {
    F0T_UNARY_ABS,
    F0T_UNARY_ACOS,
    F0T_UNARY_ACOSH,
    F0T_UNARY_ASIN,
    F0T_UNARY_ASINH,
    F0T_UNARY_ATAN,
    F0T_UNARY_ATANH,
    F0T_UNARY_CEIL,
    F0T_UNARY_CELU,
    F0T_UNARY_COS,
    F0T_UNARY_COSH,
    F0T_UNARY_ELU,
    F0T_UNARY_ERF,
    F0T_UNARY_EXP,
    F0T_UNARY_FLOOR,
    F0T_UNARY_GELU,
    F0T_UNARY_HARDSIGMOID,
    F0T_UNARY_HARDSWISH,
    F0T_UNARY_IDENTITY,
    F0T_UNARY_LEAKYRELU,
    F0T_UNARY_LOG,
    F0T_UNARY_MISH,
    F0T_UNARY_NEG,
    F0T_UNARY_RECIPROCAL,
    F0T_UNARY_RELU,
    F0T_UNARY_ROUND,
    F0T_UNARY_SELU,
    F0T_UNARY_SHRINK,
    F0T_UNARY_SIGMOID,
    F0T_UNARY_SIGN,
    F0T_UNARY_SIN,
    F0T_UNARY_SINH,
    F0T_UNARY_SOFTPLUS,
    F0T_UNARY_SOFTSIGN,
    F0T_UNARY_SQRT,
    F0T_UNARY_TAN,
    F0T_UNARY_TANH,
    F0T_UNARY_THRESHOLDEDRELU
};
enum { F0T_TEST_ISINF, F0T_TEST_ISNAN };
enum {
    F0T_BINARY_ADD,
    F0T_BINARY_SUB,
    F0T_BINARY_MUL,
    F0T_BINARY_DIV,
    F0T_BINARY_POW,
    F0T_BINARY_MOD,
    F0T_BINARY_FMOD,
    F0T_BINARY_MAX,
    F0T_BINARY_MIN,
    F0T_BINARY_MEAN,
    F0T_BINARY_AND,
    F0T_BINARY_OR,
    F0T_BINARY_XOR,
    F0T_BINARY_SHIFT_LEFT,
    F0T_BINARY_SHIFT_RIGHT,
    F0T_BINARY_PRELU
};
enum {
    F0T_COMPARE_EQUAL,
    F0T_COMPARE_LESS,
    F0T_COMPARE_LESS_OR_EQUAL,
    F0T_COMPARE_GREATER,
    F0T_COMPARE_GREATER_OR_EQUAL
};
enum {
    F0T_REDUCE_SUM,
    F0T_REDUCE_MEAN,
    F0T_REDUCE_MAX,
    F0T_REDUCE_MIN,
    F0T_REDUCE_PROD,
    F0T_REDUCE_L1,
    F0T_REDUCE_L2,
    F0T_REDUCE_LOG_SUM,
    F0T_REDUCE_LOG_SUM_EXP,
    F0T_REDUCE_SUM_SQUARE
};
enum { F0T_ARG_MAX, F0T_ARG_MIN };
enum { F0T_SOFTMAX, F0T_LOG_SOFTMAX, F0T_HARDMAX };
enum { F0T_POOL_MAX, F0T_POOL_AVERAGE, F0T_POOL_LP };

f0t_status f0t_op_unary(f0t_op_call *call);
f0t_status f0t_op_clip(f0t_op_call *call);
f0t_status f0t_op_test(f0t_op_call *call);
f0t_status f0t_op_not(f0t_op_call *call);
f0t_status f0t_op_dropout(f0t_op_call *call);

f0t_status f0t_op_binary(f0t_op_call *call);
f0t_status f0t_op_variadic(f0t_op_call *call);
f0t_status f0t_op_compare(f0t_op_call *call);
f0t_status f0t_op_where(f0t_op_call *call);
f0t_status f0t_op_expand(f0t_op_call *call);

f0t_status f0t_op_constant(f0t_op_call *call);
f0t_status f0t_op_constant_of_shape(f0t_op_call *call);
f0t_status f0t_op_shape(f0t_op_call *call);
f0t_status f0t_op_size(f0t_op_call *call);
f0t_status f0t_op_range(f0t_op_call *call);
f0t_status f0t_op_cast(f0t_op_call *call);
f0t_status f0t_op_cast_like(f0t_op_call *call);
f0t_status f0t_op_eye_like(f0t_op_call *call);
f0t_status f0t_op_one_hot(f0t_op_call *call);

f0t_status f0t_op_reshape(f0t_op_call *call);
f0t_status f0t_op_flatten(f0t_op_call *call);
f0t_status f0t_op_squeeze(f0t_op_call *call);
f0t_status f0t_op_unsqueeze(f0t_op_call *call);

f0t_status f0t_op_transpose(f0t_op_call *call);
f0t_status f0t_op_concat(f0t_op_call *call);
f0t_status f0t_op_split(f0t_op_call *call);
f0t_status f0t_op_slice(f0t_op_call *call);
f0t_status f0t_op_pad(f0t_op_call *call);
f0t_status f0t_op_tile(f0t_op_call *call);
f0t_status f0t_op_depth_to_space(f0t_op_call *call);
f0t_status f0t_op_space_to_depth(f0t_op_call *call);
f0t_status f0t_op_trilu(f0t_op_call *call);

f0t_status f0t_op_gather(f0t_op_call *call);
f0t_status f0t_op_gather_elements(f0t_op_call *call);
f0t_status f0t_op_gather_nd(f0t_op_call *call);
f0t_status f0t_op_scatter_elements(f0t_op_call *call);
f0t_status f0t_op_scatter_nd(f0t_op_call *call);

f0t_status f0t_op_reduce(f0t_op_call *call);
f0t_status f0t_op_arg(f0t_op_call *call);
f0t_status f0t_op_softmax(f0t_op_call *call);
f0t_status f0t_op_cum_sum(f0t_op_call *call);

f0t_status f0t_op_conv(f0t_op_call *call);
f0t_status f0t_op_conv_transpose(f0t_op_call *call);
f0t_status f0t_op_pool(f0t_op_call *call);
f0t_status f0t_op_global_pool(f0t_op_call *call);

f0t_status f0t_op_batch_norm(f0t_op_call *call);
f0t_status f0t_op_instance_norm(f0t_op_call *call);
f0t_status f0t_op_group_norm(f0t_op_call *call);
f0t_status f0t_op_layer_norm(f0t_op_call *call);
f0t_status f0t_op_lrn(f0t_op_call *call);
f0t_status f0t_op_lp_norm(f0t_op_call *call);

f0t_status f0t_op_gemm(f0t_op_call *call);
f0t_status f0t_op_matmul(f0t_op_call *call);
f0t_status f0t_op_resize(f0t_op_call *call);

f0t_status f0t_op_quantise(f0t_op_call *call);
f0t_status f0t_op_dequantise(f0t_op_call *call);
f0t_status f0t_op_dynamic_quantise(f0t_op_call *call);
f0t_status f0t_op_qlinear_conv(f0t_op_call *call);
f0t_status f0t_op_qlinear_matmul(f0t_op_call *call);
f0t_status f0t_op_conv_integer(f0t_op_call *call);
f0t_status f0t_op_matmul_integer(f0t_op_call *call);

/* The least and largest number of a type that arrays are quantised to; false for other types. */
bool f0t_quantised_limits(int64_t *low, int64_t *high, f0t_onnx_array_type type);

/* What these bytes of the type stand for, into the elements of `to`. Scale and zero point (or NULL) were checked by
 * DequantizeLinear. */
f0t_status f0t_dequantise(f0t_onnx_array *to, const unsigned char *bytes, f0t_onnx_array_type type,
                          const f0t_onnx_array *scale, const f0t_onnx_array *zero, int64_t axis);

/* What a convolution multiplies, and the shape of its result. */
typedef struct f0t_conv_form {
    size_t images, channels, filters, groups, dims[F0T_ONNX_RANK];
    f0t_onnx_window window;
} f0t_conv_form;

f0t_status f0t_conv_shape(f0t_conv_form *out, const f0t_op_call *call, const f0t_onnx_array *x,
                          const f0t_onnx_array *w, const f0t_onnx_array *bias);
/* Takes the sum of element k of the result, which is of this filter. */
typedef void (*f0t_conv_put)(void *to, size_t k, size_t filter, double sum);
f0t_status f0t_conv_sum(const f0t_op_call *call, const f0t_conv_form *form, const float *x,
                        const float *w, f0t_conv_put put, void *to);

/* What MatMul multiplies: `batch.count` products of m x k by k x n. */
typedef struct f0t_matmul_form {
    size_t m, n, k, rank, dims[F0T_ONNX_RANK]; /* rank and dims of the result */
    f0t_onnx_spread batch;
} f0t_matmul_form;

f0t_status f0t_matmul_shape(f0t_matmul_form *out, const f0t_onnx_array *x, const f0t_onnx_array *y);
/* Where matrix number `matrix` of the left (0) or right (1) side begins. */
size_t f0t_matmul_offset(const f0t_matmul_form *form, size_t which, size_t matrix);

/* Writes `from` spread as array `which` of `s` into `to`, which has its shape. */
void f0t_onnx_array_spread(f0t_onnx_array *to, const f0t_onnx_array *from, const f0t_onnx_spread *s,
                           size_t which);

#endif
