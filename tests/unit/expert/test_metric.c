#include "support.h"

#include "base/random.h"
#include "expert/metric.h"

#include <math.h>
#include <string.h>

enum { ROWS = 3000, D = 5 };

/* Features with a mean, and variances that differ by orders of magnitude along mixed axes. */
static void make_rows(float *x)
{
    const f0t_random random = {3, 0};
    for (size_t i = 0; i < ROWS; i++) {
        double z[D];
        for (size_t j = 0; j < D; j++)
            z[j] = pow(4, -(double)j) * f0t_random_normal(&random, i * D + j);
        for (size_t j = 0; j < D; j++)
            x[i * D + j] = (float)(2 + z[j] + 0.5 * z[(j + 1) % D]);
    }
}

/* c[D x D] of the rows. */
static void covariance(double *c, const float *x)
{
    double mean[D] = {0};
    memset(c, 0, D * D * sizeof *c);
    for (size_t i = 0; i < ROWS; i++)
        for (size_t j = 0; j < D; j++)
            mean[j] += (double)x[i * D + j] / ROWS;
    for (size_t i = 0; i < ROWS; i++)
        for (size_t j = 0; j < D; j++)
            for (size_t k = 0; k < D; k++)
                c[j * D + k] +=
                    ((double)x[i * D + j] - mean[j]) * ((double)x[i * D + k] - mean[k]) / ROWS;
}

/* Before lengths are made equal the axes are uncorrelated, centred, and their standard deviations
 * are the square roots of what they were. */
static void axes_keep_the_root_of_their_deviation(void **state)
{
    (void)state;
    static float x[ROWS * D], y[ROWS * D];
    f0t_metric *m;
    double before[D * D], after[D * D], trace = 0, kept = 0;
    make_rows(x);
    assert_ok(f0t_metric_create(&m, x, ROWS, D, D, NULL));
    for (size_t i = 0; i < ROWS; i++)
        for (size_t j = 0; j < D; j++) {
            double sum = (double)m->shift[j];
            for (size_t k = 0; k < D; k++)
                sum += (double)m->map[j * D + k] * (double)x[i * D + k];
            y[i * D + j] = (float)sum;
        }
    covariance(before, x);
    covariance(after, y);
    for (size_t j = 0; j < D; j++)
        trace += before[j * D + j];
    for (size_t j = 0; j < D; j++)
        for (size_t k = 0; k < D; k++)
            if (j != k)
                assert_true(fabs(after[j * D + k]) < 1e-4);
    /* Variance v' = v / √(v/mean + 0.01): solved back for v, they sum to what they were. */
    for (size_t j = 0; j < D; j++) {
        double mean = trace / D, target = after[j * D + j], low = 0, high = 100 * trace;
        for (int i = 0; i < 200; i++) {
            double v = (low + high) / 2;
            *(v / sqrt(v / mean + 0.01) < target ? &low : &high) = v;
        }
        kept += low;
    }
    assert_true(fabs(kept - trace) < 1e-3 * trace);
    f0t_metric_free(m);
}

static void applied_rows_have_length_one(void **state)
{
    (void)state;
    static float x[ROWS * D], y[ROWS * D];
    f0t_metric *m;
    make_rows(x);
    assert_ok(f0t_metric_create(&m, x, ROWS, D, D, NULL));
    assert_ok(f0t_metric_apply(y, m, x, ROWS));
    for (size_t i = 0; i < ROWS; i++) {
        double norm = 0;
        for (size_t j = 0; j < D; j++)
            norm += (double)y[i * D + j] * (double)y[i * D + j];
        assert_true(fabs(norm - 1) < 1e-5);
    }
    f0t_metric_free(m);
}

/* Fewer axes are the last of all: those of largest variance. */
static void fewer_axes_are_the_largest(void **state)
{
    (void)state;
    static float x[ROWS * D];
    f0t_metric *all, *some;
    make_rows(x);
    assert_ok(f0t_metric_create(&all, x, ROWS, D, D + 1, NULL));
    assert_ok(f0t_metric_create(&some, x, ROWS, D, 2, NULL));
    assert_int_equal(all->dim, D);
    assert_int_equal(some->dim, 2);
    assert_memory_equal(some->map, all->map + (D - 2) * D, 2 * D * sizeof *some->map);
    assert_memory_equal(some->shift, all->shift + D - 2, 2 * sizeof *some->shift);
    f0t_metric_free(all);
    f0t_metric_free(some);
}

/* Fewer rows than features, and the same three times over: the axes are found from different matrices, and are
 * the same but for their signs. */
static void few_rows_have_the_same_axes(void **state)
{
    (void)state;
    enum { FEW = 20, WIDE = 30, AXES = 8 };
    static float x[ROWS * D], few[FEW * WIDE], many[3 * FEW * WIDE];
    float a[FEW * AXES], b[FEW * AXES];
    f0t_metric *dual, *primal;
    make_rows(x);
    for (size_t i = 0; i < FEW * WIDE; i++)
        few[i] = many[i] = many[FEW * WIDE + i] = many[2 * FEW * WIDE + i] = x[i] + (float)(i % 3);
    assert_ok(f0t_metric_create(&dual, few, FEW, WIDE, AXES, NULL));
    assert_ok(f0t_metric_create(&primal, many, 3 * FEW, WIDE, AXES, NULL));
    assert_ok(f0t_metric_apply(a, dual, few, FEW));
    assert_ok(f0t_metric_apply(b, primal, few, FEW));
    for (size_t j = 0; j < AXES; j++) {
        const float sign = a[j] * b[j] < 0 ? -1 : 1;
        for (size_t i = 0; i < FEW; i++)
            assert_true(fabsf(a[i * AXES + j] - sign * b[i * AXES + j]) < 1e-3F);
    }
    f0t_metric_free(dual);
    f0t_metric_free(primal);
}

static void rows_that_are_all_equal_stay_finite(void **state)
{
    (void)state;
    float x[4 * D], y[4 * D];
    f0t_metric *m;
    for (size_t i = 0; i < 4 * D; i++)
        x[i] = 0.25F;
    for (size_t most = 1; most <= D; most++) {
        assert_ok(f0t_metric_create(&m, x, 4, D, most, NULL));
        assert_ok(f0t_metric_apply(y, m, x, 4));
        for (size_t i = 0; i < 4 * most; i++)
            assert_true(isfinite(y[i]));
        f0t_metric_free(m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(axes_keep_the_root_of_their_deviation),
        cmocka_unit_test(applied_rows_have_length_one),
        cmocka_unit_test(fewer_axes_are_the_largest),
        cmocka_unit_test(few_rows_have_the_same_axes),
        cmocka_unit_test(rows_that_are_all_equal_stay_finite),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
