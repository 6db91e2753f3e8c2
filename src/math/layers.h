/*
 * Layers of convolutional networks, prepared by oneDNN: convolution, pooling, and what is between
 * them, in the blocked layouts that the kernels prefer. src/onnx/ plans networks with them.
 *
 * Arrays are N x C x spatial dimensions (one to three). A layer is used by one thread at a time; it
 * works with the number of threads it was created for (base/team.h).
 */
#ifndef F0T_MATH_LAYERS_H
#define F0T_MATH_LAYERS_H

#include "base/dtype.h"
#include "base/status.h"

enum { F0T_LAYER_RANK = 8, F0T_LAYER_SPACE = 3, F0T_LAYER_AFTER = 6 };

/* ---- Layouts --------------------------------------------------------------------------------- */

/* How an array is laid out in memory: shape, element type (float32, bfloat16 where native, or eight bits), blocks. */
typedef struct f0t_layout f0t_layout;

/* Row-major. No dimension is 0. */
f0t_status f0t_layout_create(f0t_layout **out, size_t rank, const size_t *dims, f0t_dtype type);
/* The same with these steps, in elements, between neighbours in each dimension. */
f0t_status f0t_layout_create_strided(f0t_layout **out, size_t rank, const size_t *dims,
                                     const size_t *strides, f0t_dtype type);
/* The same order with channels, the second of at least three dimensions, last; of two, row-major. */
f0t_status f0t_layout_create_channels_last(f0t_layout **out, size_t rank, const size_t *dims,
                                           f0t_dtype type);
f0t_status f0t_layout_copy(f0t_layout **out, const f0t_layout *layout);
/* The same order of elements of another type. */
f0t_status f0t_layout_copy_as(f0t_layout **out, const f0t_layout *layout, f0t_dtype type);
void f0t_layout_free(f0t_layout *layout);
bool f0t_layout_equal(const f0t_layout *x, const f0t_layout *y);
size_t f0t_layout_bytes(const f0t_layout *layout);
f0t_dtype f0t_layout_type(const f0t_layout *layout);
/* Whether it is that of a matrix of so many rows. */
bool f0t_layout_is_matrix(const f0t_layout *layout, size_t rows);

/* A number that two layouts have in common only if they are equal, in all practice: also in another process. */
uint64_t f0t_layout_fingerprint(const f0t_layout *layout);
/* The same of the kernels: this CPU's level and the library that chooses layouts. */
uint64_t f0t_layer_fingerprint(void);

/* The steps of f0t_layout_create_strided; false where there are blocks. */
bool f0t_layout_strides(size_t *strides, const f0t_layout *layout);

/* Whether its channels lie in blocks of so many. */
bool f0t_layout_has_blocks(const f0t_layout *layout, size_t channels);

/* The layout of one image's arrays joined along their channels, where each is one piece of its memory; else *out is
 * NULL. */
f0t_status f0t_layout_stack(f0t_layout **out, const f0t_layout *const *parts, size_t count);

/* Rewrites an array in another layout, once: weights. `from` may have any alignment. Filters of 3 x 3 whose layer has
 * them as 6 x 6 are transformed (math/winograd.h). */
f0t_status f0t_layout_convert(const f0t_layout *to_layout, void *to, const f0t_layout *from_layout,
                              const void *from);

/* ---- What a layer does to its result --------------------------------------------------------- */

typedef enum f0t_activation {
    F0T_ACTIVATION_SUM,  /* adds alpha times what the result's memory holds; of floats alpha is 1 */
    F0T_ACTIVATION_RELU, /* alpha: slope below 0 */
    F0T_ACTIVATION_CLIP, /* to alpha … beta */
    F0T_ACTIVATION_SIGMOID,
    F0T_ACTIVATION_TANH,
    F0T_ACTIVATION_ELU,       /* alpha */
    F0T_ACTIVATION_SWISH,     /* x·sigmoid(alpha·x) */
    F0T_ACTIVATION_HARDSWISH, /* x·clip(x / 6 + 1 / 2, 0, 1) */
    F0T_ACTIVATION_GELU,      /* by erf */
    F0T_ACTIVATION_GELU_TANH,
    F0T_ACTIVATION_LINEAR, /* alpha·x + beta */
    F0T_ACTIVATION_MISH,
    F0T_ACTIVATION_SQRT,
    F0T_ACTIVATION_EXP
} f0t_activation;

typedef struct f0t_after {
    f0t_activation kind;
    float alpha, beta;
} f0t_after;

/* What eight bits stand for: (q - zero)·scale. */
typedef struct f0t_grid {
    float scale;
    int32_t zero;
} f0t_grid;

/* Whether products of eight bits are exact: without VNNI oneDNN adds pairs in 16 bits, which overflow, or halves the
 * weights. */
bool f0t_layer_eight_native(void);

/* What a layer of eight bits does to its sums before anything else: sum·scales[filters], each of `filters`; and what
 * its input's and result's 0 are. Where the result is float32 its zero is 0. */
typedef struct f0t_layer_rescale {
    const float *scales;
    int32_t source_zero, result_zero;
} f0t_layer_rescale;

/* ---- Layers ---------------------------------------------------------------------------------- */

typedef struct f0t_layer f0t_layer;

/* Windows over the spatial dimensions. `after` of the padding may be more than the last window
 * needs. */
typedef struct f0t_layer_window {
    size_t rank;
    size_t kernel[F0T_LAYER_SPACE], stride[F0T_LAYER_SPACE], dilation[F0T_LAYER_SPACE];
    size_t before[F0T_LAYER_SPACE], after[F0T_LAYER_SPACE], out[F0T_LAYER_SPACE];
} f0t_layer_window;

typedef struct f0t_layer_conv {
    size_t images, channels, filters, groups;
    size_t in[F0T_LAYER_SPACE];
    f0t_layer_window window;
    f0t_dtype type; /* of input and result */
    f0t_dtype result;
    const f0t_after *after; /* in this order */
    size_t after_count;
    const f0t_layer_rescale
        *rescale; /* of an input of eight bits, with weights of int8; else NULL */
    bool
        gated; /* each channel of an image is first multiplied by a number of its own: a second source */
    bool
        blocks; /* its arrays had better lie in blocks of channels, wherever the input comes from */
} f0t_layer_conv;

/* Whether each pixel of the result comes from the one in its place alone. */
static inline bool f0t_layer_conv_is_point(const f0t_layer_conv *c)
{
    const f0t_layer_window *w = &c->window;
    for (size_t d = 0; d < w->rank; d++)
        if (w->kernel[d] != 1 || w->stride[d] != 1 || w->before[d] || w->out[d] != c->in[d])
            return false;
    return w->rank == 2;
}

/* Whether float32 is faster than bfloat16: Winograd's algorithm, which bfloat16 does not have, pays
 * for the wider numbers and for rewriting them where filters are many and pictures are not small; and CPUs whose fast
 * bfloat16 is in tiles, which oneDNN's convolutions do not use (math/tiles.h). */
bool f0t_layer_conv_prefers_f32(const f0t_layer_conv *conv);

/* Whether it wants its arrays in blocks of channels, as Winograd's algorithm does; convolutions of 1 x 1 beside it lose nothing by them. */
bool f0t_layer_conv_wants_blocks(const f0t_layer_conv *conv);

/* Whether a convolution of eight bits may add what its result's memory holds: those of depthwise filters and on tiles may not. */
bool f0t_layer_conv_takes_sum(const f0t_layer_conv *conv);

/* Whether there is a kernel for a convolution that is gated. */
bool f0t_layer_conv_takes_gates(const f0t_layer_conv *conv);

/* oneDNN chooses the layouts; `source` (may be NULL) is how the input lies, which is taken where that does no harm.
 * Constants: weights, bias[filters], which is added before a scale. Fails with F0T_ERROR_UNSUPPORTED where the CPU
 * has no kernel for eight bits. */
f0t_status f0t_layer_create_conv(f0t_layer **out, const f0t_layer_conv *conv,
                                 const f0t_layout *source);

/* A dense layer of eight bits: x[rows x inputs] times weights[inputs x outputs]. `source_zero` must be 0: it goes into
 * the bias. Constants as of a convolution. */
typedef struct f0t_layer_dense {
    size_t rows, inputs, outputs;
    f0t_dtype type, result;
    const f0t_after *after;
    size_t after_count;
    const f0t_layer_rescale *rescale;
} f0t_layer_dense;

f0t_status f0t_layer_create_dense(f0t_layer **out, const f0t_layer_dense *dense);

typedef enum f0t_layer_pool_kind {
    F0T_LAYER_POOL_MAX,
    F0T_LAYER_POOL_AVERAGE,         /* of the elements inside */
    F0T_LAYER_POOL_AVERAGE_PADDING, /* padding counts as 0 */
} f0t_layer_pool_kind;

f0t_status f0t_layer_create_pool(f0t_layer **out, f0t_layer_pool_kind kind,
                                 const f0t_layer_window *window, const f0t_layout *source);

/* In place where the run says so. */
f0t_status f0t_layer_create_activation(f0t_layer **out, const f0t_after *after,
                                       const f0t_layout *source);

typedef enum f0t_layer_binary_kind {
    F0T_LAYER_ADD,
    F0T_LAYER_SUB,
    F0T_LAYER_MUL,
    F0T_LAYER_DIV
} f0t_layer_binary_kind;

/* Dimensions of `y` that are 1 are spread. The result has the layout of `x`; it may be x itself. */
f0t_status f0t_layer_create_binary(f0t_layer **out, f0t_layer_binary_kind kind, const f0t_layout *x,
                                   const f0t_layout *y, const f0t_after *after, size_t after_count);

/* x·scales[0] + y·scales[1] of eight bits, then `after`; the result has the layout of `result`. */
f0t_status f0t_layer_create_scaled_sum(f0t_layer **out, const f0t_layout *x, const f0t_layout *y,
                                       const f0t_layout *result, const float *scales,
                                       const f0t_after *after, size_t after_count);

f0t_status f0t_layer_create_concat(f0t_layer **out, const f0t_layout *const *sources, size_t count,
                                   size_t axis);

/* Constants: mean, variance, scale, shift, each [channels]. */
f0t_status f0t_layer_create_norm(f0t_layer **out, const f0t_layout *source, float epsilon,
                                 bool relu);

f0t_status f0t_layer_create_reorder(f0t_layer **out, const f0t_layout *to, const f0t_layout *from);
/* The same of what the elements stand for; the grid of a side of float32 is {1, 0}. */
f0t_status f0t_layer_create_regrid(f0t_layer **out, const f0t_layout *to, f0t_grid to_grid,
                                   const f0t_layout *from, f0t_grid from_grid);

void f0t_layer_free(f0t_layer *layer);

/* Layouts that the layer needs, borrowed. */
const f0t_layout *f0t_layer_source(const f0t_layer *layer);
const f0t_layout *f0t_layer_weights(const f0t_layer *layer);
const f0t_layout *f0t_layer_result(const f0t_layer *layer);
size_t f0t_layer_scratch(const f0t_layer *layer); /* bytes */

/* Arrays in the order in which the layer was created. */
f0t_status f0t_layer_run(void *result, f0t_layer *layer, const void *const *sources,
                         const void *const *constants, void *scratch);

#endif
