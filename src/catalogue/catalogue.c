/* Opening a catalogue, its transactions, and what it has chosen: a model and a backbone. */
#include "catalogue/catalogue.h"

#include "base/alloc.h"
#include "base/context.h"
#include "base/monitor.h"
#include "catalogue/schema.h"
#include "io/file.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* No text or blob of ours is longer. */
enum { LENGTH_MOST = 1 << 26 };

/* ---- Where it is ----------------------------------------------------------------------------------- */

/* The folder of the user's data (XDG Base Directory Specification). */
static f0t_status data_folder(char **out)
{
    const char *set = getenv("XDG_DATA_HOME"), *home = getenv("HOME");
    if (set && set[0] == '/')
        return f0t_path_join(out, set, "fast0tag");
    if (home && home[0] == '/')
        return f0t_path_join(out, home, ".local/share/fast0tag");
    return f0t_fail(F0T_ERROR_NOT_FOUND,
                    "neither XDG_DATA_HOME nor HOME is set: name a file for the catalogue");
}

/* With its parents: nobody but the user may look into what is made. */
static f0t_status make_folders(char *folder)
{
    for (char *slash = strchr(folder + 1, '/');; slash = strchr(slash + 1, '/')) {
        if (slash)
            *slash = '\0';
        const bool made = mkdir(folder, 0700) == 0 || errno == EEXIST;
        const int why = errno;
        if (!made)
            return f0t_fail_errno(why, "cannot make the folder %s", folder);
        if (!slash)
            return F0T_OK;
        *slash = '/';
    }
}

static f0t_status default_path(char **out, bool create)
{
    char *folder;
    F0T_TRY(data_folder(&folder));
    f0t_status status = create ? make_folders(folder) : F0T_OK;
    if (status == F0T_OK)
        status = f0t_path_join(out, folder, "catalogue.f0t");
    f0t_free(folder);
    return status;
}

/* SQLite takes ":memory:" and "file:" for more than names. */
static f0t_status find_path(char **out, const char *path, bool create)
{
    if (!path)
        return default_path(out, create);
    if (!path[0])
        return f0t_fail(F0T_ERROR_ARGUMENT, "the path of the catalogue is empty");
    return path[0] == '/' ? f0t_string_copy(out, path, strlen(path))
                          : f0t_path_join(out, ".", path);
}

/* ---- Opening --------------------------------------------------------------------------------------- */

/* SQLite would make it with the rights of the umask: thumbnails are nobody else's business. */
static f0t_status check_file(const char *path, bool create)
{
    struct stat info;
    const int fd = create ? open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600) : -1;
    if (fd >= 0)
        close(fd);
    else if (create && errno != EEXIST)
        return f0t_fail_errno(errno, "cannot make %s", path);
    if (stat(path, &info) != 0)
        return errno == ENOENT
                   ? f0t_fail(F0T_ERROR_NOT_FOUND,
                              "there is no catalogue %s; fast0tag index makes one", path)
                   : f0t_fail_errno(errno, "cannot open %s", path);
    if (!S_ISREG(info.st_mode))
        return f0t_fail(F0T_ERROR_FORMAT, "%s is not a file", path);
    return F0T_OK;
}

/* The file may come from anybody: it brings no code, and nothing in it is trusted. */
static f0t_status harden(f0t_sql *sql)
{
    static const struct {
        int setting, value;
    } SETTINGS[] = {
        {SQLITE_DBCONFIG_DEFENSIVE, 1},      {SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0},
        {SQLITE_DBCONFIG_ENABLE_TRIGGER, 0}, {SQLITE_DBCONFIG_ENABLE_VIEW, 0},
        {SQLITE_DBCONFIG_ENABLE_FKEY, 1},    {SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0},
        {SQLITE_DBCONFIG_DQS_DML, 0},        {SQLITE_DBCONFIG_DQS_DDL, 0},
    };
    for (size_t i = 0; i < sizeof SETTINGS / sizeof *SETTINGS; i++) {
        const int code = sqlite3_db_config(sql->db, SETTINGS[i].setting, SETTINGS[i].value, NULL);
        if (code != SQLITE_OK)
            return f0t_sql_fail(sql, code);
    }
    sqlite3_limit(sql->db, SQLITE_LIMIT_LENGTH, LENGTH_MOST);
    sqlite3_limit(sql->db, SQLITE_LIMIT_ATTACHED, 0);
    return f0t_sql_execute(sql, "PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0");
}

/* Whoever is killed leaves what was committed, and nothing else, after the write-ahead log; readers go on
 * while somebody writes. */
static f0t_status prepare_to_write(f0t_catalogue *c, bool create)
{
    F0T_TRY(f0t_schema_open(&c->sql, create, true));
    return f0t_sql_execute(&c->sql, "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL");
}

/* Where several processes make the same file, SQLite does not wait for those that change to the write-ahead log, and which
 * could wait for us. */
static f0t_status prepare_patiently(f0t_catalogue *c, const f0t_catalogue_options *options)
{
    enum { PAUSE = 10000 }; /* microseconds */
    const double end = f0t_time() + options->wait;
    f0t_status status;
    while ((status = prepare_to_write(c, options->mode == F0T_CATALOGUE_CREATE)) != F0T_OK &&
           f0t_sql_is_busy(&c->sql, status) && f0t_time() < end) {
        usleep(PAUSE);
        sqlite3_busy_timeout(c->sql.db, (int)(1000 * fmax(end - f0t_time(), 0)));
    }
    sqlite3_busy_timeout(c->sql.db, (int)(1000 * options->wait));
    return status;
}

/* Whether the file beside the catalogue, with this ending, has bytes. */
static f0t_status has_bytes(bool *out, const char *path, const char *ending)
{
    char *name;
    struct stat info;
    const size_t length = strlen(path);
    F0T_TRY(f0t_alloc(&name, length + strlen(ending) + 1, 1));
    strcpy(stpcpy(name, path), ending);
    *out = stat(name, &info) == 0 && info.st_size > 0;
    f0t_free(name);
    return F0T_OK;
}

/* SQLite makes files there also to read. */
static f0t_status is_folder_writable(bool *out, const char *path)
{
    const char *slash = strrchr(path, '/'); /* find_path saw to it that there is one */
    char *folder;
    F0T_TRY(f0t_string_copy(&folder, path, slash == path ? 1 : (size_t)(slash - path)));
    *out = access(folder, W_OK) == 0 || (errno != EACCES && errno != EROFS);
    f0t_free(folder);
    return F0T_OK;
}

/* In a folder that cannot be written, a catalogue is read as it is in its file. Where another process has it open, the rest is
 * in the log beside it, which SQLite reads by the log's index. */
static f0t_status open_to_read(f0t_catalogue *c, int flags)
{
    bool writable, indexed, logged, journal;
    F0T_TRY(is_folder_writable(&writable, c->path));
    F0T_TRY(has_bytes(&indexed, c->path, "-shm"));
    if (writable || indexed)
        return f0t_sql_open(&c->sql, flags);
    F0T_TRY(has_bytes(&logged, c->path, "-wal"));
    F0T_TRY(has_bytes(&journal, c->path, "-journal"));
    if (logged || journal)
        return f0t_fail(F0T_ERROR_IO,
                        "%s has changes in %s%s, which can only be read in a folder that can be "
                        "written; copy both files into one",
                        c->path, c->path, logged ? "-wal" : "-journal");
    return f0t_sql_open_immutable(&c->sql, flags);
}

static f0t_status connect(f0t_catalogue *c, const f0t_catalogue_options *options)
{
    const bool write = options->mode != F0T_CATALOGUE_READ;
    const int flags = (write ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY) | SQLITE_OPEN_NOMUTEX |
                      SQLITE_OPEN_PRIVATECACHE;
    c->sql.name = c->path;
    F0T_TRY(write ? f0t_sql_open(&c->sql, flags) : open_to_read(c, flags));
    sqlite3_extended_result_codes(c->sql.db, 1);
    sqlite3_busy_timeout(c->sql.db, (int)(1000 * options->wait));
    F0T_TRY(harden(&c->sql));
    return write ? prepare_patiently(c, options) : f0t_schema_open(&c->sql, false, false);
}

static f0t_status copy_text(char **out, sqlite3_stmt *statement, int column)
{
    const char *text = (const char *)sqlite3_column_text(statement, column);
    f0t_free(*out);
    *out = NULL;
    return text ? f0t_string_copy(out, text, strlen(text)) : F0T_OK;
}

f0t_status f0t_catalogue_read_chosen(f0t_catalogue *c)
{
    sqlite3_stmt *row;
    bool any;
    F0T_TRY(f0t_sql_bind(&row, &c->sql,
                         "SELECT m.id, m.path, m.fingerprint, b.id, b.description, c.vectors"
                         " FROM chosen c"
                         " LEFT JOIN models m ON m.id = c.model"
                         " LEFT JOIN backbones b ON b.id = c.backbone",
                         NULL, 0));
    F0T_TRY(f0t_sql_step(&any, &c->sql, row));
    if (!any)
        return f0t_fail(F0T_ERROR_FORMAT, "%s is damaged: it has no row of what was chosen",
                        c->path);
    c->model_id = sqlite3_column_int64(row, 0);
    c->fingerprint = (uint64_t)sqlite3_column_int64(row, 2);
    c->backbone_id = sqlite3_column_int64(row, 3);
    f0t_status status = copy_text(&c->model, row, 1);
    if (status == F0T_OK)
        status = copy_text(&c->backbone, row, 4);
    if (status == F0T_OK)
        status = copy_text(&c->vectors, row, 5);
    f0t_sql_reset(row);
    return status;
}

static f0t_status fill(f0t_catalogue *c, const char *path, const f0t_catalogue_options *options)
{
    const bool create = options->mode == F0T_CATALOGUE_CREATE;
    F0T_TRY(find_path(&c->path, path, create));
    F0T_TRY(check_file(c->path, create));
    F0T_TRY(connect(c, options));
    return f0t_catalogue_read_chosen(c);
}

f0t_status f0t_catalogue_open(f0t_catalogue **out, const char *path,
                              const f0t_catalogue_options *options)
{
    F0T_REQUIRE(out);
    *out = NULL;
    F0T_READ_OPTIONS(f0t_catalogue_options, F0T_CATALOGUE_OPTIONS, options);
    f0t_catalogue *c;
    if (options->mode > F0T_CATALOGUE_CREATE)
        return f0t_fail(F0T_ERROR_ARGUMENT, "f0t_catalogue_options: no mode %d",
                        (int)options->mode);
    if (!(options->wait >= 0 && options->wait <= 86400))
        return f0t_fail(F0T_ERROR_ARGUMENT,
                        "f0t_catalogue_options: wait is %g; from 0 to 86400 is expected",
                        options->wait);
    F0T_TRY(f0t_alloc_zero(&c, 1, sizeof *c));
    f0t_status status = fill(c, path, options);
    if (status == F0T_OK)
        *out = c;
    else
        f0t_catalogue_close(c);
    return status;
}

void f0t_catalogue_close(f0t_catalogue *catalogue)
{
    if (!catalogue)
        return;
    f0t_sql_close(&catalogue->sql);
    f0t_free(catalogue->path);
    f0t_free(catalogue->model);
    f0t_free(catalogue->backbone);
    f0t_free(catalogue->vectors);
    f0t_free(catalogue->blob);
    f0t_free(catalogue);
}

const char *f0t_catalogue_path(const f0t_catalogue *catalogue)
{
    return catalogue->path;
}

/* ---- Changes --------------------------------------------------------------------------------------- */

f0t_status f0t_catalogue_begin(f0t_catalogue *catalogue)
{
    F0T_REQUIRE(catalogue);
    if (catalogue->begun)
        return f0t_fail(F0T_ERROR_ARGUMENT, "%s: begun twice without a commit", catalogue->path);
    F0T_TRY(f0t_sql_execute(&catalogue->sql, "BEGIN IMMEDIATE"));
    catalogue->begun = true;
    return F0T_OK;
}

static f0t_status require_begun(const f0t_catalogue *catalogue)
{
    return catalogue->begun
               ? F0T_OK
               : f0t_fail(F0T_ERROR_ARGUMENT, "%s: nothing was begun", catalogue->path);
}

/* A full disk makes SQLite undo all of it, at once. */
static f0t_status check_lost(const f0t_catalogue *catalogue)
{
    return sqlite3_get_autocommit(catalogue->sql.db)
               ? f0t_fail(F0T_ERROR_IO, "%s: what was begun could not be written, and is undone",
                          catalogue->path)
               : F0T_OK;
}

static void undo_all(f0t_catalogue *catalogue)
{
    if (!sqlite3_get_autocommit(catalogue->sql.db))
        sqlite3_exec(catalogue->sql.db, "ROLLBACK", NULL, NULL, NULL);
}

f0t_status f0t_catalogue_commit(f0t_catalogue *catalogue)
{
    F0T_REQUIRE(catalogue);
    F0T_TRY(require_begun(catalogue));
    catalogue->begun = false;
    catalogue->step = 0;
    F0T_TRY(check_lost(catalogue));
    f0t_status status = f0t_sql_execute(&catalogue->sql, "COMMIT");
    if (status != F0T_OK)
        undo_all(catalogue);
    return status;
}

f0t_status f0t_catalogue_rollback(f0t_catalogue *catalogue)
{
    F0T_REQUIRE(catalogue);
    F0T_TRY(require_begun(catalogue));
    catalogue->begun = false;
    catalogue->step = 0;
    undo_all(catalogue);
    return f0t_catalogue_read_chosen(catalogue);
}

f0t_status f0t_change_begin(f0t_catalogue *c)
{
    if (!c->begun)
        return f0t_sql_execute(&c->sql, "BEGIN IMMEDIATE");
    F0T_TRY(check_lost(c));
    return f0t_sql_execute(&c->sql, "SAVEPOINT call");
}

f0t_status f0t_change_end(f0t_catalogue *c, f0t_status status)
{
    if (status == F0T_OK)
        status = f0t_sql_execute(&c->sql, c->begun ? "RELEASE call" : "COMMIT");
    if (status == F0T_OK)
        return F0T_OK;
    if (!c->begun)
        undo_all(c);
    else if (!sqlite3_get_autocommit(c->sql.db))
        sqlite3_exec(c->sql.db, "ROLLBACK TO call; RELEASE call", NULL, NULL, NULL);
    return status;
}

/* ---- What was chosen ------------------------------------------------------------------------------- */

const char *f0t_catalogue_model(const f0t_catalogue *catalogue)
{
    return catalogue->model;
}

const char *f0t_catalogue_backbone(const f0t_catalogue *catalogue)
{
    return catalogue->backbone;
}

uint64_t f0t_catalogue_model_fingerprint(const f0t_catalogue *catalogue)
{
    return catalogue->fingerprint;
}

const char *f0t_catalogue_vectors(const f0t_catalogue *catalogue)
{
    return catalogue->vectors;
}

/* A number that was not there before, also where an old copy of the file takes its place. */
f0t_status f0t_catalogue_change_directions(f0t_catalogue *catalogue)
{
    return f0t_sql_run(&catalogue->sql, "UPDATE chosen SET directions = random()", NULL, 0);
}

f0t_status f0t_catalogue_choose_model(f0t_catalogue *c, const char *path, uint64_t fingerprint)
{
    F0T_TRY(f0t_catalogue_change_directions(c));
    if (!path)
        return f0t_sql_execute(&c->sql, "UPDATE chosen SET model = NULL");
    F0T_TRY(f0t_sql_run(&c->sql,
                        "INSERT INTO models(fingerprint, path) VALUES (?1, ?2)"
                        " ON CONFLICT(fingerprint) DO UPDATE SET path = ?2",
                        F0T_SQL_VALUES(f0t_sql_bits(fingerprint), f0t_sql_text(path))));
    return f0t_sql_run(&c->sql,
                       "UPDATE chosen SET model = (SELECT id FROM models WHERE fingerprint = ?1)",
                       F0T_SQL_VALUES(f0t_sql_bits(fingerprint)));
}

f0t_status f0t_catalogue_set_model(f0t_catalogue *catalogue, const char *path, uint64_t fingerprint)
{
    F0T_REQUIRE(catalogue);
    F0T_TRY(f0t_change_begin(catalogue));
    F0T_TRY(f0t_change_end(catalogue, f0t_catalogue_choose_model(catalogue, path, fingerprint)));
    return f0t_catalogue_read_chosen(catalogue);
}

static f0t_status choose_backbone(f0t_catalogue *c, const char *description)
{
    if (!description)
        return f0t_sql_execute(&c->sql, "UPDATE chosen SET backbone = NULL");
    F0T_TRY(f0t_sql_run(&c->sql, "INSERT OR IGNORE INTO backbones(description) VALUES (?1)",
                        F0T_SQL_VALUES(f0t_sql_text(description))));
    return f0t_sql_run(
        &c->sql, "UPDATE chosen SET backbone = (SELECT id FROM backbones WHERE description = ?1)",
        F0T_SQL_VALUES(f0t_sql_text(description)));
}

f0t_status f0t_catalogue_set_backbone(f0t_catalogue *catalogue, const char *description)
{
    F0T_REQUIRE(catalogue);
    F0T_TRY(f0t_change_begin(catalogue));
    F0T_TRY(f0t_change_end(catalogue, choose_backbone(catalogue, description)));
    return f0t_catalogue_read_chosen(catalogue);
}

f0t_status f0t_catalogue_set_vectors(f0t_catalogue *catalogue, const char *path)
{
    F0T_REQUIRE(catalogue);
    F0T_TRY(f0t_change_begin(catalogue));
    F0T_TRY(f0t_change_end(catalogue, f0t_sql_run(&catalogue->sql, "UPDATE chosen SET vectors = ?1",
                                                  F0T_SQL_VALUES(f0t_sql_text(path)))));
    return f0t_catalogue_read_chosen(catalogue);
}
