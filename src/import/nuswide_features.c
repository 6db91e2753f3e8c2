/* The low-level features of the release: text files of numbers, one line per image. */
#include "import/nuswide.h"

#include "base/alloc.h"
#include "base/size.h"
#include "io/number.h"
#include "io/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { NAME_LONGEST = 64, KINDS_MOST = 64 };

/* One kind of features: one file, or one of each part, read one after the other. */
typedef struct kind {
    const char *paths[F0T_NUS_PARTS];
    size_t dim;
    f0t_stream *stream;
} kind;

struct f0t_nus_features {
    const f0t_nus_files *files;
    kind kinds[KINDS_MOST];
    size_t count, dim;
    size_t counts[F0T_NUS_PARTS]; /* rows of each file */
    size_t file, next;            /* which is read, and its next row counted over all files */
    bool by_part;
    float *skipped; /* [dim] */
};

size_t f0t_nus_features_dim(const f0t_nus_features *features)
{
    return features->dim;
}

void f0t_nus_features_close(f0t_nus_features *features)
{
    if (!features)
        return;
    for (size_t k = 0; k < features->count; k++)
        f0t_stream_close(features->kinds[k].stream);
    f0t_free(features->skipped);
    f0t_free(features);
}

/* ---- Numbers --------------------------------------------------------------------------------- */

/* Up to `most` numbers of the line; *count says how many there are. */
static f0t_status read_numbers(f0t_stream *stream, const char *line, size_t length, float *to,
                               size_t most, size_t *count)
{
    const char *at = line, *end = line + length;
    float value;
    for (*count = 0;; ++*count) {
        while (at < end && (*at == ' ' || *at == '\t' || *at == '\r'))
            at++;
        if (at == end)
            return F0T_OK;
        const char *next = f0t_number_read(&value, at, end);
        if (!next || !isfinite(value) || (next < end && *next != ' ' && *next != '\t'))
            return f0t_text_fail(stream, "value %zu is no finite number", *count + 1);
        if (*count < most)
            to[*count] = value;
        at = next;
    }
}

static f0t_status read_line(kind *k, float *to)
{
    char *line;
    size_t length, count;
    F0T_TRY(f0t_stream_line(&line, &length, k->stream));
    if (!line)
        return f0t_fail(F0T_ERROR_MISMATCH, "%s has %llu lines, fewer than its image list",
                        f0t_stream_name(k->stream),
                        (unsigned long long)f0t_stream_line_number(k->stream));
    F0T_TRY(read_numbers(k->stream, line, length, to, k->dim, &count));
    if (count != k->dim)
        return f0t_text_fail(k->stream, "%zu values, but the first line has %zu", count, k->dim);
    return F0T_OK;
}

static f0t_status find_dim(kind *k, const f0t_nus_files *files)
{
    char *line;
    size_t length;
    f0t_stream *stream;
    F0T_TRY(f0t_nus_files_open(&stream, files, k->paths[0]));
    f0t_status status = f0t_stream_line(&line, &length, stream);
    if (status == F0T_OK && line)
        status = read_numbers(stream, line, length, NULL, 0, &k->dim);
    if (status == F0T_OK && !k->dim)
        status = f0t_fail(F0T_ERROR_FORMAT, "%s: has no numbers", k->paths[0]);
    f0t_stream_close(stream);
    return status;
}

/* ---- Finding the files ----------------------------------------------------------------------- */

/* "BoW_int" is BoW_Train_int.dat; the others have the part in front. */
static const char *find_part(const f0t_nus_files *files, const char *name, const char *part)
{
    const char *path = f0t_nus_files_find(files, "%s_Normalized_%s", part, name);
    const char *bar = strrchr(name, '_');
    if (!path)
        path = f0t_nus_files_find(files, "%s_%s", part, name);
    if (!path && bar)
        path = f0t_nus_files_find(files, "%.*s_%s%s", (int)(bar - name), name, part, bar);
    return path;
}

static f0t_status find_kind(f0t_nus_features *features, kind *k, const f0t_nus_files *files,
                            const char *name)
{
    const char *path = f0t_nus_files_find(files, "Normalized_%s", name);
    if (!path)
        path = f0t_nus_files_find(files, "%s", name);
    k->paths[0] = path ? path : find_part(files, name, "Train");
    k->paths[1] = path ? NULL : find_part(files, name, "Test");
    if (!k->paths[0] || (!path && !k->paths[1]))
        return f0t_fail(F0T_ERROR_NOT_FOUND,
                        "%s: has no file Normalized_%s.dat, nor Train_Normalized_%s.dat and "
                        "Test_Normalized_%s.dat",
                        files->root, name, name, name);
    if (k != features->kinds && features->by_part != !path)
        return f0t_fail(
            F0T_ERROR_MISMATCH,
            "%s and %s: features of all images and of train and test do not go together",
            features->kinds[0].paths[0], k->paths[0]);
    features->by_part = !path;
    return F0T_OK;
}

static f0t_status add_kind(f0t_nus_features *features, const f0t_nus_files *files,
                           const char *start, size_t length)
{
    char name[NAME_LONGEST];
    f0t_text_trim(&start, &length);
    if (!length || length >= sizeof name || features->count == KINDS_MOST)
        return f0t_fail(F0T_ERROR_ARGUMENT, "'%.80s' is no list of features such as CH,EDH", start);
    snprintf(name, sizeof name, "%.*s", (int)length, start);
    kind *k = &features->kinds[features->count++];
    F0T_TRY(find_kind(features, k, files, name));
    F0T_TRY(find_dim(k, files));
    if (!f0t_size_add(&features->dim, features->dim, k->dim))
        return f0t_fail(F0T_ERROR_FORMAT, "%s: too many values", k->paths[0]);
    return F0T_OK;
}

static f0t_status open_all(f0t_nus_features *features, const f0t_nus_files *files,
                           const f0t_nus_images *images, const char *names)
{
    for (const char *at = names; at;) {
        const char *comma = strchr(at, ',');
        F0T_TRY(add_kind(features, files, at, comma ? (size_t)(comma - at) : strlen(at)));
        at = comma ? comma + 1 : NULL;
    }
    features->counts[0] = features->by_part ? images->counts[0] : f0t_names_count(&images->all);
    features->counts[1] = features->by_part ? images->counts[1] : 0;
    return f0t_alloc(&features->skipped, features->dim, sizeof *features->skipped);
}

f0t_status f0t_nus_features_open(f0t_nus_features **out, bool *by_part, const f0t_nus_files *files,
                                 const f0t_nus_images *images, const char *names)
{
    *out = NULL;
    f0t_nus_features *features;
    F0T_TRY(f0t_alloc_zero(&features, 1, sizeof *features));
    features->files = files;
    f0t_status status = open_all(features, files, images, names);
    if (status != F0T_OK) {
        f0t_nus_features_close(features);
        return status;
    }
    *by_part = features->by_part;
    *out = features;
    return F0T_OK;
}

/* ---- Reading --------------------------------------------------------------------------------- */

static f0t_status open_streams(f0t_nus_features *features)
{
    for (kind *k = features->kinds; k < features->kinds + features->count; k++) {
        f0t_stream_close(k->stream);
        k->stream = NULL;
        F0T_TRY(f0t_nus_files_open(&k->stream, features->files, k->paths[features->file]));
    }
    return F0T_OK;
}

/* A file with more lines than images belongs to other lists. */
static f0t_status check_ends(f0t_nus_features *features)
{
    char *line;
    size_t length;
    for (size_t k = 0; k < features->count; k++) {
        f0t_stream *stream = features->kinds[k].stream;
        F0T_TRY(f0t_stream_line(&line, &length, stream));
        if (line && length)
            return f0t_fail(F0T_ERROR_MISMATCH, "%s has more lines than its image list (%zu)",
                            f0t_stream_name(stream), features->counts[features->file]);
    }
    return F0T_OK;
}

static f0t_status read_next(f0t_nus_features *features, float *to)
{
    if (features->next == 0)
        F0T_TRY(open_streams(features));
    if (features->file == 0 && features->next == features->counts[0]) {
        F0T_TRY(check_ends(features));
        features->file = 1;
        F0T_TRY(open_streams(features));
    }
    for (size_t k = 0; k < features->count; k++) {
        F0T_TRY(read_line(&features->kinds[k], to));
        to += features->kinds[k].dim;
    }
    features->next++;
    return features->next == features->counts[0] + features->counts[1] ? check_ends(features)
                                                                       : F0T_OK;
}

f0t_status f0t_nus_features_read(float *to, f0t_nus_features *features, size_t row)
{
    while (features->next < row)
        F0T_TRY(read_next(features, features->skipped));
    return read_next(features, to);
}
