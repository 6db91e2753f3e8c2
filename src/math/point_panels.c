#include "math/point_panels.h"

#include "base/alloc.h"
#include "base/kernels.h"
#include "base/team.h"
#include "math/panels.h"

#include <string.h>

enum { BLOCK = F0T_PANEL_BLOCK };

/* Rows of a panel that meet all pixels before the next ones, and panels that a thread takes at a time. */
enum { DEPTH = 512, SHARE = 4 };

/* With more pixels oneDNN's are as fast; with fewer, sums would wait for each other. */
enum { LEAST_PIXELS = 4 * F0T_PANEL_ROWS, MOST_PIXELS = 8 * 8 };

struct f0t_point_panels {
    size_t images, channels, filters;
    size_t in[2], out[2], stride[2];
    size_t space; /* pixels of an image of the result */
    bool strided, sum, relu;
    int threads;
};

/* ---- Which ------------------------------------------------------------------------------------- */

static bool is_point(const f0t_layer_conv *c)
{
    const f0t_layer_window *w = &c->window;
    for (size_t d = 0; d < w->rank; d++)
        if (w->kernel[d] != 1 || w->before[d] || (w->out[d] - 1) * w->stride[d] >= c->in[d])
            return false;
    return w->rank == 2;
}

/* A sum, then a relu; each may be missing. */
static bool read_after(bool *sum, bool *relu, const f0t_layer_conv *c)
{
    *sum = c->after_count && c->after[0].kind == F0T_ACTIVATION_SUM;
    const f0t_after *last = c->after + *sum;
    *relu = c->after_count > *sum;
    return c->after_count - *sum <= 1 &&
           (!*relu || (last->kind == F0T_ACTIVATION_RELU && last->alpha == 0));
}

bool f0t_point_panels_suits(const f0t_layer_conv *c)
{
    const size_t space = c->window.out[0] * c->window.out[1];
    bool sum, relu;
    return f0t_panels_native() && c->type == F0T_F32 && c->result == F0T_F32 && !c->rescale &&
           !c->gated && c->groups == 1 && is_point(c) && c->channels && c->channels % BLOCK == 0 &&
           c->filters && c->filters % F0T_PANEL == 0 && space >= LEAST_PIXELS &&
           space <= MOST_PIXELS && read_after(&sum, &relu, c);
}

f0t_status f0t_point_panels_create(f0t_point_panels **out, const f0t_layer_conv *c, int threads)
{
    F0T_TRY(f0t_alloc_zero(out, 1, sizeof **out));
    f0t_point_panels *p = *out;
    p->images = c->images;
    p->channels = c->channels;
    p->filters = c->filters;
    p->threads = threads;
    read_after(&p->sum, &p->relu, c);
    for (size_t d = 0; d < 2; d++) {
        p->in[d] = c->in[d];
        p->out[d] = c->window.out[d];
        p->stride[d] = c->window.stride[d];
        p->strided |= p->in[d] != p->out[d];
    }
    p->space = p->out[0] * p->out[1];
    return F0T_OK;
}

void f0t_point_panels_free(f0t_point_panels *points)
{
    f0t_free(points);
}

size_t f0t_point_panels_scratch(const f0t_point_panels *p)
{
    return p->strided ? p->images * p->channels * p->space * sizeof(float) : 0;
}

/* ---- Running ----------------------------------------------------------------------------------- */

/* The pixels that count, of eight channels of an image. */
static void gather(float *to, const f0t_point_panels *p, const float *from)
{
    for (size_t y = 0; y < p->out[0]; y++)
        for (size_t x = 0; x < p->out[1]; x++, to += BLOCK)
            memcpy(to, from + (y * p->stride[0] * p->in[1] + x * p->stride[1]) * BLOCK,
                   BLOCK * sizeof *to);
}

/* Arrays of an image, and what all have. */
typedef struct work {
    const f0t_point_panels *p;
    const float *source, *filters, *bias;
    float *result;
} work;

/* A panel of filters with all pixels. */
static void run_panel(const work *h, size_t filter)
{
    const f0t_point_panels *p = h->p;
    const size_t plane = p->space * BLOCK;
    for (size_t k = 0; k < p->channels; k += DEPTH) {
        const size_t left = p->channels - k, depth = left < DEPTH ? left : DEPTH;
        const f0t_panel_strip s = {.c = h->result + filter / BLOCK * plane,
                                   .a = h->source + k / BLOCK * plane,
                                   .b = h->filters + filter * p->channels + k * F0T_PANEL,
                                   .bias = k ? NULL : h->bias + filter,
                                   .c_row = BLOCK,
                                   .c_block = plane,
                                   .a_group = F0T_PANEL_STEP,
                                   .a_block = plane,
                                   .rows = p->space,
                                   .blocks = depth / BLOCK,
                                   .columns = F0T_PANEL,
                                   .add = k || p->sum,
                                   .relu = p->relu && left <= DEPTH};
        f0t_kernels()->panel_product(&s);
    }
}

static void run_share(const work *h, size_t from)
{
    const f0t_point_panels *p = h->p;
    const size_t end = from + SHARE * F0T_PANEL, to = end < p->filters ? end : p->filters;
    for (size_t j = from; j < to; j += F0T_PANEL)
        run_panel(h, j);
}

void f0t_point_panels_run(float *result, const f0t_point_panels *p, const float *source,
                          const float *filters, const float *bias, float *scratch)
{
    const int team = f0t_team_size(), threads = team < p->threads ? team : p->threads;
    const size_t wide = SHARE * F0T_PANEL, shares = (p->filters + wide - 1) / wide;
    const size_t planes = p->strided ? p->images * p->channels / BLOCK : 0;
    const float *dense = p->strided ? scratch : source;
    (void)threads;
#pragma omp parallel num_threads(threads)
    {
#pragma omp for schedule(static)
        for (size_t t = 0; t < planes; t++)
            gather(scratch + t * p->space * BLOCK, p, source + t * p->in[0] * p->in[1] * BLOCK);
#pragma omp for schedule(dynamic)
        for (size_t t = 0; t < p->images * shares; t++) {
            const size_t image = t % p->images;
            const work h = {p, dense + image * p->channels * p->space, filters, bias,
                            result + image * p->filters * p->space};
            run_share(&h, t / p->images * wide);
        }
    }
}
