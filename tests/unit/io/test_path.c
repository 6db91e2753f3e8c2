#include "support.h"

#include "io/file.h"

#include <sys/stat.h>
#include <unistd.h>

static void join(const char *folder, const char *name, const char *want)
{
    char *got;
    assert_ok(f0t_path_join(&got, folder, name));
    assert_string_equal(got, want);
    f0t_free(got);
}

static void a_name_is_put_behind_its_folder(void **state)
{
    (void)state;
    join("a", "b", "a/b");
    join("a/", "b", "a/b");
    join("/", "b", "/b");
    join("", "b", "b");
    join("a", "/b", "/b");
    join("a", "", "a/");
    join("", "", "");
    join("a/b", "../c", "a/b/../c");
}

static void a_path_that_leads_in_a_circle_cannot_be_looked_at(void **state)
{
    const char *circle = test_path("circle");
    bool there;
    (void)state;
    assert_int_equal(symlink("circle", circle), 0);
    assert_fails(F0T_ERROR_IO, "circle: cannot be looked at", f0t_path_look(&there, circle));
    assert_int_equal(unlink(circle), 0);
}

static f0t_status join_again(void *context)
{
    char *got;
    (void)context;
    F0T_TRY(f0t_path_join(&got, "a", "b"));
    f0t_free(got);
    return F0T_OK;
}

static void no_memory_is_said(void **state)
{
    (void)state;
    test_each_fault(F0T_FAULT_ALLOC, join_again, NULL);
}

static void folders_are_made_and_known(void **state)
{
    (void)state;
    const char *folder = test_path("folder"), *file = test_text("file", "x");
    assert_false(f0t_path_exists(folder));
    assert_false(f0t_path_is_folder(folder));
    assert_ok(f0t_folder_create(folder));
    assert_ok(f0t_folder_create(folder));
    assert_true(f0t_path_exists(folder) && f0t_path_is_folder(folder));
    assert_true(f0t_path_exists(file) && !f0t_path_is_folder(file));
    assert_true(f0t_path_is_file(file) && !f0t_path_is_file(folder));
    assert_false(f0t_path_is_file("/dev/null") || f0t_path_is_file(test_path("nothing")));
    assert_fails(F0T_ERROR_IO, "file: the folder cannot be made: File exists",
                 f0t_folder_create(file));
    assert_fails(F0T_ERROR_NOT_FOUND, "cannot be made", f0t_folder_create(test_path("no/folder")));
}

/* What the system cannot tell of is no reason to go on as if it were not there. */
static void what_cannot_be_looked_at_is_told(void **state)
{
    const char *loop = test_path("loop");
    bool there;
    (void)state;
    assert_int_equal(symlink("loop", loop), 0); /* to itself */
    assert_fails(F0T_ERROR_IO, "loop: cannot be looked at: ", f0t_path_look(&there, loop));
    assert_false(there);
    assert_true(f0t_path_exists(loop) && f0t_path_is_file(loop)); /* opening it says why */
    assert_ok(f0t_path_look(&there, test_path("nothing")));
    assert_false(there);
    assert_ok(f0t_path_look(&there, test_text("something", "x")));
    assert_true(there);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_name_is_put_behind_its_folder),
        cmocka_unit_test(a_path_that_leads_in_a_circle_cannot_be_looked_at),
        cmocka_unit_test(no_memory_is_said),
        cmocka_unit_test(folders_are_made_and_known),
        cmocka_unit_test(what_cannot_be_looked_at_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
