/* The rows of a screen: their codes, and what the bounds need of them. */
#include "compute/screen.h"

#include "base/alloc.h"
#include "base/kernels.h"
#include "base/size.h"
#include "base/team.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { BLOCK = F0T_SCREEN_BLOCK, GROUP = F0T_SCREEN_GROUP };

static const double SLACK = F0T_SCREEN_SLACK;

/* Rows longer than this have no code: nothing that is computed from a code overflows. */
static const double LONGEST = 0x1p100;

size_t f0t_screen_groups(size_t dim)
{
    return (dim + GROUP - 1) / GROUP;
}

size_t f0t_screen_blocks(size_t count)
{
    return count / BLOCK + (count % BLOCK != 0);
}

size_t f0t_screen_block_bytes(size_t dim)
{
    return f0t_screen_groups(dim) * GROUP * BLOCK;
}

float f0t_screen_round_up(double x)
{
    const float near = (float)x;
    return (double)near < x ? nextafterf(near, INFINITY) : near;
}

/* ---- Rows ------------------------------------------------------------------------------------------ */

f0t_status f0t_screen_create(f0t_screen **out, size_t dim)
{
    *out = NULL;
    if (!dim || dim > F0T_SCREEN_DIM_MOST)
        return f0t_fail(F0T_ERROR_UNSUPPORTED, "rows of %zu dimensions cannot be screened", dim);
    F0T_TRY(f0t_alloc_zero(out, 1, sizeof **out));
    (*out)->dim = dim;
    return F0T_OK;
}

void f0t_screen_free(f0t_screen *s)
{
    if (!s)
        return;
    f0t_free(s->own_codes);
    f0t_free(s->own_bounds);
    f0t_free(s);
}

static f0t_status grow(f0t_screen *s, size_t count)
{
    const size_t blocks = f0t_screen_blocks(s->count), more = f0t_screen_blocks(count) - blocks;
    size_t codes = s->capacity, bounds = s->capacity;
    F0T_TRY(f0t_grow(&s->own_codes, &codes, blocks, more, f0t_screen_block_bytes(s->dim)));
    F0T_TRY(f0t_grow(&s->own_bounds, &bounds, blocks, more, sizeof *s->own_bounds));
    s->capacity = codes < bounds ? codes : bounds;
    memset(s->own_codes + blocks * f0t_screen_block_bytes(s->dim), F0T_SCREEN_ZERO,
           more * f0t_screen_block_bytes(s->dim));
    memset(s->own_bounds + blocks, 0, more * sizeof *s->own_bounds);
    s->codes = s->own_codes;
    s->bounds = s->own_bounds;
    return F0T_OK;
}

static double length_of(const float *x, size_t n)
{
    return sqrt(f0t_kernels()->exact_product(x, x, n));
}

void f0t_screen_put(uint8_t *codes, size_t row, const int8_t *code, size_t dim)
{
    uint8_t *to = codes + row / BLOCK * f0t_screen_block_bytes(dim) + row % BLOCK * GROUP;
    size_t i = 0;
    for (; i + GROUP <= dim; i += GROUP, to += BLOCK * GROUP)
        for (size_t j = 0; j < GROUP; j++)
            to[j] = (uint8_t)(code[i + j] + F0T_SCREEN_ZERO);
    for (size_t j = 0; i + j < dim; j++)
        to[j] = (uint8_t)(code[i + j] + F0T_SCREEN_ZERO);
}

/* Room of a thread. */
typedef struct encoder {
    int8_t *code; /* [dim] */
    float *rest;  /* [dim] */
} encoder;

/* What is rounded away between x and its rest is less than SLACK, or
 * for the smallest numbers than FLT_MIN. */
static void encode_row(f0t_screen *s, size_t row, const float *x, const encoder *e)
{
    f0t_screen_bounds *b = &s->own_bounds[row / BLOCK];
    const size_t r = row % BLOCK, dim = s->dim;
    const double length = length_of(x, dim);
    const float scale = f0t_kernels()->largest_size(x, dim) / F0T_SCREEN_LEVELS;
    b->scale[r] = b->length[r] = 0;
    b->error[r] = length > LONGEST ? INFINITY
                  : length > 0     ? f0t_screen_round_up(length * (1 + SLACK) + (double)FLT_MIN)
                                   : 0;
    if (length > LONGEST || !(scale > 0))
        return;
    const int64_t squares = f0t_kernels()->screen_encode(e->code, e->rest, x, dim, (double)scale);
    f0t_screen_put(s->own_codes, row, e->code, dim);
    b->scale[r] = scale;
    b->error[r] = f0t_screen_round_up(length_of(e->rest, dim) * (1 + SLACK) + (double)FLT_MIN);
    b->length[r] = f0t_screen_round_up((double)scale * sqrt((double)squares));
}

/* Threads take whole blocks. */
static void encode_blocks(f0t_screen *s, const float *rows, size_t count, int8_t *codes,
                          float *rests)
{
    const size_t first = s->count / BLOCK, end = f0t_screen_blocks(s->count + count);
    const int threads = f0t_team_size();
    (void)threads;
#pragma omp parallel for schedule(static) num_threads(threads)
    for (size_t b = first; b < end; b++) {
        const size_t member = (size_t)f0t_team_member();
        const encoder e = {codes + member * s->dim, rests + member * s->dim};
        for (size_t row = b * BLOCK; row < (b + 1) * BLOCK; row++)
            if (row >= s->count && row < s->count + count)
                encode_row(s, row, rows + (row - s->count) * s->dim, &e);
    }
}

static f0t_status encode(f0t_screen *s, const float *rows, size_t count)
{
    const size_t threads = (size_t)f0t_team_size();
    int8_t *codes;
    float *rests;
    F0T_TRY(f0t_alloc(&codes, threads * s->dim, sizeof *codes));
    f0t_status status = f0t_alloc(&rests, threads * s->dim, sizeof *rests);
    if (status == F0T_OK)
        encode_blocks(s, rows, count, codes, rests);
    f0t_free(rests);
    f0t_free(codes);
    return status;
}

f0t_status f0t_screen_append(f0t_screen *s, const float *rows, size_t count)
{
    size_t both;
    if (!count)
        return F0T_OK;
    for (size_t i = 0; i < count; i++)
        if (!f0t_kernels()->finite_f32(rows + i * s->dim, s->dim))
            return f0t_fail(F0T_ERROR_NUMERIC, "row %zu has a NaN or an infinity", s->count + i);
    if (!f0t_size_add(&both, s->count, count) || both >= UINT32_MAX)
        return f0t_fail(F0T_ERROR_MEMORY, "%zu rows are too many to screen", count);
    F0T_TRY(grow(s, both));
    F0T_TRY(encode(s, rows, count));
    s->count = both;
    return F0T_OK;
}
