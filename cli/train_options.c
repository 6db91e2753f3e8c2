#include "train_options.h"

#include "import.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

const train_settings cli_train_defaults = {.method = "blend",
                                           .loss = "ranknet",
                                           .pairs = "image",
                                           .target = "loss",
                                           .tags = "seen",
                                           .condition = "auto",
                                           .optimizer = "adam",
                                           .schedule = "cosine",
                                           .arithmetic = "f32",
                                           .hinge = "squared",
                                           .raw_tags = {.plurals = "rare", .file_words = "rare"},
                                           .batch = F0T_AUTO_COUNT,
                                           .epochs = F0T_AUTO_COUNT,
                                           .patience = F0T_AUTO_COUNT,
                                           .rate = F0T_AUTO,
                                           .hidden_rate = F0T_AUTO,
                                           .decay = F0T_AUTO,
                                           .init = F0T_AUTO,
                                           .input_dropout = F0T_AUTO,
                                           .dropout = F0T_AUTO,
                                           .lambda = F0T_AUTO,
                                           .ridge = F0T_AUTO};

/* ---- What the library wants ---------------------------------------------------- */

static f0t_status parse_hidden(cli_context *cli, f0t_train_options *to, const char *text)
{
    to->hidden_count = 0;
    while (*text) {
        char *end;
        errno = 0;
        unsigned long long units = strtoull(text, &end, 10);
        if (end == text || errno || (*end && *end != ',') || *text == '-')
            return cli_fail(cli, F0T_ERROR_ARGUMENT,
                            "--hidden: '%s' is not a list such as 2560,640", text);
        if (to->hidden_count == F0T_HIDDEN_MAX)
            return cli_fail(cli, F0T_ERROR_ARGUMENT, "--hidden: at most %d layers", F0T_HIDDEN_MAX);
        to->hidden[to->hidden_count++] = (size_t)units;
        text = *end ? end + 1 : end;
    }
    return F0T_OK;
}

static f0t_condition_kind condition_of(const char *name)
{
    return !strcmp(name, "unit")       ? F0T_CONDITION_UNIT
           : !strcmp(name, "scale")    ? F0T_CONDITION_SCALE
           : !strcmp(name, "standard") ? F0T_CONDITION_STANDARD
                                       : F0T_CONDITION_AUTO;
}

/* The first method that uses the option. */
static const char *method_with(const f0t_train_options *to, const char *option)
{
    f0t_train_options other = *to;
    const char *name;
    for (int m = 0; (name = f0t_method_name((f0t_method)m)); m++) {
        other.method = (f0t_method)m;
        if (f0t_train_options_check_use(&other, option) == F0T_OK)
            return name;
    }
    return NULL;
}

/* Who did not choose a method is told which to choose. */
static f0t_status check_use(cli_context *cli, const f0t_train_options *to, const char *option)
{
    char why[300];
    f0t_status status = f0t_train_options_check_use(to, option);
    if (status == F0T_OK || cli_given(cli, "method"))
        return status;
    snprintf(why, sizeof why, "%s", f0t_last_error());
    const char *method = method_with(to, option);
    return cli_fail(cli, status, "%s%s%s", why, method ? "; add --method " : "",
                    method ? method : "");
}

/* Also what was given as its default: an option that the method does not use is a mistake. */
static f0t_status check(cli_context *cli, const f0t_train_options *to, const train_settings *o)
{
    for (size_t i = 0; i < cli->given_count; i++) {
        f0t_status status = check_use(cli, to, cli->given[i]->name);
        if (status != F0T_OK)
            return status;
    }
    if (o->experts.classes && to->without & (1U << F0T_EXPERT_CLASSES))
        return cli_fail(cli, F0T_ERROR_ARGUMENT, "--classes and --without classes contradict");
    if (cli_given(cli, "tune") && !(o->tune > 0))
        return cli_fail(cli, F0T_ERROR_ARGUMENT, "--tune: '%g' seconds; it must be above 0",
                        o->tune);
    return f0t_train_options_check(to);
}

f0t_status cli_train_convert(cli_context *cli, f0t_train_options *to, const train_settings *o)
{
    *to = (f0t_train_options)F0T_TRAIN_OPTIONS;
    f0t_status status = f0t_method_find(&to->method, o->method);
    if (status == F0T_OK)
        status = f0t_loss_find(&to->loss, o->loss);
    if (status == F0T_OK && o->hidden)
        status = parse_hidden(cli, to, o->hidden);
    if (status == F0T_OK)
        status = cli_experts_without(&to->without, cli, &o->experts);
    to->seed = cli->seed;
    to->all_tags = !strcmp(o->tags, "all");
    to->centred = !o->keep_mean;
    to->pairs = !strcmp(o->pairs, "batch") ? F0T_PAIRS_BATCH : F0T_PAIRS_IMAGE;
    to->to_ranksvm = !strcmp(o->target, "ranksvm");
    to->condition = condition_of(o->condition);
    to->optimizer = !strcmp(o->optimizer, "sgd") ? F0T_OPTIMIZER_SGD : F0T_OPTIMIZER_ADAM;
    to->constant_rate = !strcmp(o->schedule, "constant");
    to->bf16 = !strcmp(o->arithmetic, "bf16");
    to->hinge = !strcmp(o->hinge, "plain") ? F0T_HINGE_PLAIN : F0T_HINGE_SQUARED;
    to->batch = o->batch;
    to->epochs = o->epochs;
    to->patience = o->patience;
    to->rate = o->rate;
    to->hidden_rate = o->hidden_rate;
    to->decay = o->decay;
    to->init = o->init;
    to->input_dropout = o->input_dropout;
    to->hidden_dropout = o->dropout;
    to->lambda = o->lambda;
    to->ridge = o->ridge;
    to->resume = o->resume;
    return status == F0T_OK ? check(cli, to, o) : status;
}

/* ---- The table ----------------------------------------------------------------------------- */

#define AT(field) offsetof(train_settings, field)

const cli_option cli_train_table[] = {
    {"vectors", 0, CLI_TEXT, AT(vectors), "FILE", "Word vectors of the tags, in any form.", NULL},
    {"output", 'o', CLI_TEXT, AT(output), "MODEL", "The model file to write.", NULL},
    {"catalogue", 'c', CLI_TEXT, AT(catalogue), "FILE",
     "Learn from a catalogue instead: its pictures' keywords and what was accepted and rejected. "
     "Its suggestions are then the new model's.",
     NULL},
    {"refit", 0, CLI_FLAG, AT(refit), NULL,
     "Go on with the catalogue's model after some corrections, in seconds. Default of -c is then "
     "the user's own catalogue, of -o the model itself, and vectors are those of the last "
     "training.",
     NULL},
    {"undo", 0, CLI_FLAG, AT(undo), NULL,
     "Bring back the model that the catalogue had before the last training or refit, and its "
     "suggestions. Default of -c as for --refit.",
     NULL},
    {"method", 0, CLI_CHOICE, AT(method), "NAME",
     "What is learned: a blend of experts, weighted by what each is worth on images held out, or "
     "one "
     "direction per image alone, by a network or a linear map. Default blend.",
     "blend|net|linear|linear-rank"},
    {"without", 0, CLI_TEXT, AT(experts.without), "EXPERTS",
     "Experts of the blend to switch off, separated by commas: direction, tags, votes, ridge, "
     "frequency, classes, prior.",
     NULL},
    {"classes", 0, CLI_TEXT, AT(experts.classes), "FILE.onnx",
     "The network that made the features, whose classes the blend asks about new words. Default: "
     "the "
     "one that the dataset names, if its classes have names.",
     NULL},
    {"labels", 0, CLI_TEXT, AT(labels), "FILE",
     "The tags of the rows of FEATURES.npy: one line per image, separated by tabs.", NULL},
    {"backbone", 0, CLI_TEXT, AT(backbone), "WHAT",
     "What computes the features of a folder's pictures: 'builtin', or FILE.onnx. Default builtin.",
     NULL},
    {"preset", 0, CLI_CHOICE, AT(extract.preset), "NAME",
     "How pictures are prepared for the network. Default: as FILE.json beside it says.",
     "imagenet|caffe-vgg|mobilenet|clip"},
    CLI_PICTURE_TAG_OPTIONS(AT(import)),
    CLI_CACHE_OPTION(AT(no_cache)),
    CLI_RAW_TAGS_OPTIONS(AT(raw_tags)),
    {"test", 0, CLI_REAL, AT(test), "SHARE",
     "Share of the images to leave for testing, drawn by seed, where the dataset has no split.txt. "
     "Default 0: all are learned from, a tenth of them to decide when to stop.",
     NULL},
    {"tags", 0, CLI_CHOICE, AT(tags), "WHICH",
     "Tags to train with: the dataset's seen ones (all, where it does not say), or all. Default "
     "seen.",
     "seen|all"},
    {"keep-mean", 0, CLI_FLAG, AT(keep_mean), NULL,
     "Do not subtract the mean of the vector file from the tag vectors.", NULL},
    {"loss", 0, CLI_CHOICE, AT(loss), "NAME", "Loss of net and linear-rank. Default ranknet.",
     "ranknet|ranknet-unweighted|hinge|squared-hinge|crammer-singer|max-out|listmle|logistic"},
    {"pairs", 0, CLI_CHOICE, AT(pairs), "WHICH",
     "Pairs of tags within each image, or across a mini-batch. Default image.", "image|batch"},
    {"target", 0, CLI_CHOICE, AT(target), "WHAT",
     "Train by the loss, or regress onto the directions of ranking SVMs. Default loss.",
     "loss|ranksvm"},
    {"hidden", 0, CLI_TEXT, AT(hidden), "UNITS",
     "Units of the hidden layers of net, such as 2560,640. Default twice and half the number of "
     "features, at least as many as the word vectors have dimensions.",
     NULL},
    {"condition", 0, CLI_CHOICE, AT(condition), "HOW",
     "How features are conditioned after they are normalised to length 1. Default auto: unit "
     "(nothing) for linear, else scale (the length becomes the square root of their number).",
     "auto|unit|scale|standard"},
    {"batch", 0, CLI_COUNT, AT(batch), "N",
     "Images per mini-batch. Default 1000, or fewer so that an epoch has 24 batches.", NULL},
    {"epochs", 0, CLI_COUNT, AT(epochs), "N",
     "Maximum number of epochs, of each network. Default: about 1500 steps, at least 10 epochs.",
     NULL},
    {"patience", 0, CLI_COUNT, AT(patience), "N",
     "Stop after N epochs without a better validation MiAP. Default a quarter of all.", NULL},
    {"optimizer", 0, CLI_CHOICE, AT(optimizer), "NAME", "Optimizer. Default adam.", "adam|sgd"},
    {"rate", 0, CLI_REAL, AT(rate), "X",
     "Learning rate. Default 0.001 for net and 0.0005 for linear-rank with adam, 0.1 with sgd.",
     NULL},
    {"hidden-rate", 0, CLI_REAL, AT(hidden_rate), "SHARE",
     "Learning rate of the hidden layers of net, as a share of --rate; 0 leaves them random. "
     "Default "
     "1; 0 for the losses crammer-singer and max-out.",
     NULL},
    {"init", 0, CLI_REAL, AT(init), "X",
     "First scale of the output layer: directions begin with about X times the length that the "
     "hidden units have. Default 0.1.",
     NULL},
    {"schedule", 0, CLI_CHOICE, AT(schedule), "HOW", "How the rate decays. Default cosine.",
     "cosine|constant"},
    {"decay", 0, CLI_REAL, AT(decay), "X", "Weight decay. Default 3 with adam, 0.0001 with sgd.",
     NULL},
    {"dropout", 0, CLI_REAL, AT(dropout), "SHARE", "Dropout of hidden units. Default 0.3.", NULL},
    {"input-dropout", 0, CLI_REAL, AT(input_dropout), "SHARE",
     "Dropout of features. Default 0.3 for net, 0.2 for linear-rank.", NULL},
    {"arithmetic", 0, CLI_CHOICE, AT(arithmetic), "TYPE",
     "Arithmetic of the matrix products; weights are always float32. Default f32.", "f32|bf16"},
    {"hinge", 0, CLI_CHOICE, AT(hinge), "KIND", "Loss of the ranking SVMs. Default squared.",
     "plain|squared"},
    {"lambda", 0, CLI_REAL, AT(lambda), "X",
     "Regularisation of the ranking SVMs. Default: the best of a grid on the validation part (of "
     "1000 training images, where images x tags are over 10 million).",
     NULL},
    {"ridge", 0, CLI_REAL, AT(ridge), "X",
     "Regularisation of the linear map. Default: the best of a grid on the validation part.", NULL},
    {"tune", 0, CLI_REAL, AT(tune), "SECONDS",
     "First search for this long for the rate, decay, dropout and conditioning (lambda and ridge "
     "of linear) that are not given: on the validation images, with a fifth of the tags held out. "
     "Not for blend, which weighs its experts anyway.",
     NULL},
    {"resume", 0, CLI_FLAG, AT(resume), NULL,
     "Resume an interrupted run from MODEL.checkpoint, and its search from MODEL.trials.", NULL},
    {"log", 0, CLI_TEXT, AT(log), "FILE", "Write one line of JSON per epoch. Not for blend.", NULL},
    {.name = NULL},
};
