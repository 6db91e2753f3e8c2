#include "support.h"

#include <string.h>

static void tags_are_the_lines_that_are_not_empty(void **state)
{
    const char *path = test_text("t.txt", "\xEF\xBB\xBFpalm tree\r\n\n  dog \t\n\t\ncaf\xC3\xA9");
    f0t_tags *tags;
    (void)state;
    assert_ok(f0t_tags_load(&tags, path, NULL));
    assert_int_equal(tags->count, 3);
    assert_string_equal(tags->items[0], "palm tree");
    assert_string_equal(tags->items[1], "dog");
    assert_string_equal(tags->items[2], "caf\xC3\xA9");
    f0t_tags_free(tags);
    assert_ok(f0t_tags_load(&tags, test_text("empty.txt", ""), NULL));
    assert_int_equal(tags->count, 0);
    f0t_tags_free(tags);
}

static void a_missing_or_binary_file_fails(void **state)
{
    f0t_tags *tags;
    (void)state;
    assert_fails(F0T_ERROR_NOT_FOUND, "nowhere", f0t_tags_load(&tags, "/nowhere/t.txt", NULL));
    assert_null(tags);
    assert_fails(F0T_ERROR_FORMAT, "b:2: a control character",
                 f0t_tags_load(&tags, test_file("b", "dog\na\0b\n", 8), NULL));
}

static void nouns_of_wordnet_are_tags(void **state)
{
    f0t_tags *tags;
    bool dog = false;
    (void)state;
    assert_ok(f0t_tags_from_wordnet(&tags, test_source("wordnet"), NULL));
    for (size_t i = 0; i < tags->count; i++)
        dog = dog || !strcmp(tags->items[i], "dog");
    assert_true(dog);
    f0t_tags_free(tags);
    assert_fails(F0T_ERROR_NOT_FOUND, "wordnet-base",
                 f0t_tags_from_wordnet(&tags, test_path("nowhere"), NULL));
    assert_null(tags);
}

static f0t_status load(void *context)
{
    f0t_tags *tags;
    f0t_status status = f0t_tags_load(&tags, context, NULL);
    f0t_tags_free(tags);
    return status;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    test_each_fault(F0T_FAULT_ALLOC, load,
                    (void *)(uintptr_t)test_text("t.txt", "palm tree\ndog\n"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tags_are_the_lines_that_are_not_empty),
        cmocka_unit_test(a_missing_or_binary_file_fails),
        cmocka_unit_test(nouns_of_wordnet_are_tags),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
