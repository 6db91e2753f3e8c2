/*
 * How far a number that a device computed may be from the same one of the CPU, by rounding alone.
 *
 * A sum of k numbers whose absolute values add up to `size` is rounded k times, each time by at most 2^-24 of a partial sum,
 * or 2^-23 where the device cuts off in place of rounding: no partial sum is larger than `size`. Errors of k roundings add
 * up like a random walk: beyond 8 · sqrt(k) · 2^-23 · size with a probability below 1e-13, and never seen.
 *
 * Operands that are rounded to TF32 (10 bits of fraction), and parts of a sum that are brought together in bfloat16, are off
 * by 2^-10 and 2^-9 of themselves: parts of a sum are about as large as the root of the sum of squares.
 */
#ifndef F0T_COMPUTE_TOLERANCE_H
#define F0T_COMPUTE_TOLERANCE_H

#include "base/dtype.h"

#include <math.h>

/* Below the smallest normal numbers of float32 a device may say 0. */
#define F0T_TOLERANCE_LEAST 1e-37

/* Some operations on numbers of this size, without a sum. */
static inline double f0t_tolerance_few(double size)
{
    return 0x1p-21 * fabs(size) + F0T_TOLERANCE_LEAST;
}

/* A number that was rounded to `type` at most twice. */
static inline double f0t_tolerance_rounded(double value, f0t_dtype type)
{
    return type == F0T_BF16 ? 0x1p-7 * fabs(value) + F0T_TOLERANCE_LEAST : f0t_tolerance_few(value);
}

static inline double f0t_tolerance_sum(size_t k, double size)
{
    return 8 * sqrt((double)k) * 0x1p-23 * size + F0T_TOLERANCE_LEAST;
}

/* A sum of products by the CPU, in double precision. */
typedef struct f0t_dot {
    double sum, size; /* and that of the absolute values */
    double square;    /* the root of the sum of squares */
    size_t terms;
} f0t_dot;

/* Of a[i · a_step] and b[i · b_step]. */
static inline f0t_dot f0t_dot_make(const float *a, size_t a_step, const float *b, size_t b_step,
                                   size_t terms)
{
    f0t_dot dot = {.terms = terms};
    for (size_t i = 0; i < terms; i++) {
        const double term = (double)a[i * a_step] * (double)b[i * b_step];
        dot.sum += term;
        dot.size += fabs(term);
        dot.square += term * term;
    }
    dot.square = sqrt(dot.square);
    return dot;
}

/* Of one in float32 whose result is of `type`; `coarse` as in f0t_matmul. */
static inline double f0t_tolerance_dot(const f0t_dot *dot, f0t_dtype type, bool coarse)
{
    const double spread = fabs(dot->sum) + 4 * dot->square;
    return f0t_tolerance_sum(dot->terms, dot->size) + f0t_tolerance_rounded(dot->sum, type) +
           (type == F0T_BF16 ? 0x1p-8 * spread : 0) + (coarse ? 0x1p-9 * spread : 0);
}

#endif
