/* Rows of float32 matrices: softmax and layer normalisation. Compiled once a CPU level; rows.c shares
 * the rows among the threads. */
#ifndef F0T_ONNX_ROW_KERNELS_H
#define F0T_ONNX_ROW_KERNELS_H

#include "base/kernels.h"

#include <stddef.h>

/* y[rows x n] from x, which may be y. `scale` and `bias` [n] may be NULL. */
void f0t_rows_softmax(float *y, const float *x, size_t rows, size_t n);
void f0t_rows_layer_norm(float *y, const float *x, size_t rows, size_t n, const float *scale,
                         const float *bias, float epsilon);

#endif
