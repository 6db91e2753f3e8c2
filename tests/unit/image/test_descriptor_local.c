#include "support.h"

#include "image/descriptor.h"

#include <math.h>
#include <string.h>

enum { N = F0T_CELLS, W = F0T_PATCH_WAVES };

static float basis[F0T_PATCH_SIZE * W], cells[N * N * F0T_CELL_SIZE];
static float gradients[F0T_PLACES * F0T_PATCH_SIZE], patches[F0T_PLACES * F0T_PATCH_STRIDE];

static int fill(void **state)
{
    (void)state;
    f0t_patch_basis(basis);
    test_random_floats(cells, N * N * F0T_CELL_SIZE, 5);
    for (size_t i = 0; i < N * N * F0T_CELL_SIZE; i++)
        cells[i] = fabsf(cells[i]);
    return 0;
}

static void the_frequencies_are_orthonormal(void **state)
{
    (void)state;
    for (size_t i = 0; i < W; i++)
        for (size_t j = 0; j < W; j++) {
            double sum = 0;
            for (size_t e = 0; e < F0T_PATCH_SIZE; e++)
                sum += (double)basis[e * W + i] * basis[e * W + j];
            assert_true(fabs(sum - (i == j)) < 1e-6);
        }
}

/* The 128 gradients of a patch, normalised: in double precision, one by one. */
static void plain_gradients(double out[F0T_PATCH_SIZE], size_t y, size_t x)
{
    double sum = 0, again = 0;
    for (size_t i = 0; i < F0T_PATCH_SIZE; i++) {
        size_t cell = (y + i / 32) * N + x + i / 8 % 4;
        out[i] = cells[cell * F0T_CELL_SIZE + i % 8];
        sum += out[i] * out[i];
    }
    for (size_t i = 0; i < F0T_PATCH_SIZE; i++) {
        out[i] = fmin(out[i] / (sqrt(sum) + 0.02), 0.2);
        again += out[i] * out[i];
    }
    for (size_t i = 0; i < F0T_PATCH_SIZE; i++)
        out[i] = sqrt(out[i] / (sqrt(again) + 1e-3));
}

static void a_patch_is_the_frequencies_of_its_gradients(void **state)
{
    (void)state;
    for (size_t y = 0; y < F0T_PLACES; y += F0T_PLACES - 1) {
        f0t_patches_fill(patches, gradients, basis, cells, y);
        for (size_t x = 0; x < F0T_PLACES; x++) {
            double plain[F0T_PATCH_SIZE];
            plain_gradients(plain, y, x);
            for (size_t k = 0; k < W; k++) {
                double want = 0;
                for (size_t i = 0; i < F0T_PATCH_SIZE; i++)
                    want += plain[i] * basis[i * W + k];
                assert_true(fabs(patches[x * F0T_PATCH_STRIDE + k] - want) < 1e-5);
            }
        }
    }
}

/* Mean, slope across, slope down and deviation: the slopes by the orthonormal cosine transform. */
static double plain_colour(size_t y, size_t x, size_t kind, size_t channel)
{
    double sum = 0;
    for (size_t i = 0; i < 4; i++)
        for (size_t j = 0; j < 4; j++) {
            const float *cell = cells + ((y + i) * N + x + j) * F0T_CELL_SIZE + 8;
            double across = sqrt(0.5) * cos(acos(-1) * ((double)j + 0.5) / 4) / 8;
            double down = sqrt(0.5) * cos(acos(-1) * ((double)i + 0.5) / 4) / 8;
            double weights[4] = {1.0 / 16, across, down, 1.0 / 16};
            sum += weights[kind] * cell[(kind == 3 ? 3 : 0) + channel];
        }
    return sum;
}

static void a_patch_has_colours_and_a_place(void **state)
{
    (void)state;
    const size_t y = 11;
    f0t_patches_fill(patches, gradients, basis, cells, y);
    for (size_t x = 0; x < F0T_PLACES; x++) {
        const float *patch = patches + x * F0T_PATCH_STRIDE;
        for (size_t i = 0; i < F0T_PATCH_COLOURS; i++)
            assert_true(fabs(patch[W + i] - plain_colour(y, x, i / 3, i % 3)) < 1e-6);
        assert_true(fabs(patch[F0T_PATCH_DIM - 2] - ((11.5 / 29) * 2 - 1)) < 1e-6);
        assert_true(fabs(patch[F0T_PATCH_DIM - 1] - (((double)x + 0.5) / 29 * 2 - 1)) < 1e-6);
        for (size_t i = F0T_PATCH_DIM; i < F0T_PATCH_STRIDE; i++)
            assert_true(patch[i] == 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_frequencies_are_orthonormal),
        cmocka_unit_test(a_patch_is_the_frequencies_of_its_gradients),
        cmocka_unit_test(a_patch_has_colours_and_a_place),
    };
    return cmocka_run_group_tests(tests, fill, NULL);
}
