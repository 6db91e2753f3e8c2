/* What kernels of our own for AVX-512 share: vectors of sixteen floats. */
#ifndef F0T_MATH_LANES_H
#define F0T_MATH_LANES_H

#include <stddef.h>

#define F0T_INLINE inline __attribute__((always_inline))

#if defined(__x86_64__)

#include <immintrin.h>

#define F0T_AVX512 __attribute__((target("avx512f,fma")))

enum { F0T_LANES = 16 };

/* The first `count` of a vector, or all where there are no more. */
static F0T_INLINE __mmask16 f0t_lanes_first(size_t count)
{
    return (__mmask16)(count < F0T_LANES ? (1U << count) - 1 : 0xFFFF);
}

#endif
#endif
