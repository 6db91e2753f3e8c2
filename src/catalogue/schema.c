#include "catalogue/schema.h"

#include <string.h>

/* "F0TC" in the header of the file, so that file(1) and others can tell what it is. */
#define APPLICATION_ID "1177572419"
enum { APPLICATION = 1177572419 };

/*
 * Step n takes a catalogue of version n to version n + 1; steps are added at the end and never changed, because the
 * tables of a file are compared with what they make.
 *
 * What the index finds in files (pictures, keywords, …) and what people say (decisions) never stand in one row: the
 * index may replace the former, and nothing ever replaces the latter. decisions is a log: a row counts while `current`
 * is 1, of which there is one per picture and tag; `undone` is when it was taken back.
 */
static const char *const STEPS[] = {
    "CREATE TABLE pictures("
    " id INTEGER PRIMARY KEY AUTOINCREMENT, path TEXT NOT NULL UNIQUE, state INTEGER NOT NULL,"
    " error TEXT, bytes INTEGER NOT NULL, mtime INTEGER NOT NULL, hash INTEGER NOT NULL,"
    " sidecars INTEGER NOT NULL, taken INTEGER NOT NULL, width INTEGER NOT NULL,"
    " height INTEGER NOT NULL) STRICT;"
    "CREATE INDEX pictures_hash ON pictures(hash);"
    "CREATE INDEX pictures_taken ON pictures(taken, id);"
    "CREATE TABLE thumbnails("
    " picture INTEGER PRIMARY KEY REFERENCES pictures(id) ON DELETE CASCADE,"
    " jpeg BLOB NOT NULL) STRICT;"
    "CREATE TABLE backbones("
    " id INTEGER PRIMARY KEY, description TEXT NOT NULL UNIQUE) STRICT;"
    "CREATE TABLE models("
    " id INTEGER PRIMARY KEY, fingerprint INTEGER NOT NULL UNIQUE, path TEXT NOT NULL) STRICT;"
    "CREATE TABLE chosen("
    " id INTEGER PRIMARY KEY CHECK (id = 1), backbone INTEGER REFERENCES backbones(id),"
    " model INTEGER REFERENCES models(id)) STRICT;"
    "INSERT INTO chosen(id) VALUES (1);"
    "CREATE TABLE features("
    " picture INTEGER PRIMARY KEY REFERENCES pictures(id) ON DELETE CASCADE,"
    " backbone INTEGER NOT NULL REFERENCES backbones(id), data BLOB NOT NULL) STRICT;"
    "CREATE TABLE directions("
    " picture INTEGER PRIMARY KEY REFERENCES pictures(id) ON DELETE CASCADE,"
    " model INTEGER NOT NULL REFERENCES models(id), data BLOB NOT NULL) STRICT;"
    "CREATE TABLE tags(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT;"
    "CREATE TABLE keywords("
    " picture INTEGER NOT NULL REFERENCES pictures(id) ON DELETE CASCADE,"
    " tag INTEGER NOT NULL REFERENCES tags(id), source INTEGER NOT NULL, place TEXT,"
    " PRIMARY KEY (picture, tag)) STRICT, WITHOUT ROWID;"
    "CREATE INDEX keywords_tag ON keywords(tag);"
    "CREATE TABLE suggestions("
    " picture INTEGER NOT NULL REFERENCES pictures(id) ON DELETE CASCADE,"
    " tag INTEGER NOT NULL REFERENCES tags(id), confidence REAL NOT NULL,"
    " PRIMARY KEY (picture, tag)) STRICT, WITHOUT ROWID;"
    "CREATE INDEX suggestions_tag ON suggestions(tag, confidence);"
    "CREATE TABLE decisions("
    " id INTEGER PRIMARY KEY AUTOINCREMENT,"
    " picture INTEGER NOT NULL REFERENCES pictures(id) ON DELETE CASCADE,"
    " tag INTEGER NOT NULL REFERENCES tags(id), decision INTEGER NOT NULL, who TEXT NOT NULL,"
    " at INTEGER NOT NULL, undone INTEGER, current INTEGER NOT NULL) STRICT;"
    "CREATE INDEX decisions_all ON decisions(picture, tag, id);"
    "CREATE UNIQUE INDEX decisions_current ON decisions(picture, tag) WHERE current = 1;"
    "CREATE INDEX decisions_tag ON decisions(tag, decision) WHERE current = 1;"
    "CREATE TABLE written("
    " picture INTEGER NOT NULL REFERENCES pictures(id) ON DELETE CASCADE,"
    " tag INTEGER NOT NULL REFERENCES tags(id), at INTEGER NOT NULL,"
    " PRIMARY KEY (picture, tag)) STRICT, WITHOUT ROWID;",
    /* The file of word vectors that find looks new words up in; a number drawn whenever a direction changes
     * (catalogue/directions.h). */
    "ALTER TABLE chosen ADD COLUMN vectors TEXT;"
    "ALTER TABLE chosen ADD COLUMN directions INTEGER NOT NULL DEFAULT 0;",
    /* The tags of ours that a file had before a run wrote it, by their numbers: the way back. */
    "CREATE TABLE writes("
    " id INTEGER PRIMARY KEY AUTOINCREMENT, run INTEGER NOT NULL,"
    " picture INTEGER NOT NULL REFERENCES pictures(id) ON DELETE CASCADE, how INTEGER NOT NULL,"
    " before TEXT NOT NULL, at INTEGER NOT NULL) STRICT;"
    "CREATE INDEX writes_run ON writes(run);",
};
enum { VERSION = sizeof STEPS / sizeof *STEPS };

static const char *const OBJECTS =
    "SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY name, type";

/* ---- Comparing ------------------------------------------------------------------------------------- */

static bool same_text(sqlite3_stmt *a, sqlite3_stmt *b, int column)
{
    const char *left = (const char *)sqlite3_column_text(a, column),
               *right = (const char *)sqlite3_column_text(b, column);
    return left && right ? strcmp(left, right) == 0 : left == right;
}

/* Names what is there and should not be, or the other way round: what comes first of both. */
static f0t_status fail_schema(const f0t_sql *sql, const unsigned char *has,
                              const unsigned char *wants)
{
    const char *a = (const char *)has, *b = (const char *)wants;
    const char *name = a && (!b || strcmp(a, b) < 0) ? a : b;
    return f0t_fail(F0T_ERROR_FORMAT, "%s is not as fast0tag made it: '%s' differs", sql->name,
                    name ? name : "?");
}

/* Both in the order of their names: the first difference is what is wrong. */
static f0t_status compare_rows(f0t_sql *sql, sqlite3_stmt *has, f0t_sql *model, sqlite3_stmt *wants)
{
    for (;;) {
        bool left, right;
        F0T_TRY(f0t_sql_step(&left, sql, has));
        F0T_TRY(f0t_sql_step(&right, model, wants));
        if (!left && !right)
            return F0T_OK;
        for (int i = 0; i < 4; i++)
            if (!left || !right || !same_text(has, wants, i))
                return fail_schema(sql, left ? sqlite3_column_text(has, 1) : NULL,
                                   right ? sqlite3_column_text(wants, 1) : NULL);
    }
}

/* The tables of this version, made in memory, are what the file must have. */
static f0t_status compare(f0t_sql *sql, f0t_sql *model, int64_t version)
{
    sqlite3_stmt *has, *wants;
    if (sqlite3_open(":memory:", &model->db) != SQLITE_OK)
        return f0t_fail(F0T_ERROR_MEMORY, "%s: out of memory", sql->name);
    for (int64_t i = 0; i < version; i++)
        F0T_TRY(f0t_sql_execute(model, STEPS[i]));
    F0T_TRY(f0t_sql_bind(&has, sql, OBJECTS, NULL, 0));
    F0T_TRY(f0t_sql_bind(&wants, model, OBJECTS, NULL, 0));
    f0t_status status = compare_rows(sql, has, model, wants);
    f0t_sql_reset(has);
    return status;
}

static f0t_status check(f0t_sql *sql, int64_t version)
{
    f0t_sql model = {.name = sql->name};
    f0t_status status = compare(sql, &model, version);
    f0t_sql_close(&model);
    return status;
}

/* ---- Making ---------------------------------------------------------------------------------------- */

static f0t_status set_version(f0t_sql *sql)
{
    char text[64];
    sqlite3_snprintf(sizeof text, text, "PRAGMA user_version = %d", (int)VERSION);
    F0T_TRY(f0t_sql_execute(sql, "PRAGMA application_id = " APPLICATION_ID));
    return f0t_sql_execute(sql, text);
}

/* Another process may have done it since: the version is read again inside of the transaction. */
static f0t_status run_steps(f0t_sql *sql)
{
    int64_t version;
    F0T_TRY(f0t_sql_get_int(&version, sql, "PRAGMA user_version", NULL, 0, 0));
    for (int64_t i = version; i < VERSION; i++)
        F0T_TRY(f0t_sql_execute(sql, STEPS[i]));
    return version < VERSION ? set_version(sql) : F0T_OK;
}

static f0t_status upgrade(f0t_sql *sql)
{
    F0T_TRY(f0t_sql_execute(sql, "BEGIN IMMEDIATE"));
    f0t_status status = run_steps(sql);
    if (status == F0T_OK)
        return f0t_sql_execute(sql, "COMMIT");
    sqlite3_exec(sql->db, "ROLLBACK", NULL, NULL, NULL);
    return status;
}

/* What the file is, as one moment shows it: another process may be making it. */
typedef struct state {
    int64_t application, version, objects;
} state;

static f0t_status judge(f0t_sql *sql, state *is, bool create)
{
    F0T_TRY(f0t_sql_get_int(&is->application, sql, "PRAGMA application_id", NULL, 0, 0));
    F0T_TRY(f0t_sql_get_int(&is->version, sql, "PRAGMA user_version", NULL, 0, 0));
    F0T_TRY(f0t_sql_get_int(&is->objects, sql, "SELECT count(*) FROM sqlite_schema", NULL, 0, 0));
    const bool empty = !is->application && !is->version && !is->objects;
    if (empty && !create)
        return f0t_fail(F0T_ERROR_FORMAT, "%s is not a catalogue: it is empty", sql->name);
    if (!empty && is->application != APPLICATION)
        return f0t_fail(F0T_ERROR_FORMAT, "%s is not a catalogue, but another program's database",
                        sql->name);
    if (is->version > VERSION)
        return f0t_fail(F0T_ERROR_UNSUPPORTED,
                        "%s is of version %lld, made by a newer fast0tag; this one knows %d",
                        sql->name, (long long)is->version, (int)VERSION);
    if (!empty && is->version < 1)
        return f0t_fail(F0T_ERROR_FORMAT, "%s is not a catalogue: it has no version", sql->name);
    return empty ? F0T_OK : check(sql, is->version);
}

f0t_status f0t_schema_open(f0t_sql *sql, bool create, bool write)
{
    state is = {0};
    F0T_TRY(f0t_sql_execute(sql, "BEGIN"));
    f0t_status status = judge(sql, &is, create);
    sqlite3_exec(sql->db, "ROLLBACK", NULL, NULL, NULL); /* nothing was written */
    F0T_TRY(status);
    if (is.version == VERSION)
        return F0T_OK;
    if (!write)
        return f0t_fail(F0T_ERROR_UNSUPPORTED,
                        "%s is of an older version; fast0tag index brings it up to date",
                        sql->name);
    F0T_TRY(upgrade(sql));
    return check(sql, VERSION);
}
