/* Local structure: cells of gradients and colours, patches of cells, and the Fisher vector of the patches. */
#include "base/kernels.h"
#include "image/descriptor.h"

#include <math.h>
#include <string.h>

/* ---- Cells -------------------------------------------------------------------------------------- */

/*
 * Cells: what the pixels of 4 x 4 pixels have in common. Every pixel counts for the cells around
 * it by its distance, so that a shift by a pixel changes little.
 */

enum { SIDE = F0T_CELL_SIDE, HALF = SIDE / 2, PLANE_SIZE = F0T_CELL_PLANES * F0T_WORK_SIDE };

/* A pixel at place p counts for cell `after` − 1 with 1 − share and for `after` with share. */
static size_t cell_after(size_t p, float *share)
{
    *share = ((float)((p + HALF) % SIDE) + 0.5F) / SIDE;
    return (p + HALF) / SIDE;
}

/* What the weights of a cell add up to: less at the border, where half a cell's reach is outside.
 */
static float cell_weight(size_t cell)
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
            size_t after = cell_after(x, &share);
            if (after > 0)
                cells[(after - 1) * F0T_CELL_SIZE + plane] += (1 - share) * value;
            if (after < F0T_CELLS)
                cells[after * F0T_CELL_SIZE + plane] += share * value;
        }
    for (size_t i = 0; i < F0T_CELLS; i++) {
        float scale = 1 / (row_weight * cell_weight(i));
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
        size_t after = cell_after(y, &share);
        float *next = scratch->sum[after % 2][0], *last = scratch->sum[(after + 1) % 2][0];
        f0t_kernels()->descriptor_pixels(row, picture, y);
        f0t_kernels()->descriptor_add(next, row, share, PLANE_SIZE);
        f0t_kernels()->descriptor_add(last, row, 1 - share, PLANE_SIZE);
        if (y + 1 < F0T_WORK_SIDE && cell_after(y + 1, &share) == after)
            continue;
        if (after > 0)
            sum_columns(cells + (after - 1) * F0T_CELLS * F0T_CELL_SIZE, last,
                        cell_weight(after - 1));
        memset(last, 0, sizeof scratch->sum[0]);
    }
}

/* ---- Patches ------------------------------------------------------------------------------------ */

/*
 * A patch: 4 x 4 cells of gradients in 8 directions, as in SIFT (Lowe, IJCV 2004), of which the
 * strongest frequencies over direction and place are kept; its colours and their slopes; its place.
 */

/* Frequencies by falling variance over the patches of photos. `turn`: 0 is the mean over
 * directions, then cosine and sine of one, two and three turns, then the cosine of four; `down` and
 * `across` are those of the cosine transform over the cells. */
static const struct {
    uint8_t turn, down, across;
} waves[F0T_PATCH_WAVES] = {
    {3, 0, 0}, {0, 0, 0}, {2, 0, 0}, {1, 0, 0}, {4, 0, 0}, {2, 1, 0}, {0, 1, 0}, {1, 0, 1},
    {0, 0, 1}, {2, 2, 0}, {3, 1, 0}, {3, 0, 1}, {1, 0, 2}, {4, 0, 1}, {4, 1, 0}, {2, 3, 0},
    {1, 0, 3}, {1, 1, 1}, {2, 1, 1}, {0, 1, 1}, {3, 0, 2}, {0, 2, 0}, {0, 0, 2}, {3, 2, 0},
    {1, 1, 2}, {2, 2, 1}, {2, 0, 1}, {4, 1, 1}, {7, 0, 0}, {1, 1, 0}, {3, 1, 1}, {4, 0, 2},
};

static const double PI = 3.14159265358979323846;

/* Orthonormal cosine transform of 4, at frequency k. */
static double cosine(size_t k, size_t i)
{
    return sqrt(k == 0 ? 0.25 : 0.5) * cos(PI * ((double)i + 0.5) * (double)k / F0T_PATCH_CELLS);
}

/* Orthonormal Fourier transform of 8. */
static double turning(size_t turn, size_t direction)
{
    double angle = 2 * PI * (double)((turn + 1) / 2) * (double)direction / F0T_CELL_DIRECTIONS;
    double scale = turn == 0 || turn == 7 ? sqrt(0.125) : 0.5;
    return scale * (turn % 2 == 0 && turn > 0 ? sin(angle) : cos(angle));
}

void f0t_patch_basis(float *basis)
{
    for (size_t i = 0; i < F0T_PATCH_SIZE; i++) {
        size_t direction = i % F0T_CELL_DIRECTIONS, cell = i / F0T_CELL_DIRECTIONS;
        size_t y = cell / F0T_PATCH_CELLS, x = cell % F0T_PATCH_CELLS;
        for (size_t k = 0; k < F0T_PATCH_WAVES; k++)
            basis[i * F0T_PATCH_WAVES + k] =
                (float)(turning(waves[k].turn, direction) * cosine(waves[k].down, y) *
                        cosine(waves[k].across, x));
    }
}

static const float *cell_at(const float *cells, size_t y, size_t x)
{
    return cells + (y * F0T_CELLS + x) * F0T_CELL_SIZE;
}

static void gather(float *gradients, const float *cells, size_t y, size_t x)
{
    for (size_t i = 0; i < F0T_PATCH_CELLS; i++)
        for (size_t j = 0; j < F0T_PATCH_CELLS; j++, gradients += F0T_CELL_DIRECTIONS)
            memcpy(gradients, cell_at(cells, y + i, x + j),
                   F0T_CELL_DIRECTIONS * sizeof *gradients);
}

/* Means of 3 channels, their slopes across and down, and the mean deviation within cells. */
static void colours(float *out, const float *cells, size_t y, size_t x)
{
    static const float slope[F0T_PATCH_CELLS] = {0.65328148F, 0.27059805F, -0.27059805F,
                                                 -0.65328148F};
    memset(out, 0, F0T_PATCH_COLOURS * sizeof *out);
    for (size_t i = 0; i < F0T_PATCH_CELLS; i++)
        for (size_t j = 0; j < F0T_PATCH_CELLS; j++) {
            const float *mean = cell_at(cells, y + i, x + j) + F0T_CELL_DIRECTIONS;
            for (size_t c = 0; c < 3; c++) {
                out[c] += 0.0625F * mean[c];
                out[3 + c] += 0.125F * slope[j] * mean[c];
                out[6 + c] += 0.125F * slope[i] * mean[c];
                out[9 + c] += 0.0625F * mean[3 + c];
            }
        }
}

/* −1 … 1 over the picture. */
static float place(size_t i)
{
    return ((float)i + 0.5F) * (2.0F / F0T_PLACES) - 1;
}

void f0t_patches_fill(float *patches, float *gradients, const float *basis, const float *cells,
                      size_t y)
{
    float waves_of[F0T_PLACES * F0T_PATCH_WAVES] = {0};
    for (size_t x = 0; x < F0T_PLACES; x++)
        gather(gradients + x * F0T_PATCH_SIZE, cells, y, x);
    f0t_kernels()->descriptor_normalise(gradients, F0T_PLACES);
    f0t_kernels()->descriptor_product(waves_of, gradients, F0T_PATCH_SIZE, 1, basis, F0T_PLACES,
                                      F0T_PATCH_SIZE, F0T_PATCH_WAVES);
    memset(patches, 0, F0T_PLACES * F0T_PATCH_STRIDE * sizeof *patches);
    for (size_t x = 0; x < F0T_PLACES; x++) {
        float *patch = patches + x * F0T_PATCH_STRIDE;
        memcpy(patch, waves_of + x * F0T_PATCH_WAVES, F0T_PATCH_WAVES * sizeof *patch);
        colours(patch + F0T_PATCH_WAVES, cells, y, x);
        patch[F0T_PATCH_DIM - 2] = place(y);
        patch[F0T_PATCH_DIM - 1] = place(x);
    }
}

/* ---- The Fisher vector -------------------------------------------------------------------------- */

/*
 * The Fisher vector of the patches under a mixture of Gaussians with diagonal covariance: how the
 * picture would move each mean and each deviation (Perronnin, Sánchez and Mensink, "Improving the
 * Fisher kernel for large-scale image classification", ECCV 2010, equations 4 and 5).
 */
enum { D = F0T_PATCH_DIM };

static double thousandth(int16_t x)
{
    return x / 1000.0;
}

static double weight_of(size_t k)
{
    double all = 0;
    for (size_t i = 0; i < F0T_MIXTURE; i++)
        all += f0t_mixture.weight[i];
    return f0t_mixture.weight[k] / all;
}

/* log of weight and density without the part that all Gaussians share:
 * log w − Σ log σ − Σ (x − μ)² / 2σ², as a linear function of x and x². */
void f0t_fisher_prepare(f0t_fisher *fisher)
{
    memset(fisher, 0, sizeof *fisher);
    for (size_t k = 0; k < F0T_MIXTURE; k++) {
        double constant = log(weight_of(k));
        for (size_t d = 0; d < D; d++) {
            double mean = thousandth(f0t_mixture.mean[k][d]);
            double deviation = thousandth(f0t_mixture.deviation[k][d]);
            double precision = 1 / (deviation * deviation);
            constant -= log(deviation) + 0.5 * mean * mean * precision;
            fisher->slope[d][k] = (float)(mean * precision);
            fisher->slope[F0T_PATCH_STRIDE + d][k] = (float)(-0.5 * precision);
        }
        fisher->constant[k] = (float)constant;
    }
}

void f0t_fisher_clear(f0t_fisher *fisher)
{
    memset(fisher->count, 0, sizeof fisher->count);
    memset(fisher->sum, 0, sizeof fisher->sum);
}

static void fill_moments(float *moments, const float *patch)
{
    for (size_t d = 0; d < D; d++) {
        float x = (patch[d] - f0t_mixture.shift[d]) * f0t_mixture.scale[d];
        moments[d] = x;
        moments[F0T_PATCH_STRIDE + d] = x * x;
    }
}

void f0t_fisher_add(f0t_fisher *fisher, const float *patches)
{
    float *posterior = fisher->posterior[0], *moments = fisher->moments[0];
    for (size_t i = 0; i < F0T_PLACES; i++) {
        fill_moments(fisher->moments[i], patches + i * F0T_PATCH_STRIDE);
        memcpy(fisher->posterior[i], fisher->constant, sizeof fisher->constant);
    }
    f0t_kernels()->descriptor_product(posterior, moments, F0T_MOMENTS, 1, fisher->slope[0],
                                      F0T_PLACES, F0T_MOMENTS, F0T_MIXTURE);
    f0t_kernels()->descriptor_posterior(posterior, F0T_PLACES);
    f0t_kernels()->descriptor_product(fisher->sum[0], posterior, 1, F0T_MIXTURE, moments,
                                      F0T_MIXTURE, F0T_PLACES, F0T_MOMENTS);
    for (size_t i = 0; i < F0T_PLACES; i++)
        for (size_t k = 0; k < F0T_MIXTURE; k++)
            fisher->count[k] += fisher->posterior[i][k];
}

void f0t_fisher_get(float *out, const f0t_fisher *fisher)
{
    const float patches = F0T_PLACES * F0T_PLACES;
    for (size_t k = 0; k < F0T_MIXTURE; k++) {
        const float *first = fisher->sum[k], *second = first + F0T_PATCH_STRIDE;
        float n = fisher->count[k], scale = 1 / (patches * sqrtf((float)weight_of(k)));
        float *by_mean = out + k * D, *by_deviation = by_mean + F0T_MIXTURE * D;
        for (size_t d = 0; d < D; d++) {
            float mean = (float)thousandth(f0t_mixture.mean[k][d]);
            float deviation = (float)thousandth(f0t_mixture.deviation[k][d]);
            float variance = deviation * deviation;
            float spread = second[d] - 2 * mean * first[d] + n * (mean * mean - variance);
            by_mean[d] = scale * (first[d] - n * mean) / deviation;
            by_deviation[d] = scale * 0.70710678F * spread / variance;
        }
    }
}
