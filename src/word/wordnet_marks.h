/* The words that WordNet itself marks as insulting. */
#ifndef F0T_WORD_WORDNET_MARKS_H
#define F0T_WORD_WORDNET_MARKS_H

#include "word/wordnet.h"

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
