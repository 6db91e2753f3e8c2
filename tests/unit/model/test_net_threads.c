#include "nets.h"

#include <pthread.h>

enum { CALLERS = 4, ROUNDS = 20, ROWS = 33 };

static const f0t_net_shape shape = {17, 2, {40, 9}, 5, true};

/* What every caller applies the shared net to, and what must come out. */
static f0t_net *net;
static float x[ROWS * 17], want[ROWS * 5];

static void *apply(void *wrong)
{
    float f[ROWS * 5];
    for (size_t i = 0; i < ROUNDS; i++) {
        if (f0t_net_apply(f, net, x, ROWS) != F0T_OK)
            *(size_t *)wrong += 1;
        for (size_t j = 0; j < ROWS * 5; j++)
            *(size_t *)wrong += fabsf(f[j] - want[j]) > 1e-5F;
    }
    return NULL;
}

static void many_threads_share_a_net(void **state)
{
    pthread_t threads[CALLERS];
    size_t wrong[CALLERS] = {0};
    (void)state;
    test_random_floats(x, ROWS * 17, 1);
    net = make_net(&shape, F0T_F32, 1);
    assert_ok(f0t_net_apply(want, net, x, ROWS));
    for (size_t i = 0; i < CALLERS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, apply, &wrong[i]), 0);
    for (size_t i = 0; i < CALLERS; i++) {
        pthread_join(threads[i], NULL);
        assert_int_equal(wrong[i], 0);
    }
    f0t_net_free(net);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(many_threads_share_a_net)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
