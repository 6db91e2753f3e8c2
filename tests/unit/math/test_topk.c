#include "support.h"

#include "math/topk.h"
#include "reference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Compares with the reference, indices and values. */
static void check_row(const float *x, size_t n, size_t k)
{
    size_t count = k < n ? k : n;
    uint32_t *want, *got;
    float *value;
    assert_ok(f0t_alloc(&want, n, sizeof *want));
    assert_ok(f0t_alloc(&got, count, sizeof *got));
    assert_ok(f0t_alloc(&value, count, sizeof *value));
    assert_int_equal(f0t_topk_row_ref(want, x, n, k), count);
    assert_int_equal(f0t_topk_row(got, value, x, n, k), count);
    for (size_t i = 0; i < count; i++)
        if (want[i] != got[i] || memcmp(&value[i], &x[got[i]], sizeof(float)) != 0)
            fail_msg("n %zu, k %zu: place %zu has %u, not %u", n, k, i, got[i], want[i]);
    f0t_free(want);
    f0t_free(got);
    f0t_free(value);
}

static const size_t lengths[] = {0, 1, 2, 5, 63, 64, 65, 129, 300, 925, 4099};
static const size_t counts[] = {0, 1, 2, 5, 10, 32, 64, 100, 200, 925, 5000};

typedef float (*maker)(uint32_t random, size_t i, size_t n);

static void check_all(maker make_value)
{
    float x[4099], uniform[4099];
    test_random_floats(uniform, 4099, 11);
    for (size_t l = 0; l < sizeof lengths / sizeof *lengths; l++) {
        for (size_t i = 0; i < lengths[l]; i++)
            x[i] = make_value((uint32_t)((uniform[i] + 1) * 0x1p31F * 0.999F), i, lengths[l]);
        for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
            check_row(x, lengths[l], counts[c]);
    }
}

static float random_value(uint32_t random, size_t i, size_t n)
{
    (void)i;
    (void)n;
    return (float)random - 0x1p31F;
}

static float few_values(uint32_t random, size_t i, size_t n)
{
    (void)i;
    (void)n;
    return (float)(random % 5) - 2;
}

static float ascending(uint32_t random, size_t i, size_t n)
{
    (void)random;
    (void)n;
    return (float)(i / 2);
}

static float descending(uint32_t random, size_t i, size_t n)
{
    (void)random;
    return (float)((n - i) / 2);
}

static float strange_values(uint32_t random, size_t i, size_t n)
{
    static const float values[] = {0.0F, -0.0F, NAN, INFINITY, -INFINITY, 1e-45F, -3.4e38F, 1};
    (void)i;
    (void)n;
    return values[random % 8];
}

static float all_nan(uint32_t random, size_t i, size_t n)
{
    (void)random;
    return i + 1 == n ? -INFINITY : NAN;
}

static void random_numbers_as_the_reference(void **state)
{
    (void)state;
    check_all(random_value);
}

static void ties_go_to_the_lower_index(void **state)
{
    uint32_t index[3];
    float x[] = {1, 2, 2, 1, 2};
    (void)state;
    f0t_topk_row(index, NULL, x, 5, 3);
    assert_true(index[0] == 1 && index[1] == 2 && index[2] == 4);
    check_all(few_values);
}

static void sorted_rows_as_the_reference(void **state)
{
    (void)state;
    check_all(ascending);
    check_all(descending);
}

static void nan_comes_after_every_number(void **state)
{
    uint32_t index[4];
    float x[] = {NAN, -INFINITY, NAN, 3};
    (void)state;
    f0t_topk_row(index, NULL, x, 4, 4);
    assert_true(index[0] == 3 && index[1] == 1 && index[2] == 0 && index[3] == 2);
    check_all(strange_values);
    check_all(all_nan);
}

static void a_million_numbers_as_the_reference(void **state)
{
    enum { MANY = 1 << 20 };
    float *x;
    (void)state;
    assert_ok(f0t_alloc(&x, MANY, sizeof *x));
    test_random_floats(x, MANY, 3);
    check_row(x, getenv("F0T_TEST_SMALL") ? MANY / 64 : MANY, 10);
    f0t_free(x);
}

static void each_row_of_a_matrix_by_itself(void **state)
{
    enum { ROWS = 101, COLS = 925, K = 5 };
    static float x[ROWS * COLS], value[ROWS * K];
    static uint32_t index[ROWS * K], want[COLS];
    (void)state;
    test_random_floats(x, ROWS * COLS, 9);
    f0t_topk_rows(index, value, x, ROWS, COLS, K);
    for (size_t i = 0; i < ROWS; i++) {
        f0t_topk_row_ref(want, x + i * COLS, COLS, K);
        assert_memory_equal(want, index + i * K, K * sizeof *want);
        assert_true(value[i * K] == x[i * COLS + want[0]]);
    }
}

static void rows_shorter_than_k_have_their_length(void **state)
{
    float x[] = {1, 2, 4, 3}, value[4];
    uint32_t index[4];
    (void)state;
    f0t_topk_rows(index, value, x, 2, 2, 7);
    assert_true(index[0] == 1 && index[1] == 0 && index[2] == 0 && index[3] == 1);
    assert_true(value[2] == 4 && value[3] == 3);
    f0t_topk_rows(index, value, x, 0, 2, 7);
    f0t_topk_rows(index, value, x, 2, 0, 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_numbers_as_the_reference),
        cmocka_unit_test(ties_go_to_the_lower_index),
        cmocka_unit_test(sorted_rows_as_the_reference),
        cmocka_unit_test(nan_comes_after_every_number),
        cmocka_unit_test(a_million_numbers_as_the_reference),
        cmocka_unit_test(each_row_of_a_matrix_by_itself),
        cmocka_unit_test(rows_shorter_than_k_have_their_length),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
