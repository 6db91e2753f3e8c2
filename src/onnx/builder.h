/* While a schedule is made: where each value is, and the steps so far. Inside src/onnx/ alone. */
#ifndef F0T_ONNX_BUILDER_H
#define F0T_ONNX_BUILDER_H

#include "onnx/items.h"
#include "onnx/op.h"
#include "onnx/ops.h"
#include "onnx/schedule.h"

/* A piece of memory during some steps. */
typedef struct f0t_onnx_slot {
    size_t bytes, offset;
    size_t first, last; /* steps that write it first and use it last */
    size_t input;       /* of the graph, whose memory it is; F0T_NONE: in the arena */
    size_t pending;     /* uses that are still to come */
    size_t parent;      /* the slot that this one is a part of, or F0T_NONE */
    size_t base;        /* or the earlier one that it is a window of, or F0T_NONE */
    size_t begin;       /* where in it */
    bool shared;        /* it is a part, or has some: nothing is overwritten there */
} f0t_onnx_slot;

typedef struct f0t_onnx_step f0t_onnx_step;

/* What a run works on. */
typedef struct f0t_onnx_frame {
    const f0t_onnx_schedule *schedule;
    unsigned char *arena;
    const float *const *inputs;
    f0t_onnx_budget *budget;
} f0t_onnx_frame;

typedef f0t_status (*f0t_onnx_step_run)(const f0t_onnx_step *step, const f0t_onnx_frame *frame);

enum { F0T_ONNX_STEP_CONSTANTS = 4 };

struct f0t_onnx_step {
    f0t_onnx_step_run run;
    const f0t_onnx_node *node;
    size_t *sources; /* slots, F0T_NONE for what is constant */
    size_t source_count;
    size_t *results;
    size_t result_count;
    f0t_layer *layer;
    const void *constants[F0T_ONNX_STEP_CONSTANTS];
    float *owned; /* constants that belong to the step */
    /* Products. */
    const f0t_packed *packed;
    f0t_matmul product;
    f0t_matmul_form form;
    /* Operators: arrays without their memory, but for constants. */
    f0t_onnx_array *inputs, *outputs;
    bool *left_out;
    /* Rows: normalisation, softmax. */
    size_t rows, columns;
    float epsilon;
    f0t_onnx_array_type type; /* of integers that are made plain */
    struct f0t_onnx_attention *attention;
    size_t room;    /* bytes that it works in, */
    size_t scratch; /* and their slot, F0T_NONE where there are none */
};

struct f0t_onnx_schedule {
    const f0t_onnx_graph *graph;
    f0t_onnx_fold fold;
    f0t_onnx_step *steps;
    f0t_onnx_slot *slots;
    f0t_onnx_array *outputs; /* shapes; elements of constant ones are in `fold` */
    size_t *output_slots;    /* F0T_NONE: constant */
    size_t *output_values;
    size_t step_count, slot_count, output_count;
    size_t arena;
    size_t images, file; /* pictures, and bytes of the network's files: what a run may cost */
    int threads;
};

/* Where a value is. Plain: row-major, float32 or int64. */
typedef struct f0t_onnx_place {
    bool made, has_plain;
    size_t slot;
    f0t_layout *layout; /* NULL: plain */
    size_t plain;       /* slot of a plain copy */
    bool eight;    /* the layout is of eight bits: of an array of them, or of floats on a grid */
    f0t_grid grid; /* then: what they stand for */
} f0t_onnx_place;

typedef struct f0t_onnx_builder {
    f0t_onnx_schedule *schedule;
    f0t_onnx_items items;
    f0t_onnx_weights *weights;
    f0t_onnx_place *places;
    size_t *left; /* uses of each value that are still to come */
    bool *done;   /* items that are part of a step already */
    size_t step_capacity, slot_capacity;
    bool blocks;       /* arrays between convolutions had better lie in blocks of channels */
    bool bf16;         /* is asked for, */
    f0t_dtype type;    /* and what convolutions are in */
    double operations; /* of all steps so far */
} f0t_onnx_builder;

/* ---- Memory -------------------------------------------------------------------------------------
 */

f0t_status f0t_onnx_builder_slot(size_t *slot, f0t_onnx_builder *b, size_t bytes);
/* One slot for these, which lie in it one behind the other; F0T_NONE where they cannot: one has another place already,
 * or other bytes. The memory of all of them is never overwritten in place afterwards. */
f0t_status f0t_onnx_builder_stack(size_t *whole, f0t_onnx_builder *b, const size_t *parts,
                                  const size_t *bytes, size_t count);
/* A slot of so many bytes inside another, from byte `begin` on; neither is overwritten in place afterwards. `counted`:
 * what f0t_layout_bytes says, which for steps that are longer than rows is more than they reach. */
f0t_status f0t_onnx_builder_window_of(size_t *slot, f0t_onnx_builder *b, size_t base, size_t begin,
                                      size_t bytes, size_t counted);
/* Gives the slots their offsets, and each step what it works in, which is free again after it; returns the size of all through *arena, which is at most `most`. */
f0t_status f0t_onnx_builder_arrange(size_t *arena, f0t_onnx_builder *b, size_t most);

static inline void *f0t_onnx_frame_at(const f0t_onnx_frame *frame, size_t slot)
{
    const f0t_onnx_slot *s = &frame->schedule->slots[slot];
    union {
        const void *in;
        void *out;
    } cast;
    if (s->input == F0T_NONE)
        return frame->arena + s->offset;
    cast.in = frame->inputs[s->input];
    return cast.out;
}

/* What a step works in. */
static inline void *f0t_onnx_frame_scratch(const f0t_onnx_frame *frame, const f0t_onnx_step *step)
{
    return step->scratch == F0T_NONE ? frame->arena : f0t_onnx_frame_at(frame, step->scratch);
}

/* ---- Steps --------------------------------------------------------------------------------------
 */

/* A new step with room for sources and results; it is part of the schedule at once. */
f0t_status f0t_onnx_builder_step(f0t_onnx_step **out, f0t_onnx_builder *b, f0t_onnx_step_run run,
                                 const f0t_onnx_node *node, size_t sources, size_t results);
/* Marks the slots of the last step as used by it. */
void f0t_onnx_builder_used(f0t_onnx_builder *b);
f0t_status f0t_onnx_step_run_layer(const f0t_onnx_step *step, const f0t_onnx_frame *frame);

/* ---- Values -------------------------------------------------------------------------------------
 */

static inline const f0t_onnx_array *f0t_onnx_builder_array(const f0t_onnx_builder *b, size_t value)
{
    return &b->schedule->fold.arrays[value];
}

/* Says that `value` is in `slot`, with this layout (copied; NULL: plain); fails where it has no room
 * there. */
f0t_status f0t_onnx_builder_place(f0t_onnx_builder *b, size_t value, size_t slot,
                                  const f0t_layout *layout);
/* A plain result of the value's shape: a new slot, and its place. */
f0t_status f0t_onnx_builder_place_plain(size_t *slot, f0t_onnx_builder *b, size_t value);
/* The same in the memory of this input of the graph. */
f0t_status f0t_onnx_builder_place_input(f0t_onnx_builder *b, size_t value, size_t input);
/* The slot where the value is plain, or lies as `layout` says; a step rewrites it where needed. */
f0t_status f0t_onnx_builder_need_plain(size_t *slot, f0t_onnx_builder *b, size_t value);
f0t_status f0t_onnx_builder_need_layout(size_t *slot, f0t_onnx_builder *b, size_t value,
                                        const f0t_layout *layout);
/* The same, and what has the layout's type stays there, where others will want it so, too. */
f0t_status f0t_onnx_builder_move(size_t *slot, f0t_onnx_builder *b, size_t value,
                                 const f0t_layout *layout);
/* Says that `value` is in `slot` in eight bits, on this grid. */
f0t_status f0t_onnx_builder_place_eight(f0t_onnx_builder *b, size_t value, size_t slot,
                                        const f0t_layout *layout, f0t_grid grid);
/* The layout in which it is now, to be freed; floats on a grid become float32 first. Dimensions of size 0 have none. */
f0t_status f0t_onnx_builder_layout(f0t_layout **out, f0t_onnx_builder *b, size_t value);
/* The steps, in elements, between neighbours in each dimension; false where they are not float32 or lie in blocks. */
bool f0t_onnx_builder_steps(size_t *strides, const f0t_onnx_builder *b, size_t value);
/* True when the item that is emitted now is the last to use the memory of `value`. */
bool f0t_onnx_builder_is_last(const f0t_onnx_builder *b, size_t value);
/* What an item will cost each time, in additions and multiplications, is told before it is made: its products, and its
 * elements for the time that they take. Making it costs, too: oneDNN compiles. (schedule.c) */
f0t_status f0t_onnx_builder_charge(f0t_onnx_builder *b, const f0t_onnx_item *item);
/* The item has been emitted: its inputs are used once less. */
void f0t_onnx_builder_consume(f0t_onnx_builder *b, const f0t_onnx_item *item);
bool f0t_onnx_builder_is_constant(const f0t_onnx_builder *b, size_t value);

/* ---- What follows a layer, and is done by it ----------------------------------------------------
 */

typedef struct f0t_onnx_chain {
    const f0t_onnx_item *norm; /* a BatchNormalization, or NULL */
    size_t other;              /* the value that is added, or F0T_NONE */
    const f0t_onnx_item *sum;  /* the item that adds it */
    f0t_after after[F0T_LAYER_AFTER];
    size_t after_count;
    size_t items[F0T_LAYER_AFTER + 2]; /* that are part of it */
    size_t item_count;
    size_t output; /* the value at its end */
} f0t_onnx_chain;

/* Activations after `value`; with a convolution also a normalisation and, with `sums`, a sum. */
void f0t_onnx_chain_find(f0t_onnx_chain *out, const f0t_onnx_builder *b, size_t value, bool sums);
/* Scale (NULL where there is none) and bias of each filter of a convolution: its own bias and the chain's
 * normalisation in one, to be freed. */
f0t_status f0t_onnx_chain_merge(float **scale, float **bias, const f0t_onnx_builder *b,
                                const f0t_onnx_array *own, const f0t_onnx_chain *c, size_t filters);

/* A dense layer: Gemm, or MatMul with what follows it. */
typedef struct f0t_onnx_dense {
    size_t x, weights, bias; /* values; bias may be F0T_NONE */
    bool transposed;
    float alpha, beta;
    size_t m, n, k;
    const f0t_onnx_item *add, *relu; /* that it absorbs, or NULL */
    size_t output;
} f0t_onnx_dense;

/* ---- Emitting: each says through *done whether it could -----------------------------------------
 */

f0t_status f0t_emit_conv(f0t_onnx_builder *b, size_t item, bool *done);
/* Finds b->blocks, before the first. */
f0t_status f0t_onnx_builder_find_blocks(f0t_onnx_builder *b);
/* A Mul that the convolution after it does. */
f0t_status f0t_emit_gated_conv(f0t_onnx_builder *b, const f0t_onnx_item *mul, bool *done);
f0t_status f0t_emit_pool(f0t_onnx_builder *b, const f0t_onnx_item *item, bool *done);
f0t_status f0t_emit_activation(f0t_onnx_builder *b, const f0t_onnx_item *item, bool *done);
f0t_status f0t_emit_binary(f0t_onnx_builder *b, size_t item, bool *done);
f0t_status f0t_emit_concat(f0t_onnx_builder *b, const f0t_onnx_item *item, bool *done);
f0t_status f0t_emit_batch_norm(f0t_onnx_builder *b, size_t item, bool *done);
f0t_status f0t_emit_gemm(f0t_onnx_builder *b, size_t item, bool *done);
f0t_status f0t_emit_matmul(f0t_onnx_builder *b, size_t item, bool *done);
f0t_status f0t_emit_view(f0t_onnx_builder *b, const f0t_onnx_item *item, bool *done);
f0t_status f0t_emit_transpose(f0t_onnx_builder *b, const f0t_onnx_item *item, bool *done);
f0t_status f0t_emit_split(f0t_onnx_builder *b, const f0t_onnx_item *item, bool *done);
f0t_status f0t_emit_gather(f0t_onnx_builder *b, const f0t_onnx_item *item, bool *done);
f0t_status f0t_emit_attention(f0t_onnx_builder *b, const f0t_onnx_item *item, bool *done);
f0t_status f0t_emit_softmax(f0t_onnx_builder *b, const f0t_onnx_item *item, bool *done);
f0t_status f0t_emit_layer_norm(f0t_onnx_builder *b, const f0t_onnx_item *item, bool *done);
f0t_status f0t_emit_op(f0t_onnx_builder *b, const f0t_onnx_item *item);

/* In eight bits (emit_eight.c); these leave *done false where they cannot, and the float emitters go on. */
f0t_status f0t_emit_quantise(f0t_onnx_builder *b, const f0t_onnx_item *item, bool *done);
f0t_status f0t_emit_dequantise(f0t_onnx_builder *b, const f0t_onnx_item *item, bool *done);
f0t_status f0t_emit_eight_conv(f0t_onnx_builder *b, const f0t_onnx_item *item, bool *done);
f0t_status f0t_emit_eight_dense(f0t_onnx_builder *b, const f0t_onnx_item *item,
                                const f0t_onnx_dense *d, bool *done);
f0t_status f0t_emit_eight_sum(f0t_onnx_builder *b, const f0t_onnx_item *item, bool *done);
f0t_status f0t_emit_qlinear_conv(f0t_onnx_builder *b, const f0t_onnx_item *item, bool *done);
f0t_status f0t_emit_qlinear_matmul(f0t_onnx_builder *b, const f0t_onnx_item *item, bool *done);
f0t_status f0t_emit_eight_view(f0t_onnx_builder *b, size_t in, size_t out);

/* Whether it is a Softmax of rows: over the last dimension. */
bool f0t_onnx_builder_is_softmax(const f0t_onnx_builder *b, const f0t_onnx_item *item);

/* The dimensions of a Transpose's input that its result has, and those of the result that the input has. */
void f0t_onnx_builder_order(size_t *order, size_t *back, const f0t_onnx_item *item, size_t rank);
/* The layout of `value` when its elements stay where a plain array `other` has them, dimension d of
 * `value` being dimension from[d] of the other. */
f0t_status f0t_onnx_builder_seen_as(f0t_layout **out, const f0t_onnx_array *value,
                                    const f0t_onnx_array *other, const size_t *from);

/* A window for oneDNN; false for one that is better done by the plain operator: of odd sizes that no
 * network has, or with padding that is wider than it. */
bool f0t_onnx_builder_window(f0t_layer_window *out, const f0t_onnx_window *window);

/* The one item that uses the value, when it is used once and not an output; else NULL. */
f0t_onnx_item *f0t_onnx_builder_only_user(const f0t_onnx_builder *b, size_t value);

#endif
