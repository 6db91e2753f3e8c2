/* A dataset in memory: texts as its files would be, or matrices of features and labels. */
#include "io/dataset.h"

#include "base/alloc.h"
#include "base/context.h"
#include "io/text.h"

#include <string.h>

/* ---- Texts and a matrix ----------------------------------------------------------------------- */

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
                    "%s: features of type '%s': float32, float16 or float64 is expected",
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
                                   const f0t_dataset_options *options, const f0t_context *context)
{
    F0T_ENTER(context);
    F0T_REQUIRE(out);
    *out = NULL;
    F0T_REQUIRE(memory);
    F0T_READ_OPTIONS(f0t_dataset_options, F0T_DATASET_OPTIONS, options);
    F0T_READ_OPTIONS(f0t_dataset_memory, F0T_DATASET_MEMORY, memory);
    f0t_dataset *dataset;
    F0T_TRY(f0t_alloc_zero(&dataset, 1, sizeof *dataset));
    f0t_status status = load(dataset, memory, options);
    if (status != F0T_OK)
        f0t_dataset_close(dataset);
    else
        *out = dataset;
    return status;
}

/* ---- Tags ------------------------------------------------------------------------------------ */

/* What tags.txt could hold. */
static bool is_usable(const char *tag, size_t length)
{
    const char *trimmed = tag;
    size_t left = length;
    f0t_text_trim(&trimmed, &left);
    return length && length <= F0T_TAG_LONGEST && left == length && !memchr(tag, '\t', length) &&
           f0t_text_is_word(tag, length);
}

static f0t_status add_tags(f0t_dataset *dataset, const f0t_dataset_arrays *a)
{
    F0T_TRY(f0t_require_all("f0t_dataset_open_arrays", "tags", a->tags, a->tag_count));
    if (a->tag_count > UINT32_MAX)
        return f0t_fail(F0T_ERROR_ARGUMENT, "%s: %zu tags are too many", dataset->path,
                        a->tag_count);
    for (size_t t = 0; t < a->tag_count; t++) {
        const size_t length = strlen(a->tags[t]);
        uint32_t index;
        bool added = false;
        if (!is_usable(a->tags[t], length))
            return f0t_fail(F0T_ERROR_ARGUMENT,
                            "%s: tag %zu, '%.40s', is no tag: UTF-8 of 1 to %d bytes without tabs, "
                            "newlines and blanks at its ends is expected",
                            dataset->path, t, a->tags[t], F0T_TAG_LONGEST);
        F0T_TRY(f0t_names_add(&index, &added, &dataset->tags, a->tags[t], length));
        if (!added)
            return f0t_fail(F0T_ERROR_ARGUMENT, "%s: tag %zu, '%.40s', is tag %u already",
                            dataset->path, t, a->tags[t], index);
    }
    return F0T_OK;
}

static f0t_status add_list(f0t_tag_list *list, const f0t_dataset_arrays *a, bool unseen)
{
    F0T_TRY(f0t_alloc(&list->tags, a->tag_count, sizeof *list->tags));
    list->given = true;
    for (size_t t = 0; t < a->tag_count; t++)
        if (a->unseen[t] == unseen)
            list->tags[list->count++] = (uint32_t)t;
    return F0T_OK;
}

/* ---- Labels ---------------------------------------------------------------------------------- */

static f0t_status add_dense(f0t_dataset *dataset, const f0t_dataset_arrays *a, size_t m)
{
    const uint8_t *row = a->labels + m * a->tag_count;
    for (size_t t = 0; t < a->tag_count; t++) {
        if (row[t] > 1)
            return f0t_fail(F0T_ERROR_ARGUMENT,
                            "%s: the label of image %zu for tag %zu is %u: 0 "
                            "or 1 is expected",
                            dataset->path, m, t, row[t]);
        if (row[t])
            F0T_TRY(f0t_rows_add(&dataset->rows, (uint32_t)t));
    }
    return F0T_OK;
}

static f0t_status add_sparse(f0t_dataset *dataset, const f0t_dataset_arrays *a, size_t m)
{
    if (a->offsets[m] > a->offsets[m + 1])
        return f0t_fail(F0T_ERROR_ARGUMENT, "%s: the offsets fall after image %zu", dataset->path,
                        m);
    for (size_t i = a->offsets[m]; i < a->offsets[m + 1]; i++) {
        if (a->indices[i] >= a->tag_count)
            return f0t_fail(F0T_ERROR_ARGUMENT, "%s: image %zu has tag %u of %zu", dataset->path, m,
                            a->indices[i], a->tag_count);
        F0T_TRY(f0t_rows_add(&dataset->rows, a->indices[i]));
    }
    return F0T_OK;
}

static f0t_status check_labels(const f0t_dataset *dataset, const f0t_dataset_arrays *a)
{
    if (!a->images || a->images > UINT32_MAX)
        return f0t_fail(F0T_ERROR_ARGUMENT, "%s: %zu images: a dataset has 1 to %u", dataset->path,
                        a->images, UINT32_MAX);
    if ((a->labels != NULL) == (a->offsets != NULL) ||
        (a->offsets && a->offsets[a->images] && !a->indices))
        return f0t_fail(F0T_ERROR_ARGUMENT,
                        "%s: either labels, or offsets with indices are expected", dataset->path);
    return F0T_OK;
}

static f0t_status add_labels(f0t_dataset *dataset, const f0t_dataset_arrays *a)
{
    F0T_TRY(check_labels(dataset, a));
    for (size_t m = 0; m < a->images; m++) {
        F0T_TRY(a->labels ? add_dense(dataset, a, m) : add_sparse(dataset, a, m));
        F0T_TRY(f0t_rows_end(&dataset->rows));
    }
    return F0T_OK;
}

/* ---- All of it ------------------------------------------------------------------------------- */

static f0t_status set_split(f0t_dataset *dataset, const f0t_dataset_arrays *a,
                            const f0t_dataset_options *options)
{
    F0T_TRY(f0t_alloc(&dataset->split, a->images, 1));
    dataset->split_given = a->split != NULL;
    dataset->drawn = *options;
    if (!a->split)
        return f0t_dataset_draw_split(dataset->split, a->images, options);
    for (size_t m = 0; m < a->images; m++)
        if (a->split[m] > F0T_TEST)
            return f0t_fail(F0T_ERROR_ARGUMENT,
                            "%s: the split of image %zu is %u: F0T_TRAIN, "
                            "F0T_VAL or F0T_TEST is expected",
                            dataset->path, m, a->split[m]);
    memcpy(dataset->split, a->split, a->images);
    return F0T_OK;
}

static f0t_status set_features(f0t_dataset *dataset, const f0t_dataset_arrays *a)
{
    if (!a->features)
        return F0T_OK;
    if (!a->dim)
        return f0t_fail(F0T_ERROR_ARGUMENT, "%s: the rows of its features are empty",
                        dataset->path);
    dataset->dim = a->dim;
    return f0t_npy_open_matrix(&dataset->features, a->features, F0T_F32, a->images, a->dim,
                               dataset->path);
}

static f0t_status fill(f0t_dataset *dataset, const f0t_dataset_arrays *a,
                       const f0t_dataset_options *options)
{
    const char *name = a->name ? a->name : "memory";
    F0T_TRY(f0t_string_copy(&dataset->path, name, strlen(name)));
    F0T_TRY(f0t_string_copy(&dataset->name, name, strlen(name)));
    F0T_TRY(add_tags(dataset, a));
    if (a->unseen) {
        F0T_TRY(add_list(&dataset->seen, a, false));
        F0T_TRY(add_list(&dataset->unseen, a, true));
    }
    F0T_TRY(add_labels(dataset, a));
    F0T_TRY(set_split(dataset, a, options));
    return set_features(dataset, a);
}

f0t_status f0t_dataset_open_arrays(f0t_dataset **out, const f0t_dataset_arrays *arrays,
                                   const f0t_dataset_options *options, const f0t_context *context)
{
    F0T_ENTER(context);
    f0t_dataset *dataset;
    F0T_REQUIRE(out);
    *out = NULL;
    F0T_REQUIRE(arrays);
    F0T_READ_OPTIONS(f0t_dataset_options, F0T_DATASET_OPTIONS, options);
    F0T_READ_OPTIONS(f0t_dataset_arrays, F0T_DATASET_ARRAYS, arrays);
    F0T_TRY(f0t_alloc_zero(&dataset, 1, sizeof *dataset));
    f0t_status status = fill(dataset, arrays, options);
    if (status != F0T_OK)
        f0t_dataset_close(dataset);
    else
        *out = dataset;
    return status;
}
