#include "support.h"

#include "math/sparse.h"

#include <math.h>
#include <string.h>

/* Entry (i, j) of a matrix that is mostly 0, with empty rows and columns. */
static float entry(size_t i, size_t j)
{
    uint64_t h = (i * 2654435761U + j * 40503U + 7) * 0x9E3779B97F4A7C15U;
    if (i % 7 == 3 || j % 5 == 2 || h >> 61)
        return 0;
    return (float)((double)(h >> 40) / (1 << 22)) - 1;
}

static void make(f0t_sparse *out, size_t rows, size_t cols)
{
    size_t count = 0;
    assert_ok(f0t_sparse_create(out, rows, cols, rows * cols));
    for (size_t i = 0; i < rows; i++) {
        for (size_t j = 0; j < cols; j++)
            if (entry(i, j) != 0) {
                out->column[count] = (uint32_t)j;
                out->value[count++] = entry(i, j);
            }
        out->begin[i + 1] = count;
    }
}

static void products_are_those_of_the_dense_matrix(void **state)
{
    (void)state;
    static const size_t widths[] = {1, 3, 16, 33};
    f0t_sparse a;
    float b[40 * 33], c[70 * 33];
    make(&a, 70, 40);
    test_random_floats(b, 40 * 33, 1);
    for (size_t w = 0; w < 4; w++) {
        size_t n = widths[w];
        f0t_sparse_multiply(c, &a, b, n);
        for (size_t i = 0; i < 70; i++)
            for (size_t j = 0; j < n; j++) {
                double want = 0;
                for (size_t k = 0; k < 40; k++)
                    want += (double)entry(i, k) * (double)b[k * n + j];
                assert_true(fabs((double)c[i * n + j] - want) < 1e-5);
            }
    }
    f0t_sparse_clear(&a);
}

static void transposing_swaps_rows_and_columns(void **state)
{
    (void)state;
    f0t_sparse a, t;
    make(&a, 30, 50);
    assert_ok(f0t_sparse_transpose(&t, &a));
    assert_int_equal(t.rows, 50);
    assert_int_equal(t.cols, 30);
    assert_int_equal(t.begin[50], a.begin[30]);
    for (size_t i = 0; i < 50; i++)
        for (size_t k = t.begin[i]; k < t.begin[i + 1]; k++) {
            assert_true(k == t.begin[i] || t.column[k] > t.column[k - 1]);
            assert_true(t.value[k] == entry(t.column[k], i));
        }
    f0t_sparse_clear(&t);
    f0t_sparse_clear(&a);
}

static f0t_status transpose(void *context)
{
    f0t_sparse t;
    f0t_status status = f0t_sparse_transpose(&t, context);
    f0t_sparse_clear(&t);
    return status;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    f0t_sparse a;
    make(&a, 5, 6);
    test_each_fault(F0T_FAULT_ALLOC, transpose, &a);
    f0t_sparse_clear(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_are_those_of_the_dense_matrix),
        cmocka_unit_test(transposing_swaps_rows_and_columns),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
