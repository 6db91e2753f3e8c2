/* fast0tag tag: ranks words for images. */
#include "cli.h"
#include "import.h"
#include "tag_list.h"
#include "tag_source.h"
#include "tag_words.h"

#include <stdlib.h>
#include <string.h>

typedef struct options {
    tag_words words;
    const char *format, *part, *backbone, *precision;
    f0t_backbone_options extract;
    size_t k;
    bool xmp, xmp_plain, embed, touch, dry_run, force, strict, no_cache;
} options;

static const options defaults = {.format = "text", .part = "all", .precision = "f32", .k = 5};

/* A running tagging. */
typedef struct tagger {
    cli_context *cli;
    const options *options;
    const f0t_model *model;
    const f0t_vocab *vocab;
    const tag_source *source;
    size_t kept;            /* tags an image */
    float *rows;            /* [block x D] */
    bool *good;             /* [block] */
    float *directions;      /* [block x d] */
    uint32_t *index;        /* [block x kept] */
    float *score;           /* [block x kept] */
    json_t *list;           /* with --json */
    f0t_sidecars *sidecars; /* with --xmp */
    size_t tagged;
    size_t changed, unchanged, failed;
} tagger;

/* ---- Output ------------------------------------------------------------------------------- */

static void image_name(char *to, size_t size, const tagger *t, size_t m)
{
    const char *name = tag_source_image(t->source, m);
    if (name)
        snprintf(to, size, "%s", name);
    else
        snprintf(to, size, "%zu", m + 1);
}

static void show(const tagger *t, size_t m, const uint32_t *index, const float *score)
{
    char name[4096];
    const tag_list list = {name, t->vocab, index, score, t->kept};
    image_name(name, sizeof name, t, m);
    if (t->list)
        json_array_append_new(t->list, tag_list_json(&list));
    else
        tag_list_print(&list, t->options->format);
}

/* ---- Sidecars ----------------------------------------------------------------------------- */

static f0t_status write_sidecar(tagger *t, size_t m, const uint32_t *index)
{
    char room[4096], line[4400];
    const char **tags = cli_alloc(t->kept * sizeof *tags), *path;
    const char *picture = tag_source_picture(t->source, m, room, sizeof room);
    bool changed;
    for (size_t i = 0; i < t->kept; i++) {
        const char *tag = f0t_vocab_tag(t->vocab, index[i]), *in = f0t_model_path(t->model, tag);
        tags[i] = in ? in : tag;
    }
    f0t_status status = f0t_sidecars_write(t->sidecars, &path, &changed, picture, tags, t->kept);
    free(tags);
    if (status == F0T_ERROR_MEMORY)
        return status;
    if (status != F0T_OK) { /* this picture's own trouble */
        t->failed++;
        t->cli->monitor->log(t->cli->monitor->user, F0T_LOG_WARNING, f0t_last_error());
        return F0T_OK;
    }
    t->changed += changed;
    t->unchanged += !changed;
    if (changed && t->options->dry_run) {
        snprintf(line, sizeof line, "%s would change: %s", path, f0t_sidecars_change(t->sidecars));
        t->cli->monitor->log(t->cli->monitor->user, F0T_LOG_INFO, line);
    }
    return F0T_OK;
}

static f0t_status open_sidecars(tagger *t)
{
    const f0t_sidecar_options how = {.plain_name = t->options->xmp_plain,
                                     .dry_run = t->options->dry_run,
                                     .embed = t->options->embed,
                                     .touch = t->options->touch,
                                     .folders = t->cli->operands + 1,
                                     .folder_count = t->cli->operand_count - 1};
    if (!t->options->xmp && !t->options->embed)
        return F0T_OK;
    if (t->source->rows && !tag_source_image(t->source, 0))
        return cli_fail(t->cli, F0T_ERROR_ARGUMENT, "--%s needs pictures: %s does not name them",
                        t->options->xmp ? "xmp" : "embed", t->cli->operands[1]);
    return f0t_sidecars_open(&t->sidecars, &how);
}

static const char *kind(const tagger *t)
{
    return t->options->embed ? "picture" : "sidecar";
}

static void report_sidecars(const tagger *t)
{
    char line[120];
    if (!t->sidecars)
        return;
    snprintf(line, sizeof line, "%zu %s%s %s, %zu as %s", t->changed, kind(t),
             t->changed == 1 ? "" : "s", t->options->dry_run ? "would be written" : "written",
             t->unchanged, t->unchanged == 1 ? "it was" : "they were");
    t->cli->monitor->log(t->cli->monitor->user, F0T_LOG_INFO, line);
}

/* ---- Ranking ------------------------------------------------------------------------------ */

static bool is_wanted(const tagger *t, size_t m)
{
    static const char *const parts[] = {"train", "val", "test"};
    const uint8_t *split = t->source->features ? f0t_features_split(t->source->features) : NULL;
    return !strcmp(t->options->part, "all") ||
           (split && !strcmp(t->options->part, parts[split[m]]));
}

static f0t_status tag_block(tagger *t, size_t first, size_t rows)
{
    f0t_status status = tag_source_read(t->source, first, rows, t->rows, t->good,
                                        t->options->strict, t->cli->monitor);
    if (status == F0T_OK)
        status = f0t_model_directions(t->directions, t->model, t->rows, rows);
    if (status == F0T_OK)
        status = f0t_vocab_rank(t->index, t->score, t->options->k, t->vocab, t->directions, rows);
    for (size_t r = 0; r < rows && status == F0T_OK; r++) {
        t->tagged += t->good[r];
        if (!t->good[r] || !is_wanted(t, first + r))
            continue;
        show(t, first + r, t->index + r * t->kept, t->score + r * t->kept);
        if (t->sidecars)
            status = write_sidecar(t, first + r, t->index + r * t->kept);
    }
    return status;
}

/* Blocks begin small, so that the first tags come soon, and grow while they take less than this. */
static const double BLOCK_SECONDS = 0.5;
enum { FIRST_BLOCK = 16 };

static f0t_status tag_all(tagger *t)
{
    size_t count = t->source->rows, block = FIRST_BLOCK, rows;
    f0t_progress progress = {.stage = "tagging", .unit = "images", .total = count};
    for (size_t first = 0; first < count; first += rows) {
        const double began = cli_seconds();
        rows = count - first < block ? count - first : block;
        f0t_status status = tag_block(t, first, rows);
        if (status != F0T_OK)
            return status;
        if (cli_seconds() - began < BLOCK_SECONDS && 2 * block <= t->source->block)
            block *= 2;
        if (*t->cli->monitor->stop)
            return cli_fail(t->cli, F0T_ERROR_INTERRUPTED, "interrupted after %zu of %zu images",
                            first + rows, count);
        progress.done = first + rows;
        if (t->cli->monitor->progress)
            t->cli->monitor->progress(t->cli->monitor->user, &progress);
    }
    return t->tagged || !count
               ? F0T_OK
               : cli_fail(t->cli, F0T_ERROR_FORMAT, "none of the pictures can be read");
}

static f0t_status check_features(tagger *t)
{
    size_t has = t->source->dim, wants = f0t_model_features(t->model);
    if (has != wants)
        return cli_fail(t->cli, F0T_ERROR_MISMATCH,
                        "%s has %zu features per image, the model takes %zu", t->cli->operands[1],
                        has, wants);
    if (strcmp(t->options->part, "all") != 0 &&
        (!t->source->features || !f0t_features_split(t->source->features)))
        return cli_fail(t->cli, F0T_ERROR_ARGUMENT, "--part needs a dataset, not a bare matrix");
    return F0T_OK;
}

/* With as many tags for each picture as there are words, every picture gets every word: that is hardly
 * meant, and it is a lot to take back. */
static f0t_status check_choice(tagger *t)
{
    const size_t size = f0t_vocab_size(t->vocab);
    if ((!t->options->xmp && !t->options->embed) || t->options->force || t->options->k < size)
        return F0T_OK;
    return cli_fail(t->cli, F0T_ERROR_ARGUMENT,
                    "-k %zu of %zu word%s: each picture would get %s; take a smaller -k or more "
                    "words, or write them with --force",
                    t->options->k, size, size == 1 ? "" : "s", size == 1 ? "it" : "all of them");
}

static f0t_status run_tagger(tagger *t)
{
    size_t size = f0t_vocab_size(t->vocab), block = t->source->block;
    f0t_status status = check_features(t);
    if (status == F0T_OK)
        status = check_choice(t);
    if (status != F0T_OK)
        return status;
    t->kept = t->options->k < size ? t->options->k : size;
    t->rows = cli_alloc(block * f0t_model_features(t->model) * sizeof *t->rows);
    t->directions = cli_alloc(block * f0t_model_dim(t->model) * sizeof *t->directions);
    t->index = cli_alloc(block * t->kept * sizeof *t->index);
    t->score = cli_alloc(block * t->kept * sizeof *t->score);
    t->good = cli_alloc(block * sizeof *t->good);
    t->list = t->cli->json ? json_array() : NULL;
    if (!t->list)
        tag_list_print_head(t->options->format);
    status = open_sidecars(t);
    if (status == F0T_OK)
        status = tag_all(t);
    report_sidecars(t);
    if (status == F0T_OK && t->list)
        status = cli_print_json(t->cli, json_incref(t->list));
    if (status == F0T_OK && t->failed)
        status = cli_fail(t->cli, F0T_ERROR_IO, "%zu %s%s could not be written", t->failed, kind(t),
                          t->failed == 1 ? "" : "s");
    f0t_sidecars_close(t->sidecars);
    json_decref(t->list);
    free(t->rows);
    free(t->good);
    free(t->directions);
    free(t->index);
    free(t->score);
    return status;
}

/* One of the pictures is a model, and the model is none. */
static bool is_swapped(const cli_context *cli)
{
    for (size_t i = 1; i < cli->operand_count; i++)
        if (cli_is_kind(cli->operands[i], "model"))
            return !cli_is_kind(cli->operands[0], "model");
    return false;
}

/* ---- The command -------------------------------------------------------------------------- */

static f0t_status run(cli_context *cli, const void *values)
{
    const options *o = values;
    f0t_model *model = NULL;
    tag_source source = {.folder = NULL};
    f0t_backbone_options extract = o->extract;
    f0t_vocab *vocab = NULL;
    if (!o->words.path != !o->words.vectors)
        return cli_fail(cli, F0T_ERROR_ARGUMENT,
                        "--vocab needs --vectors, and --vectors needs --vocab");
    if (o->words.with_seen && !o->words.path)
        return cli_fail(cli, F0T_ERROR_ARGUMENT, "--with-seen needs --vocab");
    if (o->words.any_space && !o->words.path)
        return cli_fail(cli, F0T_ERROR_ARGUMENT, "--any-space needs --vocab");
    if (o->xmp_plain && !o->xmp)
        return cli_fail(cli, F0T_ERROR_ARGUMENT, "--plain-name needs --xmp");
    if (o->touch && !o->embed)
        return cli_fail(cli, F0T_ERROR_ARGUMENT, "--touch needs --embed");
    if (o->dry_run && !o->xmp && !o->embed)
        return cli_fail(cli, F0T_ERROR_ARGUMENT, "--dry-run needs --xmp or --embed");
    if (o->words.path && cli_vectors_swapped(o->words.path, o->words.vectors))
        return cli_fail_swapped(cli, "MODEL PICTURES --vocab WORDS --vectors FILE");
    f0t_status status = f0t_model_load(&model, cli->operands[0]);
    if (status != F0T_OK && is_swapped(cli))
        return cli_fail_swapped(cli, "MODEL PICTURES");
    extract.bf16 = o->precision[0] == 'b';
    extract.monitor = cli->monitor;
    extract.cache = cli_cache_folder(!o->no_cache);
    if (status == F0T_OK)
        status = tag_source_open(&source, cli, model, o->backbone, &extract);
    if (status == F0T_OK && o->words.path)
        status = tag_words_open(&vocab, cli, &o->words, model);
    if (status == F0T_OK) {
        tagger t = {.cli = cli,
                    .options = o,
                    .model = model,
                    .vocab = vocab ? vocab : f0t_model_vocab(model),
                    .source = &source};
        status = run_tagger(&t);
    }
    f0t_vocab_free(vocab);
    tag_source_close(&source);
    f0t_model_free(model);
    return status;
}

#define AT(field) offsetof(options, field)

static const cli_option table[] = {
    {"top", 'k', CLI_COUNT, AT(k), "N", "Number of tags per image. Default 5.", NULL},
    {"vocab", 0, CLI_TEXT, AT(words.path), "FILE",
     "Words to rank, one per line, seen in training or not. Default: the tags of the training.",
     NULL},
    {"vectors", 0, CLI_TEXT, AT(words.vectors), "FILE",
     "Vectors of the words: the file that the model was trained with, or one made from it.", NULL},
    {"with-seen", 0, CLI_FLAG, AT(words.with_seen), NULL,
     "Rank the tags of the training together with the words.", NULL},
    {"any-space", 0, CLI_FLAG, AT(words.any_space), NULL,
     "Accept vectors that are not from the file of the training. The ranking may be meaningless.",
     NULL},
    {"backbone", 0, CLI_TEXT, AT(backbone), "WHAT",
     "What computes the features of pictures: 'builtin', or FILE.onnx. Default: that of the model.",
     NULL},
    {"preset", 0, CLI_CHOICE, AT(extract.preset), "NAME",
     "How pictures are prepared for a --backbone. Default: as FILE.json beside it says.",
     "imagenet|caffe-vgg|mobilenet|clip"},
    {"precision", 0, CLI_CHOICE, AT(precision), "TYPE", "Precision of a network. Default f32.",
     "f32|bf16"},
    {"xmp", 0, CLI_FLAG, AT(xmp), NULL,
     "Write the tags as keywords into XMP sidecars, NAME.jpg.xmp. What others wrote there stays; "
     "ours are replaced.",
     NULL},
    {"plain-name", 0, CLI_FLAG, AT(xmp_plain), NULL,
     "Name sidecars NAME.xmp. Pictures that would share one are reported and left out.", NULL},
    {"embed", 0, CLI_FLAG, AT(embed), NULL,
     "Write the tags into the pictures themselves, JPEG and PNG, as --xmp does into sidecars. "
     "Everything else in them stays unchanged.",
     NULL},
    {"touch", 0, CLI_FLAG, AT(touch), NULL,
     "With --embed: set the modification time of changed pictures to now. Default: keep it.", NULL},
    {"force", 0, CLI_FLAG, AT(force), NULL,
     "Write even if every picture gets every word, that is, -k is not below their number.", NULL},
    {"dry-run", 0, CLI_FLAG, AT(dry_run), NULL, "Only print which files would change.", NULL},
    {"strict", 0, CLI_FLAG, AT(strict), NULL,
     "Stop at a picture that cannot be read. Default: report it and continue.", NULL},
    CLI_CACHE_OPTION(AT(no_cache)),
    {"part", 0, CLI_CHOICE, AT(part), "WHICH", "Images of a dataset to tag. Default all.",
     "all|train|val|test"},
    {"format", 0, CLI_CHOICE, AT(format), "FORM",
     "text: one line per image; csv and tsv: one line per image and tag, with its score. Default "
     "text.",
     "text|csv|tsv"},
    {.name = NULL},
};

static const cli_conflict conflicts[] = {{"json", "format"}, {"xmp", "embed"}, {.one = NULL}};

static const cli_example examples[] = {
    {"fast0tag tag photos.f0t ~/Pictures/new --xmp",
     "Tags pictures, and writes the tags into sidecars beside them."},
    {"fast0tag tag photos.f0t flickr8k --part test", "The five best tags of each test image."},
    {"fast0tag tag photos.f0t features.npy --vocab words.txt --vectors glove.txt -k 10 --format "
     "csv",
     "Ten of any words, with scores, as CSV."},
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
    .options_size = sizeof(options),
    .defaults = &defaults,
    .run = run,
};
