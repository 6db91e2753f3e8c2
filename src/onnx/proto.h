/*
 * Messages of onnx.proto, unpacked by protobuf-c one at a time. The outer messages (model, graph) are
 * walked field by field instead: protobuf-c would copy every weight, and it follows nested messages
 * without a limit. What is unpacked here has the fields cut off that could nest, and the bytes of
 * weights.
 */
#ifndef F0T_ONNX_PROTO_H
#define F0T_ONNX_PROTO_H

#include "base/status.h"
#include "onnx/budget.h"

#include <onnx.pb-c.h>

/* ---- The wire format ------------------------------------------------------------------------- */

/* Enough of it to look at a message from outside (protobuf.dev/programming-guides/encoding): fields one
 * after another, nothing is decoded. */
typedef struct f0t_onnx_message {
    const unsigned char *at, *end;
} f0t_onnx_message;

typedef struct f0t_onnx_field {
    uint32_t number;
    unsigned wire;         /* 0: varint, 1: 8 bytes, 2: bytes, 5: 4 bytes */
    uint64_t value;        /* of a varint */
    f0t_onnx_message body; /* of bytes */
} f0t_onnx_field;

/* The next field; false at the end, and where no field can be read: then at != end. */
bool f0t_onnx_message_next(f0t_onnx_field *field, f0t_onnx_message *message);

/* ---- Messages -------------------------------------------------------------------------------- */

/* Numbers of the fields that are looked at from outside. */
enum {
    F0T_ONNX_MODEL_IR = 1,
    F0T_ONNX_MODEL_GRAPH = 7,
    F0T_ONNX_MODEL_OPSET = 8,
    F0T_ONNX_MODEL_FUNCTION = 25
};
enum {
    F0T_ONNX_GRAPH_NODE = 1,
    F0T_ONNX_GRAPH_NAME = 2,
    F0T_ONNX_GRAPH_INITIALIZER = 5,
    F0T_ONNX_GRAPH_INPUT = 11,
    F0T_ONNX_GRAPH_OUTPUT = 12,
    F0T_ONNX_GRAPH_SPARSE = 15
};
enum { F0T_ONNX_NODE_ATTRIBUTE = 5 };
enum { F0T_ONNX_TENSOR_RAW = 9 };
enum { F0T_ONNX_VALUE_NAME = 1, F0T_ONNX_VALUE_TYPE = 2, F0T_ONNX_TYPE_TENSOR = 1 };

/* Unpacks a message without the fields of `dropped`, which ends with 0. `what` is for messages: "a
 * node". The budget is charged with what that takes. Free with f0t_onnx_proto_free. */
f0t_status f0t_onnx_proto_unpack(void *out, const ProtobufCMessageDescriptor *kind,
                                 f0t_onnx_message bytes, const uint32_t *dropped, const char *what,
                                 f0t_onnx_budget *budget);
void f0t_onnx_proto_free(void *message);

/* The last field of bytes with this number; at == NULL when there is none. */
f0t_onnx_message f0t_onnx_message_find(f0t_onnx_message message, uint32_t number);

#endif
