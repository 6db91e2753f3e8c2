/* f0t_demo_run: vectors, the comparison, the model, the open vocabulary, and all steps in their order. */
#include "demo/demo.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const char OTHERS[] = "tagprop,conse";

/* Of the row of the paper's network: small, so that two cores learn in seconds; it would have 6,960 and 1,740. */
static const char HIDDEN[] = "512,256";
/* Of the blend's networks: its figures are those of the sixty to hundred that `train` takes (docs/demo.md). */
enum { BLEND_EPOCHS = 15, METHODS_SIZE = 1000 };

static const char MODEL[] = "model.f0t";

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

/* The page grows: what is learned in seconds comes first, and each stage keeps the results of those before. Chance and frequency
 * are what the gains are over; linear and net are the paper's; the blend, what `train` learns unless told otherwise, is shown
 * whichever was best. */
typedef struct stage {
    const char *scenarios;
    const char *methods; /* %s: the options' */
    const char *to_come; /* on the page; NULL: it is complete */
} stage;

static const char ALL[] = "conventional,zero-shot,seen-unseen";

static const stage STAGES[] = {
    {"conventional", "random,frequency,linear",
     "tags that were never learned, other methods, the blend that 'train' learns, and any noun"},
    {ALL, "random,frequency,linear",
     "other methods, the blend that 'train' learns, searching by a new word, and any noun"},
    {ALL, "random,frequency,%s,linear,net",
     "the blend that 'train' learns, searching by a new word, and any noun"},
    {ALL, "random,frequency,%s,linear,net,blend", NULL}};
static const stage *const LAST = &STAGES[sizeof STAGES / sizeof *STAGES - 1];

static void list_methods(char *out, size_t size, const f0t_demo_work *work, const stage *of)
{
    const char *others = work->options.methods ? work->options.methods : OTHERS;
    const char *place = strstr(of->methods, "%s");
    if (place)
        snprintf(out, size, "%.*s%s%s", (int)(place - of->methods), of->methods, others, place + 2);
    else
        snprintf(out, size, "%s", of->methods);
}

static size_t blend_epochs(const f0t_demo_work *work)
{
    return work->options.epochs ? work->options.epochs : BLEND_EPOCHS;
}

static f0t_eval_options eval_options(const f0t_demo_work *work, const char *methods,
                                     const char *scenarios)
{
    f0t_eval_options options = F0T_EVAL_OPTIONS;
    options.methods = methods;
    options.scenarios = scenarios;
    options.seed = work->options.seed;
    options.no_tune = true;
    options.epochs = work->options.epochs;
    options.blend_epochs = blend_epochs(work);
    options.hidden = HIDDEN;
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
    list_methods(methods, sizeof methods, work, LAST);
    const f0t_eval_options options = eval_options(work, methods, ALL);
    F0T_DEMO_TRY(f0t_eval_options_check(&options));
    return check_wordnet(work);
}

/* *grew: a result came that was not there. */
static f0t_status compare_methods(f0t_demo_work *work, const stage *of, bool *grew)
{
    char methods[METHODS_SIZE], path[F0T_DEMO_PATH_SIZE], model[F0T_DEMO_PATH_SIZE];
    list_methods(methods, sizeof methods, work, of);
    f0t_eval_options options = eval_options(work, methods, of->scenarios);
    options.results = f0t_demo_path(path, work, "results.jsonl");
    options.model = f0t_demo_path(model, work, MODEL);
    f0t_eval_free(work->eval);
    work->eval = NULL;
    const long long before = f0t_demo_size(path);
    f0t_status status =
        f0t_eval_run(&work->eval, work->collection, work->vectors, &options, work->context);
    if (status == F0T_ERROR_MISMATCH &&
        unlink(path) == 0) /* of an earlier version of the program */
        status =
            f0t_eval_run(&work->eval, work->collection, work->vectors, &options, work->context);
    *grew = f0t_demo_size(path) != before;
    return status;
}

/* ---- The model --------------------------------------------------------------------------------- */

static f0t_status train(f0t_demo_work *work)
{
    f0t_train_options options = F0T_TRAIN_OPTIONS;
    options.method = F0T_METHOD_BLEND;
    options.seed = work->options.seed;
    options.epochs = options.patience = blend_epochs(work);
    f0t_learn_options how = F0T_LEARN_OPTIONS;
    f0t_learned *learned;
    how.train = &options;
    how.output = work->model_path;
    how.no_reference = true;
    F0T_DEMO_TRY(f0t_learn(&learned, work->collection, work->vectors, &how, work->context));
    work->model = learned->model;
    learned->model = NULL; /* which is kept */
    f0t_learned_free(learned);
    return F0T_OK;
}

/* The comparison keeps its own; where nothing was compared, or the file has gone, the same one is trained. */
static f0t_status open_model(f0t_demo_work *work)
{
    f0t_demo_path(work->model_path, work, MODEL);
    return access(work->model_path, F_OK) == 0 &&
                   f0t_model_load(&work->model, work->model_path, work->context) == F0T_OK
               ? F0T_OK
               : train(work);
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

/* ---- The page ---------------------------------------------------------------------------------- */

/* What the caller sees, and what it stands on. */
typedef struct result {
    f0t_demo shown;
    f0t_demo_work work;
    double began;
    char page[F0T_DEMO_PATH_SIZE];
    f0t_report *story;
} result;

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static f0t_showcase showcase_of(const f0t_demo_work *work, const char *to_come)
{
    return (f0t_showcase){.size = sizeof(f0t_showcase),
                          .eval = work->eval,
                          .model = work->model,
                          .words = work->nouns,
                          .pictures = work->pictures,
                          .cleaning = work->cleaning,
                          .found = work->path_count,
                          .generated = work->generated,
                          .clipart = work->clipart,
                          .vectors = work->options.vectors,
                          .blend_epochs = blend_epochs(work),
                          .to_come = to_come};
}

static f0t_status write_page(result *r, const char *to_come)
{
    const f0t_demo_options *o = &r->work.options;
    const f0t_showcase showcase = showcase_of(&r->work, to_come);
    F0T_DEMO_TRY(f0t_showcase_save(&showcase, r->page, r->work.context));
    if (o->written)
        o->written(o->user, r->page, to_come ? to_come : "", seconds_now() - r->began);
    return F0T_OK;
}

/* ---- The steps in their order -------------------------------------------------------------- */

static f0t_status prepare(f0t_demo_work *work)
{
    F0T_DEMO_TRY(check_options(work));
    F0T_DEMO_TRY(f0t_demo_find_pictures(work));
    F0T_DEMO_TRY(f0t_demo_open_folder(work));
    F0T_DEMO_TRY(open_vectors(work));
    F0T_DEMO_TRY(f0t_demo_compare_state(work));
    F0T_DEMO_TRY(f0t_demo_describe_pictures(work));
    F0T_DEMO_TRY(f0t_demo_clean_tags(work));
    return f0t_demo_save_state(work);
}

/* Where a stage has no new result, the page has as much already: an earlier run wrote it. */
static f0t_status compare_in_stages(result *r)
{
    bool grew;
    for (const stage *s = STAGES; s <= LAST; s++) {
        F0T_DEMO_TRY(compare_methods(&r->work, s, &grew));
        if (s->to_come && (grew || access(r->page, F_OK) != 0))
            F0T_DEMO_TRY(write_page(r, s->to_come));
    }
    return F0T_OK;
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

static f0t_status tell_story(result *r)
{
    const f0t_showcase showcase = showcase_of(&r->work, NULL);
    F0T_DEMO_TRY(f0t_showcase_report(&r->story, &showcase, r->page));
    r->shown.page = r->page;
    r->shown.story = f0t_report_text(r->story);
    return F0T_OK;
}

static f0t_status show_all(result *r)
{
    f0t_demo_path(r->page, &r->work, "index.html");
    F0T_DEMO_TRY(compare_in_stages(r));
    F0T_DEMO_TRY(open_model(&r->work));
    F0T_DEMO_TRY(open_vocabulary(&r->work));
    F0T_DEMO_TRY(write_page(r, NULL));
    return tell_story(r);
}

static f0t_status run(result *r)
{
    r->began = seconds_now();
    F0T_DEMO_TRY(prepare(&r->work));
    F0T_DEMO_TRY(r->work.options.only_model ? open_model(&r->work) : show_all(r));
    count_all(&r->shown, &r->work);
    r->shown.seconds = seconds_now() - r->began;
    return F0T_OK;
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
