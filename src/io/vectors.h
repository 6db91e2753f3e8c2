/*
 * Word vectors inside: a list in memory or a mapped file under one interface (fast0tag.h), and the
 * project's own form of them, a safetensors file:
 *
 *   vectors  F32 or F16 [N, d]
 *   padding  U8 [0 … 7], only where it is needed to align what follows
 *   offsets  I64 [N + 1]  where each word begins in `words`
 *   index    I32 [S]      hash table over the words, S a power of two: base/interner.h
 *   mean     F32 [d]      of the file that was converted
 *   words    U8           the words, each with a newline after it
 *
 * and in __metadata__ the format, its version, the seed of the hash, the fingerprint of the vector
 * space, and where the vectors came from. docs/formats.md has it in full.
 */
#ifndef F0T_IO_VECTORS_H
#define F0T_IO_VECTORS_H

#include "base/dtype.h"
#include "base/interner.h"
#include "fast0tag.h"
#include "io/safetensors.h"

#define F0T_VECTORS_FORMAT "fast0tag-vectors"
#define F0T_VECTORS_VERSION 1

/* ---- The object (vectors.c) ------------------------------------------------------------------------ */

enum { F0T_VECTORS_CHUNK = 1 << 16 }; /* numbers in a chunk of memory, or one row */

struct f0t_vectors {
    f0t_words words;
    size_t dim;
    f0t_dtype dtype;
    float *mean; /* [dim] */
    uint64_t fingerprint;
    const char *format;
    char *source;
    const char *parents; /* of joined vectors, as the file has it: JSON; else NULL */
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
f0t_status f0t_vectors_peek(char peek[F0T_VECTORS_PEEK], size_t *peeked, bool *own,
                            f0t_stream *stream);

/* The vector of word i (below the count): where it lies, or converted into buffer[dim]. */
const float *f0t_vectors_row(const f0t_vectors *vectors, size_t i, float *buffer);
/* Fails when bytes of a mapped file could not be read since it was opened: words that it has may not have been found. */
f0t_status f0t_vectors_whole(const f0t_vectors *vectors);

/* Lets go of what a pass over a mapped file has read. */
void f0t_vectors_let_go(const f0t_vectors *vectors);

/* The name of a file without its folders. */
const char *f0t_vectors_base_name(const char *path);

/* ---- Our own form (vectors_file.c) ----------------------------------------------------------------- */

/* Takes over `file`, also on failure: checks that it is word vectors and borrows its tensors. */
f0t_status f0t_vectors_attach(f0t_vectors *vectors, f0t_safetensors *file);

typedef struct f0t_vectors_writer {
    f0t_safetensors_writer *file;
    const char *path;
    size_t dim, rows;
    bool f16;
    uint16_t *halves; /* [HALVES x dim] */
} f0t_vectors_writer;

/* `parents`: the files that were joined, as JSON; NULL: none were. */
f0t_status f0t_vectors_writer_open(f0t_vectors_writer *writer, const char *path, size_t dim,
                                   bool f16, const char *parents);

/* A f0t_gather_put: `writer` is a f0t_vectors_writer. */
f0t_status f0t_vectors_writer_put(void *writer, const float *values, size_t rows);

/* What stands in the file besides the vectors. */
typedef struct f0t_vectors_rest {
    const f0t_words *words; /* as many as rows were put */
    const float *mean;      /* [dim] */
    uint64_t fingerprint;
    const char *source;
    f0t_vectors_counts counts;
} f0t_vectors_rest;

/* Writes the rest and puts the file in its place, when `status` is F0T_OK; else leaves no trace.
 * Frees the writer; returns the first failure. */
f0t_status f0t_vectors_writer_finish(f0t_vectors_writer *writer, const f0t_vectors_rest *rest,
                                     f0t_status status);

/* f0t_vectors_convert with only the words that are in `wanted` (NULL: all). */
f0t_status f0t_vectors_rewrite(f0t_vectors_counts *counts, const char *to, const char *from,
                               const f0t_words *wanted, const f0t_convert_options *options);

#endif
