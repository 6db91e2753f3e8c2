/* The spellings under which a tag is looked up in a vector file, best first. */
#ifndef F0T_WORD_FORMS_H
#define F0T_WORD_FORMS_H

#include "base/interner.h"
#include "word/normal.h"

typedef struct f0t_forms {
    f0t_names list;     /* each once, in order */
    unsigned char *how; /* f0t_match of each */
    size_t how_capacity;
} f0t_forms;

void f0t_forms_init(f0t_forms *forms);
void f0t_forms_clear(f0t_forms *forms);

/*
 * Adds the spellings of a tag, which may be a phrase: as it is; with "_", "-", a space or nothing
 * between its words; each of these in lower case, case-folded, with capitals, in capitals; then all
 * of it with its last word in the singular, then in the plural, then as the verb that it is a form
 * of. No spelling with nothing between the words where one of them is a stop word: "a men" is not
 * "amen".
 */
f0t_status f0t_forms_add(f0t_forms *forms, const char *tag, size_t length);

/* The words of a phrase, as they stand in it. */
typedef struct f0t_word_part {
    size_t begin, end;
    bool counts; /* not a stop word, or there is no other */
} f0t_word_part;

enum { F0T_PARTS_MOST = 64 };

/* The parts of the tag, F0T_PARTS_MOST at most; gives their number. */
size_t f0t_forms_parts(f0t_word_part *parts, const char *tag, size_t length);

#endif
