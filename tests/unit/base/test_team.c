#include "support.h"

#include "base/team.h"

#include <dirent.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { ROUNDS = 20, MILLISECONDS = 20 };

static double processor_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* What the test below starts: a team of two of whom one comes late, again and again. Prints the share
 * of the time that the other one spun. */
static int wait_for_each_other(void)
{
    test_threads(2);
    const int threads = f0t_team_size();
    (void)threads;
    const double begin = processor_seconds();
    for (int i = 0; i < ROUNDS; i++) {
#pragma omp parallel num_threads(threads)
        if (f0t_team_member() == i % 2)
            usleep(MILLISECONDS * 1000);
    }
    printf("%g\n", (processor_seconds() - begin) / (ROUNDS * MILLISECONDS * 1e-3));
    return 0;
}

/* In a process of its own: libgomp has read the environment of this one. */
static double share_that_spins(char *policy)
{
    char text[64] = "", *env[] = {policy, NULL};
    char *argv[] = {(char[]){"unit_base"}, (char[]){"team"}, (char[]){"wait"}, NULL};
    int pipes[2], status;
    pid_t child;
    posix_spawn_file_actions_t actions;
    assert_int_equal(pipe(pipes), 0);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, pipes[1], STDOUT_FILENO);
    assert_int_equal(posix_spawn(&child, "/proc/self/exe", &actions, NULL, argv, env), 0);
    posix_spawn_file_actions_destroy(&actions);
    close(pipes[1]);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(read(pipes[0], text, sizeof text - 1) > 0);
    close(pipes[0]);
    assert_int_equal(status, 0);
    return strtod(text, NULL);
}

static void threads_that_wait_leave_the_processor_to_others(void **state)
{
    (void)state;
    assert_true(share_that_spins((char[]){"OMP_WAIT_POLICY=active"}) < 0.2);
    assert_true(share_that_spins((char[]){"GOMP_SPINCOUNT=infinite"}) < 0.2);
    assert_true(share_that_spins((char[]){"OMP_DYNAMIC=true"}) < 0.2);
    assert_true(share_that_spins((char[]){"NOTHING=set"}) < 0.2);
}

static void a_team_is_as_large_as_the_library_was_told(void **state)
{
    (void)state;
    test_threads(3);
#ifdef _OPENMP
    assert_int_equal(f0t_team_size(), 3);
    int inside = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
    inside = f0t_team_size();
    assert_int_equal(inside, 1);
#else
    assert_int_equal(f0t_team_size(), 1);
#endif
    test_threads(0);
}

#ifdef _OPENMP

static int count_threads(void)
{
    DIR *tasks = opendir("/proc/self/task");
    int count = 0;
    assert_non_null(tasks);
    for (const struct dirent *one; (one = readdir(tasks));)
        count += one->d_name[0] != '.';
    closedir(tasks);
    return count;
}

/* Threads that have ended are counted until the kernel has removed them. */
static bool come_to(int count)
{
    for (int i = 0; i < 5000 && count_threads() != count; i++)
        usleep(1000);
    return count_threads() == count;
}

#endif

/* The team that makes waits short has more threads than there are CPUs, and the one that opened it. */
static void work_of_many_regions_dismisses_the_team_that_sleeps(void **state)
{
    (void)state;
#ifdef _OPENMP
    test_threads(2);
    assert_int_equal(f0t_team_size(), 2);
    const int before = count_threads();
    const bool outer = f0t_team_wake();
    assert_true(outer);
    const int during = before - omp_get_num_procs() - 1;
    assert_true(come_to(during));
    const bool inner = f0t_team_wake();
    f0t_team_rest(inner);
    assert_int_equal(f0t_team_size(), 2);
    assert_int_equal(count_threads(), during);
    f0t_team_rest(outer);
    assert_int_equal(f0t_team_size(), 2);
    assert_int_equal(count_threads(), during); /* more such work may follow soon */
    usleep(1100 * 1000);
    assert_int_equal(f0t_team_size(), 2);
    assert_true(come_to(before));
    test_threads(1);
    assert_false(f0t_team_wake());
    test_threads(0);
#else
    assert_false(f0t_team_wake());
#endif
}

static int count_members(void)
{
    int members = 0;
    const int threads = f0t_team_size();
    (void)threads;
#ifdef _OPENMP
#pragma omp parallel num_threads(threads) reduction(+ : members)
#endif
    members += 1;
    return members;
}

/* The threads of a team stay with the parent: a child that waited for them would wait for ever. */
static void a_child_goes_on_alone(void **state)
{
    int status;
    (void)state;
    test_threads(2);
    const int before = count_members();
    assert_int_equal(before, f0t_team_size());
    const pid_t child = fork();
    if (child == 0) {
        alarm(20);
        _exit(count_members() == 1 ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_int_equal(count_members(), before);
    test_threads(0);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_that_wait_leave_the_processor_to_others),
        cmocka_unit_test(a_team_is_as_large_as_the_library_was_told),
        cmocka_unit_test(work_of_many_regions_dismisses_the_team_that_sleeps),
        cmocka_unit_test(a_child_goes_on_alone),
    };
    if (argc > 1 && !strcmp(argv[1], "wait"))
        return wait_for_each_other();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
