#include "support.h"

#include "base/kernels.h"
#include "image/descriptor.h"

#include <math.h>
#include <string.h>

enum { MOST = 4096 };

/* Every copy that this CPU can run. */
#define EACH_LEVEL(level) (f0t_cpu level = 0; level <= f0t_cpu_level(); level++)

static float a[MOST], b[MOST], c[MOST], got[MOST];
static uint8_t bytes[MOST];

static int fill(void **state)
{
    (void)state;
    test_random_floats(a, MOST, 1);
    test_random_floats(b, MOST, 2);
    test_random_floats(c, MOST, 3);
    for (size_t i = 0; i < MOST; i++)
        bytes[i] = (uint8_t)(i * 7919 >> 3);
    return 0;
}

static void assert_near(float have, double want, double tolerance)
{
    if (!(fabs(have - want) <= tolerance))
        fail_msg("%.9g instead of %.9g", (double)have, want);
}

/* What lies after n numbers is as it was. */
static void assert_rest(const float *before, size_t n)
{
    assert_memory_equal(got + n, before + n, (MOST - n) * sizeof *before);
}

typedef struct shape {
    size_t n, inner, m, row, step;
} shape;

static double plain_product(const shape *s, size_t i, size_t j)
{
    double sum = c[i * s->m + j];
    for (size_t e = 0; e < s->inner; e++)
        sum += (double)a[i * s->row + e * s->step] * b[e * s->m + j];
    return sum;
}

static void products_are_sums_of_products(void **state)
{
    (void)state;
    const shape shapes[] = {{29, 40, 32, 40, 1}, {29, 40, 32, 1, 29}, {4, 1, 32, 1, 1},
                            {1, 9, 64, 9, 1},    {7, 33, 96, 1, 7},   {3, 0, 32, 0, 1}};
    for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++)
        for
            EACH_LEVEL(level)
            {
                const shape *s = &shapes[k];
                memcpy(got, c, sizeof got);
                f0t_kernels_of(level)->descriptor_product(got, a, s->row, s->step, b, s->n,
                                                          s->inner, s->m);
                for (size_t i = 0; i < s->n * s->m; i++)
                    assert_near(got[i], plain_product(s, i / s->m, i % s->m), 1e-5);
                assert_rest(c, s->n * s->m);
            }
}

static void sums_are_weighted(void **state)
{
    (void)state;
    for (size_t n = 0; n < 70; n += 23)
        for
            EACH_LEVEL(level)
            {
                memcpy(got, c, sizeof got);
                f0t_kernels_of(level)->descriptor_add(got, a, 0.3F, n);
                for (size_t i = 0; i < n; i++)
                    assert_near(got[i], c[i] + 0.3 * a[i], 1e-6);
                assert_rest(c, n);
                memcpy(got, c, sizeof got);
                f0t_kernels_of(level)->descriptor_add_bytes(got, bytes, 0.3F, n);
                for (size_t i = 0; i < n; i++)
                    assert_near(got[i], c[i] + 0.3 * bytes[i], 1e-5);
                assert_rest(c, n);
            }
}

static void plain_normalise(double *out, const float *x)
{
    double sum = 0, again = 0;
    for (size_t i = 0; i < F0T_PATCH_SIZE; i++)
        sum += (double)x[i] * x[i];
    for (size_t i = 0; i < F0T_PATCH_SIZE; i++) {
        out[i] = fmin(x[i] / (sqrt(sum) + 0.02), 0.2);
        again += out[i] * out[i];
    }
    for (size_t i = 0; i < F0T_PATCH_SIZE; i++)
        out[i] = sqrt(out[i] / (sqrt(again) + 1e-3));
}

/* Of several strengths; one is flat. */
static void patches_are_normalised_twice(void **state)
{
    (void)state;
    enum { PATCHES = 5, SIZE = F0T_PATCH_SIZE };
    float x[PATCHES * SIZE];
    double want[SIZE];
    for (size_t i = 0; i < PATCHES * SIZE; i++)
        x[i] = i / SIZE == 3 ? 0 : powf(fabsf(a[i]), 4) * (float)(i / SIZE + 1);
    for
        EACH_LEVEL(level)
        {
            memcpy(got, x, sizeof x);
            f0t_kernels_of(level)->descriptor_normalise(got, PATCHES);
            for (size_t i = 0; i < PATCHES; i++) {
                plain_normalise(want, x + i * SIZE);
                for (size_t j = 0; j < SIZE; j++)
                    assert_near(got[i * SIZE + j], want[j], 1e-5);
            }
        }
}

/* Large and far apart: nothing overflows, nothing is divided by 0. */
static void posteriors_add_up_to_one(void **state)
{
    (void)state;
    enum { ROWS = 6, K = F0T_MIXTURE };
    float x[ROWS * K];
    for (size_t i = 0; i < ROWS * K; i++)
        x[i] = a[i] * powf(10, (float)(i / K)) - 500;
    for
        EACH_LEVEL(level)
        {
            memcpy(got, x, sizeof x);
            f0t_kernels_of(level)->descriptor_posterior(got, ROWS);
            for (size_t i = 0; i < ROWS * K; i++) {
                double sum = 0;
                for (size_t k = 0; k < K; k++)
                    sum += exp((double)x[i / K * K + k] - x[i]);
                assert_near(got[i], 1 / sum, 1e-5);
            }
        }
}

static void roots_keep_signs(void **state)
{
    (void)state;
    a[5] = 0;
    for
        EACH_LEVEL(level)
        {
            memcpy(got, a, sizeof got);
            f0t_kernels_of(level)->descriptor_root(got, 101);
            for (size_t i = 0; i < 101; i++)
                assert_near(a[i], got[i] * fabs((double)got[i]), 1e-6);
            assert_rest(a, 101);
        }
}

static void lengths_are_set(void **state)
{
    (void)state;
    double length = 0;
    for (size_t i = 0; i < 101; i++)
        length += (double)a[i] * a[i];
    for
        EACH_LEVEL(level)
        {
            memcpy(got, a, sizeof got);
            f0t_kernels_of(level)->descriptor_stretch(got, 101, 0.7F);
            for (size_t i = 0; i < 101; i++)
                assert_near(got[i], 0.7 * a[i] / sqrt(length), 1e-6);
            assert_rest(a, 101);
            memset(got, 0, 101 * sizeof *got);
            f0t_kernels_of(level)->descriptor_stretch(got, 101, 0.7F);
            for (size_t i = 0; i < 101; i++)
                assert_true(got[i] == 0);
        }
}

/* What a pixel becomes is tested with the cells; here that every level does the same. */
static void pixels_are_the_same_at_every_level(void **state)
{
    (void)state;
    static float picture[3 * F0T_WORK_PIXELS];
    float want[F0T_CELL_PLANES * F0T_WORK_SIDE];
    const size_t rows[] = {0, 1, 64, F0T_WORK_SIDE - 1};
    test_random_floats(picture, 3 * F0T_WORK_PIXELS, 4);
    for (size_t i = 0; i < 4; i++)
        for
            EACH_LEVEL(level)
            {
                f0t_kernels_of(F0T_CPU_BASE)->descriptor_pixels(want, picture, rows[i]);
                f0t_kernels_of(level)->descriptor_pixels(got, picture, rows[i]);
                for (size_t j = 0; j < F0T_CELL_PLANES * F0T_WORK_SIDE; j++)
                    assert_near(got[j], want[j], 1e-6);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_are_sums_of_products),
        cmocka_unit_test(sums_are_weighted),
        cmocka_unit_test(patches_are_normalised_twice),
        cmocka_unit_test(posteriors_add_up_to_one),
        cmocka_unit_test(roots_keep_signs),
        cmocka_unit_test(lengths_are_set),
        cmocka_unit_test(pixels_are_the_same_at_every_level),
    };
    return cmocka_run_group_tests(tests, fill, NULL);
}
