/*
 * A dictionary between two languages in the form of dictd, as FreeDict's are packaged: NAME.index has a line per
 * headword, with where its entry stands in NAME.dict.dz (gzip) or NAME.dict as numbers of base 64. An entry:
 *
 *     Hund /hˈʊnt/ <masc, n, sg>
 *      [zool.] dog <n>, dawg <n>
 *           "einen Hund abrichten"  - train a dog
 *      see: {Hunde}, {Haushund}
 *
 * What stands in brackets, examples, notes and references are no translations.
 */
#ifndef F0T_WORD_DICTIONARY_H
#define F0T_WORD_DICTIONARY_H

#include "base/interner.h"

typedef struct f0t_dictionary f0t_dictionary;

/* `name` is a path that ends in ".index", or a language, "deu": FreeDict's dictionary from it to English in
 * F0T_DICTIONARY_FOLDER. */
f0t_status f0t_dictionary_open(f0t_dictionary **out, const char *name);
/* The same of an index and entries in memory, which are copied; `name` is for messages. */
f0t_status f0t_dictionary_read(f0t_dictionary **out, const char *index, size_t index_size,
                               const char *entries, size_t size, const char *name);
void f0t_dictionary_close(f0t_dictionary *dictionary);

/* "freedict-deu-eng" */
const char *f0t_dictionary_name(const f0t_dictionary *dictionary);

/* The headwords, each once, as the entries spell them. */
size_t f0t_dictionary_count(const f0t_dictionary *dictionary);
const char *f0t_dictionary_word(const f0t_dictionary *dictionary, size_t word);
/* The entries of a headword, of which several are its meanings, and the translations in one of them. */
size_t f0t_dictionary_meanings(const f0t_dictionary *dictionary, size_t word);
f0t_status f0t_dictionary_translations(f0t_texts *out, const f0t_dictionary *dictionary,
                                       size_t word, size_t meaning);

#endif
