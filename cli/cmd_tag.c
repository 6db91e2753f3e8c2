/* fast0tag tag: ranks words for images. */
#include "cli.h"
#include "import.h"
#include "tag_list.h"
#include "tag_source.h"
#include "tag_words.h"

#include <stdlib.h>
#include <string.h>

typedef struct options {
    const char *words, *vectors;
    f0t_tagger_options tagger;
    f0t_tag_options tag;
    size_t max;
    const char *format, *part, *arithmetic, *hierarchy, *wordnet;
    bool xmp, xmp_plain, embed, touch, dry_run, force, no_cache, cache_network;
} options;

static const options defaults = {.tagger = F0T_TAGGER_OPTIONS,
                                 .tag = F0T_TAG_OPTIONS,
                                 .format = "text",
                                 .part = "all",
                                 .arithmetic = "f32",
                                 .hierarchy = "own"};

/* A running command. */
typedef struct command {
    cli_context *cli;
    const options *options;
    const f0t_tagger *tagger;
    const f0t_model *model;
    const tag_source *source;
    f0t_tag_input input;    /* what to tag of the source */
    size_t *which;          /* images that --part wants, [input.count]; NULL: all */
    f0t_tag_options tag;    /* what the options say, with the number of tags */
    json_t *list;           /* with --json */
    f0t_sidecars *sidecars; /* with --xmp or --embed */
    size_t tagged, bare;    /* pictures, and those of them that have no tag that is sure enough */
    size_t changed, unchanged, failed;
    f0t_status status; /* of what ended it early */
} command;

/* ---- Output ------------------------------------------------------------------------------- */

static void image_name(char *to, size_t size, const command *c, size_t m)
{
    const char *name = tag_source_image(c->source, m);
    if (name)
        snprintf(to, size, "%s", name);
    else
        snprintf(to, size, "%zu", m + 1);
}

static void show(const command *c, const f0t_tag_result *result)
{
    char name[4096];
    image_name(name, sizeof name, c, result->input);
    if (c->list)
        json_array_append_new(c->list, tag_list_json(name, result));
    else
        tag_list_print(name, result, c->options->format);
}

static void say(const command *c, f0t_log_level level, const char *line)
{
    c->cli->monitor->log(c->cli->monitor->user, level, line);
}

/* ---- Sidecars ----------------------------------------------------------------------------- */

static f0t_status write_sidecar(command *c, const f0t_tag_result *result)
{
    char room[4096], line[4400];
    const char *path, *picture = tag_source_picture(c->source, result->input, room, sizeof room);
    bool changed;
    f0t_status status = f0t_tagger_write(&path, &changed, c->tagger, result, c->sidecars, picture);
    if (status == F0T_ERROR_MEMORY)
        return cli_fail(c->cli, status, "%s", f0t_last_error());
    if (status != F0T_OK) { /* this picture's own trouble */
        c->failed++;
        say(c, F0T_LOG_WARNING, f0t_last_error());
        return F0T_OK;
    }
    c->changed += changed;
    c->unchanged += !changed;
    if (changed && c->options->dry_run) {
        snprintf(line, sizeof line, "%s would change: %s", path, f0t_sidecars_change(c->sidecars));
        say(c, F0T_LOG_INFO, line);
    }
    return F0T_OK;
}

static f0t_status open_sidecars(command *c)
{
    const f0t_sidecar_options how = {.size = sizeof(f0t_sidecar_options),
                                     .plain_name = c->options->xmp_plain,
                                     .dry_run = c->options->dry_run,
                                     .embed = c->options->embed,
                                     .touch = c->options->touch,
                                     .folders = c->cli->operands + 1,
                                     .folder_count = c->cli->operand_count - 1};
    if (!c->options->xmp && !c->options->embed)
        return F0T_OK;
    if (c->source->input.count && !tag_source_image(c->source, 0))
        return cli_fail(c->cli, F0T_ERROR_ARGUMENT, "--%s needs pictures: %s does not name them",
                        c->options->xmp ? "xmp" : "embed", c->cli->operands[1]);
    return f0t_sidecars_open(&c->sidecars, &how);
}

static const char *kind(const command *c)
{
    return c->options->embed ? "picture" : "sidecar";
}

static void report_sidecars(const command *c)
{
    char line[120];
    if (!c->sidecars)
        return;
    snprintf(line, sizeof line, "%zu %s%s %s, %zu as %s", c->changed, kind(c),
             c->changed == 1 ? "" : "s", c->options->dry_run ? "would be written" : "written",
             c->unchanged, c->unchanged == 1 ? "it was" : "they were");
    say(c, F0T_LOG_INFO, line);
    if (c->bare) {
        snprintf(line, sizeof line, "%zu of %zu picture%s ha%s no tag that is sure enough", c->bare,
                 c->tagged, c->tagged == 1 ? "" : "s", c->bare == 1 ? "s" : "ve");
        say(c, F0T_LOG_INFO, line);
    }
}

/* ---- Tagging ------------------------------------------------------------------------------ */

static bool take(void *user, const f0t_tag_result *given)
{
    command *c = user;
    f0t_tag_result result = *given;
    if (result.status != F0T_OK) /* the library has logged why */
        return true;
    c->tagged++;
    c->bare += !result.count;
    if (c->which)
        result.input = c->which[result.input];
    show(c, &result);
    if (c->sidecars)
        c->status = write_sidecar(c, &result);
    return c->status == F0T_OK;
}

static f0t_status tag_all(command *c)
{
    f0t_status status = f0t_tagger_each(c->tagger, &c->input, &c->tag, take, c, c->cli->context);
    if (c->status != F0T_OK)
        return c->status;
    if (status == F0T_OK && !c->tagged && c->input.count && f0t_context_rank(c->cli->context) == 0)
        return cli_fail(c->cli, F0T_ERROR_FORMAT, "none of the pictures can be read");
    return status;
}

/* The images of which `wanted` is true. */
static f0t_status keep_wanted(command *c, const bool *wanted, size_t count)
{
    f0t_tag_input *input = &c->input;
    c->which = calloc(count + 1, sizeof *c->which);
    if (!c->which)
        return cli_fail(c->cli, F0T_ERROR_MEMORY, "no memory for --part");
    input->count = 0;
    input->which = c->which;
    for (size_t m = 0; m < count; m++)
        if (wanted[m])
            c->which[input->count++] = m;
    return F0T_OK;
}

static f0t_status find_part(command *c)
{
    const char *const part = c->options->part;
    const f0t_features *features = c->source->features;
    c->input = c->source->input;
    if (!strcmp(part, "all"))
        return F0T_OK;
    if (!features)
        return cli_fail(c->cli, F0T_ERROR_ARGUMENT, "--part is for datasets, not for pictures");
    const size_t count = f0t_features_count(features);
    bool *wanted = calloc(count + 1, sizeof *wanted);
    if (!wanted)
        return cli_fail(c->cli, F0T_ERROR_MEMORY, "no memory for --part");
    f0t_status status = f0t_model_part(wanted, c->model, features,
                                       !strcmp(part, "train") ? F0T_TRAIN
                                       : !strcmp(part, "val") ? F0T_VAL
                                                              : F0T_TEST);
    if (status == F0T_OK)
        status = keep_wanted(c, wanted, count);
    free(wanted);
    return status;
}

/* The option that chooses tags by how sure they are; NULL: none was given. */
static const char *sure_option(const cli_context *cli)
{
    static const char *const names[] = {"confidence", "precision", "recall"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (cli_given(cli, names[i]))
            return names[i];
    return NULL;
}

static bool writes(const options *o)
{
    return o->xmp || o->embed;
}

/* Tags are written, and no option says which. */
static bool writes_by_default(const cli_context *cli, const options *o)
{
    return writes(o) && !sure_option(cli) && !cli_given(cli, "top");
}

static bool chooses_by_confidence(const f0t_tag_options *tag)
{
    return tag->confidence != 0 || tag->precision != 0 || tag->recall != 0;
}

/* With as many tags per picture as there are words, every picture gets every word: that is hardly
 * meant, and it is a lot to take back. */
static f0t_status check_choice(const command *c)
{
    const size_t size = f0t_vocab_count(f0t_tagger_vocab(c->tagger)), k = c->tag.k;
    if (!writes(c->options) || c->options->force || k < size || chooses_by_confidence(&c->tag))
        return F0T_OK;
    return cli_fail(c->cli, F0T_ERROR_ARGUMENT,
                    "-k %zu of %zu word%s: each picture would get %s; take a smaller -k or more "
                    "words, or write them with --force",
                    k, size, size == 1 ? "" : "s", size == 1 ? "it" : "all of them");
}

static void report_choice(const command *c)
{
    const char *method = f0t_method_name(f0t_model_method(c->model));
    char line[160];
    if (!writes_by_default(c->cli, c->options))
        return;
    if (chooses_by_confidence(&c->tag))
        snprintf(line, sizeof line,
                 "tags of at least %.0f %%, at most %zu per picture; --confidence changes it",
                 100 * c->tag.confidence, c->tag.k);
    else
        snprintf(line, sizeof line,
                 "a model of %s does not say how sure it is: the best %zu tags of each picture, "
                 "right or wrong; -k changes it",
                 method, c->tag.k);
    say(c, F0T_LOG_INFO, line);
}

static f0t_status run_command(command *c)
{
    f0t_status status = find_part(c);
    if (status == F0T_OK)
        status = check_choice(c);
    if (status != F0T_OK)
        return status;
    c->list = c->cli->json ? json_array() : NULL;
    if (!c->list)
        tag_list_print_head(c->options->format);
    report_choice(c);
    status = open_sidecars(c);
    if (status == F0T_OK)
        status = tag_all(c);
    report_sidecars(c);
    if (status == F0T_OK && c->list)
        status = cli_print_json(c->cli, json_incref(c->list));
    if (status == F0T_OK && c->failed)
        status = cli_fail(c->cli, F0T_ERROR_IO, "%zu %s%s could not be written", c->failed, kind(c),
                          c->failed == 1 ? "" : "s");
    f0t_sidecars_close(c->sidecars);
    json_decref(c->list);
    return status;
}

/* ---- The command -------------------------------------------------------------------------- */

/* One of the pictures is a model, and the model is none. */
static bool is_swapped(const cli_context *cli)
{
    for (size_t i = 1; i < cli->operand_count; i++)
        if (cli_is_kind(cli->operands[i], "model"))
            return !cli_is_kind(cli->operands[0], "model");
    return false;
}

static f0t_status check_options(cli_context *cli, const options *o)
{
    if (f0t_context_processes(cli->context) > 1 && !strcmp(cli->operands[1], "-"))
        return cli_fail(cli, F0T_ERROR_ARGUMENT,
                        "standard input is for one process: name a file, which all can read");
    if (o->words && cli_is_kind(o->words, "vocabulary")) {
        if (o->vectors)
            return cli_fail(cli, F0T_ERROR_ARGUMENT,
                            "%s has vectors of its own: leave --vectors out", o->words);
    } else if (!o->words != !o->vectors) {
        return cli_fail(cli, F0T_ERROR_ARGUMENT,
                        "--vocab needs --vectors, and --vectors needs --vocab");
    }
    if (o->tagger.with_model_tags && !o->words)
        return cli_fail(cli, F0T_ERROR_ARGUMENT, "--with-seen needs --vocab");
    if (o->tagger.any_space && !o->words)
        return cli_fail(cli, F0T_ERROR_ARGUMENT, "--any-space needs --vocab");
    if (o->xmp_plain && !o->xmp)
        return cli_fail(cli, F0T_ERROR_ARGUMENT, "--plain-name needs --xmp");
    if (o->touch && !o->embed)
        return cli_fail(cli, F0T_ERROR_ARGUMENT, "--touch needs --embed");
    if (o->dry_run && !o->xmp && !o->embed)
        return cli_fail(cli, F0T_ERROR_ARGUMENT, "--dry-run needs --xmp or --embed");
    if (o->words && o->vectors && cli_vectors_swapped(o->words, o->vectors))
        return cli_fail_swapped(cli, "MODEL PICTURES --vocab WORDS --vectors FILE");
    return F0T_OK;
}

/* What is written without a look at each tag is what the model is sure of, where it says that. */
static bool takes_sure(const cli_context *cli, const options *o, const f0t_model *model)
{
    return writes_by_default(cli, o) && f0t_model_method(model) == F0T_METHOD_BLEND;
}

static f0t_status check_sure(cli_context *cli, const options *o, const f0t_model *model)
{
    const char *name = sure_option(cli);
    const double value = o->tag.confidence + o->tag.precision + o->tag.recall; /* one is given */
    if (!name && cli_given(cli, "max") && !takes_sure(cli, o, model))
        return cli_fail(cli, F0T_ERROR_ARGUMENT,
                        "--max needs --confidence or --precision; -k is the number of tags");
    if (name && !(value > 0 && value <= 1))
        return cli_fail(cli, F0T_ERROR_ARGUMENT, "--%s: %g is not between 0 and 1", name, value);
    if (name && f0t_model_method(model) != F0T_METHOD_BLEND)
        return cli_fail(cli, F0T_ERROR_ARGUMENT,
                        "--%s needs a model that says how sure it is, of 'train --method blend'; "
                        "this one is of %s",
                        name, f0t_method_name(f0t_model_method(model)));
    return F0T_OK;
}

/* What is sure enough has any number of tags; but nobody wants hundreds for a low threshold. */
static f0t_tag_options tag_options(const cli_context *cli, const options *o, const f0t_model *model,
                                   const f0t_vocab *vocab)
{
    enum { SURE_MOST = 100 };
    f0t_tag_options tag = o->tag;
    if (takes_sure(cli, o, model)) {
        tag.confidence = F0T_SURE_LEAST;
        tag.k = o->max ? o->max : F0T_SURE_MOST;
    } else if (sure_option(cli)) {
        tag.k = o->max                     ? o->max
                : cli_given(cli, "recall") ? f0t_vocab_count(vocab)
                                           : (size_t)SURE_MOST;
    }
    return tag;
}

static f0t_status open_hypernyms(f0t_hypernyms **out, cli_context *cli, const options *o)
{
    if (!strcmp(o->hierarchy, "wordnet"))
        return f0t_hypernyms_open(out, o->wordnet, cli->context);
    if (o->wordnet)
        return cli_fail(cli, F0T_ERROR_ARGUMENT, "--wordnet needs --hierarchy wordnet");
    return F0T_OK;
}

/* Makes the tagger, and runs it. */
static f0t_status run_tagger(cli_context *cli, const options *o, const f0t_model *model,
                             const f0t_vocab *vocab, const f0t_hypernyms *hypernyms,
                             const tag_source *source)
{
    f0t_tagger_options how = o->tagger;
    f0t_tagger *tagger = NULL;
    how.vocab = vocab;
    how.hypernyms = hypernyms;
    how.features_only = source->features != NULL;
    how.bf16 = o->arithmetic[0] == 'b';
    how.cache = cli_cache_folder(!o->no_cache);
    how.network_cache = cli_cache_folder(o->cache_network);
    f0t_status status = f0t_tagger_create(&tagger, model, &how, cli->context);
    command c = {.cli = cli, .options = o, .tagger = tagger, .model = model, .source = source};
    if (status == F0T_OK) {
        c.tag = tag_options(cli, o, model, f0t_tagger_vocab(tagger));
        status = run_command(&c);
        free(c.which);
    }
    f0t_tagger_close(tagger);
    return status;
}

static f0t_status run(cli_context *cli, const void *values)
{
    const options *o = values;
    f0t_model *model = NULL;
    f0t_vocab *vocab = NULL;
    f0t_hypernyms *hypernyms = NULL;
    tag_source source = {.folder = NULL};
    f0t_status status = check_options(cli, o);
    if (status != F0T_OK)
        return status;
    status = f0t_model_load(&model, cli->operands[0], cli->context);
    if (status != F0T_OK && is_swapped(cli))
        return cli_fail_swapped(cli, "MODEL PICTURES");
    if (status == F0T_OK)
        status = check_sure(cli, o, model);
    if (status == F0T_OK)
        status = tag_source_open(&source, cli, model, o->tagger.backbone);
    if (status == F0T_OK && o->words)
        status = tag_words_open(&vocab, cli, o->words, o->vectors, model);
    if (status == F0T_OK)
        status = open_hypernyms(&hypernyms, cli, o);
    if (status == F0T_OK)
        status = run_tagger(cli, o, model, vocab, hypernyms, &source);
    f0t_hypernyms_close(hypernyms);
    f0t_vocab_free(vocab);
    tag_source_close(&source);
    f0t_model_free(model);
    return status;
}

#define AT(field) offsetof(options, field)

static const cli_option table[] = {
    {"top", 'k', CLI_COUNT, AT(tag.k), "N",
     "Number of tags per image. Default 5 for tags that are only printed.", NULL},
    {"diverse", 0, CLI_REAL, AT(tag.diverse), "X",
     "What a tag loses that repeats a word of one before it, or is nearly a synonym: X times the "
     "distance between the first and the 20th score. 0 ranks by the score alone, 1 hardly repeats "
     "a "
     "word. Default 0.07.",
     NULL},
    {"confidence", 0, CLI_REAL, AT(tag.confidence), "P",
     "Only tags that a person would keep with this probability or more: any number per image, also "
     "none. Default 0.6 for tags that are written, at most 5 per image.",
     NULL},
    {"precision", 0, CLI_REAL, AT(tag.precision), "P",
     "Only tags so sure that of the images which get any, at least this share of their tags is "
     "right, in the mean. A promise, tested on images held out from the training, that fails in "
     "one of ten "
     "cases at most; refused where these are too few.",
     NULL},
    {"recall", 0, CLI_REAL, AT(tag.recall), "P",
     "As few tags as give images at least this share of the right ones, in the mean. A promise "
     "like "
     "that.",
     NULL},
    {"max", 0, CLI_COUNT, AT(max), "N",
     "The most tags per image, with a confidence or precision. Default 100, without these options "
     "5.",
     NULL},
    {"vocab", 0, CLI_TEXT, AT(words), "FILE",
     "Words to rank, one per line, seen in training or not; or a file of 'fast0tag vectors "
     "prepare', which needs no --vectors. Default: the tags of the training.",
     NULL},
    {"vectors", 0, CLI_TEXT, AT(vectors), "FILE",
     "Vectors of the words: the file that the model was trained with, or one made from it.", NULL},
    {"with-seen", 0, CLI_FLAG, AT(tagger.with_model_tags), NULL,
     "Rank the tags of the training together with the words.", NULL},
    {"hierarchy", 0, CLI_CHOICE, AT(hierarchy), "WHOSE",
     "wordnet adds general words after the tags (animal after dog), each as sure as the surest tag "
     "below it, and writes tags that the collection has in no hierarchy below them. Default own: "
     "tags alone, written where the collection's own hierarchy has them.",
     "own|wordnet"},
    {"wordnet", 0, CLI_TEXT, AT(wordnet), "FOLDER",
     "WordNet's database files, for --hierarchy. Default " F0T_WORDNET_FOLDER ".", NULL},
    {"any-space", 0, CLI_FLAG, AT(tagger.any_space), NULL,
     "Accept vectors that are not from the file of the training. The ranking may be meaningless.",
     NULL},
    {"backbone", 0, CLI_TEXT, AT(tagger.backbone), "WHAT",
     "What computes the features of pictures: 'builtin', or FILE.onnx. Default: that of the model.",
     NULL},
    {"preset", 0, CLI_CHOICE, AT(tagger.preset), "NAME",
     "How pictures are prepared for a --backbone. Default: as FILE.json beside it says.",
     "imagenet|caffe-vgg|mobilenet|clip"},
    {"arithmetic", 0, CLI_CHOICE, AT(arithmetic), "TYPE", "Arithmetic of a network. Default f32.",
     "f32|bf16"},
    {"xmp", 0, CLI_FLAG, AT(xmp), NULL,
     "Write the tags as keywords into XMP sidecars, NAME.jpg.xmp. What others wrote there stays; "
     "ours are replaced.",
     NULL},
    {"plain-name", 0, CLI_FLAG, AT(xmp_plain), NULL,
     "Name new sidecars NAME.xmp. Pictures that would share one are reported and left out.", NULL},
    {"embed", 0, CLI_FLAG, AT(embed), NULL,
     "Write the tags into the pictures themselves, JPEG and PNG, as --xmp does into sidecars. "
     "Everything else in them stays unchanged.",
     NULL},
    {"touch", 0, CLI_FLAG, AT(touch), NULL,
     "With --embed: set the modification time of changed pictures to now. Default: keep it.", NULL},
    {"force", 0, CLI_FLAG, AT(force), NULL,
     "Write even if every picture gets every word, that is, -k is not below their number.", NULL},
    {"dry-run", 0, CLI_FLAG, AT(dry_run), NULL, "Only print which files would change.", NULL},
    {"strict", 0, CLI_FLAG, AT(tag.strict), NULL,
     "Stop at a picture that cannot be read. Default: report it and continue.", NULL},
    CLI_CACHE_OPTION(AT(no_cache)),
    CLI_NETWORK_CACHE_OPTION(AT(cache_network)),
    {"part", 0, CLI_CHOICE, AT(part), "WHICH",
     "Images of a dataset to tag: those that its split.txt says, or that the training drew (train "
     "--test). Default all.",
     "all|train|val|test"},
    {"format", 0, CLI_CHOICE, AT(format), "FORM",
     "text: one line per image; csv and tsv: one line per image and tag, with its score and "
     "confidence. Default "
     "text.",
     "text|csv|tsv"},
    {.name = NULL},
};

static const cli_conflict conflicts[] = {{"json", "format"},          {"xmp", "embed"},
                                         {"confidence", "precision"}, {"confidence", "recall"},
                                         {"precision", "recall"},     {"top", "confidence"},
                                         {"top", "precision"},        {"top", "recall"},
                                         {"max", "recall"},           {.one = NULL}};

static const cli_example examples[] = {
    {"fast0tag tag photos.f0t ~/Pictures/new --xmp",
     "Tags pictures, and writes the tags that are sure into sidecars beside them."},
    {"fast0tag tag photos.f0t flickr8k --part test", "The five best tags of each test image."},
    {"fast0tag tag photos.f0t features.npy --vocab words.txt --vectors glove.txt -k 10 --format "
     "csv",
     "Ten of any words, with scores, as CSV."},
    {"fast0tag tag photos.f0t ~/Pictures/new --confidence 0.6 --max 10",
     "Up to ten tags per picture, each more likely kept than not."},
    {"fast0tag tag photos.f0t ~/Pictures/new --precision 0.8 --xmp",
     "Writes only what is right in four of five cases."},
    {"cat features.npy | fast0tag tag photos.f0t - --json", "From standard input, as JSON."},
    {.command = NULL},
};

const cli_verb cli_verb_tag = {
    .name = "tag",
    .summary = "tag pictures, or rank words for features",
    .operands = "MODEL PICTURE|FOLDER…|DATASET|FEATURES.npy|-",
    .least = 2,
    .most = SIZE_MAX,
    .description = "Ranks the tags of the training, or any words that have vectors, for each "
                   "picture, each image of a dataset or each row of a matrix of features. Pictures "
                   "that cannot be read are reported and left out.",
    .options = table,
    .conflicts = conflicts,
    .examples = examples,
    .json = true,
    .device = true,
    .processes = true,
    .pictures = true,
    .options_size = sizeof(options),
    .defaults = &defaults,
    .run = run,
};
