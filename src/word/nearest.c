/* The words of a vector file that are nearest to a vector, by their cosine. */
#include "base/alloc.h"
#include "base/kernels.h"
#include "base/monitor.h"
#include "base/team.h"
#include "io/vectors.h"
#include "math/topk.h"

#include <math.h>

enum { BLOCK = 1 << 14, PIECE = 256 };

typedef struct search {
    const f0t_vectors *vectors;
    const float *query;
    double scale;   /* 1 / length of the query */
    float *buffers; /* [BLOCK / PIECE x dim] */
    float *cosines; /* [count]; NaN for words without a direction */
} search;

static void compare_piece(const search *s, size_t first, size_t end)
{
    void (*products)(double *, double *, const float *, const float *, size_t) =
        f0t_kernels()->products;
    size_t dim = f0t_vectors_dim(s->vectors);
    float *buffer = s->buffers + first % BLOCK / PIECE * dim;
    for (size_t i = first; i < end; i++) {
        double dot, square;
        products(&dot, &square, f0t_vectors_row(s->vectors, i, buffer), s->query, dim);
        bool usable = isfinite(square) && square > 0;
        s->cosines[i] = usable ? (float)(dot * s->scale / sqrt(square)) : NAN;
    }
}

static f0t_status compare_all(const search *s, const f0t_monitor *monitor)
{
    size_t count = f0t_vectors_count(s->vectors);
    f0t_stage stage = f0t_stage_begin(monitor, "comparing words", "words", count);
    for (size_t first = 0; first < count; first += BLOCK) {
        size_t end = count - first < BLOCK ? count : first + BLOCK;
        long pieces = (long)((end - first + PIECE - 1) / PIECE);
#pragma omp parallel for schedule(dynamic, 1) num_threads(f0t_team_size())
        for (long p = 0; p < pieces; p++) {
            size_t begin = first + (size_t)p * PIECE;
            compare_piece(s, begin, end - begin < PIECE ? end : begin + PIECE);
        }
        F0T_TRY(f0t_stage_update(&stage, end));
    }
    f0t_stage_end(&stage);
    return f0t_vectors_whole(s->vectors);
}

static f0t_status pick(f0t_neighbour *out, size_t *found, size_t k, const search *s)
{
    uint32_t *index;
    size_t count = f0t_vectors_count(s->vectors);
    F0T_TRY(f0t_alloc(&index, k, sizeof *index));
    size_t n = f0t_topk_row(index, NULL, s->cosines, count, k);
    for (*found = 0; *found < n && !isnan(s->cosines[index[*found]]); ++*found)
        out[*found] = (f0t_neighbour){index[*found], s->cosines[index[*found]]};
    f0t_free(index);
    return F0T_OK;
}

f0t_status f0t_vectors_nearest(f0t_neighbour *out, size_t *found, size_t k,
                               const f0t_vectors *vectors, const float *query,
                               const f0t_context *context)
{
    F0T_ENTER(context);
    const f0t_monitor *monitor = f0t_context_monitor(context);
    F0T_REQUIRE(out || !k);
    F0T_REQUIRE(found);
    F0T_REQUIRE(vectors);
    F0T_REQUIRE(query);
    search s = {.vectors = vectors, .query = query};
    double ab, square;
    size_t dim = f0t_vectors_dim(vectors), count = f0t_vectors_count(vectors);
    *found = 0;
    f0t_kernels()->products(&ab, &square, query, query, dim);
    if (!isfinite(square) || square <= 0)
        return f0t_fail(F0T_ERROR_NUMERIC, "the vector to compare with is zero or not finite");
    s.scale = 1 / sqrt(square);
    k = k < count ? k : count;
    f0t_status status = f0t_alloc(&s.buffers, BLOCK / PIECE, dim * sizeof *s.buffers);
    if (status == F0T_OK)
        status = f0t_alloc(&s.cosines, count, sizeof *s.cosines);
    if (status == F0T_OK)
        status = compare_all(&s, monitor);
    if (status == F0T_OK)
        status = pick(out, found, k, &s);
    f0t_free(s.cosines);
    f0t_free(s.buffers);
    return status;
}
