/*
 * fast0tag, the tools: import of datasets, conversion of word vectors, inspection of files.
 *
 * The contract of fast0tag.h (who owns what, errors, threads) holds here too.
 */
#ifndef FAST0TAG_TOOLS_H
#define FAST0TAG_TOOLS_H

#include "fast0tag.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Word vectors -----------------------------------------------------------------------------
 */

/* All zero, or a NULL pointer, is what one usually wants. */
typedef struct f0t_convert_options {
    bool f16;      /* numbers of 16 bits: half the file, three digits */
    bool tolerant; /* as in f0t_vectors_options */
    const f0t_monitor *monitor;
} f0t_convert_options;

/* Writes the word vectors of the file `from`, of any form, into `to` in the form that opens at once
 * (f0t_vectors_open). Needs little memory: the vectors stream through. `counts` (may be NULL) says
 * what became of the rows. A failure or an interruption leaves an old file `to` as it was. */
F0T_API f0t_status f0t_vectors_convert(f0t_vectors_counts *counts, const char *to, const char *from,
                                       const f0t_convert_options *options);

/* The same with only the words that these tags need: the tags themselves and everything that
 * f0t_vocab_create may look up for them (other spellings, singular and plural, the words of a
 * phrase). Mean and fingerprint stay those of the whole file. */
F0T_API f0t_status f0t_vectors_trim(f0t_vectors_counts *counts, const char *to, const char *from,
                                    const char *const *tags, size_t tag_count,
                                    const f0t_convert_options *options);

/* ---- Inspection ---------------------------------------------------------------------------- */

/*
 * What a file is, told by its content and never by its name: npy, safetensors (word vectors and
 * models of ours among them), word vectors in text or binary form, ONNX, ARFF, the label list of
 * MULAN, TagProp's vecs, CSV and TSV, JSON, plain text, a gzip of any text form, a dataset directory.
 *
 *     f0t_inspection *found;
 *     if (f0t_inspect(&found, "features.npy", NULL) == F0T_OK)
 *         printf("%s: %s\n", found->path, found->title);
 *     f0t_inspection_free(found);
 */
typedef struct f0t_inspect_options {
    bool quick;                 /* no pass over the content: no ranges, no checksum, no counts */
    size_t rows;                /* how many first rows to show; 0: 5 */
    const f0t_monitor *monitor; /* or NULL */
} f0t_inspect_options;

/* Something that is known of the file. A number is given as text, whole, without separators. */
typedef struct f0t_inspect_fact {
    const char *name, *value;
    bool is_number;
} f0t_inspect_fact;

/* Numbers in the file. */
typedef struct f0t_inspect_array {
    const char *name; /* "" for the only array of a file */
    const char *type; /* as it is on disk: "float32", … */
    size_t dims;
    const size_t *shape;    /* [dims] */
    bool measured;          /* the following are set */
    uint64_t nan, infinite; /* how many elements are NaN, how many are infinite */
    double min, max, mean;  /* of the others; NaN when there are none */
} f0t_inspect_array;

/* One of the first rows: a line or name, and its first numbers where it has some. */
typedef struct f0t_inspect_row {
    const char *text;     /* "" where a row is numbers alone */
    const double *values; /* [shown] */
    size_t shown, count;  /* of all `count` numbers */
} f0t_inspect_row;

typedef struct f0t_inspection {
    const char *path;
    const char *kind;  /* "npy", "safetensors", "vectors", "model", "dataset", "onnx", "arff",
                          "mulan-labels", "vecs", "csv", "tsv", "json", "text" */
    const char *title; /* what a person would call it */
    uint64_t size;     /* bytes; of a directory, those of the dataset's files */
    bool has_checksum; /* not for directories, where each file has its own among the facts */
    uint32_t checksum; /* CRC-32 of all bytes, that of zlib and gzip: shows damage, not forgery */
    const f0t_inspect_fact *facts;
    size_t fact_count;
    const f0t_inspect_fact *metadata; /* what the file says about itself */
    size_t metadata_count;
    const f0t_inspect_array *arrays;
    size_t array_count;
    const f0t_inspect_row *rows;
    size_t row_count;
} f0t_inspection;

/* Looks at a file or directory; `options` may be NULL. Fails with F0T_ERROR_UNSUPPORTED when it is
 * nothing that fast0tag knows, and as the file's loader does when it is broken. */
F0T_API f0t_status f0t_inspect(f0t_inspection **out, const char *path,
                               const f0t_inspect_options *options);
F0T_API void f0t_inspection_free(f0t_inspection *inspection);

#ifdef __cplusplus
}
#endif

#endif
