/*
 * The words of a vector file and an index over them. The arrays are the ones that the safetensors
 * form stores, so that a mapped file and a list in memory are searched by the same code; what comes
 * from a file is checked where it is used, never by a scan.
 */
#ifndef F0T_IO_VECTORS_WORDS_H
#define F0T_IO_VECTORS_WORDS_H

#include "base/status.h"

enum { F0T_WORDS_PROBES = 1024 }; /* slots that a search looks at, at most */

/* Borrowed arrays. Slot s of the index has 0, or 1 + the number of a word whose hash leads to s or
 * to a slot before it, all of them taken. */
typedef struct f0t_words {
    size_t count;
    const char *text; /* [size]: each word with a newline behind */
    size_t size;
    const int64_t *offsets; /* [count + 1]: where each word begins; the last is `size` */
    const int32_t *slots;   /* [slot_count], a power of two */
    size_t slot_count;
    uint64_t seed; /* of the hash */
} f0t_words;

/* Word i, not ended by a 0; NULL when the arrays make no sense there. */
const char *f0t_words_at(const f0t_words *words, size_t i, size_t *length);

/* The number of a word, F0T_NONE when it is not there. */
size_t f0t_words_find(const f0t_words *words, const char *word, size_t length);

/* A list that grows. */
typedef struct f0t_words_list {
    f0t_words view; /* what it has so far */
    char *text;
    int64_t *offsets;
    int32_t *slots;
    size_t text_capacity, offset_capacity;
} f0t_words_list;

f0t_status f0t_words_list_init(f0t_words_list *list);
/* Adds a word that is not there yet; *index is its number, *added whether it is new. */
f0t_status f0t_words_list_add(f0t_words_list *list, const char *word, size_t length, size_t *index,
                              bool *added);
void f0t_words_list_clear(f0t_words_list *list);

/* True when text[0, length) is valid UTF-8 without NUL or newline. */
bool f0t_words_usable(const char *text, size_t length);

#endif
