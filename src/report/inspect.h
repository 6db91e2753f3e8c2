/* Inside f0t_inspect (fast0tag_tools.h, NULL): what is being looked at, the result as it grows, and the
 * kinds of files. */
#ifndef F0T_REPORT_INSPECT_H
#define F0T_REPORT_INSPECT_H

#include "base/dtype.h"
#include "fast0tag_tools.h"
#include "io/npy.h"

enum { F0T_INSPECT_HEAD = 1 << 16, F0T_INSPECT_SHOWN = 8 };

/* ---- Numbers: what can be said of many after one pass over them --------------------------- */

/* Zero-initialised: nothing seen yet. */
typedef struct f0t_numbers {
    uint64_t finite, nan, infinite;
    double min, max, sum; /* of the finite ones; min and max are set once there is one */
} f0t_numbers;

/* `n` more elements of this type, in this machine's byte order and any alignment. */
void f0t_numbers_add(f0t_numbers *numbers, const void *elements, f0t_dtype type, size_t n);

/* ---- What is being looked at -------------------------------------------------------------- */

/* The lists of the result, while they grow. */
typedef struct f0t_inspect_lists {
    f0t_inspect_fact *facts, *metadata;
    f0t_inspect_array *arrays;
    f0t_inspect_row *rows;
    void **owned; /* all texts, shapes and values */
    size_t fact_capacity, metadata_capacity, array_capacity, row_capacity;
    size_t owned_count, owned_capacity;
} f0t_inspect_lists;

typedef struct f0t_inspector {
    f0t_inspection result; /* must be first: it is what the caller gets, and frees */
    f0t_inspect_lists lists;
    bool quick;
    size_t rows;
    const f0t_monitor *monitor;
    f0t_map map; /* the bytes of a file */
    /* The beginning of the file, unpacked if it is gzip, NUL-terminated; `whole`: that is all. */
    char *head;
    size_t head_size;
    bool packed, whole;
} f0t_inspector;

/* f0t_inspect of a file whose bytes are in memory; `name` is for messages. */
f0t_status f0t_inspect_memory(f0t_inspection **out, const void *data, size_t size, const char *name,
                              const f0t_inspect_options *options);

/* ---- Building the result ------------------------------------------------------------------ */

f0t_status f0t_inspector_kind(f0t_inspector *inspector, const char *kind, const char *title, ...)
    __attribute__((format(printf, 3, 4)));
f0t_status f0t_inspector_fact(f0t_inspector *inspector, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
f0t_status f0t_inspector_count(f0t_inspector *inspector, const char *name, uint64_t value);
f0t_status f0t_inspector_metadata(f0t_inspector *inspector, const char *name, const char *value);
/* `numbers` is NULL when they were not looked at. */
f0t_status f0t_inspector_array(f0t_inspector *inspector, const char *name, const char *type,
                               size_t dims, const size_t *shape, const f0t_numbers *numbers);
/* A row of `length` bytes of text and `count` numbers, of which some first ones are kept. */
f0t_status f0t_inspector_row(f0t_inspector *inspector, const char *text, size_t length,
                             const float *values, size_t count);
/* Frees everything, the inspector too. */
void f0t_inspector_free(f0t_inspector *inspector);

/* "3 x 4" */
void f0t_inspect_shape(char *out, size_t size, size_t dims, const size_t *shape);

/* The content of the file, unpacked, from its beginning. */
f0t_status f0t_inspector_stream(f0t_stream **out, const f0t_inspector *inspector);
/* All of it, NUL-terminated; fails when it is over `most` bytes. */
f0t_status f0t_inspector_read(char **out, size_t *size, const f0t_inspector *inspector,
                              size_t most);

/* One pass over all elements of an array, with progress. */
f0t_status f0t_inspect_measure(f0t_numbers *numbers, const f0t_npy *npy,
                               const f0t_monitor *monitor);
/* CRC-32 of bytes, with progress. */
f0t_status f0t_inspect_sum(uint32_t *out, const void *data, size_t size,
                           const f0t_monitor *monitor);

/* ---- The kinds ---------------------------------------------------------------------------- */

/* A kind is asked whether the file is one; then it describes it. The first that says yes does. To
 * fail when asked is for want of memory alone. */
typedef struct f0t_inspect_kind {
    f0t_status (*matches)(bool *yes, const f0t_inspector *inspector);
    f0t_status (*describe)(f0t_inspector *inspector);
} f0t_inspect_kind;

/* The beginning of the file is UTF-8 without control characters but tabs and line ends. */
bool f0t_inspect_is_text(const f0t_inspector *inspector);

/* Our own form of word vectors, which is a safetensors file: the words. */
f0t_status f0t_inspect_own_vectors(f0t_inspector *inspector);

/* A directory. */
f0t_status f0t_inspect_folder(f0t_inspector *inspector, const char *path);

extern const f0t_inspect_kind f0t_inspect_npy;
extern const f0t_inspect_kind f0t_inspect_safetensors;
extern const f0t_inspect_kind f0t_inspect_onnx;
extern const f0t_inspect_kind f0t_inspect_vectors;
extern const f0t_inspect_kind f0t_inspect_json;
extern const f0t_inspect_kind f0t_inspect_arff;
extern const f0t_inspect_kind f0t_inspect_labels;
extern const f0t_inspect_kind f0t_inspect_csv;
extern const f0t_inspect_kind f0t_inspect_text;
extern const f0t_inspect_kind f0t_inspect_vecs;

#endif
