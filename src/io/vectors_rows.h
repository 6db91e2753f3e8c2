/* Rows of a vector file as the parsers give them and the builders take them. */
#ifndef F0T_IO_VECTORS_ROWS_H
#define F0T_IO_VECTORS_ROWS_H

#include "base/status.h"

enum { F0T_VECTORS_DIM_MOST = 1 << 16 };

typedef struct f0t_word_row {
    const char *word; /* in the text that was parsed */
    size_t length;
    uint64_t hash; /* of word and vector: its part of the fingerprint */
} f0t_word_row;

/* Rows that are fit to be kept, in the order of the file; what was left out is counted. */
typedef struct f0t_word_rows {
    size_t dim, count;
    f0t_word_row *rows;      /* [count] */
    float *values;           /* [count x dim] */
    size_t capacity;         /* of both, in rows */
    f0t_vectors_counts lost; /* rows, empty, invalid, not_finite */
} f0t_word_rows;

/* Empties it and makes room for `most` rows of `dim` numbers. */
f0t_status f0t_word_rows_reset(f0t_word_rows *rows, size_t dim, size_t most);
void f0t_word_rows_clear(f0t_word_rows *rows);

/* Where the next row's numbers go: [dim]. There must be room. */
float *f0t_word_rows_next(f0t_word_rows *rows);
/* Takes the row whose numbers stand at f0t_word_rows_next(), or counts why not. */
void f0t_word_rows_add(f0t_word_rows *rows, const char *word, size_t length);

#endif
