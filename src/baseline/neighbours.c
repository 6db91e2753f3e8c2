#include "baseline/neighbours.h"

#include "base/alloc.h"
#include "base/group.h"
#include "base/monitor.h"
#include "base/parcel.h"
#include "base/size.h"
#include "base/team.h"
#include "math/matmul.h"
#include "math/workspace.h"

#include <string.h>

/* ---- Blocks ------------------------------------------------------------------------------------ */

enum { BLOCK = 1024, TILE = 16 };

#define NOBODY UINT32_MAX

/* products[m x n] of m rows of a with n rows of b. */
static f0t_status multiply(float *products, const float *a, size_t m, const float *b, size_t n,
                           size_t features)
{
    const f0t_matmul op = {.m = m, .n = n, .k = features, .b_transposed = true};
    return f0t_matmul_run_stable(products, a, b, NULL, &op);
}

static size_t block_rows(size_t first, size_t count)
{
    return count - first < BLOCK ? count - first : BLOCK;
}

/* ---- Training images with each other ----------------------------------------------------------- */

/* Row i of products is offered to image first + i: products with the images from `other` on. */
static void offer_rows(f0t_best *best, const float *products, size_t m, size_t n, size_t first,
                       size_t other)
{
    int threads = f0t_team_size();
    (void)threads;
#pragma omp parallel for schedule(dynamic, 16) num_threads(threads)
    for (size_t i = 0; i < m; i++)
        f0t_best_add(best, first + i, products + i * n, n, (uint32_t)other, (uint32_t)(first + i));
}

/* Column j is offered to image other + j; turned round tile by tile, so that memory is read in
 * whole lines. */
static void offer_columns(f0t_best *best, const float *products, size_t m, size_t n, size_t first,
                          size_t other)
{
    int threads = f0t_team_size();
    (void)threads;
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads)
    for (size_t j = 0; j < n; j += TILE) {
        float columns[TILE][BLOCK];
        size_t wide = n - j < TILE ? n - j : TILE;
        for (size_t i = 0; i < m; i++)
            for (size_t l = 0; l < wide; l++)
                columns[l][i] = products[i * n + j + l];
        for (size_t l = 0; l < wide; l++)
            f0t_best_add(best, other + j + l, columns[l], m, (uint32_t)first, NOBODY);
    }
}

static f0t_status search_block(f0t_neighbours *n, float *products, size_t first)
{
    const size_t m = block_rows(first, n->count), D = n->features;
    for (size_t other = first; other < n->count; other += BLOCK) {
        size_t wide = block_rows(other, n->count);
        F0T_TRY(multiply(products, n->rows + first * D, m, n->rows + other * D, wide, D));
        offer_rows(n->own, products, m, wide, first, other);
        if (other != first)
            offer_columns(n->own, products, m, wide, first, other);
    }
    return F0T_OK;
}

static void sort_rows(f0t_best *best, size_t first, size_t end)
{
    int threads = f0t_team_size();
    (void)threads;
#pragma omp parallel for schedule(static) num_threads(threads)
    for (size_t i = first; i < end; i++)
        f0t_best_sort(best, i);
}

static f0t_status search_all(f0t_neighbours *n, float *products, const f0t_monitor *monitor)
{
    const uint64_t all = (uint64_t)n->count * n->count / 2;
    f0t_stage stage = f0t_stage_begin(monitor, "comparing the training images", "pairs", all);
    uint64_t done = 0;
    for (size_t first = 0; first < n->count; first += BLOCK) {
        F0T_TRY(f0t_stage_update(&stage, done));
        F0T_TRY(search_block(n, products, first));
        done += (uint64_t)block_rows(first, n->count) * (n->count - first);
    }
    f0t_stage_end(&stage);
    sort_rows(n->own, 0, n->count);
    return F0T_OK;
}

/* ---- The same by several processes --------------------------------------------------------------- */

/* Blocks of rows are handed out. Each is compared with all images: the other triangle is another process's. */
typedef struct sharing {
    f0t_neighbours *n;
    float *products;
    f0t_stage stage;
} sharing;

static f0t_status add_rows(f0t_parcel *parcel, const f0t_best *best, size_t first, size_t rows)
{
    F0T_TRY(f0t_parcel_add(parcel, best->count + first, rows * sizeof *best->count));
    F0T_TRY(f0t_parcel_add(parcel, best->index + first * best->k,
                           rows * best->k * sizeof *best->index));
    return f0t_parcel_add(parcel, best->value + first * best->k,
                          rows * best->k * sizeof *best->value);
}

static f0t_status search_piece(void *user, uint64_t piece, void **out, size_t *bytes)
{
    const sharing *s = user;
    const f0t_neighbours *n = s->n;
    const size_t first = (size_t)piece * BLOCK, m = block_rows(first, n->count), D = n->features;
    f0t_parcel parcel = {0};
    for (size_t other = 0; other < n->count; other += BLOCK) {
        size_t wide = block_rows(other, n->count);
        F0T_TRY(multiply(s->products, n->rows + first * D, m, n->rows + other * D, wide, D));
        offer_rows(n->own, s->products, m, wide, first, other);
    }
    sort_rows(n->own, first, first + m);
    f0t_status status = add_rows(&parcel, n->own, first, m);
    *out = parcel.data;
    *bytes = parcel.bytes;
    return status;
}

static bool are_rows(const f0t_neighbours *n, size_t first, size_t rows)
{
    const f0t_best *best = n->own;
    for (size_t i = first; i < first + rows; i++) {
        if (best->count[i] > best->k)
            return false;
        for (size_t j = 0; j < best->count[i]; j++)
            if (best->index[i * best->k + j] >= n->count)
                return false;
    }
    return true;
}

static f0t_status take_piece(void *user, uint64_t piece, const void *data, size_t bytes)
{
    sharing *s = user;
    f0t_best *best = s->n->own;
    const size_t first = (size_t)piece * BLOCK, m = block_rows(first, s->n->count), k = best->k;
    f0t_parcel_reader from = {data, bytes};
    F0T_TRY(f0t_parcel_read(best->count + first, &from, m * sizeof *best->count));
    F0T_TRY(f0t_parcel_read(best->index + first * k, &from, m * k * sizeof *best->index));
    F0T_TRY(f0t_parcel_read(best->value + first * k, &from, m * k * sizeof *best->value));
    if (from.left || !are_rows(s->n, first, m))
        return f0t_parcel_fail();
    return f0t_stage_update(&s->stage, (uint64_t)(first + m) * s->n->count);
}

static f0t_status search_shared(f0t_neighbours *n, float *products, const f0t_monitor *monitor)
{
    const uint64_t all = (uint64_t)n->count * n->count;
    sharing s = {n, products,
                 f0t_stage_begin(monitor, "comparing the training images", "pairs", all)};
    const f0t_group_work work = {.pieces = (n->count + BLOCK - 1) / BLOCK,
                                 .user = &s,
                                 .run = search_piece,
                                 .take = take_piece,
                                 .any_order = true,
                                 .to_all = true};
    F0T_TRY(f0t_group_run(f0t_group_current(), &work));
    f0t_stage_end(&s.stage);
    return F0T_OK;
}

/* ---- Making, freeing --------------------------------------------------------------------------- */

/* The rows in place, block by block. */
static f0t_status map_rows(f0t_neighbours *n)
{
    const size_t D = n->features;
    f0t_workspace *block;
    F0T_TRY(f0t_workspace_take(&block, BLOCK * D * sizeof(float)));
    f0t_status status = F0T_OK;
    for (size_t first = 0; first < n->count && status == F0T_OK; first += BLOCK) {
        size_t m = block_rows(first, n->count);
        status = f0t_metric_apply(block->data, n->metric, n->rows + first * D, m);
        memcpy(n->rows + first * D, block->data, m * D * sizeof *n->rows);
    }
    f0t_workspace_give(block);
    return status;
}

static f0t_status fill(f0t_neighbours *n, const f0t_task *task, size_t k, float **products)
{
    size_t size;
    if (!f0t_size_mul(&size, n->count, n->features) || n->count >= UINT32_MAX)
        return f0t_fail(F0T_ERROR_MEMORY, "%zu training images are too many", n->count);
    F0T_TRY(f0t_alloc(&n->rows, size, sizeof *n->rows));
    F0T_TRY(f0t_task_read(n->rows, task, task->train.images, n->count));
    F0T_TRY(
        f0t_metric_create(&n->metric, n->rows, n->count, n->features, n->features, task->monitor));
    F0T_TRY(map_rows(n));
    F0T_TRY(f0t_best_create(&n->own, n->count, k));
    F0T_TRY(f0t_alloc(products, BLOCK * BLOCK, sizeof **products));
    return f0t_group_current()->size > 1 ? search_shared(n, *products, task->monitor)
                                         : search_all(n, *products, task->monitor);
}

static f0t_status make(f0t_neighbours **out, const f0t_task *task, size_t k)
{
    f0t_neighbours *n = NULL;
    float *products = NULL;
    const size_t count = task->train.count;
    *out = NULL;
    F0T_TRY(f0t_alloc_zero(&n, 1, sizeof *n));
    n->count = count;
    n->features = f0t_task_features(task);
    f0t_status status = fill(n, task, k < count ? k : count ? count - 1 : 0, &products);
    f0t_free(products);
    if (status != F0T_OK) {
        f0t_neighbours_free(n);
        return status;
    }
    *out = n;
    return F0T_OK;
}

void f0t_neighbours_free(f0t_neighbours *n)
{
    if (!n || n->users-- > 0)
        return;
    f0t_metric_free(n->metric);
    f0t_free(n->rows);
    f0t_best_free(n->own);
    f0t_free(n);
}

f0t_status f0t_neighbours_create(f0t_neighbours **out, const f0t_task *task, size_t k)
{
    f0t_neighbour_store *store = task->store;
    const double began = f0t_time();
    if (!store)
        return make(out, task, k);
    if (store->kept && store->k == k) {
        store->lent += store->seconds;
    } else {
        f0t_neighbour_store_free(store);
        F0T_TRY(make(&store->kept, task, k));
        store->k = k;
        store->seconds = f0t_time() - began;
    }
    *out = store->kept;
    store->kept->users++;
    return F0T_OK;
}

void f0t_neighbour_store_free(f0t_neighbour_store *store)
{
    f0t_neighbours_free(store->kept);
    *store = (f0t_neighbour_store){.lent = store->lent};
}

/* ---- Other images ------------------------------------------------------------------------------ */

/* Scratch for a block of queries. */
typedef struct block {
    float *rows;     /* [BLOCK x D] as the metric has them */
    float *products; /* [BLOCK x BLOCK] */
} block;

static f0t_status search_queries(f0t_best *best, const f0t_neighbours *n, const float *queries,
                                 const block *b, size_t first)
{
    const size_t D = n->features, m = block_rows(first, best->rows);
    int threads = f0t_team_size();
    (void)threads;
    F0T_TRY(f0t_metric_apply(b->rows, n->metric, queries + first * D, m));
    for (size_t other = 0; other < n->count; other += BLOCK) {
        size_t wide = block_rows(other, n->count);
        F0T_TRY(multiply(b->products, b->rows, m, n->rows + other * D, wide, D));
#pragma omp parallel for schedule(dynamic, 16) num_threads(threads)
        for (size_t i = 0; i < m; i++)
            f0t_best_add(best, first + i, b->products + i * wide, wide, (uint32_t)other, NOBODY);
    }
    return F0T_OK;
}

static f0t_status search(f0t_best *best, const f0t_neighbours *n, const float *queries, block *b)
{
    F0T_TRY(f0t_alloc(&b->rows, BLOCK * n->features, sizeof *b->rows));
    F0T_TRY(f0t_alloc(&b->products, BLOCK * BLOCK, sizeof *b->products));
    for (size_t first = 0; first < best->rows; first += BLOCK)
        F0T_TRY(search_queries(best, n, queries, b, first));
    sort_rows(best, 0, best->rows);
    return F0T_OK;
}

f0t_status f0t_neighbours_search(f0t_best **out, const f0t_neighbours *n, const float *queries,
                                 size_t rows, size_t k)
{
    f0t_best *best = NULL;
    block b = {0};
    *out = NULL;
    F0T_TRY(f0t_best_create(&best, rows, k < n->count ? k : n->count));
    f0t_status status = search(best, n, queries, &b);
    f0t_free(b.rows);
    f0t_free(b.products);
    if (status != F0T_OK) {
        f0t_best_free(best);
        return status;
    }
    *out = best;
    return F0T_OK;
}
