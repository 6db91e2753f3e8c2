/* A dataset whose files are texts and a matrix in memory. */
#include "base/alloc.h"
#include "io/dataset_load.h"

#include <string.h>

static f0t_status open_text(void *context, const char *name, f0t_stream **out)
{
    const f0t_dataset_memory *memory = context;
    const struct {
        const char *name, *text;
    } files[] = {{"tags.txt", memory->tags},     {"split.txt", memory->split},
                 {"images.txt", memory->images}, {"seen.txt", memory->seen},
                 {"unseen.txt", memory->unseen}, {"dataset.json", memory->json}};
    *out = NULL;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        if (files[i].text && !strcmp(files[i].name, name))
            return f0t_stream_open_memory(out, files[i].text, strlen(files[i].text), name);
    return F0T_OK;
}

static f0t_status find_dtype(f0t_dtype *out, const f0t_dataset *dataset, const char *name)
{
    static const f0t_dtype types[] = {F0T_F32, F0T_F16, F0T_F64};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (!name || !strcmp(name, f0t_dtype_name(types[i]))) {
            *out = types[i];
            return F0T_OK;
        }
    return f0t_fail(F0T_ERROR_ARGUMENT,
                    "%s: features of type '%s': float32, float16 or float64 is wanted",
                    dataset->path, name);
}

static f0t_status take_features(f0t_dataset *dataset, const f0t_dataset_memory *memory)
{
    f0t_dtype dtype = F0T_F32;
    F0T_TRY(find_dtype(&dtype, dataset, memory->dtype));
    if (memory->rows != dataset->rows.count)
        return f0t_fail(F0T_ERROR_MISMATCH, "%s: there are features of %zu images and tags of %zu",
                        dataset->path, memory->rows, dataset->rows.count);
    if (!memory->dim)
        return f0t_fail(F0T_ERROR_ARGUMENT, "%s: the rows of its features are empty",
                        dataset->path);
    F0T_TRY(f0t_npy_open_matrix(&dataset->features, memory->features, dtype, memory->rows,
                                memory->dim, dataset->path));
    dataset->dim = memory->dim;
    return F0T_OK;
}

static f0t_status load(f0t_dataset *dataset, const f0t_dataset_memory *memory,
                       const f0t_dataset_options *options)
{
    f0t_dataset_memory texts = *memory;
    f0t_dataset_source source = {open_text, &texts};
    const char *path = memory->path ? memory->path : "memory";
    F0T_TRY(f0t_string_copy(&dataset->path, path, strlen(path)));
    F0T_TRY(f0t_dataset_load(dataset, &source, options));
    if (dataset->features_path)
        return f0t_fail(F0T_ERROR_ARGUMENT,
                        "%s: dataset.json names a features file, which a dataset in memory has not",
                        path);
    if (memory->features)
        F0T_TRY(take_features(dataset, memory));
    return dataset->name ? F0T_OK : f0t_string_copy(&dataset->name, path, strlen(path));
}

f0t_status f0t_dataset_open_memory(f0t_dataset **out, const f0t_dataset_memory *memory,
                                   const f0t_dataset_options *options)
{
    F0T_REQUIRE(out);
    *out = NULL;
    F0T_REQUIRE(memory);
    f0t_dataset_options defaults;
    f0t_dataset *dataset;
    f0t_dataset_options_init(&defaults);
    F0T_TRY(f0t_alloc_zero(&dataset, 1, sizeof *dataset));
    f0t_status status = load(dataset, memory, options ? options : &defaults);
    if (status != F0T_OK)
        f0t_dataset_close(dataset);
    else
        *out = dataset;
    return status;
}
