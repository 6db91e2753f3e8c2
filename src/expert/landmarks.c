#include "expert/landmarks.h"

#include "base/alloc.h"
#include "math/elementwise.h"
#include "math/matmul.h"
#include "math/workspace.h"

#include <math.h>
#include <string.h>

/* s times the mean of 1 - cos, and the least that this mean is taken for: images that are all alike have none. */
static const double NEARNESS = 2, SPREAD_LEAST = 1e-3;
enum { BLOCK = 256 };

static f0t_status place_points(f0t_landmarks *l, const f0t_votes *v)
{
    F0T_TRY(f0t_alloc(&l->points, l->count * v->dim, sizeof *l->points));
    for (size_t i = 0; i < l->count; i++) {
        const int8_t *row = v->rows + l->images[i] * v->dim;
        for (size_t j = 0; j < v->dim; j++)
            l->points[i * v->dim + j] = (float)row[j] * v->scales[l->images[i]];
    }
    return F0T_OK;
}

/* The mean of the points' products is the square of the mean point. */
static double mean_spread(const f0t_landmarks *l)
{
    const size_t dim = l->metric.dim;
    double square = 0;
    for (size_t j = 0; j < dim; j++) {
        double sum = 0;
        for (size_t i = 0; i < l->count; i++)
            sum += (double)l->points[i * dim + j];
        square += sum * sum;
    }
    return fmax(1 - square / (double)l->count / (double)l->count, SPREAD_LEAST);
}

static f0t_status fill(f0t_landmarks *l, const f0t_votes *v, const uint32_t *images)
{
    F0T_TRY(f0t_alloc(&l->images, l->count, sizeof *l->images));
    for (size_t i = 0; i < l->count; i++)
        l->images[i] = images ? images[i] : (uint32_t)(i * v->images / l->count);
    F0T_TRY(place_points(l, v));
    l->sharpness = NEARNESS / mean_spread(l);
    return F0T_OK;
}

f0t_status f0t_landmarks_place(f0t_landmarks **out, const f0t_votes *v, const uint32_t *images,
                               size_t count)
{
    f0t_landmarks *l = NULL;
    *out = NULL;
    F0T_TRY(f0t_alloc_zero(&l, 1, sizeof *l));
    l->count = count;
    l->metric =
        (f0t_metric){.features = v->features, .dim = v->dim, .map = v->map, .shift = v->shift};
    f0t_status status = fill(l, v, images);
    if (status != F0T_OK) {
        f0t_landmarks_free(l);
        return status;
    }
    *out = l;
    return F0T_OK;
}

f0t_status f0t_landmarks_create(f0t_landmarks **out, const f0t_votes *v)
{
    return f0t_landmarks_place(out, v, NULL,
                               v->images < F0T_LANDMARKS_MOST ? v->images : F0T_LANDMARKS_MOST);
}

void f0t_landmarks_free(f0t_landmarks *l)
{
    if (!l)
        return;
    f0t_free(l->images);
    f0t_free(l->points);
    f0t_free(l);
}

/* Of points[rows x dim] of length 1. */
static f0t_status compare(float *out, const f0t_landmarks *l, const float *points, size_t rows)
{
    const f0t_matmul op = {.m = rows, .n = l->count, .k = l->metric.dim, .b_transposed = true};
    const float s = (float)l->sharpness;
    F0T_TRY(f0t_matmul_run_stable(out, points, l->points, NULL, &op));
    for (size_t i = 0; i < rows * l->count; i++)
        out[i] = s * (out[i] - 1);
    f0t_exp(out, out, rows * l->count);
    return F0T_OK;
}

static f0t_status near_block(float *out, const f0t_landmarks *l, const float *features, size_t rows,
                             float *unit)
{
    const size_t D = l->metric.features;
    float *mapped = unit + rows * D;
    memcpy(unit, features, rows * D * sizeof *unit);
    f0t_rows_normalise(unit, rows, D);
    F0T_TRY(f0t_metric_apply(mapped, &l->metric, unit, rows));
    return compare(out, l, mapped, rows);
}

f0t_status f0t_landmarks_near(float *out, const f0t_landmarks *l, const float *features,
                              size_t rows)
{
    const size_t most = rows < BLOCK ? rows : BLOCK, D = l->metric.features;
    f0t_workspace *room;
    f0t_status status = F0T_OK;
    F0T_TRY(f0t_workspace_take(&room, most * (D + l->metric.dim) * sizeof(float)));
    for (size_t first = 0; first < rows && status == F0T_OK; first += BLOCK)
        status = near_block(out + first * l->count, l, features + first * D,
                            rows - first < BLOCK ? rows - first : BLOCK, room->data);
    f0t_workspace_give(room);
    return status;
}

f0t_status f0t_landmarks_among(float *out, const f0t_landmarks *l)
{
    return compare(out, l, l->points, l->count);
}
