#include "support.h"

#include "eval/tune.h"

#include <math.h>

static const double grid[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
static const f0t_knob knobs[2] = {{"a", grid, 10, 1}, {"b", grid, 10, 8}};

/* A hill whose top is at (a, b). */
typedef struct hill {
    double a, b;
    size_t calls;
    bool cliff; /* NaN where a > 5 */
} hill;

static f0t_status climb(double *score, void *user, const double *values)
{
    hill *h = user;
    h->calls++;
    *score = -(values[0] - h->a) * (values[0] - h->a) - 2 * (values[1] - h->b) * (values[1] - h->b);
    if (h->cliff && values[0] > 5)
        *score = (double)NAN;
    return F0T_OK;
}

static void the_top_of_a_hill_is_found(void **state)
{
    (void)state;
    for (int a = 0; a < 10; a += 3)
        for (int b = 0; b < 10; b += 3) {
            hill h = {.a = a, .b = b};
            f0t_choice choice;
            assert_ok(f0t_choose(&choice, knobs, 2, 100, climb, &h));
            assert_int_equal(choice.place[0], a);
            assert_int_equal(choice.place[1], b);
            assert_int_equal(choice.values[0], a);
            assert_int_equal(choice.trials, h.calls);
            assert_true(choice.score == 0);
        }
}

static void trials_end_at_the_limit_and_none_is_made_twice(void **state)
{
    (void)state;
    for (size_t most = 1; most < 12; most++) {
        hill h = {.a = 9, .b = 0};
        f0t_choice choice;
        assert_ok(f0t_choose(&choice, knobs, 2, most, climb, &h));
        assert_int_equal(h.calls, most);
        assert_int_equal(choice.trials, most);
    }
    hill flat = {.a = 1, .b = 8};
    f0t_choice choice;
    assert_ok(f0t_choose(&choice, knobs, 2, 100, climb, &flat));
    assert_int_equal(flat.calls, 5);
}

static void settings_that_cannot_be_used_are_left(void **state)
{
    hill h = {.a = 9, .b = 8, .cliff = true};
    f0t_choice choice;
    (void)state;
    assert_ok(f0t_choose(&choice, knobs, 2, 100, climb, &h));
    assert_int_equal(choice.place[0], 5);
    const f0t_knob from_above = {"a", grid, 10, 6};
    const f0t_knob both[2] = {from_above, knobs[1]};
    assert_ok(f0t_choose(&choice, both, 2, 100, climb, &h));
    assert_int_equal(choice.place[0], 5);
}

static f0t_status break_off(double *score, void *user, const double *values)
{
    (void)score;
    (void)user;
    (void)values;
    return f0t_fail(F0T_ERROR_IO, "no");
}

static void a_failure_is_passed_on_and_the_default_stays(void **state)
{
    f0t_choice choice;
    (void)state;
    assert_fails(F0T_ERROR_IO, "no", f0t_choose(&choice, knobs, 2, 5, break_off, NULL));
    assert_int_equal(choice.place[0], 1);
    assert_int_equal(choice.values[1], 8);
    assert_true(isnan(choice.score));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_top_of_a_hill_is_found),
        cmocka_unit_test(trials_end_at_the_limit_and_none_is_made_twice),
        cmocka_unit_test(settings_that_cannot_be_used_are_left),
        cmocka_unit_test(a_failure_is_passed_on_and_the_default_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
