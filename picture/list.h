/* Lists of keywords. A keyword is a path of parts, "People|woman" ("Places/Europe/Paris" where people write it so),
 * or just one part. */
#ifndef F0T_PICTURE_LIST_H
#define F0T_PICTURE_LIST_H

#include <stdbool.h>
#include <stddef.h>

typedef struct list {
    char **items;
    char **keys; /* the last part of each, folded: two keywords with one key are the same word */
    size_t count, room;
} list;

/* All zero is an empty list. Without memory the program ends. */
void list_add(list *l, const char *text, size_t length);
void list_add_all(list *to, const list *from);
void list_free(list *l);

/* Whether a keyword of the list has this key. */
bool list_has(const list *l, const char *key);
/* Whether both have the same texts in the same order. */
bool list_equals(const list *a, const list *b);
/* The last part of a path. */
const char *list_leaf(const char *path);

#endif
