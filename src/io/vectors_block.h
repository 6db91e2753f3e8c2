/* A stretch of a vector file that holds whole rows, cut into pieces that threads parse one by one.
 */
#ifndef F0T_IO_VECTORS_BLOCK_H
#define F0T_IO_VECTORS_BLOCK_H

#include "io/file.h"
#include "io/vectors_layout.h"
#include "io/vectors_rows.h"

enum { F0T_BLOCK_SIZE = 8 << 20, F0T_BLOCK_PIECES = 16 };

/* A failure that one thread leaves for another: the last error belongs to a thread. */
typedef struct f0t_failure {
    f0t_status status;
    char message[512];
} f0t_failure;

void f0t_failure_keep(f0t_failure *failure, f0t_status status);

typedef struct f0t_vectors_piece {
    const char *begin, *end;
    f0t_word_rows rows;
    uint64_t lines; /* gone through; the last one is where a failure is */
    bool cut;       /* its last row was cut and left out */
    f0t_failure failure;
} f0t_vectors_piece;

typedef struct f0t_block {
    char *text; /* [capacity] */
    size_t capacity;
    size_t size;       /* bytes read */
    size_t begin, end; /* the whole rows among them; the rest belongs to the next block */
    bool last;         /* nothing comes behind it */
    f0t_vectors_piece pieces[F0T_BLOCK_PIECES];
    size_t piece_count;
} f0t_block;

/* Room for F0T_BLOCK_SIZE bytes, or for all of a file that is known to be smaller. */
f0t_status f0t_block_init(f0t_block *block, const f0t_stream *stream);

/* Reads until the block is full, behind the `held` bytes that it has at its beginning. */
f0t_status f0t_block_read(f0t_block *block, f0t_stream *stream, size_t held);

/* Finds `end`, and cuts begin … end into pieces. `*records` counts those of a binary file. */
f0t_status f0t_block_cut(f0t_block *block, const f0t_vectors_layout *layout, uint64_t *records);

/* Parses one piece; failures stay in it. `tolerant`: the last row of the file may be cut. */
void f0t_block_parse(f0t_block *block, size_t piece, const f0t_vectors_layout *layout,
                     bool tolerant);

void f0t_block_clear(f0t_block *block);

#endif
