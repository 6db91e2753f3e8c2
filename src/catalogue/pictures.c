/* The pictures of a catalogue: one, or a page of those that fulfil a query. */
#include "catalogue/catalogue.h"

#include "base/alloc.h"
#include "base/context.h"
#include "base/interner.h"
#include "catalogue/identity.h"
#include "catalogue/same.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COLUMNS                                                                                \
    "p.id, p.path, p.state, p.error, p.bytes, p.mtime, p.hash, p.sidecars, p.taken, p.width, " \
    "p.height"

/* ---- Reading rows ---------------------------------------------------------------------------------- */

typedef struct listing {
    f0t_catalogue_pictures shown; /* what the caller sees: first */
    f0t_catalogue_picture *items;
    size_t capacity;
    f0t_texts texts; /* path and error of each */
} listing;

static f0t_status add_text(listing *l, sqlite3_stmt *row, int column)
{
    const char *text = (const char *)sqlite3_column_text(row, column);
    return f0t_texts_add(&l->texts, text ? text : "", text ? strlen(text) : 0);
}

/* Where it was last, of a picture whose path another one has now: it is kept as PATH//ID (catalogue/identity.h). */
static f0t_status add_path(listing *l, sqlite3_stmt *row)
{
    const char *path = (const char *)sqlite3_column_text(row, 1);
    char suffix[32];
    size_t length = path ? strlen(path) : 0;
    const size_t more =
        (size_t)snprintf(suffix, sizeof suffix, "//%lld", (long long)sqlite3_column_int64(row, 0));
    if (length > more && strcmp(path + length - more, suffix) == 0)
        length -= more;
    return f0t_texts_add(&l->texts, path ? path : "", length);
}

static uint32_t read_side(sqlite3_stmt *row, int column)
{
    const int64_t side = sqlite3_column_int64(row, column);
    return side < 0 || side > UINT32_MAX ? 0 : (uint32_t)side;
}

static f0t_status add_row(listing *l, const f0t_catalogue *c, sqlite3_stmt *row)
{
    const int64_t state = sqlite3_column_int64(row, 2);
    if (state < F0T_PICTURE_PRESENT || state > F0T_PICTURE_UNREADABLE)
        return f0t_fail(F0T_ERROR_FORMAT, "%s is damaged: picture %lld has the state %lld", c->path,
                        (long long)sqlite3_column_int64(row, 0), (long long)state);
    F0T_TRY(f0t_grow(&l->items, &l->capacity, l->shown.count, 1, sizeof *l->items));
    F0T_TRY(add_path(l, row));
    F0T_TRY(add_text(l, row, 3));
    l->items[l->shown.count++] =
        (f0t_catalogue_picture){.id = sqlite3_column_int64(row, 0),
                                .state = (f0t_picture_state)state,
                                .bytes = (uint64_t)sqlite3_column_int64(row, 4),
                                .mtime = sqlite3_column_int64(row, 5),
                                .hash = (uint64_t)sqlite3_column_int64(row, 6),
                                .sidecars = (uint64_t)sqlite3_column_int64(row, 7),
                                .taken = sqlite3_column_int64(row, 8),
                                .width = read_side(row, 9),
                                .height = read_side(row, 10)};
    return F0T_OK;
}

static f0t_status add_rows(listing *l, f0t_catalogue *c, sqlite3_stmt *row)
{
    for (bool any;;) {
        F0T_TRY(f0t_sql_step(&any, &c->sql, row));
        if (!any)
            return F0T_OK;
        F0T_TRY(add_row(l, c, row));
    }
}

/* Texts do not move any more. */
static void connect_texts(listing *l)
{
    l->shown.items = l->items;
    for (size_t i = 0; i < l->shown.count; i++) {
        l->items[i].path = f0t_texts_get(&l->texts, 2 * i);
        l->items[i].error =
            f0t_texts_length(&l->texts, 2 * i + 1) ? f0t_texts_get(&l->texts, 2 * i + 1) : NULL;
    }
}

static f0t_status read_rows(f0t_catalogue_pictures **out, f0t_catalogue *c, sqlite3_stmt *rows)
{
    listing *l;
    F0T_TRY(f0t_alloc_zero(&l, 1, sizeof *l));
    f0t_status status = add_rows(l, c, rows);
    connect_texts(l);
    if (status == F0T_OK)
        *out = &l->shown;
    else
        f0t_catalogue_pictures_free(&l->shown);
    return status;
}

void f0t_catalogue_pictures_free(f0t_catalogue_pictures *pictures)
{
    listing *l = (listing *)pictures;
    if (!l)
        return;
    f0t_texts_free(&l->texts);
    f0t_free(l->items);
    f0t_free(l);
}

/* ---- One picture ----------------------------------------------------------------------------------- */

/* A list that must not be empty. */
static f0t_status read_one(f0t_catalogue_pictures **out, f0t_catalogue *c, const char *sql,
                           const f0t_sql_value *value)
{
    sqlite3_stmt *row;
    F0T_TRY(f0t_sql_bind(&row, &c->sql, sql, value, 1));
    f0t_status status = read_rows(out, c, row);
    f0t_sql_reset(row);
    return status;
}

f0t_status f0t_catalogue_get(f0t_catalogue_pictures **out, f0t_catalogue *catalogue, int64_t id)
{
    F0T_REQUIRE(out);
    *out = NULL;
    F0T_REQUIRE(catalogue);
    const f0t_sql_value value = f0t_sql_int(id);
    F0T_TRY(read_one(out, catalogue, "SELECT " COLUMNS " FROM pictures p WHERE p.id = ?1", &value));
    if ((*out)->count)
        return F0T_OK;
    f0t_catalogue_pictures_free(*out);
    *out = NULL;
    return f0t_fail(F0T_ERROR_NOT_FOUND, "%s has no picture %lld", catalogue->path, (long long)id);
}

f0t_status f0t_catalogue_find_path(f0t_catalogue_pictures **out, f0t_catalogue *catalogue,
                                   const char *path)
{
    F0T_REQUIRE(out);
    *out = NULL;
    F0T_REQUIRE(catalogue);
    F0T_REQUIRE(path);
    char *real = realpath(path, NULL); /* a file that is gone may be known by its path */
    const int error = real ? 0 : errno;
    const f0t_sql_value value = f0t_sql_text(real ? real : path);
    f0t_status status =
        read_one(out, catalogue, "SELECT " COLUMNS " FROM pictures p WHERE p.path = ?1", &value);
    free(real);
    if (status == F0T_OK && (*out)->count) /* who names a path means what stands there now */
        status = f0t_identity_require(catalogue, (*out)->items->id, (*out)->items->path);
    else if (status == F0T_OK)
        status = F0T_ERROR_NOT_FOUND;
    if (status == F0T_OK)
        return F0T_OK;
    f0t_catalogue_pictures_free(*out);
    *out = NULL;
    if (status != F0T_ERROR_NOT_FOUND)
        return status;
    if (error && error != ENOENT && error != ENOTDIR)
        return f0t_fail_errno(error, "%s: cannot be looked at", path);
    return f0t_fail(F0T_ERROR_NOT_FOUND, "%s is not in the catalogue %s; fast0tag index adds it",
                    path, catalogue->path);
}

/* ---- Queries --------------------------------------------------------------------------------------- */

/* A query as SQL, with the values of its parameters in their order. */
typedef struct builder {
    char sql[4096];
    size_t length;
    f0t_sql_value values[16];
    size_t count;
} builder;

static void append(builder *b, const char *sql)
{
    const size_t length = strlen(sql);
    memcpy(b->sql + b->length, sql, length + 1);
    b->length += length;
}

static void condition(builder *b, const char *sql)
{
    append(b, " AND ");
    append(b, sql);
}

static void value(builder *b, f0t_sql_value v)
{
    b->values[b->count++] = v;
}

#define GIVEN                                                                                   \
    "EXISTS (SELECT 1 FROM decisions d WHERE d.picture = p.id AND d.current = 1 AND d.decision" \
    " = 1"
#define TAGS_OF "(SELECT t.id FROM (SELECT ? AS n) x JOIN tags t ON t.same = x.n OR t.id = x.n)"
/* A suggestion that waits for a decision: nobody has given the picture a tag of its root, or decided about the tag. */
#define OPEN                                                                              \
    "EXISTS (SELECT 1 FROM suggestions s WHERE s.picture = p.id AND s.confidence >= ?"    \
    " AND NOT EXISTS (SELECT 1 FROM keywords w WHERE w.picture = p.id AND w.tag "         \
    "IN " F0T_ALIKE_TAGS(                                                                 \
        "s.tag") ")"                                                                      \
                 " AND NOT EXISTS (SELECT 1 FROM decisions w WHERE w.picture = p.id AND " \
                 "w.current = 1 AND"                                                      \
                 " (w.decision = 1 AND w.tag IN " F0T_ALIKE_TAGS(                         \
                     "s.tag") " OR w.decision <> 0 AND w.tag IN " F0T_SAME_TAGS("s.tag") "))"

/* The tags that stand for those of a query. */
typedef struct same_tags {
    int64_t tag, suggested;
} same_tags;

static f0t_status find_same(same_tags *same, f0t_catalogue *c, const f0t_catalogue_query *q)
{
    *same = (same_tags){0};
    if (q->tag)
        F0T_TRY(f0t_same_tag(&same->tag, &c->sql, q->tag));
    return q->suggested ? f0t_same_tag(&same->suggested, &c->sql, q->suggested) : F0T_OK;
}

/* By sets of pictures, which indices give: not picture by picture. */
static void ask_tags(builder *b, const f0t_catalogue_query *q, const same_tags *same)
{
    if (q->tag) {
        condition(b, "p.id IN (SELECT picture FROM keywords WHERE tag IN " TAGS_OF
                     " UNION SELECT picture FROM decisions WHERE current = 1 AND decision = 1 AND"
                     " tag IN " TAGS_OF ")");
        value(b, f0t_sql_int(same->tag));
        value(b, f0t_sql_int(same->tag));
    }
    if (q->suggested) {
        condition(b, OPEN " AND s.tag IN " TAGS_OF ")");
        value(b, f0t_sql_real(q->confidence));
        value(b, f0t_sql_int(same->suggested));
    }
    if (q->untagged)
        condition(b, "NOT EXISTS (SELECT 1 FROM keywords k WHERE k.picture = p.id) AND NOT " GIVEN
                     ")");
    if (q->undecided) {
        condition(b, OPEN ")");
        value(b, f0t_sql_real(q->confidence));
    }
}

static void ask_dates(builder *b, const f0t_catalogue_query *q)
{
    if (q->from != F0T_NO_DATE) {
        condition(b, "p.taken >= ?");
        value(b, f0t_sql_int(q->from));
    }
    if (q->before != F0T_NO_DATE) {
        condition(b, "p.taken < ? AND p.taken <> (-9223372036854775807 - 1)");
        value(b, f0t_sql_int(q->before));
    }
}

/* "/a/b" has what lies between "/a/b/" and "/a/b0", the character after the slash. */
static void ask_folder(builder *b, const char *folder, char *room)
{
    size_t length = strlen(folder);
    while (length && folder[length - 1] == '/')
        length--;
    memcpy(room, folder, length);
    memcpy(room + length, "/", 2);
    memcpy(room + length + 2, folder, length);
    memcpy(room + 2 * length + 2, "0", 2);
    condition(b, "p.path > ? AND p.path < ?");
    value(b, f0t_sql_text(room));
    value(b, f0t_sql_text(room + length + 2));
}

static void ask_page(builder *b, const f0t_catalogue_query *q)
{
    static const char *const AFTER[] = {
        "p.id > ?", "(p.taken, p.id) < (SELECT taken, id FROM pictures WHERE id = ?)",
        "p.path > (SELECT path FROM pictures WHERE id = ?)"};
    static const char *const ORDER[] = {" ORDER BY p.id", " ORDER BY p.taken DESC, p.id DESC",
                                        " ORDER BY p.path"};
    if (q->after) {
        condition(b, AFTER[q->order]);
        value(b, f0t_sql_int(q->after));
    }
    append(b, ORDER[q->order]);
    if (q->limit) {
        append(b, " LIMIT ?");
        value(b, f0t_sql_int(q->limit > INT64_MAX ? INT64_MAX : (int64_t)q->limit));
    }
}

static f0t_status run_query(sqlite3_stmt **out, f0t_catalogue *c, const char *what,
                            const f0t_catalogue_query *q, bool page)
{
    builder b = {.length = 0};
    same_tags same;
    char *room = NULL;
    F0T_TRY(find_same(&same, c, q));
    if (q->folder)
        F0T_TRY(f0t_alloc(&room, 2 * strlen(q->folder) + 4, 1));
    append(&b, what);
    append(&b, q->all_states ? " FROM pictures p WHERE 1" : " FROM pictures p WHERE p.state = 0");
    ask_tags(&b, q, &same);
    ask_dates(&b, q);
    if (q->folder)
        ask_folder(&b, q->folder, room);
    if (page)
        ask_page(&b, q);
    f0t_status status = f0t_sql_bind_once(out, &c->sql, b.sql, b.values, b.count);
    f0t_free(room);
    return status;
}

static f0t_status check_query(const f0t_catalogue_query *q)
{
    if (q->order > F0T_ORDER_PATH)
        return f0t_fail(F0T_ERROR_ARGUMENT, "f0t_catalogue_query: no order %d", (int)q->order);
    return F0T_OK;
}

f0t_status f0t_catalogue_list(f0t_catalogue_pictures **out, f0t_catalogue *catalogue,
                              const f0t_catalogue_query *query)
{
    F0T_REQUIRE(out);
    *out = NULL;
    F0T_REQUIRE(catalogue);
    F0T_READ_OPTIONS(f0t_catalogue_query, F0T_CATALOGUE_QUERY, query);
    F0T_TRY(check_query(query));
    sqlite3_stmt *rows;
    F0T_TRY(run_query(&rows, catalogue, "SELECT " COLUMNS, query, true));
    f0t_status status = read_rows(out, catalogue, rows);
    sqlite3_finalize(rows);
    return status;
}

f0t_status f0t_catalogue_count(size_t *out, f0t_catalogue *catalogue,
                               const f0t_catalogue_query *query)
{
    F0T_REQUIRE(out);
    F0T_REQUIRE(catalogue);
    F0T_READ_OPTIONS(f0t_catalogue_query, F0T_CATALOGUE_QUERY, query);
    F0T_TRY(check_query(query));
    sqlite3_stmt *rows;
    bool any;
    F0T_TRY(run_query(&rows, catalogue, "SELECT count(*)", query, false));
    f0t_status status = f0t_sql_step(&any, &catalogue->sql, rows);
    if (status == F0T_OK)
        *out = (size_t)sqlite3_column_int64(rows, 0);
    sqlite3_finalize(rows);
    return status;
}

f0t_status f0t_catalogue_require(f0t_catalogue *catalogue, int64_t picture)
{
    int64_t found;
    F0T_TRY(f0t_sql_get_int(&found, &catalogue->sql, "SELECT 1 FROM pictures WHERE id = ?1",
                            F0T_SQL_VALUES(f0t_sql_int(picture)), 0));
    return found ? F0T_OK
                 : f0t_fail(F0T_ERROR_NOT_FOUND, "%s has no picture %lld", catalogue->path,
                            (long long)picture);
}
