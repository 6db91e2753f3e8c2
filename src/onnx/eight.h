/* What layers of eight bits have in common: grids, what follows a layer, weights. Inside src/onnx/ alone. */
#ifndef F0T_ONNX_EIGHT_H
#define F0T_ONNX_EIGHT_H

#include "onnx/builder.h"

static const f0t_grid F0T_EIGHT_ONES = {1, 0};

/* ---- Grids ----------------------------------------------------------------------------------- */

/* One number that is known, of a scale that can be divided by; a missing zero point is 0. */
bool f0t_eight_read_grid(f0t_grid *out, const f0t_onnx_array *scale, const f0t_onnx_array *zero);
/* The grid of a QuantizeLinear or DequantizeLinear. */
bool f0t_eight_node_grid(f0t_grid *out, const f0t_onnx_builder *b, const f0t_onnx_node *node);
f0t_dtype f0t_eight_type(const f0t_onnx_array *a);
int32_t f0t_eight_lowest(f0t_dtype type);
/* Row-major, as bytes. */
f0t_status f0t_eight_row_layout(f0t_layout **out, const f0t_onnx_array *a, f0t_dtype type);

/* ---- The end of a layer ---------------------------------------------------------------------- */

/* What becomes of a layer's sums: activations, then floats or the grid of a QuantizeLinear that follows. */
typedef struct f0t_eight_ending {
    f0t_after after[F0T_LAYER_AFTER];
    size_t after_count;
    const f0t_onnx_item *quantise; /* or NULL */
    f0t_grid grid;
    f0t_dtype type;
    float factor; /* of the sums, before the activations */
    size_t output;
} f0t_eight_ending;

/* f(a·x) = a·f(x) for a > 0, its limits being scaled. */
bool f0t_eight_scales_along(const f0t_after *after);
/* False when it cannot be. */
bool f0t_eight_find_ending(f0t_eight_ending *e, const f0t_onnx_builder *b, size_t value,
                           const f0t_after *after, size_t count);
/* The ending of a sum whose result is of eight bits: limits, in *activation (or NULL), then a QuantizeLinear. */
bool f0t_eight_find_sum_ending(f0t_eight_ending *e, const f0t_onnx_item **activation,
                               const f0t_onnx_builder *b, const f0t_onnx_item *add);
f0t_status f0t_eight_place_ending(f0t_onnx_builder *b, const f0t_eight_ending *e, size_t slot,
                                  const f0t_layout *layout);

/* ---- Weights --------------------------------------------------------------------------------- */

/* int8, or uint8 around 128, on one grid or one for each filter. */
typedef struct f0t_eight_weights {
    size_t value; /* the constant of eight bits */
    const f0t_onnx_array *bytes, *scale;
    bool shifted;
} f0t_eight_weights;

bool f0t_eight_set_weights(f0t_eight_weights *out, const f0t_onnx_builder *b, size_t value,
                           const f0t_onnx_array *scale, const f0t_onnx_array *zero, size_t filters);
/* Those that a DequantizeLinear of a constant gives, with a scale for each index of `axis` or one. */
bool f0t_eight_find_weights(f0t_eight_weights *out, const f0t_onnx_builder *b, size_t value,
                            int64_t axis);
/* What the sums are multiplied by, and the bias in their units; false where floats cannot say it. `bias` comes in
 * real units. */
bool f0t_eight_set_scales(float *scales, float *bias, const f0t_eight_weights *w, float source,
                          const float *norm, float factor, size_t filters);
/* Whether int32 holds the sum of so many products, whatever the bytes are. */
bool f0t_eight_sums_fit(size_t products);
/* A layer that this CPU has no kernel for is no error. */
f0t_status f0t_eight_if_supported(f0t_status status, bool *done);

#endif
