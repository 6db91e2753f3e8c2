#include "catalogue/directions.h"

#include "base/alloc.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { VERSION = 1, HEADER_ROOM = 1024, ALIGNED = 64 };

/* ---- Opening ------------------------------------------------------------------------------------ */

static f0t_status find_tensor(const f0t_tensor **out, const f0t_safetensors *file, const char *name,
                              f0t_dtype dtype, size_t dims, const size_t *shape)
{
    const f0t_tensor *t = *out = f0t_safetensors_find(file, name);
    bool fits = t && t->dtype == dtype && t->dims == dims;
    for (size_t i = 0; fits && shape && i < dims; i++)
        fits = t->shape[i] == shape[i];
    return fits ? F0T_OK
                : f0t_fail(F0T_ERROR_FORMAT, "%s: tensor \"%s\" is missing, or of another shape",
                           f0t_safetensors_path(file), name);
}

static f0t_status check_metadata(const f0t_safetensors *file, uint64_t stamp)
{
    const char *format = f0t_safetensors_metadata(file, "format"),
               *path = f0t_safetensors_path(file);
    uint64_t version, has;
    if (!format || strcmp(format, F0T_DIRECTIONS_FORMAT) != 0)
        return f0t_fail(F0T_ERROR_FORMAT, "%s: not the directions of a catalogue", path);
    F0T_TRY(f0t_safetensors_number(&version, file, "version", 10));
    F0T_TRY(f0t_safetensors_number(&has, file, "stamp", 16));
    if (version != VERSION || has != stamp)
        return f0t_fail(F0T_ERROR_MISMATCH, "%s: of another state of the catalogue", path);
    return F0T_OK;
}

static f0t_status attach(f0t_directions *d, uint64_t stamp)
{
    const f0t_tensor *rows, *codes, *bounds, *ids, *mean;
    F0T_TRY(check_metadata(d->file, stamp));
    F0T_TRY(find_tensor(&rows, d->file, "rows", F0T_F32, 2, NULL));
    d->count = rows->shape[0];
    d->dim = rows->shape[1];
    if (!d->count || d->count >= UINT32_MAX || !d->dim || d->dim > F0T_SCREEN_DIM_MOST)
        return f0t_fail(F0T_ERROR_FORMAT, "%s: %zu directions of %zu dimensions",
                        f0t_safetensors_path(d->file), d->count, d->dim);
    const size_t blocks = f0t_screen_blocks(d->count);
    const size_t groups = f0t_screen_block_bytes(d->dim) / F0T_SCREEN_BLOCK / F0T_SCREEN_GROUP;
    F0T_TRY(find_tensor(&codes, d->file, "codes", F0T_U8, 4,
                        (const size_t[]){blocks, groups, F0T_SCREEN_BLOCK, F0T_SCREEN_GROUP}));
    F0T_TRY(find_tensor(&bounds, d->file, "bounds", F0T_F32, 3,
                        (const size_t[]){blocks, 3, F0T_SCREEN_BLOCK}));
    F0T_TRY(find_tensor(&ids, d->file, "ids", F0T_I64, 1, (const size_t[]){d->count}));
    F0T_TRY(find_tensor(&mean, d->file, "mean", F0T_F32, 1, (const size_t[]){d->dim}));
    d->rows = rows->data;
    d->mean = mean->data;
    d->ids = ids->data;
    d->screen = (f0t_screen){
        .count = d->count, .dim = d->dim, .codes = codes->data, .bounds = bounds->data};
    return F0T_OK;
}

/* Takes over `file`. */
static f0t_status open_file(f0t_directions **out, f0t_safetensors *file, uint64_t stamp)
{
    f0t_directions *d;
    f0t_status status = f0t_alloc_zero(&d, 1, sizeof *d);
    if (status != F0T_OK) {
        f0t_safetensors_close(file);
        return status;
    }
    d->file = file;
    status = attach(d, stamp);
    if (status == F0T_OK)
        *out = d;
    else
        f0t_directions_close(d);
    return status;
}

f0t_status f0t_directions_open(f0t_directions **out, const char *path, uint64_t stamp)
{
    f0t_safetensors *file;
    *out = NULL;
    F0T_TRY(f0t_safetensors_open(&file, path));
    return open_file(out, file, stamp);
}

f0t_status f0t_directions_open_memory(f0t_directions **out, const void *data, size_t size,
                                      const char *name, uint64_t stamp)
{
    f0t_safetensors *file;
    *out = NULL;
    F0T_TRY(f0t_safetensors_open_memory(&file, data, size, name));
    return open_file(out, file, stamp);
}

void f0t_directions_close(f0t_directions *d)
{
    if (!d)
        return;
    f0t_safetensors_close(d->file);
    f0t_screen_free(d->own_screen);
    f0t_free(d->own_rows);
    f0t_free(d->own_ids);
    f0t_free(d->own_mean);
    f0t_free(d);
}

/* ---- Using -------------------------------------------------------------------------------------- */

size_t f0t_directions_find(const f0t_directions *d, int64_t id)
{
    size_t first = 0, end = d->count;
    while (first < end) {
        const size_t middle = first + (end - first) / 2;
        if (d->ids[middle] < id)
            first = middle + 1;
        else
            end = middle;
    }
    return first < d->count && d->ids[first] == id ? first : F0T_NONE;
}

f0t_status f0t_directions_top(uint32_t *index, float *score, size_t k, const f0t_directions *d,
                              const float *query)
{
    f0t_status status = f0t_screen_top(index, score, k, &d->screen, d->rows, query, 1);
    if (d->file)
        F0T_TRY(f0t_safetensors_whole(d->file));
    return status == F0T_ERROR_FORMAT && d->file
               ? f0t_fail(status, "%s is damaged; delete it, and the next search makes it again",
                          f0t_safetensors_path(d->file))
               : status;
}

/* ---- Making ------------------------------------------------------------------------------------- */

struct f0t_directions_writer {
    char *path; /* NULL: in memory */
    f0t_safetensors_writer *file;
    f0t_screen *screen;
    size_t dim;
    float *rows; /* of memory */
    size_t row_capacity;
    int64_t *ids;
    size_t id_capacity, count;
    double *sum; /* [dim] of all rows */
};

f0t_status f0t_directions_create(f0t_directions_writer **out, const char *path, size_t dim)
{
    f0t_directions_writer *w;
    *out = NULL;
    F0T_TRY(f0t_alloc_zero(&w, 1, sizeof *w));
    w->dim = dim;
    f0t_status status = f0t_screen_create(&w->screen, dim);
    if (status == F0T_OK)
        status = f0t_alloc_zero(&w->sum, dim, sizeof *w->sum);
    if (status == F0T_OK && path)
        status = f0t_string_copy(&w->path, path, strlen(path));
    if (status == F0T_OK && path)
        status = f0t_safetensors_create(&w->file, path, HEADER_ROOM);
    if (status == F0T_OK)
        *out = w;
    else
        f0t_directions_abort(w);
    return status;
}

f0t_status f0t_directions_add(f0t_directions_writer *w, const int64_t *ids, const float *rows,
                              size_t count)
{
    const size_t row = w->dim * sizeof *rows;
    for (size_t i = 0; i < count; i++)
        if (ids[i] <= (i ? ids[i - 1] : w->count ? w->ids[w->count - 1] : INT64_MIN))
            return f0t_fail(F0T_ERROR_INTERNAL, "the ids of directions do not ascend");
    F0T_TRY(f0t_screen_append(w->screen, rows, count));
    F0T_TRY(f0t_grow(&w->ids, &w->id_capacity, w->count, count, sizeof *ids));
    memcpy(w->ids + w->count, ids, count * sizeof *ids);
    if (w->file) {
        F0T_TRY(f0t_safetensors_write(w->file, rows, count * row));
    } else {
        F0T_TRY(f0t_grow(&w->rows, &w->row_capacity, w->count, count, row));
        memcpy(w->rows + w->count * w->dim, rows, count * row);
    }
    for (size_t i = 0; i < count * w->dim; i++)
        w->sum[i % w->dim] += (double)rows[i];
    w->count += count;
    return F0T_OK;
}

static f0t_status write_tensor(f0t_safetensors_writer *file, const char *name, f0t_dtype dtype,
                               const void *data, size_t dims, const size_t *shape)
{
    size_t bytes = f0t_dtype_size(dtype);
    for (size_t i = 0; i < dims; i++)
        bytes *= shape[i];
    F0T_TRY(f0t_safetensors_write(file, data, bytes));
    return f0t_safetensors_end_tensor(file, name, dtype, dims, shape);
}

static f0t_status make_mean(float **out, const f0t_directions_writer *w)
{
    F0T_TRY(f0t_alloc(out, w->dim, sizeof **out));
    for (size_t i = 0; i < w->dim; i++)
        (*out)[i] = (float)(w->sum[i] / (double)w->count);
    return F0T_OK;
}

static f0t_status write_mean(f0t_directions_writer *w)
{
    float *mean;
    F0T_TRY(make_mean(&mean, w));
    f0t_status status = write_tensor(w->file, "mean", F0T_F32, mean, 1, &w->dim);
    f0t_free(mean);
    return status;
}

static f0t_status write_tensors(f0t_directions_writer *w)
{
    static const char zeros[ALIGNED];
    const size_t over = w->count * w->dim * sizeof(float) % ALIGNED;
    const size_t blocks = f0t_screen_blocks(w->count);
    const size_t rows[] = {w->count, w->dim}, bounds[] = {blocks, 3, F0T_SCREEN_BLOCK};
    const size_t codes[] = {blocks,
                            f0t_screen_block_bytes(w->dim) / F0T_SCREEN_BLOCK / F0T_SCREEN_GROUP,
                            F0T_SCREEN_BLOCK, F0T_SCREEN_GROUP};
    F0T_TRY(f0t_safetensors_end_tensor(w->file, "rows", F0T_F32, 2, rows));
    if (over)
        F0T_TRY(
            write_tensor(w->file, "padding", F0T_U8, zeros, 1, (const size_t[]){ALIGNED - over}));
    F0T_TRY(write_tensor(w->file, "codes", F0T_U8, w->screen->codes, 4, codes));
    F0T_TRY(write_tensor(w->file, "bounds", F0T_F32, w->screen->bounds, 3, bounds));
    F0T_TRY(write_tensor(w->file, "ids", F0T_I64, w->ids, 1, &w->count));
    return write_mean(w);
}

static f0t_status write_metadata(f0t_safetensors_writer *file, uint64_t stamp)
{
    char text[32];
    F0T_TRY(f0t_safetensors_set_metadata(file, "format", F0T_DIRECTIONS_FORMAT));
    snprintf(text, sizeof text, "%d", VERSION);
    F0T_TRY(f0t_safetensors_set_metadata(file, "version", text));
    snprintf(text, sizeof text, "%016" PRIx64, stamp);
    return f0t_safetensors_set_metadata(file, "stamp", text);
}

static f0t_status commit_file(f0t_directions **out, f0t_directions_writer *w, uint64_t stamp)
{
    F0T_TRY(write_tensors(w));
    F0T_TRY(write_metadata(w->file, stamp));
    f0t_safetensors_writer *file = w->file;
    w->file = NULL;
    F0T_TRY(f0t_safetensors_commit(file));
    (void)chmod(w->path, S_IRUSR | S_IWUSR); /* a catalogue is nobody else's business */
    return f0t_directions_open(out, w->path, stamp);
}

/* What the writer has becomes theirs. */
static f0t_status commit_memory(f0t_directions **out, f0t_directions_writer *w)
{
    float *mean;
    F0T_TRY(make_mean(&mean, w));
    f0t_status status = f0t_alloc(out, 1, sizeof **out);
    if (status != F0T_OK) {
        f0t_free(mean);
        return status;
    }
    **out = (f0t_directions){.count = w->count,
                             .dim = w->dim,
                             .rows = w->rows,
                             .ids = w->ids,
                             .mean = mean,
                             .screen = {.count = w->count,
                                        .dim = w->dim,
                                        .codes = w->screen->codes,
                                        .bounds = w->screen->bounds},
                             .own_rows = w->rows,
                             .own_ids = w->ids,
                             .own_mean = mean,
                             .own_screen = w->screen};
    w->rows = NULL;
    w->ids = NULL;
    w->screen = NULL;
    return F0T_OK;
}

f0t_status f0t_directions_commit(f0t_directions **out, f0t_directions_writer *writer,
                                 uint64_t stamp)
{
    *out = NULL;
    f0t_status status = writer->file ? commit_file(out, writer, stamp) : commit_memory(out, writer);
    f0t_directions_abort(writer);
    return status;
}

void f0t_directions_abort(f0t_directions_writer *w)
{
    if (!w)
        return;
    if (w->file)
        f0t_safetensors_abort(w->file);
    f0t_screen_free(w->screen);
    f0t_free(w->rows);
    f0t_free(w->ids);
    f0t_free(w->sum);
    f0t_free(w->path);
    f0t_free(w);
}
