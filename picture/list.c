#include "list.h"

#include "image/keyword_path.h"

#include <stdlib.h>
#include <string.h>
#include <utf8proc.h>

const char *list_leaf(const char *path)
{
    return f0t_keyword_word(path);
}

static void *need(void *memory)
{
    if (!memory)
        exit(1);
    return memory;
}

static char *copy(const char *text, size_t length)
{
    char *to = need(malloc(length + 1));
    memcpy(to, text, length);
    to[length] = 0;
    return to;
}

/* Neither capitals nor the way in which an umlaut is composed make another word of it, nor do blanks
 * around it. */
static char *make_key(const char *text)
{
    utf8proc_uint8_t *folded = NULL;
    const char *leaf = list_leaf(text), *end = leaf + strlen(leaf);
    while (end > leaf && (unsigned char)end[-1] <= ' ')
        end--;
    if (utf8proc_map((const utf8proc_uint8_t *)leaf, end - leaf, &folded,
                     UTF8PROC_STABLE | UTF8PROC_COMPOSE | UTF8PROC_CASEFOLD) < 0)
        return copy(leaf, (size_t)(end - leaf));
    return (char *)folded;
}

void list_add(list *l, const char *text, size_t length)
{
    if (l->count == l->room) {
        l->room = l->room ? 2 * l->room : 16;
        l->items = need(realloc(l->items, l->room * sizeof *l->items));
        l->keys = need(realloc(l->keys, l->room * sizeof *l->keys));
    }
    l->items[l->count] = copy(text, length);
    l->keys[l->count] = make_key(l->items[l->count]);
    l->count++;
}

void list_add_all(list *to, const list *from)
{
    for (size_t i = 0; i < from->count; i++)
        list_add(to, from->items[i], strlen(from->items[i]));
}

void list_free(list *l)
{
    for (size_t i = 0; i < l->count; i++) {
        free(l->items[i]);
        free(l->keys[i]);
    }
    free(l->items);
    free(l->keys);
    *l = (list){0};
}

bool list_has(const list *l, const char *key)
{
    for (size_t i = 0; i < l->count; i++)
        if (!strcmp(l->keys[i], key))
            return true;
    return false;
}

bool list_equals(const list *a, const list *b)
{
    if (a->count != b->count)
        return false;
    for (size_t i = 0; i < a->count; i++)
        if (strcmp(a->items[i], b->items[i]) != 0)
            return false;
    return true;
}
