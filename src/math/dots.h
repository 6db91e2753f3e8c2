/*
 * Are products of bfloat16 worth it? CPUs with AVX512_BF16 differ: an AMD Zen 4 adds up two products of bfloat16 in the time of
 * one of float32, an Intel Sapphire or Emerald Rapids one in the time of two, for its fast ones are in tiles (math/tiles.h).
 */
#ifndef F0T_MATH_DOTS_H
#define F0T_MATH_DOTS_H

#include <stdbool.h>

/* Measured once, in half a millisecond. Only where the CPU has AVX512_BF16. */
bool f0t_dots_are_fast(void);

#endif
