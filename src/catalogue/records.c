/* What the index knows of a picture: written as a record, read as blobs. */
#include "catalogue/catalogue.h"

#include "base/alloc.h"
#include "base/context.h"
#include "base/dtype.h"
#include "image/keywords.h"
#include "math/elementwise.h"

#include <string.h>

/* ---- Numbers --------------------------------------------------------------------------------------- */

f0t_status f0t_catalogue_read_halves(float *to, size_t *dim, size_t most, const f0t_catalogue *c,
                                     sqlite3_stmt *statement, int column)
{
    const void *data = sqlite3_column_blob(statement, column);
    const size_t bytes = (size_t)sqlite3_column_bytes(statement, column);
    *dim = 0;
    if (bytes % 2 || bytes / 2 > F0T_CATALOGUE_DIM_MOST || (bytes && !data))
        return f0t_fail(F0T_ERROR_FORMAT, "%s is damaged: numbers of a picture have %zu bytes",
                        c->path, bytes);
    if (bytes / 2 > most)
        return f0t_fail(F0T_ERROR_ARGUMENT, "%s: room for %zu numbers of a picture, it has %zu",
                        c->path, most, bytes / 2);
    f0t_dtype_to_f32(to, data, F0T_F16, bytes / 2);
    if (!f0t_finite_f32(to, bytes / 2))
        return f0t_fail(F0T_ERROR_FORMAT,
                        "%s is damaged: numbers of a picture hold NaN or infinity", c->path);
    *dim = bytes / 2;
    return F0T_OK;
}

static f0t_status get_numbers(float *out, size_t *dim, size_t most, f0t_catalogue *c,
                              const char *sql, int64_t picture, int64_t of)
{
    sqlite3_stmt *row;
    bool any;
    *dim = 0;
    F0T_TRY(
        f0t_sql_bind(&row, &c->sql, sql, F0T_SQL_VALUES(f0t_sql_int(picture), f0t_sql_int(of))));
    F0T_TRY(f0t_sql_step(&any, &c->sql, row));
    if (!any)
        return F0T_OK;
    f0t_status status = f0t_catalogue_read_halves(out, dim, most, c, row, 0);
    f0t_sql_reset(row);
    return status;
}

f0t_status f0t_catalogue_get_features(float *out, size_t *dim, size_t most,
                                      f0t_catalogue *catalogue, int64_t picture)
{
    F0T_REQUIRE(out || !most);
    F0T_REQUIRE(dim);
    F0T_REQUIRE(catalogue);
    return get_numbers(out, dim, most, catalogue,
                       "SELECT data FROM features WHERE picture = ?1 AND backbone = ?2", picture,
                       catalogue->backbone_id);
}

f0t_status f0t_catalogue_get_direction(float *out, size_t *dim, size_t most,
                                       f0t_catalogue *catalogue, int64_t picture)
{
    F0T_REQUIRE(out || !most);
    F0T_REQUIRE(dim);
    F0T_REQUIRE(catalogue);
    return get_numbers(out, dim, most, catalogue,
                       "SELECT data FROM directions WHERE picture = ?1 AND model = ?2", picture,
                       catalogue->model_id);
}

f0t_status f0t_catalogue_get_thumbnail(const void **data, size_t *size, f0t_catalogue *catalogue,
                                       int64_t picture)
{
    F0T_REQUIRE(data);
    F0T_REQUIRE(size);
    *data = NULL;
    *size = 0;
    F0T_REQUIRE(catalogue);
    sqlite3_stmt *row;
    bool any;
    F0T_TRY(f0t_sql_bind(&row, &catalogue->sql, "SELECT jpeg FROM thumbnails WHERE picture = ?1",
                         F0T_SQL_VALUES(f0t_sql_int(picture))));
    F0T_TRY(f0t_sql_step(&any, &catalogue->sql, row));
    if (!any)
        return F0T_OK;
    const void *jpeg = sqlite3_column_blob(row, 0);
    const size_t bytes = jpeg ? (size_t)sqlite3_column_bytes(row, 0) : 0;
    f0t_free(catalogue->blob);
    f0t_status status = f0t_alloc(&catalogue->blob, bytes, 1);
    if (status == F0T_OK && bytes) {
        memcpy(catalogue->blob, jpeg, bytes);
        *data = catalogue->blob;
        *size = bytes;
    }
    f0t_sql_reset(row);
    return status;
}

/* ---- Writing --------------------------------------------------------------------------------------- */

static f0t_status put_picture(int64_t *id, f0t_catalogue *c, const f0t_catalogue_picture *p)
{
    if (p->id)
        F0T_TRY(f0t_catalogue_require(c, p->id));
    return f0t_sql_get_int(
        id, &c->sql,
        "INSERT INTO pictures(id, path, state, error, bytes, mtime, hash, sidecars, taken, width,"
        " height) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)"
        " ON CONFLICT DO UPDATE SET path = ?2, state = ?3, error = ?4, bytes = ?5, mtime = ?6,"
        " hash = ?7, sidecars = ?8, taken = ?9, width = ?10, height = ?11, seen = 0 RETURNING id",
        F0T_SQL_VALUES(p->id ? f0t_sql_int(p->id) : f0t_sql_text(NULL), f0t_sql_text(p->path),
                       f0t_sql_int(p->state), f0t_sql_text(p->error), f0t_sql_bits(p->bytes),
                       f0t_sql_int(p->mtime), f0t_sql_bits(p->hash), f0t_sql_bits(p->sidecars),
                       f0t_sql_int(p->taken), f0t_sql_int(p->width), f0t_sql_int(p->height)),
        0);
}

f0t_status f0t_record_put_keywords(f0t_catalogue *c, int64_t id, const f0t_catalogue_record *r)
{
    F0T_TRY(f0t_sql_run(&c->sql, "DELETE FROM keywords WHERE picture = ?1",
                        F0T_SQL_VALUES(f0t_sql_int(id))));
    for (size_t i = 0; i < r->keyword_count; i++) {
        const char *keyword = r->keywords[i].keyword, *leaf = f0t_keyword_leaf(keyword);
        int64_t tag;
        if (!leaf[0] ||
            strlen(leaf) >= F0T_TAG_SIZE) /* no tag, but no reason to refuse a picture */
            continue;
        F0T_TRY(f0t_catalogue_tag_id(&tag, c, leaf, true));
        F0T_TRY(f0t_sql_run(
            &c->sql,
            "INSERT INTO keywords(picture, tag, source, place) VALUES (?1, ?2, ?3, ?4)"
            " ON CONFLICT DO UPDATE SET place = coalesce(place, ?4)",
            F0T_SQL_VALUES(f0t_sql_int(id), f0t_sql_int(tag), f0t_sql_int(r->keywords[i].source),
                           f0t_sql_text(leaf == keyword ? NULL : keyword))));
    }
    return F0T_OK;
}

static f0t_status put_suggestions(f0t_catalogue *c, int64_t id, const f0t_catalogue_record *r)
{
    F0T_TRY(f0t_sql_run(&c->sql, "DELETE FROM suggestions WHERE picture = ?1",
                        F0T_SQL_VALUES(f0t_sql_int(id))));
    for (size_t i = 0; i < r->suggestion_count; i++) {
        int64_t tag;
        if (!(r->suggestions[i].confidence >= 0 && r->suggestions[i].confidence <= 1))
            return f0t_fail(F0T_ERROR_ARGUMENT,
                            "f0t_catalogue_record: the confidence of '%s' is %g; from 0 to 1 is "
                            "expected",
                            r->suggestions[i].tag, (double)r->suggestions[i].confidence);
        F0T_TRY(f0t_catalogue_tag_id(&tag, c, r->suggestions[i].tag, true));
        F0T_TRY(f0t_sql_run(
            &c->sql,
            "INSERT OR IGNORE INTO suggestions(picture, tag, confidence) VALUES (?1, ?2, ?3)",
            F0T_SQL_VALUES(f0t_sql_int(id), f0t_sql_int(tag),
                           f0t_sql_real((double)r->suggestions[i].confidence))));
    }
    return F0T_OK;
}

/* Halves of `dim` numbers; those beyond the range of float16 are refused, since they would come back infinite. */
static f0t_status make_halves(uint16_t **out, const float *from, size_t dim, const char *what)
{
    if (dim > F0T_CATALOGUE_DIM_MOST)
        return f0t_fail(F0T_ERROR_ARGUMENT, "f0t_catalogue_record: %zu numbers of %s", dim, what);
    F0T_TRY(f0t_alloc(out, dim, sizeof **out));
    f0t_f32_to_f16(*out, from, dim);
    for (size_t i = 0; i < dim; i++)
        if (((*out)[i] & 0x7C00) == 0x7C00) {
            f0t_free(*out);
            return f0t_fail(F0T_ERROR_NUMERIC, "%s hold %g, which float16 cannot", what,
                            (double)from[i]);
        }
    return F0T_OK;
}

static f0t_status put_numbers(f0t_catalogue *c, int64_t id, const char *clear, const char *put,
                              const float *from, size_t dim, int64_t of, const char *what)
{
    uint16_t *halves;
    if (!from)
        return f0t_sql_run(&c->sql, clear, F0T_SQL_VALUES(f0t_sql_int(id)));
    if (!of)
        return f0t_fail(F0T_ERROR_ARGUMENT, "f0t_catalogue_record: %s, but the catalogue has no %s",
                        what, strcmp(what, "features") == 0 ? "backbone" : "model");
    F0T_TRY(make_halves(&halves, from, dim, what));
    f0t_status status = f0t_sql_run(&c->sql, put,
                                    F0T_SQL_VALUES(f0t_sql_int(id), f0t_sql_int(of),
                                                   f0t_sql_blob(halves, dim * sizeof *halves)));
    f0t_free(halves);
    return status;
}

static f0t_status put_thumbnail(f0t_catalogue *c, int64_t id, const void *jpeg, size_t size)
{
    if (!jpeg)
        return f0t_sql_run(&c->sql, "DELETE FROM thumbnails WHERE picture = ?1",
                           F0T_SQL_VALUES(f0t_sql_int(id)));
    return f0t_sql_run(&c->sql, "INSERT OR REPLACE INTO thumbnails(picture, jpeg) VALUES (?1, ?2)",
                       F0T_SQL_VALUES(f0t_sql_int(id), f0t_sql_blob(jpeg, size)));
}

f0t_status f0t_record_put_scores(f0t_catalogue *c, int64_t id, const f0t_catalogue_record *r)
{
    F0T_TRY(put_suggestions(c, id, r));
    F0T_TRY(
        put_numbers(c, id, "DELETE FROM directions WHERE picture = ?1",
                    "INSERT OR REPLACE INTO directions(picture, model, data) VALUES (?1, ?2, ?3)",
                    r->direction, r->direction_dim, c->model_id, "directions"));
    return f0t_catalogue_change_directions(c);
}

static f0t_status put(int64_t *id, f0t_catalogue *c, const f0t_catalogue_record *r)
{
    F0T_TRY(put_picture(id, c, &r->picture));
    F0T_TRY(f0t_record_put_keywords(c, *id, r));
    F0T_TRY(put_thumbnail(c, *id, r->thumbnail, r->thumbnail_size));
    F0T_TRY(
        put_numbers(c, *id, "DELETE FROM features WHERE picture = ?1",
                    "INSERT OR REPLACE INTO features(picture, backbone, data) VALUES (?1, ?2, ?3)",
                    r->features, r->dim, c->backbone_id, "features"));
    return f0t_record_put_scores(c, *id, r);
}

static f0t_status check(const f0t_catalogue_record *r)
{
    if (!r->picture.path || r->picture.path[0] != '/')
        return f0t_fail(F0T_ERROR_ARGUMENT, "f0t_catalogue_record: the path '%s' is not absolute",
                        r->picture.path ? r->picture.path : "NULL");
    if (r->picture.state > F0T_PICTURE_UNREADABLE || r->picture.id < 0)
        return f0t_fail(F0T_ERROR_ARGUMENT, "f0t_catalogue_record: state %d or id %lld",
                        (int)r->picture.state, (long long)r->picture.id);
    for (size_t i = 0; i < r->keyword_count; i++)
        if (!r->keywords || !r->keywords[i].keyword)
            return f0t_fail(F0T_ERROR_ARGUMENT, "f0t_catalogue_record: keyword %zu is NULL", i);
    for (size_t i = 0; i < r->suggestion_count; i++)
        if (!r->suggestions || !r->suggestions[i].tag)
            return f0t_fail(F0T_ERROR_ARGUMENT, "f0t_catalogue_record: suggestion %zu is NULL", i);
    return F0T_OK;
}

f0t_status f0t_catalogue_put(int64_t *id, f0t_catalogue *catalogue,
                             const f0t_catalogue_record *record)
{
    int64_t own = 0;
    F0T_REQUIRE(catalogue);
    F0T_REQUIRE(record);
    F0T_READ_OPTIONS(f0t_catalogue_record, F0T_CATALOGUE_RECORD, record);
    F0T_TRY(check(record));
    F0T_TRY(f0t_change_begin(catalogue));
    F0T_TRY(f0t_change_end(catalogue, put(&own, catalogue, record)));
    if (id)
        *id = own;
    return F0T_OK;
}
