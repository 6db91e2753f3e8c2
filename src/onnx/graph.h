/* A network as its file has it: values, nodes, inputs and outputs, everything checked that can be
 * checked without knowing the shapes of the inputs. Does not change after reading. */
#ifndef F0T_ONNX_GRAPH_H
#define F0T_ONNX_GRAPH_H

#include "base/interner.h"
#include "io/file.h"
#include "onnx/array.h"
#include "onnx/budget.h"
#include "onnx/proto.h"

typedef F0tOnnx__NodeProto f0t_onnx_node_proto;
typedef F0tOnnx__AttributeProto f0t_onnx_attribute_proto;
typedef F0tOnnx__TensorProto f0t_onnx_tensor_proto;

typedef struct f0t_op f0t_op;

/* What flows between nodes. */
typedef struct f0t_onnx_value {
    const char *name;        /* "" of an output that has none */
    size_t producer;         /* the node that makes it, or F0T_NONE */
    bool input;              /* of the graph, and no initializer gives it */
    f0t_onnx_array constant; /* its elements where they are in the file; else not known */
} f0t_onnx_value;

typedef struct f0t_onnx_node {
    f0t_onnx_node_proto *proto;
    f0t_onnx_attribute_proto **attributes;
    size_t attribute_count;
    const f0t_op *op; /* NULL: not supported */
    size_t *inputs;   /* values; F0T_NONE for one that is left out */
    size_t *outputs;  /* values, also where the file gives no name: never F0T_NONE */
    size_t input_count, output_count;
} f0t_onnx_node;

/* An input or output of the graph, with what the file says about it. */
typedef struct f0t_onnx_port {
    size_t value;
    int type;       /* f0t_onnx_array_type, or a type that cannot be held */
    bool has_shape; /* the file says its rank */
    size_t rank;
    size_t dims[F0T_ONNX_RANK];        /* 0: open */
    const char *names[F0T_ONNX_RANK];  /* of open dimensions, or NULL */
    F0tOnnx__TypeProto__Tensor *proto; /* has the names */
} f0t_onnx_port;

typedef struct f0t_onnx_file {
    char *location;
    f0t_map map;
} f0t_onnx_file;

typedef struct f0t_onnx_graph {
    char *path;              /* of the file, for messages */
    f0t_onnx_budget *budget; /* while it is read */
    char *folder;            /* where external data lies; NULL: nowhere */
    f0t_map map;
    int ir_version, opset;
    f0t_names names;
    char *name_text;
    f0t_onnx_value *values;
    f0t_onnx_node *nodes;
    f0t_onnx_port *inputs, *outputs; /* inputs without those that an initializer gives */
    f0t_onnx_file *files;            /* external data */
    size_t value_count, node_count, input_count, output_count, file_count;
    size_t value_capacity, node_capacity, input_capacity, output_capacity, file_capacity;
} f0t_onnx_graph;

f0t_status f0t_onnx_graph_open(f0t_onnx_graph **out, const char *path, const f0t_monitor *monitor);
/* From memory, which must stay. `folder` may be NULL: a network with external data is refused. */
f0t_status f0t_onnx_graph_open_memory(f0t_onnx_graph **out, const void *data, size_t size,
                                      const char *name, const char *folder,
                                      const f0t_monitor *monitor);
void f0t_onnx_graph_close(f0t_onnx_graph *graph);

/* Fails when bytes of its files could not be read since they were opened. */
f0t_status f0t_onnx_graph_check(const f0t_onnx_graph *graph);

/* Bytes of its file, and of those beside it: each once, without holes. */
size_t f0t_onnx_graph_file_bytes(const f0t_onnx_graph *graph);

/* CRC-32 of the files beside it, each once; 0 when there is not any. Fails where one was made shorter meanwhile. */
f0t_status f0t_onnx_graph_external_checksum(uint32_t *sum, bool *any, const f0t_onnx_graph *graph);

/* The value of this name, or F0T_NONE. */
size_t f0t_onnx_graph_find(const f0t_onnx_graph *graph, const char *name);

/*
 * Which value is the features of a picture (features.c): an output with a telling name; else what the
 * classifier at the end takes: the input of the last dense layer with biases (or of a convolution after
 * the last pooling), without dropout; where there is none, the first output itself. A dense layer
 * without biases is a projection, as CLIP's.
 */
size_t f0t_onnx_graph_features(const f0t_onnx_graph *graph);
/* The value of this name; NULL: the features. */
f0t_status f0t_onnx_graph_output(size_t *out, const f0t_onnx_graph *graph, const char *name);

/* Fails, with its name and node, when an operator is not supported. `used` (NULL: all) says which
 * nodes matter. */
f0t_status f0t_onnx_graph_check_ops(const f0t_onnx_graph *graph, const bool *used);

/* Puts the file and the node before the last error. */
f0t_status f0t_onnx_graph_fail_at(const f0t_onnx_graph *graph, const f0t_onnx_node *node,
                                  f0t_status status);

/* ---- Tensors ------------------------------------------------------------------------------------
 */

/* An array of the file: its elements stay where they are when they are raw bytes, else they are
 * copied. `graph` finds external data (NULL: there is none). */
f0t_status f0t_onnx_tensor_read(f0t_onnx_array *out, char **name, f0t_onnx_message bytes,
                                f0t_onnx_graph *graph);
/* The same of an unpacked message, whose raw bytes the array borrows. */
f0t_status f0t_onnx_tensor_from_proto(f0t_onnx_array *out, const f0t_onnx_tensor_proto *proto,
                                      f0t_onnx_message raw, f0t_onnx_graph *graph);

#endif
