#include "catalogue/same.h"

#include "base/alloc.h"
#include "base/interner.h"
#include "word/same.h"
#include "word/vocab.h"

#include <string.h>

/* ---- Looking up ---------------------------------------------------------------------------------------- */

static f0t_status look_up(int64_t *tag, void *known, const char *form, bool joined)
{
    f0t_sql *sql = known;
    F0T_TRY(f0t_sql_get_int(tag, sql, "SELECT same FROM words WHERE key = ?1",
                            F0T_SQL_VALUES(f0t_sql_text(form)), F0T_SAME_NONE));
    return *tag != F0T_SAME_NONE || !joined
               ? F0T_OK
               : f0t_sql_get_int(tag, sql,
                                 "SELECT same FROM words WHERE joined = ?1 ORDER BY key LIMIT 1",
                                 F0T_SQL_VALUES(f0t_sql_text(form)), F0T_SAME_NONE);
}

f0t_status f0t_same_tag(int64_t *same, f0t_sql *sql, const char *text)
{
    F0T_TRY(f0t_same_search(same, look_up, sql, text));
    if (*same != F0T_SAME_NONE)
        return F0T_OK;
    return f0t_sql_get_int(same, sql,
                           "SELECT coalesce(same, id) FROM tags WHERE name = ?1", /* no UTF-8 */
                           F0T_SQL_VALUES(f0t_sql_text(text)), 0);
}

/* ---- Adding -------------------------------------------------------------------------------------------- */

static f0t_status add_word(f0t_sql *sql, const char *key, int64_t same)
{
    char *joined;
    F0T_TRY(f0t_same_join(&joined, key));
    f0t_status status =
        f0t_sql_run(sql, "INSERT OR IGNORE INTO words(key, joined, same) VALUES (?1, ?2, ?3)",
                    F0T_SQL_VALUES(f0t_sql_text(key), f0t_sql_text(joined), f0t_sql_int(same)));
    f0t_free(joined);
    return status;
}

static f0t_status add_words(f0t_sql *sql, const char *tag, int64_t same)
{
    f0t_texts keys = {0};
    f0t_status status = f0t_same_keys(&keys, tag);
    for (size_t i = 0; status == F0T_OK && i < keys.count; i++)
        status = add_word(sql, f0t_texts_get(&keys, i), same);
    f0t_texts_free(&keys);
    return status;
}

/* The tag of this number goes to one that is known, or stands for itself. */
static f0t_status assign(f0t_sql *sql, int64_t id, const char *tag)
{
    int64_t same;
    char *root;
    F0T_TRY(f0t_same_search(&same, look_up, sql, tag));
    if (same == F0T_SAME_NONE)
        same = id;
    F0T_TRY(add_words(sql, tag, same));
    F0T_TRY(f0t_same_root(&root, tag));
    f0t_status status =
        f0t_sql_run(sql, "UPDATE tags SET same = ?2, root = ?3 WHERE id = ?1",
                    F0T_SQL_VALUES(f0t_sql_int(id), f0t_sql_int(same), f0t_sql_text(root)));
    f0t_free(root);
    return status;
}

f0t_status f0t_same_insert(int64_t *id, f0t_sql *sql, const char *tag)
{
    F0T_TRY(
        f0t_sql_run(sql, "INSERT INTO tags(name) VALUES (?1)", F0T_SQL_VALUES(f0t_sql_text(tag))));
    *id = sqlite3_last_insert_rowid(sql->db);
    return assign(sql, *id, tag);
}

/* The first tag after `after` that stands for none; *id is 0 where there is none. */
static f0t_status read_unassigned(int64_t *id, char **name, f0t_sql *sql, int64_t after)
{
    sqlite3_stmt *row;
    bool any;
    *id = 0;
    F0T_TRY(f0t_sql_bind(
        &row, sql,
        "SELECT id, name FROM tags WHERE (same IS NULL OR root IS NULL) AND id > ?1 ORDER BY id"
        " LIMIT 1",
        F0T_SQL_VALUES(f0t_sql_int(after))));
    F0T_TRY(f0t_sql_step(&any, sql, row));
    if (!any)
        return F0T_OK;
    const char *text = (const char *)sqlite3_column_text(row, 1);
    *id = sqlite3_column_int64(row, 0);
    f0t_status status = f0t_string_copy(name, text ? text : "", text ? strlen(text) : 0);
    f0t_sql_reset(row);
    return status;
}

f0t_status f0t_same_fill(f0t_sql *sql)
{
    for (int64_t id = 0;;) {
        char *name = NULL;
        F0T_TRY(read_unassigned(&id, &name, sql, id));
        if (!id)
            return F0T_OK;
        f0t_status status = assign(sql, id, name);
        f0t_free(name);
        F0T_TRY(status);
    }
}

/* ---- The model ----------------------------------------------------------------------------------------- */

/* ids[T]: each learned tag stands for itself. */
static f0t_status add_learned(int64_t *ids, f0t_sql *sql, const f0t_vocab *vocab)
{
    for (size_t t = 0; t < f0t_vocab_count(vocab); t++) {
        const f0t_sql_value name = f0t_sql_text(f0t_vocab_tag(vocab, t));
        F0T_TRY(f0t_sql_get_int(&ids[t], sql,
                                "INSERT INTO tags(name) VALUES (?1)"
                                " ON CONFLICT DO UPDATE SET name = ?1 RETURNING id",
                                &name, 1, 0));
        F0T_TRY(f0t_sql_run(sql, "UPDATE tags SET same = id WHERE id = ?1",
                            F0T_SQL_VALUES(f0t_sql_int(ids[t]))));
    }
    return F0T_OK;
}

static f0t_status learn(f0t_sql *sql, const f0t_model *model, int64_t *ids)
{
    const f0t_same *same = &model->same;
    F0T_TRY(f0t_sql_execute(sql, "DELETE FROM words; UPDATE tags SET same = NULL"));
    F0T_TRY(add_learned(ids, sql, f0t_model_vocab(model)));
    for (size_t i = 0; i < f0t_names_count(&same->keys); i++)
        F0T_TRY(add_word(sql, f0t_names_get(&same->keys, i), ids[same->tags[i]]));
    F0T_TRY(f0t_same_fill(sql));
    return f0t_sql_execute(sql, "UPDATE chosen SET words = model");
}

f0t_status f0t_same_follows(bool *out, f0t_sql *sql)
{
    int64_t follows;
    F0T_TRY(f0t_sql_get_int(&follows, sql, "SELECT words IS model FROM chosen", NULL, 0, 0));
    *out = follows;
    return F0T_OK;
}

f0t_status f0t_same_follow(f0t_sql *sql, const f0t_model *model)
{
    bool follows;
    int64_t *ids;
    F0T_TRY(f0t_same_follows(&follows, sql));
    if (follows)
        return F0T_OK;
    F0T_TRY(f0t_alloc(&ids, f0t_vocab_count(f0t_model_vocab(model)), sizeof *ids));
    f0t_status status = learn(sql, model, ids);
    f0t_free(ids);
    return status;
}
