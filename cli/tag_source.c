#include "tag_source.h"

#include <string.h>

static bool is_matrix(const char *path)
{
    size_t n = strlen(path);
    return !strcmp(path, "-") || (n > 4 && !strcmp(path + n - 4, ".npy"));
}

static f0t_status open_features(tag_source *s, cli_context *cli, const f0t_model *model)
{
    const char *path = cli->operands[1];
    f0t_status status = f0t_features_open(&s->features, path, cli->context);
    if (status != F0T_OK)
        return status;
    s->folder = path;
    s->input.count = f0t_features_count(s->features);
    s->input.rows = s->features;
    if (f0t_features_dim(s->features) == f0t_model_input_dim(model))
        return F0T_OK;
    return cli_fail(cli, F0T_ERROR_MISMATCH, "%s has %zu features per image, the model takes %zu",
                    path, f0t_features_dim(s->features), f0t_model_input_dim(model));
}

static f0t_status open_pictures(tag_source *s, cli_context *cli, const f0t_model *model,
                                const char *backbone)
{
    if (!f0t_model_backbone(model) && !backbone)
        return cli_fail(cli, F0T_ERROR_ARGUMENT,
                        "%s was trained on bare features: --backbone says what makes them from "
                        "pictures",
                        cli->operands[0]);
    f0t_status status =
        f0t_pictures_find(&s->pictures, cli->operands + 1, cli->operand_count - 1, cli->context);
    if (status != F0T_OK)
        return status;
    s->input.paths = f0t_pictures_paths(&s->input.count, s->pictures);
    return s->input.count
               ? F0T_OK
               : cli_fail(cli, F0T_ERROR_NOT_FOUND, "%s: has no pictures", cli->operands[1]);
}

f0t_status tag_source_open(tag_source *s, cli_context *cli, const f0t_model *model,
                           const char *backbone)
{
    *s = (tag_source){.input = F0T_TAG_INPUT};
    const bool ready = is_matrix(cli->operands[1]) || cli_is_dataset(cli->operands[1]);
    if (ready && cli->operand_count > 2)
        return cli_fail(cli, F0T_ERROR_ARGUMENT, "%s: one dataset or matrix at a time",
                        cli->operands[2]);
    if (ready && backbone)
        return cli_fail(cli, F0T_ERROR_ARGUMENT,
                        "--backbone is for pictures: %s has features already", cli->operands[1]);
    return ready ? open_features(s, cli, model) : open_pictures(s, cli, model, backbone);
}

void tag_source_close(tag_source *s)
{
    f0t_features_close(s->features);
    f0t_pictures_free(s->pictures);
}

const char *tag_source_image(const tag_source *s, size_t m)
{
    return s->input.paths ? s->input.paths[m] : f0t_features_image(s->features, m);
}

const char *tag_source_picture(const tag_source *s, size_t m, char *room, size_t size)
{
    const char *name = tag_source_image(s, m);
    if (!name || s->input.paths || *name == '/')
        return name;
    snprintf(room, size, "%s/%s", s->folder, name);
    return room;
}
