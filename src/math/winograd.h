/*
 * Convolutions of 3 x 3 at stride 1 in float32 by Winograd's algorithm, F(4 x 4, 3 x 3) of Lavin and Gray (2016): a quarter of
 * the multiplications. For CPUs with AVX2 and no more; oneDNN has it for AVX-512 alone. The products are those of
 * math/panels.h. Called by math/layers_conv.c.
 */
#ifndef F0T_MATH_WINOGRAD_H
#define F0T_MATH_WINOGRAD_H

#include "math/layers.h"

enum { F0T_WINOGRAD_SIDE = 6 }; /* of a tile of the input, of which 4 x 4 pixels are made */

typedef struct f0t_winograd f0t_winograd;

/* Whether it is the fastest for this convolution, and its filters, which take four times the room, are not too large. */
bool f0t_winograd_suits(const f0t_layer_conv *conv);

/* For at most so many threads. */
f0t_status f0t_winograd_create(f0t_winograd **out, const f0t_layer_conv *conv, int threads);
void f0t_winograd_free(f0t_winograd *winograd);
size_t f0t_winograd_scratch(const f0t_winograd *winograd); /* bytes */

/* The filters as a run takes them, 36 numbers for 9, from filters x channels x 3 x 3 floats of any alignment. */
void f0t_winograd_filters(float *to, const void *from, size_t filters, size_t channels);

/* Source and result have their channels in blocks of eight (oneDNN's aBcd8b). The result is the same for any number of
 * threads and of images. */
void f0t_winograd_run(float *result, const f0t_winograd *winograd, const float *source,
                      const float *filters, const float *bias, float *scratch);

#endif
