#include "support.h"

#include "io/dataset.h"

static void a_row_is_sorted_and_each_index_is_there_once(void **state)
{
    const uint32_t given[] = {7, 3, 7, 0, 3};
    f0t_rows rows = {0};
    size_t count;
    (void)state;
    for (size_t i = 0; i < 5; i++)
        assert_ok(f0t_rows_add(&rows, given[i]));
    assert_ok(f0t_rows_end(&rows));
    assert_ok(f0t_rows_end(&rows));
    assert_ok(f0t_rows_add(&rows, 9));
    assert_ok(f0t_rows_end(&rows));
    assert_int_equal(rows.count, 3);
    assert_int_equal(rows.repeats, 2);
    const uint32_t *row = f0t_rows_get(&count, &rows, 0);
    assert_int_equal(count, 3);
    assert_true(row[0] == 0 && row[1] == 3 && row[2] == 7);
    f0t_rows_get(&count, &rows, 1);
    assert_int_equal(count, 0);
    assert_int_equal(f0t_rows_get(&count, &rows, 2)[0], 9);
    assert_int_equal(rows.offsets[3], 4);
    f0t_rows_free(&rows);
}

static void a_long_row_is_sorted_too(void **state)
{
    enum { COUNT = 1000 };
    f0t_rows rows = {0};
    size_t count;
    (void)state;
    for (uint32_t i = 0; i < COUNT; i++)
        assert_ok(f0t_rows_add(&rows, i * 37 % 500));
    assert_ok(f0t_rows_end(&rows));
    const uint32_t *row = f0t_rows_get(&count, &rows, 0);
    assert_int_equal(count, 500);
    for (uint32_t i = 0; i < 500; i++)
        assert_int_equal(row[i], i);
    f0t_rows_free(&rows);
}

static f0t_status build(void *context)
{
    f0t_rows rows = {0};
    f0t_status status = F0T_OK;
    (void)context;
    for (uint32_t i = 0; i < 100 && status == F0T_OK; i++) {
        status = f0t_rows_add(&rows, i);
        if (status == F0T_OK)
            status = f0t_rows_end(&rows);
    }
    f0t_rows_free(&rows);
    return status;
}

static void every_failed_allocation_is_reported(void **state)
{
    (void)state;
    test_each_fault(F0T_FAULT_ALLOC, build, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_row_is_sorted_and_each_index_is_there_once),
        cmocka_unit_test(a_long_row_is_sorted_too),
        cmocka_unit_test(every_failed_allocation_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
