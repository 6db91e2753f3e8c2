/* English plurals and verb forms: guesses that the caller checks against a list of words. */
#ifndef F0T_WORD_INFLECT_H
#define F0T_WORD_INFLECT_H

#include <stddef.h>

enum { F0T_INFLECT_MOST = 3, F0T_INFLECT_LENGTH = 64 };

/* Words that may be meant, best first, each NUL-terminated. */
typedef struct f0t_inflections {
    size_t count;
    char text[F0T_INFLECT_MOST][F0T_INFLECT_LENGTH];
} f0t_inflections;

/* Of a word in lower case: what it may be the plural of, and what its plural may be. None for what
 * only looks like a plural ("bus", "glass", "tennis", "series") and for words of over
 * F0T_INFLECT_LENGTH - 4 bytes. */
void f0t_singulars(f0t_inflections *out, const char *word, size_t length);
void f0t_plurals(f0t_inflections *out, const char *word, size_t length);

/* What a word in lower case may be a form of, as a verb: "generate" for "generated", "run" for
 * "running" and "ran". None for what only looks so ("red", "king", "wedding") and for what has other
 * letters than a to z. -er and -est are left alone: a painter is not "more paint". */
void f0t_bases(f0t_inflections *out, const char *word, size_t length);

#endif
