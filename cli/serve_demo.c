#include "serve_demo.h"

static f0t_status path_in(cli_context *cli, char *out, size_t size, const char *folder,
                          const char *name)
{
    if (snprintf(out, size, "%s/%s", folder, name) < (int)size)
        return F0T_OK;
    return cli_fail(cli, F0T_ERROR_ARGUMENT, "--demo: the path of the folder is too long");
}

static f0t_status index_pictures(cli_context *cli, const char *path, const char *model,
                                 const char *pictures)
{
    f0t_catalogue_options how = F0T_CATALOGUE_OPTIONS;
    f0t_index_options index = F0T_INDEX_OPTIONS;
    f0t_catalogue *catalogue;
    how.mode = F0T_CATALOGUE_CREATE;
    index.model = model;
    f0t_status status = f0t_catalogue_open(&catalogue, path, &how);
    if (status == F0T_OK)
        status = f0t_catalogue_index(NULL, catalogue, &pictures, 1, &index, cli->context);
    f0t_catalogue_close(catalogue);
    return status;
}

f0t_status serve_demo_prepare(serve_demo *out, cli_context *cli, const char *folder,
                              const char *pictures)
{
    f0t_demo_options options = F0T_DEMO_OPTIONS;
    f0t_demo *demo = NULL;
    f0t_status status =
        path_in(cli, out->catalogue, sizeof out->catalogue, folder, "catalogue.f0t");
    if (status == F0T_OK)
        status = path_in(cli, out->vectors, sizeof out->vectors, folder, "words.safetensors");
    options.pictures = pictures;
    options.only_model = true;
    if (status == F0T_OK)
        status = f0t_demo_run(&demo, folder, &options, cli->context);
    if (status == F0T_OK)
        status =
            index_pictures(cli, out->catalogue, demo->model, pictures ? pictures : F0T_DEMO_FOLDER);
    f0t_demo_free(demo);
    return status;
}
