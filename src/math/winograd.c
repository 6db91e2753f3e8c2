#include "math/winograd.h"

#include "base/alloc.h"
#include "base/kernels.h"
#include "base/team.h"
#include "math/panels.h"

#include <string.h>

enum {
    SIDE = F0T_WINOGRAD_SIDE,
    OUT = F0T_WINOGRAD_OUT,
    WIDE = F0T_WINOGRAD_WIDE,
    PLACES = SIDE * SIDE
};

/* Tiles that are transformed, multiplied and transformed back at a time: whole groups of rows of math/panels.h. */
enum { TILES = 8 * F0T_PANEL_ROWS };

/* Few tiles are multiplied by all threads together, place by place: each would read all filters for its own ones, and the filters
 * are most of what is read. */
enum { SHARED_TILES = 9 * F0T_PANEL_ROWS };

/* Fewer pixels, or tiles with AVX-512, would be less work than reading the filters: there oneDNN makes 2 x 2 pixels at a time of one
 * image, with fewer numbers for a filter. Larger filters would cost more memory than a network has for them (VGG-19's of 512
 * channels alone 280 MB), but oneDNN's of several images take as much. docs/performance.md has the measurements. */
enum { LEAST_PIXELS = 14 * 14, LEAST_TILES = 32, FEW_TILES = 8, SEVERAL = 2 };
static const size_t MOST_BYTES = 16 << 20, SEVERAL_BYTES = 40 << 20;

struct f0t_winograd {
    f0t_winograd_form form;
    size_t all;  /* tiles of all images */
    bool shared; /* by all threads; else each has tiles of its own */
    int threads;
};

/* ---- Which ------------------------------------------------------------------------------------- */

static bool is_usual(const f0t_layer_window *w)
{
    for (size_t d = 0; d < 2 && w->rank == 2; d++)
        if (w->kernel[d] != 3 || w->stride[d] != 1 || w->dilation[d] != 1 || w->before[d] > 2)
            return false;
    return w->rank == 2;
}

static size_t tiles_of(const f0t_layer_conv *c)
{
    const size_t *out = c->window.out;
    return c->images * ((out[0] + OUT - 1) / OUT) * ((out[1] + OUT - 1) / OUT);
}

static bool pays(const f0t_layer_conv *c)
{
    const bool widest = f0t_cpu_level() == F0T_CPU_WIDEST, several = c->images >= SEVERAL;
    const size_t most = widest && several ? SEVERAL_BYTES : MOST_BYTES;
    return c->channels <= most / (PLACES * sizeof(float)) / c->filters &&
           (widest ? tiles_of(c) >= (several ? FEW_TILES : LEAST_TILES)
                   : c->window.out[0] * c->window.out[1] >= LEAST_PIXELS);
}

size_t f0t_winograd_block(void)
{
    return f0t_cpu_level() == F0T_CPU_WIDEST ? 16 : 8;
}

bool f0t_winograd_suits(const f0t_layer_conv *c)
{
    f0t_finish finish;
    bool sum;
    return f0t_cpu_level() >= F0T_CPU_WIDE && c->type == F0T_F32 && c->result == F0T_F32 &&
           !c->rescale && c->groups == 1 && c->channels && c->filters &&
           c->channels % f0t_winograd_block() == 0 && c->filters % F0T_PANEL == 0 &&
           is_usual(&c->window) && pays(c) &&
           f0t_finish_read_sum(&sum, &finish, c->after, c->after_count) &&
           finish.kind == F0T_FINISH_LIMITS;
}

static void choose_tiles(f0t_winograd *w)
{
    const size_t threads = (size_t)w->threads, each = (w->all + threads - 1) / threads;
    w->shared = threads > 1 && w->all <= SHARED_TILES;
    const size_t tiles = w->shared ? w->all : each < TILES ? each : TILES;
    w->form.tiles = (tiles + F0T_PANEL_ROWS - 1) / F0T_PANEL_ROWS * F0T_PANEL_ROWS;
}

f0t_status f0t_winograd_create(f0t_winograd **out, const f0t_layer_conv *c, int threads)
{
    F0T_TRY(f0t_alloc_zero(out, 1, sizeof **out));
    f0t_winograd *w = *out;
    f0t_winograd_form *form = &w->form;
    form->channels = c->channels;
    form->filters = c->filters;
    f0t_finish_read_sum(&form->sum, &form->finish, c->after, c->after_count);
    w->threads = threads;
    w->all = tiles_of(c);
    for (size_t d = 0; d < 2; d++) {
        form->in[d] = c->in[d];
        form->out[d] = c->window.out[d];
        form->before[d] = c->window.before[d];
        form->across[d] = (form->out[d] + OUT - 1) / OUT;
    }
    choose_tiles(w);
    return F0T_OK;
}

void f0t_winograd_free(f0t_winograd *w)
{
    f0t_free(w);
}

static size_t of_thread(const f0t_winograd *w)
{
    return PLACES * (f0t_winograd_input(&w->form) + f0t_winograd_product(&w->form));
}

size_t f0t_winograd_scratch(const f0t_winograd *w)
{
    return (w->shared ? 1 : (size_t)w->threads) * of_thread(w) * sizeof(float);
}

/* ---- Filters ----------------------------------------------------------------------------------- */

/* G·x for a column of three. */
static void transform_filter(double *y, const double *x)
{
    const double even = (x[0] + x[2]) / 6, far = x[0] / 24 + x[2] / 6;
    y[0] = x[0] / 4;
    y[1] = -even - x[1] / 6;
    y[2] = -even + x[1] / 6;
    y[3] = far + x[1] / 12;
    y[4] = far - x[1] / 12;
    y[5] = x[2];
}

/* u = G g Gᵀ */
static void filter_places(double *u, const float *g)
{
    double rows[3][SIDE], column[3], result[SIDE];
    for (size_t r = 0; r < 3; r++) {
        for (size_t c = 0; c < 3; c++)
            column[c] = (double)g[r * 3 + c];
        transform_filter(rows[r], column);
    }
    for (size_t c = 0; c < SIDE; c++) {
        for (size_t r = 0; r < 3; r++)
            column[r] = rows[r][c];
        transform_filter(result, column);
        for (size_t r = 0; r < SIDE; r++)
            u[r * SIDE + c] = result[r];
    }
}

void f0t_winograd_filters(float *to, const void *from, size_t filters, size_t channels)
{
    const unsigned char *bytes = from;
    for (size_t o = 0; o < filters; o++)
        for (size_t i = 0; i < channels; i++) {
            float g[9];
            double u[PLACES];
            const size_t p = i / F0T_PANEL_DEPTH * F0T_PANEL_DEPTH;
            const size_t at = f0t_panel_at(channels, filters, p, o / F0T_PANEL * F0T_PANEL) +
                              (i - p) * F0T_PANEL + o % F0T_PANEL;
            memcpy(g, bytes + (o * channels + i) * sizeof g, sizeof g);
            filter_places(u, g);
            for (size_t k = 0; k < PLACES; k++)
                to[k * filters * channels + at] = (float)u[k];
        }
}

/* ---- Running ----------------------------------------------------------------------------------- */

/* What a run works on. */
typedef struct work {
    const f0t_winograd_form *form;
    const float *source, *filters, *bias;
    float *result;
    float *input, *products; /* of some tiles */
    size_t first, count;     /* these */
    size_t blocks[2];        /* of channels, and of filters */
} work;

static void transform_input(const work *h, size_t block)
{
    f0t_kernels()->winograd_in(h->input, h->form, h->source, block, h->first, h->count);
}

/* The product of one place: [tiles x channels] · [channels x filters], in panels. */
static void multiply(const work *h, size_t k)
{
    const f0t_winograd_form *w = h->form;
    const size_t blocks = w->channels / F0T_PANEL_BLOCK;
    float *to = h->products + k * f0t_winograd_product(w);
    const float *from = h->input + k * f0t_winograd_input(w),
                *filters = h->filters + k * w->filters * w->channels;
    for (size_t p = 0; p < w->channels; p += F0T_PANEL_DEPTH)
        for (size_t j = 0; j < w->filters; j += WIDE) {
            const size_t left = w->channels - p, columns = w->filters - j;
            const f0t_panel_strip s = {.c = to + j * w->tiles,
                                       .a = from + f0t_panel_row(0, p / F0T_PANEL_BLOCK, blocks),
                                       .b = filters + f0t_panel_at(w->channels, w->filters, p, j),
                                       .c_row = WIDE,
                                       .c_block = F0T_PANEL_BLOCK,
                                       .a_group = f0t_panel_row(F0T_PANEL_ROWS, 0, blocks),
                                       .a_block = F0T_PANEL_STEP,
                                       .rows = h->count,
                                       .columns = columns < WIDE ? columns : WIDE,
                                       .blocks = (left < F0T_PANEL_DEPTH ? left : F0T_PANEL_DEPTH) /
                                                 F0T_PANEL_BLOCK,
                                       .add = p > 0};
            f0t_kernels()->panel_product(&s);
        }
}

static void transform_output(const work *h, size_t block)
{
    f0t_kernels()->winograd_out(h->result, h->form, h->products, h->bias, block, h->first,
                                h->count);
}

/* The tiles from `first` on, as many as are done at a time. */
static work work_on(const work *all, const f0t_winograd *w, float *scratch, size_t first)
{
    work h = *all;
    h.input = scratch;
    h.products = scratch + PLACES * f0t_winograd_input(&w->form);
    h.first = first;
    h.count = w->all - first < w->form.tiles ? w->all - first : w->form.tiles;
    return h;
}

static void run_alone(const work *h)
{
    for (size_t b = 0; b < h->blocks[0]; b++)
        transform_input(h, b);
    for (size_t k = 0; k < PLACES; k++)
        multiply(h, k);
    for (size_t b = 0; b < h->blocks[1]; b++)
        transform_output(h, b);
}

static void run_shared(const work *h, int threads)
{
    (void)threads;
#pragma omp parallel num_threads(threads)
    {
#pragma omp for schedule(static)
        for (size_t b = 0; b < h->blocks[0]; b++)
            transform_input(h, b);
#pragma omp for schedule(dynamic)
        for (size_t k = 0; k < PLACES; k++)
            multiply(h, k);
#pragma omp for schedule(static)
        for (size_t b = 0; b < h->blocks[1]; b++)
            transform_output(h, b);
    }
}

static void run_each(const work *all, const f0t_winograd *w, float *scratch, int threads)
{
    (void)threads;
#pragma omp parallel for num_threads(threads) schedule(dynamic)
    for (size_t first = 0; first < w->all; first += w->form.tiles) {
        const work h = work_on(all, w, scratch + (size_t)f0t_team_member() * of_thread(w), first);
        run_alone(&h);
    }
}

void f0t_winograd_run(float *result, const f0t_winograd *w, const float *source,
                      const float *filters, const float *bias, float *scratch)
{
    const int team = f0t_team_size(), threads = team < w->threads ? team : w->threads;
    const size_t block = f0t_winograd_block();
    const work all = {.form = &w->form,
                      .source = source,
                      .filters = filters,
                      .bias = bias,
                      .result = result,
                      .blocks = {w->form.channels / block, w->form.filters / block}};
    if (w->shared) {
        const work h = work_on(&all, w, scratch, 0);
        run_shared(&h, threads);
    } else {
        run_each(&all, w, scratch, threads);
    }
}
