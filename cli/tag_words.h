/* The words to rank where they are not the tags of the training. */
#ifndef F0T_CLI_TAG_WORDS_H
#define F0T_CLI_TAG_WORDS_H

#include "cli.h"

/* The words of the file `path`, with vectors of the file `vectors`; those without a vector are named. `vectors` NULL:
 * `path` is a vocabulary file. */
f0t_status tag_words_open(f0t_vocab **out, cli_context *cli, const char *path, const char *vectors,
                          const f0t_model *model);

#endif
