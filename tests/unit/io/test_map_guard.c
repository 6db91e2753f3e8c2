/* A mapped file that another program makes shorter: an error where it is read, and the process lives. */
#include "support.h"

#include "io/map_guard.h"
#include "io/npy.h"
#include "io/safetensors.h"

#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LARGE = F0T_MAP_COPIED + (1 << 20) };

/* A file of so many bytes whose last is 7; most of it a hole. */
static const char *make_large(const char *name, const void *begin, size_t length)
{
    const char *path = test_file(name, begin, length);
    const int fd = open(path, O_WRONLY | O_CLOEXEC);
    assert_true(fd >= 0);
    assert_int_equal(pwrite(fd, "\7", 1, LARGE - 1), 1);
    close(fd);
    return path;
}

static bool has_handler(void)
{
    struct sigaction now;
    assert_int_equal(sigaction(SIGBUS, NULL, &now), 0);
    return now.sa_flags & SA_SIGINFO;
}

static void a_small_file_is_copied(void **state)
{
    (void)state;
    f0t_map map;
    char path[512];
    snprintf(path, sizeof path, "%s", test_file("small", "abc", 3));
    assert_ok(f0t_map_open(&map, path));
    assert_int_equal(truncate(path, 0), 0);
    assert_memory_equal(map.data, "abc", 3);
    assert_ok(f0t_map_check(&map, path));
    assert_null(map.guard);
    f0t_map_close(&map);
}

static void what_is_gone_reads_as_zeros_and_is_told(void **state)
{
    (void)state;
    f0t_map map;
    char path[512];
    const bool before = has_handler(); /* a sanitizer's */
    snprintf(path, sizeof path, "%s", make_large("large", "abc", 3));
    assert_ok(f0t_map_open(&map, path));
    assert_non_null(map.guard);
    assert_int_equal(map.data[LARGE - 1], 7);
    assert_ok(f0t_map_check(&map, path));
    assert_int_equal(truncate(path, 4096), 0);
    const volatile unsigned char *bytes = map.data;
    assert_int_equal(bytes[LARGE - 1], 0);
    assert_fails(F0T_ERROR_IO, "another program has made it shorter", f0t_map_check(&map, path));
    assert_int_equal(bytes[5000], 0);
    assert_memory_equal(map.data, "abc", 3);
    f0t_map_close(&map);
    assert_int_equal(has_handler(), before);
}

static void a_cut_within_a_page_is_told(void **state)
{
    (void)state;
    f0t_map map;
    char path[512];
    snprintf(path, sizeof path, "%s", make_large("within", "abc", 3));
    assert_ok(f0t_map_open(&map, path));
    assert_int_equal(truncate(path, LARGE - 1000), 0);
    const volatile unsigned char *bytes = map.data;
    assert_int_equal(bytes[LARGE - 1], 0);
    assert_false(f0t_map_guard_is_cut(map.guard)); /* no fault tells */
    assert_fails(F0T_ERROR_IO, "another program has made it shorter", f0t_map_check(&map, path));
    assert_fails(F0T_ERROR_IO, "another program has made it shorter",
                 f0t_map_finish(&map, path, F0T_ERROR_FORMAT));
    assert_null(map.mapping);
}

static void a_file_that_is_replaced_or_grows_is_whole(void **state)
{
    (void)state;
    f0t_map map;
    char path[512], other[512];
    snprintf(path, sizeof path, "%s", make_large("old", "abc", 3));
    snprintf(other, sizeof other, "%s", test_file("new", "x", 1));
    assert_ok(f0t_map_open(&map, path));
    assert_int_equal(truncate(path, LARGE + 1000), 0);
    assert_ok(f0t_map_check(&map, path));
    assert_int_equal(rename(other, path), 0);
    assert_ok(f0t_map_check(&map, path));
    assert_int_equal(map.data[LARGE - 1], 7);
    assert_ok(f0t_map_finish(&map, path, F0T_OK));
}

static void a_matrix_fails_to_be_read(void **state)
{
    (void)state;
    f0t_npy *npy;
    float row[4];
    char path[512], header[128];
    const size_t rows = (LARGE - sizeof header) / sizeof row;
    memset(header, ' ', sizeof header);
    memcpy(header, "\x93NUMPY\1\0\x76\0", 10);
    const int n = snprintf(header + 10, sizeof header - 10,
                           "{'descr': '<f4', 'fortran_order': False, 'shape': (%zu, 4), }", rows);
    header[10 + n] = ' ';
    header[127] = '\n';
    snprintf(path, sizeof path, "%s", make_large("m.npy", header, sizeof header));
    assert_ok(f0t_npy_open(&npy, path));
    assert_ok(f0t_npy_read_rows(row, npy, rows - 1, 1));
    assert_int_equal(truncate(path, 8192), 0);
    assert_fails(F0T_ERROR_IO, "m.npy: cannot be read to its end",
                 f0t_npy_read_rows(row, npy, rows - 1, 1));
    assert_fails(F0T_ERROR_IO, "m.npy: cannot be read", f0t_npy_read_rows(row, npy, 0, 1));
    f0t_npy_close(npy);
}

static void places_are_used_again(void **state)
{
    (void)state;
    f0t_map_guard *one, *other, *again;
    const char a[8] = "", b[8] = "";
    assert_ok(f0t_map_guard_take(&one, a, sizeof a));
    assert_ok(f0t_map_guard_take(&other, b, sizeof b));
    assert_ptr_not_equal(one, other);
    f0t_map_guard_drop(one);
    assert_ok(f0t_map_guard_take(&again, a, sizeof a));
    assert_ptr_equal(again, one);
    assert_false(f0t_map_guard_is_cut(again));
    f0t_map_guard_drop(again);
    f0t_map_guard_drop(other);
    f0t_map_guard_drop(NULL);
    assert_false(f0t_map_guard_is_cut(NULL));
}

/* ---- What is not ours ------------------------------------------------------------------------------------------- */

static sigjmp_buf back;

static void on_theirs(int number)
{
    siglongjmp(back, number);
}

/* Reads a page that a file does not have any more, in a mapping that nobody watches. */
static void touch_theirs(void)
{
    const int fd = open(make_large("theirs", "a", 1), O_RDWR | O_CLOEXEC);
    const volatile char *theirs = mmap(NULL, 8192, PROT_READ, MAP_PRIVATE, fd, 0);
    assert_ptr_not_equal(theirs, MAP_FAILED);
    assert_int_equal(ftruncate(fd, 0), 0);
    close(fd);
    (void)*theirs;
}

static void other_faults_go_to_the_handler_before(void **state)
{
    (void)state;
    f0t_map map;
    struct sigaction theirs = {.sa_handler = on_theirs}, before, now;
    assert_int_equal(sigaction(SIGBUS, &theirs, &before), 0);
    assert_ok(f0t_map_open(&map, make_large("ours", "a", 1)));
    if (sigsetjmp(back, 1) == 0) {
        touch_theirs();
        fail_msg("no fault");
    }
    f0t_map_close(&map);
    assert_int_equal(sigaction(SIGBUS, &before, &now), 0);
    assert_ptr_equal(now.sa_handler, on_theirs);
}

static void without_a_handler_they_end_the_process(void **state)
{
    (void)state;
    for (int sent = 0; sent < 2; sent++) {
        int status;
        const pid_t child = fork();
        if (child == 0) {
            f0t_map map;
            (void)signal(SIGBUS, SIG_DFL);
            if (f0t_map_open(&map, make_large("ours", "a", 1)) != F0T_OK)
                _exit(1);
            if (sent)
                (void)raise(SIGBUS);
            else
                touch_theirs();
            _exit(2);
        }
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGBUS);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_small_file_is_copied),
        cmocka_unit_test(what_is_gone_reads_as_zeros_and_is_told),
        cmocka_unit_test(a_cut_within_a_page_is_told),
        cmocka_unit_test(a_file_that_is_replaced_or_grows_is_whole),
        cmocka_unit_test(a_matrix_fails_to_be_read),
        cmocka_unit_test(places_are_used_again),
        cmocka_unit_test(other_faults_go_to_the_handler_before),
        cmocka_unit_test(without_a_handler_they_end_the_process),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
