/* Writing a dataset: a directory that is there whole or not at all. */
#include "io/dataset.h"

#include "base/alloc.h"
#include "io/dataset_folder.h"
#include "io/json.h"
#include "io/text.h"

#include <stdlib.h>
#include <string.h>

/* ---- dataset.json ----------------------------------------------------------------------------- */

static f0t_status set_value(json_t *object, const char *key, json_t *value)
{
    if (json_object_set_new(object, key, value) != 0)
        return f0t_fail(F0T_ERROR_MEMORY, "no memory for dataset.json");
    return F0T_OK;
}

static f0t_status set_backbone(json_t *object, const char *backbone)
{
    json_t *value;
    F0T_TRY(f0t_json_parse(&value, backbone, strlen(backbone), "backbone"));
    return set_value(object, "backbone", value);
}

static f0t_status fill_json(json_t *object, const char *name, const char *features,
                            const char *backbone)
{
    if (name)
        F0T_TRY(set_value(object, "name", json_string(name)));
    if (features)
        F0T_TRY(set_value(object, "features", json_string(features)));
    return backbone ? set_backbone(object, backbone) : F0T_OK;
}

static f0t_status write_text(const char *path, const char *text)
{
    f0t_writer *writer;
    F0T_TRY(f0t_writer_open(&writer, path));
    f0t_status status = f0t_writer_write(writer, text, strlen(text));
    if (status == F0T_OK)
        status = f0t_writer_write(writer, "\n", 1);
    return f0t_writer_finish(writer, status);
}

/* Writes the file. Any text may be NULL; `backbone` is a JSON object. */
static f0t_status write_dataset_json(const char *path, const char *name, const char *features,
                                     const char *backbone)
{
    json_t *object = json_object();
    if (!object)
        return f0t_fail(F0T_ERROR_MEMORY, "no memory for dataset.json");
    f0t_status status = fill_json(object, name, features, backbone);
    char *text = status == F0T_OK ? json_dumps(object, JSON_INDENT(2)) : NULL;
    if (status == F0T_OK)
        status = text ? write_text(path, text)
                      : f0t_fail(F0T_ERROR_MEMORY, "no memory for dataset.json");
    free(text);
    json_decref(object);
    return status;
}

/* ---- The writer ------------------------------------------------------------------------------- */

struct f0t_dataset_writer {
    f0t_folder folder;
    f0t_dataset_info info;
    char *name, *backbone, *features; /* what info points to */
    f0t_writer *tags, *split, *images;
    f0t_npy_writer *npy;
    size_t count; /* of images so far */
};

static void release(f0t_dataset_writer *writer)
{
    f0t_writer_abort(writer->tags);
    f0t_writer_abort(writer->split);
    f0t_writer_abort(writer->images);
    f0t_npy_abort(writer->npy);
    f0t_folder_end(&writer->folder);
    f0t_free(writer->name);
    f0t_free(writer->backbone);
    f0t_free(writer->features);
    f0t_free(writer);
}

void f0t_dataset_abort(f0t_dataset_writer *writer)
{
    if (writer)
        release(writer);
}

/* ---- Starting --------------------------------------------------------------------------------------------- */

static f0t_status copy(char **out, const char *text)
{
    return text ? f0t_string_copy(out, text, strlen(text)) : F0T_OK;
}

static f0t_status open_file(f0t_dataset_writer *writer, f0t_writer **out, const char *name)
{
    char *path;
    F0T_TRY(f0t_path_join(&path, writer->folder.temporary, name));
    f0t_status status = f0t_writer_open(out, path);
    f0t_free(path);
    return status;
}

static f0t_status open_npy(f0t_dataset_writer *writer)
{
    char *path;
    F0T_TRY(f0t_path_join(&path, writer->folder.temporary, "features.npy"));
    f0t_status status =
        f0t_npy_create(&writer->npy, path, writer->info.half ? F0T_F16 : F0T_F32, writer->info.dim);
    f0t_free(path);
    return status;
}

static f0t_status check_features(const f0t_dataset_info *info, const char *path)
{
    if (!info->features)
        return F0T_OK;
    if (info->dim)
        return f0t_fail(F0T_ERROR_ARGUMENT, "features come with the images or from %s, not both",
                        info->features);
    if (f0t_folder_contains(path, info->features))
        return f0t_fail(F0T_ERROR_ARGUMENT, "%s: lies in the dataset that would be replaced",
                        info->features);
    return F0T_OK;
}

static f0t_status start(f0t_dataset_writer *writer, const char *path)
{
    f0t_dataset_info *info = &writer->info;
    F0T_TRY(check_features(info, path));
    F0T_TRY(copy(&writer->name, info->name));
    F0T_TRY(copy(&writer->backbone, info->backbone));
    F0T_TRY(copy(&writer->features, info->features));
    F0T_TRY(f0t_folder_begin(&writer->folder, path, info->replace));
    F0T_TRY(open_file(writer, &writer->tags, "tags.txt"));
    return info->dim ? open_npy(writer) : F0T_OK;
}

f0t_status f0t_dataset_create(f0t_dataset_writer **out, const char *path,
                              const f0t_dataset_info *info)
{
    F0T_REQUIRE(out);
    *out = NULL;
    F0T_REQUIRE(path);
    F0T_READ_OPTIONS(f0t_dataset_info, F0T_DATASET_INFO, info);
    f0t_dataset_writer *writer;
    F0T_TRY(f0t_alloc_zero(&writer, 1, sizeof *writer));
    writer->info = *info;
    f0t_status status = start(writer, path);
    if (status != F0T_OK)
        release(writer);
    else
        *out = writer;
    return status;
}

const char *f0t_dataset_writer_folder(const f0t_dataset_writer *writer)
{
    return writer->folder.temporary;
}

/* ---- Rows -------------------------------------------------------------------------------------------------- */

/* What would be read back as something else cannot be written. */
static f0t_status check_text(const f0t_dataset_writer *writer, const char *what, const char *text)
{
    const char *trimmed = text;
    size_t length = strlen(text), left = length;
    const char *fault = f0t_text_fault(text, length);
    if (!fault && memchr(text, '\t', length))
        fault = "a tab";
    f0t_text_trim(&trimmed, &left);
    if (!fault && left != length)
        fault = "blanks at an end";
    if (!fault && !length)
        fault = "nothing in it";
    if (fault)
        return f0t_fail(F0T_ERROR_ARGUMENT, "image %zu: the %s '%.60s' has %s", writer->count, what,
                        text, fault);
    return F0T_OK;
}

static f0t_status write_tags(f0t_dataset_writer *writer, const char *const *tags, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        F0T_TRY(check_text(writer, "tag", tags[i]));
        if (i)
            F0T_TRY(f0t_writer_write(writer->tags, "\t", 1));
        F0T_TRY(f0t_writer_write(writer->tags, tags[i], strlen(tags[i])));
    }
    return f0t_writer_write(writer->tags, "\n", 1);
}

/* A file that the first row begins, and that every row or none has a line in. */
static f0t_status write_line(f0t_dataset_writer *writer, f0t_writer **file, const char *name,
                             const char *text)
{
    if (!writer->count && text)
        F0T_TRY(open_file(writer, file, name));
    if ((*file != NULL) != (text != NULL))
        return f0t_fail(F0T_ERROR_ARGUMENT, "image %zu: %s has a line for all images or for none",
                        writer->count, name);
    if (!text)
        return F0T_OK;
    F0T_TRY(f0t_writer_write(*file, text, strlen(text)));
    return f0t_writer_write(*file, "\n", 1);
}

f0t_status f0t_dataset_write(f0t_dataset_writer *writer, const f0t_dataset_row *row)
{
    F0T_REQUIRE(writer);
    F0T_REQUIRE(row);
    F0T_READ_OPTIONS(f0t_dataset_row, F0T_DATASET_ROW, row);
    F0T_TRY(f0t_require_all(__func__, "tags", row->tags, row->tag_count));
    static const char *const words[] = {"train", "val", "test"};
    if (row->has_split && (unsigned)row->split > F0T_TEST)
        return f0t_fail(F0T_ERROR_ARGUMENT, "image %zu: %d is no split", writer->count,
                        (int)row->split);
    if (row->image)
        F0T_TRY(check_text(writer, "name", row->image));
    if (writer->npy && !row->features)
        return f0t_fail(F0T_ERROR_ARGUMENT, "image %zu: comes without features", writer->count);
    F0T_TRY(write_tags(writer, row->tags, row->tag_count));
    F0T_TRY(write_line(writer, &writer->images, "images.txt", row->image));
    F0T_TRY(
        write_line(writer, &writer->split, "split.txt", row->has_split ? words[row->split] : NULL));
    if (writer->npy)
        F0T_TRY(f0t_npy_write_rows(writer->npy, row->features, 1));
    writer->count++;
    return F0T_OK;
}

static f0t_status write_list(f0t_dataset_writer *writer, const char *name, const char *const *tags,
                             size_t count)
{
    f0t_writer *file;
    f0t_status status = F0T_OK;
    F0T_TRY(open_file(writer, &file, name));
    for (size_t i = 0; i < count && status == F0T_OK; i++) {
        status = check_text(writer, "tag", tags[i]);
        if (status == F0T_OK)
            status = f0t_writer_write(file, tags[i], strlen(tags[i]));
        if (status == F0T_OK)
            status = f0t_writer_write(file, "\n", 1);
    }
    return f0t_writer_finish(file, status);
}

f0t_status f0t_dataset_write_seen(f0t_dataset_writer *writer, const char *const *tags, size_t count)
{
    F0T_REQUIRE(writer);
    F0T_TRY(f0t_require_all(__func__, "tags", tags, count));
    return write_list(writer, "seen.txt", tags, count);
}

f0t_status f0t_dataset_write_unseen(f0t_dataset_writer *writer, const char *const *tags,
                                    size_t count)
{
    F0T_REQUIRE(writer);
    F0T_TRY(f0t_require_all(__func__, "tags", tags, count));
    return write_list(writer, "unseen.txt", tags, count);
}

f0t_status f0t_dataset_write_paths(f0t_dataset_writer *writer, const f0t_paths *paths)
{
    f0t_writer *file;
    f0t_status status = F0T_OK;
    F0T_TRY(open_file(writer, &file, "paths.txt"));
    for (size_t i = 0; i < paths->paths.count && status == F0T_OK; i++) {
        status = f0t_writer_write(file, f0t_texts_get(&paths->paths, i),
                                  f0t_texts_length(&paths->paths, i));
        if (status == F0T_OK)
            status = f0t_writer_write(file, "\n", 1);
    }
    return f0t_writer_finish(file, status);
}

/* ---- The end ------------------------------------------------------------------------------------------------ */

static f0t_status commit_file(f0t_writer **file)
{
    f0t_writer *taken = *file;
    *file = NULL;
    return taken ? f0t_writer_commit(taken) : F0T_OK;
}

static f0t_status check_rows(const f0t_dataset_writer *writer)
{
    f0t_npy *npy;
    size_t rows, cols;
    F0T_TRY(f0t_npy_open(&npy, writer->features));
    f0t_status status = f0t_npy_matrix(&rows, &cols, npy);
    f0t_npy_close(npy);
    if (status == F0T_OK && rows != writer->count)
        return f0t_fail(F0T_ERROR_MISMATCH, "%s has %zu rows, but there are %zu images",
                        writer->features, rows, writer->count);
    return status;
}

static f0t_status write_json(f0t_dataset_writer *writer)
{
    char *path = NULL, *features = NULL;
    f0t_status status = F0T_OK;
    if (!writer->name && !writer->features && !writer->backbone)
        return F0T_OK;
    if (writer->features)
        status = f0t_path_relative(&features, writer->folder.temporary, writer->features);
    if (status == F0T_OK)
        status = f0t_path_join(&path, writer->folder.temporary, "dataset.json");
    if (status == F0T_OK)
        status = write_dataset_json(path, writer->name, features, writer->backbone);
    f0t_free(path);
    f0t_free(features);
    return status;
}

static f0t_status finish(f0t_dataset_writer *writer)
{
    if (!writer->count)
        return f0t_fail(F0T_ERROR_ARGUMENT, "%s: a dataset has at least one image",
                        writer->folder.path);
    if (writer->features)
        F0T_TRY(check_rows(writer));
    F0T_TRY(commit_file(&writer->tags));
    F0T_TRY(commit_file(&writer->images));
    F0T_TRY(commit_file(&writer->split));
    if (writer->npy) {
        f0t_npy_writer *npy = writer->npy;
        writer->npy = NULL;
        F0T_TRY(f0t_npy_commit(npy));
    }
    F0T_TRY(write_json(writer));
    return f0t_folder_commit(&writer->folder);
}

f0t_status f0t_dataset_commit(f0t_dataset_writer *writer)
{
    F0T_REQUIRE(writer);
    f0t_status status = finish(writer);
    release(writer);
    return status;
}
