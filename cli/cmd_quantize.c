/* fast0tag quantize: a network in eight bits. */
#include "cli.h"

#include <inttypes.h>

typedef struct options {
    const char *output, *pictures, *calibration;
    f0t_quantize_options how;
} options;

static const options defaults = {.calibration = "percentile", .how = F0T_QUANTIZE_OPTIONS};

static f0t_status show(cli_context *cli, const f0t_quantize_report *r, const char *output)
{
    if (cli->json)
        return cli_print_json(
            cli,
            json_pack("{s:s, s:I, s:I, s:I, s:f, s:f, s:I, s:I}", "file", output, "layers",
                      (json_int_t)r->layers, "float_layers", (json_int_t)r->kept, "pictures",
                      (json_int_t)r->pictures, "cosine", r->cosine, "cosine_least", r->cosine_least,
                      "bytes_before", (json_int_t)r->bytes_before, "bytes", (json_int_t)r->bytes));
    printf("%s: %zu of %zu layers in eight bits, %.1f MB (%.1f MB before)\n"
           "features of %zu pictures, cosine to those of floats: mean %.5f, least %.5f\n",
           output, r->layers - r->kept, r->layers, (double)r->bytes / 1e6,
           (double)r->bytes_before / 1e6, r->pictures, r->cosine, r->cosine_least);
    return F0T_OK;
}

static f0t_status run(cli_context *cli, const void *given)
{
    const options *o = given;
    f0t_quantize_options how = o->how;
    f0t_quantize_report report;
    f0t_pictures *pictures = NULL;
    if (!o->output)
        return cli_fail(cli, F0T_ERROR_ARGUMENT, "missing -o FILE.onnx, the network to make");
    if (!o->pictures)
        return cli_fail(cli, F0T_ERROR_ARGUMENT,
                        "missing --pictures FOLDER, by which the ranges of numbers are found");
    how.size = sizeof how;
    how.entropy = o->calibration[0] == 'e';
    f0t_status status = f0t_pictures_find(&pictures, &o->pictures, 1, cli->context);
    if (status == F0T_OK) {
        size_t count;
        const char *const *paths = f0t_pictures_paths(&count, pictures);
        status = f0t_network_quantize(&report, o->output, cli->operands[0], paths, count, &how,
                                      cli->context);
    }
    f0t_pictures_free(pictures);
    return status == F0T_OK ? show(cli, &report, o->output) : status;
}

#define AT(field) offsetof(options, field)

static const cli_option table[] = {
    {"output", 'o', CLI_TEXT, AT(output), "FILE.onnx", "The network to make.", NULL},
    {"pictures", 0, CLI_TEXT, AT(pictures), "FOLDER",
     "Pictures of the kind that the network is for: by what occurs in them the ranges of numbers "
     "are found.",
     NULL},
    {"count", 0, CLI_COUNT, AT(how.pictures), "N",
     "At most so many of them, taken evenly. Default 64.", NULL},
    {"calibration", 0, CLI_CHOICE, AT(calibration), "HOW",
     "Ranges that leave out a few numbers, or that lose the least information. Default "
     "percentile.",
     "percentile|entropy"},
    {"percentile", 0, CLI_REAL, AT(how.percentile), "P",
     "How many of a hundred numbers a range has in it. Default 99.999.", NULL},
    {"cosine", 0, CLI_REAL, AT(how.cosine), "X",
     "Layers that lose most stay in floats until the features have, on average, this cosine to "
     "those of floats. Default 0.99.",
     NULL},
    {"narrow-weights", 0, CLI_FLAG, AT(how.narrow), NULL,
     "Weights of seven bits, a little less exact: with eight, other engines give wrong numbers on "
     "CPUs without VNNI instructions, since they add products in 16 bits there.",
     NULL},
    {"preset", 0, CLI_CHOICE, AT(how.preset), "NAME",
     "How pictures are prepared for the network. Default: as NETWORK.json beside it says.",
     "imagenet|caffe-vgg|mobilenet|clip"},
    {"features-output", 0, CLI_TEXT, AT(how.output), "NAME",
     "Which value of the network is the features. Default: what its classifier takes.", NULL},
    {.name = NULL},
};

static const cli_example examples[] = {
    {"fast0tag quantize mobilenet_v2.onnx --pictures ~/Pictures -o mobilenet_v2.int8.onnx",
     "The network in eight bits."},
    {"fast0tag quantize vgg19.onnx --preset caffe-vgg --pictures ~/Pictures -o vgg19.int8.onnx "
     "--cosine 0.995",
     "With more of its layers in floats, where that is needed."},
    {.command = NULL},
};

const cli_verb cli_verb_quantize = {
    .name = "quantize",
    .summary = "make a network of eight bits, smaller and faster",
    .operands = "NETWORK.onnx",
    .least = 1,
    .most = 1,
    .description =
        "Makes an ONNX file whose convolutions and dense layers are done in eight bits: down "
        "to a quarter of the size, and faster where the CPU has VNNI instructions. Ranges of "
        "numbers are found "
        "by running pictures, weights have a scale for each filter, and layers that lose too much "
        "stay in floats. Other programs that run ONNX files run it, too.\n\n"
        "Features of the two networks are nearly the same, but they are two backbones: a model "
        "trained with one is refused with the other.",
    .options = table,
    .examples = examples,
    .json = true,
    .options_size = sizeof(options),
    .defaults = &defaults,
    .run = run,
};
