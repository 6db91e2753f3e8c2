/* What trials may cost: a made-up method whose fits cost as much as it says. */
#include "eval/tuning.h"

#include "fixture.h"

#include <math.h>

enum { FOLDS = C_SEEN / 2, SETTINGS = 4 }; /* a fifth is two tags here */
static const double KNOB[SETTINGS] = {1, 2, 3, 4};

/* What the made-up method did. */
static struct {
    size_t fits;
    double effort, first, last;
} made;

/* A second for all epochs. */
static double cost(const f0t_task *task, const double *knobs)
{
    (void)knobs;
    return F0T_TUNE_OPERATIONS * task->effort;
}

static f0t_status fit(void **fitted, const f0t_task *task, void *shared, const double *knobs)
{
    double *mine;
    (void)shared;
    made.first = made.fits ? made.first : knobs[0];
    made.last = knobs[0];
    made.fits++;
    made.effort = task->effort;
    F0T_TRY(f0t_alloc(&mine, 1, sizeof *mine));
    *mine = knobs[0];
    *fitted = mine;
    return F0T_OK;
}

/* Scores that a setting has of its own. */
static f0t_status score(float *scores, const void *fitted, const f0t_task *task,
                        const f0t_candidates *tags, const f0t_queries *queries)
{
    const double knob = *(const double *)fitted;
    (void)task;
    for (size_t i = 0; i < queries->count * tags->count; i++)
        scores[i] = (float)sin(knob * (double)i);
    return F0T_OK;
}

static const f0t_knob knobs[] = {{"closeness", KNOB, SETTINGS, 0}};
static const f0t_ranker counted = {.name = "counted",
                                   .title = "Counted",
                                   .knobs = knobs,
                                   .knob_count = 1,
                                   .cost = cost,
                                   .fit = fit,
                                   .free = f0t_free,
                                   .score = score};

static f0t_eval_choice tune(const f0t_ranker *ranker, f0t_training_set set, double budget)
{
    static const collection_options plain = {.name = "budget"};
    const bool asked[F0T_SCENARIOS] = {[F0T_ZERO_SHOT] = true, [F0T_CONVENTIONAL] = true};
    const f0t_eval_protocol_options options = {.trials = 9, .budget = budget};
    fixture s = fixture_open_with_tags(&plain, NULL);
    f0t_eval_protocol protocol;
    f0t_eval_choice choice;
    made.fits = 0;
    made.effort = 0;
    assert_ok(f0t_eval_protocol_create(&protocol, set, &s.tags, asked, 0));
    f0t_eval_method method = {&protocol, ranker, &options, {0}};
    assert_ok(f0t_eval_tune(&choice, &method));
    f0t_eval_protocol_free(&protocol);
    fixture_close(&s);
    return choice;
}

/* Eight settings of five fits each are forty seconds with all epochs; what is counted is never more than there is. */
static void the_budget_decides_about_epochs_and_settings(void **state)
{
    static const struct {
        double budget, effort;
    } rows[] = {{INFINITY, 1},    {8 * FOLDS, 1},          {8 * FOLDS - 0.1, 0.5},
                {4 * FOLDS, 0.5}, {4 * FOLDS - 0.1, 0.25}, {2 * FOLDS * 0.25, 0.25}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const f0t_eval_choice c = tune(&counted, F0T_LEARN_SEEN, rows[i].budget);
        assert_true(c.effort == rows[i].effort && made.effort == rows[i].effort);
        assert_true(c.trials >= 2 && c.fits == made.fits);
        assert_true(c.seconds == (double)made.fits * rows[i].effort);
        assert_true(c.seconds <= rows[i].budget);
    }
}

static void what_costs_more_than_there_is_is_not_begun(void **state)
{
    (void)state;
    const f0t_eval_choice c = tune(&counted, F0T_LEARN_SEEN, 2 * FOLDS * 0.25 - 0.01);
    assert_true(c.trials == 0 && made.fits == 0 && isnan(c.score));
    assert_true(c.effort == 0 && c.seconds == 0);
    assert_true(c.values[0] == KNOB[0]);
}

/* Where all tags are learned, one fit serves all folds. */
static void a_trial_without_held_out_tags_is_one_fit(void **state)
{
    (void)state;
    f0t_eval_choice c = tune(&counted, F0T_LEARN_ALL, 8);
    assert_true(c.effort == 1 && c.seconds == (double)made.fits && made.fits == c.trials);
    c = tune(&counted, F0T_LEARN_ALL, 0.5);
    assert_true(c.effort == 0.25 && c.trials == 2 && c.seconds == 0.5);
    c = tune(&counted, F0T_LEARN_ALL, 0.49);
    assert_true(c.trials == 0);
}

/* Its trials are as short as they can be, and as many as may be. */
static void a_method_that_does_not_say_is_not_limited(void **state)
{
    f0t_ranker silent = counted;
    (void)state;
    silent.cost = NULL;
    const f0t_eval_choice c = tune(&silent, F0T_LEARN_SEEN, 1e-9);
    assert_true(c.trials >= 2 && c.effort == 0.25 && c.seconds == 0);
}

/* The second value costs ten times as much: the others are tried all the same. */
static double cost_of_two(const f0t_task *task, const double *values)
{
    return cost(task, values) * (values[0] == 2 ? 10 : 1);
}

static void a_setting_that_costs_too_much_is_passed_over(void **state)
{
    static const f0t_knob both[] = {{"dear", KNOB, 2, 0}, {"cheap", KNOB, 2, 0}};
    f0t_ranker dear = counted;
    (void)state;
    dear.knobs = both;
    dear.knob_count = 2;
    dear.cost = cost_of_two;
    const f0t_eval_choice c = tune(&dear, F0T_LEARN_ALL, 2);
    assert_true(c.trials == 2 && c.values[0] == 1 && c.seconds <= 2);
}

static f0t_status choose_three(double *values, const f0t_task *task, void *shared)
{
    (void)task;
    (void)shared;
    values[0] = 3;
    return F0T_OK;
}

/* What a method chooses without tuning is what tuning must beat, and what is left where it may not try. */
static void the_search_begins_where_the_method_would_stay(void **state)
{
    f0t_ranker choosing = counted;
    (void)state;
    choosing.choose = choose_three;
    f0t_eval_choice c = tune(&choosing, F0T_LEARN_ALL, 0.49);
    assert_true(c.trials == 0 && c.values[0] == 3);
    c = tune(&choosing, F0T_LEARN_ALL, 0.25 * 2); /* the first trial, and a neighbour */
    assert_true(c.trials == 2 && made.first == 3 && made.last == 4);
}

/* Nothing to choose is no want of budget. */
static void fixed_knobs_are_not_tried(void **state)
{
    static const f0t_knob fixed[] = {{"closeness", KNOB, 1, 0}};
    f0t_ranker still = counted;
    (void)state;
    still.knobs = fixed;
    const f0t_eval_choice c = tune(&still, F0T_LEARN_SEEN, 1e-9);
    assert_true(c.trials == 0 && isnan(c.effort) && isnan(c.seconds));
}

/* Next to nothing, or a program whose cost nobody knows, are the exceptions. */
static void every_method_with_knobs_says_what_it_costs(void **state)
{
    static const char *const silent[] = {"frequency-predicted", "fu2015", "fu2015-direct"};
    (void)state;
    for (size_t r = 0; f0t_rankers[r]; r++) {
        bool named = false;
        for (size_t i = 0; i < sizeof silent / sizeof *silent; i++)
            named = named || !strcmp(f0t_rankers[r]->name, silent[i]);
        if (!!f0t_rankers[r]->cost != (f0t_rankers[r]->knob_count && !named))
            fail_msg("%s", f0t_rankers[r]->name);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_budget_decides_about_epochs_and_settings),
        cmocka_unit_test(what_costs_more_than_there_is_is_not_begun),
        cmocka_unit_test(a_trial_without_held_out_tags_is_one_fit),
        cmocka_unit_test(a_method_that_does_not_say_is_not_limited),
        cmocka_unit_test(a_setting_that_costs_too_much_is_passed_over),
        cmocka_unit_test(the_search_begins_where_the_method_would_stay),
        cmocka_unit_test(fixed_knobs_are_not_tried),
        cmocka_unit_test(every_method_with_knobs_says_what_it_costs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
