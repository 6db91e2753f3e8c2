/* Which images of a dataset a model has learned from. Where there is no split.txt the training draws the parts, and
 * the model keeps how: nobody else can say what is left to test it on. */
#include "base/alloc.h"
#include "base/context.h"
#include "io/dataset.h"
#include "io/json.h"
#include "model/model.h"

#include <string.h>

static const char *const NAMES[] = {"training", "validation", "test"};

/* How the training drew its parts; *images is 0 where it did not. */
static f0t_status recall_draw(f0t_dataset_options *drawn, size_t *images, const f0t_model *model)
{
    json_t *training;
    F0T_TRY(f0t_json_parse(&training, model->training, strlen(model->training),
                           "the model's training"));
    const json_t *split = json_object_get(training, "split");
    const json_int_t count = json_integer_value(json_object_get(split, "images"));
    *images = count > 0 ? (size_t)count : 0;
    *drawn =
        (f0t_dataset_options){.size = sizeof *drawn,
                              .seed = (uint64_t)json_integer_value(json_object_get(split, "seed")),
                              .val = json_number_value(json_object_get(split, "val")),
                              .test = json_number_value(json_object_get(split, "test"))};
    json_decref(training);
    return F0T_OK;
}

static f0t_status draw_again(uint8_t *split, const f0t_model *model, const f0t_dataset *dataset)
{
    const size_t count = f0t_dataset_image_count(dataset);
    f0t_dataset_options drawn;
    size_t images;
    F0T_TRY(recall_draw(&drawn, &images, model));
    if (!images)
        return f0t_fail(F0T_ERROR_ARGUMENT,
                        "%s: has no split.txt, and the model does not say which of its images it "
                        "has learned from",
                        f0t_dataset_path(dataset));
    if (images != count)
        return f0t_fail(F0T_ERROR_ARGUMENT,
                        "%s: has no split.txt, and its %zu images are not the %zu of which the "
                        "model's training drew some",
                        f0t_dataset_path(dataset), count, images);
    return f0t_dataset_draw_split(split, count, &drawn);
}

static f0t_status check_some(const bool *out, size_t count, const f0t_dataset *dataset,
                             f0t_split part)
{
    for (size_t m = 0; m < count; m++)
        if (out[m])
            return F0T_OK;
    return f0t_fail(
        F0T_ERROR_ARGUMENT, "%s: has no split.txt, and the training drew no %s images from it%s",
        f0t_dataset_path(dataset), NAMES[part],
        part == F0T_TEST ? ": the model has learned from all; 'train --test 0.2' leaves a fifth"
                         : "");
}

static f0t_status find_drawn(bool *out, const f0t_model *model, const f0t_dataset *dataset,
                             f0t_split part)
{
    const size_t count = f0t_dataset_image_count(dataset);
    uint8_t *split;
    F0T_TRY(f0t_alloc(&split, count, 1));
    f0t_status status = draw_again(split, model, dataset);
    for (size_t m = 0; m < count && status == F0T_OK; m++)
        out[m] = split[m] == part;
    f0t_free(split);
    return status == F0T_OK ? check_some(out, count, dataset, part) : status;
}

f0t_status f0t_model_part(bool *out, const f0t_model *model, const f0t_features *features,
                          f0t_split part)
{
    F0T_REQUIRE(out);
    F0T_REQUIRE(model);
    F0T_REQUIRE(features);
    const uint8_t *split = f0t_features_split(features);
    if ((unsigned)part > F0T_TEST)
        return f0t_fail(F0T_ERROR_ARGUMENT, "%d is no part of a dataset", (int)part);
    if (!f0t_features_dataset(features))
        return f0t_fail(F0T_ERROR_ARGUMENT, "a bare matrix has no parts: a dataset has");
    if (!split)
        return find_drawn(out, model, f0t_features_dataset(features), part);
    for (size_t m = 0; m < f0t_features_count(features); m++)
        out[m] = split[m] == part;
    return F0T_OK;
}
