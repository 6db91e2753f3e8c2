#include "support.h"

#include "eval/scenario.h"

#include <string.h>

static void names_are_found(void **state)
{
    (void)state;
    for (int s = 0; s < F0T_SCENARIOS; s++) {
        f0t_scenario found;
        const char *name = f0t_scenario_name((f0t_scenario)s);
        assert_ok(f0t_scenario_find(&found, name, strlen(name)));
        assert_int_equal(found, s);
        assert_non_null(f0t_scenario_title(found));
    }
    f0t_scenario found;
    assert_fails(F0T_ERROR_NOT_FOUND, "'zero-shots': conventional, conventional-unseen, zero-shot",
                 f0t_scenario_find(&found, "zero-shots", 10));
    assert_ok(f0t_scenario_find(&found, "open,conventional", 4));
    assert_int_equal(found, F0T_OPEN);
}

/* What docs/evaluation.md says. */
static void training_sets_and_rankings_are_those_of_the_paper(void **state)
{
    const unsigned seen = F0T_TAG_SEEN, unseen = F0T_TAG_UNSEEN, other = F0T_TAG_OTHER;
    const struct {
        unsigned learns, ranks;
    } want[F0T_SCENARIOS] = {
        {seen | unseen, seen | unseen}, {unseen, unseen},       {seen, unseen},
        {seen, seen | unseen},          {seen, unseen | other}, {seen | unseen, seen | unseen}};
    (void)state;
    for (int s = 0; s < F0T_SCENARIOS; s++) {
        f0t_training_set set = f0t_scenario_training_set((f0t_scenario)s);
        assert_int_equal(f0t_training_set_tags(set), want[s].learns);
        assert_int_equal(f0t_scenario_ranks((f0t_scenario)s), want[s].ranks);
        assert_non_null(f0t_training_set_name(set));
    }
}

static void methods_apply_where_they_can(void **state)
{
    const f0t_ranker open = {0}, closed = {.closed = true}, oracle = {.oracle = true},
                     completer = {.closed = true, .completes = true};
    const f0t_ranker small = {.most_tags = 12}, prior = {.needs_new = true};
    char why[F0T_REFUSAL_SIZE];
    (void)state;
    for (int i = 0; i < F0T_SCENARIOS; i++) {
        f0t_scenario s = (f0t_scenario)i;
        const bool given = s == F0T_COMPLETION;
        const bool learned = given || s == F0T_CONVENTIONAL || s == F0T_CONVENTIONAL_UNSEEN;
        assert_false(f0t_scenario_refuses(why, s, &open, 1000));
        assert_string_equal(why, "");
        assert_int_equal(f0t_scenario_refuses(why, s, &closed, 1000), !learned);
        assert_int_equal(f0t_scenario_refuses(why, s, &oracle, 1000),
                         !given && (learned || s == F0T_SEEN_UNSEEN));
        assert_int_equal(f0t_scenario_refuses(why, s, &completer, 1000), !given);
        assert_int_equal(f0t_scenario_refuses(why, s, &prior, 1000), learned);
        assert_false(f0t_scenario_refuses(why, s, &small, 12));
        assert_true(f0t_scenario_refuses(why, s, &small, 45));
        assert_string_equal(why, "considers all 2^45 combinations of the tags; 2^12 are feasible");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_found),
        cmocka_unit_test(training_sets_and_rankings_are_those_of_the_paper),
        cmocka_unit_test(methods_apply_where_they_can),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
