#include "math/svd.h"

#include "base/alloc.h"
#include "base/monitor.h"
#include "base/random.h"
#include "base/team.h"
#include "math/tall.h"

#include <math.h>
#include <string.h>

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
    F0T_TRY(f0t_tall_eigen(w->values, w->w, x, rows, w->n));
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
    F0T_TRY(f0t_tall_turn(w->y, w->y, w->turn, w->a->rows, w->n, w->n));
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
    F0T_TRY(f0t_tall_turn(v, w->z, w->turn, w->a->cols, w->n, d));
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
