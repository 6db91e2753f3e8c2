#include "products.h"

#include "math/product.h"

/* Blocks of the same x, one after another, against one product in double. */
static void check_gram(size_t rows, size_t cols, size_t blocks)
{
    f0t_matmul op = {.m = cols, .n = cols, .k = rows, .a_transposed = true};
    float *x = make_matrix(rows * cols, F0T_F32, 6);
    double *want = make(cols * cols, sizeof *want), *magnitude = make(cols * cols, sizeof *want);
    double *g = make(cols * cols, sizeof *g);
    for (size_t i = 0; i < cols * cols; i++)
        g[i] = 5;
    for (size_t i = 0; i < blocks; i++)
        assert_ok(f0t_gram_add(g, x, rows, cols));
    f0t_matmul_ref(want, magnitude, x, x, NULL, &op);
    for (size_t i = 0; i < cols * cols; i++) {
        double sum = i % cols <= i / cols ? (double)blocks * want[i] : 0;
        assert_true(fabs(g[i] - 5 - sum) <= (double)blocks * tolerance(&op, sum, magnitude[i]));
    }
    f0t_free(x);
    f0t_free(want);
    f0t_free(magnitude);
    f0t_free(g);
}

static void the_lower_triangle_gets_the_sums(void **state)
{
    static const size_t shapes[][3] = {
        {1, 1, 1}, {1, 7, 3}, {50, 1, 2}, {33, 65, 2}, {100, 300, 1}};
    (void)state;
    for (size_t i = 0; i < (getenv("F0T_TEST_SMALL") ? 4 : 5); i++)
        check_gram(shapes[i][0], shapes[i][1], shapes[i][2]);
}

/* Tiles and strips are one thread's each: how many there are shows nowhere. */
static void any_number_of_threads_gives_the_same_bytes(void **state)
{
    static const size_t shapes[][3] = {{700, 24, 300}, {301, 200, 7}, {50, 450, 130}};
    (void)state;
    for (size_t i = 0; i < (getenv("F0T_TEST_SMALL") ? 1 : 3); i++) {
        const size_t rows = shapes[i][0], n = shapes[i][1], m = shapes[i][2];
        float *x = make_matrix(rows * n, F0T_F32, 6), *a = make_matrix(rows * m, F0T_F32, 7);
        double *g[2] = {make(n * n, sizeof **g), make(n * n, sizeof **g)};
        float *c[2] = {make(m * n, sizeof **c), make(m * n, sizeof **c)};
        for (int threads = 1; threads <= 5; threads++) {
            const size_t at = threads > 1;
            test_threads(threads);
            memset(g[at], 0, n * n * sizeof **g);
            memset(c[at], 0, m * n * sizeof **c);
            assert_ok(f0t_gram_add(g[at], x, rows, n));
            assert_ok(f0t_cross_add(c[at], a, x, rows, m, n));
            assert_memory_equal(g[0], g[at], n * n * sizeof **g);
            assert_memory_equal(c[0], c[at], m * n * sizeof **c);
        }
        test_threads(0);
        void *all[] = {x, a, g[0], g[1], c[0], c[1]};
        for (size_t j = 0; j < sizeof all / sizeof *all; j++)
            f0t_free(all[j]);
    }
}

static void crossed_products_are_added(void **state)
{
    enum { ROWS = 60, M = 70, N = 33 };
    f0t_matmul op = {.m = M, .n = N, .k = ROWS, .a_transposed = true};
    float *a = make_matrix(ROWS * M, F0T_F32, 8), *x = make_matrix(ROWS * N, F0T_F32, 9);
    float *c = make(M * N, sizeof *c);
    double *want = make(M * N, sizeof *want), *magnitude = make(M * N, sizeof *want);
    (void)state;
    for (size_t i = 0; i < M * N; i++)
        c[i] = 2;
    assert_ok(f0t_cross_add(c, a, x, ROWS, M, N));
    f0t_matmul_ref(want, magnitude, a, x, NULL, &op);
    for (size_t i = 0; i < M * N; i++)
        assert_true(fabs((double)c[i] - 2 - want[i]) <= tolerance(&op, want[i], magnitude[i] + 2));
    void *all[] = {a, x, c, want, magnitude};
    for (size_t j = 0; j < sizeof all / sizeof *all; j++)
        f0t_free(all[j]);
}

static void an_empty_block_adds_nothing(void **state)
{
    double g[] = {1, 2, 3, 4};
    (void)state;
    assert_ok(f0t_gram_add(g, NULL, 0, 2));
    assert_ok(f0t_gram_add(g, NULL, 2, 0));
    assert_true(g[0] == 1 && g[3] == 4);
}

static void a_block_beyond_the_library_is_refused(void **state)
{
    double g = 0;
    float x = 0;
    (void)state;
    assert_fails(F0T_ERROR_UNSUPPORTED, "is too large", f0t_gram_add(&g, &x, (size_t)1 << 32, 1));
}

static f0t_status add_once(void *context)
{
    double g[4] = {0};
    float x[] = {1, 2};
    (void)context;
    f0t_matmul_clear();
    return f0t_gram_add(g, x, 1, 2);
}

static void every_failed_allocation_is_reported(void **state)
{
    (void)state;
    test_each_fault(F0T_FAULT_ALLOC, add_once, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_lower_triangle_gets_the_sums),
        cmocka_unit_test(any_number_of_threads_gives_the_same_bytes),
        cmocka_unit_test(crossed_products_are_added),
        cmocka_unit_test(an_empty_block_adds_nothing),
        cmocka_unit_test(a_block_beyond_the_library_is_refused),
        cmocka_unit_test(every_failed_allocation_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
