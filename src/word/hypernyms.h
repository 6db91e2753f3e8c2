/* General words for a word, by WordNet (fast0tag.h). */
#ifndef F0T_WORD_HYPERNYMS_H
#define F0T_WORD_HYPERNYMS_H

#include "word/wordnet.h"

struct f0t_hypernyms {
    f0t_wordnet_folder folder;
    f0t_wordnet wordnet;
    size_t *begin;      /* [synsets + 1]: synset s is a kind of */
    uint32_t *up;       /*   up[begin[s], begin[s + 1]) */
    const char **names; /* [synsets] the word that people use for it; NULL: none */
    bool *tops;         /* [synsets] as general as a keyword may be */
};

/* Fills in the rest where wordnet has been read. Freed by f0t_hypernyms_close. */
f0t_status f0t_hypernyms_index(f0t_hypernyms *hypernyms);

/* The tag after the general words that lead to it, "animal|domestic animal|dog", into to[size]; false where there are
 * none, or no room. */
bool f0t_hypernyms_path(char *to, size_t size, const f0t_hypernyms *hypernyms, const char *tag);

#endif
