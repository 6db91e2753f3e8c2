/* f0t_demo_run: vectors, the comparison, the model, the open vocabulary, and all steps in their order. */
#include "demo/demo.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Whose tags are shown: what `train` learns unless told otherwise, whichever was best. */
static const char OURS[] = "blend";
static const char OTHERS[] = "tagprop,conse";

/* Of the row of the paper's network: small, so that two cores learn in seconds; it would have 6,960 and 1,740. */
static const char HIDDEN[] = "512,256";
enum { TRIALS = 4, METHODS_SIZE = 1000 };

/* The model of nothing but training. */
static const char UNTUNED[] = "untuned.f0t";

static const char *wordnet_folder(const f0t_demo_work *work)
{
    return work->options.wordnet ? work->options.wordnet : F0T_WORDNET_FOLDER;
}

/* ---- Vectors ----------------------------------------------------------------------------------- */

static f0t_status build_vectors(f0t_demo_work *work, const char *path)
{
    f0t_wordnet_options building = F0T_WORDNET_OPTIONS;
    building.from = wordnet_folder(work);
    if (f0t_demo_has_words(work, building.from) &&
        f0t_vectors_open(&work->vectors, path, NULL, work->context) == F0T_OK)
        return F0T_OK;
    f0t_demo_log(work, "word vectors are made from WordNet");
    F0T_DEMO_TRY(f0t_vectors_build_wordnet(NULL, path, &building, work->context));
    F0T_DEMO_TRY(f0t_demo_save_words(work, building.from));
    return f0t_vectors_open(&work->vectors, path, NULL, work->context);
}

static f0t_status open_vectors(f0t_demo_work *work)
{
    char path[F0T_DEMO_PATH_SIZE];
    if (work->options.vectors)
        return f0t_vectors_open(&work->vectors, work->options.vectors, NULL, work->context);
    return build_vectors(work, f0t_demo_path(path, work, "words.safetensors"));
}

/* ---- The comparison ---------------------------------------------------------------------------- */

/* Chance and frequency are what the gains are over; linear and net are the paper's, the blend is ours. */
static void list_methods(char *out, size_t size, const f0t_demo_work *work)
{
    snprintf(out, size, "random,frequency,%s,linear,net,%s",
             work->options.methods ? work->options.methods : OTHERS, OURS);
}

static f0t_eval_options eval_options(const f0t_demo_work *work, const char *methods)
{
    f0t_eval_options options = F0T_EVAL_OPTIONS;
    options.methods = methods;
    options.scenarios = "conventional,zero-shot,seen-unseen";
    options.seed = work->options.seed;
    options.trials = TRIALS;
    options.epochs = work->options.epochs;
    options.hidden = HIDDEN;
    options.figure = OURS;
    return options;
}

/* The nouns of the open vocabulary come last, but from here. */
static f0t_status check_wordnet(const f0t_demo_work *work)
{
    char path[F0T_DEMO_PATH_SIZE];
    snprintf(path, sizeof path, "%s/data.noun", wordnet_folder(work));
    if (access(path, F_OK) == 0)
        return F0T_OK;
    return f0t_demo_fail(F0T_ERROR_NOT_FOUND,
                         "%s: has no WordNet (data.noun): Debian's package is wordnet-base",
                         wordnet_folder(work));
}

static f0t_status check_options(const f0t_demo_work *work)
{
    char methods[METHODS_SIZE];
    if (work->options.methods && strlen(work->options.methods) > METHODS_SIZE / 2)
        return f0t_error_set(F0T_ERROR_ARGUMENT, "the list of methods is too long");
    list_methods(methods, sizeof methods, work);
    const f0t_eval_options options = eval_options(work, methods);
    F0T_DEMO_TRY(f0t_eval_options_check(&options));
    return check_wordnet(work);
}

static f0t_status compare_methods(f0t_demo_work *work)
{
    char methods[METHODS_SIZE], path[F0T_DEMO_PATH_SIZE];
    list_methods(methods, sizeof methods, work);
    f0t_eval_options options = eval_options(work, methods);
    options.results = f0t_demo_path(path, work, "results.jsonl");
    f0t_status status =
        f0t_eval_run(&work->eval, work->collection, work->vectors, &options, work->context);
    if (status == F0T_ERROR_MISMATCH &&
        unlink(path) == 0) /* of an earlier version of the program */
        status =
            f0t_eval_run(&work->eval, work->collection, work->vectors, &options, work->context);
    return status;
}

/* ---- The model --------------------------------------------------------------------------------- */

static bool load_model(f0t_demo_work *work, const char *name)
{
    f0t_demo_path(work->model_path, work, name);
    return access(work->model_path, F_OK) == 0 &&
           f0t_model_load(&work->model, work->model_path, work->context) == F0T_OK;
}

/* As the comparison learned it to rank new tags, where there was one. */
static f0t_status train(f0t_demo_work *work)
{
    f0t_train_options options = F0T_TRAIN_OPTIONS;
    options.method = F0T_METHOD_BLEND; /* OURS */
    options.seed = work->options.seed;
    if (work->options.epochs)
        options.epochs = work->options.epochs;
    if (work->eval)
        F0T_DEMO_TRY(f0t_eval_train_options(&options, work->eval, OURS, "zero-shot"));
    F0T_DEMO_TRY(f0t_train(&work->model, work->collection, work->vectors, &options, work->context));
    return f0t_model_save(work->model, work->model_path);
}

static f0t_status train_model(f0t_demo_work *work)
{
    if (load_model(work, "model.f0t"))
        return F0T_OK;
    if (work->options.only_model && load_model(work, UNTUNED))
        return F0T_OK;
    return train(work);
}

/* ---- The open vocabulary ----------------------------------------------------------------------- */

/* Nouns that training did not see, into names[nouns->count]. */
static f0t_status choose_nouns(const char **names, size_t *count, const f0t_tags *nouns,
                               const f0t_vocab *seen)
{
    *count = 0;
    for (size_t i = 0; i < nouns->count; i++) {
        size_t place;
        F0T_DEMO_TRY(f0t_vocab_find(&place, seen, nouns->items[i]));
        if (place == F0T_NONE)
            names[(*count)++] = nouns->items[i];
    }
    return F0T_OK;
}

static f0t_status make_vocabulary(f0t_demo_work *work, const f0t_tags *nouns)
{
    const f0t_vocab *seen = f0t_model_vocab(work->model);
    f0t_vocab_options options = F0T_VOCAB_OPTIONS;
    const char **names = malloc((nouns->count + 1) * sizeof *names);
    size_t count;
    if (!names)
        return f0t_demo_fail_memory();
    options.centred = f0t_vocab_centred(seen);
    options.no_suggestions = true;
    f0t_status status = choose_nouns(names, &count, nouns, seen);
    if (status == F0T_OK)
        status =
            f0t_vocab_create(&work->nouns, names, count, work->vectors, &options, work->context);
    free(names);
    return status;
}

static f0t_status open_vocabulary(f0t_demo_work *work)
{
    f0t_tags *nouns;
    F0T_DEMO_TRY(f0t_tags_from_wordnet(&nouns, wordnet_folder(work), work->context));
    f0t_status status = f0t_demo_write(work, "nouns.txt", nouns->items, nouns->count, "\n");
    if (status == F0T_OK)
        status = make_vocabulary(work, nouns);
    f0t_tags_free(nouns);
    return status;
}

/* ---- The steps in their order -------------------------------------------------------------- */

/* What the caller sees, and what it stands on. */
typedef struct result {
    f0t_demo shown;
    f0t_demo_work work;
    char page[F0T_DEMO_PATH_SIZE];
    f0t_report *story;
} result;

static f0t_status take_steps(f0t_demo_work *work)
{
    F0T_DEMO_TRY(check_options(work));
    F0T_DEMO_TRY(f0t_demo_find_pictures(work));
    F0T_DEMO_TRY(f0t_demo_open_folder(work));
    F0T_DEMO_TRY(open_vectors(work));
    F0T_DEMO_TRY(f0t_demo_compare_state(work));
    F0T_DEMO_TRY(f0t_demo_describe_pictures(work));
    F0T_DEMO_TRY(f0t_demo_clean_tags(work));
    F0T_DEMO_TRY(f0t_demo_save_state(work));
    if (!work->options.only_model)
        F0T_DEMO_TRY(compare_methods(work));
    F0T_DEMO_TRY(train_model(work));
    return work->options.only_model ? F0T_OK : open_vocabulary(work);
}

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void count_all(f0t_demo *demo, const f0t_demo_work *work)
{
    demo->pictures = work->path_count;
    demo->images = f0t_dataset_image_count(work->collection);
    f0t_dataset_seen(&demo->seen, work->collection);
    f0t_dataset_unseen(&demo->unseen, work->collection);
    demo->tags = demo->seen + demo->unseen;
    demo->nouns = work->nouns ? f0t_vocab_count(work->nouns) : 0;
    demo->eval = work->eval;
    demo->model = work->model_path;
}

static f0t_status show(result *r)
{
    const f0t_demo_work *work = &r->work;
    const f0t_showcase showcase = {.size = sizeof showcase,
                                   .eval = work->eval,
                                   .model = work->model,
                                   .words = work->nouns,
                                   .pictures = work->pictures,
                                   .cleaning = work->cleaning,
                                   .found = work->path_count,
                                   .generated = work->generated,
                                   .clipart = work->clipart,
                                   .vectors = work->options.vectors};
    r->shown.page = f0t_demo_path(r->page, work, "index.html");
    F0T_DEMO_TRY(f0t_showcase_save(&showcase, r->page, work->context));
    F0T_DEMO_TRY(f0t_showcase_report(&r->story, &showcase, r->page));
    r->shown.story = f0t_report_text(r->story);
    return F0T_OK;
}

static f0t_status run(result *r)
{
    const double began = seconds_now();
    F0T_DEMO_TRY(take_steps(&r->work));
    count_all(&r->shown, &r->work);
    r->shown.seconds = seconds_now() - began;
    return r->work.options.only_model ? F0T_OK : show(r);
}

/* Of a program that was built with an older header, whose options are fewer, too. */
static f0t_status read_options(f0t_demo_options *to, const f0t_demo_options *given)
{
    *to = (f0t_demo_options)F0T_DEMO_OPTIONS;
    if (given && (given->size < sizeof given->size || given->size > sizeof *to))
        return f0t_error_set(F0T_ERROR_ARGUMENT,
                             "f0t_demo_options: its size is not set; begin with F0T_DEMO_OPTIONS");
    if (given)
        memcpy(to, given, given->size);
    return F0T_OK;
}

f0t_status f0t_demo_run(f0t_demo **out, const char *output, const f0t_demo_options *options,
                        const f0t_context *context)
{
    if (out)
        *out = NULL;
    if (!out || !output)
        return f0t_demo_fail(F0T_ERROR_ARGUMENT, "f0t_demo_run: %s is NULL",
                             out ? "output" : "out");
    result *r = calloc(1, sizeof *r);
    if (!r)
        return f0t_demo_fail_memory();
    r->work.output = output;
    r->work.context = context;
    f0t_status status = read_options(&r->work.options, options);
    if (status == F0T_OK)
        status = run(r);
    if (status == F0T_OK)
        *out = &r->shown;
    else
        f0t_demo_free(&r->shown);
    return status;
}

void f0t_demo_free(f0t_demo *demo)
{
    result *r = (result *)demo;
    if (!r)
        return;
    f0t_report_free(r->story);
    f0t_vocab_free(r->work.nouns);
    f0t_model_free(r->work.model);
    f0t_eval_free(r->work.eval);
    f0t_cleaning_free(r->work.cleaning);
    f0t_dataset_close(r->work.collection);
    f0t_dataset_close(r->work.pictures);
    f0t_vectors_close(r->work.vectors);
    f0t_pictures_free(r->work.found);
    free(r->work.paths);
    free(r);
}
