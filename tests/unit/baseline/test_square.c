#include "support.h"

#include "baseline/square.h"

#include <math.h>
#include <string.h>

enum { M = 7, N = 5, K = 23 };

static void the_product_is_that_of_its_definition_for_any_threads(void **state)
{
    float drawn[(M + N) * K];
    double a[M * K], b[N * K], one[M * N], two[M * N];
    (void)state;
    test_random_floats(drawn, sizeof drawn / sizeof *drawn, 5);
    for (size_t i = 0; i < M * K; i++)
        a[i] = (double)drawn[i];
    for (size_t i = 0; i < N * K; i++)
        b[i] = (double)drawn[M * K + i];
    f0t_threads_set(1);
    f0t_square_product(one, a, b, M, N, K);
    f0t_threads_set(2);
    f0t_square_product(two, a, b, M, N, K);
    f0t_threads_set(0);
    assert_memory_equal(one, two, sizeof one);
    for (size_t i = 0; i < M; i++)
        for (size_t j = 0; j < N; j++) {
            double sum = 0;
            for (size_t k = 0; k < K; k++)
                sum += a[i * K + k] * b[j * K + k];
            assert_true(fabs(sum - one[i * N + j]) < 1e-13);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_product_is_that_of_its_definition_for_any_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
