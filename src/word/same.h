/*
 * When two texts are the same tag: one rule for all that compares tags.
 *
 * A text is looked up, best first, by its key (word/normal.h), by its form (word/form.h), by the singulars and plurals of
 * that, and by each of these without its spaces ("sea gulls", "seagull"). The first that is known says which tag it is. So
 * what is known by itself is never taken for another: where "dog" and "dogs" are two tags, they stay two.
 */
#ifndef F0T_WORD_SAME_H
#define F0T_WORD_SAME_H

#include "base/interner.h"

/* ---- The rule ------------------------------------------------------------------------------------ */

enum { F0T_SAME_NONE = -1 };

/* What is known, wherever it is kept. Sets *tag, F0T_SAME_NONE at first, to the tag (0 or more) of this form; `joined`: of a
 * form that is this one without its spaces. */
typedef f0t_status (*f0t_same_lookup)(int64_t *tag, void *known, const char *form, bool joined);

/* The tag that a text means; F0T_SAME_NONE where nothing says so, and for a text that is no tag. */
f0t_status f0t_same_search(int64_t *tag, f0t_same_lookup lookup, void *known, const char *text);

/* Under which a text is to be known, none for one that is no tag: its key, then its form where that is another. */
f0t_status f0t_same_keys(f0t_texts *out, const char *text);
/* The form in the singular and without spaces, for f0t_free: texts of one root differ at most in number and spelling, also where
 * they are two tags. Empty for what is no tag. */
f0t_status f0t_same_root(char **out, const char *text);
/* The form without its spaces, for f0t_free. */
f0t_status f0t_same_join(char **out, const char *form);

/* ---- In memory ----------------------------------------------------------------------------------- */

/* Forms and the tag of each. Zero-initialise it for none. */
typedef struct f0t_same {
    f0t_names keys, joined;
    uint32_t *tags, *joined_tags;
    size_t capacity, joined_capacity;
} f0t_same;

/* Form `form` is this tag from now on, unless it is one already: *added says so. */
f0t_status f0t_same_add(f0t_same *same, bool *added, const char *form, uint32_t tag);
/* Each of tags[count] is itself: number i. */
f0t_status f0t_same_add_tags(f0t_same *same, const char *const *tags, size_t count);
/* The number of the tag that a text means, F0T_NONE where it means none. */
f0t_status f0t_same_find(size_t *tag, const f0t_same *same, const char *text);
/* Whether two texts are one tag: one that is known; or none is, and they are one by the rule alone. */
f0t_status f0t_same_are(bool *out, const f0t_same *same, const char *a, const char *b);
void f0t_same_free(f0t_same *same);

#endif
