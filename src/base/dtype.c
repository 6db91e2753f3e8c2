#include "base/dtype.h"

#include "base/kernels.h"

#include <math.h>
#include <string.h>

static const struct {
    size_t size;
    const char *name;
} types[F0T_DTYPES] = {
    [F0T_F32] = {4, "float32"}, [F0T_F16] = {2, "float16"}, [F0T_BF16] = {2, "bfloat16"},
    [F0T_F64] = {8, "float64"}, [F0T_I32] = {4, "int32"},   [F0T_I64] = {8, "int64"},
    [F0T_U8] = {1, "uint8"},    [F0T_I8] = {1, "int8"},     [F0T_BOOL] = {1, "bool"},
};

size_t f0t_dtype_size(f0t_dtype type)
{
    return types[type].size;
}

const char *f0t_dtype_name(f0t_dtype type)
{
    return types[type].name;
}

float f0t_f16_to_f32_ref(uint16_t h)
{
    int exponent = h >> 10 & 31;
    int mantissa = h & 1023;
    float magnitude = exponent == 0   ? ldexpf((float)mantissa, -24)
                      : exponent < 31 ? ldexpf((float)(mantissa + 1024), exponent - 25)
                      : mantissa == 0 ? INFINITY
                                      : NAN;
    return h & 0x8000 ? -magnitude : magnitude;
}

float f0t_bf16_to_f32_ref(uint16_t h)
{
    uint32_t u = (uint32_t)h << 16;
    float f;
    memcpy(&f, &u, 4);
    return f;
}

/* x / 2^k to the nearest integer, ties to even. */
static uint32_t shift_round(uint32_t x, int k)
{
    uint32_t half = 1u << (k - 1), rest = x & ((half << 1) - 1), whole = x >> k;
    return whole + (rest > half || (rest == half && (whole & 1)));
}

uint16_t f0t_f32_to_f16_ref(float f)
{
    uint32_t u;
    memcpy(&u, &f, 4);
    uint16_t sign = (uint16_t)(u >> 16 & 0x8000);
    uint32_t magnitude = u & 0x7FFFFFFF;
    int exponent = (int)(magnitude >> 23) - 127;
    if (magnitude > 0x7F800000)
        return (uint16_t)(sign | 0x7E00 | (u >> 13 & 0x1FF));
    if (exponent > 15)
        return (uint16_t)(sign | 0x7C00);
    if (exponent >=
        -14) /* the carry of a rounded mantissa goes into the exponent, up to infinity */
        return (uint16_t)(sign | shift_round(magnitude - (112u << 23), 13));
    if (exponent < -25)
        return sign;
    return (uint16_t)(sign | shift_round((magnitude & 0x7FFFFF) | 0x800000, -exponent - 1));
}

uint16_t f0t_f32_to_bf16_ref(float f)
{
    uint32_t u;
    memcpy(&u, &f, 4);
    if ((u & 0x7FFFFFFF) > 0x7F800000)
        return (uint16_t)(u >> 16 | 0x40);
    return (uint16_t)shift_round(u, 16);
}

#define CONVERT_EACH(type)                                                   \
    for (size_t i = 0; i < n; i++) {                                         \
        type value;                                                          \
        memcpy(&value, (const char *)from + i * sizeof value, sizeof value); \
        to[i] = (float)value;                                                \
    }                                                                        \
    break

void f0t_dtype_to_f32(float *to, const void *from, f0t_dtype type, size_t n)
{
    if (!n)
        return;
    switch (type) {
    case F0T_F32:
        memcpy(to, from, n * sizeof *to);
        break;
    case F0T_F16:
        f0t_kernels()->f16_to_f32(to, from, n);
        break;
    case F0T_BF16:
        f0t_kernels()->bf16_to_f32(to, from, n);
        break;
    case F0T_F64:
        CONVERT_EACH(double);
    case F0T_I32:
        CONVERT_EACH(int32_t);
    case F0T_I64:
        CONVERT_EACH(int64_t);
    case F0T_U8:
        CONVERT_EACH(uint8_t);
    case F0T_I8:
        CONVERT_EACH(int8_t);
    case F0T_BOOL:
        for (size_t i = 0; i < n; i++)
            to[i] = ((const uint8_t *)from)[i] ? 1.0F : 0.0F;
        break;
    case F0T_DTYPES:
        break;
    }
}

void f0t_f32_to_f16(uint16_t *to, const float *from, size_t n)
{
    f0t_kernels()->f32_to_f16_block(to, from, n);
}

void f0t_f32_to_bf16(uint16_t *to, const float *from, size_t n)
{
    f0t_kernels()->f32_to_bf16_block(to, from, n);
}

#define SWAP_EACH(type, swap)                               \
    for (size_t i = 0; i < n; i++) {                        \
        type value;                                         \
        memcpy(&value, e + i * sizeof value, sizeof value); \
        value = swap(value);                                \
        memcpy(e + i * sizeof value, &value, sizeof value); \
    }

void f0t_swap_bytes(void *elements, size_t size, size_t n)
{
    unsigned char *e = elements;
    if (size == 2)
        SWAP_EACH(uint16_t, __builtin_bswap16)
    else if (size == 4)
        SWAP_EACH(uint32_t, __builtin_bswap32)
    else if (size == 8)
        SWAP_EACH(uint64_t, __builtin_bswap64)
}
