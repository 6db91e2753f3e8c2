#include "support.h"

#include "math/product.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* More than one piece in both directions, and what is left of one. */
enum { M = 150, N = 300, K = 23 };

static double *draw(size_t count, uint64_t seed)
{
    float *drawn = malloc(count * sizeof *drawn);
    double *to = malloc(count * sizeof *to);
    test_random_floats(drawn, count, seed);
    for (size_t i = 0; i < count; i++)
        to[i] = (double)drawn[i];
    free(drawn);
    return to;
}

static void check(const f0t_product *op)
{
    double *a = draw(op->m * op->k, 5), *b = draw(op->n * op->k, op->lower ? 5 : 6);
    double *one = malloc(op->m * op->n * sizeof *one), *two = malloc(op->m * op->n * sizeof *two);
    test_threads(1);
    assert_ok(f0t_product_f64(one, a, b, op, NULL));
    test_threads(2);
    assert_ok(f0t_product_f64(two, a, b, op, NULL));
    test_threads(0);
    assert_memory_equal(one, two, op->m * op->n * sizeof *one);
    for (size_t i = 0; i < op->m; i++)
        for (size_t j = 0; j < op->n; j++) {
            double sum = 0;
            for (size_t k = 0; k < op->k; k++)
                sum += a[i * op->k + k] * (op->b_transposed ? b[j * op->k + k] : b[k * op->n + j]);
            assert_true(fabs(sum - one[i * op->n + j]) < 1e-12);
        }
    free(a);
    free(b);
    free(one);
    free(two);
}

static void the_product_is_that_of_its_definition_for_any_threads(void **state)
{
    (void)state;
    check(&(f0t_product){.m = M, .n = N, .k = K, .b_transposed = true});
    check(&(f0t_product){.m = M, .n = N, .k = K});
    check(&(f0t_product){.m = N, .n = N, .k = K, .b_transposed = true, .lower = true});
    check(&(f0t_product){.m = 1, .n = 1, .k = 1});
}

static void the_stop_flag_ends_it(void **state)
{
    (void)state;
    volatile sig_atomic_t stop = 1;
    const f0t_monitor monitor = {.stop = &stop};
    double a[4] = {1, 2, 3, 4}, c[4];
    assert_fails(F0T_ERROR_INTERRUPTED, "interrupted",
                 f0t_product_f64(c, a, a, &(f0t_product){.m = 2, .n = 2, .k = 2}, &monitor));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_product_is_that_of_its_definition_for_any_threads),
        cmocka_unit_test(the_stop_flag_ends_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
