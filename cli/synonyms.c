#include "synonyms.h"

#include <string.h>

static json_t *as_json(const f0t_synonyms *synonyms)
{
    json_t *list = json_array();
    for (size_t g = 0; g < synonyms->count; g++) {
        const f0t_synonym_group *group = &synonyms->groups[g];
        json_t *words = json_array();
        for (size_t i = 0; i < group->count; i++)
            json_array_append_new(words, json_string(group->words[i]));
        json_array_append_new(list, json_pack("{s:s, s:o, s:f}", "name", group->words[0], "words",
                                              words, "cosine", (double)group->cosine));
    }
    return list;
}

/* Tabs divide what has commas of its own; a word whose # would begin a comment cannot be in the file. */
static void print_group(const f0t_synonym_group *group)
{
    bool commas = false, comments = false;
    for (size_t i = 0; i < group->count; i++) {
        commas = commas || strchr(group->words[i], ',');
        comments = comments || group->words[i][0] == '#' || strstr(group->words[i], " #");
    }
    if (comments)
        return;
    for (size_t i = 0; i < group->count; i++) {
        printf("%s", i ? commas ? "\t" : ", " : "");
        cli_print_shown(stdout, group->words[i]);
    }
    printf(" # %.2f\n", (double)group->cosine);
}

f0t_status cli_synonyms_suggest(cli_context *cli, const f0t_vectors *vectors, const char *path,
                                double least)
{
    f0t_dataset *dataset;
    f0t_synonyms *synonyms = NULL;
    f0t_status status = f0t_dataset_open(&dataset, path, NULL, cli->context);
    if (status == F0T_OK)
        status = f0t_synonyms_suggest(&synonyms, dataset, vectors, least, cli->context);
    if (status == F0T_OK && cli->json) {
        status = cli_print_json(cli, as_json(synonyms));
    } else if (status == F0T_OK) {
        printf("# name, synonyms # the least cosine: remove the lines that are not so\n");
        for (size_t g = 0; g < synonyms->count; g++)
            print_group(&synonyms->groups[g]);
    }
    f0t_synonyms_free(synonyms);
    f0t_dataset_close(dataset);
    return status;
}
