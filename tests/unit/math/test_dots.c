#include "products.h"

static void need_bf16(void)
{
    if (!f0t_matmul_has_bf16())
        test_skip("this CPU has no AVX512_BF16, or ONEDNN_MAX_CPU_ISA is below it");
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

/* Of bfloat16 or of the same numbers as float32: both are products of rounded numbers, added up in float32. */
static void both_ways_match_the_reference(void **state)
{
    static const size_t rows[] = {4, 1000};
    const product p = {{.m = 4, .n = 70, .k = 200, .type = F0T_BF16, .result = F0T_F32}, true};
    (void)state;
    need_bf16();
    for (size_t i = 0; i < 2; i++)
        check_product(&p, rows[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(few_rows_have_a_matrix_of_bf16),
        cmocka_unit_test(both_ways_match_the_reference),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
