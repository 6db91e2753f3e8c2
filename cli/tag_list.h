/* The tags of an image, as they are shown. */
#ifndef F0T_CLI_TAG_LIST_H
#define F0T_CLI_TAG_LIST_H

#include "cli.h"

typedef struct tag_list {
    const char *image; /* its name */
    const f0t_vocab *vocab;
    const uint32_t *index; /* [count] in the vocabulary, best first */
    const float *score;    /* [count] */
    size_t count;
} tag_list;

/* `format` is text, csv or tsv. */
void tag_list_print_head(const char *format);
void tag_list_print(const tag_list *list, const char *format);
json_t *tag_list_json(const tag_list *list);

#endif
