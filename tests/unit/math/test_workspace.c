#include "support.h"

#include "math/workspace.h"

#include <string.h>

static void a_workspace_given_back_is_taken_again(void **state)
{
    f0t_workspace *first, *second;
    (void)state;
    f0t_workspace_clear();
    assert_ok(f0t_workspace_take(&first, 1000));
    memset(first->data, 1, 1000);
    f0t_workspace_give(first);
    f0t_fault_set(F0T_FAULT_ALLOC, 0);
    assert_ok(f0t_workspace_take(&second, 900));
    assert_ptr_equal(first, second);
    assert_int_equal(f0t_fault_count(F0T_FAULT_ALLOC), 0);
    f0t_workspace_give(second);
}

static void two_at_once_are_apart(void **state)
{
    f0t_workspace *first, *second;
    (void)state;
    assert_ok(f0t_workspace_take(&first, 100));
    assert_ok(f0t_workspace_take(&second, 100));
    assert_ptr_not_equal(first->data, second->data);
    memset(first->data, 1, 100);
    memset(second->data, 2, 100);
    assert_int_equal(*(char *)first->data, 1);
    f0t_workspace_give(first);
    f0t_workspace_give(second);
}

static void the_smallest_that_suffices_is_taken_else_the_largest_grows(void **state)
{
    f0t_workspace *small, *middle, *large, *taken;
    (void)state;
    f0t_workspace_clear();
    assert_ok(f0t_workspace_take(&small, 100));
    assert_ok(f0t_workspace_take(&middle, 1000));
    assert_ok(f0t_workspace_take(&large, 10000));
    f0t_workspace_give(middle);
    f0t_workspace_give(large);
    f0t_workspace_give(small);
    assert_ok(f0t_workspace_take(&taken, 500));
    assert_ptr_equal(taken, middle);
    f0t_workspace_give(taken);
    assert_ok(f0t_workspace_take(&taken, 20000));
    assert_ptr_equal(taken, large);
    memset(taken->data, 1, 20000);
    f0t_workspace_give(taken);
}

static void nothing_at_all_is_a_size_too(void **state)
{
    f0t_workspace *empty;
    (void)state;
    f0t_workspace_clear();
    assert_ok(f0t_workspace_take(&empty, 0));
    f0t_workspace_give(empty);
    f0t_workspace_give(NULL);
    f0t_workspace_clear();
}

static void a_huge_one_goes_back_to_the_system(void **state)
{
    f0t_workspace *huge;
    (void)state;
    f0t_workspace_clear();
    assert_ok(f0t_workspace_take(&huge, ((size_t)512 << 20) + 1));
    f0t_workspace_give(huge);
    f0t_fault_set(F0T_FAULT_ALLOC, 0);
    assert_ok(f0t_workspace_take(&huge, 1));
    assert_int_equal(f0t_fault_count(F0T_FAULT_ALLOC), 2);
    f0t_workspace_give(huge);
}

static f0t_status take(void *context)
{
    f0t_workspace *workspace;
    (void)context;
    f0t_workspace_clear();
    F0T_TRY(f0t_workspace_take(&workspace, 100));
    f0t_workspace_give(workspace);
    F0T_TRY(f0t_workspace_take(&workspace, 1000));
    f0t_workspace_give(workspace);
    return F0T_OK;
}

static void every_failed_allocation_is_reported(void **state)
{
    (void)state;
    test_each_fault(F0T_FAULT_ALLOC, take, NULL);
    f0t_workspace_clear();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_workspace_given_back_is_taken_again),
        cmocka_unit_test(two_at_once_are_apart),
        cmocka_unit_test(the_smallest_that_suffices_is_taken_else_the_largest_grows),
        cmocka_unit_test(nothing_at_all_is_a_size_too),
        cmocka_unit_test(a_huge_one_goes_back_to_the_system),
        cmocka_unit_test(every_failed_allocation_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
