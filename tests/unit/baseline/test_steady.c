#include "tasks.h"

#include "baseline/square.h"
#include "baseline/steady.h"

enum { ROWS = 40, INPUTS = 300, OUTPUTS = 70 };

static void rows_do_not_depend_on_how_many_there_are(void **state)
{
    (void)state;
    static float a[ROWS * INPUTS], b[OUTPUTS * INPUTS], bias[OUTPUTS], whole[ROWS * OUTPUTS],
        part[ROWS * OUTPUTS];
    f0t_matmul op = {.m = ROWS, .n = OUTPUTS, .k = INPUTS, .b_transposed = true};
    test_random_floats(a, ROWS * INPUTS, 1);
    test_random_floats(b, OUTPUTS * INPUTS, 2);
    test_random_floats(bias, OUTPUTS, 3);
    assert_ok(f0t_steady_run(whole, a, b, bias, &op));
    for (op.m = 1; op.m <= ROWS; op.m++) {
        memset(part, 0, sizeof part);
        assert_ok(f0t_steady_run(part, a, b, bias, &op));
        made_check_same(whole, part, op.m * OUTPUTS);
    }
    op.m = 0;
    assert_ok(f0t_steady_run(part, a, b, bias, &op));
}

static void products_in_double_are_those_of_their_definition(void **state)
{
    (void)state;
    double a[3 * 7], b[4 * 7], c[3 * 4];
    for (size_t i = 0; i < 28; i++) {
        b[i] = sin((double)i);
        if (i < 21)
            a[i] = cos((double)i);
    }
    f0t_square_product(c, a, b, 3, 4, 7);
    for (size_t i = 0; i < 3; i++)
        for (size_t j = 0; j < 4; j++) {
            double sum = 0;
            for (size_t k = 0; k < 7; k++)
                sum += a[i * 7 + k] * b[j * 7 + k];
            assert_true(fabs(sum - c[i * 4 + j]) < 1e-12);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_do_not_depend_on_how_many_there_are),
        cmocka_unit_test(products_in_double_are_those_of_their_definition),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
