/* What the verbs that decide about tags share. */
#ifndef F0T_CLI_DECISIONS_H
#define F0T_CLI_DECISIONS_H

#include "cli.h"

/* "accepted", "rejected", "undecided". */
const char *cli_decision_name(f0t_decision decision);

/* Who decides: `given`, else the name that the user logged in with. */
const char *cli_decider(const char *given);

#define CLI_BY_OPTION(offset)                                                               \
    {                                                                                       \
        "by", 0, CLI_TEXT, offset, "NAME",                                                  \
            "Who decides, as the catalogue notes it. Default: the user's login name.", NULL \
    }

/* A picture's path as JSON, which is UTF-8: other bytes are escaped. */
json_t *cli_path_json(const char *path);

#endif
