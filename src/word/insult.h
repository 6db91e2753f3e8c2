/* Words that nobody should read unless somebody wrote them: insults and obscenities. */
#ifndef F0T_WORD_INSULT_H
#define F0T_WORD_INSULT_H

#include "base/status.h"

/*
 * Whether a word or phrase, in any case, singular or plural, is in the list of insult_table.h. It
 * is for words that *we* choose: a vocabulary of ours, a spelling that we suggest. Tags that a
 * person gave stay as they are.
 */
f0t_status f0t_word_insults(bool *out, const char *word, size_t length);

#endif
