/*
 * Which tags of a catalogue are one (word/same.h). In the table `tags`, `same` is the number of the tag that stands for all
 * that are one with it; `root` is the same for tags that differ at most in number and spelling. The table `words` has what is known: the keys of all tags, and of what the model's tags are called
 * besides. So a catalogue says it without its model.
 */
#ifndef F0T_CATALOGUE_SAME_H
#define F0T_CATALOGUE_SAME_H

#include "catalogue/sql.h"
#include "model/model.h"

/* The tag that stands for all that are one with this text; 0: the catalogue has none. */
f0t_status f0t_same_tag(int64_t *same, f0t_sql *sql, const char *text);

/* Adds a tag that the catalogue does not have, and *id is its number. To be called inside a change, as what follows. */
f0t_status f0t_same_insert(int64_t *id, f0t_sql *sql, const char *tag);

/* Gives the tags that stand for none yet one to stand for: of a catalogue of a version before `same`. */
f0t_status f0t_same_fill(f0t_sql *sql);

/* The chosen model says from now on which tags are one, unless it does already, */
f0t_status f0t_same_follow(f0t_sql *sql, const f0t_model *model);
/* which this says. */
f0t_status f0t_same_follows(bool *out, f0t_sql *sql);

/* In a query: the numbers of the tags that are one with the tag of this number, which is among them. */
#define F0T_SAME_TAGS(tag)                                      \
    "(SELECT same_b.id FROM tags same_b WHERE same_b.id = " tag \
    " OR same_b.same = (SELECT same FROM tags same_a WHERE same_a.id = " tag "))"

/* In a query: these and the tags of its root (word/same.h), which says nothing new of a picture that has one of them. */
#define F0T_ALIKE_TAGS(tag)                                                      \
    "(SELECT same_b.id FROM tags same_b WHERE same_b.id = " tag                  \
    " OR same_b.same = (SELECT same FROM tags same_a WHERE same_a.id = " tag ")" \
    " OR same_b.root = (SELECT root FROM tags same_a WHERE same_a.id = " tag "))"

#endif
