/*
 * Small networks from text, for unit tests and the fuzz target: ONNX's own textual syntax, cut down.
 *
 *     opset 13                                      21 at most; 17 when it is left out
 *     x : float[N,3,8,8]                            an input of the graph (without []: no shape)
 *     w = float[2,3]{0, 0.5..}                      an initializer; .. goes on with the last step
 *     b = bool[4]{1..}                              (of one number: repeats it) until it is full
 *     s = int64[2]:{1, 2}                           the same in int64_data in place of raw_data
 *     y, , z = Split<axis=1>(x, , s)                a node; a name may be left out
 *     q = com.other.Op<a=1, b=1.5, c="text", d=[1,2], e=[1.0,nan], f=float[1]{0}>(y)
 *     return y, z                                   outputs of the graph
 *
 * Statements end with a newline or ';'. Elements of float16 and bfloat16 are given as bits. Whether a
 * network means something is not checked: shapes, counts and types may be wrong, a name may be made
 * twice or never. Text that is not of this form ends the program.
 */
#ifndef F0T_TESTS_ONNX_TEXT_H
#define F0T_TESTS_ONNX_TEXT_H

#include <stddef.h>
#include <stdint.h>

/* Bytes that grow; zero-initialise. */
typedef struct onnx_bytes {
    unsigned char *data;
    size_t size, capacity;
} onnx_bytes;

/* The bytes of a ModelProto. */
onnx_bytes onnx_from_text(const char *text);
void onnx_bytes_free(onnx_bytes *bytes);

/* Fields of a protobuf message. */
void onnx_put_varint(onnx_bytes *to, uint64_t value);
void onnx_put_int(onnx_bytes *to, unsigned field, uint64_t value);
void onnx_put_float(onnx_bytes *to, unsigned field, float value);
void onnx_put(onnx_bytes *to, unsigned field, const void *data, size_t size);
void onnx_put_text(onnx_bytes *to, unsigned field, const char *text);
/* Frees `message`. */
void onnx_put_message(onnx_bytes *to, unsigned field, onnx_bytes *message);

#endif
