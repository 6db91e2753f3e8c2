/*
 * Cells: what the pixels of 4 x 4 pixels have in common. Every pixel counts for the cells around
 * it by its distance, so that a shift by a pixel changes little.
 */
#include "base/kernels.h"
#include "image/descriptor_parts.h"

#include <math.h>
#include <string.h>

enum { SIDE = F0T_CELL_SIDE, HALF = SIDE / 2, PLANE_SIZE = F0T_CELL_PLANES * F0T_WORK_SIDE };

/* A pixel at place p counts for cell `behind` − 1 with 1 − share and for `behind` with share. */
static size_t cell_behind(size_t p, float *share)
{
    *share = ((float)((p + HALF) % SIDE) + 0.5F) / SIDE;
    return (p + HALF) / SIDE;
}

/* What the weights of a cell add up to: less at the border, where half a cell's reach is outside.
 */
static float weight_of(size_t cell)
{
    return cell == 0 || cell == F0T_CELLS - 1 ? SIDE - 0.5F : SIDE;
}

static void deviations(float *cell)
{
    float *mean = cell + F0T_CELL_DIRECTIONS, *square = mean + 3;
    for (size_t c = 0; c < 3; c++) {
        float variance = square[c] - mean[c] * mean[c];
        square[c] = variance > 0 ? sqrtf(variance) : 0;
    }
}

/* A row of cells from sums[F0T_CELL_PLANES][F0T_WORK_SIDE] over its rows of pixels. */
static void sum_columns(float *cells, const float *sums, float row_weight)
{
    memset(cells, 0, F0T_CELLS * F0T_CELL_SIZE * sizeof *cells);
    for (size_t plane = 0; plane < F0T_CELL_PLANES; plane++)
        for (size_t x = 0; x < F0T_WORK_SIDE; x++) {
            float share, value = sums[plane * F0T_WORK_SIDE + x];
            size_t behind = cell_behind(x, &share);
            if (behind > 0)
                cells[(behind - 1) * F0T_CELL_SIZE + plane] += (1 - share) * value;
            if (behind < F0T_CELLS)
                cells[behind * F0T_CELL_SIZE + plane] += share * value;
        }
    for (size_t i = 0; i < F0T_CELLS; i++) {
        float scale = 1 / (row_weight * weight_of(i));
        for (size_t plane = 0; plane < F0T_CELL_PLANES; plane++)
            cells[i * F0T_CELL_SIZE + plane] *= scale;
        deviations(cells + i * F0T_CELL_SIZE);
    }
}

/* Two rows of cells are under way at any pixel row: even ones in sum[0], odd ones in sum[1]. */
void f0t_cells_fill(float *cells, f0t_cell_scratch *scratch, const float *picture)
{
    float *row = scratch->row[0];
    memset(scratch->sum, 0, sizeof scratch->sum);
    for (size_t y = 0; y < F0T_WORK_SIDE; y++) {
        float share;
        size_t behind = cell_behind(y, &share);
        float *next = scratch->sum[behind % 2][0], *last = scratch->sum[(behind + 1) % 2][0];
        f0t_kernels()->descriptor_pixels(row, picture, y);
        f0t_kernels()->descriptor_add(next, row, share, PLANE_SIZE);
        f0t_kernels()->descriptor_add(last, row, 1 - share, PLANE_SIZE);
        if (y + 1 < F0T_WORK_SIDE && cell_behind(y + 1, &share) == behind)
            continue;
        if (behind > 0)
            sum_columns(cells + (behind - 1) * F0T_CELLS * F0T_CELL_SIZE, last,
                        weight_of(behind - 1));
        memset(last, 0, sizeof scratch->sum[0]);
    }
}
