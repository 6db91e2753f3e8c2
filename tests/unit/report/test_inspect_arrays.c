#include "support.h"

#include "report/inspect.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void numbers_of_every_type_are_counted(void **state)
{
    (void)state;
    static const float f32[] = {1.5F, NAN, -3, INFINITY, 0};
    static const uint16_t f16[] = {0x3E00, 0x7E00, 0xC200, 0xFC00, 0};
    static const uint16_t bf16[] = {0x3FC0, 0x7FC0, 0xC040, 0xFF80, 0};
    static const double f64[] = {1.5, (double)NAN, -3, (double)-INFINITY, 0};
    static const struct {
        const void *from;
        f0t_dtype type;
    } cases[] = {{f32, F0T_F32}, {f16, F0T_F16}, {bf16, F0T_BF16}, {f64, F0T_F64}};
    for (size_t k = 0; k < 4; k++) {
        f0t_numbers s = {0};
        f0t_numbers_add(&s, cases[k].from, cases[k].type, 5);
        assert_true(s.finite == 3 && s.nan == 1 && s.infinite == 1);
        assert_true(s.min == -3 && s.max == 1.5 && s.sum == -1.5);
    }
}

static void large_whole_numbers_keep_their_digits(void **state)
{
    (void)state;
    static const int64_t i64[] = {9007199254740991, -5};
    static const int32_t i32[] = {16777217, INT32_MIN};
    static const uint8_t u8[] = {255, 3}, boolean[] = {7, 0};
    f0t_numbers s = {0}, t = {0}, u = {0}, b = {0};
    f0t_numbers_add(&s, i64, F0T_I64, 2);
    assert_true(s.max == 9007199254740991.0 && s.min == -5);
    f0t_numbers_add(&t, i32, F0T_I32, 2);
    assert_true(t.max == 16777217 && t.min == -2147483648.0);
    f0t_numbers_add(&u, u8, F0T_U8, 2);
    assert_true(u.max == 255 && u.min == 3);
    f0t_numbers_add(&b, boolean, F0T_BOOL, 2);
    assert_true(b.max == 1 && b.min == 0 && b.sum == 1);
}

static void pieces_add_up(void **state)
{
    enum { N = 20000 };
    (void)state;
    float *x = malloc(N * sizeof *x);
    test_random_floats(x, N, 8);
    f0t_numbers whole = {0}, parts = {0};
    f0t_numbers_add(&whole, x, F0T_F32, N);
    for (size_t at = 0, step = 1; at < N; at += step, step = step * 3 % 5003) {
        step = step > N - at ? N - at : step;
        f0t_numbers_add(&parts, x + at, F0T_F32, step);
    }
    assert_true(whole.finite == N && parts.finite == N);
    assert_true(whole.min == parts.min && whole.max == parts.max);
    assert_true(fabs(whole.sum - parts.sum) < 1e-9);
    f0t_numbers_add(&whole, NULL, F0T_F32, 0);
    assert_true(whole.finite == N);
    free(x);
}

static void only_nan_leaves_no_range(void **state)
{
    (void)state;
    static const float nan[] = {NAN, NAN}, one[] = {-7};
    f0t_numbers s = {0};
    f0t_numbers_add(&s, nan, F0T_F32, 2);
    assert_true(s.finite == 0 && s.nan == 2 && s.sum == 0);
    f0t_numbers_add(&s, one, F0T_F32, 1);
    assert_true(s.min == -7 && s.max == -7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_of_every_type_are_counted),
        cmocka_unit_test(large_whole_numbers_keep_their_digits),
        cmocka_unit_test(pieces_add_up),
        cmocka_unit_test(only_nan_leaves_no_range),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
