/* The rows of a text or binary vector file, in blocks, parsed by all threads while the next block is
 * read and the last one is taken. */
#ifndef F0T_IO_VECTORS_SOURCE_H
#define F0T_IO_VECTORS_SOURCE_H

#include "io/file.h"
#include "io/vectors_layout.h"
#include "io/vectors_rows.h"

typedef struct f0t_source f0t_source;

/* Takes rows, in the order of the file, one call at a time but not always from the same thread. */
typedef f0t_status (*f0t_source_take)(void *context, const f0t_word_rows *rows);

/* Finds out the form of the file behind `stream`, from which nothing but the `peeked` first bytes
 * was read. The source borrows the stream. */
f0t_status f0t_source_open(f0t_source **out, f0t_stream *stream, const char *peek, size_t peeked,
                           bool tolerant);
void f0t_source_close(f0t_source *source);

const f0t_vectors_layout *f0t_source_layout(const f0t_source *source);

/* Gives all rows to `take`. Once; *cut says whether the last row was cut (and `tolerant`). */
f0t_status f0t_source_run(f0t_source *source, f0t_source_take take, void *context, bool *cut,
                          const f0t_monitor *monitor);

#endif
