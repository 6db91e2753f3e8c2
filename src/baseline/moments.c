#include "baseline/moments.h"

#include "base/alloc.h"
#include "base/group.h"
#include "base/monitor.h"
#include "base/team.h"
#include "math/product.h"
#include "math/solve.h"

#include <math.h>
#include <string.h>

enum { BLOCK_ROWS = 2048, COLUMNS = 256 };

static const double LEAST_RIDGE = 1e-9; /* of the mean square of features of length 1 */

static f0t_status allocate(f0t_task_moments *m)
{
    F0T_TRY(f0t_alloc_zero(&m->squares, m->features, m->features * sizeof *m->squares));
    F0T_TRY(f0t_alloc_zero(&m->sum, m->features, sizeof *m->sum));
    F0T_TRY(f0t_alloc_zero(&m->counts, m->tags, sizeof *m->counts));
    F0T_TRY(f0t_alloc_zero(&m->crossed, m->tags, m->features * sizeof *m->crossed));
    return f0t_alloc_zero(&m->pairs, m->tags, m->tags * sizeof *m->pairs);
}

/* Columns first … last of `sum` and `crossed`, in the order of the images for any number of threads.
 * For `squares` that is OpenBLAS' to say. */
static void add_columns(f0t_task_moments *m, const f0t_samples *s, const float *x,
                        const double *weights, size_t image, size_t rows, size_t first, size_t last)
{
    for (size_t r = 0; r < rows; r++) {
        const float *row = x + r * m->features;
        double weight = weights ? weights[image + r] : 1;
        for (size_t j = first; j < last; j++)
            m->sum[j] += weight * (double)row[j];
        for (size_t i = s->offsets[image + r]; i < s->offsets[image + r + 1]; i++) {
            double *to = m->crossed + s->relevant[i] * m->features;
            for (size_t j = first; j < last; j++)
                to[j] += weight * (double)row[j];
        }
    }
}

static void add_pairs(f0t_task_moments *m, const f0t_samples *s, const double *weights,
                      size_t first, size_t end)
{
    for (size_t r = first; r < end; r++) {
        double weight = weights ? weights[r] : 1;
        m->images += weight;
        for (size_t i = s->offsets[r]; i < s->offsets[r + 1]; i++)
            m->counts[s->relevant[i]] += weight;
        for (size_t i = s->offsets[r]; i < s->offsets[r + 1]; i++)
            for (size_t j = s->offsets[r]; j < s->offsets[r + 1]; j++)
                m->pairs[s->relevant[i] * m->tags + s->relevant[j]] += weight;
    }
}

/* Rows of weight w count w times in Σ x xᵀ when they are √w times as long. */
static void stretch(float *x, const double *weights, size_t rows, size_t features)
{
    for (size_t r = 0; r < rows; r++)
        for (size_t j = 0; j < features; j++)
            x[r * features + j] *= (float)sqrt(weights[r]);
}

static f0t_status add_block(f0t_task_moments *m, const f0t_task *task, const double *weights,
                            float *block, size_t first, size_t rows)
{
    int threads = f0t_team_size();
    (void)threads;
    F0T_TRY(f0t_task_read(block, task, task->train.images + first, rows));
#pragma omp parallel for schedule(static) num_threads(threads)
    for (size_t j = 0; j < m->features; j += COLUMNS)
        add_columns(m, &task->train, block, weights, first, rows, j,
                    j + COLUMNS < m->features ? j + COLUMNS : m->features);
    if (weights)
        stretch(block, weights + first, rows, m->features);
    return f0t_gram_add(m->squares, block, rows, m->features);
}

/* The sums over the images of all processes. */
static f0t_status add_up(f0t_task_moments *m, const f0t_group *group)
{
    F0T_TRY(f0t_group_total(group, &m->images, 1));
    F0T_TRY(f0t_group_total(group, m->squares, m->features * m->features));
    F0T_TRY(f0t_group_total(group, m->crossed, m->tags * m->features));
    F0T_TRY(f0t_group_total(group, m->pairs, m->tags * m->tags));
    F0T_TRY(f0t_group_total(group, m->sum, m->features));
    return f0t_group_total(group, m->counts, m->tags);
}

/* Each process reads a part of the images. */
static f0t_status add_all(f0t_task_moments *m, const f0t_task *task, const double *weights,
                          float **block)
{
    const f0t_group *group = f0t_group_current();
    const size_t count = task->train.count;
    const size_t begin = f0t_group_part(count, group->rank, group->size);
    const size_t end = f0t_group_part(count, group->rank + 1, group->size);
    F0T_TRY(f0t_alloc(block, BLOCK_ROWS * m->features, sizeof **block));
    add_pairs(m, &task->train, weights, begin, end);
    f0t_stage stage = f0t_stage_begin(task->monitor, "reading the features", "images", count);
    for (size_t first = begin; first < end; first += BLOCK_ROWS) {
        size_t rows = end - first < BLOCK_ROWS ? end - first : BLOCK_ROWS;
        F0T_TRY(f0t_stage_update(&stage, (first - begin) * group->size));
        F0T_TRY(add_block(m, task, weights, *block, first, rows));
    }
    f0t_stage_end(&stage);
    return group->size > 1 ? add_up(m, group) : F0T_OK;
}

static f0t_status create_empty(f0t_task_moments **out, size_t features, size_t tags)
{
    f0t_task_moments *m = NULL;
    *out = NULL;
    F0T_TRY(f0t_alloc_zero(&m, 1, sizeof *m));
    m->features = features;
    m->tags = tags;
    f0t_status status = allocate(m);
    if (status != F0T_OK) {
        f0t_task_moments_free(m);
        return status;
    }
    *out = m;
    return F0T_OK;
}

f0t_status f0t_task_moments_create(f0t_task_moments **out, const f0t_task *task,
                                   const double *weights)
{
    f0t_task_moments *m = NULL;
    float *block = NULL;
    *out = NULL;
    F0T_TRY(create_empty(&m, f0t_task_features(task), task->tags));
    f0t_status status = add_all(m, task, weights, &block);
    f0t_free(block);
    if (status != F0T_OK) {
        f0t_task_moments_free(m);
        return status;
    }
    *out = m;
    return F0T_OK;
}

/* to = from − a bᵀ / images, of the columns of row i that `columns` counts. */
static void centre_row(double *to, const double *from, double a, const double *b, size_t columns,
                       double images)
{
    for (size_t j = 0; j < columns; j++)
        to[j] = from[j] - a * b[j] / images;
}

f0t_status f0t_task_moments_centre(f0t_task_moments **out, const f0t_task_moments *m)
{
    const size_t D = m->features, T = m->tags;
    const double images = m->images > 0 ? m->images : 1;
    F0T_TRY(create_empty(out, D, T));
    f0t_task_moments *c = *out;
    c->images = m->images;
    memcpy(c->sum, m->sum, D * sizeof *c->sum);
    memcpy(c->counts, m->counts, T * sizeof *c->counts);
    for (size_t i = 0; i < D; i++)
        centre_row(c->squares + i * D, m->squares + i * D, m->sum[i], m->sum, i + 1, images);
    for (size_t t = 0; t < T; t++) {
        centre_row(c->crossed + t * D, m->crossed + t * D, m->counts[t], m->sum, D, images);
        centre_row(c->pairs + t * T, m->pairs + t * T, m->counts[t], m->counts, T, images);
    }
    return F0T_OK;
}

void f0t_task_moments_free(f0t_task_moments *m)
{
    if (!m)
        return;
    f0t_free(m->squares);
    f0t_free(m->sum);
    f0t_free(m->counts);
    f0t_free(m->crossed);
    f0t_free(m->pairs);
    f0t_free(m);
}

/* Centred features that are all (nearly) the same leave no variance but rounding, which may be
 * negative, and a share of that regularises nothing: then the ridge grows, up to the mean square of
 * features of length 1. Other features never get there. */
f0t_status f0t_task_moments_solve(double *targets, size_t rows, const f0t_task_moments *m,
                                  double ridge, const f0t_monitor *monitor)
{
    const size_t n = m->features;
    const double most = m->images / (double)n;
    double *system = NULL, trace = 0;
    f0t_status status = F0T_ERROR_NUMERIC;
    F0T_TRY(f0t_alloc(&system, n * n, sizeof *system));
    for (size_t j = 0; j < n; j++)
        trace += m->squares[j * n + j];
    double r = fmax(ridge * trace / (double)n, LEAST_RIDGE * most);
    for (bool last = false; status == F0T_ERROR_NUMERIC && !last; r *= 100) {
        last = r >= most;
        memcpy(system, m->squares, n * n * sizeof *system);
        for (size_t j = 0; j < n; j++)
            system[j * n + j] += r;
        status = f0t_cholesky_solve_f64(system, n, targets, rows, monitor);
    }
    f0t_free(system);
    return status;
}
