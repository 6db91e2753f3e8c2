#include "math/sparse.h"

#include "base/alloc.h"
#include "base/kernels.h"
#include "base/monitor.h"
#include "base/random.h"
#include "base/team.h"
#include "math/matmul.h"
#include "math/solve.h"

#include <math.h>
#include <string.h>

/* ---- Matrices -------------------------------------------------------------------------------- */

f0t_status f0t_sparse_create(f0t_sparse *out, size_t rows, size_t cols, size_t count)
{
    *out = (f0t_sparse){.rows = rows, .cols = cols};
    f0t_status status = f0t_alloc_zero(&out->begin, rows + 1, sizeof *out->begin);
    if (status == F0T_OK)
        status = f0t_alloc(&out->column, count, sizeof *out->column);
    if (status == F0T_OK)
        status = f0t_alloc(&out->value, count, sizeof *out->value);
    if (status != F0T_OK)
        f0t_sparse_clear(out);
    return status;
}

void f0t_sparse_clear(f0t_sparse *matrix)
{
    f0t_free(matrix->begin);
    f0t_free(matrix->column);
    f0t_free(matrix->value);
    memset(matrix, 0, sizeof *matrix);
}

/* Counts, then places; `begin` runs ahead while the entries are placed, and is moved back. */
f0t_status f0t_sparse_transpose(f0t_sparse *out, const f0t_sparse *a)
{
    size_t count = a->begin[a->rows];
    F0T_TRY(f0t_sparse_create(out, a->cols, a->rows, count));
    for (size_t k = 0; k < count; k++)
        out->begin[a->column[k] + 1]++;
    for (size_t i = 0; i < out->rows; i++)
        out->begin[i + 1] += out->begin[i];
    for (size_t i = 0; i < a->rows; i++)
        for (size_t k = a->begin[i]; k < a->begin[i + 1]; k++) {
            size_t place = out->begin[a->column[k]]++;
            out->column[place] = (uint32_t)i;
            out->value[place] = a->value[k];
        }
    for (size_t i = out->rows; i > 0; i--)
        out->begin[i] = out->begin[i - 1];
    out->begin[0] = 0;
    return F0T_OK;
}

void f0t_sparse_multiply(float *c, const f0t_sparse *a, const float *b, size_t n)
{
    void (*add_row)(float *, const uint32_t *, const float *, size_t, const float *, size_t) =
        f0t_kernels()->sparse_row;
    int threads = f0t_team_size();
    (void)threads;
#pragma omp parallel for schedule(dynamic, 64) num_threads(threads)
    for (size_t i = 0; i < a->rows; i++) {
        size_t begin = a->begin[i];
        add_row(c + i * n, a->column + begin, a->value + begin, a->begin[i + 1] - begin, b, n);
    }
}

/* ---- Tall matrices: many rows, some hundred columns -------------------------------------
 *
 * The work is cut at the same rows whatever the number of threads, and sums are taken in the same order:
 * results do not depend on it. */

enum { BLOCK = 2048, BATCH = 16 }; /* rows of a product; products that are in memory at once */

/* xᵀx of up to BATCH blocks, each by one thread, into parts[BATCH x n x n]. */
static f0t_status gram_blocks(float *parts, const float *x, size_t rows, size_t n)
{
    size_t blocks = (rows + BLOCK - 1) / BLOCK;
    int threads = f0t_team_size();
    f0t_status status = F0T_OK;
    (void)threads;
#pragma omp parallel for schedule(dynamic) num_threads(threads)
    for (size_t i = 0; i < blocks; i++) {
        size_t count = rows - i * BLOCK < BLOCK ? rows - i * BLOCK : BLOCK;
        const float *block = x + i * BLOCK * n;
        f0t_status mine = f0t_matmul_run(parts + i * n * n, block, block, NULL,
                                         &(f0t_matmul){.m = n,
                                                       .n = n,
                                                       .k = count,
                                                       .type = F0T_F32,
                                                       .result = F0T_F32,
                                                       .a_transposed = true});
        if (mine != F0T_OK)
#pragma omp atomic write
            status = mine;
    }
    return status;
}

static f0t_status gram(double *g, float *parts, const float *x, size_t rows, size_t n)
{
    memset(g, 0, n * n * sizeof *g);
    for (size_t first = 0; first < rows; first += BATCH * BLOCK) {
        size_t count = rows - first < BATCH * BLOCK ? rows - first : BATCH * BLOCK;
        if (gram_blocks(parts, x + first * n, count, n) != F0T_OK)
            return f0t_fail(F0T_ERROR_MEMORY,
                            "no memory for the products of a matrix of %zu columns", n);
        for (size_t b = 0; b * BLOCK < count; b++)
            for (size_t i = 0; i < n * n; i++)
                g[i] += (double)parts[b * n * n + i];
    }
    return F0T_OK;
}

/* The eigenvalues of xᵀx, x[rows x n], descending into values[n], and row i of w[n x n] the unit
 * eigenvector of value i. */
static f0t_status tall_eigen(double *values, double *w, const float *x, size_t rows, size_t n)
{
    float *parts;
    F0T_TRY(f0t_alloc(&parts, BATCH * n, n * sizeof *parts));
    f0t_status status = gram(w, parts, x, rows, n);
    f0t_free(parts);
    F0T_TRY(status);
    F0T_TRY(f0t_eigen_by_one(w, n, values));
    for (size_t i = 0; i < n / 2; i++) {
        double value = values[i];
        values[i] = values[n - 1 - i];
        values[n - 1 - i] = value;
        for (size_t j = 0; j < n; j++) {
            double swap = w[i * n + j];
            w[i * n + j] = w[(n - 1 - i) * n + j];
            w[(n - 1 - i) * n + j] = swap;
        }
    }
    return F0T_OK;
}

/* y[rows x d] = x[rows x n] · tᵀ, t[d x n], d at most n. y may be x, with rows then d apart: a batch goes
 * through `room`, so that what is written lies before what is read next. */
static f0t_status tall_turn(float *y, const float *x, const float *t, size_t rows, size_t n,
                            size_t d)
{
    float *room;
    f0t_status status = F0T_OK;
    F0T_TRY(f0t_alloc(&room, BATCH * BLOCK, d * sizeof *room));
    for (size_t first = 0; first < rows && status == F0T_OK; first += BATCH * BLOCK) {
        size_t count = rows - first < BATCH * BLOCK ? rows - first : BATCH * BLOCK;
        int threads = f0t_team_size();
        (void)threads;
#pragma omp parallel for schedule(dynamic) num_threads(threads)
        for (size_t b = 0; b < (count + BLOCK - 1) / BLOCK; b++) {
            size_t m = count - b * BLOCK < BLOCK ? count - b * BLOCK : BLOCK;
            f0t_status mine =
                f0t_matmul_run(room + b * BLOCK * d, x + (first + b * BLOCK) * n, t, NULL,
                               &(f0t_matmul){.m = m,
                                             .n = d,
                                             .k = n,
                                             .type = F0T_F32,
                                             .result = F0T_F32,
                                             .b_transposed = true});
            if (mine != F0T_OK)
#pragma omp atomic write
                status = mine;
        }
        if (status == F0T_OK)
            memcpy(y + first * d, room, count * d * sizeof *y);
    }
    f0t_free(room);
    if (status != F0T_OK)
        return f0t_fail(F0T_ERROR_MEMORY, "no memory for the products of a matrix of %zu columns",
                        n);
    return F0T_OK;
}

/* ---- The leading singular vectors ------------------------------------------------------------ */

/* Directions below this share of the largest singular value are taken for rounding errors of
 * float32 sums. */
static const double smallest = 3e-4;

typedef struct work {
    const f0t_sparse *a;
    f0t_sparse transposed;
    size_t n;       /* columns that take part */
    float *y, *z;   /* [rows x n], [cols x n] */
    double *values; /* [n] */
    double *w;      /* [n x n] */
    float *turn;    /* [n x n] */
    f0t_stage stage;
    uint64_t done;
} work;

/* Random signs: their products with A have a part of every direction. */
static void draw(float *z, size_t rows, size_t n, uint64_t seed)
{
    int threads = f0t_team_size();
    (void)threads;
#pragma omp parallel for num_threads(threads)
    for (size_t i = 0; i < rows; i++) {
        f0t_random random = {seed, i};
        uint64_t bits = 0;
        for (size_t j = 0; j < n; j++) {
            if (j % 64 == 0)
                bits = f0t_random_u64(&random, j / 64);
            z[i * n + j] = bits >> (j % 64) & 1 ? 1.0F : -1.0F;
        }
    }
}

/* The turn that makes x[rows x n] orthonormal, or its first d columns; row i of `turn` is eigenvector
 * i over the square root of its value, 0 where there is nothing left. */
static f0t_status find_turn(work *w, const float *x, size_t rows)
{
    F0T_TRY(tall_eigen(w->values, w->w, x, rows, w->n));
    double least = w->values[0] * smallest * smallest;
    for (size_t i = 0; i < w->n; i++) {
        bool kept = w->values[i] > least;
        w->values[i] = kept ? sqrt(w->values[i]) : 0;
        for (size_t j = 0; j < w->n; j++)
            w->turn[i * w->n + j] = kept ? (float)(w->w[i * w->n + j] / w->values[i]) : 0;
    }
    return F0T_OK;
}

static f0t_status iterate(work *w)
{
    f0t_sparse_multiply(w->y, w->a, w->z, w->n);
    F0T_TRY(f0t_stage_update(&w->stage, ++w->done));
    F0T_TRY(find_turn(w, w->y, w->a->rows));
    F0T_TRY(tall_turn(w->y, w->y, w->turn, w->a->rows, w->n, w->n));
    f0t_sparse_multiply(w->z, &w->transposed, w->y, w->n);
    return f0t_stage_update(&w->stage, ++w->done);
}

static f0t_status prepare(work *w)
{
    F0T_TRY(f0t_sparse_transpose(&w->transposed, w->a));
    F0T_TRY(f0t_alloc(&w->y, w->a->rows, w->n * sizeof *w->y));
    F0T_TRY(f0t_alloc(&w->z, w->a->cols, w->n * sizeof *w->z));
    F0T_TRY(f0t_alloc(&w->values, w->n, sizeof *w->values));
    F0T_TRY(f0t_alloc(&w->w, w->n, w->n * sizeof *w->w));
    return f0t_alloc(&w->turn, w->n, w->n * sizeof *w->turn);
}

static f0t_status run(work *w, float *v, float *s, size_t d, const f0t_svd_options *options)
{
    F0T_TRY(prepare(w));
    draw(w->z, w->a->cols, w->n, options->seed);
    for (size_t i = 0; i <= options->rounds; i++)
        F0T_TRY(iterate(w));
    F0T_TRY(find_turn(w, w->z, w->a->cols));
    for (size_t i = 0; i < d; i++)
        s[i] = (float)w->values[i];
    F0T_TRY(tall_turn(v, w->z, w->turn, w->a->cols, w->n, d));
    f0t_stage_end(&w->stage);
    return F0T_OK;
}

f0t_status f0t_sparse_svd(float *v, float *s, const f0t_sparse *a, size_t d,
                          const f0t_svd_options *options)
{
    work w = {.a = a, .n = d + options->oversampling};
    w.stage = f0t_stage_begin(options->monitor, "singular vectors", "products",
                              2 * (options->rounds + 1));
    f0t_status status = run(&w, v, s, d, options);
    f0t_sparse_clear(&w.transposed);
    f0t_free(w.y);
    f0t_free(w.z);
    f0t_free(w.values);
    f0t_free(w.w);
    f0t_free(w.turn);
    return status;
}
