/* The nodes that have to run, with the idioms of exporters put together again: a Gelu that was written
 * as five nodes is one item, a layer normalisation of nine is one. */
#ifndef F0T_ONNX_ITEMS_H
#define F0T_ONNX_ITEMS_H

#include "math/layers.h"
#include "onnx/fold.h"

typedef enum f0t_onnx_item_kind {
    F0T_ONNX_ITEM_NODE,       /* as the node says */
    F0T_ONNX_ITEM_ACTIVATION, /* x through `after` */
    F0T_ONNX_ITEM_LAYER_NORM, /* of the last dimension of x */
    F0T_ONNX_ITEM_GONE        /* part of another item */
} f0t_onnx_item_kind;

typedef struct f0t_onnx_item {
    f0t_onnx_item_kind kind;
    const f0t_onnx_node *node; /* the last of its nodes: for messages */
    size_t x, output;          /* values, of the kinds that are not nodes */
    f0t_after after[2];
    size_t after_count;
    size_t scale, bias; /* constants, or F0T_NONE */
    float epsilon;
} f0t_onnx_item;

typedef struct f0t_onnx_items {
    f0t_onnx_fold *fold;
    f0t_onnx_item *list;
    size_t count;
    size_t *uses;  /* of each value, by items that are not gone, and as an output */
    size_t *maker; /* item of each value, or F0T_NONE */
    size_t *user;  /* the item that uses a value last, or F0T_NONE */
} f0t_onnx_items;

f0t_status f0t_onnx_items_create(f0t_onnx_items *out, f0t_onnx_fold *fold, const size_t *outputs,
                                 size_t count);
void f0t_onnx_items_clear(f0t_onnx_items *items);

/* The values that an item takes: those of its node, or x alone. */
size_t f0t_onnx_item_input_count(const f0t_onnx_item *item);
size_t f0t_onnx_item_input(const f0t_onnx_item *item, size_t k);
size_t f0t_onnx_item_output(const f0t_onnx_item *item); /* the first */
bool f0t_onnx_item_is(const f0t_onnx_item *item, const char *op);

#endif
