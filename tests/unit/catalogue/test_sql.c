/* What a connection says of a disk that fails, and of a file that is damaged. */
#include "catalogue/sql.h"

#include "support.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* ---- A disk that fails ------------------------------------------------------------------------------- */

static bool fails; /* the next read */

static ssize_t read_or_fail(int file, void *to, size_t size, off_t at)
{
    if (!fails)
        return pread(file, to, size, at);
    fails = false;
    errno = EIO;
    return -1;
}

static void set_pread(sqlite3_syscall_ptr call)
{
    sqlite3_vfs *vfs = sqlite3_vfs_find(NULL);
    vfs->xSetSystemCall(vfs, "pread", call);
    vfs->xSetSystemCall(vfs, "pread64", call);
}

/* ---- A file of some pages ---------------------------------------------------------------------------- */

enum { PAGE = 4096 };
static const char LENGTH[] = "SELECT sum(length(x)) FROM t";

static const char *make_file(const char *name)
{
    const char *path = test_path(name);
    sqlite3 *db;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(
        sqlite3_exec(db,
                     "PRAGMA page_size = 4096; CREATE TABLE t(x);"
                     "WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100)"
                     " INSERT INTO t SELECT randomblob(1000) FROM n",
                     NULL, NULL, NULL),
        SQLITE_OK);
    sqlite3_close(db);
    return path;
}

/* All pages but the first one, which has the schema. */
static void write_over(const char *path)
{
    char rubbish[PAGE];
    memset(rubbish, 0xAB, sizeof rubbish);
    FILE *file = fopen(path, "r+b");
    assert_non_null(file);
    assert_int_equal(fseek(file, PAGE, SEEK_SET), 0);
    for (int i = 0; i < 20; i++)
        assert_int_equal(fwrite(rubbish, 1, PAGE, file), PAGE);
    assert_int_equal(fclose(file), 0);
}

static f0t_status get_length(f0t_sql *sql, int64_t *length)
{
    sqlite3_db_release_memory(sql->db); /* pages are read from the disk */
    return f0t_sql_get_int(length, sql, LENGTH, NULL, 0, 0);
}

/* A server's connection lives long. */
static void a_failed_read_does_not_hide_damage_that_is_found_later(void **state)
{
    const char *path = make_file("sql.db");
    f0t_sql sql = {.name = "the file"};
    int64_t length;
    (void)state;
    set_pread((sqlite3_syscall_ptr)read_or_fail);
    assert_int_equal(sqlite3_open(path, &sql.db), SQLITE_OK);
    assert_ok(get_length(&sql, &length));
    fails = true;
    assert_fails(F0T_ERROR_IO, "cannot read the file: Input/output error",
                 get_length(&sql, &length));
    assert_false(fails);
    assert_ok(get_length(&sql, &length));
    assert_int_equal(length, 100000);
    write_over(path);
    assert_fails(F0T_ERROR_FORMAT, "the file is damaged; use a copy of it",
                 get_length(&sql, &length));
    f0t_sql_close(&sql);
    set_pread(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_failed_read_does_not_hide_damage_that_is_found_later),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
