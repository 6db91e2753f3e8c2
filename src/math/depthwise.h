/*
 * Depthwise convolutions of 3 x 3 and 5 x 5 in float32, channels last, with limits or Swish behind them: those of MobileNet and
 * EfficientNet. For CPUs with AVX-512. Called by math/layers_conv.c.
 */
#ifndef F0T_MATH_DEPTHWISE_H
#define F0T_MATH_DEPTHWISE_H

#include "math/layers.h"

typedef struct f0t_depthwise f0t_depthwise;

/* Whether it is the fastest for this convolution. */
bool f0t_depthwise_suits(const f0t_layer_conv *conv);

/* For at most so many threads. */
f0t_status f0t_depthwise_create(f0t_depthwise **out, const f0t_layer_conv *conv, int threads);
void f0t_depthwise_free(f0t_depthwise *depthwise);

/* Filters lie as [row][column][channel]. The result is the same for any number of threads and of images. */
void f0t_depthwise_run(float *result, const f0t_depthwise *depthwise, const float *source,
                       const float *filters, const float *bias);

#endif
