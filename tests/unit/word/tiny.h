/* The WordNet of tests/wordnet, made by hand. */
#ifndef F0T_TESTS_WORD_TINY_H
#define F0T_TESTS_WORD_TINY_H

#include "support.h"
#include "word/wordnet.h"

#include <string.h>

typedef struct tiny {
    f0t_wordnet_folder folder;
    f0t_wordnet wordnet;
} tiny;

static inline void tiny_open(tiny *t)
{
    assert_ok(f0t_wordnet_folder_open(&t->folder, test_source("wordnet")));
    assert_ok(f0t_wordnet_read(&t->wordnet, &t->folder.files));
}

static inline void tiny_close(tiny *t)
{
    f0t_wordnet_clear(&t->wordnet);
    f0t_wordnet_folder_close(&t->folder);
}

static inline size_t tiny_lemma(const tiny *t, const char *word)
{
    size_t lemma = f0t_words_find(&t->wordnet.lemmas.view, word, strlen(word));
    assert_true(lemma != F0T_NONE);
    return lemma;
}

/* The synset of a lemma's first sense. */
static inline size_t tiny_synset(const tiny *t, f0t_pos pos, const char *word)
{
    uint32_t first = t->wordnet.first[pos][tiny_lemma(t, word)];
    assert_true(first > 0);
    return t->wordnet.senses[first - 1].synset;
}

#endif
