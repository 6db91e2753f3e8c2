/* What the files that write a quantised network share: its messages, tensors and nodes one by one. */
#ifndef F0T_ONNX_QUANTISE_WRITE_H
#define F0T_ONNX_QUANTISE_WRITE_H

#include "onnx/quantise_inside.h"

/* Scales for each filter came with set 13. */
enum { F0T_QUANTISE_OPSET = 13, F0T_QUANTISE_NAME = 64 };

/* Numbers of onnx.proto that are written. */
enum { NODE_INPUT = 1, NODE_OUTPUT = 2, NODE_NAME = 3, NODE_OP = 4, NODE_ATTRIBUTE = 5 };

typedef struct f0t_quantise_writing {
    f0t_onnx_quantiser *q;
    const f0t_onnx_graph *graph;
    f0t_onnx_pack *out; /* the graph's fields */
    char prefix[16];    /* that no name of the network begins with */
    bool *live;         /* nodes that are written */
    bool *referenced;   /* values that a node or the graph still asks for */
} f0t_quantise_writing;

/* ---- Pieces (quantise_put.c) ----------------------------------------------------------------- */

/* The name of what is made of a value. */
void f0t_quantise_name(char out[F0T_QUANTISE_NAME], const f0t_quantise_writing *w, size_t value,
                       const char *part);
/* The name under which nodes take the value; `buffer` may hold it. */
const char *f0t_quantise_taken_name(char buffer[F0T_QUANTISE_NAME], const f0t_quantise_writing *w,
                                    size_t value);

void f0t_quantise_put_tensor(f0t_quantise_writing *w, const char *name, int type,
                             const f0t_onnx_array *shape, const void *data, size_t bytes);
void f0t_quantise_put_list(f0t_quantise_writing *w, const char *name, int type, const void *data,
                           size_t count, size_t size);
void f0t_quantise_put_number(f0t_quantise_writing *w, const char *name, int type, const void *data,
                             size_t size);

/* QuantizeLinear and DequantizeLinear behind a value that is on a grid. */
void f0t_quantise_put_grid(f0t_quantise_writing *w, size_t value);
/* Initializers and DequantizeLinear of a layer's weights and bias, whose names go by its output. */
f0t_status f0t_quantise_put_weights(f0t_quantise_writing *w, const f0t_quantise_layer *l);

static inline bool f0t_quantise_has_bias(const f0t_quantise_layer *l)
{
    return l->bias != F0T_NONE || l->norm;
}

/* ---- Nodes of older sets (quantise_renew.c) --------------------------------------------------- */

/* What to write in place of a node: its operator, without attributes, and constants as more inputs. */
typedef struct f0t_quantise_renewal {
    const char *op; /* NULL: the node as it is */
    bool has_limits, has_axes;
} f0t_quantise_renewal;

/* Fails where the node cannot be written for the newer set. */
f0t_status f0t_quantise_renew(f0t_quantise_renewal *out, const f0t_quantise_writing *w,
                              const f0t_onnx_node *node);
void f0t_quantise_put_renewed(f0t_quantise_writing *w, f0t_onnx_pack *n, const f0t_onnx_node *node,
                              const f0t_quantise_renewal *r);

#endif
