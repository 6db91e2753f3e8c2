#include "support.h"

#include "io/dataset_names.h"

#include <stdio.h>
#include <string.h>

static void names_are_numbered_in_the_order_they_came(void **state)
{
    f0t_names names = {0};
    uint32_t index;
    bool added;
    (void)state;
    assert_ok(f0t_names_add(&names, "dog", 3, &index, &added));
    assert_true(added && index == 0);
    assert_ok(f0t_names_add(&names, "cat", 3, &index, &added));
    assert_true(added && index == 1);
    assert_ok(f0t_names_add(&names, "dogs", 3, &index, &added));
    assert_true(!added && index == 0);
    assert_ok(f0t_names_add(&names, "", 0, &index, NULL));
    assert_int_equal(index, 2);
    assert_int_equal(f0t_names_count(&names), 3);
    assert_string_equal(f0t_names_get(&names, 1), "cat");
    assert_false(f0t_names_find(&names, "do", 2, &index));
    assert_true(f0t_names_find(&names, "", 0, &index));
    assert_int_equal(index, 2);
    f0t_names_free(&names);
}

static void many_names_are_all_found_again(void **state)
{
    enum { COUNT = 20000 };
    f0t_names names = {0};
    char text[32];
    uint32_t index;
    (void)state;
    for (uint32_t i = 0; i < COUNT; i++) {
        int n = snprintf(text, sizeof text, "word %u", i * 7919u);
        assert_ok(f0t_names_add(&names, text, (size_t)n, &index, NULL));
        assert_int_equal(index, i);
    }
    for (uint32_t i = 0; i < COUNT; i++) {
        int n = snprintf(text, sizeof text, "word %u", i * 7919u);
        assert_true(f0t_names_find(&names, text, (size_t)n, &index));
        assert_int_equal(index, i);
        assert_string_equal(f0t_names_get(&names, i), text);
    }
    assert_false(f0t_names_find(&names, "word", 4, &index));
    f0t_names_free(&names);
}

static void an_empty_list_finds_nothing(void **state)
{
    f0t_names names = {0};
    uint32_t index;
    (void)state;
    assert_false(f0t_names_find(&names, "x", 1, &index));
    f0t_names_free(&names);
}

static void texts_may_repeat_and_know_their_length(void **state)
{
    f0t_texts texts = {0};
    (void)state;
    assert_ok(f0t_texts_add(&texts, "ab", 2));
    assert_ok(f0t_texts_add(&texts, "ab", 2));
    assert_ok(f0t_texts_add(&texts, "", 0));
    assert_int_equal(texts.count, 3);
    assert_int_equal(f0t_texts_length(&texts, 1), 2);
    assert_int_equal(f0t_texts_length(&texts, 2), 0);
    assert_string_equal(f0t_texts_get(&texts, 1), "ab");
    f0t_texts_free(&texts);
}

static f0t_status add_some(void *context)
{
    f0t_names names = {0};
    f0t_status status = F0T_OK;
    (void)context;
    for (uint32_t i = 0, index; i < 200 && status == F0T_OK; i++)
        status = f0t_names_add(&names, (const char *)&i, 4, &index, NULL);
    f0t_names_free(&names);
    return status;
}

static void every_failed_allocation_is_reported(void **state)
{
    (void)state;
    test_each_fault(F0T_FAULT_ALLOC, add_some, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_numbered_in_the_order_they_came),
        cmocka_unit_test(many_names_are_all_found_again),
        cmocka_unit_test(an_empty_list_finds_nothing),
        cmocka_unit_test(texts_may_repeat_and_know_their_length),
        cmocka_unit_test(every_failed_allocation_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
