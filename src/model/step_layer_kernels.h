/* Compiled once a CPU level: step_layer.h has what others call. */
#ifndef F0T_MODEL_STEP_LAYER_KERNELS_H
#define F0T_MODEL_STEP_LAYER_KERNELS_H

#include "base/cpu.h"
#include "model/step_layer.h"

/* Elements `first` up to `first + n` of a layer, `first` a multiple of F0T_DROPOUT_GROUP; pointers
 * are to element `first`. */
F0T_KERNEL_DECLARE(void, drop_f32,
                   (float *y, const float *x, uint64_t first, size_t n, const f0t_dropout *d));
F0T_KERNEL_DECLARE(void, drop_bf16,
                   (uint16_t * y, const uint16_t *x, uint64_t first, size_t n,
                    const f0t_dropout *d));
F0T_KERNEL_DECLARE(void, drop_to_bf16,
                   (uint16_t * y, const float *x, uint64_t first, size_t n, const f0t_dropout *d));

/* A strip of at most F0T_STRIP columns, all rows, `stride` elements apart. */
enum { F0T_STRIP = 512 };
F0T_KERNEL_DECLARE(void, gate_f32,
                   (float *d, const float *y, size_t stride, size_t rows, size_t cols, float scale,
                    float *sums));
F0T_KERNEL_DECLARE(void, gate_bf16,
                   (uint16_t * d, const uint16_t *y, size_t stride, size_t rows, size_t cols,
                    float scale, float *sums));
F0T_KERNEL_DECLARE(void, column_sums,
                   (float *sums, const float *d, size_t stride, size_t rows, size_t cols));

#endif
