#include "catalogue/sql.h"

#include "base/alloc.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>

/* ---- Files ----------------------------------------------------------------------------------------- */

static const char FILES[] = "fast0tag";
static sqlite3_vfs *system_files, own_files;

/* The journal of a commit to several databases names a file that lists them, which SQLite deletes once none of them needs it:
 * whoever sends a catalogue with a journal beside it could name any file of the user's. Ours are committed alone. */
static int open_file(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags, int *given)
{
    (void)vfs;
    file->pMethods = NULL;
    if (flags & SQLITE_OPEN_SUPER_JOURNAL)
        return SQLITE_AUTH;
    return system_files->xOpen(system_files, name, file, flags, given);
}

static bool register_files(void)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static bool registered;
    pthread_mutex_lock(&lock);
    system_files = registered ? system_files : sqlite3_vfs_find(NULL);
    if (!registered && system_files) {
        own_files = *system_files;
        own_files.pNext = NULL;
        own_files.zName = FILES;
        own_files.xOpen = open_file;
        registered = sqlite3_vfs_register(&own_files, 0) == SQLITE_OK;
    }
    const bool done = registered;
    pthread_mutex_unlock(&lock);
    return done;
}

static f0t_status open_name(f0t_sql *sql, const char *name, int flags)
{
    const int code =
        register_files() ? sqlite3_open_v2(name, &sql->db, flags, FILES) : SQLITE_NOMEM;
    if (code == SQLITE_OK)
        return F0T_OK;
    return sql->db ? f0t_sql_fail(sql, code)
                   : f0t_fail(F0T_ERROR_MEMORY, "%s: out of memory", sql->name);
}

f0t_status f0t_sql_open(f0t_sql *sql, int flags)
{
    return open_name(sql, sql->name, flags);
}

/* "file:PATH?immutable=1", every byte of the path that means something there as %XX. */
static f0t_status make_address(char **out, const char *path)
{
    static const char scheme[] = "file:", query[] = "?immutable=1", hex[] = "0123456789ABCDEF";
    F0T_TRY(f0t_alloc(out, 3 * strlen(path) + sizeof scheme + sizeof query, 1));
    char *to = stpcpy(*out, scheme);
    for (const char *from = path; *from; from++) {
        const unsigned char byte = (unsigned char)*from;
        if (strchr("%?#", byte)) {
            *to++ = '%';
            *to++ = hex[byte >> 4];
            *to++ = hex[byte & 15];
        } else {
            *to++ = *from;
        }
    }
    strcpy(to, query);
    return F0T_OK;
}

f0t_status f0t_sql_open_immutable(f0t_sql *sql, int flags)
{
    char *address;
    F0T_TRY(make_address(&address, sql->name));
    f0t_status status = open_name(sql, address, flags | SQLITE_OPEN_URI);
    f0t_free(address);
    return status;
}

/* ---- Failures -------------------------------------------------------------------------------------- */

/* SQLite does not always say what the system said. */
static f0t_status fail_io(const f0t_sql *sql, int code)
{
    const int system = sqlite3_system_errno(sql->db);
    const bool reading = code == SQLITE_IOERR_READ || code == SQLITE_IOERR_SHORT_READ;
    const char *doing = reading ? "read" : "write";
    return system ? f0t_fail_errno(system, "cannot %s %s", doing, sql->name)
                  : f0t_fail(F0T_ERROR_IO, "cannot %s %s: %s", doing, sql->name,
                             sqlite3_errmsg(sql->db));
}

/* Taken, not looked at: SQLite keeps it through reads that succeed, and only one past the end sets it to 0. What the system said
 * once must not hide damage that is found later. */
static int take_errno(sqlite3_file *file)
{
    int error = 0;
    sqlite3_int64 size;
    char past;
    if (!file || !file->pMethods)
        return 0;
    file->pMethods->xFileControl(file, SQLITE_FCNTL_LAST_ERRNO, &error);
    if (error && file->pMethods->xFileSize(file, &size) == SQLITE_OK)
        file->pMethods->xRead(file, &past, 1, size);
    return error;
}

/* SQLite takes a disk that cannot be read (EIO, ENXIO) for a damaged file: SQLITE_IOERR_CORRUPTFS of os_unix.c becomes
 * SQLITE_CORRUPT in vdbe.c. What the system said of the file, or of its log, tells them apart. */
static f0t_status fail_damaged(f0t_sql *sql)
{
    sqlite3_file *files[2] = {NULL, NULL};
    sqlite3_file_control(sql->db, "main", SQLITE_FCNTL_FILE_POINTER, &files[0]);
    sqlite3_file_control(sql->db, "main", SQLITE_FCNTL_JOURNAL_POINTER, &files[1]);
    for (size_t i = 0; i < 2; i++) {
        const int error = take_errno(files[i]);
        if (error == EIO || error == ENXIO)
            sql->unread = error;
    }
    if (sql->unread) /* now, or in a statement before this one that ended alike */
        return f0t_fail_errno(sql->unread, "cannot read %s", sql->name);
    return f0t_fail(F0T_ERROR_FORMAT,
                    "%s is damaged; use a copy of it, or index the pictures into a new one",
                    sql->name);
}

f0t_status f0t_sql_fail(f0t_sql *sql, int code)
{
    sql->busy = (code & 0xFF) == SQLITE_BUSY;
    switch (code & 0xFF) {
    case SQLITE_NOMEM:
        return f0t_fail(F0T_ERROR_MEMORY, "%s: out of memory", sql->name);
    case SQLITE_NOTADB:
        return f0t_fail(F0T_ERROR_FORMAT, "%s is not a catalogue", sql->name);
    case SQLITE_CORRUPT:
        return fail_damaged(sql);
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return f0t_fail(F0T_ERROR_IO, "%s is being written by another process; try again",
                        sql->name);
    case SQLITE_FULL:
        return f0t_fail(F0T_ERROR_IO, "cannot write %s: the disk is full", sql->name);
    case SQLITE_READONLY:
        return f0t_fail(F0T_ERROR_IO, "%s was opened for reading, or may not be written",
                        sql->name);
    case SQLITE_CANTOPEN:
        return sqlite3_system_errno(sql->db)
                   ? f0t_fail_errno(sqlite3_system_errno(sql->db), "cannot open %s", sql->name)
                   : f0t_fail(F0T_ERROR_IO, "cannot open %s", sql->name);
    case SQLITE_AUTH: /* of open_file alone: there is no authorizer */
        return f0t_fail(F0T_ERROR_FORMAT, "%s-journal is not a catalogue's: it names another file",
                        sql->name);
    case SQLITE_IOERR:
        return fail_io(sql, code);
    case SQLITE_CONSTRAINT:
    case SQLITE_MISMATCH:
    case SQLITE_TOOBIG:
        return f0t_fail(F0T_ERROR_FORMAT, "%s: %s", sql->name, sqlite3_errmsg(sql->db));
    default:
        return f0t_fail(F0T_ERROR_INTERNAL, "%s: %s", sql->name, sqlite3_errmsg(sql->db));
    }
}

/* ---- Values ---------------------------------------------------------------------------------------- */

f0t_sql_value f0t_sql_text(const char *text)
{
    if (!text)
        return (f0t_sql_value){.kind = F0T_SQL_NULL};
    return (f0t_sql_value){.kind = F0T_SQL_TEXT, .data = text, .size = strlen(text)};
}

f0t_sql_value f0t_sql_blob(const void *data, size_t size)
{
    if (!data)
        return (f0t_sql_value){.kind = F0T_SQL_NULL};
    return (f0t_sql_value){.kind = F0T_SQL_BLOB, .data = data, .size = size};
}

static int bind_value(sqlite3_stmt *statement, int at, const f0t_sql_value *value,
                      sqlite3_destructor_type keep)
{
    switch (value->kind) {
    case F0T_SQL_INT:
        return sqlite3_bind_int64(statement, at, value->integer);
    case F0T_SQL_REAL:
        return sqlite3_bind_double(statement, at, value->real);
    case F0T_SQL_TEXT:
        return sqlite3_bind_text64(statement, at, value->data, value->size, keep, SQLITE_UTF8);
    case F0T_SQL_BLOB:
        return sqlite3_bind_blob64(statement, at, value->data, value->size, keep);
    default:
        return sqlite3_bind_null(statement, at);
    }
}

/* ---- Statements ------------------------------------------------------------------------------------ */

static f0t_status prepare(sqlite3_stmt **out, f0t_sql *sql, const char *text, unsigned flags)
{
    *out = NULL;
    const int code = sqlite3_prepare_v3(sql->db, text, -1, flags, out, NULL);
    return code == SQLITE_OK ? F0T_OK : f0t_sql_fail(sql, code);
}

static f0t_status find(sqlite3_stmt **out, f0t_sql *sql, const char *text)
{
    for (size_t i = 0; i < sql->count; i++)
        if (sql->prepared[i].sql == text) {
            *out = sql->prepared[i].statement;
            return F0T_OK;
        }
    F0T_TRY(f0t_grow(&sql->prepared, &sql->capacity, sql->count, 1, sizeof *sql->prepared));
    F0T_TRY(prepare(out, sql, text, SQLITE_PREPARE_PERSISTENT));
    sql->prepared[sql->count++] = (f0t_sql_prepared){.sql = text, .statement = *out};
    return F0T_OK;
}

static f0t_status bind_all(f0t_sql *sql, sqlite3_stmt *statement, const f0t_sql_value *values,
                           size_t count, sqlite3_destructor_type keep)
{
    for (size_t i = 0; i < count; i++) {
        const int code = bind_value(statement, (int)i + 1, &values[i], keep);
        if (code != SQLITE_OK)
            return f0t_sql_fail(sql, code);
    }
    return F0T_OK;
}

f0t_status f0t_sql_bind(sqlite3_stmt **out, f0t_sql *sql, const char *text,
                        const f0t_sql_value *values, size_t count)
{
    F0T_TRY(find(out, sql, text));
    sqlite3_reset(*out);
    return bind_all(sql, *out, values, count, SQLITE_STATIC);
}

f0t_status f0t_sql_bind_once(sqlite3_stmt **out, f0t_sql *sql, const char *text,
                             const f0t_sql_value *values, size_t count)
{
    F0T_TRY(prepare(out, sql, text, 0));
    f0t_status status = bind_all(sql, *out, values, count, SQLITE_TRANSIENT);
    if (status != F0T_OK) {
        sqlite3_finalize(*out);
        *out = NULL;
    }
    return status;
}

/* Values are borrowed from the caller: none is left behind. */
void f0t_sql_reset(sqlite3_stmt *statement)
{
    if (!statement)
        return;
    sqlite3_reset(statement);
    sqlite3_clear_bindings(statement);
}

f0t_status f0t_sql_step(bool *row, f0t_sql *sql, sqlite3_stmt *statement)
{
    const int code = sqlite3_step(statement);
    *row = code == SQLITE_ROW;
    if (*row || code == SQLITE_DONE)
        sql->unread = 0;
    if (*row)
        return F0T_OK;
    f0t_status status = code == SQLITE_DONE ? F0T_OK : f0t_sql_fail(sql, code);
    f0t_sql_reset(statement);
    return status;
}

f0t_status f0t_sql_run(f0t_sql *sql, const char *text, const f0t_sql_value *values, size_t count)
{
    sqlite3_stmt *statement;
    bool row;
    F0T_TRY(f0t_sql_bind(&statement, sql, text, values, count));
    F0T_TRY(f0t_sql_step(&row, sql, statement));
    if (row)
        f0t_sql_reset(statement);
    return F0T_OK;
}

f0t_status f0t_sql_get_int(int64_t *out, f0t_sql *sql, const char *text,
                           const f0t_sql_value *values, size_t count, int64_t none)
{
    sqlite3_stmt *statement;
    bool row;
    *out = none;
    F0T_TRY(f0t_sql_bind(&statement, sql, text, values, count));
    F0T_TRY(f0t_sql_step(&row, sql, statement));
    if (!row)
        return F0T_OK;
    *out = sqlite3_column_int64(statement, 0);
    f0t_sql_reset(statement);
    return F0T_OK;
}

bool f0t_sql_is_busy(const f0t_sql *sql, f0t_status status)
{
    return status == F0T_ERROR_IO && sql->busy;
}

f0t_status f0t_sql_execute(f0t_sql *sql, const char *text)
{
    const int code = sqlite3_exec(sql->db, text, NULL, NULL, NULL);
    return code == SQLITE_OK ? F0T_OK : f0t_sql_fail(sql, code);
}

void f0t_sql_close(f0t_sql *sql)
{
    for (size_t i = 0; i < sql->count; i++)
        sqlite3_finalize(sql->prepared[i].statement);
    f0t_free(sql->prepared);
    sqlite3_close(sql->db);
    *sql = (f0t_sql){0};
}
