#include "compute/loss_pairs.h"

#include "base/alloc.h"
#include "base/kernels.h"
#include "base/team.h"

#include <math.h>
#include <string.h>

/* ---- The scores of a batch, the irrelevant ones sorted into pieces of equal width ---------------- */

/* Irrelevant scores of one piece: what a thread takes at a time. */
typedef struct segment {
    size_t first, count; /* of sorted.values */
    size_t piece;        /* index into sorted.list */
} segment;

/* A piece in which an irrelevant score lies. */
typedef struct piece {
    double centre;
    double count;                   /* of its scores */
    double weights[F0T_NODES];      /* of its nodes, which stand for its scores; before: moments */
    double coefficients[F0T_NODES]; /* of Σ_i sigmoid(b − a_i) as a function of b */
    double loss;
} piece;

typedef struct sorted {
    float *values;     /* irrelevant scores by piece, then the relevant ones */
    uint32_t *origin;  /* where each stood in the batch */
    segment *segments; /* all irrelevant scores in their order */
    piece *list;       /* ascending */
    size_t segment_count, count, negatives, positives;
    size_t segment_capacity;
    size_t
        *places; /* counts, then the next free place in `values`, by part of the rows and piece */
    float low;   /* the smallest score */
    size_t grid; /* pieces from there to the largest, with scores or without */
} sorted;

enum {
    SEGMENT = 4096,
    CHUNKS = 16 /* parts of the rows that are sorted apart: fixed, so that threads change nothing */
};

static f0t_status sorted_alloc(sorted *pieces, size_t scores)
{
    pieces->segment_capacity = scores / SEGMENT + F0T_PIECES_MOST;
    F0T_TRY(f0t_alloc(&pieces->values, scores, sizeof *pieces->values));
    F0T_TRY(f0t_alloc(&pieces->origin, scores, sizeof *pieces->origin));
    F0T_TRY(f0t_alloc(&pieces->places, (size_t)CHUNKS * F0T_PIECES_MOST, sizeof *pieces->places));
    F0T_TRY(f0t_alloc(&pieces->segments, pieces->segment_capacity, sizeof *pieces->segments));
    return f0t_alloc(&pieces->list, F0T_PIECES_MOST, sizeof *pieces->list);
}

static void sorted_release(sorted *pieces)
{
    f0t_free(pieces->values);
    f0t_free(pieces->origin);
    f0t_free(pieces->places);
    f0t_free(pieces->segments);
    f0t_free(pieces->list);
}

static double cells_above(const sorted *pieces, float score)
{
    return ((double)score - (double)pieces->low) * (1 / F0T_PIECE_WIDTH);
}

static f0t_status set_grid(sorted *pieces, const f0t_loss_batch *batch)
{
    float high;
    f0t_kernels()->row_range(&pieces->low, &high, batch->scores, batch->images * batch->tags);
    double cells = cells_above(pieces, high);
    if (!(cells < F0T_PIECES_MOST))
        return f0t_fail(F0T_ERROR_NUMERIC,
                        "the scores of the batch span %g to %g, too far for pairs across it: has "
                        "the training diverged?",
                        (double)pieces->low, (double)high);
    pieces->grid = (size_t)cells + 1;
    return F0T_OK;
}

static size_t cell_of(const sorted *pieces, float score)
{
    return (size_t)cells_above(pieces, score);
}

static void count_row(const sorted *pieces, size_t *counts, const f0t_loss_batch *batch, size_t m)
{
    const float *scores = batch->scores + m * batch->tags;
    for (size_t t = 0; t < batch->tags; t++)
        counts[cell_of(pieces, scores[t])]++;
    for (size_t i = batch->offsets[m]; i < batch->offsets[m + 1]; i++)
        counts[cell_of(pieces, scores[batch->relevant[i]])]--;
}

static void place(const sorted *pieces, size_t to, const f0t_loss_batch *batch, size_t from)
{
    pieces->values[to] = batch->scores[from];
    pieces->origin[to] = (uint32_t)from;
}

static void place_row(const sorted *pieces, size_t *places, const f0t_loss_batch *batch, size_t m)
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

typedef void (*row_work)(const sorted *pieces, size_t *counts, const f0t_loss_batch *batch,
                         size_t m);

static void each_row(sorted *pieces, const f0t_loss_batch *batch, row_work work)
{
    int threads = f0t_team_size();
    (void)threads;
#pragma omp parallel for schedule(static) num_threads(threads)
    for (size_t c = 0; c < CHUNKS; c++)
        for (size_t m = c * batch->images / CHUNKS; m < (c + 1) * batch->images / CHUNKS; m++)
            work(pieces, pieces->places + c * pieces->grid, batch, m);
}

static void add_segments(sorted *pieces, size_t first, size_t end, size_t index)
{
    for (; first < end; first += SEGMENT) {
        size_t count = end - first < SEGMENT ? end - first : SEGMENT;
        pieces->segments[pieces->segment_count++] = (segment){first, count, index};
    }
}

/* Turns the counts into places, and lists the pieces that have a score. */
static void set_pieces(sorted *pieces)
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
        piece *added = &pieces->list[pieces->count];
        added->centre = (double)pieces->low + ((double)g + 0.5) * F0T_PIECE_WIDTH;
        added->count = (double)(next - first);
        add_segments(pieces, first, next, pieces->count++);
    }
}

static f0t_status sort_scores(sorted *pieces, const f0t_loss_batch *batch)
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

/* ---- The pairs ------------------------------------------------------------------------------------ */

struct f0t_batch_pairs {
    f0t_nodes nodes;
    sorted pieces;
    double *moments; /* [segments x F0T_NODES] */
};

static void set_nodes(f0t_nodes *nodes)
{
    const double pi = 3.14159265358979323846;
    for (int k = 0; k < F0T_NODES; k++) {
        double angle = pi * (k + 0.5) / F0T_NODES;
        nodes->at[k] = cos(angle) * (F0T_PIECE_WIDTH / 2);
        nodes->exps[k] = exp(nodes->at[k]);
        for (int m = 0; m < F0T_NODES; m++)
            nodes->basis[m * F0T_NODES + k] = cos(m * angle);
    }
}

static f0t_status alloc_arrays(f0t_batch_pairs *pairs, size_t scores)
{
    F0T_TRY(sorted_alloc(&pairs->pieces, scores));
    return f0t_alloc(&pairs->moments, pairs->pieces.segment_capacity,
                     F0T_NODES * sizeof *pairs->moments);
}

f0t_status f0t_batch_pairs_create(f0t_batch_pairs **out, size_t scores)
{
    *out = NULL;
    if (scores > UINT32_MAX)
        return f0t_fail(F0T_ERROR_UNSUPPORTED,
                        "a batch of %zu scores is too large for pairs across it", scores);
    f0t_batch_pairs *pairs;
    F0T_TRY(f0t_alloc_zero(&pairs, 1, sizeof *pairs));
    f0t_status status = alloc_arrays(pairs, scores);
    if (status) {
        f0t_batch_pairs_free(pairs);
        return status;
    }
    set_nodes(&pairs->nodes);
    *out = pairs;
    return F0T_OK;
}

void f0t_batch_pairs_free(f0t_batch_pairs *pairs)
{
    if (!pairs)
        return;
    sorted_release(&pairs->pieces);
    f0t_free(pairs->moments);
    f0t_free(pairs);
}

/* ---- Sums through the nodes ------------------------------------------------------------------ */

static void find_moments(f0t_batch_pairs *pairs)
{
    sorted *pieces = &pairs->pieces;
    int threads = f0t_team_size();
    (void)threads;
#pragma omp parallel for schedule(dynamic) num_threads(threads)
    for (size_t s = 0; s < pieces->segment_count; s++) {
        const segment *part = &pieces->segments[s];
        f0t_kernels()->piece_moments(pairs->moments + s * F0T_NODES, pieces->values + part->first,
                                     part->count, pieces->list[part->piece].centre);
    }
    for (size_t p = 0; p < pieces->count; p++)
        memset(pieces->list[p].weights, 0, sizeof pieces->list[p].weights);
    for (size_t s = 0; s < pieces->segment_count; s++)
        for (size_t m = 0; m < F0T_NODES; m++)
            pieces->list[pieces->segments[s].piece].weights[m] += pairs->moments[s * F0T_NODES + m];
}

/* The interpolant of f has coefficients c_m = 2/K Σ_k f(node k) T_m(node k), c_0 half of that:
 * summed over the scores it is Σ_k f(node k) w_k with the weights that this puts over the moments.
 */
static void weights_of_moments(double *moments, const f0t_nodes *nodes)
{
    double weights[F0T_NODES];
    for (int k = 0; k < F0T_NODES; k++) {
        weights[k] = 0.5 * moments[0];
        for (int m = 1; m < F0T_NODES; m++)
            weights[k] += moments[m] * nodes->basis[m * F0T_NODES + k];
        weights[k] *= 2.0 / F0T_NODES;
    }
    memcpy(moments, weights, sizeof weights);
}

static void coefficients_of_values(double *coefficients, const double *values,
                                   const f0t_nodes *nodes)
{
    for (int m = 0; m < F0T_NODES; m++) {
        double sum = 0;
        for (int k = 0; k < F0T_NODES; k++)
            sum += values[k] * nodes->basis[m * F0T_NODES + k];
        coefficients[m] = sum * (m ? 2.0 : 1.0) / F0T_NODES;
    }
}

static void sum_over_relevant(const f0t_batch_pairs *pairs, piece *at)
{
    double softplus[F0T_NODES], sigmoid[F0T_NODES];
    f0t_kernels()->node_sums(softplus, sigmoid, &pairs->nodes, at->centre,
                             pairs->pieces.values + pairs->pieces.negatives,
                             pairs->pieces.positives);
    weights_of_moments(at->weights, &pairs->nodes);
    coefficients_of_values(at->coefficients, sigmoid, &pairs->nodes);
    at->loss = 0;
    for (int k = 0; k < F0T_NODES; k++)
        at->loss += at->weights[k] * softplus[k];
}

/* Σ_j sigmoid(b_j − a). */
static double sum_over_irrelevant(const f0t_batch_pairs *pairs, double a)
{
    double sum = 0;
    for (size_t p = 0; p < pairs->pieces.count; p++) {
        const piece *from = &pairs->pieces.list[p];
        double distance = from->centre - a;
        if (distance > F0T_FAR_ABOVE)
            sum += from->count;
        else if (distance > -F0T_FAR_BELOW)
            sum += f0t_kernels()->node_weighted(&pairs->nodes, from->weights, exp(distance));
    }
    return sum;
}

static void set_irrelevant(float *gradient, const sorted *pieces, const segment *part,
                           double factor)
{
    const piece *at = &pieces->list[part->piece];
    float *values = pieces->values + part->first;
    f0t_kernels()->piece_evaluate(values, values, part->count, at->centre, at->coefficients,
                                  factor);
    for (size_t i = 0; i < part->count; i++)
        gradient[pieces->origin[part->first + i]] = values[i];
}

static void set_gradient(float *gradient, f0t_batch_pairs *pairs, double factor)
{
    const sorted *pieces = &pairs->pieces;
    size_t all = pieces->negatives + pieces->positives;
    int threads = f0t_team_size();
    (void)threads;
#pragma omp parallel num_threads(threads)
    {
#pragma omp for schedule(dynamic) nowait
        for (size_t s = 0; s < pieces->segment_count; s++)
            set_irrelevant(gradient, pieces, &pieces->segments[s], factor);
#pragma omp for schedule(dynamic, 64)
        for (size_t i = pieces->negatives; i < all; i++)
            gradient[pieces->origin[i]] =
                (float)(-factor * sum_over_irrelevant(pairs, (double)pieces->values[i]));
    }
}

static void run_sums(f0t_loss_result *result, float *gradient, f0t_batch_pairs *pairs)
{
    sorted *pieces = &pairs->pieces;
    double factor = 1 / ((double)pieces->positives * (double)pieces->negatives);
    find_moments(pairs);
    int threads = f0t_team_size();
    (void)threads;
#pragma omp parallel for schedule(dynamic) num_threads(threads)
    for (size_t p = 0; p < pieces->count; p++)
        sum_over_relevant(pairs, &pieces->list[p]);
    set_gradient(gradient, pairs, factor);
    for (size_t p = 0; p < pieces->count; p++)
        result->loss += pieces->list[p].loss * factor;
}

f0t_status f0t_batch_pairs_run(f0t_loss_result *result, float *gradient, f0t_batch_pairs *pairs,
                               const f0t_loss_batch *batch)
{
    size_t scores = batch->images * batch->tags;
    size_t positives = batch->images ? batch->offsets[batch->images] - batch->offsets[0] : 0;
    *result = (f0t_loss_result){0, 0};
    if (!positives || positives == scores) {
        for (size_t i = 0; i < scores; i++)
            gradient[i] = 0;
        return F0T_OK;
    }
    F0T_TRY(sort_scores(&pairs->pieces, batch));
    run_sums(result, gradient, pairs);
    result->images = batch->images;
    return F0T_OK;
}
