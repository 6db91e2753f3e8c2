#include "compute/scoring.h"

#include "base/alloc.h"
#include "base/kernels.h"
#include "base/team.h"
#include "math/topk.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { SCREEN_ROWS = 256 };
enum { SCORES_MOST = 1 << 25 }; /* numbers that are there at a time: 128 MB */

/* ---- Rounding -------------------------------------------------------------------------------------- */

/* |x|² and |x − x'|², x' being x[n] rounded to bfloat16. */
static void measure_row(double *square, double *error, const float *x, size_t n)
{
    enum { PIECE = 256 };
    *square = *error = 0;
    for (size_t first = 0; first < n; first += PIECE) {
        const size_t count = n - first < PIECE ? n - first : PIECE;
        uint16_t half[PIECE];
        float back[PIECE];
        f0t_f32_to_bf16(half, x + first, count);
        f0t_dtype_to_f32(back, half, F0T_BF16, count);
        for (size_t i = 0; i < count; i++) {
            const double value = (double)x[first + i], off = value - (double)back[i];
            *square += value * value;
            *error += off * off;
        }
    }
}

static void measure_vectors(f0t_scoring *s, const float *vectors)
{
    double longest = 0, moved = 0;
    const int threads = f0t_team_size();
    (void)threads;
#pragma omp parallel for schedule(static) num_threads(threads) reduction(max : longest, moved)
    for (size_t i = 0; i < s->count; i++) {
        double square, error;
        measure_row(&square, &error, vectors + i * s->dim, s->dim);
        longest = square > longest ? square : longest;
        moved = error > moved ? error : moved;
    }
    s->longest = sqrt(longest);
    s->moved = sqrt(moved);
}

static f0t_status open_screen(f0t_scoring *s, const float *vectors, size_t rows)
{
    measure_vectors(s, vectors);
    return f0t_buffer_create_packed(&s->half, s->compute, F0T_BF16, vectors, s->dim, s->count, true,
                                    rows);
}

/* ---- Scores ---------------------------------------------------------------------------------------- */

f0t_status f0t_scoring_open(f0t_scoring *out, const f0t_compute *compute, const float *vectors,
                            size_t count, size_t dim, const f0t_scoring_options *options)
{
    *out = (f0t_scoring){.compute = compute,
                         .count = count,
                         .dim = dim,
                         .row_stable = options->row_stable,
                         .view = f0t_buffer_view(compute, F0T_F32, count * dim, vectors)};
    if (options->screened && count && compute->shares_memory && f0t_matmul_bf16_native())
        return open_screen(out, vectors, options->packed_for ? options->packed_for : SCREEN_ROWS);
    if (options->packed_for)
        return f0t_buffer_create_packed(&out->owned, compute, F0T_F32, vectors, dim, count, true,
                                        options->packed_for);
    if (compute->shares_memory)
        return F0T_OK;
    F0T_TRY(f0t_buffer_create(&out->owned, compute, F0T_F32, count * dim));
    return compute->upload(out->owned, 0, vectors, count * dim);
}

void f0t_scoring_close(f0t_scoring *scoring)
{
    f0t_buffer_free(scoring->owned);
    f0t_buffer_free(scoring->half);
    *scoring = (f0t_scoring){0};
}

f0t_status f0t_scoring_run(f0t_buffer *scores, const f0t_scoring *scoring,
                           const f0t_buffer *directions, size_t rows)
{
    const f0t_matmul op = {.m = rows, .n = scoring->count, .k = scoring->dim, .b_transposed = true};
    if (scoring->row_stable && scoring->compute->shares_memory)
        return f0t_matmul_run_stable(scores->data, directions->data, scoring->view.data, NULL, &op);
    return scoring->compute->product(scores, directions,
                                     scoring->owned ? scoring->owned : &scoring->view, NULL, &op);
}

/* ---- From and to the caller's memory -------------------------------------------------------------- */

/* What a call needs on the device: directions and scores of some rows. */
typedef struct block {
    f0t_buffer *directions, *scores; /* NULL where the caller's memory serves */
    f0t_buffer views[2];
} block;

static f0t_status block_create(block *b, const f0t_scoring *s, size_t rows, bool scores)
{
    if (!s->compute->shares_memory)
        F0T_TRY(f0t_buffer_create(&b->directions, s->compute, F0T_F32, rows * s->dim));
    if (scores || !s->compute->shares_memory)
        F0T_TRY(f0t_buffer_create(&b->scores, s->compute, F0T_F32, rows * s->count));
    return F0T_OK;
}

static void block_free(block *b)
{
    f0t_buffer_free(b->directions);
    f0t_buffer_free(b->scores);
}

static f0t_status block_score(block *b, f0t_buffer *scores, const f0t_scoring *s,
                              const float *directions, size_t rows)
{
    if (!b->directions) {
        b->views[0] = f0t_buffer_view(s->compute, F0T_F32, rows * s->dim, directions);
        return f0t_scoring_run(scores, s, &b->views[0], rows);
    }
    F0T_TRY(s->compute->upload(b->directions, 0, directions, rows * s->dim));
    return f0t_scoring_run(scores, s, b->directions, rows);
}

static f0t_status score_block(float *scores, block *b, const f0t_scoring *s,
                              const float *directions, size_t rows)
{
    if (!b->scores) {
        b->views[1] = f0t_buffer_view(s->compute, F0T_F32, rows * s->count, scores);
        return block_score(b, &b->views[1], s, directions, rows);
    }
    F0T_TRY(block_score(b, b->scores, s, directions, rows));
    return s->compute->download(scores, b->scores, 0, rows * s->count);
}

f0t_status f0t_scoring_scores(float *scores, const f0t_scoring *scoring, const float *directions,
                              size_t rows)
{
    block b = {0};
    f0t_status status = block_create(&b, scoring, rows, false);
    if (status == F0T_OK)
        status = score_block(scores, &b, scoring, directions, rows);
    block_free(&b);
    return status;
}

f0t_status f0t_score_once(float *scores, const float *directions, size_t rows, const float *vectors,
                          size_t count, size_t dim, bool row_stable)
{
    const f0t_scoring_options options = {.row_stable = row_stable};
    f0t_scoring scoring;
    f0t_status status =
        f0t_scoring_open(&scoring, f0t_compute_current(), vectors, count, dim, &options);
    if (status == F0T_OK)
        status = f0t_scoring_scores(scores, &scoring, directions, rows);
    f0t_scoring_close(&scoring);
    return status;
}

/* ---- The first ------------------------------------------------------------------------------------ */

/* How many rows go through one product. */
static size_t rows_at_a_time(size_t rows, size_t count)
{
    size_t fit = SCORES_MOST / (count ? count : 1);
    fit = fit ? fit : 1;
    return rows < fit ? rows : fit;
}

static f0t_status top_blocks(uint32_t *index, float *score, size_t k, block *b,
                             const f0t_scoring *s, const float *directions, size_t rows)
{
    const size_t each = rows_at_a_time(rows, s->count), kept = k < s->count ? k : s->count;
    for (size_t r = 0; r < rows; r += each) {
        const size_t n = rows - r < each ? rows - r : each;
        F0T_TRY(block_score(b, b->scores, s, directions + r * s->dim, n));
        F0T_TRY(s->compute->top(index + r * kept, score ? score + r * kept : NULL, b->scores, n,
                                s->count, k));
    }
    return F0T_OK;
}

/* ---- The first, screened --------------------------------------------------------------------------- */

/* Rows of some directions on their way: rounded, and their approximate scores. */
typedef struct screen {
    const f0t_scoring *scoring;
    f0t_buffer *directions, *scores;
    f0t_best *best;
    uint32_t *index; /* [rows x kept] the first by approximate scores */
    float *value;
} screen;

/* No score of a direction is further than this from its approximation: Cauchy and Schwarz on what rounding
 * moves, and for the float32 sums of the product a unit in the last place per term. */
static double most_error(const f0t_scoring *s, const float *direction)
{
    double square, error;
    measure_row(&square, &error, direction, s->dim);
    const double length = sqrt(square), moved = sqrt(error);
    return moved * s->longest + (length + moved) * s->moved +
           (length + moved) * (s->longest + s->moved) * ((double)s->dim + 8) * 0x1p-23;
}

static void score_exactly(const screen *c, size_t r, size_t tag, const float *direction)
{
    const f0t_scoring *s = c->scoring;
    double score, square;
    f0t_kernels()->products(&score, &square, (const float *)s->view.data + tag * s->dim, direction,
                            s->dim);
    const float exact = (float)fmax(-FLT_MAX, fmin(FLT_MAX, score));
    f0t_best_add(c->best, r, &exact, 1, (uint32_t)tag, UINT32_MAX);
}

/* Scores every tag that may be among the first. Those before the k-th of the approximation are, so a tag
 * whose own is twice the error below it is not. */
static void screen_row(const screen *c, size_t r, const float *direction, size_t kept)
{
    const f0t_scoring *s = c->scoring;
    const float *approximate = (const float *)c->scores->data + r * s->count;
    f0t_topk_row(c->index + r * kept, c->value + r * kept, approximate, s->count, kept);
    const double low = (double)c->value[r * kept + kept - 1] - 2 * most_error(s, direction);
    const float limit = nextafterf((float)low, -INFINITY);
    for (size_t i = 0; i < s->count; i++) {
        i = f0t_kernels()->find_above(approximate, i, s->count, limit);
        if (i < s->count)
            score_exactly(c, r, i, direction);
    }
    if (c->best->count[r] == kept)
        return;
    c->best->count[r] = 0; /* numbers so large that the approximation overflowed */
    for (size_t i = 0; i < s->count; i++)
        score_exactly(c, r, i, direction);
}

static f0t_status screen_block(uint32_t *index, float *score, const screen *c,
                               const float *directions, size_t rows, size_t kept)
{
    const f0t_scoring *s = c->scoring;
    const f0t_matmul op = {
        .m = rows, .n = s->count, .k = s->dim, .type = F0T_BF16, .b_transposed = true};
    F0T_TRY(s->compute->upload(c->directions, 0, directions, rows * s->dim));
    F0T_TRY(s->compute->product(c->scores, c->directions, s->half, NULL, &op));
    memset(c->best->count, 0, rows * sizeof *c->best->count);
    const int threads = f0t_team_size();
    (void)threads;
#pragma omp parallel for schedule(dynamic) num_threads(threads)
    for (size_t r = 0; r < rows; r++) {
        screen_row(c, r, directions + r * s->dim, kept);
        f0t_best_sort(c->best, r);
        memcpy(index + r * kept, c->best->index + r * kept, kept * sizeof *index);
        if (score)
            memcpy(score + r * kept, c->best->value + r * kept, kept * sizeof *score);
    }
    return F0T_OK;
}

static f0t_status screen_create(screen *c, size_t rows, size_t kept)
{
    const f0t_scoring *s = c->scoring;
    F0T_TRY(f0t_buffer_create(&c->directions, s->compute, F0T_BF16, rows * s->dim));
    F0T_TRY(f0t_buffer_create(&c->scores, s->compute, F0T_F32, rows * s->count));
    F0T_TRY(f0t_alloc(&c->index, rows * kept, sizeof *c->index));
    F0T_TRY(f0t_alloc(&c->value, rows * kept, sizeof *c->value));
    return f0t_best_create(&c->best, rows, kept);
}

static void screen_free(screen *c)
{
    f0t_buffer_free(c->directions);
    f0t_buffer_free(c->scores);
    f0t_free(c->index);
    f0t_free(c->value);
    f0t_best_free(c->best);
}

static f0t_status screen_top(uint32_t *index, float *score, size_t kept, const f0t_scoring *s,
                             const float *directions, size_t rows)
{
    const size_t each = rows_at_a_time(rows, s->count);
    screen c = {.scoring = s};
    f0t_status status = screen_create(&c, each, kept);
    for (size_t r = 0; r < rows && status == F0T_OK; r += each)
        status = screen_block(index + r * kept, score ? score + r * kept : NULL, &c,
                              directions + r * s->dim, rows - r < each ? rows - r : each, kept);
    screen_free(&c);
    return status;
}

/* NaN and infinity have no bound: such directions go through the product of all. */
static bool is_bounded(const f0t_scoring *s, const float *directions, size_t rows)
{
    return isfinite(s->longest) && f0t_kernels()->finite_f32(directions, rows * s->dim);
}

f0t_status f0t_scoring_top(uint32_t *index, float *score, size_t k, const f0t_scoring *scoring,
                           const float *directions, size_t rows)
{
    block b = {0};
    if (!k || !scoring->count || !rows)
        return F0T_OK;
    if (scoring->half && is_bounded(scoring, directions, rows))
        return screen_top(index, score, k < scoring->count ? k : scoring->count, scoring,
                          directions, rows);
    f0t_status status = block_create(&b, scoring, rows_at_a_time(rows, scoring->count), true);
    if (status == F0T_OK)
        status = top_blocks(index, score, k, &b, scoring, directions, rows);
    block_free(&b);
    return status;
}
