#include "compute/scoring.h"

#include "base/alloc.h"
#include "base/kernels.h"

enum {
    SCORES_MOST = 1 << 25,
    DEVICE_MOST = 1 << 28
}; /* numbers that are there at a time: 128 MB, on a device 1 GB */

/* Rows that cannot be screened, for there is a NaN in them, go through the product of all. */
static f0t_status open_screen(f0t_scoring *s, const float *vectors)
{
    F0T_TRY(f0t_screen_create(&s->own_screen, s->dim));
    f0t_status status = f0t_screen_append(s->own_screen, vectors, s->count);
    if (status == F0T_OK)
        s->screen = s->own_screen;
    return status == F0T_ERROR_NUMERIC ? F0T_OK : status;
}

/* ---- Scores ---------------------------------------------------------------------------------------- */

f0t_status f0t_scoring_open(f0t_scoring *out, const f0t_compute *compute, const float *vectors,
                            size_t count, size_t dim, const f0t_scoring_options *options)
{
    *out = (f0t_scoring){.compute = compute,
                         .count = count,
                         .dim = dim,
                         .row_stable = options->row_stable,
                         .coarse = options->coarse,
                         .view = f0t_buffer_view(compute, F0T_F32, count * dim, vectors)};
    if (compute->shares_memory && options->screen) {
        out->screen = options->screen;
        return F0T_OK;
    }
    if (compute->shares_memory && options->screened && count && dim <= F0T_SCREEN_DIM_MOST)
        return open_screen(out, vectors);
    if (!compute->shares_memory && (options->screened || options->screen))
        F0T_TRY(f0t_sieve_create(&out->sieve, compute, vectors, count, dim));
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
    f0t_screen_free(scoring->own_screen);
    f0t_sieve_free(scoring->sieve);
    *scoring = (f0t_scoring){0};
}

f0t_status f0t_scoring_run(f0t_buffer *scores, const f0t_scoring *scoring,
                           const f0t_buffer *directions, size_t rows)
{
    const f0t_matmul op = {.m = rows,
                           .n = scoring->count,
                           .k = scoring->dim,
                           .b_transposed = true,
                           .coarse = scoring->coarse};
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
static size_t rows_at_a_time(const f0t_scoring *s, size_t rows)
{
    const size_t most = s->compute->shares_memory ? SCORES_MOST : DEVICE_MOST;
    size_t fit = most / (s->count ? s->count : 1);
    fit = fit ? fit : 1;
    return rows < fit ? rows : fit;
}

static f0t_status top_blocks(uint32_t *index, float *score, size_t k, block *b,
                             const f0t_scoring *s, const float *directions, size_t rows)
{
    const size_t each = rows_at_a_time(s, rows), kept = k < s->count ? k : s->count;
    for (size_t r = 0; r < rows; r += each) {
        const size_t n = rows - r < each ? rows - r : each;
        F0T_TRY(block_score(b, b->scores, s, directions + r * s->dim, n));
        F0T_TRY(s->compute->top(index + r * kept, score ? score + r * kept : NULL, b->scores, n,
                                s->count, k));
    }
    return F0T_OK;
}

static f0t_status top_by_product(uint32_t *index, float *score, size_t k,
                                 const f0t_scoring *scoring, const float *directions, size_t rows)
{
    block b = {0};
    f0t_status status = block_create(&b, scoring, rows_at_a_time(scoring, rows), true);
    if (status == F0T_OK)
        status = top_blocks(index, score, k, &b, scoring, directions, rows);
    block_free(&b);
    return status;
}

/* Directions that the sieve is not certain of go through the product of all. */
static f0t_status top_by_sieve(uint32_t *index, float *score, size_t k, const f0t_scoring *s,
                               const float *directions, size_t rows)
{
    const size_t kept = k < s->count ? k : s->count;
    bool *certain;
    F0T_TRY(f0t_alloc_zero(&certain, rows, sizeof *certain));
    f0t_status status = f0t_sieve_top(index, score, certain, k, s->sieve, directions, rows);
    for (size_t r = 0; r < rows && status == F0T_OK; r++)
        if (!certain[r])
            status = top_by_product(index + r * kept, score ? score + r * kept : NULL, k, s,
                                    directions + r * s->dim, 1);
    f0t_free(certain);
    return status;
}

f0t_status f0t_scoring_top(uint32_t *index, float *score, size_t k, const f0t_scoring *scoring,
                           const float *directions, size_t rows)
{
    if (!k || !scoring->count || !rows)
        return F0T_OK;
    const bool finite = (scoring->screen || scoring->sieve) &&
                        f0t_kernels()->finite_f32(directions, rows * scoring->dim);
    if (finite && scoring->screen)
        return f0t_screen_top(index, score, k, scoring->screen, scoring->view.data, directions,
                              rows);
    if (finite && scoring->sieve && f0t_sieve_takes(scoring->sieve, k))
        return top_by_sieve(index, score, k, scoring, directions, rows);
    return top_by_product(index, score, k, scoring, directions, rows);
}

void f0t_score_highest(float *to, const float *scores, size_t rows, size_t directions, size_t count)
{
    for (size_t r = 0; r < rows && (directions > 1 || to != scores); r++) {
        const float *of_row = scores + r * directions * count;
        for (size_t t = 0; t < count; t++) {
            float highest = of_row[t];
            for (size_t k = 1; k < directions; k++)
                highest = of_row[k * count + t] > highest ? of_row[k * count + t] : highest;
            to[r * count + t] = highest;
        }
    }
}
