#include "import/features.h"

#include "base/alloc.h"
#include "io/dataset.h"
#include "io/dataset_folder.h"
#include "io/text.h"

#include <string.h>

static const uint32_t NONE = UINT32_MAX;

void f0t_key_base(size_t *start, size_t *length, const char *text)
{
    const char *slash = strrchr(text, '/'), *base = slash ? slash + 1 : text;
    const char *dot = strrchr(base, '.');
    *start = (size_t)(base - text);
    *length = dot && dot > base ? (size_t)(dot - base) : strlen(base);
}

/* ---- Names of images ------------------------------------------------------------------------- */

/* Finds images by whole name, or by key; a name or key that several have finds none of them. */
typedef struct finder {
    f0t_names names, keys;
    uint32_t *name_image, *key_image; /* index of the image; NONE where several have it */
    size_t name_capacity, key_capacity;
    f0t_key_of key_of;
} finder;

static void finder_free(finder *f)
{
    f0t_names_free(&f->names);
    f0t_names_free(&f->keys);
    f0t_free(f->name_image);
    f0t_free(f->key_image);
}

static f0t_status enter(f0t_names *names, uint32_t **images, size_t *capacity, const char *text,
                        size_t length, uint32_t image)
{
    uint32_t index;
    bool added;
    F0T_TRY(f0t_names_add(&index, &added, names, text, length));
    F0T_TRY(f0t_grow(images, capacity, index, 1, sizeof **images));
    (*images)[index] = added ? image : NONE;
    return F0T_OK;
}

static f0t_status finder_fill(finder *f, const f0t_texts *images)
{
    size_t start, length;
    for (size_t m = 0; m < images->count; m++) {
        const char *name = f0t_texts_get(images, m);
        F0T_TRY(enter(&f->names, &f->name_image, &f->name_capacity, name,
                      f0t_texts_length(images, m), (uint32_t)m));
        f->key_of(&start, &length, name);
        F0T_TRY(
            enter(&f->keys, &f->key_image, &f->key_capacity, name + start, length, (uint32_t)m));
    }
    return F0T_OK;
}

static uint32_t find(const finder *f, const char *text, size_t length)
{
    uint32_t index;
    size_t start;
    if (f0t_names_find(&index, &f->names, text, length))
        return f->name_image[index];
    f->key_of(&start, &length, text);
    return f0t_names_find(&index, &f->keys, text + start, length) ? f->key_image[index] : NONE;
}

/* ---- The list of ids ------------------------------------------------------------------------- */

/* Reading the list: which image each row is. */
typedef struct matching {
    f0t_given_features *given;
    finder finder;
    f0t_stream *stream;
    uint32_t *row_of; /* [images] the row of each image, NONE */
    size_t image_count, rows, unknown;
    char *first_unknown, *name;
    size_t name_capacity;
} matching;

/* Backslashes become slashes, as in the names of the collection; NUL-terminated. */
static f0t_status take_name(matching *m, const char *line, size_t length)
{
    F0T_TRY(f0t_grow(&m->name, &m->name_capacity, 0, length + 1, 1));
    for (size_t i = 0; i < length; i++)
        m->name[i] = line[i] == '\\' ? '/' : line[i];
    m->name[length] = '\0';
    return F0T_OK;
}

static f0t_status match_line(matching *m, const char *line, size_t length)
{
    f0t_selection *selection = &m->given->selection;
    F0T_TRY(take_name(m, line, length));
    if (m->rows >= m->given->total)
        return f0t_fail(F0T_ERROR_MISMATCH, "%s has more lines than %s has rows (%zu)",
                        f0t_stream_name(m->stream), m->given->path, m->given->total);
    uint32_t image = find(&m->finder, m->name, length), row = (uint32_t)m->rows++;
    if (image == NONE) {
        return m->unknown++ ? F0T_OK : f0t_string_copy(&m->first_unknown, m->name, length);
    }
    if (m->row_of[image] != NONE)
        return f0t_text_fail(m->stream, "'%.100s' is the image of line %u already", m->name,
                             m->row_of[image] + 1);
    m->row_of[image] = row;
    selection->images[selection->count] = image;
    selection->rows[selection->count++] = row;
    return F0T_OK;
}

static f0t_status match_lines(matching *m)
{
    const char *line;
    size_t length;
    for (;;) {
        F0T_TRY(f0t_text_line_trimmed(&line, &length, m->stream));
        if (!line)
            break;
        F0T_TRY(match_line(m, line, length));
    }
    if (m->rows != m->given->total)
        return f0t_fail(F0T_ERROR_MISMATCH, "%s has %zu lines, but %s has %zu rows",
                        f0t_stream_name(m->stream), m->rows, m->given->path, m->given->total);
    return F0T_OK;
}

static f0t_status prepare(matching *m, const f0t_texts *images)
{
    f0t_selection *selection = &m->given->selection;
    size_t most = m->image_count < m->given->total ? m->image_count : m->given->total;
    F0T_TRY(finder_fill(&m->finder, images));
    F0T_TRY(f0t_alloc(&m->row_of, m->image_count, sizeof *m->row_of));
    for (size_t i = 0; i < m->image_count; i++)
        m->row_of[i] = NONE;
    F0T_TRY(f0t_alloc(&selection->images, most, sizeof *selection->images));
    return f0t_alloc(&selection->rows, most, sizeof *selection->rows);
}

static f0t_status say(matching *m, f0t_import_report *report, const f0t_texts *images)
{
    size_t first = 0;
    while (first < m->image_count && m->row_of[first] != NONE)
        first++;
    F0T_TRY(f0t_import_report_say(report, m->image_count - m->given->selection.count,
                                  "{image has|images have} no features and {is|are} left out",
                                  first < m->image_count ? f0t_texts_get(images, first) : NULL));
    return f0t_import_report_say(
        report, m->unknown,
        "{row of features belongs|rows of features belong} to no image and {is|are} left out",
        m->first_unknown);
}

static f0t_status match(f0t_given_features *given, f0t_import_job *job, const f0t_texts *images,
                        size_t image_count, f0t_key_of key_of)
{
    matching m = {.given = given, .finder = {.key_of = key_of}, .image_count = image_count};
    if (images->count != image_count)
        return f0t_fail(F0T_ERROR_ARGUMENT, "%s: the images of this source have no names to match",
                        job->options->ids);
    f0t_status status = prepare(&m, images);
    if (status == F0T_OK)
        status = f0t_stream_open(&m.stream, job->options->ids);
    f0t_stream_watch(m.stream, f0t_context_monitor(NULL));
    if (status == F0T_OK)
        status = match_lines(&m);
    if (status == F0T_OK)
        status = say(&m, job->report, images);
    finder_free(&m.finder);
    f0t_stream_close(m.stream);
    f0t_free(m.row_of);
    f0t_free(m.first_unknown);
    f0t_free(m.name);
    return status;
}

/* ---- Opening --------------------------------------------------------------------------------- */

static f0t_status read_row(void *context, size_t m, float *row)
{
    f0t_given_features *given = context;
    size_t at = given->selection.rows ? given->selection.rows[m] : m;
    F0T_TRY(f0t_npy_read_rows(row, given->npy, at, 1));
    return f0t_features_check(row, at, 1, given->dim, given->path);
}

static f0t_status open_npy(f0t_given_features *given)
{
    F0T_TRY(f0t_npy_open(&given->npy, given->path));
    if (f0t_npy_dims(given->npy) != 2)
        return f0t_fail(F0T_ERROR_FORMAT, "%s: has %zu dimensions, images x features are expected",
                        given->path, f0t_npy_dims(given->npy));
    F0T_TRY(f0t_npy_matrix(&given->total, &given->dim, given->npy));
    if (!given->dim || given->total >= NONE)
        return f0t_fail(F0T_ERROR_FORMAT, "%s: %zu x %zu are no features", given->path,
                        given->total, given->dim);
    given->source = (f0t_feature_source){.dim = given->dim,
                                         .half = f0t_npy_dtype(given->npy) == F0T_F16,
                                         .read = read_row,
                                         .context = given};
    return F0T_OK;
}

static bool is_in_order(const f0t_given_features *given)
{
    if (given->selection.count != given->total)
        return false;
    for (size_t i = 0; given->selection.rows && i < given->total; i++)
        if (given->selection.rows[i] != i)
            return false;
    return true;
}

f0t_status f0t_given_features_open(f0t_given_features *given, f0t_import_job *job,
                                   const f0t_texts *images, size_t image_count, f0t_key_of key_of)
{
    *given = (f0t_given_features){.path = job->options->features};
    F0T_TRY(open_npy(given));
    if (job->options->ids)
        F0T_TRY(match(given, job, images, image_count, key_of));
    else if (given->total != image_count)
        return f0t_fail(F0T_ERROR_MISMATCH,
                        "%s has %zu rows, but there are %zu images; a list of ids says which "
                        "images they are",
                        given->path, given->total, image_count);
    else
        given->selection.count = image_count;
    given->refer = is_in_order(given) && !job->options->copy_features &&
                   !f0t_folder_contains(job->output, given->path);
    return F0T_OK;
}

void f0t_given_features_close(f0t_given_features *given)
{
    f0t_npy_close(given->npy);
    f0t_selection_free(&given->selection);
    *given = (f0t_given_features){0};
}
