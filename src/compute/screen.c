#include "compute/screen.h"

#include "base/alloc.h"
#include "base/kernels.h"
#include "base/size.h"
#include "base/team.h"
#include "math/topk.h"

#include <float.h>
#include <math.h>
#include <stdatomic.h>
#include <string.h>

enum { BLOCK = F0T_SCREEN_BLOCK, GROUP = F0T_SCREEN_GROUP, LEVELS = 127, ZERO = 128 };

/* More than float32 can round away on the way to a bound, relative to what is summed, with room for the last
 * rounding of the score itself: a row below the bound is below it as float32, too. */
static const double SLACK = 0x1p-20;

/* Rows longer than this have no code: nothing that is computed from a code overflows. */
static const double LONGEST = 0x1p100;

static size_t groups_of(size_t dim)
{
    return (dim + GROUP - 1) / GROUP;
}

size_t f0t_screen_blocks(size_t count)
{
    return count / BLOCK + (count % BLOCK != 0);
}

size_t f0t_screen_block_bytes(size_t dim)
{
    return groups_of(dim) * GROUP * BLOCK;
}

/* No smaller as a float. */
static float round_up(double x)
{
    const float near = (float)x;
    return (double)near < x ? nextafterf(near, INFINITY) : near;
}

/* ---- Rows ------------------------------------------------------------------------------------------ */

f0t_status f0t_screen_create(f0t_screen **out, size_t dim)
{
    *out = NULL;
    if (!dim || dim > F0T_SCREEN_DIM_MOST)
        return f0t_fail(F0T_ERROR_UNSUPPORTED, "rows of %zu dimensions cannot be screened", dim);
    F0T_TRY(f0t_alloc_zero(out, 1, sizeof **out));
    (*out)->dim = dim;
    return F0T_OK;
}

void f0t_screen_free(f0t_screen *s)
{
    if (!s)
        return;
    f0t_free(s->own_codes);
    f0t_free(s->own_bounds);
    f0t_free(s);
}

static f0t_status grow(f0t_screen *s, size_t count)
{
    const size_t blocks = f0t_screen_blocks(s->count), more = f0t_screen_blocks(count) - blocks;
    size_t codes = s->capacity, bounds = s->capacity;
    F0T_TRY(f0t_grow(&s->own_codes, &codes, blocks, more, f0t_screen_block_bytes(s->dim)));
    F0T_TRY(f0t_grow(&s->own_bounds, &bounds, blocks, more, sizeof *s->own_bounds));
    s->capacity = codes < bounds ? codes : bounds;
    memset(s->own_codes + blocks * f0t_screen_block_bytes(s->dim), ZERO,
           more * f0t_screen_block_bytes(s->dim));
    memset(s->own_bounds + blocks, 0, more * sizeof *s->own_bounds);
    s->codes = s->own_codes;
    s->bounds = s->own_bounds;
    return F0T_OK;
}

static double length_of(const float *x, size_t n)
{
    return sqrt(f0t_kernels()->exact_product(x, x, n));
}

/* The code as whole groups. */
static void put_code(f0t_screen *s, size_t row, const int8_t *code)
{
    uint8_t *block = s->own_codes + row / BLOCK * f0t_screen_block_bytes(s->dim);
    for (size_t g = 0; g < groups_of(s->dim); g++) {
        uint8_t *to = block + (g * BLOCK + row % BLOCK) * GROUP;
        for (size_t i = 0; i < GROUP; i++)
            to[i] = (uint8_t)(code[g * GROUP + i] + ZERO);
    }
}

/* Room of a thread. */
typedef struct encoder {
    int8_t *code; /* [whole groups], zeros after the last dimension */
    float *rest;  /* [dim] */
} encoder;

/* What is rounded away between x and its rest is less than SLACK, or
 * for the smallest numbers than FLT_MIN. */
static void encode_row(f0t_screen *s, size_t row, const float *x, const encoder *e)
{
    f0t_screen_bounds *b = &s->own_bounds[row / BLOCK];
    const size_t r = row % BLOCK, dim = s->dim;
    const double length = length_of(x, dim);
    const float scale = f0t_kernels()->largest_size(x, dim) / LEVELS;
    b->scale[r] = b->length[r] = 0;
    b->error[r] = length > LONGEST ? INFINITY
                  : length > 0     ? round_up(length * (1 + SLACK) + (double)FLT_MIN)
                                   : 0;
    if (length > LONGEST || !(scale > 0))
        return;
    const int64_t squares = f0t_kernels()->screen_encode(e->code, e->rest, x, dim, (double)scale);
    put_code(s, row, e->code);
    b->scale[r] = scale;
    b->error[r] = round_up(length_of(e->rest, dim) * (1 + SLACK) + (double)FLT_MIN);
    b->length[r] = round_up((double)scale * sqrt((double)squares));
}

/* Threads take whole blocks. */
static void encode_blocks(f0t_screen *s, const float *rows, size_t count, int8_t *codes,
                          float *rests)
{
    const size_t first = s->count / BLOCK, end = f0t_screen_blocks(s->count + count);
    const int threads = f0t_team_size();
    (void)threads;
#pragma omp parallel for schedule(static) num_threads(threads)
    for (size_t b = first; b < end; b++) {
        const size_t member = (size_t)f0t_team_member();
        const encoder e = {codes + member * groups_of(s->dim) * GROUP, rests + member * s->dim};
        for (size_t row = b * BLOCK; row < (b + 1) * BLOCK; row++)
            if (row >= s->count && row < s->count + count)
                encode_row(s, row, rows + (row - s->count) * s->dim, &e);
    }
}

static f0t_status encode(f0t_screen *s, const float *rows, size_t count)
{
    const size_t threads = (size_t)f0t_team_size();
    int8_t *codes;
    float *rests;
    F0T_TRY(f0t_alloc_zero(&codes, threads * groups_of(s->dim), GROUP));
    f0t_status status = f0t_alloc(&rests, threads * s->dim, sizeof *rests);
    if (status == F0T_OK)
        encode_blocks(s, rows, count, codes, rests);
    f0t_free(rests);
    f0t_free(codes);
    return status;
}

f0t_status f0t_screen_append(f0t_screen *s, const float *rows, size_t count)
{
    size_t both;
    if (!count)
        return F0T_OK;
    for (size_t i = 0; i < count; i++)
        if (!f0t_kernels()->finite_f32(rows + i * s->dim, s->dim))
            return f0t_fail(F0T_ERROR_NUMERIC, "row %zu has a NaN or an infinity", s->count + i);
    if (!f0t_size_add(&both, s->count, count) || both >= UINT32_MAX)
        return f0t_fail(F0T_ERROR_MEMORY, "%zu rows are too many to screen", count);
    F0T_TRY(grow(s, both));
    F0T_TRY(encode(s, rows, count));
    s->count = both;
    return F0T_OK;
}

/* ---- Directions ------------------------------------------------------------------------------------ */

/* Chunks of codes stay in the cache while the tiles go over them. */
enum { CHUNK_BLOCKS = 32, CHUNK = CHUNK_BLOCKS * BLOCK, MANY = 256, TILE = F0T_SCREEN_TILE };
enum { FEW = 4 };
/* Candidates that are gathered before some are ruled out, besides a few times k. */
enum { GATHERED = 1024, GATHERED_PER_K = 4 };
static const size_t ROOM_MOST = (size_t)1 << 28; /* bytes of candidates at a time */

typedef void (*bounds_kernel)(float *, size_t, const uint8_t *, const f0t_screen_bounds *, size_t,
                              size_t, const f0t_screen_tile *);

static bounds_kernel choose_kernel(void)
{
    return f0t_cpu_vnni(f0t_cpu_level()) ? f0t_kernels()->screen_bounds_vnni
                                         : f0t_kernels()->screen_bounds;
}

/* A direction in units of t. */
typedef struct query {
    double unit;                     /* t */
    float by_error, by_length, more; /* of the tile */
    _Atomic float limit;             /* rows with a bound up to it are not among the first */
} query;

/* What the threads of a search share. */
typedef struct search {
    bounds_kernel bounds;
    const f0t_screen *screen;
    const float *rows;
    const float *directions; /* [count x dim] */
    size_t count, k;
    f0t_screen_tile tiles[MANY / TILE + 1];
    size_t tile_count;
    int32_t *packed; /* what the tiles point to */
    query queries[MANY];
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
    float *upper;    /* [TILE x CHUNK] */
} worker;

/* The code of a direction, and the terms of the bound, each no smaller than it is; `more` is for scores so small
 * that float32 rounds them to steps of 2^-149. */
static query encode_query(int8_t *code, const float *x, size_t n)
{
    const double unit = (double)f0t_kernels()->largest_size(x, n) / LEVELS;
    double length = 0, rest = 0, codes = 0;
    for (size_t i = 0; i < n; i++) {
        const double value = (double)x[i], c = nearbyint(value / unit), off = value - unit * c;
        code[i] = (int8_t)c;
        length += value * value;
        rest += off * off;
        codes += c * c;
    }
    return (query){.unit = unit,
                   .by_error = round_up(sqrt(length) / unit * (1 + SLACK)),
                   .by_length = round_up(sqrt(rest) / unit * (1 + SLACK) + sqrt(codes) * SLACK),
                   .more = round_up(fmin(0x1p-148 / unit, 0x1p100)),
                   .limit = -INFINITY};
}

static void pack_query(f0t_screen_tile *tile, int32_t *bytes, int32_t *pairs, size_t i,
                       const query *q, const int8_t *code, size_t groups)
{
    int32_t sum = 0;
    tile->by_error[i] = q->by_error;
    tile->by_length[i] = q->by_length;
    tile->more[i] = q->more;
    for (size_t g = 0; g < groups; g++) {
        const int8_t *c = code + g * GROUP;
        const int16_t halves[] = {c[0], c[2], c[1], c[3]};
        memcpy(bytes + g * tile->count + i, c, GROUP);
        memcpy(pairs + (g * tile->count + i) * 2, halves, sizeof halves);
        sum += c[0] + c[1] + c[2] + c[3];
    }
    tile->start[i] = -ZERO * sum;
}

static size_t tile_width(size_t left)
{
    return left > 2 * FEW ? TILE : left > 1 ? FEW : 1;
}

/* Width of all tiles: there are at most as many directions more as the last has room for. */
static size_t packed_width(size_t count)
{
    size_t width = 0;
    for (size_t first = 0; first < count; first += tile_width(count - first))
        width += tile_width(count - first);
    return width;
}

static f0t_status pack_queries(search *s)
{
    const size_t dim = s->screen->dim, groups = groups_of(dim);
    int8_t *code;
    F0T_TRY(f0t_alloc_zero(&s->packed, packed_width(s->count) * groups * 3, sizeof *s->packed));
    F0T_TRY(f0t_alloc_zero(&code, groups, GROUP));
    int32_t *at = s->packed;
    for (size_t first = 0; first < s->count; first += s->tiles[s->tile_count++].count) {
        f0t_screen_tile *tile = &s->tiles[s->tile_count];
        tile->count = tile_width(s->count - first);
        int32_t *bytes = at, *pairs = at + groups * tile->count;
        tile->bytes = bytes;
        tile->pairs = pairs;
        at += 3 * groups * tile->count;
        for (size_t i = 0; i < tile->count && first + i < s->count; i++) {
            query *q = &s->queries[first + i];
            *q = encode_query(code, s->directions + (first + i) * dim, dim);
            pack_query(tile, bytes, pairs, i, q, code, groups);
        }
    }
    f0t_free(code);
    return F0T_OK;
}

/* ---- Candidates ------------------------------------------------------------------------------------ */

static size_t capacity_of(const search *s)
{
    return GATHERED_PER_K * s->k + GATHERED;
}

static float limit_now(search *s, size_t i)
{
    return atomic_load_explicit(&s->queries[i].limit, memory_order_relaxed);
}

/* There are k scores of at least this much: rows with a lower bound are ruled out. */
static void raise_limit(search *s, size_t i, double score)
{
    query *q = &s->queries[i];
    if (!(score > -(double)FLT_MAX)) /* even lower ones are rounded to the same */
        return;
    const double least = fmin(score, (double)FLT_MAX) / q->unit;
    float limit = (float)fmin(fmax(least, -(double)FLT_MAX), (double)FLT_MAX);
    if ((double)limit > least)
        limit = nextafterf(limit, -INFINITY);
    limit = nextafterf(limit, -INFINITY);
    float before = limit_now(s, i);
    while (limit > before &&
           !atomic_compare_exchange_weak_explicit(&q->limit, &before, limit, memory_order_relaxed,
                                                  memory_order_relaxed))
        ;
}

/* No score is lower: as far below the approximation as the bound is above it. */
static float lower_bound(const search *s, size_t i, float bound, uint32_t row)
{
    const query *q = &s->queries[i];
    const f0t_screen_bounds *b = &s->screen->bounds[row / BLOCK];
    const float error = b->error[row % BLOCK], length = b->length[row % BLOCK];
    const float off = q->by_error * error + (q->by_length * length + q->more);
    return isfinite(bound) ? bound - off * (2 + (float)SLACK) : -INFINITY;
}

static void rule_out(search *s, worker *w, pool *p, size_t i)
{
    for (size_t j = 0; j < p->count; j++)
        w->lower[j] = lower_bound(s, i, p->bound[j], p->row[j]);
    if (f0t_topk_row(w->order, NULL, w->lower, p->count, s->k) == s->k)
        raise_limit(s, i, (double)w->lower[w->order[s->k - 1]] * s->queries[i].unit);
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
    size_t first = 0;
    for (size_t t = 0; t < s->tile_count; first += s->tiles[t++].count) {
        const f0t_screen_tile *tile = &s->tiles[t];
        s->bounds(w->upper, CHUNK, screen->codes + block * f0t_screen_block_bytes(screen->dim),
                  screen->bounds + block, f0t_screen_blocks(rows), groups_of(screen->dim), tile);
        for (size_t i = 0; i < tile->count && first + i < s->count; i++) {
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
    return f0t_alloc(&w->upper, TILE * CHUNK, sizeof *w->upper);
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
    F0T_TRY(pack_queries(s));
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
    f0t_free(s->packed);
    s->workers = NULL;
    s->packed = NULL;
    s->tile_count = 0;
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
    s.bounds = choose_kernel();
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

/* ---- Bounds alone ---------------------------------------------------------------------------------- */

static void fill_bounds(float *upper, size_t stride, const search *s)
{
    const f0t_screen *screen = s->screen;
    const size_t blocks = f0t_screen_blocks(screen->count),
                 chunks = (blocks + CHUNK_BLOCKS - 1) / CHUNK_BLOCKS;
    const int threads = f0t_team_size();
    (void)threads;
#pragma omp parallel for schedule(dynamic) num_threads(threads)
    for (size_t c = 0; c < chunks; c++) {
        const size_t block = c * CHUNK_BLOCKS;
        const size_t some = blocks - block < CHUNK_BLOCKS ? blocks - block : CHUNK_BLOCKS;
        float room[TILE * CHUNK];
        size_t first = 0;
        for (size_t t = 0; t < s->tile_count; first += s->tiles[t++].count) {
            s->bounds(room, CHUNK, screen->codes + block * f0t_screen_block_bytes(screen->dim),
                      screen->bounds + block, some, groups_of(screen->dim), &s->tiles[t]);
            for (size_t i = 0; i < s->tiles[t].count && first + i < s->count; i++) {
                /* rounding this product is less than SLACK, too */
                const float unit = (float)s->queries[first + i].unit;
                float *to = upper + (first + i) * stride + block * BLOCK;
                for (size_t r = 0; r < some * BLOCK; r++)
                    to[r] = room[i * CHUNK + r] * unit;
            }
        }
    }
}

/* Directions that codes can be made of, from the first on. */
static size_t count_good(const float *directions, size_t n, size_t dim)
{
    size_t some = 0;
    while (some < n && some < MANY) {
        const float *x = directions + some * dim;
        if (!f0t_kernels()->finite_f32(x, dim) || !(f0t_kernels()->largest_size(x, dim) > 0))
            break;
        some++;
    }
    return some;
}

f0t_status f0t_screen_upper(float *upper, size_t stride, const f0t_screen *screen,
                            const float *directions, size_t n)
{
    const size_t dim = screen->dim;
    search s = {.screen = screen, .bounds = choose_kernel()};
    for (size_t i = 0, some; i < n; i += some) {
        s.directions = directions + i * dim;
        s.count = some = count_good(s.directions, n - i, dim);
        if (!some) { /* without a length, or without an end */
            const float bound = f0t_kernels()->finite_f32(s.directions, dim) ? 0 : INFINITY;
            for (size_t r = 0; r < screen->count; r++)
                upper[i * stride + r] = bound;
            some = 1;
            continue;
        }
        f0t_status status = pack_queries(&s);
        if (status == F0T_OK)
            fill_bounds(upper + i * stride, stride, &s);
        f0t_free(s.packed);
        s.packed = NULL;
        s.tile_count = 0;
        F0T_TRY(status);
    }
    return F0T_OK;
}
