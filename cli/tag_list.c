#include "tag_list.h"

#include <math.h>
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

/* One line per image and tag: image, rank, tag, score, confidence, which is empty where there is none. */
static void print_rows(const char *image, const f0t_tag_result *result, char separator)
{
    for (size_t i = 0; i < result->count; i++) {
        print_field(image, separator);
        printf("%c%zu%c", separator, i + 1, separator);
        print_field(result->tags[i].tag, separator);
        printf("%c%.6g%c", separator, (double)result->tags[i].score, separator);
        if (!isnan(result->tags[i].confidence))
            printf("%.4g", (double)result->tags[i].confidence);
        putchar('\n');
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
        printf("image,rank,tag,score,confidence\n");
    if (!strcmp(format, "tsv"))
        printf("image\trank\ttag\tscore\tconfidence\n");
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

static json_t *tag_json(const f0t_tag_score *tag)
{
    return json_pack("{s:s, s:f, s:o}", "tag", tag->tag, "score", (double)tag->score, "confidence",
                     isnan(tag->confidence) ? json_null() : json_real((double)tag->confidence));
}

json_t *tag_list_json(const char *image, const f0t_tag_result *result)
{
    json_t *tags = json_array();
    for (size_t i = 0; i < result->count; i++)
        json_array_append_new(tags, tag_json(&result->tags[i]));
    json_t *name = json_string(image); /* NULL: JSON is UTF-8, and names need not be */
    if (!name) {
        char *shown = cli_shown(image);
        name = json_string(shown);
        free(shown);
    }
    return json_pack("{s:o, s:o}", "image", name, "tags", tags);
}
