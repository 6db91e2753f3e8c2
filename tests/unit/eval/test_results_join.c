#include "support.h"

#include "fast0tag_tools.h"

#include <stdio.h>
#include <string.h>

static const char HEAD[] = "{\"identity\":\"1\"}\n";

static const char *write_part(const char *name, const char *head, const char *lines)
{
    char text[400];
    snprintf(text, sizeof text, "%s%s", head, lines);
    return test_text(name, text);
}

static void lines_are_joined_once_each(void **state)
{
    (void)state;
    const char *parts[] = {write_part("one", HEAD, "a\nb\n"), test_path("missing"),
                           write_part("two", HEAD, "b\nc\n")};
    const char *path = test_path("joined");
    char text[100] = "";
    for (int again = 0; again < 2; again++) {
        assert_ok(f0t_eval_join_results(path, parts, 3));
        FILE *file = fopen(path, "r");
        assert_non_null(file);
        text[fread(text, 1, sizeof text - 1, file)] = 0;
        fclose(file);
        assert_string_equal(text, "{\"identity\":\"1\"}\na\nb\nc\n");
    }
}

static void nothing_comes_of_nothing(void **state)
{
    (void)state;
    const char *parts[] = {test_path("missing")};
    const char *path = test_path("never-made");
    assert_ok(f0t_eval_join_results(path, parts, 1));
    assert_null(fopen(path, "r"));
}

static void another_comparison_is_refused(void **state)
{
    (void)state;
    const char *parts[] = {write_part("this", HEAD, "a\n"),
                           write_part("that", "{\"identity\":\"2\"}\n", "b\n")};
    assert_fails(F0T_ERROR_MISMATCH, "that: has results of another comparison",
                 f0t_eval_join_results(test_path("both"), parts, 2));
    assert_null(fopen(test_path("both"), "r"));
}

static f0t_status join_once(void *context)
{
    return f0t_eval_join_results(test_path("faulty"), context, 1);
}

static void missing_memory_is_told(void **state)
{
    (void)state;
    const char *parts[] = {write_part("whole", HEAD, "a\nb\n")};
    test_each_fault(F0T_FAULT_ALLOC, join_once, parts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_are_joined_once_each),
        cmocka_unit_test(nothing_comes_of_nothing),
        cmocka_unit_test(another_comparison_is_refused),
        cmocka_unit_test(missing_memory_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
