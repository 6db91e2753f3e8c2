#include "support.h"

#include "base/parcel.h"

#include <string.h>

static const double NUMBER = 2.5;

static f0t_status fill(f0t_parcel *parcel)
{
    F0T_TRY(f0t_parcel_add(parcel, "a text", sizeof "a text"));
    F0T_TRY(f0t_parcel_add(parcel, NULL, 0));
    return f0t_parcel_add(parcel, &NUMBER, sizeof NUMBER);
}

static void what_was_added_comes_out(void **state)
{
    f0t_parcel parcel = {0};
    double number;
    (void)state;
    assert_ok(fill(&parcel));
    f0t_parcel_reader from = {parcel.data, parcel.bytes};
    assert_string_equal(f0t_parcel_take_text(&from, sizeof "a text"), "a text");
    assert_ok(f0t_parcel_read(&number, &from, sizeof number));
    assert_true(number == NUMBER);
    assert_int_equal(from.left, 0);
    assert_null(f0t_parcel_take(&from, 1));
    assert_non_null(f0t_parcel_take(&from, 0));
    assert_fails(F0T_ERROR_FORMAT, "another process has sent results that are cut or mixed up",
                 f0t_parcel_read(&number, &from, 1));
    f0t_free(parcel.data);
}

static void what_is_no_text_is_none(void **state)
{
    static const char bytes[] = {'a', 0, 'b'};
    (void)state;
    for (size_t size = 0; size <= 4; size++) {
        f0t_parcel_reader from = {bytes, sizeof bytes};
        const char *text = f0t_parcel_take_text(&from, size);
        assert_int_equal(text != NULL, size == 2);
    }
}

static f0t_status fill_and_free(void *user)
{
    f0t_parcel parcel = {0};
    f0t_status status = fill(&parcel);
    (void)user;
    f0t_free(parcel.data);
    return status;
}

static void each_allocation_may_fail(void **state)
{
    (void)state;
    test_each_fault(F0T_FAULT_ALLOC, fill_and_free, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_added_comes_out),
        cmocka_unit_test(what_is_no_text_is_none),
        cmocka_unit_test(each_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
