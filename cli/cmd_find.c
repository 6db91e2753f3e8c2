/* fast0tag find: the pictures of a catalogue that words, tags and dates describe. */
#include "cli.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct options {
    const char *catalogue, *html;
    f0t_finder_options finder;
    f0t_find_options find;
} options;

static const options defaults = {.finder = F0T_FINDER_OPTIONS, .find = F0T_FIND_OPTIONS};

/* ---- Results ------------------------------------------------------------------------------ */

enum { DATE_SIZE = 32 };

/* By the clock of the camera; "" where it is not known. */
static const char *write_date(char to[DATE_SIZE], int64_t taken, const char *form)
{
    struct tm day;
    const time_t seconds = (time_t)taken;
    if (taken == F0T_NO_DATE || !gmtime_r(&seconds, &day) || !strftime(to, DATE_SIZE, form, &day))
        *to = '\0';
    return to;
}

static const char *write_surety(char to[DATE_SIZE], const f0t_find_result *r, bool like)
{
    const float value = like ? r->similarity : r->confidence;
    *to = '\0';
    if (!isnan(value))
        snprintf(to, DATE_SIZE, "%.3f", (double)value);
    return to;
}

static void print_table(const f0t_find_results *found, bool like)
{
    static const char *const heads[2][4] = {{"confidence", "", "taken", "picture"},
                                            {"similarity", "", "taken", "picture"}};
    if (!found->count)
        return;
    cli_table *table = cli_table_create(4, heads[like], "rlll");
    for (size_t i = 0; i < found->count; i++) {
        const f0t_find_result *r = &found->items[i];
        char date[DATE_SIZE], surety[DATE_SIZE];
        cli_table_add(
            table, (const char *const[]){write_surety(surety, r, like), r->tagged ? "tagged" : "",
                                         write_date(date, r->taken, "%Y-%m-%d"), r->path});
    }
    cli_table_print(table, stdout);
    cli_table_free(table);
}

static json_t *real_or_null(float value)
{
    return isnan(value) ? json_null() : json_real((double)value);
}

static json_t *word_json(const f0t_find_word *w)
{
    static const char *const KINDS[] = {"learned", "new", "tag", "left out"};
    return json_pack("{s:s, s:b, s:s, s:o, s:o, s:I}", "word", w->word, "without", w->without,
                     "kind", KINDS[w->kind], "cut", real_or_null(w->cut), "best",
                     real_or_null(w->best), "tagged", (json_int_t)w->tagged);
}

/* Paths need not be UTF-8, which JSON must be: then they are as the table shows them. */
static json_t *path_json(const char *path)
{
    json_t *text = json_string(path);
    if (text)
        return text;
    char *shown = cli_shown(path);
    text = json_string(shown);
    free(shown);
    return text;
}

static json_t *picture_json(const f0t_find_result *r, size_t words)
{
    char date[DATE_SIZE];
    json_t *each = json_array();
    for (size_t i = 0; i < words; i++)
        json_array_append_new(each, real_or_null(r->words[i]));
    write_date(date, r->taken, "%Y-%m-%dT%H:%M:%S");
    return json_pack("{s:I, s:o, s:o, s:o, s:b, s:o, s:o}", "id", (json_int_t)r->id, "path",
                     path_json(r->path), "taken", *date ? json_string(date) : json_null(),
                     "confidence", real_or_null(r->confidence), "tagged", r->tagged, "similarity",
                     real_or_null(r->similarity), "words", each);
}

static f0t_status print_json(cli_context *cli, const f0t_find_results *found, const char *query)
{
    json_t *words = json_array(), *pictures = json_array();
    for (size_t i = 0; i < found->word_count; i++)
        json_array_append_new(words, word_json(&found->words[i]));
    for (size_t i = 0; i < found->count; i++)
        json_array_append_new(pictures, picture_json(&found->items[i], found->word_count));
    return cli_print_json(cli, json_pack("{s:s, s:o, s:b, s:o}", "query", query, "words", words,
                                         "more", found->more, "pictures", pictures));
}

/* How the words were understood, and what to do where that was not it. */
static void remark(const cli_context *cli, const options *o, const f0t_find_results *found)
{
    char words[1024], line[1200];
    f0t_find_describe(words, sizeof words, found);
    if (!found->count && found->word_count)
        snprintf(line, sizeof line, "nothing certain: %s%s", words,
                 o->find.nearest ? "" : "; --nearest shows the nearest");
    else if (!found->count)
        snprintf(line, sizeof line, "nothing found");
    else
        snprintf(line, sizeof line, "%s%s%s", words, *words && found->more ? "; " : "",
                 found->more ? "there are more, -k shows them" : "");
    if (*line)
        cli->monitor->log(cli->monitor->user, F0T_LOG_INFO, line);
}

/* ---- The command -------------------------------------------------------------------------- */

static f0t_status check_page(cli_context *cli, const char *path)
{
    char begin[16] = "";
    FILE *file = path ? fopen(path, "rb") : NULL;
    if (!path)
        return F0T_OK;
    const bool there = file || errno != ENOENT;
    const size_t got = file ? fread(begin, 1, sizeof begin - 1, file) : 0;
    if (there && (!file || ferror(file))) {
        const int code = errno;
        if (file)
            fclose(file);
        return cli_fail(cli, F0T_ERROR_IO, "--html %s: cannot be read: %s", path, strerror(code));
    }
    if (file)
        fclose(file);
    if (got && strncmp(begin, "<!DOCTYPE html>", 15) != 0)
        return cli_fail(cli, F0T_ERROR_ARGUMENT,
                        "--html %s: this file is no page of HTML, and is not replaced", path);
    return cli_check_file(cli, "--html", path);
}

static f0t_status check_options(cli_context *cli, const options *o)
{
    if (!cli->operand_count && !o->find.like)
        return cli_fail(cli, F0T_ERROR_ARGUMENT, "missing operand: WORD…, or --like PICTURE");
    if (cli_given(cli, "confidence") && !(o->find.confidence > 0 && o->find.confidence <= 1))
        return cli_fail(cli, F0T_ERROR_ARGUMENT, "--confidence: %g is not between 0 and 1",
                        o->find.confidence);
    return check_page(cli, o->html);
}

static f0t_status set_vectors(const char *of, const char *path)
{
    f0t_catalogue_options how = F0T_CATALOGUE_OPTIONS;
    f0t_catalogue *catalogue;
    how.mode = F0T_CATALOGUE_WRITE;
    f0t_status status = f0t_catalogue_open(&catalogue, of, &how);
    if (status == F0T_OK)
        status = f0t_catalogue_set_vectors(catalogue, path);
    f0t_catalogue_close(catalogue);
    return status;
}

/* The next search needs no --vectors; where the catalogue cannot be written, it does, and is told: what was asked for is
 * there, so that is no failure. */
static void remember_vectors(const cli_context *cli, const options *o,
                             const f0t_catalogue *found_in)
{
    const char *known = f0t_catalogue_vectors(found_in);
    char *path = o->finder.vectors ? realpath(o->finder.vectors, NULL) : NULL, line[1200];
    f0t_status status = F0T_OK;
    if (o->finder.vectors && !path)
        status = f0t_error_set(F0T_ERROR_IO, strerror(errno));
    else if (path && (!known || strcmp(known, path) != 0))
        status = set_vectors(f0t_catalogue_path(found_in), path);
    if (status != F0T_OK) {
        snprintf(line, sizeof line, "%s is not remembered for the next search: %s",
                 o->finder.vectors, f0t_last_error());
        cli->monitor->log(cli->monitor->user, F0T_LOG_WARNING, line);
    }
    free(path);
}

static f0t_status show(cli_context *cli, const options *o, f0t_catalogue *catalogue,
                       const f0t_find_results *found, const f0t_query *query)
{
    const char *text = query ? f0t_query_text(query) : o->find.like;
    f0t_status status = o->html ? f0t_find_page_save(o->html, catalogue, found, text) : F0T_OK;
    if (status != F0T_OK)
        return status;
    remark(cli, o, found);
    if (cli->json)
        return print_json(cli, found, query ? text : "");
    print_table(found, o->find.like != NULL);
    return F0T_OK;
}

static f0t_status find(cli_context *cli, const options *o, f0t_catalogue *catalogue,
                       const f0t_query *query)
{
    f0t_finder *finder = NULL;
    f0t_find_results *found = NULL;
    f0t_status status = f0t_finder_open(&finder, catalogue, &o->finder, cli->context);
    if (status == F0T_OK)
        status = f0t_finder_run(&found, finder, query, &o->find, cli->context);
    if (status == F0T_OK)
        status = show(cli, o, catalogue, found, query);
    if (status == F0T_OK)
        remember_vectors(cli, o, catalogue);
    f0t_find_results_free(found);
    f0t_finder_close(finder);
    return status;
}

static f0t_status run(cli_context *cli, const void *values)
{
    const options *o = values;
    f0t_catalogue *catalogue = NULL;
    f0t_query *query = NULL;
    f0t_status status = check_options(cli, o);
    if (status == F0T_OK && cli->operand_count)
        status = f0t_query_parse_arguments(&query, cli->operands, cli->operand_count);
    if (status == F0T_OK)
        status = f0t_catalogue_open(&catalogue, o->catalogue, NULL);
    if (status == F0T_OK)
        status = find(cli, o, catalogue, query);
    f0t_catalogue_close(catalogue);
    f0t_query_free(query);
    return status;
}

#define AT(field) offsetof(options, field)

static const cli_option table[] = {
    CLI_CATALOGUE_OPTION(AT(catalogue)),
    {"top", 'k', CLI_COUNT, AT(find.k), "N", "Number of pictures, at most. Default 20.", NULL},
    {"like", 0, CLI_TEXT, AT(find.like), "PICTURE",
     "Pictures like this one, of the catalogue or not, the most similar first; words, tags and "
     "dates are then conditions.",
     NULL},
    {"nearest", 0, CLI_FLAG, AT(find.nearest), NULL,
     "The first pictures, however unsure. Default: those that reach the cut of each word.", NULL},
    {"confidence", 0, CLI_REAL, AT(find.confidence), "P",
     "The cut of every word: only pictures for which a person would keep it with this probability "
     "or more. Default: 0.1, for words that the model has not learned 0.07, or a third of the "
     "highest, whichever is more.",
     NULL},
    {"vectors", 0, CLI_TEXT, AT(finder.vectors), "FILE",
     "Vectors of words that the model has not learned: the file that it was trained with, or one "
     "made from it. The catalogue remembers it.",
     NULL},
    {"html", 0, CLI_TEXT, AT(html), "FILE",
     "Also write a contact sheet: one page of HTML with the thumbnails in it.", NULL},
    {.name = NULL},
};

static const cli_conflict conflicts[] = {{"nearest", "confidence"}, {.one = NULL}};

static const cli_example examples[] = {
    {"fast0tag find dog", "Pictures of dogs, the surest first."},
    {"fast0tag find \"red car\" -street after:2019", "A phrase, without a word, by date."},
    {"fast0tag find zebra --vectors glove.f0t --html zebras.html",
     "A word that the model has not learned, as a contact sheet."},
    {"fast0tag find tag:holiday -tag:old date:2019",
     "By what people tagged, and when it was taken."},
    {"fast0tag find --like beach.jpg -k 50 --json", "What looks like it, as JSON."},
    {.command = NULL},
};

const cli_verb cli_verb_find = {
    .name = "find",
    .summary = "find pictures of a catalogue by any words",
    .operands = "WORD…",
    .least = 0,
    .most = SIZE_MAX,
    .description =
        "Finds the pictures of a catalogue (see 'index') that all words hold for. A word or a "
        "phrase in quotes may be a tag that people gave, which is certain; one that the model has "
        "learned; or any other that has a vector. -word is without it. Short options therefore "
        "stand by themselves: '-k 5', not '-k5'.\n\n"
        "tag:NAME has this tag of a person; before:2020, after:2019-06 and date:2019..2020-02-29 "
        "are about when it was taken; is:untagged has no tag of a person. Each may have a "
        "minus.\n\n"
        "How sure a word is for a picture is a probability. Each word has a cut, so that most that "
        "no picture shows find nothing: standard error says what was cut, and --nearest shows "
        "it. Several words are ranked by the product.",
    .options = table,
    .conflicts = conflicts,
    .examples = examples,
    .json = true,
    .minus_words = true,
    .options_size = sizeof(options),
    .defaults = &defaults,
    .run = run,
};
