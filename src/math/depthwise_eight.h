/*
 * Depthwise convolutions of 3 x 3 of eight bits, channels last: uint8 whose 0 is 0, as activations behind a relu are, by filters of int8. For
 * CPUs with AVX-512 and VNNI. Called by math/layers_own.c.
 */
#ifndef F0T_MATH_DEPTHWISE_EIGHT_H
#define F0T_MATH_DEPTHWISE_EIGHT_H

#include "math/layers.h"

typedef struct f0t_depthwise_eight f0t_depthwise_eight;

/* Whether it is the fastest for this convolution. */
bool f0t_depthwise_eight_suits(const f0t_layer_conv *conv);

/* For at most so many threads. */
f0t_status f0t_depthwise_eight_create(f0t_depthwise_eight **out, const f0t_layer_conv *conv,
                                      int threads);
void f0t_depthwise_eight_free(f0t_depthwise_eight *depthwise);

/* Filters lie as [row][column][channel]. One run at a time; the bias is the same in all runs. The result is the same for any
 * number of threads and of images. */
void f0t_depthwise_eight_run(void *result, f0t_depthwise_eight *depthwise, const uint8_t *source,
                             const int8_t *filters, const float *bias);

#endif
