/* f0t_catalogue_learn: a catalogue learns from what people have said of its pictures. */
#include "recipe/recipe.h"

#include "base/context.h"
#include "catalogue/model_before.h"

static f0t_status check(const f0t_recipe *r)
{
    const f0t_learn_options *o = &r->options;
    if (!f0t_catalogue_model(r->catalogue) && (o->refit || !o->output))
        return f0t_fail(F0T_ERROR_NOT_FOUND, "%s has no model to go on with: train one first",
                        f0t_catalogue_path(r->catalogue));
    if (!r->vectors && !o->refit)
        return f0t_fail(F0T_ERROR_ARGUMENT, "learning anew needs word vectors");
    return F0T_OK;
}

/* The new model's suggestions. */
static f0t_status suggest(f0t_recipe *r)
{
    f0t_index_options options = F0T_INDEX_OPTIONS;
    f0t_index_report report = {.updated = 0};
    options.model = r->options.output;
    f0t_plan_next(&r->plan, 1);
    f0t_status status =
        f0t_catalogue_index(&report, r->catalogue, NULL, 0, &options, F0T_WATCHED(r->monitor));
    r->learned->suggested = report.updated;
    return status;
}

static f0t_status learn(f0t_recipe *r)
{
    const f0t_learn_options *o = &r->options;
    F0T_TRY(f0t_recipe_make_model(r));
    F0T_TRY(f0t_catalogue_save_model(r->catalogue, r->learned->model, o->output, o->vectors_path));
    f0t_recipe_remove_work(r);
    F0T_TRY(f0t_recipe_compare(r));
    return suggest(r);
}

static f0t_status run(f0t_recipe *r)
{
    const f0t_refit_options *refit = r->options.refit;
    f0t_dataset **dataset = &r->whole->dataset;
    f0t_dataset_options split = F0T_DATASET_OPTIONS;
    split.test = r->options.test;
    split.val = refit ? 0 : split.val; /* a refit chooses nothing by validation */
    split.seed = refit ? refit->seed : r->train.seed;
    F0T_TRY(check(r));
    F0T_TRY(f0t_catalogue_open_dataset(dataset, r->catalogue, &split, NULL));
    r->dataset = *dataset;
    return learn(r);
}

f0t_status f0t_catalogue_learn(f0t_learned **out, f0t_catalogue *catalogue,
                               const f0t_vectors *vectors, const f0t_learn_options *options,
                               const f0t_context *context)
{
    F0T_ENTER(context);
    F0T_REQUIRE(out);
    *out = NULL;
    F0T_REQUIRE(catalogue);
    f0t_recipe r = {.catalogue = catalogue, .vectors = vectors};
    F0T_TRY(f0t_recipe_begin(&r, options));
    f0t_status status = run(&r);
    if (status != F0T_OK) {
        f0t_learned_free(r.learned);
        return status;
    }
    f0t_plan_end(&r.plan);
    *out = r.learned;
    return F0T_OK;
}
