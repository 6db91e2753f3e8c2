#include "decisions.h"

#include <stdlib.h>

const char *cli_decision_name(f0t_decision decision)
{
    return decision == F0T_ACCEPTED   ? "accepted"
           : decision == F0T_REJECTED ? "rejected"
                                      : "undecided";
}

const char *cli_decider(const char *given)
{
    const char *name = given ? given : getenv("LOGNAME");
    name = name && *name ? name : getenv("USER");
    return name && *name ? name : "user";
}

json_t *cli_path_json(const char *path)
{
    json_t *name = json_string(path);
    if (name)
        return name;
    char *shown = cli_shown(path);
    name = json_string(shown);
    free(shown);
    return name;
}
