#include "support.h"

#include "base/cpu.h"

#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

/* The level is asked for once a process: each case is a child. */
static int level_with(const char *limit)
{
    int status;
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        if (limit)
            setenv("F0T_MAX_CPU", limit, 1);
        else
            unsetenv("F0T_MAX_CPU");
        _exit(f0t_cpu_level() == f0t_cpu_level() ? (int)f0t_cpu_level() : 99);
    }
    assert_true(waitpid(child, &status, 0) == child && WIFEXITED(status));
    return WEXITSTATUS(status);
}

static void the_environment_lowers_the_level(void **state)
{
    (void)state;
    int best = level_with(NULL);
    assert_true(best < F0T_CPU_LEVELS);
    assert_int_equal(level_with("v1"), F0T_CPU_BASE);
    assert_int_equal(level_with("v3"), best < F0T_CPU_WIDE ? best : F0T_CPU_WIDE);
    assert_int_equal(level_with("v4"), best);
    assert_int_equal(level_with("base"), F0T_CPU_BASE);
    assert_int_equal(level_with("wide"), level_with("v3"));
    assert_int_equal(level_with("widest"), best);
    assert_int_equal(level_with("nonsense"), best);
}

static void the_level_is_what_the_cpu_has(void **state)
{
    (void)state;
#if defined(__x86_64__)
    __builtin_cpu_init();
    int best = level_with(NULL);
    assert_true(best < F0T_CPU_WIDE || __builtin_cpu_supports("avx2"));
    assert_true(best < F0T_CPU_WIDEST || __builtin_cpu_supports("avx512vl"));
#else
    assert_int_equal(level_with(NULL), F0T_CPU_BASE);
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_environment_lowers_the_level),
        cmocka_unit_test(the_level_is_what_the_cpu_has),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
