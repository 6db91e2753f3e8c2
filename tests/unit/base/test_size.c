#include "support.h"

#include "base/size.h"

static void sums_and_products_say_when_they_do_not_fit(void **state)
{
    (void)state;
    size_t out;
    assert_true(f0t_size_add(&out, SIZE_MAX - 1, 1));
    assert_true(out == SIZE_MAX);
    assert_false(f0t_size_add(&out, SIZE_MAX, 1));
    assert_false(f0t_size_add(&out, SIZE_MAX, SIZE_MAX));
    assert_true(f0t_size_mul(&out, SIZE_MAX, 1));
    assert_true(f0t_size_mul(&out, 0, SIZE_MAX));
    assert_int_equal(out, 0);
    assert_true(f0t_size_mul(&out, 1ul << 32, (1ul << 32) - 1));
    assert_false(f0t_size_mul(&out, 1ul << 32, 1ul << 32));
    assert_false(f0t_size_mul(&out, SIZE_MAX, 2));
    /* The numbers that a caller would use for out too. */
    out = 1ul << 40;
    assert_true(f0t_size_mul(&out, out, 1 << 20));
    assert_false(f0t_size_mul(&out, out, 1 << 20));
}

static void sizes_are_rounded_up(void **state)
{
    (void)state;
    size_t out;
    for (size_t unit = 1; unit < 70; unit++)
        for (size_t value = 0; value < 300; value++) {
            assert_true(f0t_size_round_up(&out, value, unit));
            assert_true(out % unit == 0 && out >= value && out < value + unit);
        }
    assert_true(f0t_size_round_up(&out, SIZE_MAX - 63, 64));
    assert_true(out == SIZE_MAX - 63);
    assert_false(f0t_size_round_up(&out, SIZE_MAX - 62, 64));
    assert_false(f0t_size_round_up(&out, SIZE_MAX, 2));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_and_products_say_when_they_do_not_fit),
        cmocka_unit_test(sizes_are_rounded_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
