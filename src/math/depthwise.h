/*
 * Depthwise convolutions of 3 x 3 and 5 x 5 in float32 with limits or Swish behind them: those of MobileNet and EfficientNet. For CPUs
 * with AVX-512, channels last, and with AVX2, channels in blocks of eight as oneDNN has them there. Called by math/layers_own.c.
 */
#ifndef F0T_MATH_DEPTHWISE_H
#define F0T_MATH_DEPTHWISE_H

#include "math/finish.h"
#include "math/layers.h"

typedef struct f0t_depthwise f0t_depthwise;

/* What the kernel depthwise_row is told, of images whose channels are last: a block of channels is such an image by itself. */
typedef struct f0t_depthwise_form {
    size_t channels, kernel, stride;
    size_t in[2], out[2], before[2];
    f0t_finish finish;
} f0t_depthwise_form;

/* Whether it is the fastest for this convolution. */
bool f0t_depthwise_suits(const f0t_layer_conv *conv);

/* Whether channels are in blocks of eight on this CPU: oneDNN's aBcd8b, and Abcde8a of the filters. */
bool f0t_depthwise_in_blocks(void);

/* For at most so many threads. */
f0t_status f0t_depthwise_create(f0t_depthwise **out, const f0t_layer_conv *conv, int threads);
void f0t_depthwise_free(f0t_depthwise *depthwise);

/* Filters lie as [row][column][channel], in each of the blocks where there are some. The result is the same for any number of threads and of images. */
void f0t_depthwise_run(float *result, const f0t_depthwise *depthwise, const float *source,
                       const float *filters, const float *bias);

#endif
