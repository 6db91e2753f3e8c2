/*
 * The layout in which TagProp's Corel5k, ESP Game and IAPR TC-12 are published: PREFIX_dictionary.txt
 * (one word per line), PREFIX_train_list.txt, PREFIX_train_annot.hvecs (one 0/1 vector over the
 * dictionary per image), the same for test, and features such as PREFIX_train_DenseSift.hvecs.
 */
#include "import/import.h"
#include "import/vecs.h"

#include "base/alloc.h"
#include "base/size.h"
#include "io/text.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { PARTS = 2, MINUS_ONE_16 = 0xFFFF };

static const char *const part_names[PARTS] = {"train", "test"};

/* One kind of features: its file of each part. */
typedef struct kind {
    f0t_vecs parts[PARTS];
} kind;

typedef struct release_files {
    f0t_import_job *job;
    const char *folder;
    char *prefix;
    f0t_collection collection;
    size_t train_count;
    kind *kinds;
    size_t kind_count, kind_capacity;
    size_t dim;
    float *annotation; /* [dictionary] */
} release_files;

static void release(release_files *r)
{
    for (size_t i = 0; i < r->kind_count; i++)
        for (size_t p = 0; p < PARTS; p++)
            f0t_vecs_close(&r->kinds[i].parts[p]);
    f0t_free(r->kinds);
    f0t_free(r->prefix);
    f0t_free(r->annotation);
    f0t_collection_free(&r->collection);
}

/* ---- Files ----------------------------------------------------------------------------------- */

static f0t_status file_path(const release_files *r, char **out, const char *part, const char *rest)
{
    size_t size = strlen(r->prefix) + strlen(part) + strlen(rest) + 3;
    char *name;
    F0T_TRY(f0t_alloc(&name, size, 1));
    snprintf(name, size, "%s_%s%s%s", r->prefix, part, *part ? "_" : "", rest);
    f0t_status status = f0t_path_join(out, r->folder, name);
    f0t_free(name);
    return status;
}

/* PREFIX of the one PREFIX_dictionary.txt in the folder. */
static f0t_status find_prefix(release_files *r)
{
    static const char ending[] = "_dictionary.txt";
    const size_t width = sizeof ending - 1;
    f0t_status status = F0T_OK;
    DIR *dir = opendir(r->folder);
    if (!dir)
        return f0t_fail_errno(errno, "%s", r->folder);
    for (struct dirent *entry;
         status == F0T_OK && (entry = f0t_folder_next(&status, dir, r->folder));) {
        size_t n = strlen(entry->d_name);
        if (n <= width || strcmp(entry->d_name + n - width, ending) != 0)
            continue;
        status = r->prefix
                     ? f0t_fail(F0T_ERROR_ARGUMENT,
                                "%s: has several dictionaries: say which by its prefix", r->folder)
                     : f0t_string_copy(&r->prefix, entry->d_name, n - width);
    }
    closedir(dir);
    if (status == F0T_OK && !r->prefix)
        return f0t_fail(F0T_ERROR_NOT_FOUND, "%s: has no file named *_dictionary.txt", r->folder);
    return status;
}

/* ---- Words, images, annotations -------------------------------------------------------------- */

static f0t_status read_words(f0t_collection *collection, f0t_stream *stream)
{
    const char *line;
    size_t length;
    uint32_t index;
    bool added;
    for (;;) {
        F0T_TRY(f0t_text_line_trimmed(&line, &length, stream));
        if (!line)
            return F0T_OK;
        if (!length || memchr(line, '\t', length))
            return f0t_text_fail(stream, "'%.40s': one word per line is expected", line);
        F0T_TRY(f0t_names_add(&index, &added, &collection->tags, line, length));
        if (!added)
            return f0t_text_fail(stream, "'%.40s' is there twice", line);
    }
}

static f0t_status read_dictionary(release_files *r)
{
    char *path;
    f0t_stream *stream = NULL;
    F0T_TRY(file_path(r, &path, "", "dictionary.txt"));
    f0t_status status = f0t_stream_open(&stream, path);
    f0t_stream_watch(stream, f0t_context_monitor(NULL));
    if (status == F0T_OK)
        status = read_words(&r->collection, stream);
    f0t_stream_close(stream);
    f0t_free(path);
    if (status != F0T_OK)
        return status;
    return f0t_alloc(&r->annotation, f0t_names_count(&r->collection.tags), sizeof *r->annotation);
}

/* Annotations are 0 or 1; some releases write -1 for 0. */
static f0t_status add_annotation(release_files *r, const f0t_vecs *annotations, size_t i)
{
    F0T_TRY(f0t_vecs_read(r->annotation, annotations, i));
    for (size_t t = 0; t < annotations->dim; t++) {
        float value = r->annotation[t];
        bool minus = value == -1 || (value == MINUS_ONE_16 && annotations->width == 2);
        if (value == 1)
            F0T_TRY(f0t_rows_add(&r->collection.rows, (uint32_t)t));
        else if (value != 0 && !minus)
            return f0t_fail(F0T_ERROR_FORMAT, "%s: vector %zu, value %zu is %g: 0 or 1 is expected",
                            annotations->name, i, t, (double)value);
    }
    return F0T_OK;
}

static f0t_status read_images(release_files *r, f0t_stream *list, const f0t_vecs *annotations,
                              int split)
{
    const char *line;
    size_t length, i = 0;
    for (;; i++) {
        F0T_TRY(f0t_text_line_trimmed(&line, &length, list));
        if (!line)
            break;
        if (!length || memchr(line, '\t', length))
            return f0t_text_fail(list, "%s", "a path or an id is expected");
        if (i < annotations->count)
            F0T_TRY(add_annotation(r, annotations, i));
        F0T_TRY(f0t_collection_end_row(&r->collection, line, length, split));
    }
    if (i != annotations->count)
        return f0t_fail(F0T_ERROR_MISMATCH, "%s has %zu images, but %s has %zu vectors",
                        f0t_stream_name(list), i, annotations->name, annotations->count);
    return F0T_OK;
}

static f0t_status check_annotations(const release_files *r, const f0t_vecs *annotations)
{
    if (annotations->dim == f0t_names_count(&r->collection.tags))
        return F0T_OK;
    return f0t_fail(
        F0T_ERROR_MISMATCH, "%s has vectors of %zu values, but %s_dictionary.txt has %zu words",
        annotations->name, annotations->dim, r->prefix, f0t_names_count(&r->collection.tags));
}

static f0t_status read_part(release_files *r, size_t part)
{
    char *list_path = NULL, *annotations_path = NULL;
    f0t_stream *list = NULL;
    f0t_vecs annotations = {0};
    f0t_status status = file_path(r, &list_path, part_names[part], "list.txt");
    if (status == F0T_OK)
        status = file_path(r, &annotations_path, part_names[part], "annot.hvecs");
    if (status == F0T_OK)
        status = f0t_stream_open(&list, list_path);
    f0t_stream_watch(list, f0t_context_monitor(NULL));
    if (status == F0T_OK)
        status = f0t_vecs_open(&annotations, annotations_path);
    if (status == F0T_OK)
        status = check_annotations(r, &annotations);
    if (status == F0T_OK)
        status = read_images(r, list, &annotations, part == 0 ? F0T_TRAIN : F0T_TEST);
    f0t_stream_close(list);
    f0t_vecs_close(&annotations);
    f0t_free(list_path);
    f0t_free(annotations_path);
    return status;
}

/* ---- Features -------------------------------------------------------------------------------- */

/* Tries PREFIX_PART_NAME with each ending. */
static f0t_status open_features(release_files *r, f0t_vecs *out, const char *part, const char *name)
{
    static const char *const endings[] = {".hvecs", ".fvec", ".hvecs32", ".fvecs", ".ivecs"};
    f0t_status status = F0T_OK;
    for (size_t i = 0; i < sizeof endings / sizeof *endings && status == F0T_OK; i++) {
        char rest[128], *path;
        snprintf(rest, sizeof rest, "%s%s", name, endings[i]);
        F0T_TRY(file_path(r, &path, part, rest));
        bool found = f0t_path_exists(path);
        if (found)
            status = f0t_vecs_open(out, path);
        f0t_free(path);
        if (found)
            return status;
    }
    return f0t_fail(F0T_ERROR_NOT_FOUND, "%s: has no file %s_%s_%s.hvecs, .hvecs32 or .fvec",
                    r->folder, r->prefix, part, name);
}

static f0t_status check_kind(const release_files *r, const kind *k)
{
    size_t total = r->collection.rows.count;
    const size_t want[PARTS] = {r->train_count, total - r->train_count};
    for (size_t p = 0; p < PARTS; p++)
        if (k->parts[p].count != want[p])
            return f0t_fail(F0T_ERROR_MISMATCH,
                            "%s has %zu vectors, but the %s list has %zu images", k->parts[p].name,
                            k->parts[p].count, part_names[p], want[p]);
    if (k->parts[0].dim != k->parts[1].dim)
        return f0t_fail(F0T_ERROR_MISMATCH, "%s has vectors of %zu values, but %s of %zu",
                        k->parts[0].name, k->parts[0].dim, k->parts[1].name, k->parts[1].dim);
    return F0T_OK;
}

static f0t_status add_kind(release_files *r, const char *start, size_t length)
{
    char name[64];
    f0t_text_trim(&start, &length);
    if (!length || length >= sizeof name)
        return f0t_fail(F0T_ERROR_ARGUMENT, "'%s' are no names of features",
                        r->job->options->own_features);
    snprintf(name, sizeof name, "%.*s", (int)length, start);
    F0T_TRY(f0t_grow(&r->kinds, &r->kind_capacity, r->kind_count, 1, sizeof *r->kinds));
    kind *k = &r->kinds[r->kind_count++];
    *k = (kind){0};
    for (size_t p = 0; p < PARTS; p++)
        F0T_TRY(open_features(r, &k->parts[p], part_names[p], name));
    F0T_TRY(check_kind(r, k));
    if (!f0t_size_add(&r->dim, r->dim, k->parts[0].dim))
        return f0t_fail(F0T_ERROR_FORMAT, "%s: too many values", k->parts[0].name);
    return F0T_OK;
}

static f0t_status add_kinds(release_files *r)
{
    for (const char *at = r->job->options->own_features; at;) {
        const char *comma = strchr(at, ',');
        F0T_TRY(add_kind(r, at, comma ? (size_t)(comma - at) : strlen(at)));
        at = comma ? comma + 1 : NULL;
    }
    return F0T_OK;
}

static f0t_status read_row(void *context, size_t m, float *row)
{
    release_files *r = context;
    size_t part = m >= r->train_count;
    for (size_t i = 0; i < r->kind_count; i++) {
        const f0t_vecs *v = &r->kinds[i].parts[part];
        F0T_TRY(f0t_vecs_read(row, v, part ? m - r->train_count : m));
        row += v->dim;
    }
    return F0T_OK;
}

static f0t_status run(release_files *r)
{
    const char *prefix = r->job->options->prefix;
    F0T_TRY(prefix ? f0t_string_copy(&r->prefix, prefix, strlen(prefix)) : find_prefix(r));
    F0T_TRY(read_dictionary(r));
    F0T_TRY(read_part(r, 0));
    r->train_count = r->collection.rows.count;
    F0T_TRY(read_part(r, 1));
    F0T_TRY(add_kinds(r));
    f0t_feature_source source = {.dim = r->dim, .read = read_row, .context = r};
    return f0t_import_finish(r->job, &r->collection, r->kind_count ? &source : NULL);
}

f0t_status f0t_import_tagprop(f0t_import_job *job)
{
    release_files r = {.job = job, .folder = job->sources[0]};
    f0t_status status = run(&r);
    release(&r);
    return status;
}
