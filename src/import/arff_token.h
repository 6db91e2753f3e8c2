/* Tokens of an ARFF line. */
#ifndef F0T_IMPORT_ARFF_TOKEN_H
#define F0T_IMPORT_ARFF_TOKEN_H

#include "import/arff.h"

/* A place in the line that was read last. */
typedef struct f0t_arff_cursor {
    const char *at, *end;
} f0t_arff_cursor;

/* Passes over blanks. Gives the character there, or 0 at the end of the line or at a comment. */
char f0t_arff_peek(f0t_arff_cursor *cursor);

/* Reads a word, or what stands in quotes, into arff->token; *quoted says which. Fails at the end of
 * the line and at a character that can begin neither. */
f0t_status f0t_arff_token(f0t_arff *arff, f0t_arff_cursor *cursor, size_t *length, bool *quoted);

#endif
