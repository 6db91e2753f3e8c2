/* fast0tag vectors: what its files share. */
#ifndef F0T_CLI_VECTORS_H
#define F0T_CLI_VECTORS_H

#include "cli.h"

/* A row of an option table, for the flag at `place`. */
#define CLI_TOLERANT_OPTION(place)                                                              \
    {                                                                                           \
        "tolerant", 0, CLI_FLAG, place, NULL,                                                   \
            "Read a file that is truncated, or has another number of rows than its first line " \
            "says, as far as possible. Default: fail.",                                         \
            NULL                                                                                \
    }

extern const cli_verb cli_verb_vectors_nearest; /* vectors_nearest.c */

#endif
