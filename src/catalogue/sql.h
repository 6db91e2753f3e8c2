/* SQL statements: prepared once per catalogue, with values that are bound, never pasted. */
#ifndef F0T_CATALOGUE_SQL_H
#define F0T_CATALOGUE_SQL_H

#include "base/status.h"

#include <sqlite3.h>

/* A statement that was prepared; `sql` is a literal, known by its address. */
typedef struct f0t_sql_prepared {
    const char *sql;
    sqlite3_stmt *statement;
} f0t_sql_prepared;

/* A connection. */
typedef struct f0t_sql {
    sqlite3 *db;
    const char *name; /* of the file, for messages */
    f0t_sql_prepared *prepared;
    size_t count, capacity;
    int unread; /* what the system said of a read that failed; 0 since a statement has succeeded */
    bool busy;  /* the last failure was that another process was writing */
} f0t_sql;

/* Opens the file `name`, with SQLite's flags; it opens no other files than those that SQLite has beside it. To be closed also
 * where it fails. */
f0t_status f0t_sql_open(f0t_sql *sql, int flags);
/* Opens the file for reading alone, without locks and without a file beside it. Nobody must write it meanwhile. */
f0t_status f0t_sql_open_immutable(f0t_sql *sql, int flags);

void f0t_sql_close(f0t_sql *sql);

/* Fails as the last call of the connection did: one line that names the file and says what to do. */
f0t_status f0t_sql_fail(f0t_sql *sql, int code);
/* Whether that failure is another process that was writing for longer than the connection waits. */
bool f0t_sql_is_busy(const f0t_sql *sql, f0t_status status);

/* ---- Values ---------------------------------------------------------------------------------------- */

typedef struct f0t_sql_value {
    enum { F0T_SQL_NULL, F0T_SQL_INT, F0T_SQL_REAL, F0T_SQL_TEXT, F0T_SQL_BLOB } kind;
    int64_t integer;
    double real;
    const void *data;
    size_t size;
} f0t_sql_value;

static inline f0t_sql_value f0t_sql_int(int64_t value)
{
    return (f0t_sql_value){.kind = F0T_SQL_INT, .integer = value};
}

/* All 64 bits: SQLite has integers with a sign. */
static inline f0t_sql_value f0t_sql_bits(uint64_t value)
{
    return (f0t_sql_value){.kind = F0T_SQL_INT, .integer = (int64_t)value};
}

static inline f0t_sql_value f0t_sql_real(double value)
{
    return (f0t_sql_value){.kind = F0T_SQL_REAL, .real = value};
}

/* NULL is SQL's NULL. Text and blob stay the caller's until the statement has run. */
f0t_sql_value f0t_sql_text(const char *text);
f0t_sql_value f0t_sql_blob(const void *data, size_t size);

/* ---- Statements ------------------------------------------------------------------------------------ */

/* The statement of this literal with these values, ready to step. It is the connection's, and is to be reset
 * (f0t_sql_reset) when its rows have been read. */
f0t_status f0t_sql_bind(sqlite3_stmt **out, f0t_sql *sql, const char *text,
                        const f0t_sql_value *values, size_t count);
/* The same for a text that is made for one use, with copies of the values; it is to be finalized. */
f0t_status f0t_sql_bind_once(sqlite3_stmt **out, f0t_sql *sql, const char *text,
                             const f0t_sql_value *values, size_t count);
/* *row says whether there is a row; at the end, and on failure, the statement is reset. */
f0t_status f0t_sql_step(bool *row, f0t_sql *sql, sqlite3_stmt *statement);
void f0t_sql_reset(sqlite3_stmt *statement);

/* Runs a statement that gives no rows. */
f0t_status f0t_sql_run(f0t_sql *sql, const char *text, const f0t_sql_value *values, size_t count);
/* The integer of its first row and column; `none` where there is no row. */
f0t_status f0t_sql_get_int(int64_t *out, f0t_sql *sql, const char *text,
                           const f0t_sql_value *values, size_t count, int64_t none);
/* One or more statements without values. */
f0t_status f0t_sql_execute(f0t_sql *sql, const char *text);

/* Values of a call: F0T_SQL_VALUES(f0t_sql_int(id), f0t_sql_text(name)). */
#define F0T_SQL_VALUES(...)               \
    (const f0t_sql_value[]){__VA_ARGS__}, \
        sizeof((const f0t_sql_value[]){__VA_ARGS__}) / sizeof(f0t_sql_value)

#endif
