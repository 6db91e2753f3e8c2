#include "rank/loss_pieces.h"

#include "base/alloc.h"
#include "base/team.h"

#include <string.h>

enum {
    MOST_PIECES = 8192,
    SEGMENT = 4096,
    CHUNKS = 16 /* parts of the rows that are sorted apart: fixed, so that threads change nothing */
};

f0t_status f0t_pieces_alloc(f0t_pieces *pieces, size_t scores)
{
    pieces->segment_capacity = scores / SEGMENT + MOST_PIECES;
    F0T_TRY(f0t_alloc(&pieces->values, scores, sizeof *pieces->values));
    F0T_TRY(f0t_alloc(&pieces->origin, scores, sizeof *pieces->origin));
    F0T_TRY(f0t_alloc(&pieces->places, (size_t)CHUNKS * MOST_PIECES, sizeof *pieces->places));
    F0T_TRY(f0t_alloc(&pieces->segments, pieces->segment_capacity, sizeof *pieces->segments));
    return f0t_alloc(&pieces->list, MOST_PIECES, sizeof *pieces->list);
}

void f0t_pieces_release(f0t_pieces *pieces)
{
    f0t_free(pieces->values);
    f0t_free(pieces->origin);
    f0t_free(pieces->places);
    f0t_free(pieces->segments);
    f0t_free(pieces->list);
}

static double cells_above(const f0t_pieces *pieces, float score)
{
    return ((double)score - (double)pieces->low) * (1 / F0T_PIECE_WIDTH);
}

static f0t_status set_grid(f0t_pieces *pieces, const f0t_loss_batch *batch)
{
    float high;
    f0t_kernels()->row_range(&pieces->low, &high, batch->scores, batch->images * batch->tags);
    double cells = cells_above(pieces, high);
    if (!(cells < MOST_PIECES))
        return f0t_fail(F0T_ERROR_NUMERIC,
                        "the scores of the batch span %g to %g, too far for pairs across it: has "
                        "the training diverged?",
                        (double)pieces->low, (double)high);
    pieces->grid = (size_t)cells + 1;
    return F0T_OK;
}

static size_t cell_of(const f0t_pieces *pieces, float score)
{
    return (size_t)cells_above(pieces, score);
}

static void count_row(const f0t_pieces *pieces, size_t *counts, const f0t_loss_batch *batch,
                      size_t m)
{
    const float *scores = batch->scores + m * batch->tags;
    for (size_t t = 0; t < batch->tags; t++)
        counts[cell_of(pieces, scores[t])]++;
    for (size_t i = batch->offsets[m]; i < batch->offsets[m + 1]; i++)
        counts[cell_of(pieces, scores[batch->relevant[i]])]--;
}

static void place(const f0t_pieces *pieces, size_t to, const f0t_loss_batch *batch, size_t from)
{
    pieces->values[to] = batch->scores[from];
    pieces->origin[to] = (uint32_t)from;
}

static void place_row(const f0t_pieces *pieces, size_t *places, const f0t_loss_batch *batch,
                      size_t m)
{
    size_t next = batch->offsets[m], end = batch->offsets[m + 1];
    for (size_t t = 0; t < batch->tags; t++) {
        size_t from = m * batch->tags + t;
        if (next < end && batch->relevant[next] == t)
            place(pieces, pieces->negatives + next++ - batch->offsets[0], batch, from);
        else
            place(pieces, places[cell_of(pieces, batch->scores[from])]++, batch, from);
    }
}

typedef void (*row_work)(const f0t_pieces *pieces, size_t *counts, const f0t_loss_batch *batch,
                         size_t m);

static void each_row(f0t_pieces *pieces, const f0t_loss_batch *batch, row_work work)
{
    int threads = f0t_team_size();
    (void)threads;
#pragma omp parallel for schedule(static) num_threads(threads)
    for (size_t c = 0; c < CHUNKS; c++)
        for (size_t m = c * batch->images / CHUNKS; m < (c + 1) * batch->images / CHUNKS; m++)
            work(pieces, pieces->places + c * pieces->grid, batch, m);
}

static void add_segments(f0t_pieces *pieces, size_t first, size_t end, size_t index)
{
    for (; first < end; first += SEGMENT) {
        size_t count = end - first < SEGMENT ? end - first : SEGMENT;
        pieces->segments[pieces->segment_count++] = (f0t_segment){first, count, index};
    }
}

/* Turns the counts into places, and lists the pieces that have a score. */
static void set_pieces(f0t_pieces *pieces)
{
    size_t next = 0;
    pieces->count = 0;
    pieces->segment_count = 0;
    for (size_t g = 0; g < pieces->grid; g++) {
        size_t first = next;
        for (size_t c = 0; c < CHUNKS; c++) {
            size_t count = pieces->places[c * pieces->grid + g];
            pieces->places[c * pieces->grid + g] = next;
            next += count;
        }
        if (next == first)
            continue;
        f0t_piece *added = &pieces->list[pieces->count];
        added->centre = (double)pieces->low + ((double)g + 0.5) * F0T_PIECE_WIDTH;
        added->count = (double)(next - first);
        add_segments(pieces, first, next, pieces->count++);
    }
}

f0t_status f0t_pieces_sort(f0t_pieces *pieces, const f0t_loss_batch *batch)
{
    pieces->positives = batch->offsets[batch->images] - batch->offsets[0];
    pieces->negatives = batch->images * batch->tags - pieces->positives;
    F0T_TRY(set_grid(pieces, batch));
    memset(pieces->places, 0, CHUNKS * pieces->grid * sizeof *pieces->places);
    each_row(pieces, batch, count_row);
    set_pieces(pieces);
    each_row(pieces, batch, place_row);
    return F0T_OK;
}
