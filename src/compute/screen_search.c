/* The first rows along directions: bounds rule out most rows, scores decide among the others. */
#include "base/alloc.h"
#include "base/kernels.h"
#include "base/team.h"
#include "compute/screen.h"
#include "math/topk.h"

#include <float.h>
#include <math.h>
#include <stdatomic.h>
#include <string.h>

/* Chunks of codes stay in the cache while the directions go over them. */
enum { BLOCK = F0T_SCREEN_BLOCK, CHUNK_BLOCKS = F0T_SCREEN_CHUNK, CHUNK = CHUNK_BLOCKS * BLOCK };
enum { MANY = 256, STEP = F0T_SCREEN_STEP };
/* Candidates that are gathered before some are ruled out, besides a few times k. */
enum { GATHERED = 1024, GATHERED_PER_K = 4 };
static const size_t ROOM_MOST = (size_t)1 << 28; /* bytes of candidates at a time */

/* What the threads of a search share. */
typedef struct search {
    const f0t_screen *screen;
    const float *rows;
    const float *directions; /* [count x dim] */
    size_t count, k;
    f0t_screen_queries *queries;
    _Atomic float
        limit[MANY]; /* in units of the query: rows with a bound up to it are not among the first */
    struct worker *workers;
} search;

/* Candidates. */
typedef struct pool {
    size_t count;
    float *bound;
    uint32_t *row;
} pool;

/* One thread's part. */
typedef struct worker {
    f0t_best *best;   /* of computed scores */
    pool pools[MANY]; /* of each direction, `capacity` long */
    pool joined;      /* those of all threads */
    float *bound;     /* what the pools point to */
    uint32_t *row;
    uint32_t *order; /* [of the longest pool] */
    float *lower;    /* [of the longest pool] */
    float *upper;    /* [STEP x CHUNK] */
} worker;

/* ---- Candidates ------------------------------------------------------------------------------------ */

static size_t capacity_of(const search *s)
{
    return GATHERED_PER_K * s->k + GATHERED;
}

static float limit_now(search *s, size_t i)
{
    return atomic_load_explicit(&s->limit[i], memory_order_relaxed);
}

/* There are k scores of at least this much: rows with a lower bound are ruled out. */
static void raise_limit(search *s, size_t i, double score)
{
    if (!(score > -(double)FLT_MAX)) /* even lower ones are rounded to the same */
        return;
    const double least = fmin(score, (double)FLT_MAX) / s->queries->query[i].unit;
    float limit = (float)fmin(fmax(least, -(double)FLT_MAX), (double)FLT_MAX);
    if ((double)limit > least)
        limit = nextafterf(limit, -INFINITY);
    limit = nextafterf(limit, -INFINITY);
    float before = limit_now(s, i);
    while (limit > before &&
           !atomic_compare_exchange_weak_explicit(&s->limit[i], &before, limit,
                                                  memory_order_relaxed, memory_order_relaxed))
        ;
}

/* No score is lower: as far below the approximation as the bound is above it. */
static float lower_bound(const search *s, size_t i, float bound, uint32_t row)
{
    const f0t_screen_query *q = &s->queries->query[i];
    const f0t_screen_bounds *b = &s->screen->bounds[row / BLOCK];
    const float error = b->error[row % BLOCK], length = b->length[row % BLOCK];
    const float off = q->by_error * error + (q->by_length * length + q->more);
    return isfinite(bound) ? bound - off * (2 + (float)F0T_SCREEN_SLACK) : -INFINITY;
}

static void rule_out(search *s, worker *w, pool *p, size_t i)
{
    for (size_t j = 0; j < p->count; j++)
        w->lower[j] = lower_bound(s, i, p->bound[j], p->row[j]);
    if (f0t_topk_row(w->order, NULL, w->lower, p->count, s->k) == s->k)
        raise_limit(s, i, (double)w->lower[w->order[s->k - 1]] * s->queries->query[i].unit);
    const float limit = limit_now(s, i);
    size_t kept = 0;
    for (size_t j = 0; j < p->count; j++)
        if (p->bound[j] > limit) {
            p->bound[kept] = p->bound[j];
            p->row[kept++] = p->row[j];
        }
    p->count = kept;
}

static const float *row_at(const search *s, uint32_t row)
{
    return s->rows + row * s->screen->dim;
}

static void compute_score(search *s, f0t_best *best, size_t i, uint32_t row)
{
    const size_t dim = s->screen->dim;
    const double sum = f0t_kernels()->exact_product(row_at(s, row), s->directions + i * dim, dim);
    const float score = (float)fmax(-(double)FLT_MAX, fmin((double)FLT_MAX, sum));
    f0t_best_add(best, i, &score, 1, row, UINT32_MAX);
    raise_limit(s, i, (double)f0t_best_least(best, i));
}

/* Rows lie anywhere in memory: the next is fetched while one is multiplied. */
static void fetch(const search *s, uint32_t row)
{
    enum { LINE = 64 / sizeof(float) };
    for (size_t d = 0; d < s->screen->dim; d += LINE)
        __builtin_prefetch(row_at(s, row) + d);
}

/* Computes the scores of the candidates that their bounds do not rule out: first those with the highest, which
 * rule out most of the others. */
static void settle(search *s, worker *w, f0t_best *best, pool *p, size_t i)
{
    const size_t first = f0t_topk_row(w->order, NULL, p->bound, p->count, s->k);
    for (size_t j = 0; j < first; j++) {
        const uint32_t at = w->order[j];
        if (j + 1 < first)
            fetch(s, p->row[w->order[j + 1]]);
        if (p->bound[at] > limit_now(s, i))
            compute_score(s, best, i, p->row[at]);
        p->bound[at] = -INFINITY;
    }
    size_t (*next)(const float *, size_t, size_t, float) = f0t_kernels()->find_above;
    for (size_t j = 0; (j = next(p->bound, j, p->count, limit_now(s, i))) < p->count; j++)
        compute_score(s, best, i, p->row[j]);
    p->count = 0;
}

/* Rows first, first + 1, … with their bounds. Where bounds rule out too few, scores do. */
static void gather(search *s, worker *w, size_t i, const float *upper, size_t count, size_t first)
{
    size_t (*next)(const float *, size_t, size_t, float) = f0t_kernels()->find_above;
    const size_t capacity = capacity_of(s);
    pool *p = &w->pools[i];
    for (size_t r = 0; (r = next(upper, r, count, limit_now(s, i))) < count; r++) {
        p->bound[p->count] = upper[r];
        p->row[p->count++] = (uint32_t)(first + r);
        if (p->count < capacity)
            continue;
        rule_out(s, w, p, i);
        if (p->count > capacity / 2)
            settle(s, w, w->best, p, i);
    }
}

static void run_chunk(search *s, worker *w, size_t chunk)
{
    const f0t_screen *screen = s->screen;
    const size_t block = chunk * CHUNK_BLOCKS, row = chunk * CHUNK;
    const size_t rows = screen->count - row < CHUNK ? screen->count - row : CHUNK;
    for (size_t first = 0; first < s->count; first += STEP) {
        const size_t n = s->count - first < STEP ? s->count - first : STEP;
        f0t_screen_bound_units(w->upper, CHUNK, screen, s->queries, first, n, block,
                               f0t_screen_blocks(rows));
        for (size_t i = 0; i < n; i++) {
            const float *upper = w->upper + i * CHUNK;
            if (f0t_kernels()->largest(upper, rows) > limit_now(s, first + i))
                gather(s, w, first + i, upper, rows, row);
        }
    }
}

/* ---- A search -------------------------------------------------------------------------------------- */

static f0t_status open_worker(worker *w, const search *s, size_t threads)
{
    const size_t capacity = capacity_of(s), longest = capacity * threads,
                 all = s->count * capacity + longest;
    F0T_TRY(f0t_best_create(&w->best, s->count, s->k));
    F0T_TRY(f0t_alloc(&w->bound, all, sizeof *w->bound));
    F0T_TRY(f0t_alloc(&w->row, all, sizeof *w->row));
    F0T_TRY(f0t_alloc(&w->order, longest, sizeof *w->order));
    F0T_TRY(f0t_alloc(&w->lower, longest, sizeof *w->lower));
    for (size_t i = 0; i < s->count; i++)
        w->pools[i] = (pool){0, w->bound + i * capacity, w->row + i * capacity};
    w->joined = (pool){0, w->bound + s->count * capacity, w->row + s->count * capacity};
    return f0t_alloc(&w->upper, STEP * CHUNK, sizeof *w->upper);
}

static void close_worker(worker *w)
{
    f0t_best_free(w->best);
    f0t_free(w->bound);
    f0t_free(w->row);
    f0t_free(w->order);
    f0t_free(w->lower);
    f0t_free(w->upper);
}

/* What the threads found for direction i becomes that of the first. */
static void join_workers(search *s, worker *w, size_t i, int threads)
{
    f0t_best *best = s->workers[0].best;
    pool *all = &w->joined;
    for (int t = 0; t < threads; t++) {
        const f0t_best *other = s->workers[t].best;
        const pool *p = &s->workers[t].pools[i];
        memcpy(all->bound + all->count, p->bound, p->count * sizeof *p->bound);
        memcpy(all->row + all->count, p->row, p->count * sizeof *p->row);
        all->count += p->count;
        for (size_t j = 0; t && j < other->count[i]; j++)
            f0t_best_add(best, i, &other->value[i * s->k + j], 1, other->index[i * s->k + j],
                         UINT32_MAX);
    }
    settle(s, w, best, all, i);
    f0t_best_sort(best, i);
}

static void run_workers(search *s, int threads)
{
    const size_t chunks = (s->screen->count + CHUNK - 1) / CHUNK;
    (void)threads;
#pragma omp parallel num_threads(threads)
    {
        worker *w = &s->workers[f0t_team_member()];
#pragma omp for schedule(dynamic, 4)
        for (size_t c = 0; c < chunks; c++)
            run_chunk(s, w, c);
#pragma omp for schedule(dynamic)
        for (size_t i = 0; i < s->count; i++)
            join_workers(s, w, i, threads);
    }
}

static f0t_status run_search(uint32_t *index, float *score, search *s, int threads)
{
    F0T_TRY(f0t_alloc_zero(&s->workers, (size_t)threads, sizeof *s->workers));
    F0T_TRY(f0t_screen_queries_create(&s->queries, s->directions, s->count, s->screen->dim));
    for (size_t i = 0; i < s->count; i++)
        atomic_init(&s->limit[i], -INFINITY);
    for (int t = 0; t < threads; t++)
        F0T_TRY(open_worker(&s->workers[t], s, (size_t)threads));
    run_workers(s, threads);
    const f0t_best *best = s->workers[0].best;
    for (size_t i = 0; i < s->count; i++)
        if (best->count[i] < s->k)
            return f0t_fail(F0T_ERROR_FORMAT, "the screen's bounds are damaged");
    memcpy(index, best->index, s->count * s->k * sizeof *index);
    if (score)
        memcpy(score, best->value, s->count * s->k * sizeof *score);
    return F0T_OK;
}

static f0t_status search_some(uint32_t *index, float *score, search *s, int threads)
{
    f0t_status status = run_search(index, score, s, threads);
    for (int t = 0; s->workers && t < threads; t++)
        close_worker(&s->workers[t]);
    f0t_free(s->workers);
    f0t_screen_queries_free(s->queries);
    s->workers = NULL;
    s->queries = NULL;
    return status;
}

/* Along a direction without a length all rows are equal. */
static void take_first(uint32_t *index, float *score, size_t k)
{
    for (size_t i = 0; i < k; i++) {
        index[i] = (uint32_t)i;
        if (score)
            score[i] = 0;
    }
}

/* How many of the directions go through one search: up to the next without a length. */
static size_t count_some(const search *s, const float *directions, size_t n, int threads)
{
    const size_t each = (capacity_of(s) * 8 + s->k * 8) * (size_t)threads;
    const size_t fit = ROOM_MOST / each ? ROOM_MOST / each : 1, most = fit < MANY ? fit : MANY;
    size_t some = 0;
    while (some < n && some < most &&
           f0t_kernels()->largest_size(directions + some * s->screen->dim, s->screen->dim) > 0)
        some++;
    return some;
}

f0t_status f0t_screen_top(uint32_t *index, float *score, size_t k, const f0t_screen *screen,
                          const float *rows, const float *directions, size_t n)
{
    const int threads = f0t_team_size();
    const size_t dim = screen->dim;
    search s = {.screen = screen, .rows = rows, .k = k < screen->count ? k : screen->count};
    if (!s.k)
        return F0T_OK;
    for (size_t i = 0; i < n; i++)
        if (!f0t_kernels()->finite_f32(directions + i * dim, dim))
            return f0t_fail(F0T_ERROR_NUMERIC, "direction %zu has a NaN or an infinity", i);
    for (size_t i = 0; i < n; i += s.count) {
        float *to = score ? score + i * s.k : NULL;
        s.directions = directions + i * dim;
        s.count = count_some(&s, s.directions, n - i, threads);
        if (s.count)
            F0T_TRY(search_some(index + i * s.k, to, &s, threads));
        else
            take_first(index + i * s.k, to, s.k);
        s.count = s.count ? s.count : 1;
    }
    return F0T_OK;
}
