/*
 * Convolutions of 3 x 3 in float32 with small groups of channels and as many filters: those of ResNeXt. With AVX-512 groups of four and
 * eight, channels last; with AVX2 groups of four, in blocks of eight channels: a register holds whole groups. oneDNN 2.6 wants blocks of as few
 * channels for them, and every array to be rewritten before and after, or makes a product of each group. Called by math/layers_own.c.
 */
#ifndef F0T_MATH_GROUPED_H
#define F0T_MATH_GROUPED_H

#include "math/layers.h"

typedef struct f0t_grouped f0t_grouped;

/* Whether it is the fastest for this convolution. */
bool f0t_grouped_suits(const f0t_layer_conv *conv);

/* For at most so many threads. */
f0t_status f0t_grouped_create(f0t_grouped **out, const f0t_layer_conv *conv, int threads);
void f0t_grouped_free(f0t_grouped *grouped);

/* Whether source and result have their channels in blocks of eight (oneDNN's aBcd8b); else these are last. */
bool f0t_grouped_blocks(const f0t_grouped *grouped);

/* Filters lie as [3 x 3][channel of a group][filter]. The result is the same for any number of threads and of images. */
void f0t_grouped_run(float *result, const f0t_grouped *grouped, const float *source,
                     const float *filters, const float *bias);

#endif
