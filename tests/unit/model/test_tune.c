#include "support.h"

#include "base/alloc.h"
#include "base/fault.h"
#include "model/tune.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- Over a grid --------------------------------------------------------------------------- */

static const double grid[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
static const f0t_knob knobs[2] = {{"a", grid, 10, 1}, {"b", grid, 10, 8}};

/* A hill whose top is at (a, b). */
typedef struct hill {
    double a, b;
    bool cliff; /* NaN where a > 5 */
} hill;

static double height(const hill *h, const double *values)
{
    if (h->cliff && values[0] > 5)
        return (double)NAN;
    return -(values[0] - h->a) * (values[0] - h->a) - 2 * (values[1] - h->b) * (values[1] - h->b);
}

/* Up to `most` trials. */
static f0t_tune_search climb(const f0t_knob *from, size_t most, const hill *h)
{
    f0t_tune_search s = {.count = 2, .grid = from, .most = most};
    double values[F0T_KNOBS_MAX];
    while (f0t_tune_next(values, &s))
        assert_ok(f0t_tune_add(&s, values, height(h, values), 1));
    return s;
}

static void the_top_of_a_hill_is_found(void **state)
{
    (void)state;
    for (int a = 0; a < 10; a += 3)
        for (int b = 0; b < 10; b += 3) {
            f0t_tune_search s = climb(knobs, 100, &(hill){.a = a, .b = b});
            const f0t_tune_trial *best = &s.trials[s.best];
            assert_true(best->values[0] == a && best->values[1] == b && best->score == 0);
            f0t_tune_close(&s);
        }
}

static void trials_end_at_the_limit_and_none_is_made_twice(void **state)
{
    (void)state;
    for (size_t most = 1; most < 12; most++) {
        f0t_tune_search s = climb(knobs, most, &(hill){.a = 9, .b = 0});
        assert_int_equal(s.trial_count, most);
        for (size_t i = 0; i < most; i++)
            for (size_t j = 0; j < i; j++)
                assert_memory_not_equal(s.trials[i].values, s.trials[j].values, 2 * sizeof(double));
        f0t_tune_close(&s);
    }
    f0t_tune_search flat = climb(knobs, 100, &(hill){.a = 1, .b = 8});
    assert_int_equal(flat.trial_count, 5);
    f0t_tune_close(&flat);
}

static void settings_that_cannot_be_used_are_left(void **state)
{
    const hill h = {.a = 9, .b = 8, .cliff = true};
    const f0t_knob from_above[2] = {{"a", grid, 10, 6}, knobs[1]};
    (void)state;
    for (int i = 0; i < 2; i++) {
        f0t_tune_search s = climb(i ? from_above : knobs, 100, &h);
        assert_true(s.trials[s.best].values[0] == 5);
        f0t_tune_close(&s);
    }
}

/* ---- With folds ---------------------------------------------------------------------------- */

static const f0t_knob line[1] = {{"a", grid, 10, 4}};

/* Climbs along one knob, with the score of each fold; gives the value that is chosen. */
static double climb_line(double folds[10][3])
{
    f0t_tune_search s = {.count = 1, .grid = line};
    double value;
    while (f0t_tune_next(&value, &s))
        assert_ok(f0t_tune_add_parts(&s, &value, folds[(size_t)value], 3, 1));
    value = s.trials[s.best].values[0];
    f0t_tune_close(&s);
    return value;
}

/* 4 is the first value. Differences of 3, 2 and 2 have a standard error of 0.33, those of 9, 0 and -6 one of
 * 4.4: larger than their mean of 1. */
static void the_first_value_is_left_for_what_is_surely_better(void **state)
{
    const double worse[3] = {0, 0, 0};
    double folds[10][3] = {{0}};
    (void)state;
    memcpy(folds[4], (double[]){10, 20, 30}, sizeof worse);
    memcpy(folds[5], (double[]){13, 22, 32}, sizeof worse);
    assert_true(climb_line(folds) == 5);
    memcpy(folds[5], (double[]){19, 20, 24}, sizeof worse);
    assert_true(climb_line(folds) == 4);
    /* All alike, and by however little: that is no luck. */
    memcpy(folds[5], (double[]){10.01, 20.01, 30.01}, sizeof worse);
    assert_true(climb_line(folds) == 5);
    memcpy(folds[5], folds[4], sizeof worse);
    assert_true(climb_line(folds) == 4);
    /* A fold that could not judge one of the two says nothing; two that differ by 3 and 2.9 say enough, 3 and 2 not, and
     * one fold never. */
    memcpy(folds[5], (double[]){13, (double)NAN, 32.9}, sizeof worse);
    assert_true(climb_line(folds) == 5);
    memcpy(folds[5], (double[]){13, (double)NAN, 32}, sizeof worse);
    assert_true(climb_line(folds) == 4);
    memcpy(folds[5], (double[]){13, (double)NAN, (double)NAN}, sizeof worse);
    assert_true(climb_line(folds) == 4);
}

/* Differences of 3, 0.5 and 1 have a standard error of 0.76: their mean of 1.5 is more, and less than the 2.92 of them that
 * a t-test of three folds asks. */
static void a_step_may_be_unsure_and_the_end_may_not(void **state)
{
    double folds[10][3] = {{0}};
    (void)state;
    memcpy(folds[4], (double[]){10, 20, 30}, sizeof folds[0]);
    memcpy(folds[5], (double[]){13, 20.5, 31}, sizeof folds[0]);
    assert_true(climb_line(folds) == 4);
    /* From there another leads on, which is surely better than the first value. */
    memcpy(folds[6], (double[]){13.5, 22.5, 33}, sizeof folds[0]);
    assert_true(climb_line(folds) == 6);
}

/* Differences of 3, 1 and 2 are exceeded by luck once in 27 times. That is enough for the one other setting that was tried, and
 * not for the best of two. */
static void settings_share_the_chance_of_luck(void **state)
{
    f0t_tune_search s = {.count = 1, .grid = line};
    double value;
    (void)state;
    assert_true(f0t_tune_next(&value, &s));
    assert_ok(f0t_tune_add_parts(&s, &value, (double[]){10, 20, 30}, 3, 1));
    assert_true(f0t_tune_next(&value, &s));
    assert_ok(f0t_tune_add_parts(&s, &value, (double[]){13, 21, 32}, 3, 1));
    assert_int_equal(s.best, 1);
    assert_true(f0t_tune_next(&value, &s));
    assert_ok(f0t_tune_add_parts(&s, &value, (double[]){0, 0, 0}, 3, 1));
    assert_int_equal(s.best, 0);
    assert_int_equal(s.incumbent, 1);
    f0t_tune_close(&s);
}

/* The least difference of five folds that is enough for the best of so many settings, by a table of Student's distribution:
 * 2.132, 3.747 and 4.604 standard errors for 5 %, 1 % and 0.5 %. */
static void the_test_is_students(void **state)
{
    static const struct {
        size_t others;
        double errors;
    } table[] = {{1, 2.132}, {5, 3.747}, {10, 4.604}};
    (void)state;
    for (size_t i = 0; i < 3; i++)
        for (int above = 0; above < 2; above++) {
            /* Of standard error 1: five differences of mean 0 whose squares add up to 20. */
            const double mean = table[i].errors * (above ? 1.01 : 0.99), r = sqrt(5);
            const double better[] = {mean + r, mean - r, mean + r, mean - r, mean};
            f0t_tune_search s = {.count = 1, .grid = line};
            double value;
            for (size_t trial = 0; trial <= table[i].others; trial++) {
                value = (double)((trial + 4) % 10);
                assert_ok(
                    f0t_tune_add_parts(&s, &value, trial == 1 ? better : (double[5]){0}, 5, 1));
            }
            assert_int_equal(s.best, above);
            f0t_tune_close(&s);
        }
}

static void a_trial_that_is_behind_need_not_go_on(void **state)
{
    f0t_tune_search s = {.count = 1, .grid = line};
    const double first[] = {10, 20, 30};
    double value;
    (void)state;
    assert_true(f0t_tune_next(&value, &s));
    assert_ok(f0t_tune_add_parts(&s, &value, first, 3, 1));
    const f0t_tune_trial *incumbent = &s.trials[s.incumbent];
    assert_false(f0t_tune_is_behind(incumbent, (double[]){1}, 1));
    assert_true(f0t_tune_is_behind(incumbent, (double[]){11, 18}, 2));
    assert_false(f0t_tune_is_behind(incumbent, (double[]){11, 19}, 2));
    assert_false(f0t_tune_is_behind(incumbent, (double[]){(double)NAN, 18}, 2));
    /* However good it was: it has fewer folds. */
    assert_true(f0t_tune_next(&value, &s));
    assert_ok(f0t_tune_add_parts(&s, &value, (double[]){99, 99}, 2, 1));
    assert_int_equal(s.best, 0);
    /* A setting that cannot be used. */
    assert_true(f0t_tune_next(&value, &s));
    assert_ok(f0t_tune_add_parts(&s, &value, NULL, 0, 1));
    assert_int_equal(s.best, 0);
    assert_int_equal(s.incumbent, 0);
    f0t_tune_close(&s);
}

/* ---- Over ranges --------------------------------------------------------------------------- */

static f0t_tune_search ranges(void)
{
    return (f0t_tune_search){
        .count = 2, .ranges = {{"lambda", 0.01, 1000, true}, {"share", 0, 0.6, false}}, .seed = 9};
}

static void settings_stay_in_their_ranges(void **state)
{
    f0t_tune_search s = ranges();
    const double best[] = {1, 0.3};
    double values[F0T_KNOBS_MAX];
    size_t changed = 0;
    (void)state;
    assert_true(f0t_tune_next(values, &s));
    assert_true(isnan(values[0]) && isnan(values[1]));
    assert_ok(f0t_tune_add(&s, best, 1, 0));
    for (size_t trial = 1; trial < 300; trial++) {
        assert_true(f0t_tune_next(values, &s));
        for (size_t i = 0; i < s.count; i++) {
            assert_true(values[i] >= s.ranges[i].low * (1 - 1e-12));
            assert_true(values[i] <= s.ranges[i].high * (1 + 1e-12));
            changed += values[i] != best[i];
        }
        assert_ok(f0t_tune_add(&s, values, 0, 0));
    }
    assert_int_equal(s.best, 0);
    assert_true(changed > 120 && changed < 560);
    f0t_tune_close(&s);
}

static void no_trial_is_begun_that_would_end_too_late(void **state)
{
    f0t_tune_search s = ranges();
    double values[F0T_KNOBS_MAX];
    (void)state;
    s.seconds = 10;
    while (f0t_tune_next(values, &s))
        assert_ok(f0t_tune_add(&s, (double[]){1, 0.3}, 0, 3));
    assert_int_equal(s.trial_count, 3);
    f0t_tune_close(&s);
}

/* ---- The journal --------------------------------------------------------------------------- */

static const double tried[] = {1, 0.5};

static f0t_status open_journal(f0t_tune_search *s, const char *path, bool resume)
{
    *s = ranges();
    return f0t_tune_open(s, path, resume, "this");
}

static void an_interrupted_search_goes_on_the_same(void **state)
{
    const hill h = {.a = 9, .b = 2, .cliff = true};
    const char *path = test_path("g.trials");
    f0t_tune_search whole = climb(knobs, 100, &h);
    size_t made = 0;
    (void)state;
    for (bool more = true; more; made++) {
        f0t_tune_search s = {.count = 2, .grid = knobs};
        double values[F0T_KNOBS_MAX];
        assert_ok(f0t_tune_open(&s, path, made > 0, "this"));
        assert_int_equal(s.trial_count, made);
        more = f0t_tune_next(values, &s);
        if (more) {
            assert_memory_equal(values, whole.trials[made].values, 2 * sizeof *values);
            assert_ok(f0t_tune_add(&s, values, height(&h, values), 1));
        }
        f0t_tune_close(&s);
    }
    assert_int_equal(made, whole.trial_count + 1);
    f0t_tune_close(&whole);
}

static void a_cut_or_altered_journal_is_no_danger(void **state)
{
    f0t_tune_search s;
    const char *path = test_path("j.trials");
    (void)state;
    assert_ok(open_journal(&s, path, false));
    assert_ok(f0t_tune_begin(&s, 4));
    assert_ok(f0t_tune_add(&s, tried, 50, 3));
    assert_ok(f0t_tune_add(&s, tried, 50, 3));
    f0t_tune_close(&s);
    size_t size;
    char *text = test_read(path, &size);
    const size_t first = (size_t)(strchr(text, '\n') + 1 - text);
    for (size_t cut = first; cut <= size; cut++) {
        test_file("cut.trials", text, cut);
        assert_ok(open_journal(&s, test_path("cut.trials"), true));
        assert_true(s.epochs == 4 && s.trial_count <= 2 && (cut < size || s.trial_count == 2));
        assert_true(s.spent == 3 * (double)s.trial_count);
        f0t_tune_close(&s);
    }
    f0t_free(text);
    test_text("cut.trials", "{\"search\": \"this\", \"epochs\": 4}\n{\"lambda\": -1}\n");
    assert_fails(F0T_ERROR_FORMAT, "\"lambda\" must be from",
                 open_journal(&s, test_path("cut.trials"), true));
    f0t_tune_close(&s);
}

/* low x (high / low) need not be high. */
static void a_value_at_the_end_of_its_range_is_read_again(void **state)
{
    f0t_tune_search s;
    (void)state;
    const char *path = test_text("end.trials", "{\"search\": \"this\", \"epochs\": 0}\n"
                                               "{\"lambda\": 1000.0000000000001, \"share\": 0}\n");
    assert_ok(open_journal(&s, path, true));
    assert_int_equal(s.trial_count, 1);
    f0t_tune_close(&s);
}

static void check_left_alone(const char *text, bool resume)
{
    f0t_tune_search s;
    size_t size;
    const char *path = test_text("foreign.trials", text);
    assert_fails(F0T_ERROR_FORMAT, "foreign.trials", open_journal(&s, path, resume));
    f0t_tune_close(&s);
    char *got = test_read(path, &size);
    assert_string_equal(got, text);
    f0t_free(got);
}

static void a_file_that_is_no_journal_is_left_alone(void **state)
{
    static const char *const texts[] = {"",
                                        "precious",
                                        "precious\n",
                                        "{}\n",
                                        "[1]\n",
                                        "{\"search\": \"this\"",
                                        "{\"search\": 3}\n"};
    f0t_tune_search s;
    (void)state;
    assert_fails(F0T_ERROR_FORMAT, "is no journal of a search, and in the way of one; move it away",
                 open_journal(&s, test_text("foreign.trials", "precious\n"), false));
    f0t_tune_close(&s);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        check_left_alone(texts[i], false);
        check_left_alone(texts[i], true);
    }
}

/* Whenever a process is killed, the trials that were there are there: with --resume, too, which once began
 * by emptying the file. */
static void nothing_is_lost_before_it_is_written_anew(void **state)
{
    f0t_tune_search s, second;
    char path[200];
    size_t size;
    (void)state;
    snprintf(path, sizeof path, "%s", test_path("k.trials"));
    assert_ok(open_journal(&s, path, false));
    assert_ok(f0t_tune_begin(&s, 4));
    assert_ok(f0t_tune_add(&s, tried, 50, 3));
    assert_fails(F0T_ERROR_IO, "another process works with it", open_journal(&second, path, true));
    f0t_tune_close(&second);
    f0t_tune_close(&s);
    char *before = test_read(path, &size);
    for (int resume = 0; resume < 2; resume++) {
        assert_ok(open_journal(&s, path, resume));
        char *now = test_read(path, &size);
        assert_string_equal(now, before);
        f0t_free(now);
        f0t_fault_set(F0T_FAULT_WRITE, 1);
        assert_fails(F0T_ERROR_IO, "No space", f0t_tune_add(&s, tried, 50, 3));
        f0t_fault_set(F0T_FAULT_WRITE, 0);
        now = test_read(path, &size);
        assert_string_equal(now, before);
        f0t_free(now);
        f0t_tune_close(&s);
    }
    f0t_free(before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_value_is_left_for_what_is_surely_better),
        cmocka_unit_test(settings_share_the_chance_of_luck),
        cmocka_unit_test(the_test_is_students),
        cmocka_unit_test(a_step_may_be_unsure_and_the_end_may_not),
        cmocka_unit_test(a_trial_that_is_behind_need_not_go_on),
        cmocka_unit_test(the_top_of_a_hill_is_found),
        cmocka_unit_test(trials_end_at_the_limit_and_none_is_made_twice),
        cmocka_unit_test(settings_that_cannot_be_used_are_left),
        cmocka_unit_test(settings_stay_in_their_ranges),
        cmocka_unit_test(no_trial_is_begun_that_would_end_too_late),
        cmocka_unit_test(an_interrupted_search_goes_on_the_same),
        cmocka_unit_test(a_cut_or_altered_journal_is_no_danger),
        cmocka_unit_test(a_value_at_the_end_of_its_range_is_read_again),
        cmocka_unit_test(a_file_that_is_no_journal_is_left_alone),
        cmocka_unit_test(nothing_is_lost_before_it_is_written_anew),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
