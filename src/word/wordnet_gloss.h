/* The words that glosses are made of, as lemmas. */
#ifndef F0T_WORD_WORDNET_GLOSS_H
#define F0T_WORD_WORDNET_GLOSS_H

#include "word/wordnet.h"

/* The gloss of a synset names a lemma, in its definition or in an example (which is quoted). */
typedef struct f0t_mention {
    uint32_t synset, lemma;
    bool example;
} f0t_mention;

typedef struct f0t_mentions {
    f0t_mention *items; /* [count], in the order of the synsets */
    size_t count, capacity;
} f0t_mentions;

/* All of them, phrases of up to three words before words. Words that say nothing (the, of, usually)
 * are left out, and in examples the synset's own. */
f0t_status f0t_mentions_find(f0t_mentions *out, const f0t_wordnet *wordnet);
void f0t_mentions_clear(f0t_mentions *mentions);

#endif
