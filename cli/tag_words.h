/* The words to rank where they are not the tags of the training. */
#ifndef F0T_CLI_TAG_WORDS_H
#define F0T_CLI_TAG_WORDS_H

#include "cli.h"

typedef struct tag_words {
    const char *path, *vectors;
    bool with_seen; /* together with the tags of the training */
    bool any_space; /* of whatever vectors, if only the dimensions agree */
} tag_words;

/* Words without a vector are named. */
f0t_status tag_words_open(f0t_vocab **out, cli_context *cli, const tag_words *words,
                          const f0t_model *model);

#endif
