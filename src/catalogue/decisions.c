/* What people decide about tags, and what of it was written into files. */
#include "catalogue/catalogue.h"
#include "catalogue/same.h"

#include "base/alloc.h"
#include "word/normal.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

static int64_t now(void)
{
    return (int64_t)time(NULL);
}

/* *made is the id of the decision. */
static f0t_status decide(int64_t *made, f0t_catalogue *c, int64_t picture, const char *tag,
                         f0t_decision decision, const char *who)
{
    int64_t id;
    F0T_TRY(f0t_catalogue_require(c, picture));
    F0T_TRY(f0t_catalogue_tag_id(&id, c, tag, true));
    F0T_TRY(f0t_sql_run(&c->sql,
                        "UPDATE decisions SET current = 0 WHERE picture = ?1 AND current = 1 AND "
                        "tag IN " F0T_SAME_TAGS("?2"),
                        F0T_SQL_VALUES(f0t_sql_int(picture), f0t_sql_int(id))));
    F0T_TRY(
        f0t_sql_run(&c->sql,
                    "INSERT INTO decisions(picture, tag, decision, who, at, current, step)"
                    " VALUES (?1, ?2, ?3, ?4, ?5, 1, nullif(?6, 0))",
                    F0T_SQL_VALUES(f0t_sql_int(picture), f0t_sql_int(id), f0t_sql_int(decision),
                                   f0t_sql_text(who), f0t_sql_int(now()), f0t_sql_int(c->step))));
    *made = sqlite3_last_insert_rowid(c->sql.db);
    return F0T_OK;
}

f0t_status f0t_catalogue_decide(f0t_catalogue *catalogue, int64_t picture, const char *tag,
                                f0t_decision decision, const char *who)
{
    F0T_REQUIRE(catalogue);
    F0T_REQUIRE(tag);
    F0T_REQUIRE(who);
    if (decision > F0T_REJECTED)
        return f0t_fail(F0T_ERROR_ARGUMENT, "f0t_catalogue_decide: no decision %d", (int)decision);
    int64_t made;
    F0T_TRY(f0t_change_begin(catalogue));
    F0T_TRY(f0t_change_end(catalogue, decide(&made, catalogue, picture, tag, decision, who)));
    if (catalogue->begun && !catalogue->step)
        catalogue->step = made;
    return F0T_OK;
}

/* ---- Undo ------------------------------------------------------------------------------------------ */

static f0t_status to_decision(f0t_decision *out, const f0t_catalogue *c, int64_t number)
{
    if (number < F0T_UNDECIDED || number > F0T_REJECTED)
        return f0t_fail(F0T_ERROR_FORMAT, "%s is damaged: no decision %lld", c->path,
                        (long long)number);
    *out = (f0t_decision)number;
    return F0T_OK;
}

/* The ids of the last decision that was not taken back and of the first of its step; 0 where there is none. */
static f0t_status find_step(int64_t *first, int64_t *last, f0t_catalogue *c, const char *who)
{
    sqlite3_stmt *row;
    bool any;
    *first = *last = 0;
    F0T_TRY(f0t_sql_bind(&row, &c->sql,
                         "SELECT coalesce(step, id), id FROM decisions"
                         " WHERE undone IS NULL AND (?1 IS NULL OR who = ?1)"
                         " ORDER BY id DESC LIMIT 1",
                         F0T_SQL_VALUES(f0t_sql_text(who))));
    F0T_TRY(f0t_sql_step(&any, &c->sql, row));
    if (!any)
        return F0T_OK;
    *first = sqlite3_column_int64(row, 0);
    *last = sqlite3_column_int64(row, 1);
    f0t_sql_reset(row);
    return *first > 0 && *first <= *last
               ? F0T_OK
               : f0t_fail(F0T_ERROR_FORMAT, "%s is damaged: no decision begins with %lld", c->path,
                          (long long)*first);
}

/* The last decision of a step that was not taken back; *id is 0 where there is none. Nobody else writes between the
 * decisions of a step, so that their ids are a range. */
static f0t_status find_last(int64_t *id, int64_t *tag, f0t_catalogue_undone *undone,
                            f0t_catalogue *c, int64_t first, int64_t last)
{
    sqlite3_stmt *row;
    bool any;
    *id = 0;
    F0T_TRY(f0t_sql_bind(&row, &c->sql,
                         "SELECT d.id, d.picture, d.tag, d.decision, t.name FROM decisions d"
                         " JOIN tags t ON t.id = d.tag"
                         " WHERE d.undone IS NULL AND d.id BETWEEN ?1 AND ?2"
                         " AND d.who = (SELECT who FROM decisions WHERE id = ?2)"
                         " ORDER BY d.id DESC LIMIT 1",
                         F0T_SQL_VALUES(f0t_sql_int(first), f0t_sql_int(last))));
    F0T_TRY(f0t_sql_step(&any, &c->sql, row));
    if (!any)
        return F0T_OK;
    const char *name = (const char *)sqlite3_column_text(row, 4);
    *id = sqlite3_column_int64(row, 0);
    *tag = sqlite3_column_int64(row, 2);
    undone->picture = sqlite3_column_int64(row, 1);
    f0t_status status = to_decision(&undone->was, c, sqlite3_column_int64(row, 3));
    snprintf(undone->tag, sizeof undone->tag, "%s", name ? name : "");
    f0t_sql_reset(row);
    return status;
}

static f0t_status take_back(f0t_catalogue_undone *undone, f0t_catalogue *c, int64_t id, int64_t tag)
{
    int64_t before, decision;
    F0T_TRY(f0t_sql_run(&c->sql, "UPDATE decisions SET current = 0, undone = ?2 WHERE id = ?1",
                        F0T_SQL_VALUES(f0t_sql_int(id), f0t_sql_int(now()))));
    /* Somebody else's later decision about the same tag still counts. */
    F0T_TRY(f0t_sql_get_int(&before, &c->sql,
                            "SELECT max(id) FROM decisions WHERE picture = ?1 AND undone IS NULL"
                            " AND tag IN " F0T_SAME_TAGS("?2"),
                            F0T_SQL_VALUES(f0t_sql_int(undone->picture), f0t_sql_int(tag)), 0));
    F0T_TRY(f0t_sql_run(&c->sql, "UPDATE decisions SET current = 1 WHERE id = ?1",
                        F0T_SQL_VALUES(f0t_sql_int(before))));
    F0T_TRY(f0t_sql_get_int(&decision, &c->sql, "SELECT decision FROM decisions WHERE id = ?1",
                            F0T_SQL_VALUES(f0t_sql_int(before)), F0T_UNDECIDED));
    undone->count++;
    return to_decision(&undone->is, c, decision);
}

static f0t_status take_step_back(f0t_catalogue_undone *undone, f0t_catalogue *c, const char *who)
{
    int64_t first, last, id, tag;
    F0T_TRY(find_step(&first, &last, c, who));
    for (;;) {
        F0T_TRY(find_last(&id, &tag, undone, c, first, last));
        if (!id)
            return F0T_OK;
        F0T_TRY(take_back(undone, c, id, tag));
    }
}

f0t_status f0t_catalogue_undo(f0t_catalogue_undone *undone, f0t_catalogue *catalogue,
                              const char *who)
{
    F0T_REQUIRE(undone);
    F0T_REQUIRE(catalogue);
    *undone = (f0t_catalogue_undone){.size = sizeof *undone};
    F0T_TRY(f0t_change_begin(catalogue));
    return f0t_change_end(catalogue, take_step_back(undone, catalogue, who));
}

/* ---- What was taken out of files -------------------------------------------------------------------- */

/* The number of a tag's key among the keys, to which it is added; F0T_NONE for what can be no tag of a catalogue. */
static f0t_status add_key(size_t *number, f0t_names *keys, const char *text)
{
    f0t_word_text key;
    uint32_t index = 0;
    *number = F0T_NONE;
    f0t_status status = f0t_normal_key(&key, text, strlen(text));
    if (status != F0T_OK)
        return status == F0T_ERROR_FORMAT ? F0T_OK : status;
    status = f0t_names_add(&index, NULL, keys, key.data, key.length);
    f0t_free(key.data);
    *number = index;
    return status;
}

/* The names of tags that may have been taken out. */
static f0t_status read_candidates(f0t_texts *names, f0t_catalogue *c, int64_t picture, int64_t at)
{
    sqlite3_stmt *rows;
    f0t_status status = F0T_OK;
    F0T_TRY(f0t_sql_bind(
        &rows, &c->sql,
        "SELECT t.name FROM written w JOIN decisions d ON d.picture = w.picture AND d.tag = w.tag"
        " AND d.current = 1 AND d.decision = 1 JOIN tags t ON t.id = w.tag"
        " WHERE w.picture = ?1 AND w.at <= ?2 AND NOT EXISTS"
        " (SELECT 1 FROM keywords k WHERE k.picture = w.picture AND k.tag = w.tag)",
        F0T_SQL_VALUES(f0t_sql_int(picture), f0t_sql_int(at))));
    for (bool any = true; any && status == F0T_OK;) {
        status = f0t_sql_step(&any, &c->sql, rows);
        const char *name = any ? (const char *)sqlite3_column_text(rows, 0) : NULL;
        if (status == F0T_OK && name)
            status = f0t_texts_add(names, name, strlen(name));
    }
    f0t_sql_reset(rows);
    return status;
}

static f0t_status reject_removed(f0t_catalogue *c, int64_t picture, const char *tag)
{
    int64_t made;
    F0T_TRY(decide(&made, c, picture, tag, F0T_REJECTED, F0T_BY_FILE));
    return f0t_sql_run(
        &c->sql,
        "DELETE FROM written WHERE picture = ?1 AND tag = (SELECT id FROM tags WHERE name = ?2)",
        F0T_SQL_VALUES(f0t_sql_int(picture), f0t_sql_text(tag)));
}

static f0t_status take_removed(size_t *count, f0t_catalogue *c, int64_t picture,
                               const f0t_texts *candidates, const f0t_texts *words)
{
    f0t_names keys = {0};
    f0t_status status = F0T_OK;
    size_t number;
    for (size_t i = 0; i < words->count && status == F0T_OK; i++)
        status = add_key(&number, &keys, f0t_texts_get(words, i));
    const size_t known = f0t_names_count(&keys);
    for (size_t i = 0; i < candidates->count && status == F0T_OK; i++) {
        status = add_key(&number, &keys, f0t_texts_get(candidates, i));
        if (status != F0T_OK || number >= known)
            continue;
        status = reject_removed(c, picture, f0t_texts_get(candidates, i));
        ++*count;
    }
    f0t_names_free(&keys);
    return status;
}

f0t_status f0t_decisions_take_removed(size_t *count, f0t_catalogue *c, int64_t picture,
                                      const f0t_removed_tags *removed)
{
    f0t_texts candidates = {0};
    f0t_status status = read_candidates(&candidates, c, picture, removed->at);
    if (status == F0T_OK)
        status = take_removed(count, c, picture, &candidates, &removed->words);
    f0t_texts_free(&candidates);
    return status;
}

/* ---- What was written ------------------------------------------------------------------------------ */

static f0t_status set_written(f0t_catalogue *c, int64_t picture, const char *const *tags,
                              size_t count)
{
    F0T_TRY(f0t_catalogue_require(c, picture));
    F0T_TRY(f0t_sql_run(&c->sql, "DELETE FROM written WHERE picture = ?1",
                        F0T_SQL_VALUES(f0t_sql_int(picture))));
    for (size_t i = 0; i < count; i++) {
        int64_t tag;
        F0T_TRY(f0t_catalogue_tag_id(&tag, c, tags[i], true));
        F0T_TRY(f0t_sql_run(
            &c->sql, "INSERT OR IGNORE INTO written(picture, tag, at) VALUES (?1, ?2, ?3)",
            F0T_SQL_VALUES(f0t_sql_int(picture), f0t_sql_int(tag), f0t_sql_int(now()))));
    }
    return F0T_OK;
}

f0t_status f0t_catalogue_set_written(f0t_catalogue *catalogue, int64_t picture,
                                     const char *const *tags, size_t count)
{
    F0T_REQUIRE(catalogue);
    F0T_TRY(f0t_require_all(__func__, "tags", tags, count));
    F0T_TRY(f0t_change_begin(catalogue));
    return f0t_change_end(catalogue, set_written(catalogue, picture, tags, count));
}
