/* Modules that are no modules, or not safe to load: each is refused with a line that says why. */
#include "support.h"

#include "base/module.h"

#include <dlfcn.h>
#include <gnu/libc-version.h>
#include <stdlib.h>
#include <sys/stat.h>

static const char variable[] = "F0T_TEST_MODULE";
static const f0t_module module = {.file = "none-such.so",
                                  .variable = variable,
                                  .what = "the module of a test",
                                  .missing = "is tested, is not installed",
                                  .entry = "f0t_no_such_function"};

static f0t_status load(const char *path)
{
    void *entry = NULL;
    setenv(variable, path, 1);
    f0t_status status = f0t_module_load(&entry, &module);
    assert_null(entry);
    return status;
}

static void a_missing_module_says_what_it_is_for(void **state)
{
    void *entry;
    (void)state;
    unsetenv(variable);
    assert_fails(F0T_ERROR_NOT_FOUND,
                 "the module none-such.so, which is tested, is not installed, or set "
                 "F0T_TEST_MODULE to its path",
                 f0t_module_load(&entry, &module));
}

static void only_a_path_is_loaded(void **state)
{
    (void)state;
    assert_fails(F0T_ERROR_ARGUMENT, "F0T_TEST_MODULE is 'none.so': it must be a path",
                 load("none.so"));
    assert_fails(F0T_ERROR_NOT_FOUND,
                 "the module of a test cannot be loaded: ", load("/nowhere/none.so"));
}

static void what_others_may_write_is_not_loaded(void **state)
{
    const char *path = test_text("open.so", "no code");
    (void)state;
    assert_int_equal(chmod(path, 0666), 0);
    assert_fails(F0T_ERROR_UNSUPPORTED,
                 "is another user's, or others may write it: it is not loaded", load(path));
    assert_int_equal(chmod(path, 0600), 0);
    assert_fails(F0T_ERROR_NOT_FOUND, "the module of a test cannot be loaded: ", load(path));
}

/* The C library, say. */
static void another_library_is_refused(void **state)
{
    Dl_info info;
    union {
        const char *(*function)(void);
        void *address;
    } cast = {.function = gnu_get_libc_version};
    (void)state;
    if (!dladdr(cast.address, &info) || info.dli_fname[0] != '/')
        test_skip("the C library has no path here");
    assert_fails(F0T_ERROR_FORMAT, ": is no module of fast0tag", load(info.dli_fname));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_missing_module_says_what_it_is_for),
        cmocka_unit_test(only_a_path_is_loaded),
        cmocka_unit_test(what_others_may_write_is_not_loaded),
        cmocka_unit_test(another_library_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
