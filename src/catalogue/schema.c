#include "catalogue/schema.h"

#include "base/alloc.h"
#include "catalogue/same.h"

#include <pthread.h>
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
    /* Decisions of one step, which are undone together, have the id of the first of them; NULL: its own. */
    "ALTER TABLE decisions ADD COLUMN step INTEGER;",
    /* The model that learning replaced, and its file of word vectors: the way back. */
    "ALTER TABLE chosen ADD COLUMN model_before TEXT;"
    "ALTER TABLE chosen ADD COLUMN vectors_before TEXT;",
    /* What a write replaced (image/sidecar_name.h): bytes, compressed by zlib, and how many they are; 0: there was nothing;
     * NULL: that is not known. A hash of what it wrote. */
    "ALTER TABLE writes ADD COLUMN kept BLOB;"
    "ALTER TABLE writes ADD COLUMN kept_bytes INTEGER;"
    "ALTER TABLE writes ADD COLUMN wrote INTEGER;",
    /* Which tags are one (catalogue/same.h), and the model that says so. */
    "CREATE TABLE words("
    " key TEXT PRIMARY KEY, joined TEXT NOT NULL, same INTEGER NOT NULL) STRICT, WITHOUT ROWID;"
    "CREATE INDEX words_joined ON words(joined);"
    "ALTER TABLE tags ADD COLUMN same INTEGER;"
    "CREATE INDEX tags_same ON tags(same);"
    "ALTER TABLE chosen ADD COLUMN words INTEGER;",
    /* A picture is its content, `bytes` and `hash`; `seen` is a stamp of the file at its path (catalogue/scan.h), 0 where an
     * older version kept size and mtime alone. A picture whose path has another one now has the path PATH//ID.
     * left_sidecars: paths whose sidecars, as `sidecars` of pictures stamps them, may have tags of ours that are not of
     * the picture there; `picture` left them, or found them. */
    "ALTER TABLE pictures ADD COLUMN seen INTEGER NOT NULL DEFAULT 0;"
    "DROP INDEX pictures_hash;"
    "CREATE INDEX pictures_content ON pictures(bytes, hash);"
    "CREATE INDEX pictures_sidecars ON pictures(sidecars) WHERE sidecars <> 0;"
    "CREATE TABLE left_sidecars("
    " path TEXT PRIMARY KEY, sidecars INTEGER NOT NULL,"
    " picture INTEGER NOT NULL REFERENCES pictures(id) ON DELETE CASCADE)"
    " STRICT, WITHOUT ROWID;"
    "CREATE INDEX left_sidecars_picture ON left_sidecars(picture);",
    /* What tags that differ at most in number and spelling have in common (word/same.h). */
    "ALTER TABLE tags ADD COLUMN root TEXT;"
    "CREATE INDEX tags_root ON tags(root);",
};
enum { VERSION = sizeof STEPS / sizeof *STEPS };

static const char *const OBJECTS =
    "SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY name, type";

/* ---- What a version has ---------------------------------------------------------------------------- */

enum { OBJECT_TEXTS = 4 };

/* A row of OBJECTS; a text may be NULL. */
typedef struct object {
    char *text[OBJECT_TEXTS];
} object;

/* The objects of a version, in the order of their names. Made once per process, which takes as long as all the rest of opening
 * a catalogue, and kept. */
typedef struct model {
    object *objects;
    size_t count, capacity;
} model;

static model models[VERSION];
static pthread_mutex_t models_lock = PTHREAD_MUTEX_INITIALIZER;

static void free_model(model *m)
{
    for (size_t i = 0; i < m->count; i++)
        for (int k = 0; k < OBJECT_TEXTS; k++)
            f0t_free(m->objects[i].text[k]);
    f0t_free(m->objects);
    *m = (model){0};
}

static f0t_status add_object(model *m, f0t_sql *made, sqlite3_stmt *row)
{
    F0T_TRY(f0t_grow(&m->objects, &m->capacity, m->count, 1, sizeof *m->objects));
    object *o = &m->objects[m->count++];
    *o = (object){{NULL}};
    for (int k = 0; k < OBJECT_TEXTS; k++) {
        const char *text = (const char *)sqlite3_column_text(row, k);
        if (text)
            F0T_TRY(f0t_string_copy(&o->text[k], text, strlen(text)));
        else if (sqlite3_column_type(row, k) != SQLITE_NULL)
            return f0t_sql_fail(made, SQLITE_NOMEM);
    }
    return F0T_OK;
}

static f0t_status read_objects(model *m, f0t_sql *made)
{
    sqlite3_stmt *rows;
    bool any;
    F0T_TRY(f0t_sql_bind(&rows, made, OBJECTS, NULL, 0));
    for (;;) {
        F0T_TRY(f0t_sql_step(&any, made, rows));
        if (!any)
            return F0T_OK;
        F0T_TRY(add_object(m, made, rows));
    }
}

/* The tables of this version, made in memory. */
static f0t_status make_model(model *m, const char *name, int64_t version)
{
    f0t_sql made = {.name = name};
    f0t_status status = sqlite3_open(":memory:", &made.db) == SQLITE_OK
                            ? F0T_OK
                            : f0t_fail(F0T_ERROR_MEMORY, "%s: out of memory", name);
    for (int64_t i = 0; i < version && status == F0T_OK; i++)
        status = f0t_sql_execute(&made, STEPS[i]);
    if (status == F0T_OK)
        status = read_objects(m, &made);
    f0t_sql_close(&made);
    if (status != F0T_OK)
        free_model(m);
    return status;
}

static f0t_status find_model(const model **out, const char *name, int64_t version)
{
    model *m = &models[version - 1];
    pthread_mutex_lock(&models_lock);
    f0t_status status = m->count ? F0T_OK : make_model(m, name, version);
    pthread_mutex_unlock(&models_lock);
    *out = m;
    return status;
}

/* ---- Comparing ------------------------------------------------------------------------------------- */

static bool same_text(sqlite3_stmt *has, const object *wants, int k)
{
    const char *text = (const char *)sqlite3_column_text(has, k);
    return text && wants->text[k] ? strcmp(text, wants->text[k]) == 0 : text == wants->text[k];
}

/* Names what is there and should not be, or the other way round: what comes first of both. */
static f0t_status fail_schema(const f0t_sql *sql, const char *has, const char *wants)
{
    const char *name = has && (!wants || strcmp(has, wants) < 0) ? has : wants;
    return f0t_fail(F0T_ERROR_FORMAT, "%s is not as fast0tag made it: '%s' differs", sql->name,
                    name ? name : "?");
}

/* Both in the order of their names: the first difference is what is wrong. */
static f0t_status compare(f0t_sql *sql, sqlite3_stmt *has, const model *wants)
{
    for (size_t i = 0;; i++) {
        bool any;
        const object *o = i < wants->count ? &wants->objects[i] : NULL;
        F0T_TRY(f0t_sql_step(&any, sql, has));
        if (!any && !o)
            return F0T_OK;
        for (int k = 0; k < OBJECT_TEXTS; k++)
            if (!any || !o || !same_text(has, o, k))
                return fail_schema(sql, any ? (const char *)sqlite3_column_text(has, 1) : NULL,
                                   o ? o->text[1] : NULL);
    }
}

/* The file must have the tables of its version, and nothing else. */
static f0t_status check(f0t_sql *sql, int64_t version)
{
    const model *wants;
    sqlite3_stmt *has;
    F0T_TRY(find_model(&wants, sql->name, version));
    F0T_TRY(f0t_sql_bind(&has, sql, OBJECTS, NULL, 0));
    f0t_status status = compare(sql, has, wants);
    f0t_sql_reset(has);
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
    F0T_TRY(f0t_same_fill(sql));
    return version < VERSION ? set_version(sql) : F0T_OK;
}

static f0t_status upgrade(f0t_sql *sql)
{
    F0T_TRY(f0t_sql_execute(sql, "BEGIN IMMEDIATE"));
    f0t_status status = run_steps(sql);
    if (status == F0T_OK)
        status = f0t_sql_execute(sql, "COMMIT");
    if (status != F0T_OK)
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
