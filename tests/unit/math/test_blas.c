/* OpenBLAS uses the kernels of this CPU, also of one that it does not know. */
#include "support.h"

#include "base/cpu.h"
#include "math/product.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char *openblas_get_corename(void) __attribute__((weak));

/* Loading the library decides nothing yet. Nothing before this in the process may ask. */
static void a_program_may_set_the_limit_itself(void **state)
{
    int status;
    (void)state;
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        setenv("F0T_MAX_CPU", "base", 1);
        _exit(f0t_cpu_level() != F0T_CPU_BASE);
    }
    assert_true(waitpid(child, &status, 0) == child && WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

static void a_new_cpu_is_not_taken_for_an_old_one(void **state)
{
    (void)state;
    if (!openblas_get_corename || getenv("OPENBLAS_CORETYPE"))
        test_skip("another BLAS, or its kernels are chosen by OPENBLAS_CORETYPE");
    assert_true(f0t_cpu_level() == F0T_CPU_BASE || strcmp(openblas_get_corename(), "Prescott"));
    assert_null(getenv("OPENBLAS_CORETYPE"));
}

static void its_products_are_right(void **state)
{
    enum { M = 70, N = 41, K = 53 };
    static double a[M * K], b[K * N], c[M * N];
    const f0t_product op = {.m = M, .n = N, .k = K};
    (void)state;
    for (size_t i = 0; i < M * K; i++)
        a[i] = (double)(i % 13) - 6;
    for (size_t i = 0; i < K * N; i++)
        b[i] = (double)(i % 7) - 3;
    assert_ok(f0t_product_f64(c, a, b, &op, NULL));
    for (size_t i = 0; i < M; i++)
        for (size_t j = 0; j < N; j++) {
            double sum = 0;
            for (size_t k = 0; k < K; k++)
                sum += a[i * K + k] * b[k * N + j];
            assert_true(c[i * N + j] == sum);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_program_may_set_the_limit_itself),
        cmocka_unit_test(a_new_cpu_is_not_taken_for_an_old_one),
        cmocka_unit_test(its_products_are_right),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
