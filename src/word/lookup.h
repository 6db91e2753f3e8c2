/* From a tag to its vector: the spellings under which it is looked up, best first, and the lookup. */
#ifndef F0T_WORD_LOOKUP_H
#define F0T_WORD_LOOKUP_H

#include "base/interner.h"
#include "word/normal.h"

/* ---- Spellings ------------------------------------------------------------------------------- */

typedef struct f0t_forms {
    f0t_names list;     /* each once, in order */
    unsigned char *how; /* f0t_match of each */
    size_t how_capacity;
} f0t_forms;

void f0t_forms_init(f0t_forms *forms);
void f0t_forms_clear(f0t_forms *forms);

/*
 * Adds the spellings of a tag, which may be a phrase: as it is; with "_", "-", a space or nothing
 * between its words; each of these in lower case, case-folded, with capitals, in capitals; then all
 * of it with its last word in the singular, then in the plural, then as the verb that it is a form
 * of. No spelling with nothing between the words where one of them is a stop word: "a men" is not
 * "amen".
 */
f0t_status f0t_forms_add(f0t_forms *forms, const char *tag, size_t length);

/* The words of a phrase, as they stand in it. */
typedef struct f0t_word_part {
    size_t begin, end;
    bool counts; /* not a stop word, or there is no other */
} f0t_word_part;

enum { F0T_PARTS_MOST = 64 };

/* The parts of the tag, F0T_PARTS_MOST at most; gives their number. */
size_t f0t_forms_parts(f0t_word_part *parts, const char *tag, size_t length);

/* ---- Lookup ---------------------------------------------------------------------------------- */

typedef struct f0t_lookup {
    const f0t_vectors *vectors;
    bool centred;
} f0t_lookup;

/* What was found for a tag. The texts are the caller's to free. */
typedef struct f0t_found {
    f0t_match match;
    char *used;    /* the words of the file; NULL when nothing was found */
    char *missing; /* what was not found, else NULL */
} f0t_found;

/* The vector of the tag, of length 1, into vector[dim], by the rules of fast0tag.h. Finding nothing
 * is no failure: found->match says so. */
f0t_status f0t_lookup_tag(f0t_found *found, float *vector, const f0t_lookup *lookup,
                          const char *tag, size_t length);

/* Adds every spelling under which f0t_lookup_tag may look for one of tags[count], or for a word of one. */
f0t_status f0t_lookup_want(f0t_forms *wanted, const char *const *tags, size_t count);

#endif
