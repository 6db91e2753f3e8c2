#include "base/plan.h"

#include "support.h"

#include <signal.h>
#include <string.h>

/* What a bar showed. */
typedef struct shown {
    uint64_t done[64];
    size_t count, lines;
} shown;

static void on_progress(void *user, const f0t_progress *p)
{
    shown *s = user;
    assert_string_equal(p->stage, "learning");
    assert_string_equal(p->unit, "%");
    assert_int_equal(p->total, F0T_PLAN_WHOLE);
    assert_true(s->count < 64);
    s->done[s->count++] = p->done;
}

static void on_log(void *user, f0t_log_level level, const char *line)
{
    shown *s = user;
    assert_int_equal(level, F0T_LOG_WARNING);
    assert_string_equal(line, "two");
    s->lines++;
}

/* A stage of so many that got so far, and ended there where that is all. */
static void run_stage(const f0t_monitor *monitor, uint64_t done, uint64_t total)
{
    f0t_stage stage = f0t_stage_begin(monitor, "counting", "images", total);
    assert_ok(f0t_stage_update(&stage, done));
    if (done == total)
        f0t_stage_end(&stage);
}

static void assert_last(const shown *s, uint64_t done)
{
    assert_true(s->count > 0);
    assert_int_equal(s->done[s->count - 1], done);
}

static void test_steps_fill_one_bar(void **state)
{
    shown s = {.count = 0};
    const f0t_monitor outer = {.progress = on_progress, .log = on_log, .user = &s};
    f0t_progress_plan plan;
    (void)state;
    f0t_plan_begin(&plan, &outer, "learning");
    const f0t_monitor *m = &plan.monitor;
    run_stage(m, 1, 2); /* before anything is planned */
    assert_int_equal(s.count, 0);
    f0t_plan_next(&plan, 0.2);
    run_stage(m, 1, 2);
    assert_last(&s, 100);
    f0t_plan_next(&plan, 0.8);
    assert_last(&s, 200);
    f0t_plan_total(m, 30);
    run_stage(m, 5, 5); /* no step yet */
    assert_last(&s, 200);
    f0t_plan_step(m, 10);
    run_stage(m, 1, 2);
    assert_last(&s, 300);
    run_stage(m, 1, 4); /* another stage of the step: the bar stays */
    assert_last(&s, 300);
    run_stage(m, 3, 4);
    assert_last(&s, 350);
    f0t_plan_step(m, 20); /* a step that ended early */
    assert_last(&s, 400);
    run_stage(m, 2, 2);
    assert_last(&s, 800);
    f0t_plan_next(&plan, 1);
    run_stage(m, 7, 7);
    f0t_plan_end(&plan);
    assert_last(&s, F0T_PLAN_WHOLE);
    for (size_t i = 1; i < s.count; i++)
        assert_true(s.done[i - 1] < s.done[i]);
    f0t_log(m, F0T_LOG_WARNING, "two");
    assert_int_equal(s.lines, 1);
}

static void test_costs_that_were_wrong_keep_it_in_its_part(void **state)
{
    shown s = {.count = 0};
    const f0t_monitor outer = {.progress = on_progress, .user = &s};
    f0t_progress_plan plan;
    (void)state;
    f0t_plan_begin(&plan, &outer, "learning");
    f0t_plan_next(&plan, 0.5);
    f0t_plan_total(&plan.monitor, 10);
    f0t_plan_step(&plan.monitor, 8);
    run_stage(&plan.monitor, 3, 3);
    f0t_plan_step(&plan.monitor, 8);
    run_stage(&plan.monitor, 3, 3);
    assert_last(&s, 500);
    f0t_plan_total(&plan.monitor, 0); /* nothing to do */
    f0t_plan_step(&plan.monitor, 0);
    run_stage(&plan.monitor, 3, 3);
    assert_last(&s, 500);
}

/* Work of which nobody shows a bar, and a bar that nobody looks at. */
static void test_without_a_plan_nothing_happens(void **state)
{
    static const volatile sig_atomic_t stop = 1;
    const f0t_monitor outer = {.stop = &stop};
    f0t_progress_plan plan;
    (void)state;
    f0t_plan_total(NULL, 1);
    f0t_plan_step(NULL, 1);
    f0t_plan_total(&outer, 1);
    f0t_plan_step(&outer, 1);
    f0t_plan_begin(&plan, NULL, "learning");
    f0t_plan_next(&plan, 1);
    run_stage(&plan.monitor, 1, 1);
    f0t_plan_end(&plan);
    f0t_plan_begin(&plan, &outer, "learning");
    f0t_stage stage = f0t_stage_begin(&plan.monitor, "counting", "images", 2);
    assert_int_equal(f0t_stage_update(&stage, 1), F0T_ERROR_INTERRUPTED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_steps_fill_one_bar),
        cmocka_unit_test(test_costs_that_were_wrong_keep_it_in_its_part),
        cmocka_unit_test(test_without_a_plan_nothing_happens),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
