/*
 * Convolutions of eight bits on AMX tiles, where a core multiplies eight times as many bytes as with VNNI. Pixels are
 * read where they lie, channels last: a tile's row is 64 channels of one pixel, the next row is the next pixel, and
 * each place of the window is but another offset. Called by math/layers_own.c.
 */
#ifndef F0T_MATH_TILES_CONV_H
#define F0T_MATH_TILES_CONV_H

#include "math/layers.h"

typedef struct f0t_tiles_conv f0t_tiles_conv;

/* Whether this CPU has tiles of eight bits (f0t_tiles_native says when they are left out), and whether the convolution
 * is one for them: bytes, one group, two dimensions, enough channels, filters and pixels to fill tiles, and nothing
 * behind it but limits. */
bool f0t_tiles_conv_native(void);
bool f0t_tiles_conv_suits(const f0t_layer_conv *conv);

/* For at most so many threads. */
f0t_status f0t_tiles_conv_create(f0t_tiles_conv **out, const f0t_layer_conv *conv, int threads);
void f0t_tiles_conv_free(f0t_tiles_conv *conv);

/* Bytes of scratch memory that a run needs. */
size_t f0t_tiles_conv_scratch(const f0t_tiles_conv *conv);

/* Source and result with channels last. `weights` are blocks of 64 channels x 16 filters, four channels of a filter
 * beside each other (oneDNN's OIhw16i16o4i), zeros where there are none. bias[filters] is added to the sums. One run
 * at a time; the weights are the same in all runs. The result is the same for any number of threads. */
void f0t_tiles_conv_run(void *result, f0t_tiles_conv *conv, const void *source,
                        const int8_t *weights, const float *bias, void *scratch);

#endif
