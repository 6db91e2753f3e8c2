/* Vocabularies that do not come from one vector file. */
#ifndef F0T_WORD_VOCAB_H
#define F0T_WORD_VOCAB_H

#include "base/status.h"

/* What a model file keeps of a vocabulary. */
typedef struct f0t_vocab_parts {
    const char *const *tags; /* [count] */
    size_t count;
    const float *vectors; /* [count x dim] of length 1 */
    size_t dim;
    bool centred;
    uint64_t fingerprint;
} f0t_vocab_parts;

/* Two tags that are the same fail with F0T_ERROR_FORMAT. */
f0t_status f0t_vocab_restore(f0t_vocab **out, const f0t_vocab_parts *parts);

/* f0t_vocab_join of vectors that need not be of one space, if their dimensions agree. The result says that it
 * is of the space of `a`. */
f0t_status f0t_vocab_join_any(f0t_vocab **out, const f0t_vocab *a, const f0t_vocab *b);

#endif
