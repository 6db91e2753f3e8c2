/* The randomised decomposition beside LAPACK's. */
#include "support.h"

#include "math/matmul.h"
#include "math/solve.h"
#include "math/sparse.h"

#include <math.h>
#include <string.h>

enum { ROWS = 90, COLS = 60 };

/* A sparse matrix of rank `rank` at most (its rows repeat), with falling singular values. */
static void make(f0t_sparse *out, size_t rows, size_t cols, size_t rank)
{
    float *x = test_malloc(rank * cols * sizeof *x);
    size_t count = 0;
    test_random_floats(x, rank * cols, 5);
    assert_ok(f0t_sparse_create(out, rows, cols, rows * cols));
    for (size_t i = 0; i < rows; i++) {
        for (size_t j = 0; j < cols; j++) {
            float value = x[i % rank * cols + j] / (float)(1 + i % rank);
            if (value > 0 || j % 3 == 0) {
                out->column[count] = (uint32_t)j;
                out->value[count++] = value;
            }
        }
        out->begin[i + 1] = count;
    }
    test_free(x);
}

static void lapack(double *s, double *vt, const f0t_sparse *a)
{
    double *dense = test_malloc(a->rows * a->cols * sizeof *dense);
    double *u = test_malloc(a->rows * a->cols * sizeof *u);
    memset(dense, 0, a->rows * a->cols * sizeof *dense);
    for (size_t i = 0; i < a->rows; i++)
        for (size_t k = a->begin[i]; k < a->begin[i + 1]; k++)
            dense[i * a->cols + a->column[k]] = (double)a->value[k];
    assert_ok(f0t_svd_f64(dense, a->rows, a->cols, u, s, vt));
    test_free(dense);
    test_free(u);
}

static void check_leading_vectors(size_t rows)
{
    enum { D = 6 };
    f0t_sparse a;
    float v[COLS * D], s[D];
    double want_s[COLS], want_v[COLS * COLS];
    make(&a, rows, COLS, 40);
    lapack(want_s, want_v, &a);
    assert_ok(f0t_sparse_svd(v, s, &a, D, &(f0t_svd_options){20, 6, 1, NULL}));
    for (size_t i = 0; i < D; i++) {
        double dot = 0;
        assert_true(fabs((double)s[i] - want_s[i]) < 1e-3 * want_s[0]);
        for (size_t j = 0; j < COLS; j++)
            dot += (double)v[j * D + i] * want_v[i * COLS + j];
        assert_true(fabs(fabs(dot) - 1) < 1e-3);
    }
    f0t_sparse_clear(&a);
}

static void leading_vectors_are_lapacks(void **state)
{
    (void)state;
    check_leading_vectors(ROWS);
}

/* More rows than are multiplied at once, in place. */
static void those_of_a_tall_matrix_are(void **state)
{
    (void)state;
    check_leading_vectors(40000);
}

static void beyond_the_rank_all_is_0(void **state)
{
    (void)state;
    enum { D = 10 };
    f0t_sparse a;
    float v[COLS * D], s[D];
    double want_s[COLS], want_v[COLS * COLS];
    make(&a, ROWS, COLS, 4);
    lapack(want_s, want_v, &a);
    assert_ok(f0t_sparse_svd(v, s, &a, D, &(f0t_svd_options){5, 2, 1, NULL}));
    for (size_t i = 0; i < D; i++) {
        assert_true(i < 4 ? fabs((double)s[i] - want_s[i]) < 1e-3 * want_s[0] : s[i] == 0);
        for (size_t j = 0; i >= 4 && j < COLS; j++)
            assert_true(v[j * D + i] == 0);
    }
    f0t_sparse_clear(&a);
}

static void a_matrix_of_zeros_gives_zeros(void **state)
{
    (void)state;
    f0t_sparse a;
    float v[3 * 2], s[2];
    assert_ok(f0t_sparse_create(&a, 2, 3, 0));
    assert_ok(f0t_sparse_svd(v, s, &a, 2, &(f0t_svd_options){1, 1, 1, NULL}));
    for (size_t i = 0; i < 6; i++)
        assert_true(v[i] == 0 && s[i / 3] == 0);
    f0t_sparse_clear(&a);
}

static void threads_change_no_byte(void **state)
{
    (void)state;
    enum { D = 24, MANY = 5000, WIDE = 3000 };
    f0t_sparse a;
    float *v[2], s[2][D];
    make(&a, MANY, WIDE, 50);
    for (int i = 0; i < 2; i++) {
        v[i] = test_malloc(WIDE * D * sizeof(float));
        test_threads(i + 1);
        assert_ok(f0t_sparse_svd(v[i], s[i], &a, D, &(f0t_svd_options){8, 1, 3, NULL}));
    }
    test_threads(0);
    assert_memory_equal(v[0], v[1], WIDE * D * sizeof(float));
    assert_memory_equal(s[0], s[1], sizeof s[0]);
    test_free(v[0]);
    test_free(v[1]);
    f0t_sparse_clear(&a);
}

static f0t_status decompose(void *context)
{
    float v[COLS * 3], s[3];
    f0t_matmul_clear();
    return f0t_sparse_svd(v, s, context, 3, &(f0t_svd_options){2, 1, 1, NULL});
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    f0t_sparse a;
    make(&a, 20, COLS, 10);
    test_threads(1);
    test_each_fault(F0T_FAULT_ALLOC, decompose, &a);
    test_threads(0);
    f0t_sparse_clear(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(leading_vectors_are_lapacks),
        cmocka_unit_test(those_of_a_tall_matrix_are),
        cmocka_unit_test(beyond_the_rank_all_is_0),
        cmocka_unit_test(a_matrix_of_zeros_gives_zeros),
        cmocka_unit_test(threads_change_no_byte),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
