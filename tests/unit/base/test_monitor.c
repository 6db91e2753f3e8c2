#include "support.h"

#include "base/monitor.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

typedef struct seen {
    int progress_calls, log_calls;
    f0t_progress last;
    f0t_log_level level;
    char line[2000];
} seen;

static void on_progress(void *user, const f0t_progress *progress)
{
    seen *s = user;
    s->progress_calls++;
    s->last = *progress;
}

static void on_log(void *user, f0t_log_level level, const char *line)
{
    seen *s = user;
    s->log_calls++;
    s->level = level;
    snprintf(s->line, sizeof s->line, "%s", line);
}

static void progress_comes_at_once_and_then_not_too_often(void **state)
{
    (void)state;
    seen s = {0};
    f0t_monitor monitor = {.progress = on_progress, .user = &s};
    f0t_stage stage = f0t_stage_begin(&monitor, "counting", "images", 1000000);
    double begin = f0t_time();
    for (uint64_t i = 0; i < 1000000; i++)
        assert_int_equal(f0t_stage_update(&stage, i), F0T_OK);
    double took = f0t_time() - begin;
    assert_true(s.progress_calls >= 1 && s.progress_calls <= 2 + (int)(took / 0.1));
    assert_string_equal(s.last.stage, "counting");
    assert_string_equal(s.last.unit, "images");
    int before = s.progress_calls;
    struct timespec pause = {0, 110 * 1000 * 1000};
    nanosleep(&pause, NULL);
    assert_ok(f0t_stage_update(&stage, 1000));
    assert_int_equal(s.progress_calls, before + 1);
    assert_int_equal(s.last.done, 1000);
    f0t_stage_end(&stage);
    assert_int_equal(s.progress_calls, before + 2);
    assert_int_equal(s.last.done, 1000000);
}

static void the_whole_is_shown_once_by_the_end(void **state)
{
    (void)state;
    seen s = {0};
    f0t_monitor monitor = {.progress = on_progress, .user = &s};
    f0t_stage stage = f0t_stage_begin(&monitor, "counting", "images", 5);
    assert_ok(f0t_stage_update(&stage, 5));
    assert_int_equal(s.progress_calls, 0);
    f0t_stage_end(&stage);
    assert_int_equal(s.progress_calls, 1);
    assert_int_equal(s.last.done, 5);
}

static void a_stage_of_unknown_length_ends_with_what_was_done(void **state)
{
    (void)state;
    seen s = {0};
    f0t_monitor monitor = {.progress = on_progress, .user = &s};
    f0t_stage stage = f0t_stage_begin(&monitor, "reading", "bytes", 0);
    assert_ok(f0t_stage_update(&stage, 77));
    assert_int_equal(s.last.total, 0);
    f0t_stage_end(&stage);
    assert_int_equal(s.last.done, 77);
    assert_int_equal(s.last.total, 77);
}

static void the_stop_flag_ends_the_work(void **state)
{
    (void)state;
    volatile sig_atomic_t stop = 0;
    f0t_monitor monitor = {.stop = &stop};
    f0t_stage stage = f0t_stage_begin(&monitor, "counting", "images", 9);
    assert_ok(f0t_stage_update(&stage, 1));
    assert_false(f0t_monitor_stopped(&monitor));
    stop = 1;
    assert_true(f0t_monitor_stopped(&monitor));
    assert_fails(F0T_ERROR_INTERRUPTED, "interrupted while counting", f0t_stage_update(&stage, 2));
}

static void a_monitor_may_be_missing_in_part_or_whole(void **state)
{
    (void)state;
    f0t_monitor empty = {0};
    const f0t_monitor *monitors[] = {NULL, &empty};
    for (size_t i = 0; i < 2; i++) {
        f0t_stage stage = f0t_stage_begin(monitors[i], "a", "b", 1);
        assert_ok(f0t_stage_update(&stage, 1));
        f0t_stage_end(&stage);
        f0t_log(monitors[i], F0T_LOG_INFO, "%s", "x");
        assert_false(f0t_monitor_stopped(monitors[i]));
    }
}

static void a_log_line_is_one_line(void **state)
{
    (void)state;
    char text[5000];
    seen s = {0};
    f0t_monitor monitor = {.log = on_log, .user = &s};
    f0t_log(&monitor, F0T_LOG_WARNING, "word %d: %s", 3, "a\nb\x1B");
    assert_string_equal(s.line, "word 3: a?b?");
    assert_int_equal(s.level, F0T_LOG_WARNING);
    for (size_t shift = 0; shift < 2; shift++) {
        for (size_t i = 0; i + 1 < sizeof text; i++)
            text[i] = (i + shift) % 2 ? '\xA9' : '\xC3';
        text[0] = shift ? 'x' : '\xC3';
        text[sizeof text - 1] = '\0';
        f0t_log(&monitor, F0T_LOG_INFO, "%s", text);
        size_t n = strlen(s.line);
        assert_true(n >= 1000 && s.line[n - 1] == '\xA9');
    }
    assert_int_equal(s.log_calls, 3);
}

static void time_goes_forward(void **state)
{
    (void)state;
    double last = f0t_time();
    for (int i = 0; i < 1000; i++) {
        double now = f0t_time();
        assert_true(now >= last);
        last = now;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(progress_comes_at_once_and_then_not_too_often),
        cmocka_unit_test(the_whole_is_shown_once_by_the_end),
        cmocka_unit_test(a_stage_of_unknown_length_ends_with_what_was_done),
        cmocka_unit_test(the_stop_flag_ends_the_work),
        cmocka_unit_test(a_monitor_may_be_missing_in_part_or_whole),
        cmocka_unit_test(a_log_line_is_one_line),
        cmocka_unit_test(time_goes_forward),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
