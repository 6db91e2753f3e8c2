/* What the files of layers share: a layer begins, describes its operation, finishes and is given. */
#ifndef F0T_MATH_LAYERS_INSIDE_H
#define F0T_MATH_LAYERS_INSIDE_H

#include "math/layers.h"
#include "math/onednn.h"

struct f0t_layout {
    dnnl_memory_desc_t desc;
};

/* Runs a kernel of our own. */
typedef void f0t_layer_own_run(void *result, const f0t_layer *layer, const void *const *sources,
                               const void *const *constants, void *scratch);

/* Arguments stand in this order: sources, constants, result, scratch. */
struct f0t_layer {
    dnnl_engine_t engine;
    dnnl_primitive_desc_t desc;
    dnnl_primitive_t primitive;
    dnnl_stream_t stream;
    f0t_layout source, weights, result;
    size_t scratch, source_count, constant_count;
    int count;
    dnnl_exec_arg_t *args;
    void *kernel;           /* of our own, instead of a primitive, or NULL: */
    f0t_layer_own_run *run; /* how it runs, */
    void (*free)(void *kernel);
    bool alone; /* by the calling thread: it would take longer to wake the others */
    int before; /* threads that the caller had, while it is made */
};

/* What a layer costs: products of two numbers, and bytes that are read or written. */
typedef struct f0t_layer_cost {
    double products, bytes;
    f0t_dtype type; /* of the products */
} f0t_layer_cost;

f0t_status f0t_layer_begin(f0t_layer **out, f0t_layer_cost cost);
/* The cost of touching each element of two arrays, the second of which may be NULL. */
f0t_layer_cost f0t_layer_cost_of(const f0t_layout *x, const f0t_layout *y);
/* Compiles what was described; roles of the sources, then of the constants. */
f0t_status f0t_layer_finish(f0t_layer *layer, const int *roles, size_t sources, size_t constants);
/* The end of making one: frees it where `status` is a failure. */
f0t_status f0t_layer_give(f0t_layer **out, f0t_status status);

/* Which kernel of our own does this convolution, or NULL; and making a layer of it. */
typedef struct f0t_layer_own f0t_layer_own;
const f0t_layer_own *f0t_layer_own_find(const f0t_layer_conv *conv);
f0t_status f0t_layer_own_fill(f0t_layer *layer, const f0t_layer_own *own,
                              const f0t_layer_conv *conv);

/* Whether filters are transformed in each run, for which oneDNN has Winograd's algorithm. */
bool f0t_layer_conv_is_late(const f0t_layer_conv *conv);

/* float32 in blocks of eight or 16 channels; space: rows and columns. */
f0t_status f0t_layer_set_blocks(f0t_layout *out, size_t images, size_t channels,
                                const size_t *space, size_t block);

/* The name of the kernel that oneDNN chose. */
const char *f0t_layer_kernel(const f0t_layer *layer);

f0t_status f0t_layer_attributes(dnnl_primitive_attr_t *out, const f0t_after *after, size_t count);
dnnl_status_t f0t_layer_set_zero(dnnl_primitive_attr_t attr, int role, int32_t zero);
/* Takes the attributes. */
f0t_status f0t_layer_describe_with(f0t_layer *layer, const void *operation,
                                   dnnl_primitive_attr_t attr);
f0t_status f0t_layer_describe(f0t_layer *layer, const void *operation, const f0t_after *after,
                              size_t count);
/* A layer of eight bits; the scales belong to dimension 1 of the result. */
f0t_status f0t_layer_describe_rescaled(f0t_layer *layer, const void *operation,
                                       const f0t_after *after, size_t count,
                                       const f0t_layer_rescale *r, size_t filters);

/* None for F0T_ACTIVATION_SUM. */
dnnl_alg_kind_t f0t_layer_algorithm(f0t_activation kind);

/* In whatever layout the kernel prefers. */
f0t_status f0t_layer_describe_any(dnnl_memory_desc_t *out, size_t rank, const dnnl_dims_t dims,
                                  f0t_dtype type);

/* A window as oneDNN has it. */
typedef struct f0t_layer_steps {
    dnnl_dims_t strides, dilations, before, after;
} f0t_layer_steps;

void f0t_layer_set_window(f0t_layer_steps *d, const f0t_layer_window *w, const size_t *in);

#endif
