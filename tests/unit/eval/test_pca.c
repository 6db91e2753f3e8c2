/* Uncentred principal components against LAPACK's singular value decomposition. */
#include "support.h"

#include "eval/pca.h"
#include "math/solve.h"

#include <math.h>

enum { ROWS = 60, DIM = 9 };

static void components_are_those_of_the_singular_value_decomposition(void **state)
{
    float x[ROWS * DIM], axes[DIM * DIM];
    double a[ROWS * DIM], u[ROWS * DIM], s[DIM], vt[DIM * DIM], values[DIM], total, sum = 0;
    f0t_pca pca;
    (void)state;
    test_random_floats(x, ROWS * DIM, 4);
    for (size_t i = 0; i < ROWS * DIM; i++) {
        x[i] =
            (x[i] + 0.7F) * (float)(1 + i % DIM); /* far from centred, axes of different length */
        a[i] = (double)x[i];
    }
    assert_ok(f0t_svd_f64(a, ROWS, DIM, u, s, vt));
    assert_ok(f0t_pca_create(&pca, DIM));
    assert_ok(f0t_pca_add(&pca, x, 13));
    assert_ok(f0t_pca_add(&pca, x + 13 * DIM, ROWS - 13));
    assert_ok(f0t_pca_finish(axes, values, &total, &pca, DIM));
    for (size_t i = 0; i < DIM; i++) {
        double cosine = 0, largest = 0;
        for (size_t k = 0; k < DIM; k++) {
            cosine += (double)axes[i * DIM + k] * vt[i * DIM + k];
            if (fabs((double)axes[i * DIM + k]) > fabs(largest))
                largest = (double)axes[i * DIM + k];
        }
        assert_true(fabs(fabs(cosine) - 1) < 1e-5);
        assert_true(largest > 0);
        assert_true(fabs(values[i] - s[i] * s[i] / ROWS) < 1e-4 * s[0] * s[0] / ROWS);
        sum += s[i] * s[i] / ROWS;
    }
    assert_true(fabs(total - sum) < 1e-5 * sum);
    f0t_pca_free(&pca);
}

static void more_components_than_dimensions_are_refused(void **state)
{
    float axes[12];
    double values[4], total;
    f0t_pca pca;
    (void)state;
    assert_ok(f0t_pca_create(&pca, 3));
    assert_fails(F0T_ERROR_ARGUMENT, "4 components of 3 dimensions",
                 f0t_pca_finish(axes, values, &total, &pca, 4));
    f0t_pca_free(&pca);
    assert_fails(F0T_ERROR_MEMORY, "no memory", f0t_pca_create(&pca, SIZE_MAX / 2));
}

static f0t_status find(void *context)
{
    float x[ROWS * DIM], axes[2 * DIM];
    double values[2], total;
    f0t_pca pca;
    (void)context;
    test_random_floats(x, ROWS * DIM, 4);
    F0T_TRY(f0t_pca_create(&pca, DIM));
    f0t_status status = f0t_pca_add(&pca, x, ROWS);
    if (status == F0T_OK)
        status = f0t_pca_finish(axes, values, &total, &pca, 2);
    f0t_pca_free(&pca);
    return status;
}

static void missing_memory_is_told(void **state)
{
    (void)state;
    test_each_fault(F0T_FAULT_ALLOC, find, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(components_are_those_of_the_singular_value_decomposition),
        cmocka_unit_test(more_components_than_dimensions_are_refused),
        cmocka_unit_test(missing_memory_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
