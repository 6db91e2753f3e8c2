/* What a word without a vector may be: a word of another language, or a typing error. */
#ifndef F0T_WORD_FOREIGN_H
#define F0T_WORD_FOREIGN_H

#include "base/status.h"

enum { F0T_ADVICE_SIZE = 512 };

/*
 * What to do about `word`, to be put behind a message: "" or a text that begins with "; ".
 *  - Where FreeDict's dictionaries in `folder` (F0T_DICTIONARY_FOLDER) have it: which, and how its words get vectors.
 *  - Else `nearest`, the word of the vectors that is spelled most like it, or NULL. Where there is no dictionary to
 *    tell, only one that a slip of the fingers leads to: "fund" is not what "Hund" was to be.
 *  - Else, where there is no dictionary, how to get one.
 */
f0t_status f0t_foreign_advise(char advice[F0T_ADVICE_SIZE], const char *word, const char *nearest,
                              const char *folder);

#endif
