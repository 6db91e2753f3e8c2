/* Enough of protobuf's wire format to look at a message from outside
 * (protobuf.dev/programming-guides/encoding): fields one after another, nothing is decoded. */
#ifndef F0T_ONNX_WIRE_H
#define F0T_ONNX_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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
bool f0t_onnx_message_next(f0t_onnx_message *message, f0t_onnx_field *field);

#endif
