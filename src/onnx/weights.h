/* Weights in the layouts that the kernels want, made once and shared by all schedules of a network. */
#ifndef F0T_ONNX_WEIGHTS_H
#define F0T_ONNX_WEIGHTS_H

#include "math/layers.h"
#include "math/matmul.h"
#include "onnx/fold.h"
#include "onnx/prepared.h"

typedef struct f0t_onnx_weights f0t_onnx_weights;

f0t_status f0t_onnx_weights_create(f0t_onnx_weights **out);
void f0t_onnx_weights_free(f0t_onnx_weights *weights);

/* Takes what is prepared from here, which stays as long as the weights. */
void f0t_onnx_weights_use(f0t_onnx_weights *weights, const f0t_onnx_prepared *prepared);
/* All of them as pieces of `graph`'s nodes, and what was prepared but not taken, in a list to be freed; *count is 0, and
 * the list NULL, where all came from what was prepared or were listed before. */
f0t_status f0t_onnx_weights_list(f0t_onnx_piece **out, size_t *count, f0t_onnx_weights *weights,
                                 const f0t_onnx_graph *graph);
/* What was listed could not be written: it is listed again the next time. */
void f0t_onnx_weights_unlist(f0t_onnx_weights *weights);

/* Bytes that they take. */
size_t f0t_onnx_weights_bytes(f0t_onnx_weights *weights);

/* What is done to the filters of a convolution: multiplied by scale[filters], and a bias. Either may
 * be NULL. */
typedef struct f0t_onnx_filters {
    const f0t_onnx_node *node; /* whose they are */
    size_t value;              /* the constant */
    size_t groups;
    const float *scale, *bias;
} f0t_onnx_filters;

/* The filters in this layout, and their biases; both stay as long as the weights. */
f0t_status f0t_onnx_weights_filters(const void **data, const float **bias,
                                    f0t_onnx_weights *weights, f0t_onnx_fold *fold,
                                    const f0t_onnx_filters *filters, const f0t_layout *layout);

/* Weights of eight bits as int8: `value` is a constant of int8, or of uint8 around 128 (`shifted`), and lies as `from`
 * says. Stays as long as the weights. */
f0t_status f0t_onnx_weights_eight(const void **data, f0t_onnx_weights *weights, f0t_onnx_fold *fold,
                                  const f0t_onnx_node *node, size_t value, bool shifted,
                                  const f0t_layout *from, const f0t_layout *to);
/* Element k of such a constant. */
int8_t f0t_onnx_weights_eight_at(const f0t_onnx_array *array, size_t k, bool shifted);

/* A constant matrix k x n (n x k when transposed), times alpha, for products with about m rows. */
f0t_status f0t_onnx_weights_matrix(const f0t_packed **out, f0t_onnx_weights *weights,
                                   f0t_onnx_fold *fold, const f0t_onnx_node *node, size_t value,
                                   bool transposed, float alpha, f0t_dtype type, size_t m);

#endif
