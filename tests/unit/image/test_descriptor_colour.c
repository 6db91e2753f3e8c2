#include "support.h"

#include "image/descriptor.h"

#include <math.h>
#include <string.h>

enum { SIDE = F0T_WORK_SIDE };

static f0t_colour_curves curves;
static float picture[3 * F0T_WORK_PIXELS];
static float whole[F0T_BINS], halves[F0T_HALVES * F0T_BINS], layout[F0T_LAYOUT];

static int prepare(void **state)
{
    (void)state;
    f0t_colour_prepare(&curves);
    return 0;
}

static void paint(size_t y, size_t x, const float rgb[3])
{
    for (size_t c = 0; c < 3; c++)
        picture[c * F0T_WORK_PIXELS + y * F0T_WORK_STRIDE + x + 1] = rgb[c];
}

/* From the definition of CIE 1976 and sRGB. */
static void plain_lab(double lab[3], const float rgb[3])
{
    static const double matrix[3][3] = {{0.4124564, 0.3575761, 0.1804375},
                                        {0.2126729, 0.7151522, 0.0721750},
                                        {0.0193339, 0.1191920, 0.9503041}};
    double f[3];
    for (size_t i = 0; i < 3; i++) {
        double sum = 0, white = 0;
        for (size_t j = 0; j < 3; j++) {
            double x = rgb[j];
            sum += matrix[i][j] * (x <= 0.04045 ? x / 12.92 : pow((x + 0.055) / 1.055, 2.4));
            white += matrix[i][j];
        }
        double t = sum / white;
        f[i] = t > pow(6.0 / 29, 3) ? cbrt(t) : t / (3 * pow(6.0 / 29, 2)) + 4.0 / 29;
    }
    lab[0] = 1.16 * f[1] - 0.16;
    lab[1] = 5 * (f[0] - f[1]);
    lab[2] = 2 * (f[1] - f[2]);
}

static void lab_is_that_of_the_standard(void **state)
{
    (void)state;
    for (size_t i = 0; i < 11 * 11 * 11; i++) {
        float rgb[3] = {(float)(i % 11) / 10, (float)(i / 11 % 11) / 10, (float)(i / 121) / 10};
        float got[3];
        double want[3];
        f0t_colour_lab(got, &curves, rgb);
        plain_lab(want, rgb);
        for (size_t c = 0; c < 3; c++)
            assert_true(fabs(got[c] - want[c]) < 1e-3);
    }
}

static void fill_random(uint64_t seed)
{
    test_random_floats(picture, 3 * F0T_WORK_PIXELS, seed);
    for (size_t i = 0; i < 3 * F0T_WORK_PIXELS; i++)
        picture[i] = fabsf(picture[i]);
    f0t_colour_fill(whole, halves, layout, &curves, picture);
}

static void every_pixel_counts_once(void **state)
{
    (void)state;
    double all = 0, upper = 0, lower = 0;
    fill_random(9);
    for (size_t i = 0; i < F0T_BINS; i++) {
        all += whole[i];
        upper += halves[i];
        lower += halves[F0T_BINS + i];
        assert_true(fabsf(whole[i] - 0.5F * (halves[i] + halves[F0T_BINS + i])) < 1e-6F);
    }
    assert_true(fabs(all - 1) < 1e-4 && fabs(upper - 1) < 1e-4 && fabs(lower - 1) < 1e-4);
}

/* The share of the pixels that each bin's hat has, summed over all pixels one by one. */
static void bins_are_hats(void **state)
{
    (void)state;
    double want[F0T_BINS] = {0};
    fill_random(10);
    for (size_t i = 0; i < SIDE * SIDE; i++) {
        const float *at = picture + i / SIDE * F0T_WORK_STRIDE + i % SIDE + 1;
        float rgb[3] = {at[0], at[F0T_WORK_PIXELS], at[2 * F0T_WORK_PIXELS]}, lab[3];
        f0t_colour_lab(lab, &curves, rgb);
        double a = fmin(fmax(lab[1] / 0.5, -1), 1), b = fmin(fmax(lab[2] / 0.6, -1), 1);
        double place[3] = {fmin(fmax(lab[0], 0), 1) * 3, (copysign(sqrt(fabs(a)), a) + 1) * 2.5,
                           (copysign(sqrt(fabs(b)), b) + 1) * 2.5};
        for (size_t j = 0; j < F0T_BINS; j++)
            want[j] += fmax(0, 1 - fabs(place[0] - (double)(j / 36))) *
                       fmax(0, 1 - fabs(place[1] - (double)(j / 6 % 6))) *
                       fmax(0, 1 - fabs(place[2] - (double)(j % 6))) / (SIDE * SIDE);
    }
    for (size_t j = 0; j < F0T_BINS; j++)
        assert_true(fabs(whole[j] - want[j]) < 1e-5);
}

static void halves_and_layout_know_where_a_colour_is(void **state)
{
    (void)state;
    const float red[3] = {1, 0, 0}, blue[3] = {0, 0, 1};
    float red_lab[3], blue_lab[3];
    for (size_t i = 0; i < SIDE * SIDE; i++)
        paint(i / SIDE, i % SIDE, i / SIDE < SIDE / 2 ? red : blue);
    f0t_colour_fill(whole, halves, layout, &curves, picture);
    f0t_colour_lab(red_lab, &curves, red);
    f0t_colour_lab(blue_lab, &curves, blue);
    for (size_t i = 0; i < F0T_BINS; i++)
        assert_true(halves[i] * halves[F0T_BINS + i] < 1e-9F);
    for (size_t i = 0; i < F0T_LAYOUT; i++) {
        float want = i < F0T_LAYOUT / 2 ? red_lab[i % 3] : blue_lab[i % 3];
        assert_true(fabsf(layout[i] - want) < 1e-4F);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lab_is_that_of_the_standard),
        cmocka_unit_test(every_pixel_counts_once),
        cmocka_unit_test(bins_are_hats),
        cmocka_unit_test(halves_and_layout_know_where_a_colour_is),
    };
    return cmocka_run_group_tests(tests, prepare, NULL);
}
