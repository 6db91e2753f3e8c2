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

f0t_prepare_options cli_raw_tags_convert(const raw_tags_options *o)
{
    f0t_prepare_options options = F0T_PREPARE_OPTIONS;
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
    return options;
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
