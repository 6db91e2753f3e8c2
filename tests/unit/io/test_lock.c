#include "support.h"

#include "io/lock.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static bool is_there(const char *path)
{
    return access(path, F_OK) == 0;
}

static void one_holds_it_at_a_time(void **state)
{
    f0t_lock first, second;
    const char *path = test_path("kept"), *file = test_path("kept.lock");
    (void)state;
    assert_ok(f0t_lock_take(&first, path));
    assert_true(is_there(file));
    assert_fails(F0T_ERROR_IO, "kept: another process works with it", f0t_lock_take(&second, path));
    f0t_lock_release(&second);
    assert_true(is_there(file));
    f0t_lock_release(&first);
    f0t_lock_release(&first);
    assert_false(is_there(file));
    assert_ok(f0t_lock_take(&second, path));
    f0t_lock_release(&second);
}

/* The other process takes the lock, says so, and waits to be killed. */
static void hold(const char *path, int said)
{
    f0t_lock lock;
    if (f0t_lock_take(&lock, path) != F0T_OK || write(said, "x", 1) != 1)
        _exit(1);
    for (;;)
        pause();
}

static void a_killed_process_holds_nothing(void **state)
{
    f0t_lock lock;
    int said[2], status;
    char byte;
    const char *path = test_path("killed");
    (void)state;
    assert_int_equal(pipe(said), 0);
    pid_t child = fork();
    if (child == 0)
        hold(path, said[1]);
    assert_int_equal(read(said[0], &byte, 1), 1);
    assert_fails(F0T_ERROR_IO, "another process", f0t_lock_take(&lock, path));
    kill(child, SIGKILL);
    waitpid(child, &status, 0);
    assert_true(is_there(test_path("killed.lock")));
    assert_ok(f0t_lock_take(&lock, path));
    f0t_lock_release(&lock);
    close(said[0]);
    close(said[1]);
}

static void what_is_not_ours_is_left_alone(void **state)
{
    f0t_lock lock;
    size_t size;
    (void)state;
    const char *file = test_text("foreign.lock", "precious");
    assert_fails(F0T_ERROR_IO, "foreign.lock: is no lock",
                 f0t_lock_take(&lock, test_path("foreign")));
    f0t_lock_release(&lock);
    char *text = test_read(file, &size);
    assert_string_equal(text, "precious");
    f0t_free(text);
    assert_int_equal(symlink("elsewhere", test_path("linked.lock")), 0);
    assert_fails(F0T_ERROR_IO, "linked.lock: is no lock",
                 f0t_lock_take(&lock, test_path("linked")));
    assert_false(is_there(test_path("elsewhere")));
}

static f0t_status take_and_release(void *context)
{
    f0t_lock lock;
    (void)context;
    f0t_status status = f0t_lock_take(&lock, test_path("faulty"));
    f0t_lock_release(&lock);
    return status;
}

static void failures_are_told(void **state)
{
    f0t_lock lock;
    (void)state;
    assert_fails(F0T_ERROR_NOT_FOUND, "/nowhere/at/all: cannot be written",
                 f0t_lock_take(&lock, "/nowhere/at/all"));
    test_each_fault(F0T_FAULT_ALLOC, take_and_release, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_holds_it_at_a_time),
        cmocka_unit_test(a_killed_process_holds_nothing),
        cmocka_unit_test(what_is_not_ours_is_left_alone),
        cmocka_unit_test(failures_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
