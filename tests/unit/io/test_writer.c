#include "support.h"

#include "base/random.h"
#include "io/file.h"

#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

static void expect(const char *path, const char *text)
{
    size_t size;
    char *got = test_read(path, &size);
    assert_string_equal(got, text);
    f0t_free(got);
}

static f0t_status save_text(void *path)
{
    f0t_writer *w;
    F0T_TRY(f0t_writer_open(&w, path));
    f0t_status status = f0t_writer_printf(w, "%s %d", "new", 7);
    if (status == F0T_OK)
        status = f0t_writer_patch(w, 0, "N", 1);
    if (status == F0T_OK)
        status = f0t_writer_write(w, "!", 1);
    return f0t_writer_finish(w, status);
}

static void a_file_appears_whole_at_commit(void **state)
{
    (void)state;
    const char *path = test_path("a");
    f0t_writer *w;
    assert_ok(f0t_writer_open(&w, path));
    assert_ok(f0t_writer_write(w, "he", 2));
    assert_ok(f0t_writer_write(w, NULL, 0));
    assert_int_equal(f0t_writer_position(w), 2);
    assert_false(f0t_path_exists(path));
    assert_ok(f0t_writer_printf(w, "llo %d", 5));
    assert_ok(f0t_writer_patch(w, 1, "E", 1));
    assert_fails(F0T_ERROR_INTERNAL, "after the end", f0t_writer_patch(w, 7, "xy", 2));
    assert_fails(F0T_ERROR_INTERNAL, "after the end", f0t_writer_patch(w, UINT64_MAX, "xy", 2));
    assert_int_equal(f0t_writer_position(w), 7);
    assert_ok(f0t_writer_commit(w));
    expect(path, "hEllo 5");
    assert_int_equal(test_files_left(), 1);
}

static void an_aborted_file_never_appears(void **state)
{
    (void)state;
    const char *path = test_text("b", "old");
    size_t left = test_files_left();
    f0t_writer *w;
    assert_ok(f0t_writer_open(&w, path));
    assert_ok(f0t_writer_write(w, "new", 3));
    f0t_writer_abort(w);
    f0t_writer_abort(NULL);
    assert_int_equal(f0t_writer_finish(NULL, F0T_ERROR_FORMAT), F0T_ERROR_FORMAT);
    expect(path, "old");
    assert_int_equal(test_files_left(), left);
}

/* Pieces around the size of the buffer. */
static void every_piece_arrives(void **state)
{
    enum { MOST = (1 << 20) + 1 };
    static const size_t pieces[] = {1, MOST - 2, 1, MOST, 5, MOST - 1, 0, 700000, 700000, 3};
    (void)state;
    char *data = malloc(MOST);
    for (size_t i = 0; i < MOST; i++)
        data[i] = (char)(i * 31 >> 3);
    const char *path = test_path("pieces");
    f0t_writer *w;
    assert_ok(f0t_writer_open(&w, path));
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++)
        assert_ok(f0t_writer_write(w, data + MOST - pieces[i], pieces[i]));
    assert_ok(f0t_writer_commit(w));
    size_t size, at = 0;
    char *got = test_read(path, &size);
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; at += pieces[i++])
        assert_true(!memcmp(got + at, data + MOST - pieces[i], pieces[i]));
    assert_int_equal(at, size);
    f0t_free(got);
    free(data);
    remove(path);
}

static void a_formatted_piece_has_a_limit(void **state)
{
    (void)state;
    char text[5000];
    f0t_writer *w;
    memset(text, 'x', sizeof text);
    text[4095] = '\0';
    assert_ok(f0t_writer_open(&w, test_path("printf")));
    assert_ok(f0t_writer_printf(w, "%s", text));
    text[4095] = 'x';
    text[4096] = '\0';
    assert_fails(F0T_ERROR_INTERNAL, "formatted", f0t_writer_printf(w, "%s", text));
    f0t_writer_abort(w);
}

static void every_failed_write_leaves_the_old_file(void **state)
{
    (void)state;
    char path[200];
    for (int kind = 0; kind < F0T_FAULT_KINDS; kind++) {
        snprintf(path, sizeof path, "%s", test_text("c", "old"));
        size_t left = test_files_left();
        for (uint64_t nth = 1;; nth++) {
            f0t_fault_set((f0t_fault)kind, nth);
            f0t_status status = save_text(path);
            f0t_fault_set((f0t_fault)kind, 0);
            assert_int_equal(test_files_left(), left);
            if (status == F0T_OK)
                break;
            expect(path, "old");
        }
        expect(path, "New 7!");
        test_each_fault((f0t_fault)kind, save_text, path);
    }
}

static void a_commit_after_a_failed_write_fails(void **state)
{
    (void)state;
    const char *path = test_text("d", "old");
    f0t_writer *w;
    assert_ok(f0t_writer_open(&w, path));
    assert_ok(f0t_writer_write(w, "abc", 3));
    f0t_fault_set(F0T_FAULT_WRITE, 1);
    assert_fails(F0T_ERROR_IO, "No space", f0t_writer_patch(w, 0, "x", 1));
    f0t_fault_set(F0T_FAULT_WRITE, 0);
    assert_fails(F0T_ERROR_IO, "a write before failed", f0t_writer_commit(w));
    expect(path, "old");
}

static void links_stay_and_modes_are_kept(void **state)
{
    (void)state;
    struct stat info;
    const char *target = test_text("target", "old"), *first = test_path("first"),
               *second = test_path("second"), *loop = test_path("loop");
    chmod(target, 0640);
    assert_int_equal(symlink("target", second), 0);
    assert_int_equal(symlink(second, first), 0);
    assert_int_equal(symlink("loop", loop), 0);
    char path[200];
    snprintf(path, sizeof path, "%s", first);
    assert_ok(save_text(path));
    expect(target, "New 7!");
    assert_true(lstat(first, &info) == 0 && S_ISLNK(info.st_mode));
    assert_true(lstat(second, &info) == 0 && S_ISLNK(info.st_mode));
    assert_true(stat(target, &info) == 0 && (info.st_mode & 0777) == 0640);
    snprintf(path, sizeof path, "%s", loop);
    assert_fails(F0T_ERROR_IO, "loop: cannot be written", save_text(path));
    remove(target); /* a link that points to nothing makes what it points to */
    snprintf(path, sizeof path, "%s", first);
    assert_ok(save_text(path));
    expect(target, "New 7!");
    test_each_fault(F0T_FAULT_ALLOC, save_text, path);
}

static void a_link_in_a_folder_is_refused(void **state)
{
    (void)state;
    f0t_writer *w;
    const char *target = test_text("page", "old");
    assert_int_equal(symlink("page", test_path("to-page")), 0);
    assert_int_equal(symlink("nowhere", test_path("to-nothing")), 0);
    assert_fails(F0T_ERROR_IO,
                 "to-page: is a link, and links in a folder are not followed when writing; remove "
                 "it, or name another folder",
                 f0t_writer_open_nofollow(&w, test_path("to-page")));
    assert_fails(F0T_ERROR_IO, "to-nothing: is a link",
                 f0t_writer_open_nofollow(&w, test_path("to-nothing")));
    assert_ok(f0t_writer_open_nofollow(&w, test_path("plain")));
    assert_int_equal(symlink("page", test_path("plain")), 0); /* in the last moment */
    assert_ok(f0t_writer_write(w, "new", 3));
    assert_ok(f0t_writer_commit(w));
    expect(test_path("plain"), "new");
    expect(target, "old");
}

/* Of the one temporary file in this folder; 0 where there is none. */
static mode_t temporary_mode(const char *path)
{
    struct stat info = {0};
    DIR *folder = opendir(path);
    assert_non_null(folder);
    for (const struct dirent *entry; (entry = readdir(folder));)
        if (f0t_name_is_temporary(entry->d_name))
            assert_int_equal(fstatat(dirfd(folder), entry->d_name, &info, 0), 0);
    closedir(folder);
    return info.st_mode & 0777;
}

/* Before its first byte, whatever the umask, and whatever is there. */
static void a_private_file_is_never_others_to_read(void **state)
{
    static const mode_t masks[] = {0, 0277};
    f0t_writer *w;
    struct stat info;
    (void)state;
    assert_int_equal(mkdir(test_path("own"), 0700), 0);
    for (size_t k = 0; k < 2; k++) {
        const char *path = test_text("own/private", "old");
        assert_int_equal(chmod(path, 0666), 0);
        const mode_t before = umask(masks[k]);
        const f0t_status status = f0t_writer_open_private(&w, path);
        umask(before);
        assert_ok(status);
        assert_int_equal(temporary_mode(test_path("own")), 0600);
        assert_ok(f0t_writer_write(w, "new", 3));
        assert_ok(f0t_writer_commit(w));
        expect(test_path("own/private"), "new");
        assert_int_equal(stat(test_path("own/private"), &info), 0);
        assert_int_equal(info.st_mode & 0777, 0600);
    }
    assert_fails(F0T_ERROR_NOT_FOUND, "cannot be written",
                 f0t_writer_open_private(&w, test_path("missing/private")));
}

static void what_is_no_file_is_not_replaced(void **state)
{
    (void)state;
    struct stat info;
    char path[200] = "/dev/null";
    assert_fails(F0T_ERROR_IO, "is not a regular file", save_text(path));
    assert_true(stat(path, &info) == 0 && S_ISCHR(info.st_mode));
    snprintf(path, sizeof path, "%s", test_path("."));
    assert_fails(F0T_ERROR_IO, "is a folder", save_text(path));
    snprintf(path, sizeof path, "%s", test_path("no/where"));
    assert_fails(F0T_ERROR_NOT_FOUND, "no/where", save_text(path));
}

static void leftovers_of_a_killed_process_are_no_hindrance(void **state)
{
    (void)state;
    char path[200], name[300], next[F0T_TEMPORARY_SIZE];
    unsigned number;
    snprintf(path, sizeof path, "%s", test_path("again"));
    f0t_temporary_name(next);
    assert_true(f0t_name_is_temporary(next));
    assert_int_equal(sscanf(next, ".fast0tag-%*d-%u.tmp", &number), 1);
    for (unsigned i = number + 1; i < number + 200; i++) {
        snprintf(name, sizeof name, ".fast0tag-%ld-%u.tmp", (long)getpid(), i);
        test_text(name, "left");
    }
    assert_ok(save_text(path));
    expect(path, "New 7!");
    snprintf(name, sizeof name, ".fast0tag-%ld-%u.tmp", (long)getpid(), number + 1);
    expect(test_path(name), "left");
    assert_false(f0t_name_is_temporary("again.1-2.tmp"));
    assert_false(f0t_name_is_temporary(".fast0tag-.tmp"));
    assert_false(f0t_name_is_temporary(".fast0tag-1-2.jpg"));
}

/* The temporary name must not be longer than what it stands for. */
static void the_longest_names_can_be_written(void **state)
{
    (void)state;
    char name[256], path[600];
    memset(name, 'n', 255);
    name[255] = '\0';
    snprintf(path, sizeof path, "%s", test_path(name));
    assert_ok(save_text(path));
    assert_ok(save_text(path));
    expect(path, "New 7!");
    remove(path);
}

/* Whoever may not read the old file must not be able to read the new one, at no moment. */
static void nobody_else_reads_a_private_file_while_it_is_written(void **state)
{
    (void)state;
    struct stat info;
    char path[200];
    f0t_writer *w;
    snprintf(path, sizeof path, "%s", test_text("private", "old"));
    chmod(path, 0600);
    const mode_t before = umask(0);
    assert_ok(f0t_writer_open(&w, path));
    umask(before);
    char next[F0T_TEMPORARY_SIZE], name[300];
    unsigned number;
    f0t_temporary_name(next);
    assert_int_equal(sscanf(next, ".fast0tag-%*d-%u.tmp", &number), 1);
    snprintf(name, sizeof name, ".fast0tag-%ld-%u.tmp", (long)getpid(), number - 1);
    assert_int_equal(stat(test_path(name), &info), 0);
    assert_int_equal(info.st_mode & 0777, 0600);
    f0t_writer_abort(w);
}

static void an_owner_and_attributes_are_kept(void **state)
{
    (void)state;
    struct stat info;
    char path[200], value[8];
    snprintf(path, sizeof path, "%s", test_text("owned", "old"));
    const bool root = chown(path, 12345, 54321) == 0;
    const bool attributes = setxattr(path, "user.rating", "five", 4, 0) == 0;
    assert_ok(save_text(path));
    assert_int_equal(stat(path, &info), 0);
    if (root)
        assert_true(info.st_uid == 12345 && info.st_gid == 54321);
    if (attributes)
        assert_int_equal(getxattr(path, "user.rating", value, sizeof value), 4);
    if (!root && !attributes)
        test_skip("neither owners nor attributes can be set here");
}

/* ---- A save that is killed ----------------------------------------------------------------- */

enum { VERSION_SIZE = 3 << 20 }; /* a few system calls each */

static void save_version(const char *path, unsigned char version)
{
    static unsigned char block[1 << 16];
    f0t_writer *w;
    memset(block, version, sizeof block);
    if (f0t_writer_open(&w, path) != F0T_OK)
        _exit(1);
    for (size_t done = 0; done < VERSION_SIZE; done += sizeof block)
        if (f0t_writer_write(w, block, sizeof block) != F0T_OK)
            _exit(1);
    if (f0t_writer_commit(w) != F0T_OK)
        _exit(1);
}

static void a_save_that_is_killed_at_any_moment_leaves_a_whole_file(void **state)
{
    enum { KILLS = 40 };
    (void)state;
    const char *path = test_path("killed");
    bool versions[256] = {false};
    f0t_random random = {(uint64_t)getpid(), 0};
    uint64_t longest =
        20 * 1000 * 1000; /* nanoseconds; longer where a save takes longer, on a busy disk */
    save_version(path, 0);
    for (unsigned k = 0; k < KILLS; k++) {
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0)
            for (unsigned v = k + 1;; v++)
                save_version(path, (unsigned char)v);
        struct timespec pause = {0, (long)f0t_random_below(&random, k, longest)};
        nanosleep(&pause, NULL);
        kill(child, SIGKILL);
        int status;
        assert_true(waitpid(child, &status, 0) == child && WIFSIGNALED(status));
        size_t size;
        unsigned char *got = (unsigned char *)test_read(path, &size);
        assert_int_equal(size, VERSION_SIZE);
        for (size_t i = 0; i < size; i++)
            assert_true(got[i] == got[0]);
        versions[got[0]] = true;
        if (got[0] == 0 && longest < 500 * 1000 * 1000)
            longest += longest / 2;
        f0t_free(got);
    }
    size_t different = 0;
    for (size_t v = 0; v < 256; v++)
        different += versions[v];
    assert_true(different > 1); /* some of the saves went through */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_appears_whole_at_commit),
        cmocka_unit_test(an_aborted_file_never_appears),
        cmocka_unit_test(every_piece_arrives),
        cmocka_unit_test(a_formatted_piece_has_a_limit),
        cmocka_unit_test(every_failed_write_leaves_the_old_file),
        cmocka_unit_test(a_commit_after_a_failed_write_fails),
        cmocka_unit_test(links_stay_and_modes_are_kept),
        cmocka_unit_test(a_link_in_a_folder_is_refused),
        cmocka_unit_test(a_private_file_is_never_others_to_read),
        cmocka_unit_test(what_is_no_file_is_not_replaced),
        cmocka_unit_test(leftovers_of_a_killed_process_are_no_hindrance),
        cmocka_unit_test(the_longest_names_can_be_written),
        cmocka_unit_test(nobody_else_reads_a_private_file_while_it_is_written),
        cmocka_unit_test(an_owner_and_attributes_are_kept),
        cmocka_unit_test(a_save_that_is_killed_at_any_moment_leaves_a_whole_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
