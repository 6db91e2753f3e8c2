/* Rows from cells that were made by hand. */
#include "support.h"

#include "base/alloc.h"
#include "baseline/ranker.h"
#include "eval/eval.h"

#include <math.h>

enum { REPEATS = 3 };

static void what_is_not_defined_in_a_repeat_is_left_out_of_the_mean(void **state)
{
    static const double miap[REPEATS] = {10, (double)NAN, 20};
    static const double precision[REPEATS] = {(double)NAN, 7, (double)NAN};
    f0t_eval e = {.plan = {.methods = {&f0t_ranker_random}, .method_count = 1, .repeat = REPEATS}};
    (void)state;
    e.plan.asked[F0T_ZERO_SHOT] = true;
    assert_ok(f0t_alloc_zero(&e.cells, REPEATS * F0T_SCENARIOS, sizeof *e.cells));
    for (size_t r = 0; r < REPEATS; r++) {
        f0t_values *values = &f0t_eval_cell_at(&e, r, 0, F0T_ZERO_SHOT)->values;
        f0t_values_add(values, "miap", miap[r]);
        f0t_values_add(values, "p3", precision[r]);
        f0t_values_add(values, "r3", (double)NAN);
    }
    assert_ok(f0t_eval_summarise(&e));
    assert_int_equal(e.row_count, 1);
    const f0t_eval_value *v = e.rows[0].values;
    assert_true(v[0].mean == 15 && fabs(v[0].deviation - sqrt(50)) < 1e-12);
    assert_true(v[1].mean == 7 && isnan(v[1].deviation));
    assert_true(isnan(v[2].mean) && isnan(v[2].deviation));
    f0t_free(e.cells);
    f0t_free(e.rows);
    f0t_free(e.values);
    f0t_free(e.knobs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_not_defined_in_a_repeat_is_left_out_of_the_mean),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
