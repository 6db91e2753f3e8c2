#include "math/winograd.h"

#include "base/alloc.h"
#include "base/kernels.h"
#include "base/team.h"
#include "math/panels.h"

#include <string.h>

enum { SIDE = F0T_WINOGRAD_SIDE, OUT = 4, PLACES = SIDE * SIDE, BLOCK = 8 };

/* Tiles that are transformed, multiplied and transformed back at a time: whole groups of rows of math/panels.h. */
enum { TILES = 8 * F0T_PANEL_ROWS };

/* Few tiles are multiplied by all threads together, place by place: each would read all filters for its own ones, and the filters
 * are most of what is read. */
enum { SHARED_TILES = 9 * F0T_PANEL_ROWS };

/* Arrays of the places are no power of two apart, which would be the same sets of the cache. */
enum { GAP = 16 };

/* Fewer pixels would be less work than reading the filters; larger filters would cost more memory than a network has
 * for them (VGG-19's of 512 channels alone 280 MB). */
enum { LEAST_PIXELS = 14 * 14, MOST_BYTES = 16 << 20 };

struct f0t_winograd {
    size_t images, channels, filters;
    size_t in[2], out[2], before[2];
    size_t across[2], all; /* tiles of an image in each dimension, and of all images */
    size_t tiles;          /* at a time */
    bool shared;           /* by all threads; else each has tiles of its own */
    f0t_after after[F0T_LAYER_AFTER];
    size_t after_count;
    int threads;
};

/* ---- Which ------------------------------------------------------------------------------------- */

static bool can_follow(const f0t_layer_conv *c)
{
    for (size_t k = 0; k < c->after_count; k++)
        if (c->after[k].kind != F0T_ACTIVATION_SUM && c->after[k].kind != F0T_ACTIVATION_CLIP &&
            (c->after[k].kind != F0T_ACTIVATION_RELU || c->after[k].alpha != 0))
            return false;
    return c->after_count <= F0T_LAYER_AFTER;
}

static bool is_usual(const f0t_layer_window *w)
{
    for (size_t d = 0; d < 2 && w->rank == 2; d++)
        if (w->kernel[d] != 3 || w->stride[d] != 1 || w->dilation[d] != 1 || w->before[d] > 2)
            return false;
    return w->rank == 2;
}

bool f0t_winograd_suits(const f0t_layer_conv *c)
{
    return f0t_panels_native() && c->type == F0T_F32 && c->result == F0T_F32 && !c->rescale &&
           c->groups == 1 && c->channels && c->filters && c->channels % BLOCK == 0 &&
           c->filters % F0T_PANEL == 0 && is_usual(&c->window) &&
           c->window.out[0] * c->window.out[1] >= LEAST_PIXELS &&
           c->channels * c->filters <= MOST_BYTES / (PLACES * sizeof(float)) && can_follow(c);
}

static void choose_tiles(f0t_winograd *w)
{
    const size_t threads = (size_t)w->threads, each = (w->all + threads - 1) / threads;
    w->shared = threads > 1 && w->all <= SHARED_TILES;
    const size_t tiles = w->shared ? w->all : each < TILES ? each : TILES;
    w->tiles = (tiles + F0T_PANEL_ROWS - 1) / F0T_PANEL_ROWS * F0T_PANEL_ROWS;
}

f0t_status f0t_winograd_create(f0t_winograd **out, const f0t_layer_conv *c, int threads)
{
    F0T_TRY(f0t_alloc_zero(out, 1, sizeof **out));
    f0t_winograd *w = *out;
    w->images = c->images;
    w->channels = c->channels;
    w->filters = c->filters;
    w->threads = threads;
    w->after_count = c->after_count;
    for (size_t k = 0; k < c->after_count; k++)
        w->after[k] = c->after[k];
    w->all = c->images;
    for (size_t d = 0; d < 2; d++) {
        w->in[d] = c->in[d];
        w->out[d] = c->window.out[d];
        w->before[d] = c->window.before[d];
        w->across[d] = (w->out[d] + OUT - 1) / OUT;
        w->all *= w->across[d];
    }
    choose_tiles(w);
    return F0T_OK;
}

void f0t_winograd_free(f0t_winograd *w)
{
    f0t_free(w);
}

/* Floats of one place, of the transformed input and of the products. */
static size_t of_input(const f0t_winograd *w)
{
    return w->tiles * w->channels + GAP;
}

static size_t of_product(const f0t_winograd *w)
{
    return w->tiles * w->filters + GAP;
}

static size_t of_thread(const f0t_winograd *w)
{
    return PLACES * (of_input(w) + of_product(w));
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

#if defined(__x86_64__)

#include <immintrin.h>

#define AVX2 __attribute__((target("avx2,fma")))

typedef __m256 lanes; /* eight channels */

/* Bᵀx of six, `step` apart. */
AVX2 static inline __attribute__((always_inline)) void transform_in(lanes *y, const lanes *x,
                                                                    size_t step)
{
    const lanes x1 = x[step], x2 = x[2 * step], x3 = x[3 * step], x4 = x[4 * step];
    const lanes near = x4 - 4.0F * x2, odd = x3 - 4.0F * x1, even = x4 - x2,
                twice = 2.0F * (x3 - x1);
    y[0] = 4.0F * x[0] - 5.0F * x2 + x4;
    y[step] = near + odd;
    y[2 * step] = near - odd;
    y[3 * step] = even + twice;
    y[4 * step] = even - twice;
    y[5 * step] = 4.0F * x1 - 5.0F * x3 + x[5 * step];
}

/* Aᵀx: four of six. */
AVX2 static inline __attribute__((always_inline)) void transform_out(lanes *y, const lanes *x,
                                                                     size_t step)
{
    const lanes s = x[step] + x[2 * step], d = x[step] - x[2 * step];
    const lanes s2 = x[3 * step] + x[4 * step], d2 = x[3 * step] - x[4 * step];
    y[0] = x[0] + s + s2;
    y[step] = d + 2.0F * d2;
    y[2 * step] = s + 4.0F * s2;
    y[3 * step] = d + 8.0F * d2 + x[5 * step];
}

/* Where a tile is. */
typedef struct place {
    size_t image, row, column; /* of its first pixel in the result */
} place;

static place place_of(const f0t_winograd *w, size_t tile)
{
    const size_t of_image = w->across[0] * w->across[1], in = tile % of_image;
    return (place){tile / of_image, in / w->across[1] * OUT, in % w->across[1] * OUT};
}

/* The 36 pixels of eight channels, 0 outside of the picture. */
AVX2 static void read_tile(lanes *x, const f0t_winograd *w, const float *plane, place at)
{
    for (size_t r = 0; r < SIDE; r++)
        for (size_t c = 0; c < SIDE; c++) {
            const size_t y = at.row + r - w->before[0], z = at.column + c - w->before[1];
            const bool inside = y < w->in[0] && z < w->in[1]; /* what is below 0 is large */
            x[r * SIDE + c] =
                inside ? _mm256_loadu_ps(plane + (y * w->in[1] + z) * BLOCK) : _mm256_setzero_ps();
        }
}

AVX2 static void transform_tile(float *to, const f0t_winograd *w, const float *plane, place at)
{
    lanes x[PLACES], y[PLACES];
    read_tile(x, w, plane, at);
    for (size_t c = 0; c < SIDE; c++)
        transform_in(y + c, x + c, SIDE);
    for (size_t r = 0; r < SIDE; r++)
        transform_in(x + r * SIDE, y + r * SIDE, 1);
    for (size_t k = 0; k < PLACES; k++)
        _mm256_storeu_ps(to + k * of_input(w), x[k]);
}

/* What a run works on. */
typedef struct work {
    const f0t_winograd *w;
    const float *source, *filters, *bias;
    float *result;
    float *input, *products; /* of some tiles */
    size_t first, count;     /* these */
} work;

/* Eight channels of them. */
static void transform_input(const work *h, size_t block)
{
    const f0t_winograd *w = h->w;
    const size_t blocks = w->channels / BLOCK, plane = w->in[0] * w->in[1] * BLOCK;
    for (size_t t = 0; t < h->count; t++) {
        const place at = place_of(w, h->first + t);
        transform_tile(h->input + f0t_panel_row(t, block, blocks), w,
                       h->source + (at.image * blocks + block) * plane, at);
    }
}

/* The product of one place: [tiles x channels] · [channels x filters], in panels. */
static void multiply(const work *h, size_t k)
{
    const f0t_winograd *w = h->w;
    const size_t blocks = w->channels / BLOCK;
    float *to = h->products + k * of_product(w);
    const float *from = h->input + k * of_input(w),
                *filters = h->filters + k * w->filters * w->channels;
    for (size_t p = 0; p < w->channels; p += F0T_PANEL_DEPTH)
        for (size_t j = 0; j < w->filters; j += F0T_PANEL) {
            const size_t left = w->channels - p;
            const f0t_panel_strip s = {.c = to + j * w->tiles,
                                       .a = from + f0t_panel_row(0, p / BLOCK, blocks),
                                       .b = filters + f0t_panel_at(w->channels, w->filters, p, j),
                                       .c_row = F0T_PANEL,
                                       .c_block = F0T_PANEL_BLOCK,
                                       .a_group = f0t_panel_row(F0T_PANEL_ROWS, 0, blocks),
                                       .a_block = F0T_PANEL_STEP,
                                       .rows = h->count,
                                       .columns = F0T_PANEL,
                                       .blocks = (left < F0T_PANEL_DEPTH ? left : F0T_PANEL_DEPTH) /
                                                 BLOCK,
                                       .add = p > 0};
            f0t_kernels()->panel_product(&s);
        }
}

AVX2 static inline lanes follow(const f0t_winograd *w, lanes x, const float *there)
{
    for (size_t k = 0; k < w->after_count; k++) {
        const f0t_after *a = &w->after[k];
        const float low = a->kind == F0T_ACTIVATION_CLIP ? a->alpha : 0;
        if (a->kind == F0T_ACTIVATION_SUM)
            x += _mm256_loadu_ps(there);
        else
            x = _mm256_max_ps(_mm256_set1_ps(low), x); /* x, where it is no number */
        if (a->kind == F0T_ACTIVATION_CLIP)
            x = _mm256_min_ps(_mm256_set1_ps(a->beta), x);
    }
    return x;
}

AVX2 static void write_tile(float *plane, const f0t_winograd *w, const lanes *y, lanes bias,
                            place at)
{
    for (size_t r = 0; r < OUT && at.row + r < w->out[0]; r++)
        for (size_t c = 0; c < OUT && at.column + c < w->out[1]; c++) {
            float *to = plane + ((at.row + r) * w->out[1] + at.column + c) * BLOCK;
            _mm256_storeu_ps(to, follow(w, y[r * OUT + c] + bias, to));
        }
}

AVX2 static void transform_back(float *plane, const f0t_winograd *w, const float *from,
                                const float *bias, place at)
{
    lanes x[PLACES], y[OUT * SIDE], z[OUT * OUT];
    for (size_t k = 0; k < PLACES; k++)
        x[k] = _mm256_loadu_ps(from + k * of_product(w));
    for (size_t r = 0; r < SIDE; r++) {
        lanes four[OUT];
        transform_out(four, x + r * SIDE, 1);
        for (size_t c = 0; c < OUT; c++)
            y[c * SIDE + r] = four[c];
    }
    for (size_t c = 0; c < OUT; c++) {
        lanes four[OUT];
        transform_out(four, y + c * SIDE, 1);
        for (size_t r = 0; r < OUT; r++)
            z[r * OUT + c] = four[r];
    }
    write_tile(plane, w, z, _mm256_loadu_ps(bias), at);
}

/* Eight filters of the tiles. */
static void transform_output(const work *h, size_t block)
{
    const f0t_winograd *w = h->w;
    const size_t blocks = w->filters / BLOCK, plane = w->out[0] * w->out[1] * BLOCK;
    const size_t panel = block * BLOCK / F0T_PANEL, half = block * BLOCK % F0T_PANEL;
    for (size_t t = 0; t < h->count; t++) {
        const place at = place_of(w, h->first + t);
        transform_back(h->result + (at.image * blocks + block) * plane, w,
                       h->products + (panel * w->tiles + t) * F0T_PANEL + half,
                       h->bias + block * BLOCK, at);
    }
}

static work work_on(const work *all, float *scratch, size_t first)
{
    const f0t_winograd *w = all->w;
    work h = *all;
    h.input = scratch;
    h.products = scratch + PLACES * of_input(w);
    h.first = first;
    h.count = w->all - first < w->tiles ? w->all - first : w->tiles;
    return h;
}

static void run_alone(const work *h)
{
    for (size_t b = 0; b < h->w->channels / BLOCK; b++)
        transform_input(h, b);
    for (size_t k = 0; k < PLACES; k++)
        multiply(h, k);
    for (size_t b = 0; b < h->w->filters / BLOCK; b++)
        transform_output(h, b);
}

static void run_shared(const work *h, int threads)
{
    (void)threads;
#pragma omp parallel num_threads(threads)
    {
#pragma omp for schedule(static)
        for (size_t b = 0; b < h->w->channels / BLOCK; b++)
            transform_input(h, b);
#pragma omp for schedule(dynamic)
        for (size_t k = 0; k < PLACES; k++)
            multiply(h, k);
#pragma omp for schedule(static)
        for (size_t b = 0; b < h->w->filters / BLOCK; b++)
            transform_output(h, b);
    }
}

static void run_each(const work *all, float *scratch, int threads)
{
    const f0t_winograd *w = all->w;
    (void)threads;
#pragma omp parallel for num_threads(threads) schedule(dynamic)
    for (size_t first = 0; first < w->all; first += w->tiles) {
        const work h = work_on(all, scratch + (size_t)f0t_team_member() * of_thread(w), first);
        run_alone(&h);
    }
}

void f0t_winograd_run(float *result, const f0t_winograd *w, const float *source,
                      const float *filters, const float *bias, float *scratch)
{
    const int team = f0t_team_size(), threads = team < w->threads ? team : w->threads;
    const work all = {.w = w, .source = source, .filters = filters, .bias = bias, .result = result};
    const work h = work_on(&all, scratch, 0);
    if (w->shared)
        run_shared(&h, threads);
    else
        run_each(&all, scratch, threads);
}

#else

void f0t_winograd_run(float *result, const f0t_winograd *w, const float *source,
                      const float *filters, const float *bias, float *scratch)
{
    (void)result, (void)w, (void)source, (void)filters, (void)bias, (void)scratch;
}

#endif
