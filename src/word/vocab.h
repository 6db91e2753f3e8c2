/* Vocabularies inside: in memory or mapped, and those that do not come from one vector file. */
#ifndef F0T_WORD_VOCAB_H
#define F0T_WORD_VOCAB_H

#include "base/interner.h"
#include "compute/screen.h"
#include "io/safetensors.h"

struct f0t_vocab {
    size_t size, dim;
    const float *vectors; /* [size x dim] */
    bool centred;
    uint64_t fingerprint;
    /* In memory: */
    float *own_vectors; /* the same */
    size_t *given;      /* [size]: the entry of each tag */
    f0t_names keys;     /* the keys of all tags that were given */
    size_t *first;      /* [keys]: the entry that had the key first */
    size_t entry_count; /* that are filled */
    f0t_vocab_entry *entries;
    /* Mapped (vocab_file.c): */
    f0t_safetensors *file;
    f0t_words tags, mapped_keys; /* [size] */
    f0t_screen screen;           /* of the vectors; count 0: none */
};

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

/* That of a mapped vocabulary; NULL: it has none. */
const f0t_screen *f0t_vocab_screen(const f0t_vocab *vocab);

/* Fails when the file of a mapped vocabulary was made shorter while it was read (f0t_map_check): after what was read of it. */
f0t_status f0t_vocab_whole(const f0t_vocab *vocab);

/* ---- The file (vocab_file.c) ------------------------------------------------------------------------ */

#define F0T_VOCAB_FORMAT "fast0tag-vocabulary"

/* Tag i of a mapped vocabulary; "?" where the file is damaged. */
const char *f0t_vocab_mapped_tag(const f0t_vocab *vocab, size_t i);

/* f0t_vocab_open of a file in memory. */
f0t_status f0t_vocab_open_memory(f0t_vocab **out, const void *data, size_t size, const char *name);

#endif
