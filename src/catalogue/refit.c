/* The catalogue's model goes on with what people have said since, and suggests anew. */
#include "catalogue/catalogue.h"

#include "base/context.h"
#include "base/monitor.h"

static f0t_status learn(f0t_refit_report *report, const char *from, const char *to,
                        const f0t_dataset *dataset, const f0t_refit_options *options)
{
    f0t_model *model = NULL;
    F0T_TRY(f0t_model_refit(&model, from, dataset, options, NULL));
    f0t_status status = f0t_model_save(model, to);
    report->pictures = f0t_dataset_image_count(dataset);
    report->tags = f0t_vocab_count(f0t_model_vocab(model));
    f0t_model_free(model);
    return status;
}

f0t_status f0t_catalogue_refit(f0t_refit_report *report, f0t_catalogue *catalogue, const char *path,
                               const f0t_refit_options *options, const f0t_context *context)
{
    F0T_REQUIRE(report);
    *report = (f0t_refit_report){.pictures = 0};
    F0T_REQUIRE(catalogue);
    F0T_READ_OPTIONS(f0t_refit_options, F0T_REFIT_OPTIONS, options);
    F0T_ENTER(context);
    const char *from = f0t_catalogue_model(catalogue);
    const f0t_dataset_options all = {.size = sizeof all, .seed = options->seed};
    f0t_index_options index = F0T_INDEX_OPTIONS;
    f0t_index_report indexed = {.updated = 0};
    f0t_dataset *dataset;
    const double began = f0t_time();
    if (!from)
        return f0t_fail(F0T_ERROR_NOT_FOUND, "%s has no model to go on with: train one first",
                        f0t_catalogue_path(catalogue));
    F0T_TRY(f0t_catalogue_open_dataset(&dataset, catalogue, &all, NULL));
    f0t_status status = learn(report, from, path ? path : from, dataset, options);
    f0t_dataset_close(dataset);
    F0T_TRY(status);
    report->seconds = f0t_time() - began;
    index.model = path;
    status = f0t_catalogue_index(&indexed, catalogue, NULL, 0, &index, NULL);
    report->suggested = indexed.updated;
    return status;
}
