/* Lists of texts in one piece of memory, and lists whose texts are distinct and can be found. */
#ifndef F0T_IO_DATASET_NAMES_H
#define F0T_IO_DATASET_NAMES_H

#include "base/status.h"

/* Texts in the order they came. All zero is an empty list. */
typedef struct f0t_texts {
    char *bytes; /* each text with a 0 behind */
    size_t size, capacity;
    size_t *starts;
    size_t count, starts_capacity;
} f0t_texts;

f0t_status f0t_texts_add(f0t_texts *texts, const char *text, size_t length);
const char *f0t_texts_get(const f0t_texts *texts, size_t i);
size_t f0t_texts_length(const f0t_texts *texts, size_t i);
void f0t_texts_free(f0t_texts *texts);

/* Distinct texts, numbered from 0 in the order they came. All zero is an empty list. */
typedef struct f0t_names {
    f0t_texts texts;
    uint32_t *slots; /* hash table of index + 1, 0 for a free slot */
    size_t slot_count;
    uint64_t key[2]; /* of the hash: no file can be made so that its names collide */
} f0t_names;

/* The number of the text, which is added where it is new; *added (may be NULL) says so. */
f0t_status f0t_names_add(f0t_names *names, const char *text, size_t length, uint32_t *index,
                         bool *added);
bool f0t_names_find(const f0t_names *names, const char *text, size_t length, uint32_t *index);
const char *f0t_names_get(const f0t_names *names, size_t i);
size_t f0t_names_count(const f0t_names *names);
void f0t_names_free(f0t_names *names);

#endif
