/* A mapped file that another program makes shorter: an error where it is read, and the process lives. */
#include "support.h"

#include "io/map_guard.h"
#include "io/npy.h"
#include "io/safetensors.h"

#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
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

/* What becomes of a child that runs `act` while a large file is open, with that handler before ours. */
static int end_of_child(const struct sigaction *theirs, void (*act)(void))
{
    int status;
    const pid_t child = fork();
    if (child == 0) {
        f0t_map map;
        (void)alarm(20); /* a fault without end */
        (void)sigaction(SIGBUS, theirs, NULL);
        if (f0t_map_open(&map, make_large("ours", "a", 1)) != F0T_OK)
            _exit(1);
        act();
        _exit(has_handler() ? 2 : 3);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return status;
}

static void send(void)
{
    (void)kill(getpid(), SIGBUS);
}

static void without_a_handler_they_end_the_process(void **state)
{
    (void)state;
    const struct sigaction none = {.sa_handler = SIG_DFL};
    const int touched = end_of_child(&none, touch_theirs), sent = end_of_child(&none, send);
    assert_true(WIFSIGNALED(touched) && WTERMSIG(touched) == SIGBUS);
    assert_true(WIFSIGNALED(sent) && WTERMSIG(sent) == SIGBUS);
}

static void ignored_ones_are_ignored_but_for_faults(void **state)
{
    (void)state;
    const struct sigaction ignored = {.sa_handler = SIG_IGN};
    const int touched = end_of_child(&ignored, touch_theirs), sent = end_of_child(&ignored, send);
    assert_true(WIFSIGNALED(touched) && WTERMSIG(touched) == SIGBUS);
    assert_true(WIFEXITED(sent) && WEXITSTATUS(sent) == 2); /* ours is there still */
}

static volatile sig_atomic_t called;

static void count_calls(int number)
{
    (void)number;
    if (++called > 1)
        _exit(4);
}

static void send_once(void)
{
    send();
    if (called != 1)
        _exit(5);
}

static void send_twice(void)
{
    send_once();
    send();
}

static void a_handler_for_once_is_called_once(void **state)
{
    (void)state;
    struct sigaction once = {.sa_handler = count_calls};
    once.sa_flags = (int)SA_RESETHAND;
    const int touched = end_of_child(&once, touch_theirs), sent = end_of_child(&once, send_once),
              twice = end_of_child(&once, send_twice);
    assert_true(WIFSIGNALED(touched) && WTERMSIG(touched) == SIGBUS);
    assert_true(WIFEXITED(sent) && WEXITSTATUS(sent) == 2);
    assert_true(WIFSIGNALED(twice) && WTERMSIG(twice) == SIGBUS);
}

/* ---- Forks ------------------------------------------------------------------------------------------------------ */

static atomic_bool enough;

static void *take_and_drop(void *user)
{
    static const char bytes[8];
    while (!atomic_load(&enough)) {
        f0t_map_guard *g;
        if (f0t_map_guard_take(&g, bytes, sizeof bytes) != F0T_OK)
            return user;
        f0t_map_guard_drop(g);
    }
    return NULL;
}

static void a_child_is_not_locked_out(void **state)
{
    (void)state;
    pthread_t thread;
    void *failed;
    assert_int_equal(pthread_create(&thread, NULL, take_and_drop, &enough), 0);
    for (int i = 0; i < 20; i++) {
        int status;
        const pid_t child = fork();
        if (child == 0) {
            f0t_map_guard *g = NULL;
            (void)alarm(20);
            const bool taken = f0t_map_guard_take(&g, &status, sizeof status) == F0T_OK;
            f0t_map_guard_drop(g);
            _exit(!taken);
        }
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
    atomic_store(&enough, true);
    assert_int_equal(pthread_join(thread, &failed), 0);
    assert_null(failed);
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
        cmocka_unit_test(ignored_ones_are_ignored_but_for_faults),
        cmocka_unit_test(a_handler_for_once_is_called_once),
        cmocka_unit_test(a_child_is_not_locked_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
