/* fast0tag train: learns from a dataset. */
#include "import.h"
#include "train_options.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef train_settings options;

/* ---- While it runs ------------------------------------------------------------------------ */

typedef struct watcher {
    cli_context *cli;
    FILE *log;
    size_t epochs; /* that ended */
} watcher;

static void log_epoch(FILE *log, const f0t_epoch *e)
{
    json_t *line = json_pack(
        "{s:I, s:f, s:o, s:b, s:f, s:f, s:f}", "epoch", (json_int_t)e->number, "loss", e->loss,
        "miap", isnan(e->miap) ? json_null() : json_real(e->miap), "best", e->best, "rate", e->rate,
        "images_per_second", e->images_per_second, "seconds", e->seconds);
    if (!line)
        return;
    json_dumpf(line, log, JSON_REAL_PRECISION(9));
    fprintf(log, "\n");
    fflush(log);
    json_decref(line);
}

static void on_epoch(void *user, const f0t_epoch *e)
{
    watcher *w = user;
    char line[200], miap[40] = "";
    w->epochs = e->number;
    if (w->log)
        log_epoch(w->log, e);
    if (!isnan(e->miap))
        snprintf(miap, sizeof miap, ", validation MiAP %.2f %%%s", e->miap, e->best ? " *" : "");
    snprintf(line, sizeof line, "epoch %zu of %zu: loss %.5f%s, %.0f images/s", e->number,
             e->epochs, e->loss, miap, e->images_per_second);
    w->cli->monitor->log(w->cli->monitor->user, F0T_LOG_INFO, line);
}

/* ---- The result --------------------------------------------------------------------------- */

static json_t *describe_tuning(const f0t_tuning *tuning)
{
    if (!tuning->trials)
        return json_null();
    return json_pack("{s:I, s:f, s:f, s:f}", "trials", (json_int_t)tuning->trials, "default",
                     tuning->first, "chosen", tuning->best, "seconds", tuning->seconds);
}

static json_t *number_or_null(double value)
{
    return isnan(value) ? json_null() : json_real(value);
}

static json_t *describe_reference(const f0t_reference *r)
{
    return json_pack("{s:o, s:o, s:o, s:I, s:I}", "model", number_or_null(r->model), "frequency",
                     number_or_null(r->frequency), "neighbours", number_or_null(r->neighbours),
                     "images", (json_int_t)r->images, "compared", (json_int_t)r->compared);
}

/* Says so where simpler ways are better, or where too few images tell. */
static void warn_if_not_better(const cli_context *cli, const f0t_reference *r, bool blend)
{
    enum { TELLING = 20 };
    char line[400];
    const bool near = r->neighbours >= r->frequency;
    const double best = near ? r->neighbours : r->frequency;
    const bool few = r->images < TELLING, even = fabs(r->model - best) < 0.005; /* as shown */
    if (isnan(r->model) || (even && !few) || (!even && r->model > best))
        return;
    if (few)
        snprintf(line, sizeof line,
                 "%zu %s images are too few to tell how good the model is; tag more pictures",
                 r->images, blend ? "held-out" : "validation");
    else
        snprintf(
            line, sizeof line,
            "%s ranks the %s images' tags better (%.2f %%) than this model (%.2f %%): "
            "try %sa network as --backbone, other --vectors, or more tagged pictures; 'fast0tag "
            "eval' compares all methods",
            near ? "looking at the nearest neighbours" : "one list by frequency",
            blend ? "held-out" : "validation", best, r->model,
            blend ? "" : "--tune 300, another --method, ");
    cli->monitor->log(cli->monitor->user, F0T_LOG_WARNING, line);
}

static f0t_status print_json(cli_context *cli, const options *o, const f0t_learned *l,
                             size_t epochs, json_t *training)
{
    return cli_print_json(
        cli, json_pack("{s:s, s:I, s:I, s:I, s:f, s:o, s:o, s:o, s:o}", "model", o->output, "tags",
                       (json_int_t)f0t_vocab_count(f0t_model_vocab(l->model)), "features",
                       (json_int_t)f0t_model_input_dim(l->model), "epochs", (json_int_t)epochs,
                       "seconds", l->seconds, "training", training, "tuning",
                       describe_tuning(&l->tuning), "reference", describe_reference(&l->reference),
                       "cleaning", cli_raw_tags_json(l->prepared)));
}

static f0t_status report(cli_context *cli, const options *o, const f0t_learned *l, size_t epochs)
{
    const f0t_model *model = l->model;
    json_t *training = json_loads(f0t_model_training(model), 0, NULL);
    json_t *miap = json_object_get(training, "validation_miap");
    warn_if_not_better(cli, &l->reference, f0t_model_method(model) == F0T_METHOD_BLEND);
    if (cli->json)
        return print_json(cli, o, l, epochs, training);
    if (l->tuning.trials)
        printf("tuned in %zu trials of %.0f s: from %.2f to %.2f %%, known and held-out tags\n",
               l->tuning.trials, l->tuning.seconds, l->tuning.first, l->tuning.best);
    printf("%s: %s, %zu features, %zu tags, %.1f s", o->output,
           f0t_method_name(f0t_model_method(model)), f0t_model_input_dim(model),
           f0t_vocab_count(f0t_model_vocab(model)), l->seconds);
    if (epochs)
        printf(", %zu epochs", epochs);
    if (json_is_real(miap))
        printf(", validation MiAP %.2f %%", json_real_value(miap));
    if (!isnan(l->reference.model))
        printf(" (by frequency %.2f %%, by nearest neighbours %.2f %%)", l->reference.frequency,
               l->reference.neighbours);
    printf("\n");
    json_decref(training);
    return F0T_OK;
}

/* ---- Running it --------------------------------------------------------------------------- */

/* MODEL.checkpoint and the like: beside the model, where there is room for both. */
static char *beside(const char *output, const char *what)
{
    size_t size = strlen(output) + strlen(what) + 2;
    char *path = cli_alloc(size);
    snprintf(path, size, "%s.%s", output, what);
    return path;
}

/* Every epoch is flushed: what failed before is known by the stream, though not why any more. */
static f0t_status close_log(const watcher *w, const char *path, f0t_status status)
{
    if (!w->log)
        return status;
    const bool lost = ferror(w->log);
    const int failed = fclose(w->log) ? errno : 0;
    if (status != F0T_OK || (!lost && !failed))
        return status;
    return cli_fail(w->cli, F0T_ERROR_IO,
                    "--log %s: not all of it could be written%s%s; the model was", path,
                    failed ? ": " : "", failed ? strerror(failed) : "");
}

/* What is learned from: a dataset, or a catalogue. */
typedef struct origin {
    const f0t_dataset *dataset;
    f0t_catalogue *catalogue;
} origin;

static f0t_status learn(f0t_learned **out, cli_context *cli, const origin *from,
                        const f0t_vectors *vectors, const f0t_learn_options *how)
{
    return from->catalogue ? f0t_catalogue_learn(out, from->catalogue, vectors, how, cli->context)
                           : f0t_learn(out, from->dataset, vectors, how, cli->context);
}

static f0t_status train(cli_context *cli, const options *o, f0t_train_options *train_options,
                        const origin *from, const f0t_vectors *vectors)
{
    f0t_learned *learned = NULL;
    const f0t_prepare_options clean = cli_raw_tags_convert(&o->raw_tags);
    f0t_learn_options how = F0T_LEARN_OPTIONS;
    watcher w = {.cli = cli};
    const bool writes = f0t_context_rank(cli->context) == 0; /* the others have the same model */
    if (o->log && writes)
        w.log = fopen(o->log, o->resume ? "a" : "w");
    if (o->log && writes && !w.log)
        return cli_fail(cli, F0T_ERROR_IO, "%s: %s", o->log, strerror(errno));
    char *checkpoint = beside(o->output, "checkpoint"), *trials = beside(o->output, "trials");
    train_options->checkpoint = checkpoint;
    train_options->epoch = on_epoch;
    train_options->epoch_user = &w;
    how.train = train_options;
    how.clean = &clean;
    how.keep_tags = o->raw_tags.keep_tags;
    how.classes = o->experts.classes;
    how.tune = cli_given(cli, "tune") ? o->tune : 0;
    how.trials = trials;
    how.output = o->output;
    how.test = o->test;
    how.vectors_path = o->vectors;
    f0t_status status = learn(&learned, cli, from, vectors, &how);
    if (status == F0T_OK)
        status = report(cli, o, learned, w.epochs);
    free(checkpoint);
    free(trials);
    f0t_learned_free(learned);
    return close_log(&w, o->log, status);
}

/* ---- Pictures ----------------------------------------------------------------------------- */

/* A folder of pictures becomes MODEL.data, where the next training finds their features again. */
static f0t_status make_dataset(cli_context *cli, const options *o, const f0t_vectors *vectors,
                               const char *path)
{
    f0t_import_options how = o->import;
    f0t_import_report *report = NULL;
    f0t_backbone_options extract = o->extract;
    how.replace = true;
    how.seed = cli->seed;
    how.vectors = vectors;
    extract.cache = cli_cache_folder(!o->no_cache);
    extract.size = sizeof extract;
    how.size = sizeof how;
    f0t_status status = f0t_backbone_open(&how.extract, o->backbone ? o->backbone : "builtin",
                                          &extract, cli->context);
    if (status == F0T_OK)
        status = f0t_import(&report, path, "photos", cli->operands, 1, &how, cli->context);
    if (status == F0T_OK)
        cli_import_log(cli, report);
    f0t_import_report_free(report);
    f0t_backbone_close(how.extract);
    return status;
}

/* A refit is always of a catalogue, the user's own where none is named; so is what takes it back. */
static bool uses_catalogue(const options *o)
{
    return o->catalogue || o->refit || o->undo;
}

static bool is_pictures(const cli_context *cli, const options *o)
{
    const char *source = cli->operands[0];
    return !uses_catalogue(o) && !o->labels && cli_is_folder(source) && !cli_is_dataset(source);
}

static f0t_status open_dataset(f0t_dataset **out, cli_context *cli, const options *o,
                               const f0t_vectors *vectors)
{
    f0t_dataset_options split = F0T_DATASET_OPTIONS;
    const char *source = cli->operands[0];
    split.seed = cli->seed;
    split.test = o->test; /* unless asked for, every picture is learned from */
    if (o->labels)
        return f0t_dataset_open_files(out, source, o->labels, &split, cli->context);
    if (!is_pictures(cli, o))
        return f0t_dataset_open(out, source, &split, cli->context);
    char *path = beside(o->output, "data");
    f0t_status status = make_dataset(cli, o, vectors, path);
    if (status == F0T_OK)
        status = f0t_dataset_open(out, path, &split, cli->context);
    free(path);
    return status;
}

/* ---- Before anything is read -------------------------------------------------------------- */

/* What was forgotten, or is of no use here. */
static f0t_status check_options(cli_context *cli, const options *o)
{
    const char *lost = o->backbone             ? "--backbone"
                       : o->extract.preset     ? "--preset"
                       : o->import.table       ? "--csv"
                       : o->import.folder_tags ? "--folders"
                       : o->import.hierarchy   ? "--hierarchy"
                       : o->import.strict      ? "--strict"
                       : o->no_cache           ? "--no-cache"
                                               : NULL;
    if (!o->vectors || !o->output)
        return cli_fail(cli, F0T_ERROR_ARGUMENT, "missing %s",
                        o->vectors ? "-o MODEL" : "--vectors FILE");
    if (f0t_context_processes(cli->context) > 1 && cli_given(cli, "tune"))
        return cli_fail(cli, F0T_ERROR_ARGUMENT,
                        "--tune is for one process: start it without mpirun");
    if (f0t_context_processes(cli->context) > 1 && !uses_catalogue(o) && is_pictures(cli, o))
        return cli_fail(cli, F0T_ERROR_ARGUMENT,
                        "several processes learn from a dataset: make one of the pictures first, "
                        "with 'fast0tag features'");
    if (o->import.separator && !o->import.table)
        return cli_fail(cli, F0T_ERROR_ARGUMENT, "--separator needs --csv");
    if (lost && uses_catalogue(o))
        return cli_fail(cli, F0T_ERROR_ARGUMENT,
                        "%s is for a folder of pictures: a catalogue has features already", lost);
    if (lost && access(cli->operands[0], F_OK) == 0 && !is_pictures(cli, o))
        return cli_fail(cli, F0T_ERROR_ARGUMENT,
                        "%s is for a folder of pictures: %s has features already", lost,
                        cli->operands[0]);
    return F0T_OK;
}

/* One of both says what to learn from. */
static f0t_status check_source(cli_context *cli, const options *o)
{
    if (!uses_catalogue(o) && !cli->operand_count)
        return cli_fail(cli, F0T_ERROR_ARGUMENT, "missing operand: %s, or -c FILE",
                        cli->verb->operands);
    if (uses_catalogue(o) && (cli->operand_count || o->labels))
        return cli_fail(cli, F0T_ERROR_ARGUMENT,
                        "%s learns from the catalogue: %s has no place there",
                        o->catalogue ? "-c"
                        : o->refit   ? "--refit"
                                     : "--undo",
                        cli->operand_count ? cli->operands[0] : "--labels");
    return F0T_OK;
}

static f0t_status check_all(cli_context *cli, const options *o)
{
    f0t_status status = check_options(cli, o);
    if (status == F0T_OK && !uses_catalogue(o) && cli_vectors_swapped(cli->operands[0], o->vectors))
        status = cli_fail_swapped(cli, "FOLDER|DATASET --vectors FILE -o MODEL");
    if (status == F0T_OK && o->labels && cli_is_kind(o->labels, "npy") &&
        !cli_is_kind(cli->operands[0], "npy"))
        status = cli_fail_swapped(cli, "FEATURES.npy --labels FILE …");
    if (f0t_context_rank(cli->context) > 0) /* the first process writes */
        return status;
    if (status == F0T_OK)
        status = cli_check_replaceable(cli, "-o", o->output, "model");
    return status == F0T_OK && o->log ? cli_check_file(cli, "--log", o->log) : status;
}

static f0t_status check_dataset(cli_context *cli, const options *o, const f0t_dataset *dataset)
{
    if (cli_given(cli, "test") && f0t_dataset_split_is_given(dataset))
        return cli_fail(cli, F0T_ERROR_ARGUMENT,
                        "--test: %s has a split.txt, which says what is for testing",
                        f0t_dataset_path(dataset));
    return cli_raw_tags_check(cli, &o->raw_tags, dataset);
}

/* ---- A catalogue -------------------------------------------------------------------------- */

static f0t_status open_vectors(f0t_vectors **out, cli_context *cli, const char *path)
{
    const f0t_vectors_options how = {.size = sizeof how};
    return path ? f0t_vectors_open(out, path, &how, cli->context) : F0T_OK;
}

/* A training from the beginning. */
static f0t_status train_anew(cli_context *cli, const options *o, f0t_catalogue *catalogue)
{
    f0t_train_options train_options;
    f0t_vectors *vectors = NULL;
    f0t_status status = check_all(cli, o);
    if (status == F0T_OK)
        status = cli_train_convert(cli, &train_options, o);
    if (status == F0T_OK)
        status = open_vectors(&vectors, cli, o->vectors);
    if (status == F0T_OK)
        status = train(cli, o, &train_options, &(origin){.catalogue = catalogue}, vectors);
    f0t_vectors_close(vectors);
    return status;
}

static f0t_status show_refit(cli_context *cli, const char *output, const f0t_learned *l)
{
    const size_t tags = f0t_vocab_count(f0t_model_vocab(l->model));
    if (cli->json)
        return cli_print_json(cli, json_pack("{s:s, s:I, s:I, s:f}", "model", output, "pictures",
                                             (json_int_t)l->images, "tags", (json_int_t)tags,
                                             "seconds", l->seconds));
    printf("%s: refitted to %zu pictures, %zu tags, %.1f s\n", output, l->images, tags, l->seconds);
    return F0T_OK;
}

static f0t_status refit_with(cli_context *cli, const options *o, f0t_catalogue *catalogue,
                             const f0t_vectors *vectors)
{
    const f0t_prepare_options clean = cli_raw_tags_convert(&o->raw_tags);
    f0t_refit_options refit = F0T_REFIT_OPTIONS;
    f0t_learn_options how = F0T_LEARN_OPTIONS;
    f0t_learned *learned = NULL;
    refit.seed = cli->seed;
    how.refit = &refit;
    how.clean = &clean;
    how.keep_tags = o->raw_tags.keep_tags;
    how.output = o->output;
    how.vectors_path = o->vectors;
    f0t_status status = f0t_catalogue_learn(&learned, catalogue, vectors, &how, cli->context);
    if (status == F0T_OK)
        status = show_refit(cli, o->output ? o->output : f0t_catalogue_model(catalogue), learned);
    f0t_learned_free(learned);
    return status;
}

/* The catalogue's model goes on with what people said since. */
static f0t_status refit(cli_context *cli, const options *o, f0t_catalogue *catalogue)
{
    const char *words = o->vectors ? o->vectors : f0t_catalogue_vectors(catalogue);
    f0t_vectors *vectors = NULL;
    if (!f0t_catalogue_model(catalogue))
        return cli_fail(cli, F0T_ERROR_NOT_FOUND,
                        "%s has no model to refit; train one: fast0tag train -c %s --vectors FILE "
                        "-o MODEL",
                        f0t_catalogue_path(catalogue), f0t_catalogue_path(catalogue));
    f0t_status status = o->output ? cli_check_replaceable(cli, "-o", o->output, "model") : F0T_OK;
    if (status == F0T_OK && words && (o->vectors || access(words, F_OK) == 0))
        status = open_vectors(&vectors, cli, words);
    if (status == F0T_OK)
        status = refit_with(cli, o, catalogue, vectors);
    f0t_vectors_close(vectors);
    return status;
}

/* The model that the last training or refit replaced. */
static f0t_status undo(cli_context *cli, f0t_catalogue *catalogue)
{
    size_t suggested = 0;
    f0t_status status = f0t_catalogue_restore_model(&suggested, catalogue, cli->context);
    if (status != F0T_OK)
        return status;
    const char *model = f0t_catalogue_model(catalogue);
    if (cli->json)
        return cli_print_json(
            cli, json_pack("{s:s, s:I}", "model", model, "suggested", (json_int_t)suggested));
    printf("%s: the model before is back, and suggests tags for %zu picture%s; --undo again takes "
           "this back\n",
           model, suggested, suggested == 1 ? "" : "s");
    return F0T_OK;
}

static f0t_status run_catalogue(cli_context *cli, const options *o)
{
    f0t_catalogue_options how = F0T_CATALOGUE_OPTIONS;
    f0t_catalogue *catalogue = NULL;
    how.mode = F0T_CATALOGUE_WRITE;
    f0t_status status = f0t_catalogue_open(&catalogue, o->catalogue, &how);
    if (status == F0T_OK)
        status = o->undo    ? undo(cli, catalogue)
                 : o->refit ? refit(cli, o, catalogue)
                            : train_anew(cli, o, catalogue);
    f0t_catalogue_close(catalogue);
    return status;
}

static f0t_status run(cli_context *cli, const void *values)
{
    const options *o = values;
    f0t_dataset *dataset = NULL;
    f0t_vectors *vectors = NULL;
    f0t_train_options train_options;
    f0t_vectors_options vector_options = {.size = sizeof(f0t_vectors_options)};
    f0t_status status = check_source(cli, o);
    if (status == F0T_OK && uses_catalogue(o) && f0t_context_processes(cli->context) > 1)
        status = cli_fail(cli, F0T_ERROR_ARGUMENT,
                          "several processes learn from a dataset, not from a catalogue");
    if (status == F0T_OK && uses_catalogue(o))
        return run_catalogue(cli, o);
    if (status == F0T_OK)
        status = check_all(cli, o);
    if (status == F0T_OK)
        status = cli_train_convert(cli, &train_options, o);
    if (status == F0T_OK && access(cli->operands[0], F_OK) != 0)
        status = cli_fail(cli, F0T_ERROR_NOT_FOUND, "%s: %s", cli->operands[0], strerror(errno));
    if (status == F0T_OK)
        status = f0t_vectors_open(&vectors, o->vectors, &vector_options, cli->context);
    if (status == F0T_OK)
        status = open_dataset(&dataset, cli, o, vectors);
    if (status == F0T_OK)
        status = check_dataset(cli, o, dataset);
    if (status == F0T_OK)
        status = train(cli, o, &train_options, &(origin){.dataset = dataset}, vectors);
    f0t_vectors_close(vectors);
    f0t_dataset_close(dataset);
    return status;
}

static const cli_example examples[] = {
    {"fast0tag train flickr8k --vectors glove.txt -o photos.f0t",
     "Trains the blend of all experts on the dataset's seen tags."},
    {"fast0tag train ~/Pictures --vectors glove.txt -o pictures.f0t",
     "Learns the keywords of a collection."},
    {"fast0tag train ~/Pictures --vectors glove.txt -o pictures.f0t --keep-tags --test 0.2",
     "Learns every keyword as it is, from four fifths of the pictures."},
    {"fast0tag train animals --folders --vectors glove.txt -o animals.f0t",
     "animals/dog/1.jpg has the tag dog."},
    {"fast0tag train flickr8k --vectors glove.txt -o private.f0t --without votes",
     "A model that holds no features of the training images."},
    {"fast0tag train flickr8k --vectors glove.txt -o quick.f0t --method linear",
     "The linear map, in seconds."},
    {"fast0tag train flickr8k --vectors glove.txt -o photos.f0t --method net --tune 600",
     "Searches for better options than the defaults for ten minutes, then trains with them."},
    {"fast0tag train -c pictures.catalogue --vectors glove.txt -o pictures.f0t",
     "Learns from a catalogue, which then has the model's suggestions."},
    {"fast0tag train -c pictures.catalogue --refit",
     "Learns from what was accepted and rejected since."},
    {"fast0tag train -c pictures.catalogue --undo",
     "Brings back the model, and the suggestions, of before."},
    {"fast0tag train flickr8k --vectors glove.txt -o photos.f0t --resume",
     "Resumes where Ctrl-C, or a power cut, stopped it. The result is the same."},
    {.command = NULL},
};

static const cli_conflict conflicts[] = {
    {"refit", "undo"},  {"undo", "vectors"}, {"undo", "output"},
    {"undo", "method"}, {"undo", "labels"},  {NULL, NULL},
};

const cli_verb cli_verb_train = {
    .name = "train",
    .summary = "train a model on a dataset or a folder of pictures",
    .operands = "FOLDER|DATASET|FEATURES.npy",
    .least = 0,
    .most = 1,
    .description =
        "Learns from the training images of a dataset and the vectors of its tags: the tags "
        "themselves, "
        "and the function from features to directions in word space. The validation images decide "
        "when to stop, and how much each expert counts. The resulting model ranks any words with "
        "vectors from the same file, and tags that were learned without one.\n\n"
        "A folder of pictures with keywords is first turned into a dataset, MODEL.data, which is "
        "kept: the next training reuses its features.\n\n"
        "Raw keywords, of pictures or of a dataset without seen.txt and unseen.txt, are cleaned "
        "first, and "
        "stay in the words of who wrote them; each step is reported, and can be left out.\n\n"
        "With -c, a catalogue takes the place of the folder: nothing is decoded again, accepted "
        "tags are learned and rejected ones are certainly wrong. --refit keeps the networks of "
        "the catalogue's model and learns the rest anew. The model before stays beside the new "
        "one, as "
        "MODEL.before, and --undo brings it back.",
    .options = cli_train_table,
    .conflicts = conflicts,
    .examples = examples,
    .json = true,
    .seed = true,
    .device = true,
    .processes = true,
    .wire = true,
    .pictures = true,
    .options_size = sizeof(options),
    .defaults = &cli_train_defaults,
    .run = run,
};
