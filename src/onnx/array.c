#include "onnx/array.h"

#include "base/alloc.h"
#include "base/dtype.h"
#include "base/size.h"

#include <stdio.h>
#include <string.h>

static const struct {
    const char *name;
    size_t size;
    bool is_float;
} types[] = {[F0T_ONNX_FLOAT] = {"float32", 4, true},    [F0T_ONNX_UINT8] = {"uint8", 1, false},
             [F0T_ONNX_INT8] = {"int8", 1, false},       [F0T_ONNX_UINT16] = {"uint16", 2, false},
             [F0T_ONNX_INT16] = {"int16", 2, false},     [F0T_ONNX_INT32] = {"int32", 4, false},
             [F0T_ONNX_INT64] = {"int64", 8, false},     [F0T_ONNX_BOOL] = {"bool", 1, false},
             [F0T_ONNX_FLOAT16] = {"float16", 2, true},  [F0T_ONNX_DOUBLE] = {"float64", 8, true},
             [F0T_ONNX_UINT32] = {"uint32", 4, false},   [F0T_ONNX_UINT64] = {"uint64", 8, false},
             [F0T_ONNX_BFLOAT16] = {"bfloat16", 2, true}};

const char *f0t_onnx_array_type_name(int type)
{
    return type > 0 && type < (int)(sizeof types / sizeof *types) ? types[type].name : NULL;
}

bool f0t_onnx_array_type_is_float(f0t_onnx_array_type type)
{
    return types[type].is_float;
}

bool f0t_onnx_array_type_is_eight(f0t_onnx_array_type type)
{
    return type == F0T_ONNX_UINT8 || type == F0T_ONNX_INT8;
}

size_t f0t_onnx_array_type_size(f0t_onnx_array_type type)
{
    return types[type].size;
}

f0t_status f0t_onnx_array_shape(f0t_onnx_array *array, f0t_onnx_array_type type, size_t rank,
                                const size_t *dims)
{
    size_t count = 1, bytes;
    if (rank > F0T_ONNX_RANK)
        return f0t_fail(F0T_ERROR_UNSUPPORTED, "an array of %zu dimensions (at most %d are known)",
                        rank, (int)F0T_ONNX_RANK);
    /* A zero among the dimensions must not hide that the others overflow. */
    for (size_t d = 0; d < rank; d++)
        if (!f0t_size_mul(&count, count, dims[d] ? dims[d] : 1))
            return f0t_fail(F0T_ERROR_FORMAT, "an array has more elements than memory could hold");
    if (!f0t_size_mul(&bytes, count, sizeof(int64_t)) || bytes > PTRDIFF_MAX)
        return f0t_fail(F0T_ERROR_FORMAT, "an array has more elements than memory could hold");
    array->type = type;
    array->rank = rank;
    array->count = 1;
    for (size_t d = 0; d < rank; d++) {
        array->dims[d] = dims[d];
        array->count *= dims[d];
    }
    return F0T_OK;
}

bool f0t_onnx_array_same_shape(const f0t_onnx_array *x, const f0t_onnx_array *y)
{
    return x->rank == y->rank && memcmp(x->dims, y->dims, x->rank * sizeof *x->dims) == 0;
}

f0t_status f0t_onnx_array_alloc(f0t_onnx_array *array)
{
    f0t_status status = types[array->type].is_float
                            ? f0t_alloc(&array->f, array->count, sizeof *array->f)
                            : f0t_alloc(&array->i, array->count, sizeof *array->i);
    array->owned = status == F0T_OK;
    return status;
}

f0t_status f0t_onnx_array_copy(f0t_onnx_array *to, const f0t_onnx_array *from)
{
    *to = *from;
    to->f = NULL;
    to->i = NULL;
    to->raw = NULL;
    to->owned = false;
    if (!f0t_onnx_array_known(from))
        return F0T_OK;
    F0T_TRY(f0t_onnx_array_alloc(to));
    if (from->f)
        memcpy(to->f, from->f, from->count * sizeof *to->f);
    else if (from->i)
        memcpy(to->i, from->i, from->count * sizeof *to->i);
    else
        f0t_onnx_array_decode(to, from->raw);
    return F0T_OK;
}

static int64_t decode_integer(f0t_onnx_array_type type, const unsigned char *bytes)
{
    uint64_t bits = 0;
    memcpy(&bits, bytes, types[type].size);
    return f0t_onnx_array_wrap(type, (int64_t)bits);
}

void f0t_onnx_array_decode(f0t_onnx_array *array, const unsigned char *bytes)
{
    static const f0t_dtype kinds[] = {[F0T_ONNX_FLOAT] = F0T_F32,
                                      [F0T_ONNX_FLOAT16] = F0T_F16,
                                      [F0T_ONNX_DOUBLE] = F0T_F64,
                                      [F0T_ONNX_BFLOAT16] = F0T_BF16};
    if (types[array->type].is_float) {
        f0t_dtype_to_f32(array->f, bytes, kinds[array->type], array->count);
        return;
    }
    for (size_t k = 0; k < array->count; k++)
        array->i[k] = decode_integer(array->type, bytes + k * types[array->type].size);
}

void f0t_onnx_array_clear(f0t_onnx_array *array)
{
    if (array->owned) {
        f0t_free(array->f);
        f0t_free(array->i);
    }
    *array = (f0t_onnx_array){0};
}

bool f0t_onnx_array_known(const f0t_onnx_array *array)
{
    return array->f || array->i || array->raw;
}

int64_t f0t_onnx_array_wrap(f0t_onnx_array_type type, int64_t value)
{
    switch (type) {
    case F0T_ONNX_UINT8:
        return (uint8_t)value;
    case F0T_ONNX_INT8:
        return (int8_t)value;
    case F0T_ONNX_UINT16:
        return (uint16_t)value;
    case F0T_ONNX_INT16:
        return (int16_t)value;
    case F0T_ONNX_UINT32:
        return (uint32_t)value;
    case F0T_ONNX_INT32:
        return (int32_t)value;
    case F0T_ONNX_BOOL:
        return value != 0;
    default:
        return value;
    }
}

int64_t f0t_onnx_array_to_integer(f0t_onnx_array_type type, double x)
{
    if (type == F0T_ONNX_BOOL)
        return x != 0;
    return x >= -0x1p63 && x < 0x1p63 ? f0t_onnx_array_wrap(type, (int64_t)x) : 0;
}

void f0t_onnx_array_print_shape(char *out, size_t size, const f0t_onnx_array *array)
{
    size_t used = 0;
    snprintf(out, size, "one number");
    for (size_t d = 0; d < array->rank && used < size; d++)
        used += (size_t)snprintf(out + used, size - used, "%s%zu", d ? "x" : "", array->dims[d]);
}
