/* The word of a vector file that is spelled most like another one. */
#ifndef F0T_WORD_SPELLING_H
#define F0T_WORD_SPELLING_H

#include "base/status.h"

/* Insertions, deletions, changes and swaps of neighbours (the restricted Damerau-Levenshtein
 * distance) between two texts in UTF-8, whatever the case; `most` + 1 when it is more than `most`,
 * or when a text has over 64 characters. */
int f0t_spelling_distance(const char *a, size_t a_length, const char *b, size_t b_length, int most);

/* For each texts[count], the number of the nearest word in nearest[count]: at most 1 edit for a
 * text of up to 4 characters, 2 for up to 8, else 3; of several the first in the file. Words that
 * insult (insult.h) are passed over. F0T_NONE when none is so near. */
f0t_status f0t_spelling_nearest(size_t *nearest, const char *const *texts, size_t count,
                                const f0t_vectors *vectors, const f0t_monitor *monitor);

#endif
