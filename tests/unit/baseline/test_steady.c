#include "tasks.h"

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_do_not_depend_on_how_many_there_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
