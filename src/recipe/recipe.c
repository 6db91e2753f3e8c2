/* f0t_learn: from a dataset with a person's keywords, or clean tags, to a model that is saved and compared. */
#include "recipe/recipe.h"

#include "base/alloc.h"
#include "base/context.h"

#include <math.h>
#include <unistd.h>

f0t_status f0t_recipe_begin(f0t_recipe *r, const f0t_learn_options *options)
{
    F0T_READ_OPTIONS(f0t_learn_options, F0T_LEARN_OPTIONS, options);
    const f0t_train_options *train = options->train;
    F0T_READ_OPTIONS(f0t_train_options, F0T_TRAIN_OPTIONS, train);
    r->options = *options;
    f0t_plan_begin(&r->plan, f0t_context_monitor(NULL), "learning");
    r->monitor = &r->plan.monitor;
    r->train = *train;
    if (!options->train)
        r->train.method = F0T_METHOD_BLEND;
    if (!(options->tune >= 0))
        return f0t_fail(F0T_ERROR_ARGUMENT,
                        "f0t_learn_options: tune is %g seconds; 0 or more is expected",
                        options->tune);
    F0T_TRY(f0t_alloc_zero(&r->whole, 1, sizeof *r->whole));
    r->learned = &r->whole->shown;
    r->learned->reference =
        (f0t_reference){.model = (double)NAN, .frequency = (double)NAN, .neighbours = (double)NAN};
    return F0T_OK;
}

/* A dataset has no pictures that suggestions are made for. */
static void fill_bar(f0t_recipe *r, double upto)
{
    f0t_plan_next(&r->plan, r->catalogue ? upto : upto / F0T_RECIPE_COMPARED);
}

/* ---- Tags -------------------------------------------------------------------------------------------- */

/* The dataset with the tags to learn. */
static const f0t_dataset *learned_dataset(const f0t_recipe *r)
{
    return r->learned->prepared ? r->learned->prepared->dataset : r->dataset;
}

/* Lists of seen and unseen tags are somebody's work, and a comparison would no longer be one with other tags. */
static f0t_status clean(f0t_recipe *r)
{
    size_t count;
    f0t_prepared **prepared = &r->whole->prepared;
    const f0t_prepare_options *how = r->options.clean;
    if (r->options.keep_tags || f0t_dataset_seen(&count, r->dataset))
        return F0T_OK;
    F0T_READ_OPTIONS(f0t_prepare_options, F0T_PREPARE_OPTIONS, how);
    f0t_prepare_options options = *how;
    if (!options.least && (r->options.refit || r->train.method == F0T_METHOD_BLEND))
        options.least = 1;                           /* neighbours vote for the rarest tag, too */
    options.keep_common |= r->options.refit != NULL; /* what the model knows stays */
    F0T_TRY(f0t_tags_prepare(prepared, r->dataset, &options, F0T_WATCHED(r->monitor)));
    r->learned->prepared = *prepared;
    f0t_recipe_log_cleaning(*prepared, r->monitor);
    return F0T_OK;
}

/* ---- The model --------------------------------------------------------------------------------------- */

static bool asks_classes(const f0t_train_options *train)
{
    return train->method == F0T_METHOD_BLEND && !(train->without & (1U << F0T_EXPERT_CLASSES));
}

/* The model, whose steps say what they cost. */
static void begin_work(f0t_recipe *r)
{
    fill_bar(r, F0T_RECIPE_LEARNED);
    f0t_plan_total(r->monitor, 1);
}

static f0t_status train_with(f0t_recipe *r, const f0t_classes *classes)
{
    f0t_learned *l = r->learned;
    r->train.classes = classes;
    if (r->options.tune > 0) {
        fill_bar(r, F0T_RECIPE_SEARCHED);
        F0T_TRY(f0t_train_tune(&r->train, &l->tuning, learned_dataset(r), r->vectors,
                               r->options.tune, r->options.trials, F0T_WATCHED(r->monitor)));
    }
    begin_work(r);
    return f0t_train(&l->model, learned_dataset(r), r->vectors, &r->train, F0T_WATCHED(r->monitor));
}

static f0t_status train(f0t_recipe *r)
{
    f0t_classes *classes = NULL;
    if (!asks_classes(&r->train) && r->options.classes)
        return f0t_fail(F0T_ERROR_ARGUMENT,
                        "classes are for the blend, and for those who do not switch them off");
    if (asks_classes(&r->train))
        F0T_TRY(f0t_classes_open_for(&classes, r->options.classes, r->dataset,
                                     F0T_WATCHED(r->monitor)));
    f0t_status status = train_with(r, classes);
    r->train.classes = NULL;
    f0t_classes_close(classes);
    return status;
}

static f0t_status refit(f0t_recipe *r)
{
    const f0t_refit_options *how = r->options.refit;
    F0T_READ_OPTIONS(f0t_refit_options, F0T_REFIT_OPTIONS, how);
    f0t_refit_options options = *how;
    options.vectors = r->vectors;
    begin_work(r);
    return f0t_model_refit(&r->learned->model, f0t_catalogue_model(r->catalogue),
                           learned_dataset(r), &options, F0T_WATCHED(r->monitor));
}

f0t_status f0t_recipe_make_model(f0t_recipe *r)
{
    const double began = f0t_time();
    F0T_TRY(clean(r));
    F0T_TRY(r->options.refit ? refit(r) : train(r));
    r->learned->images = f0t_dataset_image_count(r->dataset);
    r->learned->seconds = f0t_time() - began;
    return F0T_OK;
}

/* ---- Files ------------------------------------------------------------------------------------------- */

static void remove_file(const char *path)
{
    if (path)
        unlink(path);
}

void f0t_recipe_remove_work(const f0t_recipe *r)
{
    remove_file(r->train.checkpoint);
    remove_file(r->options.trials);
}

/* The first process saves, when all have their model. */
static f0t_status save(f0t_recipe *r, const f0t_context *context, f0t_status status)
{
    if (f0t_context_processes(context) > 1)
        status = f0t_context_agree(context, status, NULL);
    if (status != F0T_OK || !r->options.output || f0t_context_rank(context) > 0)
        return status;
    F0T_TRY(f0t_model_save(r->learned->model, r->options.output));
    f0t_recipe_remove_work(r);
    return F0T_OK;
}

f0t_status f0t_recipe_compare(f0t_recipe *r)
{
    if (r->options.no_reference || r->options.refit)
        return F0T_OK;
    fill_bar(r, F0T_RECIPE_COMPARED);
    return f0t_reference_measure(&r->learned->reference, r->learned->model, learned_dataset(r),
                                 &r->train, F0T_WATCHED(r->monitor));
}

/* ---- All of it --------------------------------------------------------------------------------------- */

f0t_status f0t_learn(f0t_learned **out, const f0t_dataset *dataset, const f0t_vectors *vectors,
                     const f0t_learn_options *options, const f0t_context *context)
{
    F0T_ENTER(context);
    F0T_REQUIRE(out);
    *out = NULL;
    F0T_REQUIRE(dataset);
    F0T_REQUIRE(vectors);
    f0t_recipe r = {.dataset = dataset, .vectors = vectors};
    F0T_TRY(f0t_recipe_begin(&r, options));
    f0t_status status =
        r.options.refit
            ? f0t_fail(F0T_ERROR_ARGUMENT, "f0t_learn_options: refit is for f0t_catalogue_learn")
            : f0t_recipe_make_model(&r);
    status = save(&r, context, status);
    if (status == F0T_OK)
        status = f0t_recipe_compare(&r);
    if (status != F0T_OK) {
        f0t_learned_free(r.learned);
        return status;
    }
    f0t_plan_end(&r.plan);
    *out = r.learned;
    return F0T_OK;
}

void f0t_learned_free(f0t_learned *learned)
{
    f0t_learned_whole *whole = (f0t_learned_whole *)learned;
    if (!whole)
        return;
    f0t_model_free(learned->model);
    f0t_prepared_free(whole->prepared);
    f0t_dataset_close(whole->dataset);
    f0t_free(whole);
}
