#include "math/winograd.h"

#include "base/kernels.h"
#include "math/floats.h"
#include "math/panels.h"

/* Channels of a vector, which are a block of the source and of the result. */
enum { SIDE = F0T_WINOGRAD_SIDE, OUT = F0T_WINOGRAD_OUT, PLACES = SIDE * SIDE, BLOCK = F0T_FLOATS };

/* Bᵀx */
static F0T_INLINE void transform_in(f0t_floats *y, const f0t_floats *x)
{
    const f0t_floats near = x[4] - 4.0F * x[2], odd = x[3] - 4.0F * x[1], even = x[4] - x[2],
                     twice = 2.0F * (x[3] - x[1]);
    y[0] = 4.0F * x[0] - 5.0F * x[2] + x[4];
    y[1] = near + odd;
    y[2] = near - odd;
    y[3] = even + twice;
    y[4] = even - twice;
    y[5] = 4.0F * x[1] - 5.0F * x[3] + x[5];
}

/* Aᵀx: four of six. */
static F0T_INLINE void transform_out(f0t_floats *y, const f0t_floats *x)
{
    const f0t_floats s = x[1] + x[2], d = x[1] - x[2], s2 = x[3] + x[4], d2 = x[3] - x[4];
    y[0] = x[0] + s + s2;
    y[1] = d + 2.0F * d2;
    y[2] = s + 4.0F * s2;
    y[3] = d + 8.0F * d2 + x[5];
}

/* Where a tile is. */
typedef struct place {
    size_t image, row, column; /* of its first pixel in the result */
} place;

static place place_of(const f0t_winograd_form *w, size_t tile)
{
    const size_t of_image = w->across[0] * w->across[1], in = tile % of_image;
    return (place){tile / of_image, in / w->across[1] * OUT, in % w->across[1] * OUT};
}

/* Blocks of a row of a panel product are shorter than a vector of AVX-512. */
static F0T_INLINE void write_place(float *to, f0t_floats x)
{
#if defined(__AVX512F__)
    typedef float half __attribute__((vector_size(F0T_PANEL_BLOCK * sizeof(float))));
    const half low = __builtin_shufflevector(x, x, 0, 1, 2, 3, 4, 5, 6, 7),
               high = __builtin_shufflevector(x, x, 8, 9, 10, 11, 12, 13, 14, 15);
    memcpy(to, &low, sizeof low);
    memcpy(to + F0T_PANEL_STEP, &high, sizeof high);
#else
    f0t_floats_write(to, x);
#endif
}

/* From the pixels of a tile, whose rows are `row` floats apart. */
static F0T_INLINE void transform_tile(float *to, const f0t_winograd_form *w, const float *from,
                                      size_t row)
{
    const size_t apart = f0t_winograd_input(w);
    f0t_floats y[PLACES], z[SIDE];
#pragma GCC unroll 6
    for (size_t c = 0; c < SIDE; c++) {
        f0t_floats x[SIDE];
#pragma GCC unroll 6
        for (size_t r = 0; r < SIDE; r++)
            x[r] = f0t_floats_read(from + r * row + c * BLOCK);
        transform_in(z, x);
#pragma GCC unroll 6
        for (size_t r = 0; r < SIDE; r++)
            y[r * SIDE + c] = z[r];
    }
#pragma GCC unroll 6
    for (size_t r = 0; r < SIDE; r++) {
        transform_in(z, y + r * SIDE);
#pragma GCC unroll 6
        for (size_t c = 0; c < SIDE; c++)
            write_place(to + (r * SIDE + c) * apart, z[c]);
    }
}

static bool is_inside(const f0t_winograd_form *w, place at)
{
    return at.row >= w->before[0] && at.column >= w->before[1] &&
           at.row + SIDE <= w->in[0] + w->before[0] && at.column + SIDE <= w->in[1] + w->before[1];
}

/* The pixels of a tile at the border, 0 outside of the picture. */
static void read_border(float *pixels, const f0t_winograd_form *w, const float *plane, place at)
{
    for (size_t r = 0; r < SIDE; r++)
        for (size_t c = 0; c < SIDE; c++) {
            const size_t y = at.row + r - w->before[0], x = at.column + c - w->before[1];
            const bool inside = y < w->in[0] && x < w->in[1]; /* what is below 0 is large */
            f0t_floats_write(pixels + (r * SIDE + c) * BLOCK,
                             inside ? f0t_floats_read(plane + (y * w->in[1] + x) * BLOCK)
                                    : (f0t_floats){0});
        }
}

void F0T_KERNEL(winograd_in)(float *to, const f0t_winograd_form *w, const float *source,
                             size_t block, size_t first, size_t count)
{
    const size_t blocks = w->channels / BLOCK, row = w->in[1] * BLOCK;
    float border[PLACES * BLOCK];
    for (size_t t = 0; t < count; t++) {
        const place at = place_of(w, first + t);
        const float *plane = source + (at.image * blocks + block) * w->in[0] * row;
        const bool inside = is_inside(w, at);
        if (!inside)
            read_border(border, w, plane, at);
        transform_tile(
            to + f0t_panel_row(t, block * BLOCK / F0T_PANEL_BLOCK, w->channels / F0T_PANEL_BLOCK),
            w,
            inside ? plane + (at.row - w->before[0]) * row + (at.column - w->before[1]) * BLOCK
                   : border,
            inside ? row : SIDE * BLOCK);
    }
}

static F0T_INLINE f0t_floats finished(const f0t_winograd_form *w, f0t_floats x, const float *there)
{
    if (w->sum)
        x += f0t_floats_read(there);
    x = f0t_floats_larger(f0t_floats_all(w->finish.low), x); /* x, where it is no number */
    return f0t_floats_smaller(f0t_floats_all(w->finish.high), x);
}

static F0T_INLINE void tile_out(float *plane, const f0t_winograd_form *w, const float *from,
                                f0t_floats bias, place at)
{
    const size_t apart = f0t_winograd_product(w);
    f0t_floats y[OUT * SIDE], z[OUT];
#pragma GCC unroll 6
    for (size_t r = 0; r < SIDE; r++) {
        f0t_floats x[SIDE];
#pragma GCC unroll 6
        for (size_t c = 0; c < SIDE; c++)
            x[c] = f0t_floats_read(from + (r * SIDE + c) * apart);
        transform_out(z, x);
#pragma GCC unroll 4
        for (size_t c = 0; c < OUT; c++)
            y[c * SIDE + r] = z[c];
    }
#pragma GCC unroll 4
    for (size_t c = 0; c < OUT; c++) {
        transform_out(z, y + c * SIDE);
        if (at.column + c >= w->out[1])
            continue;
#pragma GCC unroll 4
        for (size_t r = 0; r < OUT; r++) {
            float *to = plane + ((at.row + r) * w->out[1] + at.column + c) * BLOCK;
            if (at.row + r < w->out[0])
                f0t_floats_write(to, finished(w, z[r] + bias, to));
        }
    }
}

void F0T_KERNEL(winograd_out)(float *result, const f0t_winograd_form *w, const float *products,
                              const float *bias, size_t block, size_t first, size_t count)
{
    const size_t blocks = w->filters / BLOCK, plane = w->out[0] * w->out[1] * BLOCK;
    const size_t group = block * BLOCK / F0T_WINOGRAD_WIDE,
                 part = block * BLOCK % F0T_WINOGRAD_WIDE;
    for (size_t t = 0; t < count; t++) {
        const place at = place_of(w, first + t);
        tile_out(result + (at.image * blocks + block) * plane, w,
                 products + (group * w->tiles + t) * F0T_WINOGRAD_WIDE + part,
                 f0t_floats_read(bias + block * BLOCK), at);
    }
}
