#include "raw_tags.h"

#include <string.h>

static const struct {
    const char *key, *option;
} steps[F0T_PREPARE_STEPS] = {
    {"spellings", "keep-spellings"}, {"plurals", "plurals"}, {"file_words", "file-words"},
    {"common", "keep-common"},       {"rare", "least"},      {"synonyms", "synonyms"}};

f0t_status cli_raw_tags_check(cli_context *cli, const raw_tags_options *o,
                              const f0t_dataset *dataset)
{
    size_t count;
    const bool lists = f0t_dataset_seen(&count, dataset) != NULL;
    for (size_t i = 0; i < F0T_PREPARE_STEPS && (lists || o->keep_tags); i++)
        if (cli_given(cli, steps[i].option))
            return cli_fail(cli, F0T_ERROR_ARGUMENT, "--%s is for raw keywords: %s%s",
                            steps[i].option, o->keep_tags ? "" : f0t_dataset_path(dataset),
                            o->keep_tags ? "--keep-tags takes them as they are"
                                         : " has seen.txt or unseen.txt, and its tags are taken as "
                                           "they are");
    return F0T_OK;
}

/* ---- What was done ------------------------------------------------------------------------ */

/* Continues "N keywords " (or "1 keyword "). */
static const char *describe(f0t_prepare_step step, bool one)
{
    switch (step) {
    case F0T_PREPARE_SPELLINGS:
        return one ? "goes with another spelling" : "go with another spelling";
    case F0T_PREPARE_PLURALS:
        return one ? "goes with its plural or singular" : "go with their plural or singular";
    case F0T_PREPARE_FILE_WORDS:
        return one ? "is about files or no word, and is left out"
                   : "are about files or no words, and are left out";
    case F0T_PREPARE_COMMON:
        return one ? "is on nearly all pictures, and is left out"
                   : "are on nearly all pictures, and are left out";
    case F0T_PREPARE_RARE:
        return one ? "is on too few pictures, and is not learned"
                   : "are on too few pictures, and are not learned";
    case F0T_PREPARE_SYNONYMS:
        return one ? "goes with its synonyms" : "go with their synonyms";
    }
    return "";
}

/* What changes the step. */
static const char *name_option(f0t_prepare_step step)
{
    switch (step) {
    case F0T_PREPARE_SPELLINGS:
        return "--keep-spellings";
    case F0T_PREPARE_PLURALS:
        return "--plurals none";
    case F0T_PREPARE_FILE_WORDS:
        return "--file-words none";
    case F0T_PREPARE_COMMON:
        return "--keep-common";
    case F0T_PREPARE_RARE:
        return "--least 1";
    case F0T_PREPARE_SYNONYMS:
        break;
    }
    return "";
}

static void log_step(const cli_context *cli, const f0t_prepared *p, f0t_prepare_step step)
{
    const f0t_prepare_note *note = &p->notes[step];
    const bool one = note->count == 1;
    char line[600];
    if (!note->count)
        return;
    int used = snprintf(line, sizeof line, "%zu keyword%s %s: '%.100s'", note->count,
                        one ? "" : "s", describe(step, one), note->example);
    if (note->into)
        used += snprintf(line + used, sizeof line - (size_t)used, " with '%.100s'", note->into);
    used += snprintf(line + used, sizeof line - (size_t)used, "%s", one ? "" : ", …");
    if (step != F0T_PREPARE_SYNONYMS) /* which a person asked for */
        snprintf(line + used, sizeof line - (size_t)used, " (%s %s %s)", name_option(step),
                 step == F0T_PREPARE_RARE ? "learns" : "keeps", one ? "it" : "them");
    cli->monitor->log(cli->monitor->user, F0T_LOG_INFO, line);
}

static void log_in_use(const cli_context *cli, const f0t_prepare_note *note)
{
    const bool one = note->count == 1;
    char line[300];
    if (!note->count)
        return;
    snprintf(line, sizeof line,
             "%zu keyword%s about files or no word%s, but on many pictures, and %s learned: "
             "'%.100s'%s (--file-words all leaves %s out)",
             note->count, one ? " is" : "s are", one ? "" : "s", one ? "is" : "are", note->example,
             one ? "" : ", …", one ? "it" : "them");
    cli->monitor->log(cli->monitor->user, F0T_LOG_INFO, line);
}

static void log_all(const cli_context *cli, const f0t_prepared *p)
{
    char line[200];
    size_t changed = 0;
    for (size_t i = 0; i < F0T_PREPARE_STEPS; i++) {
        log_step(cli, p, (f0t_prepare_step)i);
        changed += p->notes[i].count;
    }
    log_in_use(cli, &p->file_words_in_use);
    if (!changed)
        return;
    snprintf(line, sizeof line, "%zu keywords became %zu tags", p->keywords,
             f0t_dataset_tag_count(p->dataset));
    cli->monitor->log(cli->monitor->user, F0T_LOG_INFO, line);
}

f0t_status cli_raw_tags_prepare(f0t_prepared **out, cli_context *cli, const raw_tags_options *o,
                                const f0t_dataset *dataset)
{
    f0t_prepare_options options = F0T_PREPARE_OPTIONS;
    size_t count;
    *out = NULL;
    if (o->keep_tags || f0t_dataset_seen(&count, dataset))
        return F0T_OK;
    options.plurals = !strcmp(o->plurals, "all")    ? F0T_PREPARE_PLURALS_ALL
                      : !strcmp(o->plurals, "none") ? F0T_PREPARE_PLURALS_KEEP
                                                    : F0T_PREPARE_PLURALS_RARE;
    options.keep_spellings = o->keep_spellings;
    options.file_words = !strcmp(o->file_words, "all")    ? F0T_PREPARE_FILE_WORDS_ALL
                         : !strcmp(o->file_words, "none") ? F0T_PREPARE_FILE_WORDS_KEEP
                                                          : F0T_PREPARE_FILE_WORDS_RARE;
    options.keep_common = o->keep_common;
    options.least = o->least;
    options.synonyms = o->synonyms;
    f0t_status status = f0t_tags_prepare(out, dataset, &options, cli->context);
    if (status == F0T_OK)
        log_all(cli, *out);
    return status;
}

/* ---- As JSON ------------------------------------------------------------------------------ */

json_t *cli_raw_tags_json(const f0t_prepared *p)
{
    if (!p)
        return json_null();
    json_t *object = json_pack("{s:I, s:I}", "keywords", (json_int_t)p->keywords, "tags",
                               (json_int_t)f0t_dataset_tag_count(p->dataset));
    json_t *merged = json_object(), *rare = json_array();
    for (size_t i = 0; i < F0T_PREPARE_STEPS; i++)
        if (i != F0T_PREPARE_RARE) /* which are listed below */
            json_object_set_new(object, steps[i].key, json_integer((json_int_t)p->notes[i].count));
    json_object_set_new(object, "file_words_in_use",
                        json_integer((json_int_t)p->file_words_in_use.count));
    for (size_t i = 0; i < p->merge_count; i++)
        json_object_set_new(merged, p->merges[i].from, json_string(p->merges[i].into));
    for (size_t i = 0; i < p->rare_count; i++)
        json_array_append_new(rare, json_string(p->rare[i]));
    json_object_set_new(object, "merged", merged);
    json_object_set_new(object, "rare", rare);
    return object;
}
