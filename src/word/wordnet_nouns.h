/* The nouns of WordNet that name what a picture may show. */
#ifndef F0T_WORD_WORDNET_NOUNS_H
#define F0T_WORD_WORDNET_NOUNS_H

#include "io/dataset_names.h"
#include "word/wordnet.h"

/* Adds the nouns whose first sense is, or is a kind of, the first sense of one of roots[root_count],
 * and that the tagged texts use `least` times or more in that sense; in WordNet's order. Roots that
 * WordNet lacks are passed over; where it lacks all of them, every noun is one. */
f0t_status f0t_wordnet_nouns(f0t_texts *out, const f0t_wordnet *wordnet, const char *const *roots,
                             size_t root_count, uint32_t least);

/* The same from WordNet's files in a folder, for things, living beings, food and places of nature. */
f0t_status f0t_wordnet_visible_nouns(f0t_texts *out, const char *folder);

#endif
