/*
 * Swish and Gelu of whole arrays in float32, for CPUs with AVX2 or AVX-512, where oneDNN 2.6 takes up to four times as long, with AVX-512 1.8 times for Gelu.
 * Called by math/layers_between.c.
 */
#ifndef F0T_MATH_SMOOTH_H
#define F0T_MATH_SMOOTH_H

#include "math/layers.h"

typedef struct f0t_smooth {
    size_t count; /* of numbers; 0: none */
    f0t_after after;
    int threads; /* at most */
} f0t_smooth;

/* Whether it is the fastest for this activation. */
bool f0t_smooth_suits(const f0t_after *after);

/* y may be x. */
void f0t_smooth_run(float *y, const f0t_smooth *how, const float *x);

#endif
