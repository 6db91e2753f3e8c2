/* f0t_demo_run: vectors, the comparison, the model, the open vocabulary, and all steps in their order. */
#include "base/alloc.h"
#include "base/monitor.h"
#include "demo/demo.h"
#include "io/file.h"
#include "report/eval_tables.h"
#include "word/wordnet_nouns.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

const char f0t_demo_ours[] = "net";
static const char OTHERS[] = "tagprop,conse";

/* Small, so that two cores learn in seconds; the paper's would have 6,960 and 1,740. */
static const char HIDDEN[] = "512,256";
enum { TRIALS = 4, METHODS_SIZE = 1000 };

f0t_status f0t_demo_path(char **out, const f0t_demo_work *work, const char *name)
{
    return f0t_path_join(out, work->output, name);
}

static const char *wordnet_folder(const f0t_demo_work *work)
{
    return work->options.wordnet ? work->options.wordnet : F0T_WORDNET_FOLDER;
}

/* ---- Vectors ----------------------------------------------------------------------------------- */

static f0t_status build_vectors(f0t_demo_work *work, const char *path)
{
    const f0t_vectors_options reading = {.size = sizeof(f0t_vectors_options)};
    const f0t_wordnet_options building = {.size = sizeof(f0t_wordnet_options),
                                          .from = wordnet_folder(work)};
    if (f0t_demo_has_words(work, building.from) &&
        f0t_vectors_open(&work->vectors, path, &reading, NULL) == F0T_OK)
        return F0T_OK;
    f0t_log(f0t_context_monitor(NULL), F0T_LOG_INFO, "word vectors are made from WordNet");
    F0T_TRY(f0t_vectors_build_wordnet(NULL, path, &building, NULL));
    F0T_TRY(f0t_demo_save_words(work, building.from));
    return f0t_vectors_open(&work->vectors, path, &reading, NULL);
}

static f0t_status open_vectors(f0t_demo_work *work)
{
    const f0t_vectors_options options = {.size = sizeof(f0t_vectors_options)};
    char *path;
    if (work->options.vectors)
        return f0t_vectors_open(&work->vectors, work->options.vectors, &options, NULL);
    F0T_TRY(f0t_demo_path(&path, work, "words.safetensors"));
    f0t_status status = build_vectors(work, path);
    f0t_free(path);
    return status;
}

/* ---- The comparison ---------------------------------------------------------------------------- */

/* Chance and frequency are what the gains are over; linear and net are ours. */
static void list_methods(char *out, size_t size, const f0t_demo_work *work)
{
    snprintf(out, size, "random,frequency,%s,linear,net",
             work->options.methods ? work->options.methods : OTHERS);
}

static f0t_eval_options eval_options(const f0t_demo_work *work, const char *methods)
{
    return (f0t_eval_options){.size = sizeof(f0t_eval_options),
                              .centred = true,
                              .methods = methods,
                              .scenarios = "conventional,zero-shot,seen-unseen",
                              .seed = work->options.seed,
                              .trials = TRIALS,
                              .epochs = work->options.epochs,
                              .hidden = HIDDEN,
                              .figure = f0t_demo_ours};
}

/* The nouns of the open vocabulary come last, but from here. */
static f0t_status check_wordnet(const f0t_demo_work *work)
{
    char *path;
    F0T_TRY(f0t_path_join(&path, wordnet_folder(work), "data.noun"));
    const bool there = f0t_path_is_file(path);
    f0t_free(path);
    return there ? F0T_OK
                 : f0t_fail(F0T_ERROR_NOT_FOUND,
                            "%s: has no WordNet (data.noun): Debian's package is wordnet-base",
                            wordnet_folder(work));
}

static f0t_status check_options(const f0t_demo_work *work)
{
    char methods[METHODS_SIZE];
    if (work->options.methods && strlen(work->options.methods) > METHODS_SIZE / 2)
        return f0t_fail(F0T_ERROR_ARGUMENT, "the list of methods is too long");
    list_methods(methods, sizeof methods, work);
    const f0t_eval_options options = eval_options(work, methods);
    F0T_TRY(f0t_eval_options_check(&options));
    return check_wordnet(work);
}

static f0t_status compare_methods(f0t_demo_work *work)
{
    char methods[METHODS_SIZE], *path;
    list_methods(methods, sizeof methods, work);
    f0t_eval_options options = eval_options(work, methods);
    F0T_TRY(f0t_demo_path(&path, work, "results.jsonl"));
    options.results = path;
    f0t_status status = f0t_eval_run(&work->eval, work->collection, work->vectors, &options, NULL);
    if (status == F0T_ERROR_MISMATCH &&
        unlink(path) == 0) /* of an earlier version of the program */
        status = f0t_eval_run(&work->eval, work->collection, work->vectors, &options, NULL);
    f0t_free(path);
    return status;
}

double f0t_demo_value(const f0t_eval *eval, const char *method, f0t_scenario scenario,
                      const char *value)
{
    const f0t_eval_slice slice = f0t_eval_slice_of(eval, scenario);
    for (size_t i = 0; i < slice.count; i++)
        if (!strcmp(slice.rows[i].method, method))
            return f0t_eval_row_mean(&slice.rows[i], value);
    return (double)NAN;
}

/* ---- The model --------------------------------------------------------------------------------- */

/* The settings that the comparison chose for ranking new tags. */
static void take_choice(f0t_train_options *to, const f0t_eval *eval)
{
    size_t m = 0;
    while (strcmp(eval->plan.methods[m]->name, f0t_demo_ours) != 0)
        m++;
    const f0t_eval_cell *cell = f0t_eval_cell_at(eval, 0, m, F0T_ZERO_SHOT);
    for (size_t i = 0; i < cell->knob_count; i++) {
        if (!strcmp(cell->knob_names[i], "decay"))
            to->decay = cell->knobs[i];
        if (!strcmp(cell->knob_names[i], "rate"))
            to->rate = cell->knobs[i];
    }
    to->hidden_count = eval->plan.hidden_count;
    memcpy(to->hidden, eval->plan.hidden, sizeof to->hidden);
}

static f0t_status train(f0t_demo_work *work, const char *path)
{
    f0t_train_options options = F0T_TRAIN_OPTIONS;
    options.seed = work->options.seed;
    if (work->options.epochs)
        options.epochs = work->options.epochs;
    take_choice(&options, work->eval);
    if (f0t_path_exists(path) && f0t_model_load(&work->model, path) == F0T_OK)
        return F0T_OK;
    F0T_TRY(f0t_train(&work->model, work->collection, work->vectors, &options, NULL));
    return f0t_model_save(work->model, path);
}

static f0t_status train_model(f0t_demo_work *work)
{
    char *path;
    F0T_TRY(f0t_demo_path(&path, work, "model.f0t"));
    f0t_status status = train(work, path);
    f0t_free(path);
    return status;
}

/* ---- The open vocabulary ----------------------------------------------------------------------- */

static f0t_status save_nouns(const f0t_texts *nouns, const char *path)
{
    f0t_writer *writer;
    F0T_TRY(f0t_writer_open(&writer, path));
    f0t_status status = F0T_OK;
    for (size_t i = 0; i < nouns->count && status == F0T_OK; i++)
        status = f0t_writer_printf(writer, "%s\n", f0t_texts_get(nouns, i));
    return f0t_writer_finish(writer, status);
}

/* Nouns that training did not see. */
static f0t_status make_vocabulary(f0t_demo_work *work, const f0t_texts *nouns)
{
    const f0t_vocab *seen = f0t_model_vocab(work->model);
    const f0t_vocab_options options = {.size = sizeof(f0t_vocab_options),
                                       .centred = f0t_vocab_centred(seen),
                                       .no_suggestions = true};
    const char **names;
    size_t count = 0;
    F0T_TRY(f0t_alloc(&names, nouns->count, sizeof *names));
    f0t_status status = F0T_OK;
    for (size_t i = 0; status == F0T_OK && i < nouns->count; i++) {
        size_t place;
        status = f0t_vocab_find(&place, seen, f0t_texts_get(nouns, i));
        if (status == F0T_OK && place == F0T_NONE)
            names[count++] = f0t_texts_get(nouns, i);
    }
    if (status == F0T_OK)
        status = f0t_vocab_create(&work->nouns, names, count, work->vectors, &options, NULL);
    f0t_free(names);
    return status;
}

static f0t_status open_vocabulary(f0t_demo_work *work)
{
    f0t_texts nouns = {0};
    char *path;
    F0T_TRY(f0t_demo_path(&path, work, "nouns.txt"));
    f0t_status status = f0t_wordnet_visible_nouns(&nouns, wordnet_folder(work));
    if (status == F0T_OK)
        status = save_nouns(&nouns, path);
    if (status == F0T_OK)
        status = make_vocabulary(work, &nouns);
    f0t_texts_free(&nouns);
    f0t_free(path);
    return status;
}

/* ---- The steps in their order -------------------------------------------------------------- */

/* What the caller sees, and what it stands on. */
typedef struct result {
    f0t_demo shown;
    f0t_demo_work work;
    char *page, *story;
} result;

static void count_all(f0t_demo *demo, const f0t_demo_work *work)
{
    demo->pictures = work->paths.count;
    demo->images = f0t_dataset_image_count(work->collection);
    f0t_dataset_seen(&demo->seen, work->collection);
    f0t_dataset_unseen(&demo->unseen, work->collection);
    demo->tags = demo->seen + demo->unseen;
    demo->nouns = f0t_vocab_count(work->nouns);
    demo->eval = work->eval;
    demo->seconds = f0t_time() - work->began;
}

static f0t_status take_steps(f0t_demo_work *work)
{
    F0T_TRY(check_options(work));
    F0T_TRY(f0t_demo_find_pictures(work));
    F0T_TRY(f0t_demo_open_folder(work));
    F0T_TRY(open_vectors(work));
    F0T_TRY(f0t_demo_compare_state(work));
    F0T_TRY(f0t_demo_describe_pictures(work));
    F0T_TRY(f0t_demo_clean_tags(work));
    F0T_TRY(f0t_demo_save_state(work));
    F0T_TRY(compare_methods(work));
    F0T_TRY(train_model(work));
    return open_vocabulary(work);
}

static f0t_status run(result *r)
{
    F0T_TRY(take_steps(&r->work));
    F0T_TRY(f0t_demo_path(&r->page, &r->work, "index.html"));
    r->shown.page = r->page;
    count_all(&r->shown, &r->work);
    F0T_TRY(f0t_demo_write_page(&r->work, &r->shown));
    F0T_TRY(f0t_demo_write_story(&r->story, &r->work, &r->shown));
    r->shown.story = r->story;
    return F0T_OK;
}

f0t_status f0t_demo_run(f0t_demo **out, const char *output, const f0t_demo_options *options,
                        const f0t_context *context)
{
    F0T_ENTER(context);
    F0T_REQUIRE(out);
    *out = NULL;
    F0T_REQUIRE(output);
    F0T_READ_OPTIONS(f0t_demo_options, F0T_DEMO_OPTIONS, options);
    result *r;
    F0T_TRY(f0t_alloc_zero(&r, 1, sizeof *r));
    r->work.output = output;
    r->work.began = f0t_time();
    r->work.options = *options;
    f0t_status status = run(r);
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
    f0t_vocab_free(r->work.nouns);
    f0t_model_free(r->work.model);
    f0t_eval_free(r->work.eval);
    f0t_free(r->work.copy);
    f0t_cleaned_free(&r->work.cleaned);
    f0t_dataset_close(r->work.collection);
    f0t_dataset_close(r->work.pictures);
    f0t_vectors_close(r->work.vectors);
    f0t_texts_free(&r->work.paths);
    f0t_free(r->page);
    f0t_free(r->story);
    f0t_free(r);
}
