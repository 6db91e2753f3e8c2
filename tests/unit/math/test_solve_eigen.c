#include "support.h"

#include "math/product.h"
#include "math/solve.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { N = 600 }; /* enough for several panels */

static const f0t_product SQUARE = {.m = N, .n = N, .k = N, .b_transposed = true};

/* G Gᵀ / N of random numbers; the upper triangle is not to be read. */
static double *make(bool upper)
{
    float *drawn = malloc((size_t)N * N * sizeof *drawn);
    double *g = malloc((size_t)N * N * sizeof *g), *a = malloc((size_t)N * N * sizeof *a);
    test_random_floats(drawn, (size_t)N * N, 3);
    for (size_t i = 0; i < (size_t)N * N; i++)
        g[i] = (double)drawn[i];
    assert_ok(f0t_product_f64(a, g, g, &SQUARE, NULL));
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < N; j++)
            a[i * N + j] = j > i && !upper ? (double)NAN : a[i * N + j] / N;
    free(drawn);
    free(g);
    return a;
}

static void the_steps_give_what_one_call_gives(void **state)
{
    double *a = make(true), *v = make(false), *whole = make(false);
    double *image = malloc((size_t)N * N * sizeof *image), values[N], want[N];
    (void)state;
    assert_ok(f0t_eigen_watched(v, N, values, NULL));
    assert_ok(f0t_eigen_f64(whole, N, want));
    for (size_t i = 0; i < N; i++)
        assert_true(fabs(values[i] - want[i]) < 1e-11 && (!i || values[i - 1] <= values[i]));
    assert_ok(f0t_product_f64(image, v, a, &SQUARE, NULL)); /* row i is A v of value i */
    for (size_t i = 0; i < (size_t)N * N; i++)
        assert_true(fabs(image[i] - values[i / N] * v[i]) < 1e-11);
    assert_ok(f0t_product_f64(image, v, v, &SQUARE, NULL));
    for (size_t i = 0; i < (size_t)N * N; i++)
        assert_true(fabs(image[i] - (i / N == i % N)) < 1e-11);
    free(a);
    free(v);
    free(whole);
    free(image);
}

static void any_number_of_threads_gives_the_same_bytes(void **state)
{
    double *one = make(false), values[N];
    (void)state;
    test_threads(1);
    assert_ok(f0t_eigen_watched(one, N, values, NULL));
    for (int threads = 2; threads <= 3; threads++) {
        double *many = make(false), same[N];
        test_threads(threads);
        assert_ok(f0t_eigen_watched(many, N, same, NULL));
        assert_memory_equal(one, many, (size_t)N * N * sizeof *one);
        assert_memory_equal(values, same, sizeof values);
        free(many);
    }
    test_threads(0);
    free(one);
}

static void it_stops_and_refuses(void **state)
{
    volatile sig_atomic_t stop = 1;
    const f0t_monitor monitor = {.stop = &stop};
    double *a = make(false), values[N];
    (void)state;
    assert_fails(F0T_ERROR_INTERRUPTED, "interrupted while finding eigenvectors",
                 f0t_eigen_watched(a, N, values, &monitor));
    free(a);
    a = make(false);
    a[N * 5 + 2] = INFINITY;
    assert_fails(F0T_ERROR_NUMERIC, "NaN or infinity", f0t_eigen_watched(a, N, values, NULL));
    free(a);
}

static f0t_status again(void *context)
{
    double *a = make(false), values[N];
    (void)context;
    f0t_status status = f0t_eigen_watched(a, N, values, NULL);
    free(a);
    return status;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    test_each_fault(F0T_FAULT_ALLOC, again, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_steps_give_what_one_call_gives),
        cmocka_unit_test(any_number_of_threads_gives_the_same_bytes),
        cmocka_unit_test(it_stops_and_refuses),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
