/* The references against results that were worked out by hand or are known constants. */
#include "support.h"

#include "reference.h"

#include <math.h>

/* [1 2 3; 4 5 6]·[1 0; 2 1; 0 3] in each transposition. */
static void products_by_hand(void **state)
{
    const float a[] = {1, 2, 3, 4, 5, 6}, at[] = {1, 4, 2, 5, 3, 6};
    const float b[] = {1, 0, 2, 1, 0, 3}, bt[] = {1, 2, 0, 0, 1, 3};
    const double want[] = {5, 11, 14, 23};
    double c[4];
    (void)state;
    for (int form = 0; form < 4; form++) {
        f0t_matmul op = {
            .m = 2, .n = 2, .k = 3, .a_transposed = form & 1, .b_transposed = form & 2};
        f0t_matmul_ref(c, NULL, form & 1 ? at : a, form & 2 ? bt : b, NULL, &op);
        for (int i = 0; i < 4; i++)
            assert_true(c[i] == want[i]);
    }
}

static void bias_sum_relu_and_magnitude_by_hand(void **state)
{
    const float a[] = {1, -2}, b[] = {3, 0, 4, 1}, bias[] = {-1, 0.5F};
    f0t_matmul op = {.m = 1, .n = 2, .k = 2, .accumulate = true};
    double c[] = {10, 1}, magnitude[2];
    (void)state;
    f0t_matmul_ref(c, magnitude, a, b, bias, &op); /* 3 - 8 - 1 + 10, 0 - 2 + 0.5 + 1 */
    assert_true(c[0] == 4 && c[1] == -0.5);
    assert_true(magnitude[0] == 22 && magnitude[1] == 3.5);
    op.relu = true;
    op.accumulate = false;
    f0t_matmul_ref(c, NULL, a, b, bias, &op);
    assert_true(c[0] == 0 && c[1] == 0);
}

static void bfloat16_is_widened(void **state)
{
    const uint16_t a[] = {0x3F80, 0x4000}, b[] = {0x4040, 0xBF80}; /* 1, 2 and 3, -1 */
    f0t_matmul op = {.m = 1, .n = 1, .k = 2, .type = F0T_BF16};
    double c;
    (void)state;
    f0t_matmul_ref(&c, NULL, a, b, NULL, &op);
    assert_true(c == 1);
}

static void known_values_of_functions(void **state)
{
    const float x[] = {0, 0}, far[] = {-1000, 0, -1000};
    (void)state;
    assert_true(fabs(f0t_exp_ref(1) - 2.718281828459045) < 1e-15);
    assert_true(f0t_sigmoid_ref(0) == 0.5 && f0t_sigmoid_ref(-2000) == 0);
    assert_true(fabs(f0t_softplus_ref(0) - 0.6931471805599453) < 1e-16);
    assert_true(f0t_softplus_ref(2000) == 2000 && f0t_softplus_ref(-2000) == 0);
    assert_true(fabs(f0t_logsumexp_ref(x, 2) - 0.6931471805599453) < 1e-15);
    assert_true(f0t_logsumexp_ref(far, 3) == 0);
}

static void rows_and_order_by_hand(void **state)
{
    float rows[] = {3, 4, 0, 0}, x[] = {1, NAN, 3, 3};
    uint32_t index[4];
    (void)state;
    f0t_rows_normalise_ref(rows, 2, 2);
    assert_true(rows[0] == 0.6F && rows[1] == 0.8F && rows[2] == 0);
    assert_int_equal(f0t_topk_row_ref(index, x, 4, 9), 4);
    assert_true(index[0] == 2 && index[1] == 3 && index[2] == 0 && index[3] == 1);
}

/* [4 2; 2 3]·[1; 2] = [8; 8]. */
static void a_system_by_hand(void **state)
{
    double a[] = {4, 2, 2, 3}, x[] = {8, 8}, indefinite[] = {1, 2, 2, 1};
    (void)state;
    assert_true(f0t_cholesky_solve_ref(a, 2, x, 1));
    assert_true(fabs(x[0] - 1) < 1e-15 && fabs(x[1] - 2) < 1e-15);
    assert_false(f0t_cholesky_solve_ref(indefinite, 2, x, 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_by_hand),
        cmocka_unit_test(bias_sum_relu_and_magnitude_by_hand),
        cmocka_unit_test(bfloat16_is_widened),
        cmocka_unit_test(known_values_of_functions),
        cmocka_unit_test(rows_and_order_by_hand),
        cmocka_unit_test(a_system_by_hand),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
