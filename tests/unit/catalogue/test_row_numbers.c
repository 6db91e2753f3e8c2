/* Lists of numbers, as columns have them. */
#include "support.h"

#include "catalogue/row_numbers.h"

#include <string.h>

static void check_split(const char *text, const int64_t *want, size_t count)
{
    f0t_row_numbers n = {0};
    assert_ok(f0t_row_numbers_split(&n, text));
    assert_int_equal(n.count, count);
    for (size_t i = 0; i < count; i++)
        assert_true(n.items[i] == want[i]);
    f0t_free(n.items);
}

static void what_is_joined_is_split_again(void **state)
{
    int64_t items[] = {12, INT64_MIN, 0, INT64_MAX, 7};
    const f0t_row_numbers five = {items, 5, 5}, none = {0};
    char *text;
    (void)state;
    assert_ok(f0t_row_numbers_join(&text, &five));
    assert_string_equal(text, "12 -9223372036854775808 0 9223372036854775807 7");
    check_split(text, items, 5);
    f0t_free(text);
    assert_ok(f0t_row_numbers_join(&text, &none));
    assert_string_equal(text, "");
    check_split(text, NULL, 0);
    f0t_free(text);
}

/* A catalogue comes from anywhere. */
static void a_damaged_text_is_read_as_far_as_it_goes(void **state)
{
    const int64_t three[] = {1, 2, 3}, one[] = {INT64_MAX};
    (void)state;
    check_split(" 1\t2  3 x 4", three, 3);
    check_split("x", NULL, 0);
    check_split("99999999999999999999999", one, 1);
}

static void lists_are_compared_without_their_order(void **state)
{
    int64_t up[] = {1, 2, 3}, down[] = {3, 2, 1}, other[] = {1, 2, 4};
    const f0t_row_numbers a = {up, 3, 3}, b = {down, 3, 3}, c = {other, 3, 3}, fewer = {up, 2, 3};
    (void)state;
    assert_true(f0t_row_numbers_same(&a, &b) && f0t_row_numbers_has(&a, 3));
    assert_false(f0t_row_numbers_same(&a, &c) || f0t_row_numbers_has(&a, 4));
    assert_false(f0t_row_numbers_same(&a, &fewer) || f0t_row_numbers_same(&fewer, &a));
}

static f0t_status join_and_split(void *context)
{
    int64_t items[] = {1, 2};
    const f0t_row_numbers two = {items, 2, 2};
    f0t_row_numbers n = {0};
    char *text;
    (void)context;
    F0T_TRY(f0t_row_numbers_join(&text, &two));
    f0t_status status = f0t_row_numbers_split(&n, text);
    f0t_free(text);
    f0t_free(n.items);
    return status;
}

static void missing_memory_is_told(void **state)
{
    (void)state;
    test_each_fault(F0T_FAULT_ALLOC, join_and_split, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_joined_is_split_again),
        cmocka_unit_test(a_damaged_text_is_read_as_far_as_it_goes),
        cmocka_unit_test(lists_are_compared_without_their_order),
        cmocka_unit_test(missing_memory_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
