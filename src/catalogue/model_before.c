#include "catalogue/model_before.h"

#include "base/alloc.h"
#include "base/context.h"
#include "base/fault.h"
#include "io/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- Files ------------------------------------------------------------------------------------------- */

static f0t_status append(char **out, const char *path, const char *ending)
{
    const size_t length = strlen(path), more = strlen(ending) + 1;
    F0T_TRY(f0t_alloc(out, length + more, 1));
    memcpy(*out, path, length);
    memcpy(*out + length, ending, more);
    return F0T_OK;
}

static f0t_status copy_file(const char *from, const char *to)
{
    f0t_map map;
    f0t_writer *writer;
    F0T_TRY(f0t_map_open(&map, from));
    f0t_status status = f0t_writer_open(&writer, to);
    if (status == F0T_OK) {
        status = f0t_writer_write(writer, map.data, map.size);
        status = f0t_writer_finish(writer, status);
    }
    return f0t_map_finish(&map, from, status);
}

/* Another name of the same file; a copy on file systems without such. */
static f0t_status keep_file(const char *path, const char *kept)
{
    if (unlink(kept) != 0 && errno != ENOENT)
        return f0t_fail_errno(errno, "%s: cannot be replaced", kept);
    return link(path, kept) == 0 ? F0T_OK : copy_file(path, kept);
}

/* On file systems that cannot do it in one step, one of both has another name for a moment. */
static int exchange_by_steps(const char *a, const char *b, const char *between)
{
    return rename(a, between) || rename(b, a) || rename(between, b);
}

static f0t_status exchange_files(const char *a, const char *b)
{
    char *between;
    if (renameat2(AT_FDCWD, a, AT_FDCWD, b, RENAME_EXCHANGE) == 0)
        return F0T_OK;
    F0T_TRY(append(&between, a, ".exchange"));
    const bool failed = exchange_by_steps(a, b, between);
    f0t_free(between);
    return failed ? f0t_fail_errno(errno, "%s cannot take the place of %s", b, a) : F0T_OK;
}

/* ---- What the catalogue notes ------------------------------------------------------------------------ */

/* Paths of the model before and of its vectors; NULL: none. */
typedef struct note {
    char *model, *vectors;
} note;

static void free_note(note *n)
{
    f0t_free(n->model);
    f0t_free(n->vectors);
    *n = (note){0};
}

static f0t_status copy_column(char **out, sqlite3_stmt *row, int column)
{
    const char *text = (const char *)sqlite3_column_text(row, column);
    return text ? f0t_string_copy(out, text, strlen(text)) : F0T_OK;
}

static f0t_status read_note(note *out, f0t_catalogue *c)
{
    sqlite3_stmt *row;
    bool any;
    *out = (note){0};
    F0T_TRY(
        f0t_sql_bind(&row, &c->sql, "SELECT model_before, vectors_before FROM chosen", NULL, 0));
    F0T_TRY(f0t_sql_step(&any, &c->sql, row));
    f0t_status status = any ? copy_column(&out->model, row, 0) : F0T_OK;
    if (status == F0T_OK && any)
        status = copy_column(&out->vectors, row, 1);
    f0t_sql_reset(row);
    return status;
}

/* The vectors of now become those before, and `vectors` those of now. */
static f0t_status write_note(f0t_catalogue *c, const char *before, const char *vectors)
{
    F0T_TRY(f0t_change_begin(c));
    F0T_TRY(f0t_change_end(
        c,
        f0t_sql_run(&c->sql,
                    "UPDATE chosen SET model_before = ?1, vectors_before = vectors, vectors = ?2",
                    F0T_SQL_VALUES(f0t_sql_text(before), f0t_sql_text(vectors)))));
    return f0t_catalogue_read_chosen(c);
}

/* ---- A new model ------------------------------------------------------------------------------------- */

static f0t_status replace(char **before, const f0t_model *model, const char *path)
{
    F0T_TRY(append(before, path, ".before"));
    F0T_TRY(keep_file(path, *before));
    return f0t_model_save(model, path);
}

/* Without links, for free(); NULL where there is no such file. */
static f0t_status find_whole(char **out, const char *path)
{
    *out = path ? realpath(path, NULL) : NULL;
    return *out || !path || errno == ENOENT ? F0T_OK : f0t_fail_errno(errno, "%s", path);
}

static f0t_status save(char **before, f0t_catalogue *c, const f0t_model *model, const char *path)
{
    const char *from = c->model && f0t_path_exists(c->model) ? c->model : NULL;
    char *whole;
    F0T_TRY(find_whole(&whole, path));
    const bool same = from && whole && !strcmp(from, whole);
    free(whole);
    if (same)
        return replace(before, model, from);
    F0T_TRY(f0t_model_save(model, path));
    return from ? f0t_string_copy(before, from, strlen(from)) : F0T_OK;
}

f0t_status f0t_catalogue_save_model(f0t_catalogue *c, const f0t_model *model, const char *path,
                                    const char *vectors)
{
    char *before = NULL, *whole;
    F0T_TRY(find_whole(&whole, vectors));
    f0t_status status = save(&before, c, model, path ? path : c->model);
    if (status == F0T_OK)
        status = write_note(c, before, whole ? whole : c->vectors);
    free(whole);
    f0t_free(before);
    return status;
}

/* ---- The one before ---------------------------------------------------------------------------------- */

/* *path is where the model that comes back then lies, *other the one that it takes the place of. */
static f0t_status bring_back(const char **path, const char **other, const f0t_catalogue *c,
                             const note *n)
{
    char *beside;
    F0T_TRY(append(&beside, c->model, ".before"));
    const bool same = !strcmp(beside, n->model);
    f0t_free(beside);
    *path = same ? c->model : n->model;
    *other = same ? n->model : c->model;
    return same ? exchange_files(c->model, n->model) : F0T_OK;
}

static f0t_status restore(size_t *suggested, f0t_catalogue *c, const note *n)
{
    f0t_index_options options = F0T_INDEX_OPTIONS;
    f0t_index_report report = {.updated = 0};
    const char *path, *other;
    char *back = NULL;
    if (!n->model || !c->model || !f0t_path_exists(n->model))
        return f0t_fail(F0T_ERROR_NOT_FOUND, "%s has no model before this one to bring back",
                        c->path);
    F0T_TRY(bring_back(&path, &other, c, n));
    f0t_status status = f0t_string_copy(&back, path, strlen(path)); /* which the note may change */
    if (status == F0T_OK)
        status = write_note(c, other, n->vectors ? n->vectors : c->vectors);
    options.model = back;
    if (status == F0T_OK)
        status = f0t_catalogue_index(&report, c, NULL, 0, &options, NULL);
    f0t_free(back);
    if (suggested)
        *suggested = report.updated;
    return status;
}

f0t_status f0t_catalogue_restore_model(size_t *suggested, f0t_catalogue *catalogue,
                                       const f0t_context *context)
{
    F0T_ENTER(context);
    F0T_REQUIRE(catalogue);
    note before;
    F0T_TRY(f0t_catalogue_read_chosen(catalogue));
    f0t_status status = read_note(&before, catalogue);
    if (status == F0T_OK)
        status = restore(suggested, catalogue, &before);
    free_note(&before);
    return status;
}
