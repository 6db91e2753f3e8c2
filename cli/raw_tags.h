/* Raw keywords before training: the options, and what was done as JSON. */
#ifndef F0T_CLI_RAW_TAGS_H
#define F0T_CLI_RAW_TAGS_H

#include "cli.h"

typedef struct raw_tags_options {
    bool keep_tags, keep_spellings, keep_common;
    const char *plurals, *file_words, *synonyms;
    size_t least;
} raw_tags_options;

/* Their rows of the option table; `base` is where the struct is in the command's own. */
#define CLI_RAW_TAGS_FIELD(base, member) ((base) + offsetof(raw_tags_options, member))
#define CLI_RAW_TAGS_OPTIONS(base)                                                                 \
    {"keep-tags",                                                                                  \
     0,                                                                                            \
     CLI_FLAG,                                                                                     \
     CLI_RAW_TAGS_FIELD(base, keep_tags),                                                          \
     NULL,                                                                                         \
     "Take the tags as they are, as those of a dataset with seen.txt or unseen.txt are taken. "    \
     "Default: keywords are cleaned, in the steps that the next options change.",                  \
     NULL},                                                                                        \
        {"keep-spellings",                                                                         \
         0,                                                                                        \
         CLI_FLAG,                                                                                 \
         CLI_RAW_TAGS_FIELD(base, keep_spellings),                                                 \
         NULL,                                                                                     \
         "Several spellings are several tags. Default: 'Palm_Tree' is 'palm tree', 'sea gull' is " \
         "'seagull', and 'dog, cat' are two, each as most pictures have it.",                      \
         NULL},                                                                                    \
        {"plurals",                                                                                \
         0,                                                                                        \
         CLI_CHOICE,                                                                               \
         CLI_RAW_TAGS_FIELD(base, plurals),                                                        \
         "WHICH",                                                                                  \
         "Plurals that are one tag with their singular: rare ones (or rare singulars: on fewer "   \
         "than 10 pictures, or a tenth of the other's), all, or none. Default rare.",              \
         "rare|all|none"},                                                                         \
        {"file-words",                                                                             \
         0,                                                                                        \
         CLI_CHOICE,                                                                               \
         CLI_RAW_TAGS_FIELD(base, file_words),                                                     \
         "WHICH",                                                                                  \
         "Words of cameras and programs that are left out (numbers, IMG_1234, jpg, untitled): "    \
         "rare ones (on fewer than 10 pictures), all, or none. Default rare.",                     \
         "rare|all|none"},                                                                         \
        {"synonyms",                                                                               \
         0,                                                                                        \
         CLI_TEXT,                                                                                 \
         CLI_RAW_TAGS_FIELD(base, synonyms),                                                       \
         "FILE",                                                                                   \
         "Words that are one tag, one line per group, its name first: bicycle, bike, cycling. "    \
         "'fast0tag vectors nearest --synonyms' suggests some.",                                   \
         NULL},                                                                                    \
        {"keep-common", 0,                                                                         \
         CLI_FLAG,      CLI_RAW_TAGS_FIELD(base, keep_common),                                     \
         NULL,          "Learn tags that 98 % of the pictures have, too.",                         \
         NULL},                                                                                    \
    {                                                                                              \
        "least", 0, CLI_COUNT, CLI_RAW_TAGS_FIELD(base, least), "N",                               \
            "Pictures that a tag must have to be learned. Default 1 for the blend; else 2, and 1 " \
            "where fewer than 50 pictures have tags.",                                             \
            NULL                                                                                   \
    }

/* What of them cannot be used with this dataset, or together, is refused. */
f0t_status cli_raw_tags_check(cli_context *cli, const raw_tags_options *o,
                              const f0t_dataset *dataset);

f0t_prepare_options cli_raw_tags_convert(const raw_tags_options *o);

/* null for NULL. */
json_t *cli_raw_tags_json(const f0t_prepared *prepared);

#endif
