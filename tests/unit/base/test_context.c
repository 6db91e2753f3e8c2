#include "support.h"

#include "base/context.h"
#include "base/team.h"

#include <string.h>

static f0t_status threads_inside(int *out, const f0t_context *context)
{
    F0T_ENTER(context);
    *out = f0t_context_wanted();
    return F0T_OK;
}

static void a_function_works_in_the_context_of_its_caller(void **state)
{
    const f0t_context three = {.threads = 3}, five = {.threads = 5};
    int inside = 0;
    (void)state;
    assert_null(f0t_context_current());
    assert_true(f0t_context_wanted() >= 1);
    {
        F0T_ENTER(&three);
        assert_int_equal(f0t_context_wanted(), F0T_TEST_THREADS(3));
        assert_ok(threads_inside(&inside, &five));
        assert_int_equal(inside, F0T_TEST_THREADS(5));
        assert_ok(threads_inside(&inside, NULL));
        assert_int_equal(inside, F0T_TEST_THREADS(3));
    }
    assert_null(f0t_context_current());
}

static void the_monitor_is_that_of_the_context(void **state)
{
    const f0t_monitor one = {0}, two = {0};
    const f0t_context context = {.threads = 2, .monitor = &one};
    (void)state;
    assert_null(f0t_context_monitor(NULL));
    assert_ptr_equal(f0t_context_monitor(&context), &one);
    F0T_ENTER(&context);
    assert_ptr_equal(f0t_context_monitor(NULL), &one);
    const f0t_context *watched = F0T_WATCHED(&two);
    assert_ptr_equal(watched->monitor, &two);
    assert_int_equal(watched->threads, F0T_TEST_THREADS(2));
}

static void alone_all_but_the_threads_stays(void **state)
{
    const f0t_monitor monitor = {0};
    const f0t_context context = {.threads = 3,
                                 .monitor = &monitor,
                                 .compute = (const void *)"a device",
                                 .group = (const void *)"a group"};
    (void)state;
    assert_true(F0T_ALONE->threads == 1 && !F0T_ALONE->monitor);
    F0T_ENTER(&context);
    const f0t_context *alone = F0T_ALONE;
    assert_true(alone->threads == 1 && alone->monitor == &monitor);
    assert_ptr_equal(alone->compute, context.compute);
    assert_ptr_equal(alone->group, context.group);
}

/* ---- Options ------------------------------------------------------------------------------------- */

typedef struct grown {
    size_t size;
    int first, second;
    double third;
} grown;

static void options_of_any_version_are_read(void **state)
{
    const grown defaults = {sizeof(grown), 1, 2, 3};
    grown read = defaults;
    (void)state;
    assert_ok(f0t_options_read(&read, sizeof read, NULL, "grown"));
    assert_memory_equal(&read, &defaults, sizeof read);
    /* Of an older header: what it does not have keeps its default. */
    const struct {
        size_t size;
        int first, second;
    } older = {sizeof older, 7, 8};
    assert_ok(f0t_options_read(&read, sizeof read, &older, "grown"));
    assert_true(read.first == 7 && read.second == 8 && read.third == 3 && read.size == sizeof read);
    /* Of a newer one: all right as long as nothing is asked for that is not known here. */
    struct {
        grown known;
        double more;
    } newer = {{sizeof newer, 4, 5, 6}, 0};
    assert_ok(f0t_options_read(&read, sizeof read, &newer, "grown"));
    assert_true(read.first == 4 && read.third == 6 && read.size == sizeof read);
    newer.more = 1;
    assert_fails(F0T_ERROR_UNSUPPORTED,
                 "grown has members that version 0.1.0 of the library does not know",
                 f0t_options_read(&read, sizeof read, &newer, "grown"));
}

static void options_without_their_size_are_refused(void **state)
{
    grown given = {0, 1, 2, 3}, read = given;
    (void)state;
    assert_fails(F0T_ERROR_ARGUMENT,
                 "grown.size is 0: options begin with their initializer, which sets it",
                 f0t_options_read(&read, sizeof read, &given, "grown"));
    given.size = SIZE_MAX;
    assert_fails(F0T_ERROR_ARGUMENT, "grown.size",
                 f0t_options_read(&read, sizeof read, &given, "grown"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_function_works_in_the_context_of_its_caller),
        cmocka_unit_test(the_monitor_is_that_of_the_context),
        cmocka_unit_test(alone_all_but_the_threads_stays),
        cmocka_unit_test(options_of_any_version_are_read),
        cmocka_unit_test(options_without_their_size_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
