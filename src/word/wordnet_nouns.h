/* The nouns of WordNet that name what a picture may show. */
#ifndef F0T_WORD_WORDNET_NOUNS_H
#define F0T_WORD_WORDNET_NOUNS_H

#include "base/interner.h"
#include "word/wordnet.h"

/* How far below its roots a layer reaches. */
typedef enum f0t_noun_reach {
    F0T_NOUN_ITSELF, /* the roots alone */
    F0T_NOUN_KINDS,  /* and all kinds of them */
    F0T_NOUN_NAMES   /* and what has a name of its own: "Picasso" below "painter" */
} f0t_noun_reach;

/* Meanings that are taken in, or out again; a root is the first sense of a noun. */
typedef struct f0t_noun_layer {
    const char *const *roots; /* NULL past the end; those that WordNet lacks are passed over */
    f0t_noun_reach reach;
    bool out;
} f0t_noun_layer;

/* Adds the nouns whose first sense is in after the last of layers[count], one over the other, that
 * the tagged texts use `least` times or more in that sense, and that insult nobody; in WordNet's
 * order. Where WordNet has no root of the first layer, all nouns are in that layer. */
f0t_status f0t_wordnet_nouns(f0t_texts *out, const f0t_wordnet *wordnet,
                             const f0t_noun_layer *layers, size_t count, uint32_t least);

/* The same from WordNet's files in a folder, for things, living beings, food and places of nature. */
f0t_status f0t_wordnet_visible_nouns(f0t_texts *out, const char *folder);

/* Sets unwanted[synset_count]: what such a list leaves out, because nobody wants to have it said of a picture of people
 * by mistake, with all kinds of it. */
void f0t_wordnet_mark_unwanted(bool *unwanted, const f0t_wordnet *wordnet);

/* ---- Words that WordNet itself marks as insulting -------------------------------------------- */

/*
 * Sets marked[sense_count]: the senses that belong to the usage "disparagement", "ethnic slur" or
 * "obscenity" (a whole synset, or one of its words), and those whose definition says that the word
 * is an offensive or a derogatory one.
 */
f0t_status f0t_wordnet_mark_insults(bool *marked, const f0t_wordnet *wordnet);

/*
 * Whether a reader would see the insult: true for a lemma with a marked sense, unless the tagged
 * texts use its other senses ten times as often, and ten times at least ("boy", "queen", "tool").
 */
bool f0t_wordnet_insults(const f0t_wordnet *wordnet, const bool *marked, size_t lemma);

#endif
