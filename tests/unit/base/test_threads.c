#include "support.h"

#include "base/context.h"
#include "base/cpu.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { THREADS = 8, ROUNDS = 2000 };

/* Fails again and again in this thread, and counts how often the last error is not its own. */
static void *fail_and_look(void *argument)
{
    int *wrong = argument;
    for (int i = 0; i < ROUNDS; i++) {
        char want[64];
        snprintf(want, sizeof want, "call %d of %p", i, argument);
        f0t_fail(F0T_ERROR_FORMAT, "%s", want);
        *wrong += strcmp(f0t_last_error(), want) != 0;
    }
    return NULL;
}

static void *allocate_and_ask(void *argument)
{
    int *wrong = argument;
    for (int i = 0; i < ROUNDS; i++) {
        char *memory = NULL;
        *wrong += f0t_alloc_zero(&memory, (size_t)i + 1, 1) != F0T_OK || memory[i] != 0;
        f0t_free(memory);
        *wrong += f0t_cpu_level() >= F0T_CPU_LEVELS || f0t_context_wanted() < 1;
    }
    return NULL;
}

static void in_many_threads(void *(*work)(void *))
{
    pthread_t threads[THREADS];
    int wrong[THREADS] = {0};
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, work, &wrong[i]), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(wrong[i], 0);
}

static void the_last_error_belongs_to_its_thread(void **state)
{
    (void)state;
    f0t_fail(F0T_ERROR_IO, "mine");
    in_many_threads(fail_and_look);
    assert_string_equal(f0t_last_error(), "mine");
}

static void many_threads_allocate_and_ask_at_once(void **state)
{
    (void)state;
    in_many_threads(allocate_and_ask);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_last_error_belongs_to_its_thread),
        cmocka_unit_test(many_threads_allocate_and_ask_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
