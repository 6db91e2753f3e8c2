#include "compute/sieve.h"

#include "base/alloc.h"
#include "base/kernels.h"
#include "base/team.h"
#include "math/topk.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { WIDEST = 128 };          /* that a device's own choice keeps */
enum { MOST = 50 };             /* that are found among them */
enum { ALIGNED = 8 };           /* dimensions: what the fast products ask for */
enum { SCORES_MOST = 1 << 28 }; /* on the device at a time: 1 GB */
enum { UPLOADED = 1 << 14 };    /* rows at a time */

struct f0t_sieve {
    const f0t_compute *compute;
    const float *rows;
    size_t count, dim, padded;
    double longest;   /* of the rows */
    f0t_buffer *half; /* [count x padded] */
};

/* ---- The rows ---------------------------------------------------------------------------------- */

static void pad(float *to, const float *from, size_t rows, size_t dim, size_t padded)
{
    for (size_t r = 0; r < rows; r++) {
        memcpy(to + r * padded, from + r * dim, dim * sizeof *to);
        memset(to + r * padded + dim, 0, (padded - dim) * sizeof *to);
    }
}

static double length_of(const float *x, size_t n)
{
    return sqrt(f0t_kernels()->exact_product(x, x, n));
}

static f0t_status upload_rows(f0t_sieve *s, float *block)
{
    for (size_t first = 0; first < s->count; first += UPLOADED) {
        const size_t n = s->count - first < UPLOADED ? s->count - first : UPLOADED;
        for (size_t r = first; r < first + n; r++)
            s->longest = fmax(s->longest, length_of(s->rows + r * s->dim, s->dim));
        pad(block, s->rows + first * s->dim, n, s->dim, s->padded);
        F0T_TRY(s->compute->upload(s->half, first * s->padded, block, n * s->padded));
    }
    return F0T_OK;
}

static f0t_status fill(f0t_sieve *s)
{
    const size_t most = s->count < UPLOADED ? s->count : UPLOADED;
    float *block;
    F0T_TRY(f0t_buffer_create(&s->half, s->compute, F0T_BF16, s->count * s->padded));
    F0T_TRY(f0t_alloc(&block, most * s->padded, sizeof *block));
    f0t_status status = upload_rows(s, block);
    f0t_free(block);
    return status;
}

f0t_status f0t_sieve_create(f0t_sieve **out, const f0t_compute *compute, const float *rows,
                            size_t count, size_t dim)
{
    f0t_sieve *s;
    *out = NULL;
    if (!count || !dim || !f0t_kernels()->finite_f32(rows, count * dim))
        return F0T_OK;
    F0T_TRY(f0t_alloc_zero(&s, 1, sizeof *s));
    *s = (f0t_sieve){.compute = compute,
                     .rows = rows,
                     .count = count,
                     .dim = dim,
                     .padded = (dim + ALIGNED - 1) / ALIGNED * ALIGNED};
    f0t_status status = fill(s);
    if (status == F0T_OK)
        *out = s;
    else
        f0t_sieve_free(s);
    return status == F0T_ERROR_MEMORY ? F0T_OK : status;
}

void f0t_sieve_free(f0t_sieve *s)
{
    if (!s)
        return;
    f0t_buffer_free(s->half);
    f0t_free(s);
}

/* ---- By the device ----------------------------------------------------------------------------- */

/* How many the device is asked for: so many more than k that the last of them is rarely within the bound. */
static size_t width(const f0t_sieve *s, size_t k)
{
    const size_t wanted = 4 * k + 64 < WIDEST ? 4 * k + 64 : WIDEST;
    return wanted < s->count ? wanted : s->count;
}

bool f0t_sieve_takes(const f0t_sieve *s, size_t k)
{
    return k <= MOST || s->count <= MOST;
}

/* Of all directions: those that the device gave, and the memory for some of them there. */
typedef struct search {
    const f0t_sieve *sieve;
    const float *directions;
    size_t wide, each;
    uint32_t *index; /* [n x wide] */
    float *rough;    /* [n x wide] */
    float *block;    /* [each x padded] */
    f0t_buffer *along, *scores;
} search;

static f0t_status search_create(search *out, size_t n)
{
    const f0t_sieve *s = out->sieve;
    const size_t fit = SCORES_MOST / s->count ? SCORES_MOST / s->count : 1;
    out->each = n < fit ? n : fit;
    F0T_TRY(f0t_alloc(&out->index, n * out->wide, sizeof *out->index));
    F0T_TRY(f0t_alloc(&out->rough, n * out->wide, sizeof *out->rough));
    F0T_TRY(f0t_alloc(&out->block, out->each * s->padded, sizeof *out->block));
    F0T_TRY(f0t_buffer_create(&out->along, s->compute, F0T_BF16, out->each * s->padded));
    return f0t_buffer_create(&out->scores, s->compute, F0T_F32, out->each * s->count);
}

static void search_free(search *x)
{
    f0t_free(x->index);
    f0t_free(x->rough);
    f0t_free(x->block);
    f0t_buffer_free(x->along);
    f0t_buffer_free(x->scores);
}

static f0t_status find_rough(search *x, size_t n)
{
    const f0t_sieve *s = x->sieve;
    for (size_t first = 0; first < n; first += x->each) {
        const size_t rows = n - first < x->each ? n - first : x->each;
        const f0t_matmul op = {.m = rows,
                               .n = s->count,
                               .k = s->padded,
                               .type = F0T_BF16,
                               .result = F0T_F32,
                               .b_transposed = true};
        pad(x->block, x->directions + first * s->dim, rows, s->dim, s->padded);
        F0T_TRY(s->compute->upload(x->along, 0, x->block, rows * s->padded));
        F0T_TRY(s->compute->product(x->scores, x->along, s->half, NULL, &op));
        F0T_TRY(s->compute->top(x->index + first * x->wide, x->rough + first * x->wide, x->scores,
                                rows, s->count, x->wide));
    }
    return F0T_OK;
}

/* ---- By the caller's processor ------------------------------------------------------------------ */

/* Twice how far a rough score may be off. Every rounding of a float32 sum is at most 2^-23 of the sum of sizes; four times
 * that is allowed. What is too small for bfloat16 may be 0 there. */
static double band_of(const f0t_sieve *s, const float *direction)
{
    const double length = length_of(direction, s->dim), n = (double)(s->padded + 8);
    return 2 * (length * s->longest * (0x1.01p-8 + n * 0x1p-21) +
                (length + s->longest + 1) * n * (double)FLT_MIN);
}

/* Those of direction i that may be among the first, by their own scores; whether there are no others. */
static bool rescore(f0t_best *best, const search *x, size_t i)
{
    const f0t_sieve *s = x->sieve;
    const float *direction = x->directions + i * s->dim, *rough = x->rough + i * x->wide;
    const double least = (double)rough[best->k - 1] - band_of(s, direction);
    size_t j = 0;
    for (; j < x->wide && (double)rough[j] >= least; j++) {
        const uint32_t row = x->index[i * x->wide + j];
        const double sum = f0t_kernels()->exact_product(s->rows + row * s->dim, direction, s->dim);
        const float score = (float)fmax(-(double)FLT_MAX, fmin((double)FLT_MAX, sum));
        f0t_best_add(best, i, &score, 1, row, UINT32_MAX);
    }
    f0t_best_sort(best, i);
    return isfinite(least) && (j < x->wide || x->wide == s->count);
}

static void rescore_all(f0t_best *best, bool *certain, const search *x)
{
#pragma omp parallel for schedule(dynamic, 8) num_threads(f0t_team_size())
    for (size_t i = 0; i < best->rows; i++)
        certain[i] = rescore(best, x, i);
}

f0t_status f0t_sieve_top(uint32_t *index, float *score, bool *certain, size_t k,
                         const f0t_sieve *sieve, const float *directions, size_t n)
{
    const size_t kept = k < sieve->count ? k : sieve->count;
    search x = {.sieve = sieve, .directions = directions, .wide = width(sieve, k)};
    f0t_best *best = NULL;
    f0t_status status = search_create(&x, n);
    if (status == F0T_OK)
        status = f0t_best_create(&best, n, kept);
    if (status == F0T_OK)
        status = find_rough(&x, n);
    if (status == F0T_OK) {
        rescore_all(best, certain, &x);
        memcpy(index, best->index, n * kept * sizeof *index);
        if (score)
            memcpy(score, best->value, n * kept * sizeof *score);
    }
    f0t_best_free(best);
    search_free(&x);
    return status;
}
