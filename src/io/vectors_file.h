/*
 * The project's own form of word vectors, a safetensors file:
 *
 *   vectors  F32 or F16 [N, d]
 *   padding  U8 [0 … 7], only where it is needed to align what follows
 *   offsets  I64 [N + 1]  where each word begins in `words`
 *   index    I32 [S]      hash table over the words, S a power of two: io/vectors_words.h
 *   mean     F32 [d]      of the file that was converted
 *   words    U8           the words, each with a newline behind
 *
 * and in __metadata__ the format, its version, the seed of the hash, the fingerprint of the vector
 * space, and where the vectors came from. docs/formats.md has it in full.
 */
#ifndef F0T_IO_VECTORS_FILE_H
#define F0T_IO_VECTORS_FILE_H

#include "base/interner.h"
#include "io/safetensors.h"

#define F0T_VECTORS_FORMAT "fast0tag-vectors"
#define F0T_VECTORS_VERSION 1

typedef struct f0t_vectors_writer {
    f0t_safetensors_writer *file;
    const char *path;
    size_t dim, rows;
    bool f16;
    uint16_t *halves; /* [HALVES x dim] */
} f0t_vectors_writer;

f0t_status f0t_vectors_writer_open(f0t_vectors_writer *writer, const char *path, size_t dim,
                                   bool f16);

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

#endif
