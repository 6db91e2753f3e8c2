/* fast0tag features: a dataset from pictures. */
#include "cli.h"

#include "import.h"

typedef struct options {
    f0t_import_options import;
    f0t_backbone_options backbone;
    const char *output, *name, *arithmetic;
    bool no_cache, cache_network;
} options;

static const options defaults = {.name = "builtin", .arithmetic = "f32"};

static f0t_status run(cli_context *cli, const void *given)
{
    const options *o = given;
    f0t_import_options how = o->import;
    f0t_backbone_options backbone_options = o->backbone;
    f0t_import_report *report = NULL;
    if (!o->output)
        return cli_fail(cli, F0T_ERROR_ARGUMENT, "missing -o DATASET, the directory to make");
    if (cli_output_swapped(cli->operands[0], o->output))
        return cli_fail_swapped(cli, "FOLDER -o DATASET");
    backbone_options.bf16 = o->arithmetic[0] == 'b';
    backbone_options.cache = cli_cache_folder(!o->no_cache);
    backbone_options.network_cache = cli_cache_folder(o->cache_network);
    backbone_options.size = sizeof backbone_options;
    how.size = sizeof how;
    how.seed = cli->seed;
    f0t_status status = f0t_backbone_open(&how.extract, o->name, &backbone_options, cli->context);
    if (status == F0T_OK)
        status = f0t_import(&report, o->output, "photos", cli->operands, cli->operand_count, &how,
                            cli->context);
    if (status == F0T_OK)
        status = cli_import_show(cli, report);
    f0t_import_report_free(report);
    f0t_backbone_close(how.extract);
    return status;
}

#define AT(field) offsetof(options, field)

static const cli_option table[] = {
    {"output", 'o', CLI_TEXT, AT(output), "DATASET", "The directory to make.", NULL},
    {"force", 'f', CLI_FLAG, AT(import.replace), NULL,
     "Replace an existing dataset. Features of pictures that have not changed are reused.", NULL},
    {"backbone", 0, CLI_TEXT, AT(name), "WHAT",
     "What computes the features: 'builtin', or a network, FILE.onnx. Default builtin.", NULL},
    {"preset", 0, CLI_CHOICE, AT(backbone.preset), "NAME",
     "How pictures are prepared for the network. Default: as FILE.json beside it says.",
     "imagenet|caffe-vgg|mobilenet|clip"},
    {"features-output", 0, CLI_TEXT, AT(backbone.output), "NAME",
     "Which value of the network is the features. Default: what its classifier takes.", NULL},
    {"arithmetic", 0, CLI_CHOICE, AT(arithmetic), "TYPE", "Arithmetic of the network. Default f32.",
     "f32|bf16"},
    CLI_PICTURE_TAG_OPTIONS(AT(import)),
    CLI_TABLE_COLUMN_OPTIONS(AT(import)),
    CLI_SYNONYMS_OPTION(AT(import)),
    CLI_CACHE_OPTION(AT(no_cache)),
    CLI_NETWORK_CACHE_OPTION(AT(cache_network)),
    {"name", 0, CLI_TEXT, AT(import.name), "TEXT",
     "Name of the dataset. Default: the name of its directory.", NULL},
    {.name = NULL},
};

static const cli_example examples[] = {
    {"fast0tag features ~/Pictures -o pictures", "With the built-in descriptor."},
    {"fast0tag features ~/Pictures -o pictures --backbone mobilenet_v2.onnx",
     "With a network; mobilenet_v2.json beside it says how pictures are prepared."},
    {"fast0tag features ~/Pictures -o pictures -f", "Again, for pictures added since."},
    {.command = NULL},
};

const cli_verb cli_verb_features = {
    .name = "features",
    .summary = "compute features of pictures and make a dataset",
    .operands = "FOLDER|PICTURE…",
    .least = 1,
    .most = SIZE_MAX,
    .description =
        "Decodes the pictures of folders and their subfolders, and describes each by the built-in "
        "descriptor or by a network. Their keywords become the tags, as in 'fast0tag import "
        "photos'. An interrupted run leaves DATASET.part, and the same command continues from "
        "there.\n\n"
        "JPEG, PNG, WebP, TIFF, GIF, HEIC, AVIF, JPEG 2000, JPEG XL, BMP and SVG are read, and the "
        "previews in cameras' raw files. Pictures that cannot be read are reported and left out.",
    .options = table,
    .examples = examples,
    .json = true,
    .seed = true,
    .pictures = true,
    .processes = true,
    .options_size = sizeof(options),
    .defaults = &defaults,
    .run = run,
};
