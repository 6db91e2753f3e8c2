/* The header of a safetensors file. The format: huggingface/safetensors, README.md, and the checks
 * of its tensor.rs. */
#ifndef F0T_IO_SAFETENSORS_HEADER_H
#define F0T_IO_SAFETENSORS_HEADER_H

#include "io/safetensors.h"

#include <jansson.h>

enum { F0T_TENSOR_HEADER_MOST = 100000000 }; /* the reference's limit on the header, in bytes */

typedef struct f0t_tensors_header {
    json_t *root;        /* owns the names and the metadata */
    json_t *metadata;    /* borrowed from root, NULL when there is none */
    f0t_tensor *tensors; /* [count], by offset; `data` points into the file's bytes */
    size_t count;
} f0t_tensors_header;

/* Reads and checks the header of a file of `size` bytes. On failure there is nothing to free. */
f0t_status f0t_tensors_header_parse(f0t_tensors_header *header, const void *file, size_t size,
                                    const char *name);
void f0t_tensors_header_free(f0t_tensors_header *header);

/* "F32", … as the format writes it, NULL for a type that it does not have. */
const char *f0t_tensors_type_name(f0t_dtype dtype);

#endif
