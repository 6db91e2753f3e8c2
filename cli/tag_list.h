/* The tags of an image, as they are shown. */
#ifndef F0T_CLI_TAG_LIST_H
#define F0T_CLI_TAG_LIST_H

#include "cli.h"

/* `format` is text, csv or tsv, `image` the image's name. */
void tag_list_print_head(const char *format);
void tag_list_print(const char *image, const f0t_tag_result *result, const char *format);
json_t *tag_list_json(const char *image, const f0t_tag_result *result);

#endif
