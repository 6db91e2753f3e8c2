#include "rank/loss_batch.h"

#include "base/alloc.h"
#include "base/team.h"
#include "rank/loss_pieces.h"

#include <math.h>
#include <string.h>

struct f0t_batch_pairs {
    f0t_nodes nodes;
    f0t_pieces pieces;
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
    F0T_TRY(f0t_pieces_alloc(&pairs->pieces, scores));
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
    f0t_pieces_release(&pairs->pieces);
    f0t_free(pairs->moments);
    f0t_free(pairs);
}

/* ---- Sums through the nodes --------------------------------------------------------------------
 */

static void find_moments(f0t_batch_pairs *pairs)
{
    f0t_pieces *pieces = &pairs->pieces;
    int threads = f0t_team_size();
    (void)threads;
#pragma omp parallel for schedule(dynamic) num_threads(threads)
    for (size_t s = 0; s < pieces->segment_count; s++) {
        const f0t_segment *part = &pieces->segments[s];
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

static void sum_over_relevant(const f0t_batch_pairs *pairs, f0t_piece *at)
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
        const f0t_piece *from = &pairs->pieces.list[p];
        double distance = from->centre - a;
        if (distance > F0T_FAR_ABOVE)
            sum += from->count;
        else if (distance > -F0T_FAR_BELOW)
            sum += f0t_kernels()->node_weighted(&pairs->nodes, from->weights, exp(distance));
    }
    return sum;
}

static void set_irrelevant(float *gradient, const f0t_pieces *pieces, const f0t_segment *part,
                           double factor)
{
    const f0t_piece *at = &pieces->list[part->piece];
    float *values = pieces->values + part->first;
    f0t_kernels()->piece_evaluate(values, values, part->count, at->centre, at->coefficients,
                                  factor);
    for (size_t i = 0; i < part->count; i++)
        gradient[pieces->origin[part->first + i]] = values[i];
}

static void set_gradient(float *gradient, f0t_batch_pairs *pairs, double factor)
{
    const f0t_pieces *pieces = &pairs->pieces;
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
    f0t_pieces *pieces = &pairs->pieces;
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
    F0T_TRY(f0t_pieces_sort(&pairs->pieces, batch));
    run_sums(result, gradient, pairs);
    result->images = batch->images;
    return F0T_OK;
}
