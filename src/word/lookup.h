/* From a tag to its vector. */
#ifndef F0T_WORD_LOOKUP_H
#define F0T_WORD_LOOKUP_H

#include "base/status.h"

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

#endif
