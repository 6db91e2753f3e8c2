#include "products.h"

#include "math/dots.h"
#include "math/tiles.h"

static void need_bf16(void)
{
    if (!f0t_matmul_has_bf16())
        test_skip("this CPU has no AVX512_BF16, or ONEDNN_MAX_CPU_ISA is below it");
}

static void slow_products_are_not_called_native(void **state)
{
    (void)state;
    need_bf16();
    assert_int_equal(f0t_matmul_bf16_native(), f0t_tiles_native() || f0t_dots_are_fast());
}

/* A matrix that is read for few rows is half as large wherever there are instructions for it. */
static void few_rows_have_a_matrix_of_bf16(void **state)
{
    enum { K = 64, N = 48 };
    static const size_t rows[] = {1, 4, 1000};
    f0t_packed *packed;
    (void)state;
    need_bf16();
    for (size_t i = 0; i < 3; i++) {
        const bool narrow = rows[i] < 1000 || f0t_matmul_bf16_native();
        assert_ok(f0t_packed_create(&packed, K, N, F0T_BF16, rows[i]));
        assert_int_equal(f0t_packed_bytes(packed) < sizeof(float) * K * N, narrow);
        f0t_packed_free(packed);
    }
}

/* The numbers of both are products of rounded numbers, added up in float32. */
static void both_ways_give_the_same(void **state)
{
    enum { M = 4, K = 200, N = 70 };
    float a[M * K], b[K * N], c[2][M * N];
    uint16_t narrow[M * K];
    const f0t_matmul op = {.m = M, .n = N, .k = K, .type = F0T_BF16, .result = F0T_F32};
    f0t_packed *packed;
    (void)state;
    test_random_floats(a, M * K, 1);
    test_random_floats(b, K * N, 2);
    f0t_f32_to_bf16(narrow, a, M * K);
    for (size_t i = 0; i < 2; i++) {
        assert_ok(f0t_packed_create(&packed, K, N, F0T_BF16, i ? 1000 : M));
        assert_ok(f0t_packed_set(packed, b, false));
        assert_ok(f0t_matmul_run_packed(c[i], narrow, packed, NULL, &op));
        f0t_packed_free(packed);
    }
    for (size_t i = 0; i < M * N; i++)
        assert_true(fabsf(c[0][i] - c[1][i]) < 1e-6F * K);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slow_products_are_not_called_native),
        cmocka_unit_test(few_rows_have_a_matrix_of_bf16),
        cmocka_unit_test(both_ways_give_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
