/*
 * Safetensors for fuzz targets. Random bytes hardly ever leave lengths, offsets and the checksum of such a file right, so
 * nothing behind them would be reached: tensors_mutator.c, which is linked with targets that read them, changes tensors,
 * shapes and metadata and writes a file that parses, and the targets make its checksum right.
 */
#ifndef F0T_TESTS_TENSORS_H
#define F0T_TESTS_TENSORS_H

#include <stddef.h>
#include <stdint.h>

/* A copy of the input with the right checksum, where its metadata has one and it parses; NULL: no memory. The caller frees
 * it. */
uint8_t *tensors_signed_copy(const uint8_t *data, size_t size);

#endif
