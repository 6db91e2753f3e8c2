/*
 * exp, log, log(1 + t), sigmoid and softplus without a branch or a call: a plain loop around them
 * vectorises in a kernel file, where losses fuse them with their own arithmetic.
 *
 * Largest errors over all floats, in units of the last place (tests/unit/math/test_elementwise.c):
 * exp 1.1, sigmoid 2.5, softplus 2.0. NaN gives NaN; nothing overflows before its result does.
 */
#ifndef F0T_MATH_APPROX_H
#define F0T_MATH_APPROX_H

#include <stdint.h>
#include <string.h>

/* A fused product where the CPU has one: fmaf without it is a slow call. */
static inline float f0t_mul_add(float x, float y, float z)
{
#if defined(__FMA__) || defined(__ARM_FEATURE_FMA) || defined(FP_FAST_FMAF)
    return __builtin_fmaf(x, y, z);
#else
    return x * y + z;
#endif
}

/* 2^n for n in -126 … 127. */
static inline float f0t_power_of_two(int32_t n)
{
    uint32_t bits = (uint32_t)(n + 127) << 23;
    float power;
    memcpy(&power, &bits, sizeof power);
    return power;
}

/* x = n ln 2 + r with |r| <= ln 2 / 2, exp(x) = 2^n (1 + r + r² P(r)); P is the minimax polynomial
 * of degree 4 (relative error of the sum 3.2e-9). ln 2 is split so that n times its first part is
 * exact. 2^n is applied in two halves: the result may be denormal, or n be 128. */
static inline float f0t_exp_inline(float x)
{
    const float round = 12582912.0F; /* 1.5 * 2^23: adding it leaves an integer in the low bits */
    float bounded = x < -104.0F ? -104.0F : x;
    bounded = bounded > 89.0F ? 89.0F : bounded;
    float shifted = f0t_mul_add(bounded, 1.44269504F, round);
    float n = shifted - round;
    float r = f0t_mul_add(n, -0.693359375F, bounded);
    r = f0t_mul_add(n, 2.12194440e-4F, r);
    float p = f0t_mul_add(1.38137674e-3F, r, 8.36911812e-3F);
    p = f0t_mul_add(p, r, 4.16684272e-2F);
    p = f0t_mul_add(p, r, 0.166665173F);
    p = f0t_mul_add(p, r, 0.499999932F);
    p = f0t_mul_add(p, r * r, r) + 1.0F;
    uint32_t bits;
    memcpy(&bits, &shifted, sizeof bits);
    int32_t whole = (int32_t)(bits - 0x4B400000U);
    int32_t half = whole >> 1;
    return p * f0t_power_of_two(half) * f0t_power_of_two(whole - half);
}

/* log(1 + t) for t in 0 … 1: 1 + t = 2^k (1 + f) with k = 0 or 1, both exact;
 * log(1 + f) = f - f²/2 + f³ Q(f), Q minimax of degree 8 (relative error of the sum 7.6e-10). */
static inline float f0t_log1p_inline(float t)
{
    float k = t > 0.41421356F ? 1.0F : 0.0F;
    float f = t > 0.41421356F ? 0.5F * (t - 1.0F) : t;
    float q = f0t_mul_add(6.74772446e-2F, f, -0.116775095F);
    q = f0t_mul_add(q, f, 0.118886962F);
    q = f0t_mul_add(q, f, -0.124053411F);
    q = f0t_mul_add(q, f, 0.142194533F);
    q = f0t_mul_add(q, f, -0.166680051F);
    q = f0t_mul_add(q, f, 0.200021234F);
    q = f0t_mul_add(q, f, -0.250000095F);
    q = f0t_mul_add(q, f, 0.333333125F);
    float square = f * f;
    float rest = f0t_mul_add(q * f, square, -0.5F * square);
    rest = f0t_mul_add(k, -2.12194440e-4F, rest);
    return f0t_mul_add(k, 0.693359375F, f + rest);
}

/* log(x) of a number from 2^-126 on: x = 2^n (1 + t) with t in 0 … 1. Near 1 the error is absolute, some 1e-7. NaN
 * and infinity give NaN. */
static inline float f0t_log_inline(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    float n = (float)((int32_t)(bits >> 23) - 127), one;
    bits = (bits & 0x7FFFFFU) | 0x3F800000U;
    memcpy(&one, &bits, sizeof one);
    float rest = f0t_mul_add(n, -2.12194440e-4F, f0t_log1p_inline(one - 1.0F));
    return f0t_mul_add(n, 0.693359375F, rest) + (x - x);
}

/* exp(-|x|): what sigmoid and softplus of x share, and of -x too. */
static inline float f0t_exp_minus_abs(float x)
{
    return f0t_exp_inline(x < 0.0F ? x : -x);
}

/* 1 / (1 + exp(-x)). */
static inline float f0t_sigmoid_inline(float x)
{
    float e = f0t_exp_minus_abs(x);
    return (x < 0.0F ? e : 1.0F) / (1.0F + e);
}

/* log(1 + exp(x)). */
static inline float f0t_softplus_inline(float x)
{
    return (x > 0.0F ? x : 0.0F) + f0t_log1p_inline(f0t_exp_minus_abs(x));
}

#endif
