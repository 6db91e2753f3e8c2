#include "model/condition.h"

#include "base/alloc.h"
#include "base/group.h"
#include "base/monitor.h"
#include "base/team.h"
#include "math/elementwise.h"

#include <math.h>

enum { BLOCK_ROWS = 512 };

static f0t_status allocate(f0t_condition *c, size_t dim)
{
    *c = (f0t_condition){.dim = dim};
    F0T_TRY(f0t_alloc(&c->shift, dim, sizeof *c->shift));
    return f0t_alloc(&c->scale, dim, sizeof *c->scale);
}

void f0t_condition_free(f0t_condition *c)
{
    f0t_free(c->shift);
    f0t_free(c->scale);
    *c = (f0t_condition){0};
}

static void fill(f0t_condition *c, float scale)
{
    for (size_t j = 0; j < c->dim; j++) {
        c->shift[j] = 0;
        c->scale[j] = scale;
    }
}

enum { SMALL = 1 << 15 }; /* numbers that are done before threads have met */

static void shift_and_scale(const f0t_condition *c, float *x, size_t rows)
{
#pragma omp parallel for schedule(static) num_threads(f0t_team_size()) if (rows * c->dim > SMALL)
    for (size_t r = 0; r < rows; r++)
        for (size_t j = 0; j < c->dim; j++)
            x[r * c->dim + j] = (x[r * c->dim + j] - c->shift[j]) * c->scale[j];
}

void f0t_condition_apply(float *x, const f0t_condition *c, size_t rows)
{
    f0t_rows_normalise(x, rows, c->dim);
    shift_and_scale(c, x, rows);
}

/* Runs of images that are adjacent in the file are read at once. */
static f0t_status gather_part(float *to, const f0t_condition *c, const f0t_dataset *dataset,
                              const uint32_t *images, size_t count)
{
    for (size_t i = 0; i < count;) {
        size_t run = 1;
        while (i + run < count && images[i + run] == images[i] + run)
            run++;
        F0T_TRY(f0t_dataset_read_features(to + i * c->dim, dataset, images[i], run));
        f0t_condition_apply(to + i * c->dim, c, run);
        i += run;
    }
    return F0T_OK;
}

/* Each thread reads some rows and conditions them while they are in its cache. The message of a failure is of the thread
 * that had it: tried again by the caller, it is the caller's. */
f0t_status f0t_condition_gather(float *to, const f0t_condition *c, const f0t_dataset *dataset,
                                const uint32_t *images, size_t count)
{
    const size_t team = (size_t)f0t_team_size(), parts = team < count ? team : 1;
    bool failed = false;
#pragma omp parallel for schedule(static) num_threads((int)parts) reduction(|| : failed)
    for (size_t p = 0; p < parts; p++) {
        const size_t first = count * p / parts, rows = count * (p + 1) / parts - first;
        if (gather_part(to + first * c->dim, c, dataset, images + first, rows) != F0T_OK)
            failed = true;
    }
    return failed ? gather_part(to, c, dataset, images, count) : F0T_OK;
}

f0t_status f0t_condition_fill(void *user, float *to, size_t n)
{
    const f0t_condition_rows *rows = user;
    return f0t_condition_gather(to, rows->condition, rows->dataset, rows->images,
                                n / rows->condition->dim);
}

/* ---- Moments ----------------------------------------------------------------------------------- */

/* Sums of x and x² over the block's rows. */
static void add_moments(double *sum, double *square, const float *x, size_t rows, size_t dim)
{
    for (size_t r = 0; r < rows; r++)
        for (size_t j = 0; j < dim; j++) {
            double v = (double)x[r * dim + j];
            sum[j] += v;
            square[j] += v * v;
        }
}

/* A constant feature carries no information: it becomes 0. */
static void set_moments(f0t_condition *c, const double *sum, const double *square, size_t count)
{
    for (size_t j = 0; j < c->dim; j++) {
        double mean = sum[j] / (double)count;
        double variance = square[j] / (double)count - mean * mean;
        c->shift[j] = (float)mean;
        c->scale[j] = variance > 1e-12 ? (float)(1 / sqrt(variance)) : 0;
    }
}

static f0t_status measure(f0t_condition *c, const f0t_dataset *dataset, const f0t_samples *train,
                          double *sums, float *block, const f0t_monitor *monitor)
{
    const f0t_group *group = f0t_group_current();
    f0t_stage stage = f0t_stage_begin(monitor, "measuring the features", "images", train->count);
    const size_t begin = f0t_group_part(train->count, group->rank, group->size);
    const size_t end = f0t_group_part(train->count, group->rank + 1, group->size);
    fill(c, 1);
    for (size_t first = begin, rows; first < end; first += rows) {
        rows = end - first < BLOCK_ROWS ? end - first : BLOCK_ROWS;
        F0T_TRY(f0t_stage_update(&stage, (first - begin) * group->size));
        F0T_TRY(f0t_condition_gather(block, c, dataset, train->images + first, rows));
        add_moments(sums, sums + c->dim, block, rows, c->dim);
    }
    F0T_TRY(f0t_group_total(group, sums, 2 * c->dim));
    f0t_stage_end(&stage);
    set_moments(c, sums, sums + c->dim, train->count);
    return F0T_OK;
}

static f0t_status standardise(f0t_condition *c, const f0t_dataset *dataset,
                              const f0t_samples *train, const f0t_monitor *monitor)
{
    double *sums = NULL;
    float *block = NULL;
    f0t_status status = f0t_alloc_zero(&sums, 2 * c->dim, sizeof *sums);
    if (status == F0T_OK)
        status = f0t_alloc(&block, BLOCK_ROWS * c->dim, sizeof *block);
    if (status == F0T_OK)
        status = measure(c, dataset, train, sums, block, monitor);
    f0t_free(sums);
    f0t_free(block);
    return status;
}

f0t_status f0t_condition_create(f0t_condition *c, f0t_condition_kind kind,
                                const f0t_dataset *dataset, const f0t_samples *train,
                                const f0t_monitor *monitor)
{
    f0t_status status = allocate(c, f0t_dataset_dim(dataset));
    if (status == F0T_OK && kind == F0T_CONDITION_STANDARD)
        status = standardise(c, dataset, train, monitor);
    else if (status == F0T_OK)
        fill(c, kind == F0T_CONDITION_SCALE ? sqrtf((float)c->dim) : 1);
    if (status != F0T_OK)
        f0t_condition_free(c);
    return status;
}
