#include "image/descriptor.h"

#include "base/alloc.h"
#include "base/kernels.h"

#include <math.h>
#include <string.h>

/* ---- The working picture ------------------------------------------------------------------------ */

/*
 * Any picture as a square of 128 x 128 pixels: each is a weighted mean of the pixels it covers, by a
 * cosine-sum (Hamming) window over one sinc lobe, which keeps more detail than a triangle and does
 * not ring as longer windows do. The same picture at 128 and at 500 pixels so becomes nearly the
 * same square.
 */
static double window(double x)
{
    const double pi = 3.14159265358979323846;
    if (x == 0)
        return 1;
    if (fabs(x) >= 1)
        return 0;
    return sin(pi * x) / (pi * x) * (0.54 + 0.46 * cos(pi * x));
}

/* Weights of `size` pixels (at most F0T_WORK_MOST) for each pixel of the square. */
static void prepare_taps(f0t_work_taps *taps, size_t size)
{
    double scale = (double)size / F0T_WORK_SIDE, support = scale > 1 ? scale : 1;
    for (size_t i = 0; i < F0T_WORK_SIDE; i++) {
        double centre = ((double)i + 0.5) * scale, sum = 0, weight[F0T_WORK_TAPS];
        double low = floor(centre - support + 0.5), high = floor(centre + support + 0.5);
        size_t first = low > 0 ? (size_t)low : 0;
        size_t end = high < (double)size ? (size_t)high : size;
        taps->first[i] = first;
        taps->count[i] = end - first;
        for (size_t j = first; j < end; j++)
            sum += weight[j - first] = window(((double)j + 0.5 - centre) / support);
        for (size_t j = 0; j < end - first; j++)
            taps->weight[i][j] = (float)(weight[j] / sum);
    }
}

/* A picture read in blocks of factor_x x factor_y pixels. */
typedef struct source {
    const uint8_t *rgb;
    size_t width, height, factor_x, factor_y, columns, rows;
} source;

static source source_of(const uint8_t *rgb, size_t width, size_t height)
{
    size_t x = (width - 1) / F0T_WORK_MOST + 1, y = (height - 1) / F0T_WORK_MOST + 1;
    return (source){rgb, width, height, x, y, (width - 1) / x + 1, (height - 1) / y + 1};
}

/* Means of the blocks of row y, 0 … 255. */
static void block_row(float *row, const source *s, size_t y)
{
    size_t top = y * s->factor_y;
    size_t bottom = s->height - top < s->factor_y ? s->height : top + s->factor_y;
    for (size_t i = 0; i < s->columns; i++) {
        size_t left = i * s->factor_x;
        size_t right = s->width - left < s->factor_x ? s->width : left + s->factor_x;
        uint64_t sum[3] = {0};
        for (size_t j = top; j < bottom; j++) {
            const uint8_t *pixel = s->rgb + (j * s->width + left) * 3;
            for (size_t k = left; k < right; k++, pixel += 3) {
                sum[0] += pixel[0];
                sum[1] += pixel[1];
                sum[2] += pixel[2];
            }
        }
        double area = (double)(bottom - top) * (double)(right - left);
        for (size_t c = 0; c < 3; c++)
            row[i * 3 + c] = (float)((double)sum[c] / area);
    }
}

/* Row i of the square at the source's width. */
static void sum_rows(f0t_work_scratch *scratch, const source *s, size_t i)
{
    size_t n = s->columns * 3;
    memset(scratch->sum, 0, n * sizeof *scratch->sum);
    for (size_t j = 0; j < scratch->rows.count[i]; j++) {
        size_t y = scratch->rows.first[i] + j;
        float weight = scratch->rows.weight[i][j];
        if (s->factor_x == 1 && s->factor_y == 1) {
            f0t_kernels()->descriptor_add_bytes(scratch->sum, s->rgb + y * s->width * 3, weight, n);
        } else {
            block_row(scratch->row, s, y);
            f0t_kernels()->descriptor_add(scratch->sum, scratch->row, weight, n);
        }
    }
}

static float unit(float byte)
{
    float x = byte * (1.0F / 255.0F);
    return x < 0 ? 0 : x > 1 ? 1 : x;
}

static void sum_columns(float *row, const f0t_work_scratch *scratch)
{
    const f0t_work_taps *taps = &scratch->columns;
    for (size_t x = 0; x < F0T_WORK_SIDE; x++) {
        const float *pixel = scratch->sum + taps->first[x] * 3;
        float r = 0, g = 0, b = 0;
        for (size_t j = 0; j < taps->count[x]; j++, pixel += 3) {
            float weight = taps->weight[x][j];
            r += weight * pixel[0];
            g += weight * pixel[1];
            b += weight * pixel[2];
        }
        row[x + 1] = unit(r);
        row[F0T_WORK_PIXELS + x + 1] = unit(g);
        row[2 * F0T_WORK_PIXELS + x + 1] = unit(b);
    }
}

void f0t_work_resize(float *picture, f0t_work_scratch *scratch, const uint8_t *rgb, size_t width,
                     size_t height)
{
    source s = source_of(rgb, width, height);
    prepare_taps(&scratch->columns, s.columns);
    prepare_taps(&scratch->rows, s.rows);
    for (size_t y = 0; y < F0T_WORK_SIDE; y++) {
        float *row = picture + y * F0T_WORK_STRIDE;
        sum_rows(scratch, &s, y);
        sum_columns(row, scratch);
        for (size_t c = 0; c < 3; c++, row += F0T_WORK_PIXELS) {
            row[0] = row[1];
            row[F0T_WORK_SIDE + 1] = row[F0T_WORK_SIDE];
        }
    }
}

/* ---- Colour ------------------------------------------------------------------------------------- */

/*
 * Colour: joint histograms of L, a and b over the whole picture and over its halves, upper and lower,
 * and the mean colours of a layout. Pixels count for the bins around them, so that no bin's edge
 * makes a difference.
 */

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
void f0t_colour_lab(float lab[3], const f0t_colour_curves *curves, const float rgb[3])
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

void f0t_colour_fill(float *whole, float *halves, float *layout, const f0t_colour_curves *curves,
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
            f0t_colour_lab(lab, curves, rgb);
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

/* ---- The descriptor ----------------------------------------------------------------------------- */

enum {
    FISHER = 2 * F0T_MIXTURE * F0T_PATCH_DIM,
    HALVES = F0T_HALVES * F0T_BINS,
    SHAPE = 8,
    WHOLE_AT = FISHER,
    HALVES_AT = WHOLE_AT + F0T_BINS,
    LAYOUT_AT = HALVES_AT + HALVES,
    SHAPE_AT = LAYOUT_AT + F0T_LAYOUT,
    DIM = SHAPE_AT + SHAPE,
    BLOCKS = 5
};

/* The weights were chosen on the validation part of flickr8k: docs/descriptor.md. */
static const f0t_descriptor_block blocks[BLOCKS] = {
    {"patches", 0, FISHER, 1.0F},
    {"colours", WHOLE_AT, F0T_BINS, 0.7F},
    {"colours of halves", HALVES_AT, HALVES, 0.7F},
    {"layout", LAYOUT_AT, F0T_LAYOUT, 0.3F},
    {"shape", SHAPE_AT, SHAPE, 0.1F},
};

struct f0t_descriptor {
    f0t_work_scratch work;
    float picture[3 * F0T_WORK_PIXELS];
    f0t_cell_scratch cell;
    float cells[F0T_CELLS * F0T_CELLS * F0T_CELL_SIZE];
    float basis[F0T_PATCH_SIZE * F0T_PATCH_WAVES];
    float gradients[F0T_PLACES * F0T_PATCH_SIZE], patches[F0T_PLACES * F0T_PATCH_STRIDE];
    f0t_fisher fisher;
    f0t_colour_curves curves;
};

size_t f0t_descriptor_dim(void)
{
    return DIM;
}

const char *f0t_descriptor_version(void)
{
    return "builtin-1";
}

const f0t_descriptor_block *f0t_descriptor_blocks(size_t *count)
{
    *count = BLOCKS;
    return blocks;
}

f0t_status f0t_descriptor_create(f0t_descriptor **out)
{
    *out = NULL;
    F0T_TRY(f0t_alloc_zero(out, 1, sizeof **out));
    f0t_patch_basis((*out)->basis);
    f0t_fisher_prepare(&(*out)->fisher);
    f0t_colour_prepare(&(*out)->curves);
    return F0T_OK;
}

void f0t_descriptor_free(f0t_descriptor *descriptor)
{
    f0t_free(descriptor);
}

static void fill_fisher(f0t_descriptor *d, float *out)
{
    f0t_cells_fill(d->cells, &d->cell, d->picture);
    f0t_fisher_clear(&d->fisher);
    for (size_t y = 0; y < F0T_PLACES; y++) {
        f0t_patches_fill(d->patches, d->gradients, d->basis, d->cells, y);
        f0t_fisher_add(&d->fisher, d->patches);
    }
    f0t_fisher_get(out, &d->fisher);
}

/* Upright, square, wide: steps of e^0.3 in width by height, 35 % each. */
static void fill_shape(float *out, size_t width, size_t height)
{
    double place = log((double)width / (double)height) / 0.3 + (SHAPE - 1) / 2.0;
    place = place < 0 ? 0 : place > SHAPE - 1 ? SHAPE - 1 : place;
    for (size_t i = 0; i < SHAPE; i++)
        out[i] = (float)fmax(0, 1 - fabs(place - (double)i));
}

/* Square roots keep a few frequent things from hiding all others; a layout is no count. */
static void join(float *out)
{
    f0t_kernels()->descriptor_root(out, LAYOUT_AT);
    for (size_t i = 0; i < BLOCKS; i++)
        f0t_kernels()->descriptor_stretch(out + blocks[i].first, blocks[i].count, blocks[i].weight);
    f0t_kernels()->descriptor_stretch(out, DIM, 1);
}

f0t_status f0t_descriptor_run(float *out, f0t_descriptor *descriptor, const uint8_t *rgb,
                              size_t width, size_t height)
{
    if (width == 0 || height == 0)
        return f0t_fail(F0T_ERROR_ARGUMENT, "a picture of %zu x %zu pixels has no descriptor",
                        width, height);
    f0t_work_resize(descriptor->picture, &descriptor->work, rgb, width, height);
    fill_fisher(descriptor, out);
    f0t_colour_fill(out + WHOLE_AT, out + HALVES_AT, out + LAYOUT_AT, &descriptor->curves,
                    descriptor->picture);
    fill_shape(out + SHAPE_AT, width, height);
    join(out);
    return F0T_OK;
}
