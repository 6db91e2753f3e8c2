#include "expert/votes.h"

#include "base/alloc.h"
#include "base/kernels.h"
#include "base/team.h"
#include "compute/screen.h"
#include "expert/metric.h"
#include "math/elementwise.h"
#include "math/matmul.h"
#include "math/topk.h"
#include "math/workspace.h"

#include <math.h>
#include <string.h>

/* Rows at a time; and those from which a screen is faster than a scan for each. */
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

/* The images as a screen without bounds (compute/screen.h): what it gives are the products themselves, times the scale.
 * Sums of bytes are whole numbers, the same by every kernel and below 2^24, which float32 holds. */
typedef struct many {
    f0t_screen images;
    f0t_screen_queries *queries;
    size_t stride;   /* of the products */
    float *products; /* [threads x STEP x stride] */
} many;

static size_t codes_size(const f0t_votes *v)
{
    return f0t_screen_blocks(v->images) * f0t_screen_block_bytes(v->dim); /* a multiple of 64 */
}

static size_t bounds_size(const f0t_votes *v)
{
    return f0t_screen_blocks(v->images) * sizeof(f0t_screen_bounds); /* as well */
}

static void lay_out_images(uint8_t *codes, f0t_screen_bounds *bounds, const f0t_votes *v)
{
    memset(codes, F0T_SCREEN_ZERO, codes_size(v));
    memset(bounds, 0, bounds_size(v));
    for (size_t i = 0; i < v->images; i++) {
        f0t_screen_put(codes, i, v->rows + i * v->dim, v->dim);
        bounds[i / F0T_SCREEN_BLOCK].scale[i % F0T_SCREEN_BLOCK] = v->scales[i];
    }
}

/* The nearest of `rows` rows from `first` on, a thread's. */
static void nearest_some(uint32_t *index, float *value, const f0t_votes *v, const many *m,
                         size_t first, size_t rows, size_t k, const uint32_t *skip)
{
    const size_t blocks = f0t_screen_blocks(v->images);
    float *products = m->products + (size_t)f0t_team_member() * F0T_SCREEN_STEP * m->stride;
    for (size_t b = 0; b < blocks; b += F0T_SCREEN_CHUNK)
        f0t_screen_bound_units(products + b * F0T_SCREEN_BLOCK, m->stride, &m->images, m->queries,
                               first, rows, b,
                               blocks - b < F0T_SCREEN_CHUNK ? blocks - b : F0T_SCREEN_CHUNK);
    for (size_t r = first; r < first + rows; r++, products += m->stride) {
        if (skip)
            products[skip[r]] = -INFINITY;
        (void)f0t_topk_row(index + r * k, value + r * k, products, v->images, k);
    }
}

static void nearest_all(uint32_t *index, float *value, const f0t_votes *v, const many *m,
                        size_t rows, size_t k, const uint32_t *skip)
{
    int threads = f0t_team_size();
    (void)threads;
#pragma omp parallel for schedule(dynamic) num_threads(threads)
    for (size_t first = 0; first < rows; first += F0T_SCREEN_STEP)
        nearest_some(index, value, v, m, first,
                     rows - first < F0T_SCREEN_STEP ? rows - first : F0T_SCREEN_STEP, k, skip);
}

static f0t_status nearest_many(uint32_t *index, float *value, const f0t_votes *v,
                               const int8_t *bytes, size_t rows, size_t k, const uint32_t *skip)
{
    many m = {.stride = f0t_screen_blocks(v->images) * F0T_SCREEN_BLOCK};
    const size_t size = (size_t)f0t_team_size() * F0T_SCREEN_STEP * m.stride * sizeof *m.products;
    f0t_workspace *room;
    F0T_TRY(f0t_workspace_take(&room, codes_size(v) + bounds_size(v) + size));
    uint8_t *codes = room->data;
    f0t_screen_bounds *bounds = (void *)(codes + codes_size(v));
    m.products = (void *)(codes + codes_size(v) + bounds_size(v));
    m.images = (f0t_screen){.count = v->images, .dim = v->dim, .codes = codes, .bounds = bounds};
    f0t_status status = f0t_screen_queries_create_codes(&m.queries, bytes, rows, v->dim);
    if (status == F0T_OK) {
        lay_out_images(codes, bounds, v);
        nearest_all(index, value, v, &m, rows, k, skip);
    }
    f0t_screen_queries_free(m.queries);
    f0t_workspace_give(room);
    return status;
}

f0t_status f0t_votes_nearest(uint32_t *index, float *value, const f0t_votes *v, const int8_t *bytes,
                             size_t rows, size_t k, const uint32_t *skip)
{
    f0t_workspace *room;
    if (rows >= MANY)
        return nearest_many(index, value, v, bytes, rows, k, skip);
    F0T_TRY(f0t_workspace_take(&room, rows * v->images * sizeof(float)));
    multiply_few(room->data, v, bytes, rows);
    choose(index, value, v, room->data, rows, k, skip);
    f0t_workspace_give(room);
    return F0T_OK;
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
