/* One line of a text file of word vectors. */
#ifndef F0T_IO_VECTORS_TEXT_H
#define F0T_IO_VECTORS_TEXT_H

#include "base/status.h"

/* A line without the spaces and the "\r" at its end. Only the ASCII space separates: GloVe has words
 * with U+00A0 and U+0085 in them. */
typedef struct f0t_line {
    const char *begin, *end;
} f0t_line;

/* The line that begins at `p` in text that ends at `end`; *next is where the one behind it begins.
 */
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
f0t_line_result f0t_line_parse(f0t_line line, size_t dim, float *values, f0t_line *word,
                               f0t_line *bad);

#endif
