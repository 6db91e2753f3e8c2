/*
 * Networks made from bytes: each byte is a choice, so that a fuzzer which changes bytes changes the
 * network. They are files that parse, over all operators of the table; what is odd about them lies
 * deeper: shapes that do not fit, dimensions of 0 and 2^62, inputs and outputs that are left out, axes
 * named twice, names made twice or too late, attributes of another type, NaN and infinity.
 */
#ifndef F0T_TESTS_ONNX_GENERATOR_H
#define F0T_TESTS_ONNX_GENERATOR_H

#include <stddef.h>
#include <stdint.h>

/* The text of a network (tests/support/onnx_text.h), the same for the same bytes; free it. */
char *onnx_generate(const uint8_t *recipe, size_t size);

#endif
