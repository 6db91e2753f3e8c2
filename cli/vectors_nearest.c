/* fast0tag vectors nearest: what is near a word, and which tags of a dataset may be one. */
#include "synonyms.h"
#include "vectors.h"

#include <stdlib.h>
#include <string.h>

typedef struct options {
    const char *synonyms;
    bool tolerant;
    size_t count;
    double least;
} options;

static const options defaults = {.count = 10, .least = F0T_SYNONYMS_COSINE};

/* True when the word is one of those that the query was made of: "palm + tree". */
static bool is_used(const char *used, const char *word, size_t length)
{
    for (const char *p = used; p; p = strstr(p, " + ") ? strstr(p, " + ") + 3 : NULL) {
        const char *end = strstr(p, " + ");
        size_t n = end ? (size_t)(end - p) : strlen(p);
        if (n == length && memcmp(p, word, n) == 0)
            return true;
    }
    return false;
}

static json_t *neighbours_as_json(const f0t_vectors *vectors, const f0t_vocab_entry *entry,
                                  const f0t_neighbour *near, size_t found, size_t most)
{
    json_t *list = json_array();
    for (size_t i = 0; i < found && json_array_size(list) < most; i++) {
        size_t length;
        const char *word = f0t_vectors_word(&length, vectors, near[i].index);
        if (word && !is_used(entry->used, word, length))
            json_array_append_new(list, json_pack("{s:s%, s:f}", "word", word, length, "cosine",
                                                  (double)near[i].cosine));
    }
    return json_pack("{s:s, s:s, s:s, s:o}", "query", entry->tag, "match",
                     f0t_match_name(entry->match), "used", entry->used, "neighbours", list);
}

static void print_neighbours(const json_t *answer, bool first)
{
    static const char *const heads[] = {"cosine", "word"};
    const char *query = json_string_value(json_object_get(answer, "query"));
    const char *used = json_string_value(json_object_get(answer, "used"));
    const json_t *list = json_object_get(answer, "neighbours");
    cli_table *table = cli_table_create(2, heads, "rl");
    printf("%s", first ? "" : "\n");
    cli_print_shown(stdout, query);
    if (strcmp(query, used) != 0) {
        printf(" (");
        cli_print_shown(stdout, used);
        printf(")");
    }
    printf("\n");
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *row = json_array_get(list, i);
        char cosine[32];
        snprintf(cosine, sizeof cosine, "%.4f", json_real_value(json_object_get(row, "cosine")));
        const char *cells[] = {cosine, json_string_value(json_object_get(row, "word"))};
        cli_table_add(table, cells);
    }
    cli_table_print(table, stdout);
    cli_table_free(table);
}

/* The neighbours of one query, as JSON. More than asked for are sought: its own words drop out. */
static f0t_status ask(cli_context *cli, const options *o, json_t **answer,
                      const f0t_vectors *vectors, const f0t_vocab *vocab, size_t query)
{
    enum { OWN_WORDS = 64 };
    const f0t_vocab_entry *entry = f0t_vocab_get_entry(vocab, query);
    const float *vector = f0t_vocab_vectors(vocab) + entry->index * f0t_vocab_dim(vocab);
    size_t all = f0t_vectors_count(vectors), found;
    size_t most = o->count < all ? o->count : all;
    f0t_neighbour *near = cli_alloc((most + OWN_WORDS) * sizeof *near);
    f0t_status status =
        f0t_vectors_nearest(near, &found, most + OWN_WORDS, vectors, vector, cli->context);
    if (status == F0T_OK)
        *answer = neighbours_as_json(vectors, entry, near, found, most);
    free(near);
    return status;
}

/* A word without a vector, as JSON: what was not found, and what may have been meant. */
static json_t *missing_as_json(const f0t_vocab_entry *entry)
{
    return json_pack("{s:s, s:s, s:n, s:s, s:s?, s:[]}", "query", entry->tag, "match",
                     f0t_match_name(entry->match), "used", "missing", entry->missing, "suggestion",
                     entry->nearest, "neighbours");
}

static void say_missing(char *line, size_t size, const f0t_vocab_entry *entry)
{
    snprintf(line, size,
             entry->nearest ? "'%s' has no vector; did you mean '%s'?" : "'%s' has no vector",
             entry->missing, entry->nearest);
}

/* Fails when words have no vector, and names each: one alone in the failure itself. */
static f0t_status report_unknown(cli_context *cli, const f0t_vocab *vocab)
{
    char line[400];
    size_t count = f0t_vocab_entry_count(vocab), missing = 0;
    for (size_t i = 0; i < count; i++)
        missing += f0t_vocab_get_entry(vocab, i)->match == F0T_MATCH_NONE;
    for (size_t i = 0; i < count; i++) {
        const f0t_vocab_entry *entry = f0t_vocab_get_entry(vocab, i);
        if (entry->match != F0T_MATCH_NONE)
            continue;
        say_missing(line, sizeof line, entry);
        if (missing == 1)
            return cli_fail(cli, F0T_ERROR_NOT_FOUND, "%s", line);
        cli->monitor->log(cli->monitor->user, F0T_LOG_WARNING, line);
    }
    return missing ? cli_fail(cli, F0T_ERROR_NOT_FOUND, "%zu of %zu words have no vector", missing,
                              count)
                   : F0T_OK;
}

/* Answers what can be answered, then fails for the rest. */
static f0t_status answer_all(cli_context *cli, const options *o, const f0t_vectors *vectors,
                             const f0t_vocab *vocab)
{
    f0t_status status = F0T_OK;
    json_t *all = json_array();
    for (size_t i = 0, shown = 0; i < f0t_vocab_entry_count(vocab) && status == F0T_OK; i++) {
        const f0t_vocab_entry *entry = f0t_vocab_get_entry(vocab, i);
        json_t *answer = NULL;
        if (entry->match == F0T_MATCH_SAME)
            continue;
        if (entry->match == F0T_MATCH_NONE)
            answer = missing_as_json(entry);
        else
            status = ask(cli, o, &answer, vectors, vocab, i);
        if (answer && !cli->json && entry->match != F0T_MATCH_NONE)
            print_neighbours(answer, shown++ == 0);
        if (answer)
            json_array_append_new(all, answer);
    }
    if (status == F0T_OK && cli->json)
        status = cli_print_json(cli, json_incref(all));
    json_decref(all);
    return status == F0T_OK ? report_unknown(cli, vocab) : status;
}

static f0t_status check_nearest(cli_context *cli, const options *o)
{
    if (!o->synonyms && cli->operand_count < 2)
        return cli_fail(cli, F0T_ERROR_ARGUMENT, "missing operand: WORD, or --synonyms DATASET");
    if (o->synonyms && cli->operand_count > 1)
        return cli_fail(cli, F0T_ERROR_ARGUMENT,
                        "--synonyms is about the tags of %s: leave out '%s'", o->synonyms,
                        cli->operands[1]);
    if (o->synonyms ? cli_given(cli, "count") : cli_given(cli, "least"))
        return cli_fail(cli, F0T_ERROR_ARGUMENT, "%s",
                        o->synonyms ? "--synonyms shows all groups: leave out -k"
                                    : "--least needs --synonyms");
    if (!(o->least > 0 && o->least <= 1))
        return cli_fail(cli, F0T_ERROR_ARGUMENT, "--least: %g is not between 0 and 1", o->least);
    return F0T_OK;
}

static f0t_status run_nearest(cli_context *cli, const void *given)
{
    const options *o = given;
    f0t_vectors *vectors = NULL;
    f0t_vocab *vocab = NULL;
    f0t_vectors_options how = {.size = sizeof how, .tolerant = o->tolerant};
    f0t_vocab_options lookup = {.size = sizeof(f0t_vocab_options)};
    f0t_status status = check_nearest(cli, o);
    if (status == F0T_OK)
        status = f0t_vectors_open(&vectors, cli->operands[0], &how, cli->context);
    if (status == F0T_OK && o->synonyms)
        status = cli_synonyms_suggest(cli, vectors, o->synonyms, o->least);
    else if (status == F0T_OK)
        status = f0t_vocab_create(&vocab, cli->operands + 1, cli->operand_count - 1, vectors,
                                  &lookup, cli->context);
    if (status == F0T_OK && vocab)
        status = answer_all(cli, o, vectors, vocab);
    f0t_vocab_free(vocab);
    f0t_vectors_close(vectors);
    return status;
}

static const cli_option table[] = {
    {"count", 'k', CLI_COUNT, offsetof(options, count), "N",
     "Show N neighbours of each. Default 10.", NULL},
    {"synonyms", 0, CLI_TEXT, offsetof(options, synonyms), "DATASET",
     "Instead of the neighbours of words: tags of a dataset that may be one, as a file for "
     "'train --synonyms'. Near words are not always the same: read it first.",
     NULL},
    {"least", 0, CLI_REAL, offsetof(options, least), "X",
     "The least cosine between a tag and a synonym of it. Default 0.7.", NULL},
    CLI_TOLERANT_OPTION(offsetof(options, tolerant)),
    {.name = NULL},
};

static const cli_example examples[] = {
    {"fast0tag vectors nearest glove.safetensors dog \"palm tree\"",
     "The ten words nearest to each."},
    {"fast0tag vectors nearest glove.safetensors --synonyms photos.f0t.data >synonyms.txt",
     "Suggests which tags of a collection may be one, to be edited and given to 'train'."},
    {.command = NULL},
};

const cli_verb cli_verb_vectors_nearest = {
    .name = "nearest",
    .summary = "show the words nearest to a word or phrase",
    .operands = "V WORD…",
    .least = 1,
    .most = SIZE_MAX,
    .description =
        "V is a file of word vectors, each WORD a word or a phrase (in quotes). Shows the words "
        "with the largest cosine; all words are compared. A phrase without a vector of its own is "
        "the mean of its words; what was used is shown in brackets. Words without a vector are "
        "reported at the end, with the nearest spelling; the exit code is then 3.",
    .options = table,
    .examples = examples,
    .json = true,
    .options_size = sizeof(options),
    .defaults = &defaults,
    .run = run_nearest,
};
