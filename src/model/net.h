/*
 * f(x): fully connected layers from an image's features to its direction.
 *
 *     h_0 = x,   h_l = relu(W_l h_(l-1) + b_l),   f(x) = W_L h_(L-1) + b_L
 *
 * Any number of hidden layers: two are the paper's network (section 4.3), none is the linear map.
 * A net has the parameters alone; step.h trains it.
 */
#ifndef F0T_MODEL_NET_H
#define F0T_MODEL_NET_H

#include "base/group.h"
#include "compute/compute.h"

enum { F0T_NET_HIDDEN_MAX = 8 };

typedef struct f0t_net_shape {
    size_t inputs; /* D, the features of an image */
    size_t hidden_count;
    size_t hidden[F0T_NET_HIDDEN_MAX]; /* units of each hidden layer */
    size_t outputs;                    /* d, the dimension of the tag vectors */
    bool bias;                         /* whether the layers add b_l */
} f0t_net_shape;

/* Layers with weights: the hidden ones and the output layer. */
size_t f0t_net_shape_layers(const f0t_net_shape *shape);
/* What layer `layer` (from 0) takes and gives. */
size_t f0t_net_shape_inputs(const f0t_net_shape *shape, size_t layer);
size_t f0t_net_shape_outputs(const f0t_net_shape *shape, size_t layer);
/* Fails, saying why, when a size is 0 or the parameters do not fit into memory. */
f0t_status f0t_net_shape_check(const f0t_net_shape *shape);

typedef struct f0t_net f0t_net;

/* All parameters 0, in the memory of `compute`. `precision` is of the products: F0T_F32, or F0T_BF16 with float32 sums. The
 * parameters themselves are float32 either way. Where bfloat16 is not native it is no faster:
 * f0t_matmul_bf16_notice (math/matmul.h) tells the user. */
f0t_status f0t_net_create(f0t_net **out, const f0t_compute *compute, const f0t_net_shape *shape,
                          f0t_dtype precision);
void f0t_net_free(f0t_net *net);

const f0t_net_shape *f0t_net_get_shape(const f0t_net *net);
f0t_dtype f0t_net_get_precision(const f0t_net *net);

/* Random weights, a pure function of the seed: normal with variance 2 / inputs for hidden layers
 * (He et al., ICCV 2015, eq. 10) and output_scale² / inputs for the output layer; biases 0. */
f0t_status f0t_net_set_random(f0t_net *net, uint64_t seed, double output_scale);

/* ---- The parameters as named arrays ---------------------------------------------------------- */

/* What an array of a net or of a training state is; `name` is borrowed from the object. */
typedef struct f0t_model_array {
    const char *name;  /* "layer0.weight", "layer0.bias", …; in a state also "layer0.weight.m" */
    size_t rows, cols; /* a weight is outputs x inputs, a bias 1 x outputs */
} f0t_model_array;

size_t f0t_net_array_count(const f0t_net *net);
f0t_model_array f0t_net_array(const f0t_net *net, size_t i);
/* Copies the rows x cols numbers out or in, row-major. Not while another thread uses the net. */
f0t_status f0t_net_array_get(float *to, const f0t_net *net, size_t i);
f0t_status f0t_net_array_set(f0t_net *net, size_t i, const float *from);
/* All of them into another net of the same shape, which may be of another compute object; and a net of them. */
f0t_status f0t_net_copy(f0t_net *to, const f0t_net *from);
f0t_status f0t_net_create_copy(f0t_net **out, const f0t_compute *compute, const f0t_net *from);
/* Those of process 0 to all of a group. */
f0t_status f0t_net_broadcast(f0t_net *net, const f0t_group *group);
/* A model lives in the caller's memory, wherever it was trained: *net is replaced where it does not. */
f0t_status f0t_net_bring_home(f0t_net **net);

/* Nets of a training that is made of several, in the order in which they ended. */
typedef struct f0t_net_list {
    size_t count;
    f0t_net **nets;
} f0t_net_list;

/* Appends a copy in the caller's memory. */
f0t_status f0t_net_list_add(f0t_net_list *list, const f0t_net *net);
void f0t_net_list_free(f0t_net_list *list);

/* ---- Applying it ----------------------------------------------------------------------------- */

/* f[rows x outputs] = f(x) for each row of x[rows x inputs], without dropout. Any number of rows;
 * works in blocks, so that memory stays small. Many threads may call at once. */
f0t_status f0t_net_apply(float *f, const f0t_net *net, const float *x, size_t rows);

/* The same on the net's device, for a device that gathers: f of the rows index[rows] of x, which is of the net's
 * precision. */
f0t_status f0t_net_apply_rows(f0t_buffer *f, const f0t_net *net, const f0t_buffer *x,
                              const uint32_t *index, size_t rows);
/* The same of the rows that `fill` writes, for a device that has `stream`. */
f0t_status f0t_net_apply_stream(f0t_buffer *f, const f0t_net *net, f0t_fill *fill, void *user,
                                size_t rows);

/* ---- Inside, for what trains it ------------------------------------------------------------------ */

enum { F0T_NET_LAYERS_MAX = F0T_NET_HIDDEN_MAX + 1 };

typedef struct f0t_net_layer {
    size_t inputs, outputs;
    f0t_buffer *weight;   /* outputs x inputs, float32 */
    f0t_buffer *weight16; /* the same rounded to bfloat16; NULL in float32 */
    f0t_buffer *bias;     /* outputs, or NULL */
    char weight_name[40], bias_name[40];
} f0t_net_layer;

struct f0t_net {
    const f0t_compute *compute;
    f0t_net_shape shape;
    f0t_dtype precision;
    size_t layer_count;
    f0t_net_layer layers[F0T_NET_LAYERS_MAX];
};

/* The weight as the products take it: of the net's precision. */
const f0t_buffer *f0t_net_layer_operand(const f0t_net_layer *layer);

/* y[rows x outputs] = relu(x·Wᵀ + b), both of the net's precision, except that the output layer has no relu
 * and gives float32. */
f0t_status f0t_net_layer_forward(f0t_buffer *y, const f0t_net *net, size_t layer,
                                 const f0t_buffer *x, size_t rows);

#endif
