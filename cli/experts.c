#include "experts.h"

#include <string.h>

static f0t_status find_expert(f0t_expert *out, cli_context *cli, const char *name, size_t length)
{
    char copy[32] = "";
    snprintf(copy, sizeof copy, "%.*s", length < sizeof copy ? (int)length : (int)sizeof copy - 1,
             name);
    f0t_status status = f0t_expert_find(out, copy);
    return status == F0T_OK ? F0T_OK
                            : cli_fail(cli, F0T_ERROR_ARGUMENT, "--without: %s", f0t_last_error());
}

f0t_status cli_experts_without(unsigned *out, cli_context *cli, const experts_options *o)
{
    const char *at = o->without;
    *out = 0;
    while (at) {
        const size_t length = strcspn(at, ",");
        f0t_expert expert;
        f0t_status status = find_expert(&expert, cli, at, length);
        if (status != F0T_OK)
            return status;
        *out |= 1U << expert;
        at = at[length] ? at + length + 1 : NULL;
    }
    return F0T_OK;
}
