/* Words that a person says are one (fast0tag_tools.h), and where to find them. */
#ifndef F0T_IMPORT_SYNONYMS_H
#define F0T_IMPORT_SYNONYMS_H

#include "base/interner.h"
#include "fast0tag_tools.h"
#include "io/file.h"

/* As f0t_synonyms_load, from a stream. */
f0t_status f0t_synonyms_read(f0t_synonyms **out, f0t_stream *stream);

/* What each form (clean.h) of a word is a synonym of. Zero-initialised it knows none; to be freed in any case. */
typedef struct f0t_synonym_index {
    f0t_synonyms *synonyms;
    f0t_names forms;
    uint32_t *groups; /* [forms] */
    size_t capacity;
} f0t_synonym_index;

/* Reads the file; `path` NULL: there is none. */
f0t_status f0t_synonym_index_open(f0t_synonym_index *index, const char *path);
void f0t_synonym_index_close(f0t_synonym_index *index);

/* The name of the group that this form of a word is in, or, where `plurals` says so, its singular; NULL: none is. */
const char *f0t_synonym_find(const f0t_synonym_index *index, const char *form, bool plurals);

#endif
