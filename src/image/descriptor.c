#include "image/descriptor.h"

#include "base/alloc.h"
#include "base/kernels.h"
#include "image/descriptor_parts.h"

#include <math.h>
#include <string.h>

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
    f0t_fisher_get(&d->fisher, out);
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

f0t_status f0t_descriptor_run(f0t_descriptor *descriptor, float *out, const uint8_t *rgb,
                              size_t width, size_t height)
{
    if (width == 0 || height == 0)
        return f0t_fail(F0T_ERROR_ARGUMENT, "a picture of %zu x %zu pixels has no descriptor",
                        width, height);
    f0t_work_resize(descriptor->picture, &descriptor->work, rgb, width, height);
    fill_fisher(descriptor, out);
    f0t_colour_fill(&descriptor->curves, out + WHOLE_AT, out + HALVES_AT, out + LAYOUT_AT,
                    descriptor->picture);
    fill_shape(out + SHAPE_AT, width, height);
    join(out);
    return F0T_OK;
}
