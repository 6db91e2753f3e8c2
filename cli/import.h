/* What commands that make datasets share: their report, and the options that more than one of them
 * has. `base` is the offset of the f0t_import_options in the command's own. */
#ifndef F0T_CLI_IMPORT_H
#define F0T_CLI_IMPORT_H

#include "cli.h"

/* What an import made, on standard output. */
f0t_status cli_import_show(cli_context *cli, const f0t_import_report *report);
/* The notes alone, as remarks on standard error. */
void cli_import_log(const cli_context *cli, const f0t_import_report *report);

#define CLI_IMPORT_FIELD(base, member) ((base) + offsetof(f0t_import_options, member))

/* Of keywords that are paths. */
#define CLI_HIERARCHY_OPTION(base)                                                              \
    {                                                                                           \
        "hierarchy", 0, CLI_CHOICE, CLI_IMPORT_FIELD(base, hierarchy), "WHAT",                  \
            "What is learned of keywords that are paths, Places|Europe|Paris: the last level, " \
            "or all levels. Default leaf.",                                                     \
            "leaf|levels"                                                                       \
    }

/* For commands that write a dataset; 'train' has it among its ways with raw keywords. */
#define CLI_SYNONYMS_OPTION(base)                                                         \
    {                                                                                     \
        "synonyms", 0, CLI_TEXT, CLI_IMPORT_FIELD(base, synonyms), "FILE",                \
            "Words that are one tag, one line per group, its name first: bicycle, bike, " \
            "cycling.",                                                                   \
            NULL                                                                          \
    }

/* Tags that pictures have besides their keywords. */
#define CLI_PICTURE_TAG_OPTIONS(base)                                                             \
    {"csv",                                                                                       \
     0,                                                                                           \
     CLI_TEXT,                                                                                    \
     CLI_IMPORT_FIELD(base, table),                                                               \
     "FILE",                                                                                      \
     "A table with more tags: the path or name of a picture, and its tags, as for 'import csv'.", \
     NULL},                                                                                       \
        {"separator",                                                                             \
         0,                                                                                       \
         CLI_TEXT,                                                                                \
         CLI_IMPORT_FIELD(base, separator),                                                       \
         "TEXT",                                                                                  \
         "Separator between the tags of --csv. Default ';', or '|' or ',' if the table has no "   \
         "';' and a fifth of its cells have that.",                                               \
         NULL},                                                                                   \
        CLI_HIERARCHY_OPTION(base),                                                               \
        {"folders", 0,                                                                            \
         CLI_FLAG,  CLI_IMPORT_FIELD(base, folder_tags),                                          \
         NULL,      "Use the names of the folders below FOLDER as tags, too.",                    \
         NULL},                                                                                   \
    {                                                                                             \
        "strict", 0, CLI_FLAG, CLI_IMPORT_FIELD(base, strict), NULL,                              \
            "Stop at a picture that cannot be read. Default: report it and continue.", NULL       \
    }

/* For commands that make features of pictures. */
#define CLI_CACHE_OPTION(offset)                                                                   \
    {                                                                                              \
        "no-cache", 0, CLI_FLAG, offset, NULL,                                                     \
            "Compute the features of every picture, and cache none. Default: features are cached " \
            "in $XDG_CACHE_HOME/fast0tag, or ~/.cache/fast0tag, for all commands, and reused for " \
            "pictures that have not changed.",                                                     \
            NULL                                                                                   \
    }

/* For commands that run a network: kept in the same folder. */
#define CLI_NETWORK_CACHE_OPTION(offset)                                                       \
    {                                                                                          \
        "cache-network", 0, CLI_FLAG, offset, NULL,                                            \
            "Keep the network as it is prepared for this CPU in $XDG_CACHE_HOME/fast0tag, or " \
            "~/.cache/fast0tag, so that the next start takes milliseconds: one file for each " \
            "network, larger than its weights.",                                               \
            NULL                                                                               \
    }

/* Columns of their table. */
#define CLI_TABLE_COLUMN_OPTIONS(base)                                      \
    {"image",  0,                                                           \
     CLI_TEXT, CLI_IMPORT_FIELD(base, image_column),                        \
     "COLUMN", "Column of --csv with the path or name.",                    \
     NULL},                                                                 \
    {                                                                       \
        "tags", 0, CLI_TEXT, CLI_IMPORT_FIELD(base, tags_column), "COLUMN", \
            "Column of --csv with the tags.", NULL                          \
    }

#endif
