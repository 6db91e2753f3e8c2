#include "support.h"

#include "base/companion.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char variable[] = "F0T_TEST_COMPANION";

static void the_environment_comes_first(void **state)
{
    char *path;
    (void)state;
    setenv(variable, "/nowhere/at all", 1);
    assert_ok(f0t_companion_find(&path, "fast0tag-picture", variable, X_OK));
    assert_string_equal(path, "/nowhere/at all");
    f0t_free(path);
}

/* The programs of the tests are below the folder with what is built. */
static void what_lies_beside_the_program_is_found(void **state)
{
    char *path;
    (void)state;
    setenv(variable, "", 1);
    assert_ok(f0t_companion_find(&path, "unit_base", variable, X_OK));
    assert_non_null(path);
    assert_int_equal(access(path, X_OK), 0);
    f0t_free(path);
    unsetenv(variable);
    assert_ok(f0t_companion_find(&path, "build.ninja", variable, R_OK));
    assert_true(path && strstr(path, "/../build.ninja"));
    f0t_free(path);
}

static void what_is_not_there_is_null(void **state)
{
    char *path, long_name[5000];
    (void)state;
    assert_ok(f0t_companion_find(&path, "no such companion", variable, R_OK));
    assert_null(path);
    assert_ok(f0t_companion_find(&path, "build.ninja", variable, X_OK));
    assert_null(path);
    memset(long_name, 'x', sizeof long_name - 1);
    long_name[sizeof long_name - 1] = 0;
    assert_ok(f0t_companion_find(&path, long_name, variable, R_OK));
    assert_null(path);
}

static f0t_status find_it(void *context)
{
    char *path = NULL;
    (void)context;
    F0T_TRY(f0t_companion_find(&path, "unit_base", variable, X_OK));
    f0t_free(path);
    return F0T_OK;
}

static void no_memory_is_a_failure(void **state)
{
    (void)state;
    test_each_fault(F0T_FAULT_ALLOC, find_it, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_environment_comes_first),
        cmocka_unit_test(what_lies_beside_the_program_is_found),
        cmocka_unit_test(what_is_not_there_is_null),
        cmocka_unit_test(no_memory_is_a_failure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
