/*
 * Convolutions of 1 x 1 of eight bits, channels last: uint8 by filters of int8, with limits behind them or a sum with what the result's
 * memory holds. Where channels are few, as in mobile networks, rounding sums to bytes takes as long as adding them up. For
 * CPUs with AVX-512 and VNNI. Called by math/layers_own.c.
 */
#ifndef F0T_MATH_POINTS_EIGHT_H
#define F0T_MATH_POINTS_EIGHT_H

#include "math/layers.h"

typedef struct f0t_points_eight f0t_points_eight;

/* Whether it is the fastest for this convolution. */
bool f0t_points_eight_suits(const f0t_layer_conv *conv);

/* For at most so many threads. */
f0t_status f0t_points_eight_create(f0t_points_eight **out, const f0t_layer_conv *conv, int threads);
void f0t_points_eight_free(f0t_points_eight *points);

/* `filters` are blocks of 16 filters x 16 channels, four channels of a filter beside each other (oneDNN's OIhw4i16o4i), zeros
 * where there are none. One run at a time; filters and bias are the same in all runs. The result is the same for any number of
 * threads and of images. */
void f0t_points_eight_run(uint8_t *result, f0t_points_eight *points, const uint8_t *source,
                          const int8_t *filters, const float *bias);

#endif
