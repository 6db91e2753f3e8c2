/* Unicode: the letter cases of a text, and the key under which two spellings are the same tag. */
#ifndef F0T_WORD_NORMAL_H
#define F0T_WORD_NORMAL_H

#include "base/status.h"

enum { F0T_TAG_MOST = 1024 }; /* bytes of a tag */

typedef struct f0t_word_text {
    char *data; /* NUL-terminated */
    size_t length;
} f0t_word_text;

typedef enum f0t_case {
    F0T_CASE_GIVEN,  /* NFC alone */
    F0T_CASE_LOWER,  /* NFC, then each character's lower case: "Straße" → "straße" */
    F0T_CASE_FOLDED, /* NFKC with full case folding: "Straße" → "strasse", "ﬁsh" → "fish" */
    F0T_CASE_TITLE,  /* as LOWER, with the first letter of each word large */
    F0T_CASE_UPPER,  /* NFC, each character's upper case */
    F0T_CASES
} f0t_case;

/* Fails (FORMAT) for what is not UTF-8 or is longer than F0T_TAG_MOST. The caller frees out->data. */
f0t_status f0t_normal_case(f0t_word_text *out, const char *text, size_t length, f0t_case how);

/*
 * The key of a tag: NFKC with full case folding and without invisible characters; spaces of every
 * kind, underscores and hyphens between two other characters become one space; none at the ends.
 * The key of a key is itself.
 */
f0t_status f0t_normal_key(f0t_word_text *out, const char *text, size_t length);

/* Where the next part of a tag begins and ends: parts are what spaces, underscores and hyphens
 * between other characters separate. False when there is none at or after *begin. */
bool f0t_normal_part(size_t *begin, size_t *end, const char *text, size_t length);

#endif
