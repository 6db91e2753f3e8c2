/*
 * Convolutions of 3 x 3 at stride 1 in float32 by Winograd's algorithm, F(4 x 4, 3 x 3) of Lavin and Gray (2016): a quarter of
 * the multiplications. For CPUs with AVX2, where oneDNN does not have it, and with AVX-512, where these are faster than
 * oneDNN's for filters that are not many. The products are those of math/panels.h. Called by math/layers_own.c.
 */
#ifndef F0T_MATH_WINOGRAD_H
#define F0T_MATH_WINOGRAD_H

#include "math/finish.h"
#include "math/layers.h"

enum {
    F0T_WINOGRAD_SIDE = 6,  /* of a tile of the input, */
    F0T_WINOGRAD_OUT = 4,   /* and of the pixels that are made of it */
    F0T_WINOGRAD_WIDE = 32, /* columns of products that lie together, row after row */
    F0T_WINOGRAD_GAP = 16   /* see f0t_winograd_input */
};

typedef struct f0t_winograd f0t_winograd;

/* What the kernels winograd_in and winograd_out are told. */
typedef struct f0t_winograd_form {
    size_t channels, filters;
    size_t in[2], out[2], before[2];
    size_t across[2];  /* tiles of an image in each dimension */
    size_t tiles;      /* at a time */
    bool sum;          /* what the result's memory holds is added */
    f0t_finish finish; /* limits */
} f0t_winograd_form;

/* Floats from one place of a tile to the next, of the transformed input and of the products: no power of two, which would be
 * the same sets of the cache. */
static inline size_t f0t_winograd_input(const f0t_winograd_form *w)
{
    return w->tiles * w->channels + F0T_WINOGRAD_GAP;
}

static inline size_t f0t_winograd_product(const f0t_winograd_form *w)
{
    const size_t groups = (w->filters + F0T_WINOGRAD_WIDE - 1) / F0T_WINOGRAD_WIDE;
    return w->tiles * groups * F0T_WINOGRAD_WIDE + F0T_WINOGRAD_GAP;
}

/* Whether it is the fastest for this convolution of those that keep their filters transformed, which take four times the room, and
 * these are not too large. */
bool f0t_winograd_suits(const f0t_layer_conv *conv);

/* Channels of a block of the source and of the result on this CPU, 8 or 16: oneDNN's aBcd8b or aBcd16b. */
size_t f0t_winograd_block(void);

/* For at most so many threads. */
f0t_status f0t_winograd_create(f0t_winograd **out, const f0t_layer_conv *conv, int threads);
void f0t_winograd_free(f0t_winograd *winograd);
size_t f0t_winograd_scratch(const f0t_winograd *winograd); /* bytes */

/* The filters as a run takes them, 36 numbers for 9, from filters x channels x 3 x 3 floats of any alignment. */
void f0t_winograd_filters(float *to, const void *from, size_t filters, size_t channels);

/* The result is the same for any number of threads and of images. */
void f0t_winograd_run(float *result, const f0t_winograd *winograd, const float *source,
                      const float *filters, const float *bias, float *scratch);

#endif
