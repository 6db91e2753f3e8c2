#include "tag_list.h"

#include <stdlib.h>
#include <string.h>

static const char *tag_of(const tag_list *l, size_t i)
{
    return f0t_vocab_tag(l->vocab, l->index[i]);
}

/* RFC 4180: quotes around what needs them, doubled inside. One line for each record: line ends are
 * escaped like every other control character. */
static void print_field(const char *text, char separator)
{
    char *shown = cli_shown(text);
    bool quoted = strchr(shown, separator) || strchr(shown, '"');
    if (quoted)
        putchar('"');
    for (const char *c = shown; *c; c++) {
        if (*c == '"')
            putchar('"');
        putchar(*c);
    }
    if (quoted)
        putchar('"');
    free(shown);
}

/* One line for each image and tag: image, rank, tag, score. */
static void print_rows(const tag_list *l, char separator)
{
    for (size_t i = 0; i < l->count; i++) {
        print_field(l->image, separator);
        printf("%c%zu%c", separator, i + 1, separator);
        print_field(tag_of(l, i), separator);
        printf("%c%.6g\n", separator, (double)l->score[i]);
    }
}

static void print_text(const tag_list *l)
{
    cli_print_shown(stdout, l->image);
    printf(":");
    for (size_t i = 0; i < l->count; i++) {
        printf("%s ", i ? "," : "");
        cli_print_shown(stdout, tag_of(l, i));
    }
    printf("\n");
}

void tag_list_print_head(const char *format)
{
    if (!strcmp(format, "csv"))
        printf("image,rank,tag,score\n");
    if (!strcmp(format, "tsv"))
        printf("image\trank\ttag\tscore\n");
}

void tag_list_print(const tag_list *l, const char *format)
{
    if (!strcmp(format, "csv"))
        print_rows(l, ',');
    else if (!strcmp(format, "tsv"))
        print_rows(l, '\t');
    else
        print_text(l);
}

json_t *tag_list_json(const tag_list *l)
{
    json_t *tags = json_array();
    for (size_t i = 0; i < l->count; i++)
        json_array_append_new(
            tags, json_pack("{s:s, s:f}", "tag", tag_of(l, i), "score", (double)l->score[i]));
    json_t *image = json_string(l->image); /* NULL: JSON is UTF-8, and names need not be */
    if (!image) {
        char *shown = cli_shown(l->image);
        image = json_string(shown);
        free(shown);
    }
    return json_pack("{s:o, s:o}", "image", image, "tags", tags);
}
