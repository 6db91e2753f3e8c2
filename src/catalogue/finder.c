/* A finder, and what it makes when it is first needed: model, vectors, directions. */
#include "catalogue/finder.h"

#include "base/alloc.h"
#include "base/context.h"
#include "base/monitor.h"
#include "catalogue/scan.h"

#include <string.h>

f0t_status f0t_finder_open(f0t_finder **out, f0t_catalogue *catalogue,
                           const f0t_finder_options *options, const f0t_context *context)
{
    F0T_REQUIRE(out);
    *out = NULL;
    F0T_REQUIRE(catalogue);
    F0T_ENTER(context);
    F0T_READ_OPTIONS(f0t_finder_options, F0T_FINDER_OPTIONS, options);
    const char *vectors = options->vectors ? options->vectors : catalogue->vectors;
    f0t_finder *f;
    F0T_TRY(f0t_alloc_zero(&f, 1, sizeof *f));
    f->catalogue = catalogue;
    f->model = options->model;
    f0t_status status =
        vectors ? f0t_string_copy(&f->vectors_path, vectors, strlen(vectors)) : F0T_OK;
    if (status == F0T_OK)
        *out = f;
    else
        f0t_finder_close(f);
    return status;
}

void f0t_finder_close(f0t_finder *f)
{
    if (!f)
        return;
    f0t_directions_close(f->directions);
    f0t_vectors_close(f->vectors);
    f0t_model_free(f->own_model);
    f0t_free(f->vectors_path);
    f0t_free(f);
}

/* One that was trained anew under its old name does not know these directions. */
static f0t_status check_model(const f0t_catalogue *c)
{
    uint64_t fingerprint;
    F0T_TRY(f0t_file_hash(&fingerprint, c->model));
    return fingerprint == c->fingerprint
               ? F0T_OK
               : f0t_fail(F0T_ERROR_MISMATCH,
                          "the model %s is not the one that %s was made with; fast0tag index "
                          "brings the catalogue up to date",
                          c->model, c->path);
}

f0t_status f0t_finder_model(const f0t_model **out, f0t_finder *f)
{
    *out = NULL;
    if (!f->model && f->catalogue->model) {
        F0T_TRY(check_model(f->catalogue));
        F0T_TRY(f0t_model_load(&f->own_model, f->catalogue->model, NULL));
        f->fingerprint = f->catalogue->fingerprint;
        f->model = f->own_model;
    }
    *out = f->model;
    return F0T_OK;
}

f0t_status f0t_finder_presence(double *logit, f0t_finder *f, const float *vector)
{
    const f0t_vocab *learned = f0t_model_vocab(f->model);
    const float *vectors = f0t_vocab_vectors(learned);
    const size_t count = f0t_vocab_count(learned), dim = f0t_model_dim(f->model);
    if (!f->presence_known)
        F0T_TRY(f0t_presence_fit(&f->presence, vectors, count, dim));
    f->presence_known = true;
    return f0t_presence_logit(logit, &f->presence, vectors, count, dim, vector);
}

f0t_status f0t_finder_vectors(const f0t_vectors **out, f0t_finder *f)
{
    *out = NULL;
    if (!f->vectors && f->vectors_path)
        F0T_TRY(f0t_vectors_open(&f->vectors, f->vectors_path, NULL, NULL));
    *out = f->vectors;
    return F0T_OK;
}

/* ---- Directions ------------------------------------------------------------------------------------ */

enum { BLOCK = 1024 };

typedef struct copying {
    f0t_catalogue *catalogue;
    f0t_directions_writer *to;
    size_t dim, filled, done;
    int64_t ids[BLOCK];
    float *rows; /* [BLOCK x dim] */
    f0t_stage stage;
} copying;

static f0t_status flush(copying *c)
{
    const size_t rows = c->filled;
    c->filled = 0;
    F0T_TRY(f0t_directions_add(c->to, c->ids, c->rows, rows));
    c->done += rows;
    return f0t_stage_update(&c->stage, c->done);
}

static f0t_status copy_row(copying *c, sqlite3_stmt *row)
{
    size_t dim;
    float *to = c->rows + c->filled * c->dim;
    F0T_TRY(f0t_catalogue_read_halves(to, &dim, c->dim, c->catalogue, row, 1));
    if (dim != c->dim)
        return f0t_fail(F0T_ERROR_FORMAT,
                        "%s: a direction of %zu numbers, the model's have %zu; index the pictures "
                        "again",
                        c->catalogue->path, dim, c->dim);
    c->ids[c->filled++] = sqlite3_column_int64(row, 0);
    return c->filled == BLOCK ? flush(c) : F0T_OK;
}

static f0t_status copy_rows(copying *c, sqlite3_stmt *rows)
{
    for (bool any;;) {
        F0T_TRY(f0t_sql_step(&any, &c->catalogue->sql, rows));
        if (!any)
            return c->filled ? flush(c) : F0T_OK;
        F0T_TRY(copy_row(c, rows));
    }
}

/* All directions of the catalogue's model; *count of them. */
static f0t_status copy_all(size_t *count, f0t_directions_writer *to, const f0t_finder *f,
                           size_t dim)
{
    f0t_catalogue *catalogue = f->catalogue;
    copying c = {.catalogue = catalogue, .to = to, .dim = dim};
    c.stage = f0t_stage_begin(f0t_context_monitor(NULL), "reading directions", "pictures", 0);
    sqlite3_stmt *rows;
    F0T_TRY(f0t_alloc(&c.rows, BLOCK * dim, sizeof *c.rows));
    f0t_status status =
        f0t_sql_bind(&rows, &catalogue->sql,
                     "SELECT picture, data FROM directions WHERE model = ?1 ORDER BY picture",
                     F0T_SQL_VALUES(f0t_sql_int(catalogue->model_id)));
    if (status == F0T_OK) {
        status = copy_rows(&c, rows);
        f0t_sql_reset(rows);
    }
    if (status == F0T_OK)
        f0t_stage_end(&c.stage);
    f0t_free(c.rows);
    *count = c.done;
    return status;
}

static f0t_status make(f0t_finder *f, const char *path, size_t dim)
{
    f0t_directions_writer *writer;
    size_t count;
    F0T_TRY(f0t_directions_create(&writer, path, dim));
    f0t_status status = copy_all(&count, writer, f, dim);
    if (status == F0T_OK && count)
        return f0t_directions_commit(&f->directions, writer, (uint64_t)f->stamp);
    f0t_directions_abort(writer);
    return status;
}

/* A file of that name that nobody can have got from us is not replaced. */
static f0t_status look_for_foreign(bool *foreign, const char *path)
{
    f0t_map map;
    *foreign = false;
    f0t_status status = f0t_map_open(&map, path);
    if (status != F0T_OK) /* nothing, or what cannot be replaced either */
        return status == F0T_ERROR_MEMORY ? status : F0T_OK;
    *foreign = map.size && !f0t_safetensors_begins(map.data, map.size);
    f0t_map_close(&map);
    return F0T_OK;
}

/* Of the file beside the catalogue, which is made again where it is not of this stamp; in memory where it cannot be. */
static f0t_status read_directions(f0t_finder *f, const char *path, size_t dim)
{
    bool foreign;
    f0t_status status = f0t_directions_open(&f->directions, path, (uint64_t)f->stamp);
    if (status == F0T_OK && f->directions->dim == dim)
        return F0T_OK;
    f0t_directions_close(f->directions);
    f->directions = NULL;
    if (status == F0T_ERROR_MEMORY)
        return status;
    F0T_TRY(look_for_foreign(&foreign, path));
    if (foreign)
        return make(f, NULL, dim);
    status = make(f, path, dim);
    const bool elsewhere =
        status == F0T_ERROR_MISMATCH; /* another process made it of another stamp meanwhile */
    return status == F0T_ERROR_IO || status == F0T_ERROR_NOT_FOUND || elsewhere ? make(f, NULL, dim)
                                                                                : status;
}

f0t_status f0t_finder_refresh(f0t_finder *f)
{
    int64_t stamp;
    F0T_TRY(
        f0t_sql_get_int(&stamp, &f->catalogue->sql, "SELECT directions FROM chosen", NULL, 0, 0));
    if (f->fresh && stamp == f->stamp)
        return F0T_OK;
    F0T_TRY(f0t_catalogue_read_chosen(f->catalogue));
    f0t_directions_close(f->directions);
    f->directions = NULL;
    f->read = false;
    if (f->own_model && f->fingerprint != f->catalogue->fingerprint) {
        f0t_model_free(f->own_model);
        f->own_model = NULL;
        f->model = NULL;
        f->presence_known = false;
    }
    f->stamp = stamp;
    f->fresh = true;
    return F0T_OK;
}

f0t_status f0t_finder_directions(const f0t_directions **out, f0t_finder *f)
{
    static const char ENDING[] = ".directions";
    const f0t_model *model;
    char *path;
    *out = NULL;
    F0T_TRY(f0t_finder_model(&model, f));
    if (!model || !f->catalogue->model_id)
        return F0T_OK;
    if (!f->read) {
        const size_t length = strlen(f->catalogue->path);
        F0T_TRY(f0t_alloc(&path, length + sizeof ENDING, 1));
        memcpy(path, f->catalogue->path, length);
        memcpy(path + length, ENDING, sizeof ENDING);
        f0t_status status = read_directions(f, path, f0t_model_dim(model));
        f0t_free(path);
        F0T_TRY(status);
        f->read = true;
    }
    *out = f->directions;
    return F0T_OK;
}
