/* Word vectors inside: a list in memory or a mapped file behind one interface (fast0tag.h). */
#ifndef F0T_IO_VECTORS_H
#define F0T_IO_VECTORS_H

#include "base/dtype.h"
#include "base/interner.h"
#include "io/safetensors.h"
#include "io/vectors_layout.h"

enum { F0T_VECTORS_CHUNK = 1 << 16 }; /* numbers in a chunk of memory, or one row */

struct f0t_vectors {
    f0t_words words;
    size_t dim;
    f0t_dtype dtype;
    float *mean; /* [dim] */
    uint64_t fingerprint;
    const char *format;
    char *source;
    f0t_vectors_counts counts;
    /* In memory: */
    f0t_names list;
    float **chunks; /* each chunk_rows x dim */
    size_t chunk_rows, chunk_count, chunk_capacity;
    /* Mapped: */
    f0t_safetensors *file;
    const char *data; /* [count x dim] of dtype */
};

enum { F0T_VECTORS_PEEK = 16 };

/* Reads the first bytes; *own says that they begin our own form (or some safetensors file). */
f0t_status f0t_vectors_peek(f0t_stream *stream, char peek[F0T_VECTORS_PEEK], size_t *peeked,
                            bool *own);

/* Reads what comes out of the stream into memory. */
f0t_status f0t_vectors_read(f0t_vectors *vectors, f0t_stream *stream, const char *peek,
                            size_t peeked, const f0t_vectors_options *options);

/* Takes over `file`, also on failure: checks that it is word vectors and borrows its tensors. */
f0t_status f0t_vectors_attach(f0t_vectors *vectors, f0t_safetensors *file);

/* The vector of word i (below the count): where it lies, or converted into buffer[dim]. */
const float *f0t_vectors_row(const f0t_vectors *vectors, size_t i, float *buffer);

const char *f0t_vectors_form_name(f0t_vectors_form form);

/* The name of a file without its folders. */
const char *f0t_vectors_base_name(const char *path);

#endif
