#include "support.h"

#include "math/solve.h"
#include "reference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static size_t most(size_t n)
{
    return getenv("F0T_TEST_SMALL") && n > 40 ? 40 : n;
}

static double *numbers(size_t count, uint64_t seed)
{
    float *narrow;
    double *wide;
    assert_ok(f0t_alloc(&narrow, count, sizeof *narrow));
    assert_ok(f0t_alloc(&wide, count, sizeof *wide));
    test_random_floats(narrow, count, seed);
    for (size_t i = 0; i < count; i++)
        wide[i] = (double)narrow[i];
    f0t_free(narrow);
    return wide;
}

/* G = XᵀX/n + I: well conditioned (below 10), so that errors stay near n units of rounding. */
static double *gram(size_t n)
{
    double *x = numbers(n * n, 7), *g = numbers(n * n, 8);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            double sum = 0;
            for (size_t l = 0; l < n; l++)
                sum += x[l * n + i] * x[l * n + j];
            g[i * n + j] = sum / (double)n + (i == j);
        }
    f0t_free(x);
    return g;
}

static void cholesky_solves_as_elimination_does(void **state)
{
    static const size_t sizes[][2] = {{1, 1}, {2, 5}, {17, 3}, {130, 0}, {130, 1}, {201, 77}};
    (void)state;
    for (size_t s = 0; s < 6; s++) {
        size_t n = most(sizes[s][0]), rows = sizes[s][1];
        double *a = gram(n), *b = numbers(rows * n, 4), *want = numbers(rows * n, 4);
        double *copy = gram(n), error = 0x1p-53 * 100 * (double)n;
        for (size_t i = 0; i < n; i++)
            for (size_t j = i + 1; j < n; j++)
                a[i * n + j] = NAN; /* the upper triangle is not read */
        assert_true(f0t_cholesky_solve_ref(copy, n, want, rows));
        assert_ok(f0t_cholesky_solve_f64(a, n, b, rows, NULL));
        for (size_t i = 0; i < rows * n; i++)
            assert_true(fabs(b[i] - want[i]) <= error);
        f0t_free(a);
        f0t_free(b);
        f0t_free(want);
        f0t_free(copy);
    }
}

static void cholesky_gives_the_same_bytes_for_any_threads_and_can_be_stopped(void **state)
{
    enum { SIZE = 300, ROWS = 150 }; /* more than two panels, and more rows than one thread's */
    (void)state;
    double *one = numbers((size_t)ROWS * SIZE, 4), *two = numbers((size_t)ROWS * SIZE, 4);
    for (int threads = 1; threads <= 2; threads++) {
        double *a = gram(SIZE);
        test_threads(threads);
        assert_ok(f0t_cholesky_solve_f64(a, SIZE, threads == 1 ? one : two, ROWS, NULL));
        f0t_free(a);
    }
    test_threads(0);
    assert_memory_equal(one, two, (size_t)ROWS * SIZE * sizeof *one);
    volatile sig_atomic_t stop = 1;
    const f0t_monitor monitor = {.stop = &stop};
    double *a = gram(SIZE);
    assert_fails(F0T_ERROR_INTERRUPTED, "interrupted while solving",
                 f0t_cholesky_solve_f64(a, SIZE, one, ROWS, &monitor));
    f0t_free(a);
    f0t_free(one);
    f0t_free(two);
}

static void a_matrix_that_is_not_positive_definite_names_its_pivot(void **state)
{
    double a[] = {1, 0, 0, 0, 4, 0, 0, 2, 1}, x[] = {5, 6, 7};
    double negative[] = {1, 0, 0, -1};
    (void)state;
    assert_fails(F0T_ERROR_NUMERIC, "pivot 3 of 3", f0t_cholesky_solve_f64(a, 3, x, 1, NULL));
    assert_true(x[0] == 5 && x[2] == 7);
    assert_fails(F0T_ERROR_NUMERIC, "pivot 2 of 2",
                 f0t_cholesky_solve_f64(negative, 2, NULL, 0, NULL));
}

/* A·v = λ·v for every row v, and the rows are orthonormal. */
static void check_eigen(const double *a, const double *v, const double *values, size_t n,
                        double error)
{
    for (size_t r = 0; r < n; r++) {
        assert_true(!r || values[r - 1] <= values[r]);
        for (size_t i = 0; i < n; i++) {
            double image = 0, dot = 0;
            for (size_t j = 0; j < n; j++) {
                image += a[i * n + j] * v[r * n + j];
                dot += v[i * n + j] * v[r * n + j];
            }
            assert_true(fabs(image - values[r] * v[r * n + i]) <= error);
            assert_true(fabs(dot - (i == r)) <= error);
        }
    }
}

static void eigenvectors_are_the_rows(void **state)
{
    static const size_t sizes[] = {1, 2, 3, 30, 101};
    (void)state;
    for (size_t s = 0; s < 5; s++) {
        size_t n = most(sizes[s]);
        double *a = gram(n), *v = gram(n), *values = numbers(n, 1);
        for (size_t i = 0; i < n; i++)
            for (size_t j = i + 1; j < n; j++)
                v[i * n + j] = NAN;
        assert_ok(f0t_eigen_f64(v, n, values));
        check_eigen(a, v, values, n, 0x1p-53 * 100 * (double)n);
        f0t_free(a);
        f0t_free(v);
        f0t_free(values);
    }
}

/* |Σ_l x[i, l] y[j, l] - (i == j)| over all pairs of `count` vectors that lie `stride` apart. */
static void check_orthonormal(const double *x, size_t count, size_t length, size_t stride,
                              size_t step, double error)
{
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < count; j++) {
            double dot = 0;
            for (size_t l = 0; l < length; l++)
                dot += x[i * stride + l * step] * x[j * stride + l * step];
            assert_true(fabs(dot - (i == j)) <= error);
        }
}

static void check_svd(const double *a, size_t m, size_t n, const double *u, const double *s,
                      const double *vt, double error)
{
    size_t p = m < n ? m : n;
    for (size_t i = 0; i < m * n; i++) {
        double sum = 0;
        for (size_t l = 0; l < p; l++)
            sum += u[i / n * p + l] * s[l] * vt[l * n + i % n];
        assert_true(fabs(sum - a[i]) <= error);
    }
    for (size_t l = 0; l < p; l++)
        assert_true(s[l] >= 0 && (!l || s[l - 1] >= s[l]));
    check_orthonormal(u, p, m, 1, p, error);
    check_orthonormal(vt, p, n, n, 1, error);
}

static void the_svd_gives_the_matrix_back(void **state)
{
    static const size_t shapes[][2] = {{1, 1}, {1, 9}, {9, 1}, {5, 3}, {3, 5}, {70, 33}, {33, 70}};
    (void)state;
    for (size_t s = 0; s < 7; s++) {
        size_t m = most(shapes[s][0]), n = most(shapes[s][1]), p = m < n ? m : n;
        double *a = numbers(m * n, 2), *copy = numbers(m * n, 2);
        double *u = numbers(m * p, 1), *values = numbers(p, 1), *vt = numbers(p * n, 1);
        assert_ok(f0t_svd_f64(copy, m, n, u, values, vt));
        check_svd(a, m, n, u, values, vt, 0x1p-53 * 100 * (double)(m + n));
        f0t_free(a);
        f0t_free(copy);
        f0t_free(u);
        f0t_free(values);
        f0t_free(vt);
    }
}

static void empty_matrices_are_fine(void **state)
{
    (void)state;
    assert_ok(f0t_cholesky_solve_f64(NULL, 0, NULL, 3, NULL));
    assert_ok(f0t_eigen_f64(NULL, 0, NULL));
    assert_ok(f0t_svd_f64(NULL, 0, 3, NULL, NULL, NULL));
    assert_ok(f0t_svd_f64(NULL, 3, 0, NULL, NULL, NULL));
}

static void nan_and_infinity_are_refused(void **state)
{
    double a[] = {1, 0, 0, 1}, x[] = {1, NAN}, bad[] = {1, 0, INFINITY, 1}, u[4], s[2], vt[4];
    (void)state;
    assert_fails(F0T_ERROR_NUMERIC, "NaN", f0t_cholesky_solve_f64(a, 2, x, 1, NULL));
    assert_fails(F0T_ERROR_NUMERIC, "NaN", f0t_cholesky_solve_f64(bad, 2, a, 1, NULL));
    assert_fails(F0T_ERROR_NUMERIC, "NaN", f0t_eigen_f64(bad, 2, s));
    assert_fails(F0T_ERROR_NUMERIC, "NaN", f0t_svd_f64(bad, 2, 2, u, s, vt));
}

static void sizes_beyond_lapack_are_refused(void **state)
{
    double x[1] = {0};
    (void)state;
    assert_fails(F0T_ERROR_UNSUPPORTED, "rows or columns is too large",
                 f0t_eigen_f64(x, (size_t)1 << 32, x));
    assert_fails(F0T_ERROR_UNSUPPORTED, "too large",
                 f0t_cholesky_solve_f64(x, 1, x, (size_t)1 << 32, NULL));
}

static f0t_status factor(void *context)
{
    double a[] = {2, 0, 0, 1}, b[] = {1, 2, 3, 4}, u[4], s[2], vt[4];
    (void)context;
    F0T_TRY(f0t_eigen_f64(a, 2, s));
    return f0t_svd_f64(b, 2, 2, u, s, vt);
}

static void every_failed_allocation_is_reported(void **state)
{
    (void)state;
    test_each_fault(F0T_FAULT_ALLOC, factor, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cholesky_solves_as_elimination_does),
        cmocka_unit_test(cholesky_gives_the_same_bytes_for_any_threads_and_can_be_stopped),
        cmocka_unit_test(a_matrix_that_is_not_positive_definite_names_its_pivot),
        cmocka_unit_test(eigenvectors_are_the_rows),
        cmocka_unit_test(the_svd_gives_the_matrix_back),
        cmocka_unit_test(empty_matrices_are_fine),
        cmocka_unit_test(nan_and_infinity_are_refused),
        cmocka_unit_test(sizes_beyond_lapack_are_refused),
        cmocka_unit_test(every_failed_allocation_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
