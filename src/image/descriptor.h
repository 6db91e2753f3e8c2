/*
 * The built-in descriptor: features of a picture with nothing to download. It is classical and
 * global: the Fisher vector of dense gradient and colour patches (Perronnin, Sánchez and Mensink,
 * ECCV 2010), histograms of colour over the picture and its halves, the layout of colours, and
 * the picture's shape. docs/descriptor.md says what each part adds and costs.
 */
#ifndef F0T_IMAGE_DESCRIPTOR_H
#define F0T_IMAGE_DESCRIPTOR_H

#include "base/status.h"

#include <stddef.h>
#include <stdint.h>

/* What computes descriptors: tables, and the scratch of one thread. */
typedef struct f0t_descriptor f0t_descriptor;

/* A part of the vector: each is L2-normalised and multiplied by its weight before all are
 * normalised together. */
typedef struct f0t_descriptor_block {
    const char *name;
    size_t first, count;
    float weight;
} f0t_descriptor_block;

/* How many numbers describe a picture. */
size_t f0t_descriptor_dim(void);

/* Name and version, "builtin-1": descriptors of different versions are not comparable. */
const char *f0t_descriptor_version(void);

/* The parts in their order; they cover the vector. */
const f0t_descriptor_block *f0t_descriptor_blocks(size_t *count);

f0t_status f0t_descriptor_create(f0t_descriptor **out);
void f0t_descriptor_free(f0t_descriptor *descriptor);

/* Describes a picture: rgb[height x width x 3] is 8-bit sRGB, row by row, into out[dim], which has
 * length 1. Any size but 0 will do; a shorter side of 128 pixels or more is enough, and pictures
 * beyond 512 pixels cost time for nothing. Allocates nothing. */
f0t_status f0t_descriptor_run(float *out, f0t_descriptor *descriptor, const uint8_t *rgb,
                              size_t width, size_t height);

/* ---- The steps, for descriptor.c and descriptor_fisher.c ---------------------------------------- */

enum {
    /* The working picture: a square, whatever the picture's shape was. Rows have room for the pixel
     * left and right of the border. */
    F0T_WORK_SIDE = 128,
    F0T_WORK_STRIDE = 144,
    F0T_WORK_PIXELS = F0T_WORK_SIDE * F0T_WORK_STRIDE,
    /* Larger pictures are first reduced by whole factors to this. */
    F0T_WORK_MOST = 512,
    F0T_WORK_TAPS = 12,

    /* Cells of 4 x 4 pixels: gradients in 8 directions, mean and deviation of 3 colour channels. */
    F0T_CELL_SIDE = 4,
    F0T_CELLS = F0T_WORK_SIDE / F0T_CELL_SIDE,
    F0T_CELL_DIRECTIONS = 8,
    F0T_CELL_PLANES = F0T_CELL_DIRECTIONS + 6,
    F0T_CELL_SIZE = 16,

    /* Patches of 4 x 4 cells, one at every cell. */
    F0T_PATCH_CELLS = 4,
    F0T_PATCH_SIZE = F0T_PATCH_CELLS * F0T_PATCH_CELLS * F0T_CELL_DIRECTIONS,
    F0T_PLACES = F0T_CELLS - F0T_PATCH_CELLS + 1,
    /* What describes a patch: frequencies of its gradients, its colours, its place. */
    F0T_PATCH_WAVES = 32,
    F0T_PATCH_COLOURS = 12,
    F0T_PATCH_DIM = F0T_PATCH_WAVES + F0T_PATCH_COLOURS + 2,
    F0T_PATCH_STRIDE = 48,

    /* The mixture of Gaussians, and a patch's numbers with their squares. */
    F0T_MIXTURE = 32,
    F0T_MOMENTS = 2 * F0T_PATCH_STRIDE,

    /* Colours: bins of L, a and b. */
    F0T_BINS_L = 4,
    F0T_BINS_AB = 6,
    F0T_BINS = F0T_BINS_L * F0T_BINS_AB * F0T_BINS_AB,
    F0T_HALVES = 2,
    /* The layout has 8 x 8 fields; a field and its mirror image count as one. */
    F0T_LAYOUT_ROWS = 8,
    F0T_LAYOUT_COLUMNS = 4,
    F0T_LAYOUT = F0T_LAYOUT_ROWS * F0T_LAYOUT_COLUMNS * 3,
    F0T_CURVE = 4096
};

/* ---- The working picture ---------------------------------------------------------------------
 */

/* Which input pixels make an output pixel. */
typedef struct f0t_work_taps {
    size_t first[F0T_WORK_SIDE], count[F0T_WORK_SIDE];
    float weight[F0T_WORK_SIDE][F0T_WORK_TAPS];
} f0t_work_taps;

typedef struct f0t_work_scratch {
    f0t_work_taps rows, columns;
    float row[F0T_WORK_MOST * 3], sum[F0T_WORK_MOST * 3];
} f0t_work_scratch;

/* picture[3][F0T_WORK_SIDE][F0T_WORK_STRIDE] in 0 … 1; pixel x of a row is at x + 1, the border
 * pixels are repeated. Nothing is 0 in size. */
void f0t_work_resize(float *picture, f0t_work_scratch *scratch, const uint8_t *rgb, size_t width,
                     size_t height);

/* ---- Cells ---------------------------------------------------------------------------------- */

typedef struct f0t_cell_scratch {
    float row[F0T_CELL_PLANES][F0T_WORK_SIDE];
    float sum[2][F0T_CELL_PLANES][F0T_WORK_SIDE];
} f0t_cell_scratch;

/* cells[F0T_CELLS][F0T_CELLS][F0T_CELL_SIZE]: 8 directions, 3 means, 3 deviations of a cell. */
void f0t_cells_fill(float *cells, f0t_cell_scratch *scratch, const float *picture);

/* ---- Patches -------------------------------------------------------------------------------- */

/* basis[F0T_PATCH_SIZE][F0T_PATCH_WAVES]: the frequencies that describe a patch's gradients. */
void f0t_patch_basis(float *basis);

/* The patches of row y of places: patches[F0T_PLACES][F0T_PATCH_STRIDE], as they are before the
 * mixture's shift and scale; gradients[F0T_PLACES][F0T_PATCH_SIZE] is scratch. */
void f0t_patches_fill(float *patches, float *gradients, const float *basis, const float *cells,
                      size_t y);

/* ---- The Fisher vector ---------------------------------------------------------------------- */

/* The mixture as stored: numbers in thousandths; those of a patch are first shifted and scaled. */
typedef struct f0t_mixture_table {
    float shift[F0T_PATCH_DIM], scale[F0T_PATCH_DIM];
    int16_t weight[F0T_MIXTURE];
    int16_t mean[F0T_MIXTURE][F0T_PATCH_DIM];
    int16_t deviation[F0T_MIXTURE][F0T_PATCH_DIM];
} f0t_mixture_table;

extern const f0t_mixture_table f0t_mixture;

typedef struct f0t_fisher {
    /* log of weight times density of Gaussian k at x: constant[k] + Σ_j moments(x)[j] slope[j][k] */
    float constant[F0T_MIXTURE], slope[F0T_MOMENTS][F0T_MIXTURE];
    /* Sums over the patches so far. */
    float count[F0T_MIXTURE], sum[F0T_MIXTURE][F0T_MOMENTS];
    float moments[F0T_PLACES][F0T_MOMENTS], posterior[F0T_PLACES][F0T_MIXTURE];
} f0t_fisher;

void f0t_fisher_prepare(f0t_fisher *fisher);
void f0t_fisher_clear(f0t_fisher *fisher);
void f0t_fisher_add(f0t_fisher *fisher, const float *patches);
/* out[2][F0T_MIXTURE][F0T_PATCH_DIM]: gradients by the means, then by the deviations. */
void f0t_fisher_get(float *out, const f0t_fisher *fisher);

/* ---- Colour --------------------------------------------------------------------------------- */

/* The curves of sRGB and of Lab, at steps of 1 / F0T_CURVE. */
typedef struct f0t_colour_curves {
    float linear[F0T_CURVE + 2], lab[F0T_CURVE + 2];
} f0t_colour_curves;

void f0t_colour_prepare(f0t_colour_curves *curves);
/* L, a, b in hundredths of CIE 1976 (white D65) of an sRGB colour in 0 … 1. */
void f0t_colour_lab(float lab[3], const f0t_colour_curves *curves, const float rgb[3]);
/* whole[F0T_BINS], halves[F0T_HALVES][F0T_BINS], the upper first: shares of the pixels;
 * layout[F0T_LAYOUT_ROWS][F0T_LAYOUT_COLUMNS][3]: mean colours. A mirrored picture gives the same.
 */
void f0t_colour_fill(float *whole, float *halves, float *layout, const f0t_colour_curves *curves,
                     const float *picture);

#endif
