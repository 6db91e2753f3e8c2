/*
 * Word vectors as rows, on their way out of a text or binary file: the form of the file, a line of it,
 * rows, the source that parses a file by all threads, and what is gathered of every row.
 */
#ifndef F0T_IO_VECTORS_ROWS_H
#define F0T_IO_VECTORS_ROWS_H

#include "base/interner.h"
#include "io/file.h"

enum { F0T_VECTORS_DIM_MOST = 1 << 16 };

/* ---- One line of text (vectors_parse.c) ------------------------------------------------------------ */

/* A line without the spaces and the "\r" at its end. Only the ASCII space separates: GloVe has words
 * with U+00A0 and U+0085 in them. */
typedef struct f0t_line {
    const char *begin, *end;
} f0t_line;

/* The line that begins at `p` in text that ends at `end`; *next is where the one after it begins. */
f0t_line f0t_line_at(const char *p, const char *end, const char **next);

/* How many of the fields at the end of the line are numbers. The first field is always a word's. */
size_t f0t_line_numbers(f0t_line line);

typedef enum f0t_line_result {
    F0T_LINE_ROW,
    F0T_LINE_BLANK,
    F0T_LINE_SHORT,
    F0T_LINE_BAD
} f0t_line_result;

/* Takes the line apart: its last `dim` fields into values[dim], what stands before them is the word.
 * SHORT: it has fewer fields. BAD: one of them is not a number, and stands at bad->begin. */
f0t_line_result f0t_line_parse(float *values, f0t_line *word, f0t_line *bad, f0t_line line,
                               size_t dim);

/* ---- The form of a file (vectors_parse.c) ---------------------------------------------------------- */

typedef enum f0t_vectors_form {
    F0T_FORM_TEXT,        /* GloVe */
    F0T_FORM_HEADER_TEXT, /* word2vec, fastText .vec */
    F0T_FORM_BINARY       /* word2vec */
} f0t_vectors_form;

typedef struct f0t_vectors_layout {
    f0t_vectors_form form;
    size_t dim;
    uint64_t rows;         /* that the header says there are */
    size_t begin;          /* bytes before the first row */
    uint64_t lines_before; /* lines before the first row */
} f0t_vectors_layout;

const char *f0t_vectors_form_name(f0t_vectors_form form);

/* Finds the form in the first bytes: `text` is the beginning of the file `name`, all of it when
 * `whole`. */
f0t_status f0t_vectors_layout_find(f0t_vectors_layout *out, const char *text, size_t size,
                                   bool whole, const char *name);

/* ---- Rows (vectors_parse.c) ------------------------------------------------------------------------ */

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

/* ---- The source: rows in blocks (vectors_source.c) ------------------------------------------------- */

/* All threads parse a block while the next one is read and the last one is taken. */
typedef struct f0t_source f0t_source;

/* Takes rows, in the order of the file, one call at a time but not always from the same thread. */
typedef f0t_status (*f0t_source_take)(void *context, const f0t_word_rows *rows);

/* Finds out the form of the file in `stream`, from which nothing but the `peeked` first bytes was
 * read. The source borrows the stream. */
f0t_status f0t_source_open(f0t_source **out, f0t_stream *stream, const char *peek, size_t peeked,
                           bool tolerant);
void f0t_source_close(f0t_source *source);

const f0t_vectors_layout *f0t_source_layout(const f0t_source *source);

/* Gives all rows to `take`. Once; *cut says whether the last row was cut (and `tolerant`). */
f0t_status f0t_source_run(bool *cut, f0t_source *source, f0t_source_take take, void *context,
                          const f0t_monitor *monitor);

/* ---- Gathering: what is done with every row, wherever its numbers go (vectors_gather.c) ------------ */

/* Takes `rows` vectors that follow each other in memory and belong to the next words. */
typedef f0t_status (*f0t_gather_put)(void *context, const float *values, size_t rows);

/* Words once each, the mean, the fingerprint, and the counts. */
typedef struct f0t_gather {
    size_t dim;
    const f0t_words *wanted; /* NULL: all words; else only these are put */
    f0t_names kept;          /* the words that were put */
    f0t_names seen;          /* all words, where only some are expected */
    double *sum;             /* [dim] of all vectors */
    uint64_t fingerprint;    /* the sum of the row hashes: no matter in which order */
    uint64_t summed;
    f0t_vectors_counts counts;
    f0t_gather_put put;
    void *context;
} f0t_gather;

f0t_status f0t_gather_init(f0t_gather *gather, size_t dim, const f0t_words *wanted,
                           f0t_gather_put put, void *context);
void f0t_gather_clear(f0t_gather *gather);

/* A f0t_source_take: `gather` is a f0t_gather. */
f0t_status f0t_gather_take(void *gather, const f0t_word_rows *rows);

/* The mean of all rows into mean[dim]; fails when not a single word was put. */
f0t_status f0t_gather_finish(float *mean, f0t_gather *gather, const char *name);

/* Logs what was left out of the file `name`. */
void f0t_gather_log(const f0t_vectors_counts *counts, const char *name, const f0t_monitor *monitor);

#endif
