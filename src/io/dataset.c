/* A dataset that was read: its rows and paths of tags, opening it where its files are, and what one asks of it. */
#include "io/dataset.h"

#include "base/alloc.h"
#include "base/context.h"
#include "io/text.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Rows: the tags of images as indices ------------------------------------------------------ */

enum { FEW = 32 }; /* up to here insertion beats qsort */

f0t_status f0t_rows_add(f0t_rows *rows, uint32_t index)
{
    F0T_TRY(
        f0t_grow(&rows->indices, &rows->indices_capacity, rows->used, 1, sizeof *rows->indices));
    rows->indices[rows->used++] = index;
    return F0T_OK;
}

static int compare(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static void sort(uint32_t *indices, size_t n)
{
    if (n > FEW) {
        qsort(indices, n, sizeof *indices, compare);
        return;
    }
    for (size_t i = 1; i < n; i++) {
        uint32_t held = indices[i];
        size_t k = i;
        for (; k && indices[k - 1] > held; k--)
            indices[k] = indices[k - 1];
        indices[k] = held;
    }
}

f0t_status f0t_rows_end(f0t_rows *rows)
{
    F0T_TRY(f0t_grow(&rows->offsets, &rows->offsets_capacity, rows->count + (rows->offsets != NULL),
                     2, sizeof *rows->offsets));
    if (rows->count == 0)
        rows->offsets[0] = 0;
    size_t start = rows->offsets[rows->count], kept = start;
    if (rows->used > start)
        sort(rows->indices + start, rows->used - start);
    for (size_t i = start; i < rows->used; i++)
        if (i == start || rows->indices[i] != rows->indices[kept - 1])
            rows->indices[kept++] = rows->indices[i];
    rows->repeats += rows->used - kept;
    rows->used = kept;
    rows->offsets[++rows->count] = kept;
    return F0T_OK;
}

const uint32_t *f0t_rows_get(size_t *count, const f0t_rows *rows, size_t m)
{
    *count = rows->offsets[m + 1] - rows->offsets[m];
    return rows->indices ? rows->indices + rows->offsets[m] : NULL; /* NULL: no row has any */
}

void f0t_rows_free(f0t_rows *rows)
{
    f0t_free(rows->offsets);
    f0t_free(rows->indices);
    *rows = (f0t_rows){0};
}

/* ---- Paths of tags ---------------------------------------------------------------------------- */

enum { LONGEST = 4096 }; /* bytes of a path */

void f0t_paths_free(f0t_paths *paths)
{
    f0t_names_free(&paths->tags);
    f0t_texts_free(&paths->paths);
}

f0t_status f0t_paths_add(f0t_paths *paths, const char *path, size_t length)
{
    const char *bar = memrchr(path, '|', length);
    const size_t before = bar ? (size_t)(bar + 1 - path) : length;
    uint32_t index;
    bool added;
    if (before == length)
        return F0T_OK;
    const char *fault = length > LONGEST ? "too long" : f0t_text_fault(path, length);
    if (fault)
        return f0t_fail(F0T_ERROR_FORMAT, "the path of a tag: %s", fault);
    F0T_TRY(f0t_names_add(&index, &added, &paths->tags, path + before, length - before));
    return added ? f0t_texts_add(&paths->paths, path, length) : F0T_OK;
}

f0t_status f0t_paths_copy(f0t_paths *to, const f0t_paths *from)
{
    for (size_t i = 0; i < from->paths.count; i++)
        F0T_TRY(
            f0t_paths_add(to, f0t_texts_get(&from->paths, i), f0t_texts_length(&from->paths, i)));
    return F0T_OK;
}

const char *f0t_paths_find(const f0t_paths *paths, const char *tag)
{
    uint32_t index;
    return f0t_names_find(&index, &paths->tags, tag, strlen(tag))
               ? f0t_texts_get(&paths->paths, index)
               : NULL;
}

/* ---- Aliases of tags ------------------------------------------------------------------------------- */

void f0t_aliases_free(f0t_aliases *aliases)
{
    f0t_names_free(&aliases->forms);
    f0t_texts_free(&aliases->tags);
}

f0t_status f0t_aliases_add(f0t_aliases *aliases, bool *added, const char *form, const char *tag)
{
    uint32_t index;
    F0T_TRY(f0t_names_add(&index, added, &aliases->forms, form, strlen(form)));
    return *added ? f0t_texts_add(&aliases->tags, tag, strlen(tag)) : F0T_OK;
}

/* ---- Opening -------------------------------------------------------------------------------------- */

static f0t_status open_in_folder(void *context, const char *name, f0t_stream **out)
{
    char *path;
    *out = NULL;
    F0T_TRY(f0t_path_join(&path, context, name));
    f0t_status status = f0t_path_exists(path) ? f0t_stream_open(out, path) : F0T_OK;
    f0t_free(path);
    return status;
}

/* features.npy of the directory, or the file that dataset.json names relative to it. */
static f0t_status find_features(f0t_dataset *dataset)
{
    const char *name = dataset->features_path ? dataset->features_path : "features.npy";
    bool named = dataset->features_path != NULL;
    char *path;
    F0T_TRY(f0t_path_join(&path, dataset->path, name));
    f0t_free(dataset->features_path);
    dataset->features_path = path;
    if (f0t_path_exists(path))
        return F0T_OK;
    if (named)
        return f0t_fail(F0T_ERROR_NOT_FOUND, "%s: is not there, but %s/dataset.json names it", path,
                        dataset->path);
    dataset->features_path = NULL;
    f0t_free(path);
    return F0T_OK;
}

/* `tags` is what messages call the list of tags. */
static f0t_status open_features(f0t_dataset *dataset, const char *tags)
{
    size_t rows;
    F0T_TRY(f0t_npy_open(&dataset->features, dataset->features_path));
    if (f0t_npy_dims(dataset->features) != 2)
        return f0t_fail(F0T_ERROR_FORMAT, "%s: has %zu dimensions, images x features are expected",
                        dataset->features_path, f0t_npy_dims(dataset->features));
    F0T_TRY(f0t_npy_matrix(&rows, &dataset->dim, dataset->features));
    if (rows != dataset->rows.count)
        return f0t_fail(F0T_ERROR_MISMATCH, "%s has %zu rows, but %s has %zu images",
                        dataset->features_path, rows, tags, dataset->rows.count);
    if (!dataset->dim)
        return f0t_fail(F0T_ERROR_FORMAT, "%s: its rows are empty", dataset->features_path);
    return F0T_OK;
}

static f0t_status set_name(f0t_dataset *dataset)
{
    const char *end = dataset->path + strlen(dataset->path);
    while (end > dataset->path + 1 && end[-1] == '/')
        end--;
    const char *start = end;
    while (start > dataset->path && start[-1] != '/')
        start--;
    return f0t_string_copy(&dataset->name, start, (size_t)(end - start));
}

static f0t_status open_folder_features(f0t_dataset *dataset)
{
    char *tags;
    F0T_TRY(find_features(dataset));
    if (!dataset->features_path)
        return F0T_OK;
    F0T_TRY(f0t_path_join(&tags, dataset->path, "tags.txt"));
    f0t_status status = open_features(dataset, tags);
    f0t_free(tags);
    return status;
}

static f0t_status open_folder(f0t_dataset *dataset, const char *path,
                              const f0t_dataset_options *options)
{
    f0t_dataset_source source = {open_in_folder, dataset->path};
    if (!f0t_path_exists(path))
        return f0t_fail_errno(ENOENT, "%s", path);
    if (!f0t_path_is_folder(path))
        return f0t_fail(F0T_ERROR_FORMAT, "%s: is a file; a dataset is a directory", path);
    F0T_TRY(f0t_dataset_load(dataset, &source, options));
    F0T_TRY(open_folder_features(dataset));
    return dataset->name ? F0T_OK : set_name(dataset);
}

/* Of the files of a directory, a dataset of two files has tags.txt alone. */
static f0t_status open_tags_alone(void *context, const char *name, f0t_stream **out)
{
    *out = NULL;
    return strcmp(name, "tags.txt") ? F0T_OK : f0t_stream_open(out, context);
}

static f0t_status open_files(f0t_dataset *dataset, const char *features, const char *tags,
                             const f0t_dataset_options *options)
{
    char *path;
    F0T_TRY(f0t_string_copy(&path, tags, strlen(tags)));
    f0t_dataset_source source = {open_tags_alone, path};
    f0t_status status = f0t_dataset_load(dataset, &source, options);
    f0t_free(path);
    F0T_TRY(status);
    if (features) {
        F0T_TRY(f0t_string_copy(&dataset->features_path, features, strlen(features)));
        F0T_TRY(open_features(dataset, tags));
    }
    return set_name(dataset);
}

/* A dataset from a directory, or from two files (`path` may be NULL) where `tags` is given. */
static f0t_status open_any(f0t_dataset **out, const char *path, const char *tags,
                           const f0t_dataset_options *options)
{
    f0t_dataset *dataset;
    *out = NULL;
    F0T_TRY(f0t_alloc_zero(&dataset, 1, sizeof *dataset));
    const char *shown = path ? path : tags;
    f0t_status status = f0t_string_copy(&dataset->path, shown, strlen(shown));
    if (status == F0T_OK)
        status =
            tags ? open_files(dataset, path, tags, options) : open_folder(dataset, path, options);
    if (status != F0T_OK)
        f0t_dataset_close(dataset);
    else
        *out = dataset;
    return status;
}

f0t_status f0t_dataset_open(f0t_dataset **out, const char *path, const f0t_dataset_options *options,
                            const f0t_context *context)
{
    F0T_ENTER(context);
    F0T_REQUIRE(out);
    *out = NULL;
    F0T_REQUIRE(path);
    F0T_READ_OPTIONS(f0t_dataset_options, F0T_DATASET_OPTIONS, options);
    return open_any(out, path, NULL, options);
}

f0t_status f0t_dataset_open_files(f0t_dataset **out, const char *features, const char *tags,
                                  const f0t_dataset_options *options, const f0t_context *context)
{
    F0T_ENTER(context);
    F0T_REQUIRE(out);
    *out = NULL;
    F0T_REQUIRE(tags);
    F0T_READ_OPTIONS(f0t_dataset_options, F0T_DATASET_OPTIONS, options);
    return open_any(out, features, tags, options);
}

void f0t_dataset_close(f0t_dataset *dataset)
{
    if (!dataset)
        return;
    f0t_npy_close(dataset->features);
    f0t_names_free(&dataset->tags);
    f0t_rows_free(&dataset->rows);
    f0t_texts_free(&dataset->images);
    f0t_paths_free(&dataset->paths);
    f0t_aliases_free(&dataset->aliases);
    f0t_free(dataset->split);
    f0t_free(dataset->seen.tags);
    f0t_free(dataset->unseen.tags);
    f0t_free(dataset->path);
    f0t_free(dataset->name);
    f0t_free(dataset->backbone);
    f0t_free(dataset->features_path);
    f0t_free(dataset->owned);
    f0t_free(dataset->reviewed);
    f0t_free(dataset);
}

/* ---- Asking ------------------------------------------------------------------------------------------ */

const char *f0t_dataset_path(const f0t_dataset *dataset)
{
    return dataset->path;
}

const char *f0t_dataset_name(const f0t_dataset *dataset)
{
    return dataset->name;
}

const char *f0t_dataset_backbone(const f0t_dataset *dataset)
{
    return dataset->backbone;
}

size_t f0t_dataset_image_count(const f0t_dataset *dataset)
{
    return dataset->rows.count;
}

const char *f0t_dataset_image(const f0t_dataset *dataset, size_t m)
{
    const f0t_dataset *d = dataset->of ? dataset->of : dataset;
    return d->has_images ? f0t_texts_get(&d->images, m) : NULL;
}

const uint8_t *f0t_dataset_split(const f0t_dataset *dataset)
{
    return dataset->split;
}

bool f0t_dataset_split_is_given(const f0t_dataset *dataset)
{
    return dataset->split_given;
}

size_t f0t_dataset_split_count(const f0t_dataset *dataset, f0t_split split)
{
    size_t count = 0;
    for (size_t m = 0; m < dataset->rows.count; m++)
        count += dataset->split[m] == split;
    return count;
}

size_t f0t_dataset_tag_count(const f0t_dataset *dataset)
{
    return f0t_names_count(&dataset->tags);
}

const char *f0t_dataset_tag(const f0t_dataset *dataset, size_t t)
{
    return f0t_names_get(&dataset->tags, t);
}

bool f0t_dataset_find_tag(size_t *t, const f0t_dataset *dataset, const char *tag)
{
    uint32_t index;
    if (!f0t_names_find(&index, &dataset->tags, tag, strlen(tag)))
        return false;
    *t = index;
    return true;
}

const uint32_t *f0t_dataset_image_tags(size_t *count, const f0t_dataset *dataset, size_t m)
{
    return f0t_rows_get(count, &dataset->rows, m);
}

const size_t *f0t_dataset_offsets(const f0t_dataset *dataset)
{
    return dataset->rows.offsets;
}

const uint32_t *f0t_dataset_indices(const f0t_dataset *dataset)
{
    return dataset->rows.indices;
}

uint64_t f0t_dataset_repeats(const f0t_dataset *dataset)
{
    return dataset->rows.repeats;
}

static const uint32_t *get_list(const f0t_tag_list *list, size_t *count)
{
    static const uint32_t none[1];
    *count = list->count;
    return !list->given ? NULL : list->count ? list->tags : none;
}

const uint32_t *f0t_dataset_seen(size_t *count, const f0t_dataset *dataset)
{
    return get_list(&dataset->seen, count);
}

const uint32_t *f0t_dataset_unseen(size_t *count, const f0t_dataset *dataset)
{
    return get_list(&dataset->unseen, count);
}

size_t f0t_dataset_dim(const f0t_dataset *dataset)
{
    return dataset->dim;
}

const char *f0t_dataset_features_path(const f0t_dataset *dataset)
{
    return dataset->features_path;
}

/* ---- Features -------------------------------------------------------------------------------------- */

/* All exponent bits set: infinite or NaN. Without a branch, so that it is vectorised. */
static bool is_finite_row(const float *row, size_t dim)
{
    uint32_t bits, found = 0;
    for (size_t d = 0; d < dim; d++) {
        memcpy(&bits, row + d, sizeof bits);
        found |= (bits & 0x7F800000u) == 0x7F800000u;
    }
    return !found;
}

f0t_status f0t_features_check(const float *rows, size_t first, size_t count, size_t dim,
                              const char *file)
{
    for (size_t m = 0; m < count; m++) {
        const float *row = rows + m * dim;
        if (is_finite_row(row, dim))
            continue;
        size_t d = 0;
        while (isfinite(row[d]))
            d++;
        return f0t_fail(F0T_ERROR_NUMERIC, "%s: row %zu, column %zu (from 0) is %s", file,
                        first + m, d, isnan(row[d]) ? "NaN" : "infinite");
    }
    return F0T_OK;
}

f0t_status f0t_dataset_read_features(float *to, const f0t_dataset *dataset, size_t first,
                                     size_t count)
{
    F0T_REQUIRE(dataset);
    F0T_REQUIRE(to || !count);
    if (dataset->of)
        dataset = dataset->of;
    if (!dataset->features)
        return f0t_fail(F0T_ERROR_NOT_FOUND, "%s: the dataset has no features", dataset->path);
    if (first > dataset->rows.count || count > dataset->rows.count - first)
        return f0t_fail(F0T_ERROR_ARGUMENT, "%s: images %zu to %zu are asked for, it has %zu",
                        dataset->path, first, first + count, dataset->rows.count);
    F0T_TRY(f0t_npy_read_rows(to, dataset->features, first, count));
    return f0t_features_check(to, first, count, dataset->dim,
                              dataset->features_path ? dataset->features_path : dataset->path);
}
