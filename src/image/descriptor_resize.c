/*
 * Any picture as a square of 128 x 128 pixels: each is a weighted mean of the pixels it covers, by a
 * cosine-sum (Hamming) window over one sinc lobe, which keeps more detail than a triangle and does
 * not ring as longer windows do. The same picture at 128 and at 500 pixels so becomes nearly the
 * same square.
 */
#include "base/kernels.h"
#include "image/descriptor_parts.h"

#include <math.h>
#include <string.h>

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
