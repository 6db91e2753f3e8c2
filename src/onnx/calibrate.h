/* The grids of uint8 on which activations are rounded, chosen by what the activations of some pictures are, and the scales of weights. */
#ifndef F0T_ONNX_CALIBRATE_H
#define F0T_ONNX_CALIBRATE_H

#include "math/layers.h"

enum { F0T_ONNX_BINS = 4096 };

/* How often which numbers occurred, in equal bins of [-range, range): the range doubles where it is too small. */
typedef struct f0t_onnx_histogram {
    float range, low, high;
    uint64_t bins[F0T_ONNX_BINS];
} f0t_onnx_histogram;

/* Numbers that are not finite are passed over. */
void f0t_onnx_histogram_add(f0t_onnx_histogram *h, const float *x, size_t count);

typedef struct f0t_onnx_calibration {
    bool entropy; /* the limits that lose the least information (Migacz, 2017); else a percentile */
    double percentile; /* of the numbers that lie inside: 100 is all of them */
    bool narrow;       /* weights within ±64 (quantise.h) */
} f0t_onnx_calibration;

/* The scale at which the weights of a filter are whole numbers within ±most. Of the scales that turn the largest weight into a whole number
 * from most / 2 to most, it is the one at which rounding changes the weights least: what was on a grid once is so again. */
float f0t_onnx_weight_scale(const float *weights, size_t count, int most);

/* A grid of uint8 that has 0 on it. Nothing but zeros: {1, 0}. */
f0t_grid f0t_onnx_histogram_grid(const f0t_onnx_histogram *h, const f0t_onnx_calibration *how);

#endif
