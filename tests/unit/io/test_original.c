#include "rename.h"
#include "support.h"

#include "io/original.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/xattr.h>
#include <unistd.h>

static void expect(const char *path, const char *text)
{
    size_t size;
    char *got = test_read(path, &size);
    assert_string_equal(got, text);
    f0t_free(got);
}

static f0t_status put(const f0t_original *original, const char *text, bool keep_time)
{
    f0t_writer *w;
    F0T_TRY(f0t_original_replace(&w, original, keep_time));
    return f0t_writer_finish(w, f0t_writer_write(w, text, strlen(text)));
}

/* Reads the file, adds a '+' and writes it back. */
static f0t_status add_plus(void *path)
{
    f0t_original o;
    char *text = NULL;
    size_t size;
    F0T_TRY(f0t_original_open(&o, path, NULL));
    f0t_status status = f0t_original_read(&text, &size, &o, 100);
    if (status == F0T_OK) {
        char more[128];
        snprintf(more, sizeof more, "%.*s+", (int)size, text);
        status = put(&o, more, true);
    }
    f0t_free(text);
    f0t_original_close(&o);
    return status;
}

static void a_file_is_changed_or_made(void **state)
{
    f0t_original o;
    const char *path = test_text("a", "old");
    (void)state;
    assert_ok(f0t_original_open(&o, path, NULL));
    assert_true(o.fd >= 0);
    assert_ok(put(&o, "new", true));
    f0t_original_close(&o);
    f0t_original_close(&o);
    expect(path, "new");
    path = test_path("made");
    assert_ok(f0t_original_open(&o, path, NULL));
    assert_true(o.fd < 0 && !f0t_original_has_changed(&o));
    assert_ok(put(&o, "first", true));
    f0t_original_close(&o);
    expect(path, "first");
}

/* ---- What another program does meanwhile ------------------------------------------------------------- */

typedef void (*meddler)(const char *path);

static void write_in_place(const char *path)
{
    FILE *file = fopen(path, "r+");
    assert_non_null(file);
    fputs("OLD", file); /* as many bytes */
    fclose(file);
}

static void write_in_place_and_set_the_time_back(const char *path)
{
    struct stat info;
    assert_int_equal(stat(path, &info), 0);
    write_in_place(path);
    const struct timespec times[2] = {info.st_atim, info.st_mtim};
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

static void rename_over(const char *path)
{
    char other[300];
    snprintf(other, sizeof other, "%s", test_text("other", "OLD"));
    assert_int_equal(rename(other, path), 0);
}

static void take_away(const char *path)
{
    assert_int_equal(unlink(path), 0);
}

static void make(const char *path)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("OLD", file);
    fclose(file);
}

static void check_meddling(bool exists, meddler meddle)
{
    f0t_original o;
    char path[200];
    snprintf(path, sizeof path, "%s", exists ? test_text("m", "old") : test_path("m"));
    if (!exists)
        unlink(path);
    assert_ok(f0t_original_open(&o, path, NULL));
    meddle(path);
    const size_t left = test_files_left();
    assert_true(f0t_original_has_changed(&o));
    assert_fails(F0T_ERROR_IO, "m: another program changed it meanwhile", put(&o, "new", true));
    f0t_original_close(&o);
    assert_int_equal(test_files_left(), left);
    if (meddle == take_away)
        assert_false(f0t_path_exists(path));
    else
        expect(path, "OLD");
}

static void what_another_program_changed_is_not_lost(void **state)
{
    (void)state;
    check_meddling(true, write_in_place);
    check_meddling(true, write_in_place_and_set_the_time_back);
    check_meddling(true, rename_over);
    check_meddling(true, take_away);
    check_meddling(false, make);
}

/* ---- What happens at the rename ----------------------------------------------------------------------- */

static meddler late_meddler;
static const char *late_path;

static void meddle_once(unsigned flags)
{
    (void)flags;
    test_renames.before = NULL;
    late_meddler(late_path);
}

/* Another program changes the file in the very moment before it is renamed. */
static void meddle_late(meddler meddle, const char *path)
{
    late_meddler = meddle;
    late_path = path;
    test_renames.before = meddle_once;
}

static void check_last_moment(bool exists, meddler meddle)
{
    f0t_original o;
    char path[200];
    snprintf(path, sizeof path, "%s", exists ? test_text("l", "old") : test_path("l"));
    if (!exists)
        unlink(path);
    const size_t left = test_files_left() + !exists;
    assert_ok(f0t_original_open(&o, path, NULL));
    meddle_late(meddle, path);
    assert_fails(F0T_ERROR_IO, "l: another program changed it meanwhile", put(&o, "new", true));
    f0t_original_close(&o);
    expect(path, "OLD");
    assert_int_equal(test_files_left(), left);
}

static void a_change_in_the_last_moment_is_not_lost(void **state)
{
    (void)state;
    check_last_moment(true, write_in_place);
    check_last_moment(true, rename_over);
    check_last_moment(false, make);
}

static void what_has_changed_is_not_removed(void **state)
{
    static const meddler meddlers[] = {write_in_place, rename_over};
    f0t_original o;
    char path[200];
    (void)state;
    for (size_t i = 0; i < sizeof meddlers / sizeof *meddlers; i++)
        for (int late = 0; late < 2; late++) {
            snprintf(path, sizeof path, "%s", test_text("r", "old"));
            const size_t left = test_files_left();
            assert_ok(f0t_original_open(&o, path, NULL));
            if (late)
                meddle_late(meddlers[i], path);
            else
                meddlers[i](path);
            assert_fails(F0T_ERROR_IO, "r: another program changed it", f0t_original_remove(&o));
            f0t_original_close(&o);
            expect(path, "OLD");
            assert_int_equal(test_files_left(), left);
        }
    for (int i = 0; i < 2; i++) {
        test_renames.plain = i;
        snprintf(path, sizeof path, "%s", test_text("r", "old"));
        const size_t left = test_files_left();
        assert_ok(f0t_original_open(&o, path, NULL));
        assert_ok(f0t_original_remove(&o));
        f0t_original_close(&o);
        assert_int_equal(test_files_left(), left - 1);
    }
    test_renames.plain = false;
}

static void a_file_system_that_only_renames_will_do(void **state)
{
    f0t_original o;
    (void)state;
    test_renames.plain = true;
    assert_ok(f0t_original_open(&o, test_text("s", "old"), NULL));
    assert_ok(put(&o, "new", true));
    f0t_original_close(&o);
    expect(test_path("s"), "new");
    assert_ok(f0t_original_open(&o, test_path("fresh"), NULL));
    assert_ok(put(&o, "new", true));
    f0t_original_close(&o);
    expect(test_path("fresh"), "new");
    check_meddling(true, rename_over);
    test_renames.plain = false;
}

/* ---- What stays --------------------------------------------------------------------------------------- */

static void what_a_file_is_besides_its_bytes_stays(void **state)
{
    struct stat before, after;
    char path[200], value[8];
    const struct timespec old[2] = {{1000000000, 5}, {1200000000, 123456789}};
    (void)state;
    snprintf(path, sizeof path, "%s", test_text("kept", "old"));
    assert_int_equal(chmod(path, 0640), 0);
    const bool root = chown(path, 12345, 54321) == 0;
    const bool attributes = setxattr(path, "user.rating", "five", 4, 0) == 0;
    assert_int_equal(utimensat(AT_FDCWD, path, old, 0), 0);
    assert_int_equal(stat(path, &before), 0);
    assert_ok(add_plus(path));
    assert_int_equal(stat(path, &after), 0);
    expect(path, "old+");
    assert_true(after.st_mode == before.st_mode && after.st_uid == before.st_uid);
    assert_true(after.st_gid == before.st_gid && (!root || after.st_gid == 54321));
    assert_true(after.st_mtim.tv_sec == 1200000000 && after.st_mtim.tv_nsec == 123456789);
    assert_true(after.st_ino != before.st_ino);
    if (attributes)
        assert_int_equal(getxattr(path, "user.rating", value, sizeof value), 4);
}

/* An access list that the folder gives to new files is not the old file's. */
static void an_access_list_stays_and_none_is_added(void **state)
{
    /* user::rw-, user:1234:r--, group::r--, mask::r--, other::--- */
    static const unsigned char list[] = {2,   0,   0,   0,   1,   0,   6,  0,   255, 255, 255,
                                         255, 2,   0,   4,   0,   210, 4,  0,   0,   4,   0,
                                         4,   0,   255, 255, 255, 255, 16, 0,   4,   0,   255,
                                         255, 255, 255, 32,  0,   0,   0,  255, 255, 255, 255};
    char folder[200], with[300], without[300], got[100];
    (void)state;
    snprintf(folder, sizeof folder, "%s", test_path("listed"));
    assert_ok(f0t_folder_create(folder));
    snprintf(with, sizeof with, "%s", test_text("listed/with", "a"));
    snprintf(without, sizeof without, "%s", test_text("listed/without", "a"));
    if (setxattr(folder, "system.posix_acl_default", list, sizeof list, 0) != 0 ||
        setxattr(with, "system.posix_acl_access", list, sizeof list, 0) != 0)
        test_skip("the file system has no access lists");
    assert_ok(add_plus(with));
    assert_ok(add_plus(without));
    assert_int_equal(getxattr(with, "system.posix_acl_access", got, sizeof got), sizeof list);
    assert_memory_equal(got, list, sizeof list);
    assert_true(getxattr(without, "system.posix_acl_access", got, sizeof got) < 0);
}

/* ---- What is refused ---------------------------------------------------------------------------------- */

static void links_are_not_followed(void **state)
{
    f0t_original o;
    char folder[200], path[300];
    (void)state;
    assert_ok(f0t_folder_create(test_path("outside")));
    test_text("outside/x", "old");
    snprintf(folder, sizeof folder, "%s", test_path("named"));
    assert_ok(f0t_folder_create(folder));
    assert_int_equal(symlink("../outside/x", test_path("named/link")), 0);
    assert_int_equal(symlink("../outside/new", test_path("named/dangling")), 0);
    assert_int_equal(symlink("../outside", test_path("named/sub")), 0);
    assert_int_equal(symlink("named", test_path("alias")), 0);
    assert_fails(F0T_ERROR_UNSUPPORTED, "link: is a link",
                 f0t_original_open(&o, test_path("named/link"), NULL));
    assert_fails(F0T_ERROR_UNSUPPORTED, "dangling: is a link",
                 f0t_original_open(&o, test_path("named/dangling"), NULL));
    assert_fails(F0T_ERROR_IO, "'sub' is a link",
                 f0t_original_open(&o, test_path("named/sub/x"), folder));
    snprintf(path, sizeof path, "%s/", folder);
    assert_fails(F0T_ERROR_IO, "'sub' is a link",
                 f0t_original_open(&o, test_path("named/sub/x"), path));
    assert_ok(f0t_original_open(&o, test_path("named/sub/x"), test_path("named/sub")));
    f0t_original_close(&o);
    assert_ok(f0t_original_open(&o, test_path("named/sub/x"), NULL));
    f0t_original_close(&o);
    assert_ok(f0t_original_open(&o, test_path("alias/new"), test_path("alias")));
    assert_ok(put(&o, "new", true));
    f0t_original_close(&o);
    expect(test_path("named/new"), "new");
}

static void what_cannot_be_replaced_without_loss_is_refused(void **state)
{
    f0t_original o;
    char *text;
    size_t size;
    (void)state;
    test_text("one", "old");
    assert_int_equal(link(test_path("one"), test_path("two")), 0);
    assert_fails(F0T_ERROR_UNSUPPORTED, "one: is one file under 2 names",
                 f0t_original_open(&o, test_path("one"), NULL));
    assert_fails(F0T_ERROR_IO, "is a folder", f0t_original_open(&o, test_path("."), NULL));
    assert_int_equal(mkfifo(test_path("pipe"), 0600), 0);
    assert_fails(F0T_ERROR_IO, "is not a regular file",
                 f0t_original_open(&o, test_path("pipe"), NULL));
    assert_fails(F0T_ERROR_NOT_FOUND, "no/where",
                 f0t_original_open(&o, test_path("no/where"), NULL));
    assert_ok(f0t_original_open(&o, test_text("large", "0123456789"), NULL));
    assert_fails(F0T_ERROR_UNSUPPORTED, "large: has more than",
                 f0t_original_read(&text, &size, &o, 9));
    f0t_original_close(&o);
}

static void every_failure_leaves_the_old_file(void **state)
{
    char path[200];
    (void)state;
    for (int kind = 0; kind < F0T_FAULT_KINDS; kind++) {
        snprintf(path, sizeof path, "%s", test_text("faulty", "old"));
        const size_t left = test_files_left();
        for (uint64_t nth = 1;; nth++) {
            f0t_fault_set((f0t_fault)kind, nth);
            const f0t_status status = add_plus(path);
            f0t_fault_set((f0t_fault)kind, 0);
            assert_int_equal(test_files_left(), left);
            if (status == F0T_OK)
                break;
            expect(path, "old");
        }
        expect(path, "old+");
        test_each_fault((f0t_fault)kind, add_plus, path);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_is_changed_or_made),
        cmocka_unit_test(what_another_program_changed_is_not_lost),
        cmocka_unit_test(a_change_in_the_last_moment_is_not_lost),
        cmocka_unit_test(what_has_changed_is_not_removed),
        cmocka_unit_test(a_file_system_that_only_renames_will_do),
        cmocka_unit_test(what_a_file_is_besides_its_bytes_stays),
        cmocka_unit_test(an_access_list_stays_and_none_is_added),
        cmocka_unit_test(links_are_not_followed),
        cmocka_unit_test(what_cannot_be_replaced_without_loss_is_refused),
        cmocka_unit_test(every_failure_leaves_the_old_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
