/*
 * Convolutions of 1 x 1 in float32 over few pixels, as products with panels (math/panels.h): oneDNN 2.6 gives them six tenths of
 * the speed of others, for there is little to do with each filter. For CPUs with AVX2 and no more. Called by math/layers_own.c.
 *
 * Source and result have their channels in blocks of eight (oneDNN's aBcd8b); filters lie in panels of F0T_PANEL:
 * [panel][channel][filter].
 */
#ifndef F0T_MATH_POINT_PANELS_H
#define F0T_MATH_POINT_PANELS_H

#include "math/layers.h"

typedef struct f0t_point_panels f0t_point_panels;

/* Whether it is the fastest for this convolution. */
bool f0t_point_panels_suits(const f0t_layer_conv *conv);

/* For at most so many threads. */
f0t_status f0t_point_panels_create(f0t_point_panels **out, const f0t_layer_conv *conv, int threads);
void f0t_point_panels_free(f0t_point_panels *points);

size_t f0t_point_panels_scratch(const f0t_point_panels *points); /* bytes */

/* The result is the same for any number of threads and of images. */
void f0t_point_panels_run(float *result, const f0t_point_panels *points, const float *source,
                          const float *filters, const float *bias, float *scratch);

#endif
