/*
 * Colour: joint histograms of L, a and b over the whole picture and over its halves, upper and lower,
 * and the mean colours of a layout. Pixels count for the bins around them, so that no bin's edge
 * makes a difference.
 */
#include "image/descriptor_parts.h"

#include <math.h>
#include <string.h>

/* sRGB to linear light by IEC 61966-2-1, and the root of CIE 1976 with its straight part near 0. */
void f0t_colour_prepare(f0t_colour_curves *curves)
{
    for (size_t i = 0; i < F0T_CURVE + 2; i++) {
        double x = (double)i / F0T_CURVE;
        curves->linear[i] = (float)(x <= 0.04045 ? x / 12.92 : pow((x + 0.055) / 1.055, 2.4));
        curves->lab[i] = (float)(x > 216.0 / 24389 ? cbrt(x) : x * 24389 / 27 / 116 + 16.0 / 116);
    }
}

static float read_curve(const float *curve, float x)
{
    float at = x * F0T_CURVE;
    size_t i = (size_t)at;
    float share = at - (float)i;
    return curve[i] + share * (curve[i + 1] - curve[i]);
}

/* Each row of the matrix from sRGB to XYZ is divided by the white it gives. */
void f0t_colour_lab(const f0t_colour_curves *curves, const float rgb[3], float lab[3])
{
    static const float matrix[3][3] = {{0.43390F, 0.37620F, 0.18990F},
                                       {0.21260F, 0.71520F, 0.07220F},
                                       {0.01772F, 0.10947F, 0.87281F}};
    float light[3], root[3];
    for (size_t c = 0; c < 3; c++)
        light[c] = read_curve(curves->linear, rgb[c]);
    for (size_t c = 0; c < 3; c++) {
        float sum = matrix[c][0] * light[0] + matrix[c][1] * light[1] + matrix[c][2] * light[2];
        root[c] = read_curve(curves->lab, sum < 1 ? sum : 1);
    }
    lab[0] = 1.16F * root[1] - 0.16F;
    lab[1] = 5.0F * (root[0] - root[1]);
    lab[2] = 2.0F * (root[1] - root[2]);
}

/* The bin below a place 0 … bins − 1, and how far the place is from it. */
static size_t bin_below(float place, size_t bins, float *share)
{
    float most = (float)(bins - 1);
    float bounded = place < 0 ? 0 : place > most ? most : place;
    size_t bin = (size_t)bounded;
    bin = bin > bins - 2 ? bins - 2 : bin;
    *share = bounded - (float)bin;
    return bin;
}

/* Most colours are near grey: the square root gives them more bins. `most` has the last bin. */
static float opponent_place(float x, float most)
{
    float bounded = x / most;
    bounded = bounded < -1 ? -1 : bounded > 1 ? 1 : bounded;
    return (copysignf(sqrtf(fabsf(bounded)), bounded) + 1) * (0.5F * (F0T_BINS_AB - 1));
}

static void count_pixel(float *bins, const float lab[3])
{
    float light, red, yellow;
    size_t l = bin_below(lab[0] * (F0T_BINS_L - 1), F0T_BINS_L, &light);
    size_t a = bin_below(opponent_place(lab[1], 0.5F), F0T_BINS_AB, &red);
    size_t b = bin_below(opponent_place(lab[2], 0.6F), F0T_BINS_AB, &yellow);
    float *at = bins + (l * F0T_BINS_AB + a) * F0T_BINS_AB + b;
    const size_t next_l = F0T_BINS_AB * F0T_BINS_AB, next_a = F0T_BINS_AB;
    for (size_t i = 0; i < 2; i++)
        for (size_t j = 0; j < 2; j++) {
            float weight = (i ? light : 1 - light) * (j ? red : 1 - red);
            at[i * next_l + j * next_a] += weight * (1 - yellow);
            at[i * next_l + j * next_a + 1] += weight * yellow;
        }
}

static void scale_all(float *x, size_t n, float scale)
{
    for (size_t i = 0; i < n; i++)
        x[i] *= scale;
}

/* A column and its mirror image have the same place in the layout. */
static size_t layout_column(size_t x)
{
    size_t column = x * 2 * F0T_LAYOUT_COLUMNS / F0T_WORK_SIDE;
    return column < F0T_LAYOUT_COLUMNS ? column : 2 * F0T_LAYOUT_COLUMNS - 1 - column;
}

void f0t_colour_fill(const f0t_colour_curves *curves, float *whole, float *halves, float *layout,
                     const float *picture)
{
    enum { PIXELS = F0T_WORK_SIDE * F0T_WORK_SIDE, ROW = F0T_LAYOUT_COLUMNS * 3 };
    memset(halves, 0, F0T_HALVES * F0T_BINS * sizeof *halves);
    memset(layout, 0, F0T_LAYOUT * sizeof *layout);
    for (size_t y = 0; y < F0T_WORK_SIDE; y++) {
        float *bins = halves + y * F0T_HALVES / F0T_WORK_SIDE * F0T_BINS;
        float *fields = layout + y * F0T_LAYOUT_ROWS / F0T_WORK_SIDE * ROW;
        for (size_t x = 0; x < F0T_WORK_SIDE; x++) {
            const float *at = picture + y * F0T_WORK_STRIDE + x + 1;
            float rgb[3] = {at[0], at[F0T_WORK_PIXELS], at[2 * F0T_WORK_PIXELS]}, lab[3];
            f0t_colour_lab(curves, rgb, lab);
            count_pixel(bins, lab);
            for (size_t c = 0; c < 3; c++)
                fields[layout_column(x) * 3 + c] += lab[c];
        }
    }
    for (size_t i = 0; i < F0T_BINS; i++)
        whole[i] = halves[i] + halves[F0T_BINS + i];
    scale_all(whole, F0T_BINS, 1.0F / PIXELS);
    scale_all(halves, F0T_HALVES * F0T_BINS, (float)F0T_HALVES / PIXELS);
    scale_all(layout, F0T_LAYOUT, (float)(F0T_LAYOUT / 3) / PIXELS);
}
