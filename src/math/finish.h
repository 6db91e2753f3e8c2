/*
 * What the convolutions of our own (math/points.h, math/depthwise.h, math/grouped.h, math/winograd.h) do to a result while it is in
 * registers: limits, or a smooth activation that oneDNN takes longer for.
 */
#ifndef F0T_MATH_FINISH_H
#define F0T_MATH_FINISH_H

#include "math/lanes.h"
#include "math/layers.h"

#include <math.h>

typedef enum f0t_finish_kind {
    F0T_FINISH_LIMITS,
    F0T_FINISH_SWISH,
    F0T_FINISH_SIGMOID
} f0t_finish_kind;

typedef struct f0t_finish {
    f0t_finish_kind kind;
    float low, high; /* of limits */
    float slope; /* of the others: -alpha·log2(e), sigmoid(alpha·x) being 1 / (1 + 2^(slope·x)) */
} f0t_finish;

/* False where it is something else, or more than one thing. */
static inline bool f0t_finish_read(f0t_finish *out, const f0t_after *after, size_t count)
{
    *out = (f0t_finish){F0T_FINISH_LIMITS, -INFINITY, INFINITY, 0};
    if (!count)
        return true;
    const bool relu = after->kind == F0T_ACTIVATION_RELU && after->alpha == 0;
    if (relu || after->kind == F0T_ACTIVATION_CLIP) {
        out->low = relu ? 0 : after->alpha;
        out->high = relu ? INFINITY : after->beta;
    } else if (after->kind == F0T_ACTIVATION_SWISH || after->kind == F0T_ACTIVATION_SIGMOID) {
        const bool swish = after->kind == F0T_ACTIVATION_SWISH;
        out->kind = swish ? F0T_FINISH_SWISH : F0T_FINISH_SIGMOID;
        out->slope = -1.44269504F * (swish ? after->alpha : 1);
    } else {
        return false;
    }
    return count == 1;
}

/* The same behind a sum with what the result's memory holds, which may be missing. */
static inline bool f0t_finish_read_sum(bool *sum, f0t_finish *out, const f0t_after *after,
                                       size_t count)
{
    *sum = count && after->kind == F0T_ACTIVATION_SUM;
    return f0t_finish_read(out, *sum ? after + 1 : after, count - *sum);
}

#if defined(__x86_64__)

/* 2^z = 2^n·2^r with |r| <= 1/2, of which the minimax polynomial of degree 5 has a relative error of 7.5e-8. No number
 * stays none. */
F0T_AVX512 static F0T_INLINE __m512 f0t_finish_exp2(__m512 z)
{
    const __m512 n = _mm512_roundscale_ps(z, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
    const __m512 r = _mm512_sub_ps(z, n);
    __m512 p = _mm512_fmadd_ps(_mm512_set1_ps(1.32764719e-3F), r, _mm512_set1_ps(9.67554133e-3F));
    p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(5.55071327e-2F));
    p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(0.240221197F));
    p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(0.693146967F));
    p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(1.00000007F));
    return _mm512_scalef_ps(p, n);
}

/* factor / (1 + 2^(slope·x)); the reciprocal is that of 14 bits and one step of Newton's, for which it must be finite. */
F0T_AVX512 static F0T_INLINE __m512 f0t_finish_sigmoid(__m512 x, __m512 slope, __m512 factor)
{
    const __m512 z = _mm512_min_ps(_mm512_set1_ps(126), _mm512_mul_ps(x, slope));
    const __m512 d = _mm512_add_ps(f0t_finish_exp2(z), _mm512_set1_ps(1)), q = _mm512_rcp14_ps(d);
    return _mm512_mul_ps(_mm512_mul_ps(factor, q), _mm512_fnmadd_ps(d, q, _mm512_set1_ps(2)));
}

/* In limits, the second operand where one is no number. */
F0T_AVX512 static F0T_INLINE __m512 f0t_finish_one(__m512 x, const f0t_finish *f,
                                                   const f0t_finish_kind kind)
{
    if (kind !=
        F0T_FINISH_LIMITS) /* a sigmoid is 2^-126 at least: what Swish multiplies it by has a limit */
        return f0t_finish_sigmoid(x, _mm512_set1_ps(f->slope),
                                  kind == F0T_FINISH_SWISH
                                      ? _mm512_max_ps(_mm512_set1_ps(-1e30F), x)
                                      : _mm512_set1_ps(1));
    return _mm512_min_ps(_mm512_set1_ps(f->high), _mm512_max_ps(_mm512_set1_ps(f->low), x));
}

#endif

#endif
