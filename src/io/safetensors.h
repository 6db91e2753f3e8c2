/* safetensors: named tensors and text metadata in one file, read by mmap, strict as its
 * specification. */
#ifndef F0T_IO_SAFETENSORS_H
#define F0T_IO_SAFETENSORS_H

#include "base/dtype.h"
#include "io/file.h"

enum { F0T_TENSOR_DIMS = 8 };

typedef struct f0t_tensor {
    const char *name;
    f0t_dtype dtype;
    size_t dims;
    size_t shape[F0T_TENSOR_DIMS];
    size_t count;     /* elements */
    const void *data; /* in the mapped file, aligned for its type */
} f0t_tensor;

typedef struct f0t_safetensors f0t_safetensors;

/* "F32", … as the format writes it, NULL for a type that it does not have. */
const char *f0t_safetensors_type_name(f0t_dtype dtype);

/* True when the bytes begin as a safetensors file does, which is never how text begins. */
bool f0t_safetensors_begins(const void *data, size_t size);

/* Everything in the header is checked against the real size of the file; offsets must tile the data
 * without hole or overlap. */
f0t_status f0t_safetensors_open(f0t_safetensors **out, const char *path);
f0t_status f0t_safetensors_open_memory(f0t_safetensors **out, const void *data, size_t size,
                                       const char *name);
void f0t_safetensors_close(f0t_safetensors *file);

size_t f0t_safetensors_count(const f0t_safetensors *file);
const f0t_tensor *f0t_safetensors_at(const f0t_safetensors *file, size_t i); /* by offset */
/* NULL when there is none. */
const f0t_tensor *f0t_safetensors_find(const f0t_safetensors *file, const char *name);
/* The text of a key of __metadata__, NULL when there is none. */
const char *f0t_safetensors_metadata(const f0t_safetensors *file, const char *key);
/* The same as a number of base 10 or 16, which must be there. */
f0t_status f0t_safetensors_number(uint64_t *out, const f0t_safetensors *file, const char *key,
                                  int base);
/* Reads all tensors, and fails with F0T_ERROR_FORMAT where their CRC-32 is not the "checksum" of the metadata, a number
 * of base 16. Files without one pass. */
f0t_status f0t_safetensors_check(const f0t_safetensors *file);
/* Fails when bytes of a mapped file could not be read since it was opened: to be asked after tensors were read. */
f0t_status f0t_safetensors_whole(const f0t_safetensors *file);
/* Lets go of the pages of a tensor in a mapped file; they come back when they are touched. */
void f0t_safetensors_let_go(const f0t_safetensors *file, const void *data, size_t size);
size_t f0t_safetensors_metadata_count(const f0t_safetensors *file);
void f0t_safetensors_metadata_at(const f0t_safetensors *file, size_t i, const char **key,
                                 const char **value);
const char *f0t_safetensors_path(const f0t_safetensors *file);

/* Writing: the bytes of a tensor in as many pieces as one likes, then its name and shape. The
 * header comes last, into `header_room` bytes reserved for it: sizes need not be known before.
 * Commit fails when the room does not suffice. */
typedef struct f0t_safetensors_writer f0t_safetensors_writer;

f0t_status f0t_safetensors_create(f0t_safetensors_writer **out, const char *path,
                                  size_t header_room);
f0t_status f0t_safetensors_set_metadata(f0t_safetensors_writer *writer, const char *key,
                                        const char *value);
/* Before the first byte: the metadata gets a "checksum" of all tensors, as f0t_safetensors_check compares it. */
void f0t_safetensors_sign(f0t_safetensors_writer *writer);
/* Bytes of the tensor that is being written. */
f0t_status f0t_safetensors_write(f0t_safetensors_writer *writer, const void *data, size_t size);
/* Ends the tensor whose bytes were given since the last call: shape and type must match their
 * number. Pads nothing: write tensors of wide types first, so that each begins aligned. */
f0t_status f0t_safetensors_end_tensor(f0t_safetensors_writer *writer, const char *name,
                                      f0t_dtype dtype, size_t dims, const size_t *shape);
/* Writes the header, puts the file in its place, frees the writer, also on failure. */
f0t_status f0t_safetensors_commit(f0t_safetensors_writer *writer);
void f0t_safetensors_abort(f0t_safetensors_writer *writer);

#endif
