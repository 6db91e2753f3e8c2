/*
 * Lists of strings in one piece of memory: plain ones (f0t_texts), and ones whose strings are distinct
 * and can be found (f0t_names). The arrays of the latter are those that a file of word vectors stores, so
 * that a mapped file and a list in memory are searched by the same code (f0t_words); what comes from a
 * file is checked where it is used, never by a scan.
 */
#ifndef F0T_BASE_INTERNER_H
#define F0T_BASE_INTERNER_H

#include "base/status.h"

/* ---- Texts ---------------------------------------------------------------------------------------- */

/* Texts in the order they came. Zero-initialise it for an empty list. */
typedef struct f0t_texts {
    char *bytes; /* the texts, each with `end` after it */
    size_t size, capacity;
    int64_t *starts; /* [count + 1]: where each text begins; the last is `size` */
    size_t count, starts_capacity;
    char end; /* '\0': they are NUL-terminated */
} f0t_texts;

f0t_status f0t_texts_add(f0t_texts *texts, const char *text, size_t length);
const char *f0t_texts_get(const f0t_texts *texts, size_t i);
size_t f0t_texts_length(const f0t_texts *texts, size_t i);
void f0t_texts_free(f0t_texts *texts);

/* ---- Words: an index over texts, wherever the arrays are ------------------------------------------ */

enum { F0T_WORDS_PROBES = 1024 }; /* slots that a search looks at, at most */

/* Borrowed arrays. Slot s of the index has 0, or 1 + the number of a word whose hash leads to s or
 * to a slot before it, all of them taken. */
typedef struct f0t_words {
    size_t count;
    const char *text; /* [size]: each word with one byte after it */
    size_t size;
    const int64_t *offsets; /* [count + 1]: where each word begins; the last is `size` */
    const int32_t *slots;   /* [slot_count], a power of two */
    size_t slot_count;
    uint64_t seed; /* the key of SipHash */
} f0t_words;

/* Word i, not NUL-terminated; NULL when the arrays are inconsistent there. */
const char *f0t_words_at(size_t *length, const f0t_words *words, size_t i);

/* The number of a word, F0T_NONE when it is not there. */
size_t f0t_words_find(const f0t_words *words, const char *word, size_t length);

/* ---- Names: distinct texts, numbered from 0 in the order they came -------------------------------- */

/* Zero-initialise it for an empty list, whose texts are NUL-terminated. */
typedef struct f0t_names {
    f0t_words view; /* what it has so far */
    f0t_texts texts;
    int32_t *slots;
    size_t seeds; /* that were tried: texts which collide under one do not under the next */
    bool stored;
} f0t_names;

/* An empty list whose arrays are to be stored: each text ends with a newline, and the first seed is 0,
 * so that the same texts give the same bytes. */
void f0t_names_init_stored(f0t_names *names);
/* The number of the text, which is added where it is new; *added (may be NULL) says so. */
f0t_status f0t_names_add(uint32_t *index, bool *added, f0t_names *names, const char *text,
                         size_t length);
bool f0t_names_find(uint32_t *index, const f0t_names *names, const char *text, size_t length);
const char *f0t_names_get(const f0t_names *names, size_t i);
size_t f0t_names_count(const f0t_names *names);
void f0t_names_free(f0t_names *names);

#endif
