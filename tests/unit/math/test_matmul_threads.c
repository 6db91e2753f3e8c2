#include "products.h"

#include <pthread.h>

enum { CALLERS = 6, ROUNDS = 30, M = 33, N = 65, K = 40 };

/* What every caller multiplies, and what must come out, bit for bit. */
static float a[M * K], b[K * N], want[M * N];
static f0t_packed *packed;

static void *multiply(void *number)
{
    test_threads(1);
    float c[M * N];
    size_t wrong = 0;
    f0t_matmul op = {.m = M, .n = N, .k = K};
    for (size_t i = 0; i < ROUNDS; i++) {
        /* Some of the same shape at once, some of others: the callers share and evict plans. */
        f0t_matmul other = {.m = 1 + i % 5, .n = 3, .k = 1 + i % 7};
        float small[15];
        wrong += f0t_matmul_run(small, a, b, NULL, &other) != F0T_OK;
        wrong += i % 2 ? f0t_matmul_run(c, a, b, NULL, &op) != F0T_OK
                       : f0t_matmul_run_packed(c, a, packed, NULL, &op) != F0T_OK;
        for (size_t j = 0; j < M * N; j++)
            wrong += fabsf(c[j] - want[j]) > 1e-5F;
    }
    *(size_t *)number = wrong;
    return NULL;
}

static void many_threads_multiply_at_once(void **state)
{
    pthread_t threads[CALLERS];
    size_t wrong[CALLERS];
    f0t_matmul op = {.m = M, .n = N, .k = K};
    (void)state;
    test_threads(1);
    test_random_floats(a, M * K, 1);
    test_random_floats(b, K * N, 2);
    assert_ok(f0t_packed_create(&packed, K, N, F0T_F32, M));
    assert_ok(f0t_packed_set(packed, b, false));
    assert_ok(f0t_matmul_run(want, a, b, NULL, &op));
    f0t_matmul_clear();
    for (int i = 0; i < CALLERS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, multiply, &wrong[i]), 0);
    for (int i = 0; i < CALLERS; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
        assert_int_equal(wrong[i], 0);
    }
    f0t_packed_free(packed);
    test_threads(0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(many_threads_multiply_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
