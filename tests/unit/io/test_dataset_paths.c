#include "support.h"

#include "base/fault.h"
#include "io/dataset.h"

#include <string.h>
#include <sys/stat.h>

static void add(f0t_paths *paths, const char *path)
{
    assert_ok(f0t_paths_add(paths, path, strlen(path)));
}

static void a_tag_has_its_first_path(void **state)
{
    f0t_paths paths = {0}, copy = {0};
    (void)state;
    add(&paths, "People|woman");
    add(&paths, "Family|woman");
    add(&paths, "sea"); /* no path */
    add(&paths, "Places|");
    add(&paths, "a|b|K\xC3\xB6ln");
    assert_ok(f0t_paths_copy(&copy, &paths));
    f0t_paths_free(&paths);
    assert_string_equal(f0t_paths_find(&copy, "woman"), "People|woman");
    assert_string_equal(f0t_paths_find(&copy, "K\xC3\xB6ln"), "a|b|K\xC3\xB6ln");
    assert_null(f0t_paths_find(&copy, "sea"));
    assert_null(f0t_paths_find(&copy, ""));
    f0t_paths_free(&copy);
}

static void what_is_no_line_of_text_is_refused(void **state)
{
    f0t_paths paths = {0};
    (void)state;
    assert_fails(F0T_ERROR_FORMAT, "the path of a tag: a control character",
                 f0t_paths_add(&paths, "a|b\n", 4));
    assert_fails(F0T_ERROR_FORMAT, "UTF-8", f0t_paths_add(&paths, "a|\xFF", 3));
    f0t_paths_free(&paths);
}

static void a_dataset_with_such_a_line_is_refused(void **state)
{
    char line[5000];
    f0t_dataset *d;
    (void)state;
    assert_int_equal(mkdir(test_path("photos"), 0777), 0);
    test_text("photos/tags.txt", "sea\nsky\n");
    test_text("photos/paths.txt", "Places|sea\na|\x01|b\n");
    assert_fails(F0T_ERROR_FORMAT, "paths.txt:2: a control character",
                 f0t_dataset_open(&d, test_path("photos"), NULL, NULL));
    memset(line, 'a', sizeof line - 1);
    line[sizeof line - 1] = 0;
    line[1] = '|';
    test_text("photos/paths.txt", line);
    assert_fails(F0T_ERROR_FORMAT, "paths.txt:1: is no path of a tag",
                 f0t_dataset_open(&d, test_path("photos"), NULL, NULL));
}

static f0t_status add_one(void *context)
{
    f0t_paths paths = {0};
    (void)context;
    f0t_status status = f0t_paths_add(&paths, "a|b", 3);
    f0t_paths_free(&paths);
    return status;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    test_each_fault(F0T_FAULT_ALLOC, add_one, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_tag_has_its_first_path),
        cmocka_unit_test(what_is_no_line_of_text_is_refused),
        cmocka_unit_test(a_dataset_with_such_a_line_is_refused),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
