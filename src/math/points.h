/*
 * Convolutions of 1 x 1 in float32, channels last, with Swish behind them or gates before them (squeeze and excitation): those of EfficientNet.
 * oneDNN takes as long for Swish as for the products, and gates would be a pass of their own over the array. For CPUs with
 * AVX-512. Called by math/layers_own.c.
 */
#ifndef F0T_MATH_POINTS_H
#define F0T_MATH_POINTS_H

#include "math/layers.h"

/* Filters lie in panels of so many, the last of which is filled up: [panel][channel][filter]. */
enum { F0T_POINTS_PANEL = 48 };

typedef struct f0t_points f0t_points;

/* Whether it is the fastest for this convolution. */
bool f0t_points_suits(const f0t_layer_conv *conv);

/* For at most so many threads. */
f0t_status f0t_points_create(f0t_points **out, const f0t_layer_conv *conv, int threads);
void f0t_points_free(f0t_points *points);

size_t f0t_points_scratch(const f0t_points *points); /* bytes */

typedef struct f0t_points_arrays {
    const float *source, *gates; /* gates: images x channels, or NULL */
    const float *filters, *bias;
} f0t_points_arrays;

/* The result is the same for any number of threads and of images. */
void f0t_points_run(float *result, const f0t_points *points, const f0t_points_arrays *in,
                    float *scratch);

#endif
