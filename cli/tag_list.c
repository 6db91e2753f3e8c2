#include "tag_list.h"

#include <stdlib.h>
#include <string.h>

/* RFC 4180: quotes around what needs them, doubled inside. One line per record: line ends are
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

/* One line per image and tag: image, rank, tag, score. */
static void print_rows(const char *image, const f0t_tag_result *result, char separator)
{
    for (size_t i = 0; i < result->count; i++) {
        print_field(image, separator);
        printf("%c%zu%c", separator, i + 1, separator);
        print_field(result->tags[i].tag, separator);
        printf("%c%.6g\n", separator, (double)result->tags[i].score);
    }
}

static void print_text(const char *image, const f0t_tag_result *result)
{
    cli_print_shown(stdout, image);
    printf(":");
    for (size_t i = 0; i < result->count; i++) {
        printf("%s ", i ? "," : "");
        cli_print_shown(stdout, result->tags[i].tag);
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

void tag_list_print(const char *image, const f0t_tag_result *result, const char *format)
{
    if (!strcmp(format, "csv"))
        print_rows(image, result, ',');
    else if (!strcmp(format, "tsv"))
        print_rows(image, result, '\t');
    else
        print_text(image, result);
}

json_t *tag_list_json(const char *image, const f0t_tag_result *result)
{
    json_t *tags = json_array();
    for (size_t i = 0; i < result->count; i++)
        json_array_append_new(tags, json_pack("{s:s, s:f}", "tag", result->tags[i].tag, "score",
                                              (double)result->tags[i].score));
    json_t *name = json_string(image); /* NULL: JSON is UTF-8, and names need not be */
    if (!name) {
        char *shown = cli_shown(image);
        name = json_string(shown);
        free(shown);
    }
    return json_pack("{s:o, s:o}", "image", name, "tags", tags);
}
