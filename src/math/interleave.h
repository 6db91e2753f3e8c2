/*
 * Pictures of three channels, which come channel after channel in float32, as pixels of eight bits: the first step of every quantised network,
 * for which oneDNN takes four times as long. For CPUs with AVX-512. Called by math/layers_between.c.
 */
#ifndef F0T_MATH_INTERLEAVE_H
#define F0T_MATH_INTERLEAVE_H

#include "math/layers.h"

typedef struct f0t_interleave {
    size_t images, space; /* space: pixels of an image */
    f0t_dtype result;     /* uint8 or int8 */
    float scale, zero;    /* x·scale + zero is rounded */
    int threads;          /* at most */
} f0t_interleave;

/* Whether this CPU has it. */
bool f0t_interleave_native(void);

void f0t_interleave_run(void *result, const f0t_interleave *how, const float *source);

#endif
