/*
 * Accepted tags as keywords of the pictures' files, and the way back.
 *
 * What a file should have of ours is what was accepted; what it has is in `written`. Where the two differ, the file is
 * written first, and then, in one change of the catalogue, what it had before goes to `writes` and what it has to
 * `written`: whoever is killed in between writes the same again, which changes nothing.
 */
#include "base/alloc.h"
#include "base/context.h"
#include "base/monitor.h"
#include "catalogue/identity.h"
#include "catalogue/replaced.h"
#include "catalogue/row_numbers.h"
#include "catalogue/same.h"
#include "catalogue/scan.h"
#include "catalogue/tag_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct writing {
    f0t_catalogue *catalogue;
    f0t_catalogue_write_options options;
    f0t_catalogue_write_callback each;
    void *user;
    const f0t_monitor *monitor;
    f0t_tag_files files;
    int64_t run;   /* number of this one among all that wrote */
    int64_t *went; /* [went_count] ways of all pictures in `writes`, ascending (way_of) */
    size_t went_count;
} writing;

/* ---- A picture and its tags ------------------------------------------------------------------------ */

/* A text of one row; *out is NULL where there is none. The caller's to free. */
static f0t_status read_text(char **out, f0t_catalogue *c, const char *sql, int64_t id)
{
    sqlite3_stmt *row;
    bool any;
    *out = NULL;
    F0T_TRY(f0t_sql_bind(&row, &c->sql, sql, F0T_SQL_VALUES(f0t_sql_int(id))));
    F0T_TRY(f0t_sql_step(&any, &c->sql, row));
    const char *text = any ? (const char *)sqlite3_column_text(row, 0) : NULL;
    f0t_status status = text ? f0t_string_copy(out, text, strlen(text)) : F0T_OK;
    if (any)
        f0t_sql_reset(row);
    return status;
}

/* The tag where most pictures of the collection have it in a hierarchy, "Places|Paris"; else its name. */
static f0t_status add_placed(f0t_texts *to, f0t_catalogue *c, int64_t tag)
{
    char *text;
    F0T_TRY(read_text(&text, c,
                      "SELECT place FROM keywords WHERE tag = ?1 AND place IS NOT NULL"
                      " GROUP BY place ORDER BY count(*) DESC, place LIMIT 1",
                      tag));
    if (!text)
        F0T_TRY(read_text(&text, c, "SELECT name FROM tags WHERE id = ?1", tag));
    f0t_status status = text ? f0t_texts_add(to, text, strlen(text)) : F0T_OK;
    f0t_free(text);
    return status;
}

/* The caller hears of it. What is this picture's own trouble does not end the others. */
static f0t_status tell(writing *w, f0t_catalogue_written *said, f0t_status status,
                       f0t_write_way how)
{
    char error[512];
    if (status == F0T_ERROR_MEMORY || status == F0T_ERROR_INTERRUPTED)
        return status;
    snprintf(error, sizeof error, "%s", status == F0T_OK ? "" : f0t_last_error());
    said->status = status;
    said->error = status == F0T_OK ? NULL : error;
    said->changed = said->changed && status == F0T_OK;
    said->change = said->changed ? f0t_sidecars_change(w->files.sidecars[how]) : "";
    if (!w->each)
        return F0T_OK;
    const f0t_context *context = f0t_context_suspend();
    const bool more = w->each(w->user, said);
    f0t_context_leave(&context);
    return more ? F0T_OK : f0t_fail(F0T_ERROR_INTERRUPTED, "ended by the caller");
}

/* ---- What is noted --------------------------------------------------------------------------------- */

/* Tags that the file has already keep the time when they came. */
static f0t_status note_tags(f0t_catalogue *c, int64_t picture, const f0t_row_numbers *before,
                            const f0t_row_numbers *after)
{
    for (size_t i = 0; i < before->count; i++)
        if (!f0t_row_numbers_has(after, before->items[i]))
            F0T_TRY(
                f0t_sql_run(&c->sql, "DELETE FROM written WHERE picture = ?1 AND tag = ?2",
                            F0T_SQL_VALUES(f0t_sql_int(picture), f0t_sql_int(before->items[i]))));
    for (size_t i = 0; i < after->count; i++)
        F0T_TRY(f0t_sql_run(
            &c->sql,
            "INSERT OR IGNORE INTO written(picture, tag, at) SELECT ?1, id, ?3 FROM tags"
            " WHERE id = ?2",
            F0T_SQL_VALUES(f0t_sql_int(picture), f0t_sql_int(after->items[i]),
                           f0t_sql_int((int64_t)time(NULL)))));
    return F0T_OK;
}

/* `replaced` (may be NULL) is what the one file that changed was before. */
static f0t_status note_write(const writing *w, int64_t picture, f0t_write_way how, bool left,
                             const f0t_row_numbers *before, const f0t_row_numbers *after,
                             const f0t_replaced *replaced)
{
    char *had;
    if (!left && f0t_row_numbers_same(before, after))
        return F0T_OK; /* a file that had lost them: there is nothing to go back to */
    F0T_TRY(f0t_row_numbers_join(&had, before));
    f0t_status status = f0t_sql_run(
        &w->catalogue->sql,
        "INSERT INTO writes(run, picture, how, before, at) VALUES (?1, ?2, ?3, ?4, ?5)",
        F0T_SQL_VALUES(f0t_sql_int(w->run), f0t_sql_int(picture), f0t_sql_int((int64_t)how),
                       f0t_sql_text(had), f0t_sql_int((int64_t)time(NULL))));
    f0t_free(had);
    if (status == F0T_OK && replaced)
        status = f0t_replaced_put(w->catalogue, sqlite3_last_insert_rowid(w->catalogue->sql.db),
                                  replaced);
    return status == F0T_OK ? note_tags(w->catalogue, picture, before, after) : status;
}

/* ---- Ways ------------------------------------------------------------------------------------------ */

/* A picture and a way as one number. */
static int64_t way_of(int64_t picture, f0t_write_way how)
{
    return (int64_t)((uint64_t)picture << 2 | (uint64_t)how);
}

static f0t_status read_went(writing *w)
{
    f0t_row_numbers n = {0};
    f0t_status status = f0t_row_numbers_read(&n, w->catalogue,
                                             "SELECT DISTINCT picture << 2 | how FROM writes"
                                             " WHERE how BETWEEN 0 AND 2 ORDER BY 1",
                                             NULL, 0);
    w->went = n.items;
    w->went_count = n.count;
    return status;
}

static int compare_numbers(const void *a, const void *b)
{
    const int64_t left = *(const int64_t *)a, right = *(const int64_t *)b;
    return (left > right) - (left < right);
}

/* Whether a run has written this picture in this way. */
static bool went(const writing *w, int64_t picture, f0t_write_way how)
{
    const int64_t key = way_of(picture, how);
    return w->went_count && bsearch(&key, w->went, w->went_count, sizeof *w->went, compare_numbers);
}

/* ---- Writing --------------------------------------------------------------------------------------- */

/* Decision d is a tag for the picture's file: it was accepted, and is no keyword of a person in other words, "dogs" for
 * "dog". */
#define WANTED                                                                        \
    "d.current = 1 AND d.decision = 1 AND NOT EXISTS (SELECT 1 FROM keywords k WHERE" \
    " k.picture = d.picture AND k.tag <> d.tag AND k.tag IN " F0T_SAME_TAGS("d.tag") ")"

/* Pictures whose files have other tags of ours than are wanted. */
static const char *const PENDING =
    "SELECT p.id FROM pictures p WHERE p.state = 0 AND p.id IN ("
    " SELECT d.picture FROM decisions d WHERE " WANTED " AND NOT EXISTS"
    "  (SELECT 1 FROM written w WHERE w.picture = d.picture AND w.tag = d.tag)"
    " UNION SELECT w.picture FROM written w WHERE NOT EXISTS"
    "  (SELECT 1 FROM decisions d WHERE d.picture = w.picture AND d.tag = w.tag AND " WANTED
    ")) ORDER BY p.path";

/* All whose files have, or shall have, tags of ours. */
static const char *const EVERY = "SELECT p.id FROM pictures p WHERE p.state = 0 AND p.id IN ("
                                 " SELECT picture FROM decisions WHERE current = 1 AND decision = 1"
                                 " UNION SELECT picture FROM written) ORDER BY p.path";

/* What a picture's file has, and shall have. */
typedef struct wanted {
    f0t_row_numbers before, after;
    f0t_file_tags
        tags; /* those of `after`, each in its place; what the file has not had yet also against a removal */
    char *path;
} wanted;

static void free_wanted(wanted *t)
{
    f0t_free(t->before.items);
    f0t_free(t->after.items);
    f0t_texts_free(&t->tags.texts);
    f0t_free(t->tags.again);
    f0t_free(t->path);
}

static f0t_status read_wanted(wanted *t, f0t_catalogue *c, int64_t picture)
{
    F0T_TRY(f0t_row_numbers_read(&t->before, c,
                                 "SELECT tag FROM written WHERE picture = ?1 ORDER BY tag",
                                 F0T_SQL_VALUES(f0t_sql_int(picture))));
    F0T_TRY(f0t_row_numbers_read(
        &t->after, c, "SELECT tag FROM decisions d WHERE picture = ?1 AND " WANTED " ORDER BY id",
        F0T_SQL_VALUES(f0t_sql_int(picture))));
    F0T_TRY(f0t_alloc(&t->tags.again, t->after.count, sizeof *t->tags.again));
    for (size_t i = 0; i < t->after.count; i++) {
        F0T_TRY(add_placed(&t->tags.texts, c, t->after.items[i]));
        t->tags.again[i] = !f0t_row_numbers_has(&t->before, t->after.items[i]);
    }
    return read_text(&t->path, c, "SELECT path FROM pictures WHERE id = ?1", picture);
}

/* The file is written; *how is the way of its tags, *told that of the file that `said` is about. */
static f0t_status write_file(writing *w, f0t_catalogue_written *said, f0t_write_way *how,
                             f0t_write_way *told, bool *left, const wanted *t)
{
    bool leave[F0T_WRITE_WAYS] = {false};
    *told = *how = F0T_WAY_EMBED;
    if (!w->options.embed)
        F0T_TRY(f0t_tag_files_choose(how, &w->files, t->path, w->options.plain_name));
    *told = *how;
    for (f0t_write_way i = 0; i < F0T_WRITE_WAYS; i++)
        leave[i] = t->before.count && went(w, said->picture, i);
    return f0t_tag_files_write(said, told, left, &w->files, leave, *how, &t->tags, false);
}

static f0t_status write_wanted(writing *w, int64_t picture, const wanted *t)
{
    f0t_catalogue_written said = {.picture = picture, .path = t->path};
    f0t_write_way how = F0T_WAY_EMBED, told = how;
    bool left = false;
    if (!t->path) /* another process took it out of the catalogue */
        return F0T_OK;
    f0t_status status = f0t_identity_require(w->catalogue, picture, t->path);
    if (status == F0T_OK)
        status = write_file(w, &said, &how, &told, &left, t);
    if (status == F0T_OK && !w->options.dry_run) {
        const bool one = said.changed && !left && told == how;
        F0T_TRY(f0t_change_begin(w->catalogue));
        F0T_TRY(f0t_change_end(
            w->catalogue, note_write(w, picture, how, left, &t->before, &t->after,
                                     one ? f0t_sidecars_replaced(w->files.sidecars[how]) : NULL)));
    }
    return tell(w, &said, status, told);
}

static f0t_status write_picture(writing *w, int64_t picture)
{
    wanted t = {0};
    f0t_status status = read_wanted(&t, w->catalogue, picture);
    if (status == F0T_OK)
        status = write_wanted(w, picture, &t);
    free_wanted(&t);
    return status;
}

/* ---- The way back ---------------------------------------------------------------------------------- */

/* A picture's file as it was before row `id` of writes. */
typedef struct return_trip {
    int64_t picture;
    f0t_write_way how, back; /* that of the row, and where `before` was */
    f0t_row_numbers now, before;
    f0t_file_tags tags; /* those of `before` */
    f0t_replaced replaced;
    bool kept; /* `replaced` is what the file was */
    char *path;
} return_trip;

/* What the file had before went there in the way of the row before. */
static f0t_status find_way_back(return_trip *t, writing *w, int64_t id)
{
    int64_t how = t->how;
    bool mixed = false;
    for (f0t_write_way i = 0; i < F0T_WRITE_WAYS; i++)
        mixed |= i != t->how && went(w, t->picture, i);
    if (mixed && t->before.count)
        F0T_TRY(f0t_sql_get_int(&how, &w->catalogue->sql,
                                "SELECT how FROM writes WHERE picture = ?1 AND id < ?2"
                                " AND how BETWEEN 0 AND 2 ORDER BY id DESC LIMIT 1",
                                F0T_SQL_VALUES(f0t_sql_int(t->picture), f0t_sql_int(id)), how));
    t->back = (f0t_write_way)how;
    return F0T_OK;
}

static f0t_status read_trip(return_trip *t, f0t_catalogue *c, int64_t id)
{
    int64_t how;
    char *had;
    F0T_TRY(f0t_sql_get_int(&t->picture, &c->sql, "SELECT picture FROM writes WHERE id = ?1",
                            F0T_SQL_VALUES(f0t_sql_int(id)), 0));
    F0T_TRY(f0t_sql_get_int(&how, &c->sql, "SELECT how FROM writes WHERE id = ?1",
                            F0T_SQL_VALUES(f0t_sql_int(id)), 0));
    if (how < F0T_WAY_SIDECAR || how >= F0T_WRITE_WAYS)
        return f0t_fail(F0T_ERROR_FORMAT, "%s is damaged: no way %lld to write", c->path,
                        (long long)how);
    t->how = (f0t_write_way)how;
    F0T_TRY(read_text(&had, c, "SELECT before FROM writes WHERE id = ?1", id));
    f0t_status status = had ? f0t_row_numbers_split(&t->before, had) : F0T_OK;
    f0t_free(had);
    F0T_TRY(status);
    F0T_TRY(f0t_row_numbers_read(&t->now, c, "SELECT tag FROM written WHERE picture = ?1",
                                 F0T_SQL_VALUES(f0t_sql_int(t->picture))));
    for (size_t i = 0; i < t->before.count; i++)
        F0T_TRY(add_placed(&t->tags.texts, c, t->before.items[i]));
    return read_text(&t->path, c, "SELECT path FROM pictures WHERE id = ?1", t->picture);
}

static f0t_status note_return(f0t_catalogue *c, int64_t id, const return_trip *t)
{
    F0T_TRY(
        f0t_sql_run(&c->sql, "DELETE FROM writes WHERE id = ?1", F0T_SQL_VALUES(f0t_sql_int(id))));
    return note_tags(c, t->picture, &t->now, &t->before);
}

/* A picture without a file is missing, as the index would find: the next call passes it over, and the way back is there
 * when it returns. */
static f0t_status note_gone(f0t_catalogue *c, const return_trip *t)
{
    f0t_file_stamp stamp;
    if (f0t_file_stamp_get(&stamp, t->path) || (errno != ENOENT && errno != ENOTDIR))
        return F0T_OK;
    return f0t_sql_run(&c->sql, "UPDATE pictures SET state = ?2 WHERE id = ?1",
                       F0T_SQL_VALUES(f0t_sql_int(t->picture), f0t_sql_int(F0T_PICTURE_MISSING)));
}

static f0t_status make_trip(writing *w, int64_t id, const return_trip *t)
{
    f0t_catalogue_written said = {.picture = t->picture, .path = t->path};
    if (!t->path)
        return F0T_OK;
    f0t_write_way told = t->back;
    bool leave[F0T_WRITE_WAYS] = {false}, left;
    leave[t->how] = true;
    w->files.back = t->kept && t->back == t->how ? &t->replaced : NULL;
    w->files.back_way = t->back;
    f0t_status status = f0t_identity_require(w->catalogue, t->picture, t->path);
    if (status == F0T_OK)
        status = f0t_tag_files_write(&said, &told, &left, &w->files, leave, t->back, &t->tags,
                                     t->tags.texts.count == 0);
    said.exact = status == F0T_OK && said.changed && w->files.back &&
                 f0t_sidecars_is_exact(w->files.sidecars[t->back]);
    if (status != F0T_OK && !w->options.dry_run)
        F0T_TRY(note_gone(w->catalogue, t));
    if (status == F0T_OK && !w->options.dry_run) {
        F0T_TRY(f0t_change_begin(w->catalogue));
        F0T_TRY(f0t_change_end(w->catalogue, note_return(w->catalogue, id, t)));
    }
    return tell(w, &said, status, told);
}

static f0t_status take_back(writing *w, int64_t id)
{
    return_trip t = {0};
    f0t_status status = read_trip(&t, w->catalogue, id);
    if (status == F0T_OK)
        status = f0t_replaced_get(&t.kept, &t.replaced, w->catalogue, id);
    if (status == F0T_OK)
        status = find_way_back(&t, w, id);
    if (status == F0T_OK)
        status = make_trip(w, id, &t);
    f0t_free(t.replaced.bytes);
    f0t_free(t.now.items);
    f0t_free(t.before.items);
    f0t_texts_free(&t.tags.texts);
    f0t_free(t.path);
    return status;
}

/* ---- Sidecars that pictures have left behind -------------------------------------------------------- */

static f0t_status clear_sidecars(writing *w, int64_t picture, const char *path)
{
    f0t_catalogue_written said = {.picture = picture, .path = path};
    f0t_write_way told = F0T_WAY_SIDECAR;
    uint64_t sidecars;
    F0T_TRY(f0t_sidecars_stamp(&sidecars, path));
    if (!sidecars) /* they may stand beside the picture elsewhere, as the next index finds */
        return F0T_OK;
    f0t_status status = f0t_tag_files_clear(&said, &told, &w->files);
    if (status == F0T_OK && !w->options.dry_run)
        F0T_TRY(f0t_sql_run(&w->catalogue->sql, "DELETE FROM left_sidecars WHERE path = ?1",
                            F0T_SQL_VALUES(f0t_sql_text(path))));
    return status != F0T_OK || said.changed ? tell(w, &said, status, told) : F0T_OK;
}

static f0t_status read_left(f0t_texts *paths, f0t_catalogue *c)
{
    sqlite3_stmt *row;
    bool any = true;
    f0t_status status = F0T_OK;
    F0T_TRY(f0t_sql_bind(&row, &c->sql,
                         "SELECT path FROM left_sidecars WHERE instr(path, '//') = 0"
                         " ORDER BY path",
                         NULL, 0));
    while (status == F0T_OK) {
        status = f0t_sql_step(&any, &c->sql, row);
        if (status != F0T_OK || !any)
            return status;
        const char *path = (const char *)sqlite3_column_text(row, 0);
        if (path)
            status = f0t_texts_add(paths, path, strlen(path));
    }
    f0t_sql_reset(row);
    return status;
}

/* The tags are written beside the pictures, wherever those are now. */
static f0t_status clear_all_sidecars(writing *w)
{
    f0t_texts paths = {0};
    f0t_status status = read_left(&paths, w->catalogue);
    for (size_t i = 0; i < paths.count && status == F0T_OK; i++) {
        const char *path = f0t_texts_get(&paths, i);
        int64_t picture;
        status = f0t_sql_get_int(&picture, &w->catalogue->sql,
                                 "SELECT picture FROM left_sidecars WHERE path = ?1",
                                 F0T_SQL_VALUES(f0t_sql_text(path)), 0);
        if (status == F0T_OK)
            status = clear_sidecars(w, picture, path);
    }
    f0t_texts_free(&paths);
    return status;
}

/* ---- All of them ----------------------------------------------------------------------------------- */

/* The last run that wrote pictures which are there. */
static const char *const LAST =
    "SELECT w.id FROM writes w JOIN pictures p ON p.id = w.picture AND p.state <> 1 WHERE w.run ="
    " (SELECT max(v.run) FROM writes v JOIN pictures q ON q.id = v.picture AND q.state <> 1)"
    " ORDER BY w.id DESC";

static f0t_status find_work(f0t_row_numbers *work, writing *w)
{
    f0t_catalogue *c = w->catalogue;
    int64_t last;
    F0T_TRY(
        f0t_sql_get_int(&last, &c->sql, "SELECT coalesce(max(run), 0) FROM writes", NULL, 0, 0));
    if (last == INT64_MAX)
        return f0t_fail(F0T_ERROR_FORMAT, "%s is damaged: no run after %lld", c->path,
                        (long long)last);
    w->run = last + 1;
    return f0t_row_numbers_read(work, c,
                                w->options.undo  ? LAST
                                : w->options.all ? EVERY
                                                 : PENDING,
                                NULL, 0);
}

static f0t_status write_all(writing *w, const f0t_row_numbers *work)
{
    f0t_stage stage =
        f0t_stage_begin(w->monitor, w->options.undo ? "taking keywords back" : "writing keywords",
                        "pictures", work->count);
    for (size_t i = 0; i < work->count; i++) {
        F0T_TRY(f0t_stage_update(&stage, i));
        F0T_TRY(w->options.undo ? take_back(w, work->items[i]) : write_picture(w, work->items[i]));
    }
    f0t_stage_end(&stage);
    return F0T_OK;
}

f0t_status f0t_catalogue_write(f0t_catalogue *catalogue, const f0t_catalogue_write_options *options,
                               f0t_catalogue_write_callback each, void *user,
                               const f0t_context *context)
{
    F0T_REQUIRE(catalogue);
    F0T_ENTER(context);
    F0T_READ_OPTIONS(f0t_catalogue_write_options, F0T_CATALOGUE_WRITE_OPTIONS, options);
    writing w = {
        .catalogue = catalogue,
        .options = *options,
        .files = {.catalogue = catalogue, .touch = options->touch, .dry_run = options->dry_run},
        .each = each,
        .user = user,
        .monitor = f0t_context_monitor(context)};
    f0t_row_numbers work = {0};
    if (options->embed && options->plain_name)
        return f0t_fail(F0T_ERROR_ARGUMENT,
                        "plain_name is a sidecar's, and embed has none: one of them");
    f0t_status status = find_work(&work, &w);
    if (status == F0T_OK)
        status = read_went(&w);
    if (status == F0T_OK && !options->undo)
        status = clear_all_sidecars(&w);
    if (status == F0T_OK)
        status = write_all(&w, &work);
    f0t_free(work.items);
    f0t_free(w.went);
    f0t_tag_files_close(&w.files);
    return status;
}
