/* A line of one of WordNet's files, taken apart field by field. */
#ifndef F0T_WORD_WORDNET_LINE_H
#define F0T_WORD_WORDNET_LINE_H

#include "word/wordnet.h"

typedef struct f0t_wordnet_line {
    const char *name; /* of the file */
    uint64_t number;  /* of the line, from 1 */
    const char *at, *end;
    const char *next, *file_end;
} f0t_wordnet_line;

typedef struct f0t_wordnet_field {
    const char *text;
    size_t length;
} f0t_wordnet_field;

/* Stands before the first line. */
f0t_wordnet_line f0t_wordnet_line_begin(const f0t_wordnet_file *file);

/* Goes to the next line that is not of the licence (those begin with two spaces) and not empty;
 * false at the end. */
bool f0t_wordnet_line_next(f0t_wordnet_line *line);

/* Fails with the file and line before the text. */
f0t_status f0t_wordnet_line_fail(const f0t_wordnet_line *line, const char *what);

/* The next field, up to a space; fails, naming `what`, when there is none. */
f0t_status f0t_wordnet_line_field(f0t_wordnet_line *line, f0t_wordnet_field *out, const char *what);

/* The next field as a number of at most `most`, in base 10 or 16. */
f0t_status f0t_wordnet_line_number(f0t_wordnet_line *line, uint32_t *out, unsigned base,
                                   uint32_t most, const char *what);

/* The next field as a part of speech: n, v, a, s (an adjective too) or r. */
f0t_status f0t_wordnet_line_pos(f0t_wordnet_line *line, f0t_pos *out);

/* The next field as a lemma, "_" as a space, into out[F0T_LEMMA_MOST]. */
enum { F0T_LEMMA_MOST = 256 };
f0t_status f0t_wordnet_line_lemma(f0t_wordnet_line *line, char *out, size_t *length);

#endif
