/* Synonyms that word vectors suggest. */
#ifndef F0T_CLI_SYNONYMS_H
#define F0T_CLI_SYNONYMS_H

#include "cli.h"

/* Prints groups of the dataset's tags as a file that --synonyms reads, or as JSON. */
f0t_status cli_synonyms_suggest(cli_context *cli, const f0t_vectors *vectors, const char *dataset,
                                double least);

#endif
