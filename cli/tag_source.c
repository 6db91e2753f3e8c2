#include "tag_source.h"

#include <string.h>

/* Rows of a matrix, and pictures, at a time at the most. */
enum { MATRIX_BLOCK = 1000, PICTURE_BLOCK = 256 };

static bool is_matrix(const char *path)
{
    size_t n = strlen(path);
    return !strcmp(path, "-") || (n > 4 && !strcmp(path + n - 4, ".npy"));
}

static f0t_status open_features(tag_source *s, cli_context *cli)
{
    const char *path = cli->operands[1];
    f0t_status status = f0t_features_open(&s->features, path, cli->monitor);
    if (status != F0T_OK)
        return status;
    s->folder = path;
    s->rows = f0t_features_rows(s->features);
    s->dim = f0t_features_dim(s->features);
    s->block = MATRIX_BLOCK;
    return F0T_OK;
}

/* The backbone that was asked for must be the model's own, where that is known. */
static f0t_status open_backbone(tag_source *s, cli_context *cli, const f0t_model *model,
                                const char *name, const f0t_backbone_options *options)
{
    const char *own = f0t_model_backbone(model);
    if (!own && !name)
        return cli_fail(cli, F0T_ERROR_ARGUMENT,
                        "%s was trained on bare features: --backbone says what makes them from "
                        "pictures",
                        cli->operands[0]);
    f0t_status status = f0t_backbone_open(&s->backbone, name ? name : own, options);
    if (status == F0T_OK && own && name)
        status = f0t_backbone_check(s->backbone, own);
    return status;
}

static f0t_status open_pictures(tag_source *s, cli_context *cli, const f0t_model *model,
                                const char *name, const f0t_backbone_options *options)
{
    f0t_status status = open_backbone(s, cli, model, name, options);
    if (status == F0T_OK)
        status = f0t_pictures_find(&s->pictures, cli->operands + 1, cli->operand_count - 1,
                                   cli->monitor);
    if (status != F0T_OK)
        return status;
    s->paths = f0t_pictures_paths(s->pictures, &s->rows);
    s->dim = f0t_backbone_dim(s->backbone);
    s->block = PICTURE_BLOCK;
    return s->rows ? F0T_OK
                   : cli_fail(cli, F0T_ERROR_NOT_FOUND, "%s: has no pictures", cli->operands[1]);
}

f0t_status tag_source_open(tag_source *s, cli_context *cli, const f0t_model *model,
                           const char *name, const f0t_backbone_options *options)
{
    *s = (tag_source){.folder = NULL};
    const bool ready = is_matrix(cli->operands[1]) || cli_is_dataset(cli->operands[1]);
    if (ready && cli->operand_count > 2)
        return cli_fail(cli, F0T_ERROR_ARGUMENT, "%s: one dataset or matrix at a time",
                        cli->operands[2]);
    if (ready && name)
        return cli_fail(cli, F0T_ERROR_ARGUMENT,
                        "--backbone is for pictures: %s has features already", cli->operands[1]);
    return ready ? open_features(s, cli) : open_pictures(s, cli, model, name, options);
}

void tag_source_close(tag_source *s)
{
    f0t_features_close(s->features);
    f0t_backbone_close(s->backbone);
    f0t_pictures_free(s->pictures);
}

f0t_status tag_source_read(const tag_source *s, size_t first, size_t count, float *rows, bool *good,
                           bool strict, const f0t_monitor *monitor)
{
    const f0t_monitor quiet = {.log = monitor->log, .user = monitor->user, .stop = monitor->stop};
    for (size_t i = 0; i < count; i++)
        good[i] = true;
    if (s->backbone)
        return f0t_backbone_run(rows, strict ? NULL : good, s->backbone, s->paths + first, count,
                                &quiet);
    return f0t_features_read(s->features, first, count, rows);
}

const char *tag_source_image(const tag_source *s, size_t m)
{
    return s->paths ? s->paths[m] : f0t_features_image(s->features, m);
}

const char *tag_source_picture(const tag_source *s, size_t m, char *room, size_t size)
{
    const char *name = tag_source_image(s, m);
    if (!name || s->paths || *name == '/')
        return name;
    snprintf(room, size, "%s/%s", s->folder, name);
    return room;
}
