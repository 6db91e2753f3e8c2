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

/* ---- Classes ------------------------------------------------------------------------------ */

static void log_line(const cli_context *cli, const char *line)
{
    cli->monitor->log(cli->monitor->user, F0T_LOG_INFO, line);
}

/* Whether a file made the features: the built-in descriptor has none, and no classes. */
static bool is_network(const char *backbone)
{
    json_t *json = backbone ? json_loads(backbone, 0, NULL) : NULL;
    const bool yes = json_is_string(json_object_get(json, "file"));
    json_decref(json);
    return yes;
}

/* They are an extra that nobody asked for: a network without names of its classes is as good as ever. */
static f0t_status open_own(f0t_classes **out, const cli_context *cli, const f0t_dataset *dataset)
{
    char line[600];
    const char *backbone = f0t_dataset_backbone(dataset);
    if (!is_network(backbone))
        return F0T_OK;
    f0t_status status = f0t_classes_open(out, backbone, NULL, cli->context);
    if (status == F0T_ERROR_MEMORY || status == F0T_ERROR_INTERRUPTED)
        return status;
    if (status == F0T_OK && f0t_classes_dim(*out) == f0t_dataset_dim(dataset))
        return F0T_OK;
    if (status == F0T_OK)
        snprintf(line, sizeof line,
                 "the backbone's classes are not used: they go by %zu features, not %zu",
                 f0t_classes_dim(*out), f0t_dataset_dim(dataset));
    else
        snprintf(line, sizeof line, "the backbone's classes are not used: %s", f0t_last_error());
    log_line(cli, line);
    f0t_classes_close(*out);
    *out = NULL;
    return F0T_OK;
}

f0t_status cli_experts_classes(f0t_classes **out, cli_context *cli, const experts_options *o,
                               const f0t_train_options *to, const f0t_dataset *dataset)
{
    *out = NULL;
    if (to->method != F0T_METHOD_BLEND || to->without & (1U << F0T_EXPERT_CLASSES))
        return F0T_OK;
    return o->classes ? f0t_classes_open(out, o->classes, NULL, cli->context)
                      : open_own(out, cli, dataset);
}
