/*
 * RankNet over the pairs across a batch, as compute/loss_pairs.h says it: the irrelevant scores lie in pieces of equal width,
 * and the sums over them go through the Chebyshev nodes of their piece. How many pieces there are shows on the device alone:
 * kernels start the same way whatever it is, and leave at once where there is nothing for them.
 *
 * A sum over all scores, or over all relevant ones, is made of parts, one block each, which are added in their order. So
 * that there is work for the whole GPU, few pieces have many parts.
 */
#include "cuda/reduce.cuh"

extern "C" {
#include "compute/loss_pairs.h"
}

enum {
    NODES = F0T_NODES,
    ITEMS = F0T_PIECES_MOST, /* parts of all pieces, at most */
    PARTS_MOST = 64,
    BLOCKS = 1024, /* of the kernels that go through items or pieces */
    RELEVANT = 0xFFFF
};

/* ---- Memory -------------------------------------------------------------------------------------- */

/* What the scores are like. No piece: they are not finite or too far apart, or there are no pairs. */
struct extent {
    float low, high;
    unsigned bad; /* the first row that is not finite, or all ones */
    unsigned far, pieces, parts;
};

struct piece {
    double centre, count, loss;
    double weights[NODES]; /* of its nodes, which stand for its scores */
    double coefficients[NODES];
};

/* Of one item: Chebyshev moments of the part's scores in the piece; Σ softplus and Σ sigmoid of the piece's nodes over the
 * part's relevant scores. */
struct part_sums {
    double moments[NODES], softplus[NODES], sigmoid[NODES];
};

struct memory {
    extent *of_batch;
    piece *pieces;    /* [F0T_PIECES_MOST] */
    part_sums *items; /* [ITEMS] */
    float2 *ranges;   /* [images] low and high; NaN: not finite */
    float *relevant;  /* scores */
    uint16_t *cells;  /* [images x tags] which piece, or RELEVANT */
    size_t images, tags, positives;
};

static size_t rounded(size_t bytes)
{
    return (bytes + 255) / 256 * 256;
}

/* Where each array begins, in memory that may be NULL; what all take. */
static size_t divide(memory *to, char *start, size_t images, size_t tags)
{
    size_t at = 0;
    to->of_batch = (extent *)start;
    at += rounded(sizeof(extent));
    to->pieces = (piece *)(start + at);
    at += rounded(F0T_PIECES_MOST * sizeof(piece));
    to->items = (part_sums *)(start + at);
    at += rounded(ITEMS * sizeof(part_sums));
    to->ranges = (float2 *)(start + at);
    at += rounded(images * sizeof(float2));
    to->relevant = (float *)(start + at);
    at += rounded(images * tags * sizeof(float));
    to->cells = (uint16_t *)(start + at);
    return at + rounded(images * tags * sizeof(uint16_t));
}

/* ---- Scores into pieces --------------------------------------------------------------------------- */

__global__ void __launch_bounds__(THREADS) find_ranges(memory of, const float *scores)
{
    float low = INFINITY, high = -INFINITY;
    int bad = 0;
    for (size_t t = threadIdx.x; t < of.tags; t += THREADS) {
        const float score = scores[blockIdx.x * of.tags + t];
        bad |= !isfinite(score);
        low = fminf(low, score);
        high = fmaxf(high, score);
    }
    bad = __syncthreads_or(bad);
    low = reduce_block(low, [](float a, float b) { return fminf(a, b); });
    high = reduce_block(high, [](float a, float b) { return fmaxf(a, b); });
    if (threadIdx.x == 0)
        of.ranges[blockIdx.x] = bad ? make_float2(NAN, NAN) : make_float2(low, high);
}

__device__ inline double cells_above(float low, float score)
{
    return ((double)score - (double)low) * (1 / F0T_PIECE_WIDTH);
}

__global__ void __launch_bounds__(THREADS) set_extent(memory of)
{
    float low = INFINITY, high = -INFINITY;
    unsigned bad = 0xFFFFFFFFU;
    for (size_t m = threadIdx.x; m < of.images; m += THREADS) {
        const float2 range = of.ranges[m];
        if (isnan(range.x) && m < bad)
            bad = (unsigned)m;
        low = fminf(low, range.x);
        high = fmaxf(high, range.y);
    }
    bad = least_block(bad);
    low = reduce_block(low, [](float a, float b) { return fminf(a, b); });
    high = reduce_block(high, [](float a, float b) { return fmaxf(a, b); });
    if (threadIdx.x != 0)
        return;
    const bool pairs = of.positives && of.positives < of.images * of.tags;
    const double cells = cells_above(low, high);
    const bool far = pairs && !(cells < F0T_PIECES_MOST);
    const unsigned pieces = bad == 0xFFFFFFFFU && pairs && !far ? (unsigned)cells + 1 : 0;
    const unsigned parts = pieces ? ITEMS / pieces : 0;
    *of.of_batch = {low, high, bad, far, pieces, parts < PARTS_MOST ? parts : PARTS_MOST};
}

__global__ void __launch_bounds__(THREADS)
    set_cells(memory of, const float *scores, const uint32_t *offsets, const uint32_t *relevant)
{
    const size_t row = blockIdx.x * of.tags;
    const extent batch = *of.of_batch;
    if (!batch.pieces)
        return;
    for (size_t t = threadIdx.x; t < of.tags; t += THREADS)
        of.cells[row + t] = (uint16_t)cells_above(batch.low, scores[row + t]);
    __syncthreads();
    for (uint32_t i = offsets[blockIdx.x] + threadIdx.x; i < offsets[blockIdx.x + 1];
         i += THREADS) {
        of.cells[row + relevant[i]] = RELEVANT;
        of.relevant[i] = scores[row + relevant[i]];
    }
}

/* ---- Sums of parts -------------------------------------------------------------------------------- */

__device__ inline double centre_of(const extent &batch, unsigned piece)
{
    return (double)batch.low + ((double)piece + 0.5) * F0T_PIECE_WIDTH;
}

/* Node k of a piece, from its centre. */
__device__ inline double node_at(unsigned k)
{
    return cospi((k + 0.5) / NODES) * (F0T_PIECE_WIDTH / 2);
}

/* T_m at node k. */
__device__ inline double basis(unsigned m, unsigned k)
{
    return cospi(m * (k + 0.5) / NODES);
}

/* sums[m] += T_m(u) */
__device__ inline void add_moments(double (&sums)[NODES], double u)
{
    double last = 1, current = u;
    sums[0] += 1;
    sums[1] += u;
#pragma unroll
    for (int m = 2; m < NODES; m++) {
        const double next = 2 * u * current - last;
        last = current;
        current = next;
        sums[m] += next;
    }
}

__device__ inline size_t start_of(size_t count, unsigned part, unsigned parts)
{
    return count * part / parts;
}

__device__ void sum_moments(part_sums *to, const memory &of, const float *scores,
                            const extent &batch, unsigned piece, unsigned part)
{
    __shared__ double of_warp[WARPS][NODES];
    const size_t all = of.images * of.tags, end = start_of(all, part + 1, batch.parts);
    const double centre = centre_of(batch, piece);
    double sums[NODES] = {};
    for (size_t i = start_of(all, part, batch.parts) + threadIdx.x; i < end; i += THREADS)
        if (of.cells[i] == piece)
            add_moments(sums, ((double)scores[i] - centre) * (2 / F0T_PIECE_WIDTH));
    for (int m = 0; m < NODES; m++) {
        const double sum = sum_warp(sums[m]);
        if (threadIdx.x % 32 == 0)
            of_warp[threadIdx.x / 32][m] = sum;
    }
    __syncthreads();
    if (threadIdx.x < NODES) {
        double sum = 0;
        for (int w = 0; w < WARPS; w++)
            sum += of_warp[w][threadIdx.x];
        to->moments[threadIdx.x] = sum;
    }
    __syncthreads();
}

/* A thread has a node and every 16th relevant score of the part. */
__device__ void sum_nodes(part_sums *to, const memory &of, const extent &batch, unsigned piece,
                          unsigned part)
{
    __shared__ double of_warp[2][WARPS][NODES];
    const size_t end = start_of(of.positives, part + 1, batch.parts);
    const unsigned k = threadIdx.x % NODES, warp = threadIdx.x / 32;
    const double centre = centre_of(batch, piece), at = node_at(k);
    double softplus = 0, sigmoid = 0;
    for (size_t i = start_of(of.positives, part, batch.parts) + threadIdx.x / NODES; i < end;
         i += THREADS / NODES) {
        const double far = centre - (double)of.relevant[i];
        if (far > F0T_FAR_ABOVE) {
            softplus += far + at;
            sigmoid += 1;
        } else if (far > -F0T_FAR_BELOW) {
            const double z = exp(far + at);
            softplus += log1p(z);
            sigmoid += z / (1 + z);
        }
    }
    softplus += __shfl_xor_sync(0xFFFFFFFFU, softplus, NODES);
    sigmoid += __shfl_xor_sync(0xFFFFFFFFU, sigmoid, NODES);
    if (threadIdx.x % 32 < NODES) {
        of_warp[0][warp][k] = softplus;
        of_warp[1][warp][k] = sigmoid;
    }
    __syncthreads();
    if (threadIdx.x < 2 * NODES) {
        double sum = 0;
        for (int w = 0; w < WARPS; w++)
            sum += of_warp[threadIdx.x / NODES][w][k];
        (threadIdx.x < NODES ? to->softplus : to->sigmoid)[k] = sum;
    }
    __syncthreads();
}

__global__ void __launch_bounds__(THREADS) sum_items(memory of, const float *scores)
{
    const extent batch = *of.of_batch;
    for (unsigned i = blockIdx.x; i < batch.pieces * batch.parts; i += gridDim.x) {
        sum_moments(&of.items[i], of, scores, batch, i / batch.parts, i % batch.parts);
        sum_nodes(&of.items[i], of, batch, i / batch.parts, i % batch.parts);
    }
}

/* ---- Pieces --------------------------------------------------------------------------------------- */

/* The interpolant of f has coefficients 2/K Σ_k f(node k) T_m(node k), the first one half of that: summed over the scores
 * it is Σ_k f(node k) w_k with the weights that this puts over the moments. */
__device__ inline double weight_of(const part_sums &sums, unsigned k)
{
    double weight = 0.5 * sums.moments[0];
    for (unsigned m = 1; m < NODES; m++)
        weight += sums.moments[m] * basis(m, k);
    return weight * (2.0 / NODES);
}

__device__ inline double coefficient_of(const part_sums &sums, unsigned m)
{
    double sum = 0;
    for (unsigned k = 0; k < NODES; k++)
        sum += sums.sigmoid[k] * basis(m, k);
    return sum * (m ? 2.0 : 1.0) / NODES;
}

enum { SUMS = sizeof(part_sums) / sizeof(double), PIECE_THREADS = 64 };

__global__ void __launch_bounds__(PIECE_THREADS) finish_pieces(memory of)
{
    __shared__ part_sums sums;
    const extent batch = *of.of_batch;
    const unsigned i = threadIdx.x;
    for (unsigned p = blockIdx.x; p < batch.pieces; p += gridDim.x) {
        piece *to = &of.pieces[p];
        double sum = 0;
        for (unsigned part = 0; i < SUMS && part < batch.parts; part++)
            sum += ((const double *)&of.items[p * batch.parts + part])[i];
        if (i < SUMS)
            ((double *)&sums)[i] = sum;
        __syncthreads();
        if (i < NODES)
            to->weights[i] = weight_of(sums, i);
        else if (i < 2 * NODES)
            to->coefficients[i - NODES] = coefficient_of(sums, i - NODES);
        __syncthreads();
        if (i == 0) {
            double loss = 0;
            for (unsigned k = 0; k < NODES; k++)
                loss += to->weights[k] * sums.softplus[k];
            to->loss = loss;
            to->count = sums.moments[0];
            to->centre = centre_of(batch, p);
        }
        __syncthreads();
    }
}

/* ---- The gradient --------------------------------------------------------------------------------- */

/* Σ_i sigmoid(score − a_i) over the relevant, by Clenshaw's recurrence. */
__device__ inline double sum_over_relevant(const piece &at, float score)
{
    const double u = ((double)score - at.centre) * (2 / F0T_PIECE_WIDTH);
    double b1 = 0, b2 = 0;
#pragma unroll
    for (int m = NODES - 1; m > 0; m--) {
        const double b0 = 2 * u * b1 - b2 + at.coefficients[m];
        b2 = b1;
        b1 = b0;
    }
    return u * b1 - b2 + at.coefficients[0];
}

/* Σ_j sigmoid(b_j − score) over the irrelevant, by a warp: a lane has a node of every second piece. */
__device__ inline double sum_over_irrelevant(const memory &of, unsigned pieces, float score)
{
    const unsigned k = threadIdx.x % NODES;
    const double at = node_at(k);
    double sum = 0;
    for (unsigned p = threadIdx.x % 32 / NODES; p < pieces; p += 32 / NODES) {
        const double far = of.pieces[p].centre - (double)score;
        if (far > F0T_FAR_ABOVE) {
            sum += k ? 0 : of.pieces[p].count;
        } else if (far > -F0T_FAR_BELOW) {
            const double z = exp(far + at);
            sum += of.pieces[p].weights[k] * (z / (1 + z));
        }
    }
    return sum_warp(sum);
}

__global__ void __launch_bounds__(THREADS)
    set_gradient(memory of, float *gradient, const float *scores, const uint32_t *offsets,
                 const uint32_t *relevant)
{
    const size_t row = blockIdx.x * of.tags;
    const unsigned pieces = of.of_batch->pieces;
    const double negatives = (double)(of.images * of.tags - of.positives);
    const double factor = 1 / ((double)of.positives * negatives);
    for (size_t t = threadIdx.x; t < of.tags; t += THREADS) {
        const unsigned cell = pieces ? of.cells[row + t] : RELEVANT;
        if (cell != RELEVANT)
            gradient[row + t] =
                (float)(factor * sum_over_relevant(of.pieces[cell], scores[row + t]));
        else if (!pieces)
            gradient[row + t] = 0;
    }
    for (uint32_t i = offsets[blockIdx.x] + threadIdx.x / 32;
         pieces && i < offsets[blockIdx.x + 1]; i += WARPS) {
        const double sum = sum_over_irrelevant(of, pieces, of.relevant[i]);
        if (threadIdx.x % 32 == 0)
            gradient[row + relevant[i]] = (float)(-factor * sum);
    }
}

/* ---- All of it ------------------------------------------------------------------------------------ */

__global__ void __launch_bounds__(THREADS)
    add_pairs(f0t_kernel_losses *to, memory of, double weight)
{
    const extent batch = *of.of_batch;
    double sum = 0;
    for (unsigned p = threadIdx.x; p < batch.pieces; p += THREADS)
        sum += of.pieces[p].loss;
    sum = sum_block(sum);
    if (threadIdx.x != 0 || to->bad || to->far)
        return;
    if (batch.bad != 0xFFFFFFFFU) {
        to->bad = (uint64_t)batch.bad + 1;
    } else if (batch.far) {
        to->far = 1;
        to->low = batch.low;
        to->high = batch.high;
    } else if (batch.pieces) {
        const double negatives = (double)(of.images * of.tags - of.positives);
        to->sum += weight * (sum / ((double)of.positives * negatives));
    }
}

size_t f0t_kernel_pairs_work(size_t images, size_t tags)
{
    memory unused;
    return divide(&unused, NULL, images, tags);
}

cudaError_t f0t_kernel_pairs(f0t_kernel_losses *to, double weight, const f0t_kernel_batch *batch,
                             size_t relevant, void *work, cudaStream_t stream)
{
    const unsigned images = (unsigned)batch->images;
    memory of;
    if (!images)
        return cudaSuccess;
    (void)divide(&of, (char *)work, batch->images, batch->tags);
    of.images = batch->images;
    of.tags = batch->tags;
    of.positives = relevant;
    find_ranges<<<images, THREADS, 0, stream>>>(of, batch->scores);
    set_extent<<<1, THREADS, 0, stream>>>(of);
    set_cells<<<images, THREADS, 0, stream>>>(of, batch->scores, batch->offsets, batch->relevant);
    sum_items<<<BLOCKS, THREADS, 0, stream>>>(of, batch->scores);
    finish_pieces<<<BLOCKS, PIECE_THREADS, 0, stream>>>(of);
    set_gradient<<<images, THREADS, 0, stream>>>(of, batch->gradient, batch->scores, batch->offsets,
                                                 batch->relevant);
    add_pairs<<<1, THREADS, 0, stream>>>(to, of, weight);
    return cudaGetLastError();
}
