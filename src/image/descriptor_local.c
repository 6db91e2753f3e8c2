/*
 * A patch: 4 x 4 cells of gradients in 8 directions, as in SIFT (Lowe, IJCV 2004), of which the
 * strongest frequencies over direction and place are kept; its colours and their slopes; its place.
 */
#include "base/kernels.h"
#include "image/descriptor_parts.h"

#include <math.h>
#include <string.h>

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
