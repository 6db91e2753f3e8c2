/*
 * Vectors for files named *_kernels.c, which are compiled once per CPU level (base/kernels.h): as many floats as a register of the
 * level has. Arithmetic is written with the operators of C; fused products want -ffp-contract=fast (CMakeLists.txt).
 */
#ifndef F0T_MATH_FLOATS_H
#define F0T_MATH_FLOATS_H

#include "math/lanes.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#if defined(__AVX512F__)
enum { F0T_FLOATS = 16 };
#elif defined(__AVX2__)
enum { F0T_FLOATS = 8 };
#else
enum { F0T_FLOATS = 4 };
#endif

typedef float f0t_floats __attribute__((vector_size(F0T_FLOATS * sizeof(float))));
typedef int32_t f0t_float_bits __attribute__((vector_size(F0T_FLOATS * sizeof(int32_t))));

static F0T_INLINE f0t_floats f0t_floats_all(float x)
{
    return x - (f0t_floats){0};
}

static F0T_INLINE f0t_floats f0t_floats_read(const float *from)
{
    f0t_floats x;
    memcpy(&x, from, sizeof x);
    return x;
}

static F0T_INLINE void f0t_floats_write(float *to, f0t_floats x)
{
    memcpy(to, &x, sizeof x);
}

/* All bits of the first `count`, which may be more than there are; none of the others. */
static F0T_INLINE f0t_float_bits f0t_floats_first(size_t count)
{
    const f0t_float_bits places = {
        0,
        1,
        2,
        3,
#if defined(__AVX2__)
        4,
        5,
        6,
        7,
#endif
#if defined(__AVX512F__)
        8,
        9,
        10,
        11,
        12,
        13,
        14,
        15,
#endif
    };
    return (f0t_float_bits)(places < (int32_t)(count < F0T_FLOATS ? count : F0T_FLOATS));
}

/* x where the bits are set, y elsewhere. */
static F0T_INLINE f0t_floats f0t_floats_choose(f0t_float_bits which, f0t_floats x, f0t_floats y)
{
    return (f0t_floats)(((f0t_float_bits)x & which) | ((f0t_float_bits)y & ~which));
}

/* No more than `count` are read, the others being 0. */
static F0T_INLINE f0t_floats f0t_floats_read_first(const float *from, size_t count)
{
#if defined(__AVX512F__)
    return (f0t_floats)_mm512_maskz_loadu_ps(f0t_lanes_first(count), from);
#elif defined(__AVX2__)
    return (f0t_floats)_mm256_maskload_ps(from, (__m256i)f0t_floats_first(count));
#else
    f0t_floats x = {0};
    memcpy(&x, from, (count < F0T_FLOATS ? count : F0T_FLOATS) * sizeof *from);
    return x;
#endif
}

/* With AVX2, some CPUs take a dozen cycles to store a part. */
static F0T_INLINE void f0t_floats_write_first(float *to, f0t_floats x, size_t count)
{
#if defined(__AVX512F__)
    _mm512_mask_storeu_ps(to, f0t_lanes_first(count), (__m512)x);
#elif defined(__AVX2__)
    if (count >= F0T_FLOATS)
        f0t_floats_write(to, x);
    else
        _mm256_maskstore_ps(to, (__m256i)f0t_floats_first(count), (__m256)x);
#else
    memcpy(to, &x, (count < F0T_FLOATS ? count : F0T_FLOATS) * sizeof *to);
#endif
}

/* sum + x · y. With sixteen registers the compiler takes forms of the instruction that leave the sum in another one, and moves it
 * back. */
static F0T_INLINE f0t_floats f0t_floats_add_product(f0t_floats sum, f0t_floats x, f0t_floats y)
{
#if defined(__FMA__) && !defined(__AVX512F__)
    __asm__("vfmadd231ps %2, %1, %0" : "+x"(sum) : "x"(x), "x"(y));
    return sum;
#else
    return sum + x * y;
#endif
}

/* The larger of two: y where one is no number. */
static F0T_INLINE f0t_floats f0t_floats_larger(f0t_floats x, f0t_floats y)
{
#if defined(__AVX512F__)
    return (f0t_floats)_mm512_max_ps((__m512)x, (__m512)y);
#elif defined(__AVX2__)
    return (f0t_floats)_mm256_max_ps((__m256)x, (__m256)y);
#else
    return f0t_floats_choose((f0t_float_bits)(x > y), x, y);
#endif
}

/* The largest, -infinity where none is a number and none is larger. */
static F0T_INLINE float f0t_floats_largest(f0t_floats x)
{
#if defined(__AVX512F__)
    return _mm512_reduce_max_ps(x);
#else
    float most = -INFINITY;
#pragma GCC unroll 8
    for (size_t i = 0; i < F0T_FLOATS; i++)
        most = x[i] > most ? x[i] : most;
    return most;
#endif
}

/* The sum of the two halves' sums, each of them that of its halves, and so on. */
static F0T_INLINE float f0t_floats_sum(f0t_floats x)
{
#if defined(__AVX512F__)
    return _mm512_reduce_add_ps(x);
#elif defined(__AVX2__)
    const __m128 four = _mm_add_ps(_mm256_castps256_ps128(x), _mm256_extractf128_ps(x, 1));
    const __m128 two = _mm_add_ps(four, _mm_movehl_ps(four, four));
    return two[0] + two[1];
#else
    return x[0] + x[2] + (x[1] + x[3]);
#endif
}

/* The smaller of two: y where one is no number. */
static F0T_INLINE f0t_floats f0t_floats_smaller(f0t_floats x, f0t_floats y)
{
#if defined(__AVX512F__)
    return (f0t_floats)_mm512_min_ps((__m512)x, (__m512)y);
#elif defined(__AVX2__)
    return (f0t_floats)_mm256_min_ps((__m256)x, (__m256)y);
#else
    return f0t_floats_choose((f0t_float_bits)(x < y), x, y);
#endif
}

/* 2^r with |r| <= 1/2: the minimax polynomial of degree 5 has a relative error of 7.5e-8. */
static F0T_INLINE f0t_floats f0t_floats_exp2_near(f0t_floats r)
{
    f0t_floats p = 1.32764719e-3F * r + 9.67554133e-3F;
    p = p * r + 5.55071327e-2F;
    p = p * r + 0.240221197F;
    p = p * r + 0.693146967F;
    return p * r + 1.00000007F;
}

#if defined(__AVX512F__)

static F0T_INLINE f0t_floats f0t_floats_exp2(f0t_floats z)
{
    const f0t_floats n = _mm512_roundscale_ps(z, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
    return _mm512_scalef_ps(f0t_floats_exp2_near(z - n), n);
}

static F0T_INLINE f0t_floats f0t_floats_exp2_normal(f0t_floats z)
{
    return f0t_floats_exp2(z);
}

#else

/* 2^(n + shift)·2^r for z = n + r; the exponent must be one of normal numbers. */
static F0T_INLINE f0t_floats f0t_floats_exp2_shifted(f0t_floats z, const float shift)
{
    typedef uint32_t exponents __attribute__((vector_size(F0T_FLOATS * sizeof(uint32_t))));
    const float whole =
        12582912.0F + 127 + shift; /* 1.5·2^23: a sum has the exponent in its low bits */
    const f0t_floats sum = z + whole, n = sum - whole;
    return f0t_floats_exp2_near(z - n) * (f0t_floats)((exponents)sum << 23);
}

/* 2^z for z up to 63; denormal or 0 where it is so small. No number stays none. */
static F0T_INLINE f0t_floats f0t_floats_exp2(f0t_floats z)
{
    return f0t_floats_exp2_shifted(f0t_floats_larger(f0t_floats_all(-160), z), 64) * 0x1p-64F;
}

/* 2^z for z up to 127, 2^-126 where it is less. */
static F0T_INLINE f0t_floats f0t_floats_exp2_normal(f0t_floats z)
{
    return f0t_floats_exp2_shifted(f0t_floats_larger(f0t_floats_all(-126), z), 0);
}

#endif

/* x / (1 + 2^(slope·x)), the smallest quotient being 2^-126: what it is multiplied by has a limit, so that what is far below 0
 * vanishes. */
static F0T_INLINE f0t_floats f0t_floats_swish(f0t_floats x, float slope)
{
    const f0t_floats z = f0t_floats_smaller(f0t_floats_all(126), x * slope);
    return f0t_floats_larger(f0t_floats_all(-1e30F), x) / (f0t_floats_exp2_normal(z) + 1);
}

#endif
