/*
 * One keyword as people and programs leave it: its form, what is wrong with it, and which forms are one word. What is
 * done works on anyone's tags. docs/pictures.md has the rules.
 */
#ifndef F0T_WORD_FORM_H
#define F0T_WORD_FORM_H

#include "base/interner.h"
#include "word/inflect.h"

/* Why a tag is left out. */
typedef enum f0t_flaw {
    F0T_FLAW_NONE,
    F0T_FLAW_FORM,    /* no word: a number, a date, a code, an address, a sentence */
    F0T_FLAW_FILE,    /* about the file: its type, the program, how it was made */
    F0T_FLAW_KEEPING, /* of somebody who keeps files in order: "unsorted", "misc" */
    F0T_FLAW_LISTED,  /* in the list of the collection */
    F0T_FLAW_UNKNOWN, /* has no vector: a name, a typing error, another language */
    F0T_FLAW_COMMON,  /* so many images have it that it tells none from another */
    F0T_FLAW_RARE,    /* too few images have it */
    F0T_FLAWS
} f0t_flaw;

/* "that are no words", "about the file", … */
const char *f0t_flaw_name(f0t_flaw flaw);

/* A list of a collection's own. Entries are in the form that f0t_clean_form gives; one that ends with
 * "*" stands for all that begin so. */
typedef struct f0t_clean_list {
    const char *const *drop; /* [count] */
    size_t count;
} f0t_clean_list;

/* ---- One tag ----------------------------------------------------------------------------------- */

/* Adds the forms of a tag to `out`: lower case and one Unicode form, words separated by single spaces,
 * no punctuation at the ends; a tag that lists several, "dog, cat; bird", has several. A tag that is
 * not UTF-8, or has nothing left, has none. */
f0t_status f0t_clean_form(f0t_texts *out, const char *tag, size_t length);

/* The form of a whole tag, which is taken for one whatever it lists. */
f0t_status f0t_clean_whole(f0t_texts *out, const char *tag, size_t length);

/* True when two forms are one word, or one is the plural of the other. */
bool f0t_clean_same(const char *a, const char *b);

/* What is wrong with a form, by its looks and by the lists. `list` may be NULL. */
f0t_flaw f0t_clean_flaw(const char *form, const f0t_clean_list *list);

/* True for a form that no person means: a number or date, the name of a file or of a camera's picture, an
 * address, a code, a file type, a program, "untitled" and its like. Narrower than f0t_clean_flaw, which
 * also leaves out words that say little ("photo", "other"), long phrases and whatever has digits ("boeing 747"). */
bool f0t_clean_is_no_word(const char *form);

/* ---- Two forms of one word ------------------------------------------------------------------------ */

/* Those of `forms` whose last word is a singular of form i's last word, likeliest first; gives how many. */
size_t f0t_clean_singulars(uint32_t found[F0T_INFLECT_MOST], const f0t_names *forms, uint32_t i);
/* The one of `forms` that is form i without its spaces: "seagull" for "sea gull". */
bool f0t_clean_joined(uint32_t *out, const f0t_names *forms, uint32_t i);

#endif
