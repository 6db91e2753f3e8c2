#include "expert/votes.h"

#include "base/alloc.h"
#include "base/kernels.h"
#include "base/team.h"
#include "expert/metric.h"
#include "math/elementwise.h"
#include "math/matmul.h"
#include "math/topk.h"
#include "math/workspace.h"

#include <math.h>
#include <string.h>

/* Rows at a time; and those from which one product of matrices is faster than a scan for each. */
enum { BLOCK = 128, MANY = 24 };

void f0t_votes_free(f0t_votes *v)
{
    if (!v)
        return;
    f0t_free(v->map);
    f0t_free(v->shift);
    f0t_free(v->rows);
    f0t_free(v->scales);
    f0t_free(v->offsets);
    f0t_free(v->relevant);
    f0t_free(v);
}

/* ---- Bytes -------------------------------------------------------------------------------------- */

/* The largest number becomes ±127. Returns one over the length of the bytes. */
static float to_bytes(int8_t *to, const float *row, size_t n)
{
    float largest = 0;
    int64_t squares = 0;
    for (size_t i = 0; i < n; i++) {
        if (!isfinite(row[i])) {
            memset(to, 0, n);
            return NAN;
        }
        largest = fmaxf(largest, fabsf(row[i]));
    }
    for (size_t i = 0; i < n; i++) {
        long byte = largest > 0 ? lrintf(row[i] / largest * 127) : 0;
        to[i] = (int8_t)byte;
        squares += byte * byte;
    }
    return squares ? (float)(1 / sqrt((double)squares)) : 0;
}

static f0t_status block_bytes(int8_t *bytes, float *scales, const f0t_votes *v,
                              const float *features, size_t rows, float *unit)
{
    const size_t D = v->features;
    const f0t_metric metric = {.features = D, .dim = v->dim, .map = v->map, .shift = v->shift};
    float *mapped = unit + rows * D;
    memcpy(unit, features, rows * D * sizeof *unit);
    f0t_rows_normalise(unit, rows, D);
    F0T_TRY(f0t_metric_apply(mapped, &metric, unit, rows));
    for (size_t r = 0; r < rows; r++)
        scales[r] = to_bytes(bytes + r * v->dim, mapped + r * v->dim, v->dim);
    return F0T_OK;
}

f0t_status f0t_votes_bytes(int8_t *bytes, float *scales, const f0t_votes *v, const float *features,
                           size_t rows)
{
    const size_t most = rows < BLOCK ? rows : BLOCK;
    f0t_workspace *room;
    f0t_status status = F0T_OK;
    F0T_TRY(f0t_workspace_take(&room, most * (v->features + v->dim) * sizeof(float)));
    for (size_t first = 0; first < rows && status == F0T_OK; first += BLOCK)
        status =
            block_bytes(bytes + first * v->dim, scales + first, v, features + first * v->features,
                        rows - first < BLOCK ? rows - first : BLOCK, room->data);
    f0t_workspace_give(room);
    return status;
}

/* ---- The nearest -------------------------------------------------------------------------------- */

/* Sums of products of bytes are exact in float32, whose products of matrices are the fastest there are. */
static void to_floats(float *to, const int8_t *from, size_t n)
{
    for (size_t i = 0; i < n; i++)
        to[i] = (float)from[i];
}

/* products[rows x M] by one product of matrices. */
static f0t_status multiply_many(float *products, const f0t_votes *v, const float *images,
                                const float *queries, size_t rows)
{
    const f0t_matmul op = {.m = rows, .n = v->images, .k = v->dim, .b_transposed = true};
    int threads = f0t_team_size();
    (void)threads;
    F0T_TRY(f0t_matmul_run(products, queries, images, NULL, &op));
#pragma omp parallel for schedule(static) num_threads(threads)
    for (size_t r = 0; r < rows; r++)
        for (size_t i = 0; i < v->images; i++)
            products[r * v->images + i] *= v->scales[i];
    return F0T_OK;
}

static void multiply_few(float *products, const f0t_votes *v, const int8_t *bytes, size_t rows)
{
    int threads = f0t_team_size();
    (void)threads;
#pragma omp parallel for schedule(static) num_threads(threads) if (rows > 1)
    for (size_t r = 0; r < rows; r++)
        f0t_kernels()->byte_products(products + r * v->images, v->rows, v->scales,
                                     bytes + r * v->dim, v->images, v->dim);
}

static void choose(uint32_t *index, float *value, const f0t_votes *v, float *products, size_t rows,
                   size_t k, const uint32_t *skip)
{
    for (size_t r = 0; skip && r < rows; r++)
        products[r * v->images + skip[r]] = -INFINITY;
    f0t_topk_rows(index, value, products, rows, v->images, k);
}

static f0t_status nearest_many(uint32_t *index, float *value, const f0t_votes *v,
                               const int8_t *bytes, size_t rows, size_t k, const uint32_t *skip,
                               float *products)
{
    float *images = products + BLOCK * v->images, *queries = images + v->images * v->dim;
    to_floats(images, v->rows, v->images * v->dim);
    for (size_t first = 0; first < rows; first += BLOCK) {
        const size_t m = rows - first < BLOCK ? rows - first : BLOCK;
        to_floats(queries, bytes + first * v->dim, m * v->dim);
        F0T_TRY(multiply_many(products, v, images, queries, m));
        choose(index + first * k, value + first * k, v, products, m, k, skip ? skip + first : NULL);
    }
    return F0T_OK;
}

f0t_status f0t_votes_nearest(uint32_t *index, float *value, const f0t_votes *v, const int8_t *bytes,
                             size_t rows, size_t k, const uint32_t *skip)
{
    const size_t M = v->images;
    f0t_workspace *room;
    f0t_status status = F0T_OK;
    if (rows < MANY) {
        F0T_TRY(f0t_workspace_take(&room, rows * M * sizeof(float)));
        multiply_few(room->data, v, bytes, rows);
        choose(index, value, v, room->data, rows, k, skip);
    } else {
        F0T_TRY(f0t_workspace_take(&room, (BLOCK * M + (M + BLOCK) * v->dim) * sizeof(float)));
        status = nearest_many(index, value, v, bytes, rows, k, skip, room->data);
    }
    f0t_workspace_give(room);
    return status;
}

/* ---- The votes ---------------------------------------------------------------------------------- */

/* value[k] becomes the shares of the neighbours, whose products it holds. */
static void to_shares(float *value, size_t k, double sharpness)
{
    double sum = 0;
    const double nearest = (double)value[0];
    for (size_t j = 0; j < k; j++) {
        value[j] = (float)exp(sharpness * ((double)value[j] - nearest));
        sum += (double)value[j];
    }
    for (size_t j = 0; j < k; j++)
        value[j] = (float)((double)value[j] / sum);
}

static void vote(float *out, const f0t_votes *v, const uint32_t *index, float *value, float scale)
{
    memset(out, 0, v->tags * sizeof *out);
    if (isnan(scale)) {
        for (size_t t = 0; t < v->tags; t++)
            out[t] = NAN;
        return;
    }
    to_shares(value, v->k, v->sharpness * (double)scale);
    for (size_t j = 0; j < v->k; j++)
        for (size_t at = v->offsets[index[j]]; at < v->offsets[index[j] + 1]; at++)
            out[v->relevant[at]] += value[j];
}

static f0t_status score_block(float *out, const f0t_votes *v, const float *features, size_t rows,
                              void *room)
{
    float *value = room, *scales = value + rows * v->k;
    uint32_t *index = (uint32_t *)(scales + rows);
    int8_t *bytes = (int8_t *)(index + rows * v->k);
    int threads = f0t_team_size();
    (void)threads;
    F0T_TRY(f0t_votes_bytes(bytes, scales, v, features, rows));
    F0T_TRY(f0t_votes_nearest(index, value, v, bytes, rows, v->k, NULL));
#pragma omp parallel for schedule(static) num_threads(threads) if (rows > 1)
    for (size_t r = 0; r < rows; r++)
        vote(out + r * v->tags, v, index + r * v->k, value + r * v->k, scales[r]);
    return F0T_OK;
}

f0t_status f0t_votes_score(float *out, const f0t_votes *v, const float *features, size_t rows)
{
    enum { AT_ONCE = 1024 };
    const size_t most = rows < AT_ONCE ? rows : AT_ONCE;
    const size_t size = v->k * (sizeof(float) + sizeof(uint32_t)) + sizeof(float) + v->dim;
    f0t_workspace *room;
    f0t_status status = F0T_OK;
    F0T_TRY(f0t_workspace_take(&room, most * size));
    for (size_t first = 0; first < rows && status == F0T_OK; first += AT_ONCE)
        status = score_block(out + first * v->tags, v, features + first * v->features,
                             rows - first < AT_ONCE ? rows - first : AT_ONCE, room->data);
    f0t_workspace_give(room);
    return status;
}
