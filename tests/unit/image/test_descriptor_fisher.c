#include "support.h"

#include "image/descriptor.h"

#include <math.h>
#include <string.h>

enum { K = F0T_MIXTURE, D = F0T_PATCH_DIM, ROWS = 3, PATCHES = ROWS * F0T_PLACES };

static f0t_fisher fisher;
static float patches[PATCHES][F0T_PATCH_STRIDE], got[2 * K * D];

/* The mixture in double precision, to be altered. */
static double weight[K], mean[K][D], deviation[K][D];

static int fill(void **state)
{
    (void)state;
    double all = 0;
    for (size_t k = 0; k < K; k++)
        all += f0t_mixture.weight[k];
    for (size_t k = 0; k < K; k++) {
        weight[k] = f0t_mixture.weight[k] / all;
        for (size_t d = 0; d < D; d++) {
            mean[k][d] = f0t_mixture.mean[k][d] / 1000.0;
            deviation[k][d] = f0t_mixture.deviation[k][d] / 1000.0;
        }
    }
    test_random_floats(patches[0], sizeof patches / sizeof(float), 6);
    for (size_t i = 0; i < PATCHES; i++)
        for (size_t d = 0; d < D; d++)
            patches[i][d] = f0t_mixture.shift[d] + 1.5F * patches[i][d] / f0t_mixture.scale[d];
    f0t_fisher_prepare(&fisher);
    return 0;
}

static void add_all(void)
{
    f0t_fisher_clear(&fisher);
    for (size_t row = 0; row < ROWS; row++)
        f0t_fisher_add(&fisher, patches[row * F0T_PLACES]);
    f0t_fisher_get(got, &fisher);
}

/* The likelihood of all patches, without the constant of the normal density. */
static double log_likelihood(void)
{
    double sum = 0;
    for (size_t i = 0; i < PATCHES; i++) {
        double logs[K], most = -INFINITY, shares = 0;
        for (size_t k = 0; k < K; k++) {
            logs[k] = log(weight[k]);
            for (size_t d = 0; d < D; d++) {
                double x = ((double)patches[i][d] - f0t_mixture.shift[d]) * f0t_mixture.scale[d];
                logs[k] -= log(deviation[k][d]) + pow((x - mean[k][d]) / deviation[k][d], 2) / 2;
            }
            most = fmax(most, logs[k]);
        }
        for (size_t k = 0; k < K; k++)
            shares += exp(logs[k] - most);
        sum += most + log(shares);
    }
    return sum;
}

static double slope_by(double *parameter)
{
    const double step = 1e-5, before = *parameter;
    *parameter = before + step;
    double above = log_likelihood();
    *parameter = before - step;
    double below = log_likelihood();
    *parameter = before;
    return (above - below) / (2 * step);
}

/* The gradient of the mean log likelihood, times the root of the inverse Fisher information: σ/√w
 * for a mean, σ/√(2w) for a deviation. */
static void the_vector_is_the_gradient_of_the_likelihood(void **state)
{
    (void)state;
    const double all = F0T_PLACES * F0T_PLACES;
    add_all();
    for (size_t i = 0; i < 150; i++) {
        size_t k = i % K, d = i * 17 % D;
        double scale = deviation[k][d] / sqrt(weight[k]) / all;
        double by_mean = scale * slope_by(&mean[k][d]);
        double by_deviation = scale / sqrt(2) * slope_by(&deviation[k][d]);
        assert_true(fabs(got[k * D + d] - by_mean) < 1e-4 * (1 + fabs(by_mean)));
        assert_true(fabs(got[(K + k) * D + d] - by_deviation) < 1e-4 * (1 + fabs(by_deviation)));
    }
}

static void a_vector_starts_anew_when_cleared(void **state)
{
    (void)state;
    float first[2 * K * D];
    add_all();
    memcpy(first, got, sizeof first);
    add_all();
    assert_memory_equal(first, got, sizeof first);
}

static void the_mixture_is_sound(void **state)
{
    (void)state;
    for (size_t k = 0; k < K; k++) {
        assert_true(f0t_mixture.weight[k] > 0);
        for (size_t d = 0; d < D; d++)
            assert_true(f0t_mixture.deviation[k][d] >= 100 && f0t_mixture.scale[d] > 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_vector_is_the_gradient_of_the_likelihood),
        cmocka_unit_test(a_vector_starts_anew_when_cleared),
        cmocka_unit_test(the_mixture_is_sound),
    };
    return cmocka_run_group_tests(tests, fill, NULL);
}
