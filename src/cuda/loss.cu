/* The losses of compute/loss.h, one block per image: its scores and which of its tags are relevant, as bits, lie in
 * shared memory, or in memory of the batch's own where they are too many. Pairs across a batch: pairs.cu. */
#include "cuda/reduce.cuh"

#include "fast0tag.h"

/* ---- The image of a block ------------------------------------------------------------------------ */

struct image {
    unsigned tags, count;     /* and how many are relevant */
    const uint32_t *relevant; /* [count] */
    const float *scores;      /* [tags], no one else's */
    const uint32_t *bits;     /* [tags], likewise */
    float *gradient;          /* [tags] */
    double scale;
};

__device__ inline bool is_relevant(const image &of, unsigned tag)
{
    return of.bits[tag / 32] >> tag % 32 & 1;
}

/* Whether all scores are finite. */
__device__ inline bool load_image(image *of, const f0t_kernel_batch &batch, float *scores,
                                  uint32_t *bits)
{
    const unsigned m = blockIdx.x, tags = (unsigned)batch.tags;
    const uint32_t first = batch.offsets[m];
    int bad = 0;
    *of = {tags,
           batch.offsets[m + 1] - first,
           batch.relevant + first,
           scores,
           bits,
           batch.gradient + (size_t)m * tags,
           batch.scale};
    for (unsigned i = threadIdx.x; i < (tags + 31) / 32; i += THREADS)
        bits[i] = 0;
    for (unsigned i = threadIdx.x; i < tags; i += THREADS) {
        scores[i] = batch.scores[(size_t)m * tags + i];
        bad |= !isfinite(scores[i]);
    }
    __syncthreads();
    for (unsigned i = threadIdx.x; i < of->count; i += THREADS)
        atomicOr(&bits[of->relevant[i] / 32], 1U << of->relevant[i] % 32);
    return !__syncthreads_or(bad);
}

/* ---- RankNet ------------------------------------------------------------------------------------ */

__device__ inline float sigmoid_of(float x, float e)
{
    return (x < 0.0F ? e : 1.0F) / (1.0F + e);
}

/* exp(-|x|) and sigmoid(x), to some 20 bits. */
__device__ inline float fast_exp_minus_abs(float x)
{
    return __expf(-fabsf(x));
}

__device__ inline float fast_sigmoid(float x, float e)
{
    return __fdividef(x < 0.0F ? e : 1.0F, 1.0F + e);
}

/* log(1 + e) of several pairs is the logarithm of a product; of it less 1, so that small e count. A product of so many
 * is at most 2^16. */
enum { FACTORS = 16 };

/* Of one relevant tag and the irrelevant ones of a lane: Σ sigmoid, and Σ softplus added to *loss. */
__device__ inline double pairs_of_lane(double *loss, const image &of, float positive, unsigned lane)
{
    float tail = 0, above = 0, excess = 0;
    int factors = 0;
    for (unsigned n = lane; n < of.tags; n += 32) {
        const float x = of.scores[n] - positive, e = fast_exp_minus_abs(x);
        if (is_relevant(of, n))
            continue;
        tail += fast_sigmoid(x, e);
        above += fmaxf(x, 0.0F);
        excess = fmaf(excess, 1.0F + e, e);
        if (++factors == FACTORS) {
            *loss += (double)log1pf(excess);
            factors = 0;
            excess = 0;
        }
    }
    *loss += (double)log1pf(excess) + (double)above;
    return (double)tail;
}

/* A warp takes a relevant tag and all irrelevant ones; then a thread an irrelevant one and all relevant. Each pair is
 * looked at twice, and no sum is shared. */
__device__ double ranknet(const image &of, double weight)
{
    const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const double factor = weight * of.scale;
    double loss = 0;
    for (unsigned i = warp; i < of.count; i += WARPS) {
        double tail = pairs_of_lane(&loss, of, of.scores[of.relevant[i]], lane);
        tail = sum_warp(tail);
        if (lane == 0)
            of.gradient[of.relevant[i]] = (float)(-factor * tail);
    }
    for (unsigned n = threadIdx.x; n < of.tags; n += THREADS) {
        float sum = 0;
        if (is_relevant(of, n))
            continue;
        for (unsigned i = 0; i < of.count; i++) {
            const float x = of.scores[n] - of.scores[of.relevant[i]];
            sum += fast_sigmoid(x, fast_exp_minus_abs(x));
        }
        of.gradient[n] = (float)factor * sum;
    }
    return weight * sum_block(loss);
}

/* ---- Point-wise --------------------------------------------------------------------------------- */

__device__ double pointwise(const image &of, f0t_loss kind)
{
    const double slope = kind == F0T_LOSS_LOGISTIC ? of.scale : of.scale / of.tags;
    double loss = 0;
    for (unsigned n = threadIdx.x; n < of.tags; n += THREADS) {
        const float sign = is_relevant(of, n) ? -1.0F : 1.0F, x = sign * of.scores[n];
        const float bracket = fmaxf(0.0F, 1.0F + x), e = expf(-fabsf(x));
        if (kind == F0T_LOSS_LOGISTIC) {
            loss += (double)(fmaxf(x, 0.0F) + log1pf(e));
            of.gradient[n] = sign * sigmoid_of(x, e) * (float)slope;
        } else if (kind == F0T_LOSS_HINGE) {
            loss += (double)bracket;
            of.gradient[n] = bracket > 0.0F ? sign * (float)slope : 0.0F;
        } else {
            loss += (double)bracket * (double)bracket;
            of.gradient[n] = sign * (2.0F * bracket * (float)slope);
        }
    }
    loss = sum_block(loss);
    return kind == F0T_LOSS_LOGISTIC ? loss : loss / of.tags;
}

/* ---- Largest violations -------------------------------------------------------------------------- */

struct extreme {
    float score;
    unsigned tag;
};

__device__ inline extreme shuffle(const extreme &x, int far)
{
    return {__shfl_xor_sync(0xFFFFFFFFU, x.score, far), __shfl_xor_sync(0xFFFFFFFFU, x.tag, far)};
}

/* The largest of sign · score, the one of the lowest tag. */
__device__ inline extreme larger(const extreme &a, const extreme &b)
{
    return b.score > a.score || (b.score == a.score && b.tag < a.tag) ? b : a;
}

__device__ extreme find_extreme(const image &of, bool relevant)
{
    __shared__ extreme of_warp[WARPS];
    const float sign = relevant ? -1.0F : 1.0F;
    extreme best = {-INFINITY, 0xFFFFFFFFU};
    for (unsigned n = threadIdx.x; n < of.tags; n += THREADS)
        if (is_relevant(of, n) == relevant)
            best = larger(best, {sign * of.scores[n], n});
    for (int far = 16; far; far /= 2)
        best = larger(best, shuffle(best, far));
    __syncthreads();
    if (threadIdx.x % 32 == 0)
        of_warp[threadIdx.x / 32] = best;
    __syncthreads();
    for (int w = 0; w < WARPS; w++)
        best = larger(best, of_warp[w]);
    best.score *= sign;
    return best;
}

__device__ inline void clear_gradient(const image &of)
{
    for (unsigned n = threadIdx.x; n < of.tags; n += THREADS)
        of.gradient[n] = 0;
    __syncthreads();
}

__device__ double crammer_singer(const image &of)
{
    const extreme high = find_extreme(of, false);
    double loss = 0, active = 0;
    clear_gradient(of);
    for (unsigned i = threadIdx.x; i < of.count; i += THREADS) {
        const double bracket = 1 + (double)high.score - (double)of.scores[of.relevant[i]];
        if (bracket > 0) {
            loss += bracket;
            active++;
            of.gradient[of.relevant[i]] = -(float)of.scale;
        }
    }
    active = sum_block(active);
    if (threadIdx.x == 0)
        of.gradient[high.tag] = (float)(active * of.scale);
    return sum_block(loss);
}

__device__ double max_out(const image &of)
{
    const extreme high = find_extreme(of, false), low = find_extreme(of, true);
    const double bracket = 1 + (double)high.score - (double)low.score;
    clear_gradient(of);
    if (bracket <= 0)
        return 0;
    if (threadIdx.x == 0) {
        of.gradient[high.tag] = (float)of.scale;
        of.gradient[low.tag] = -(float)of.scale;
    }
    return bracket;
}

/* ---- ListMLE ------------------------------------------------------------------------------------ */

/* log(exp(a) + exp(b)); each may be -infinity. */
__device__ inline double log_add(double a, double b)
{
    const double high = fmax(a, b), low = fmin(a, b);
    return low == -INFINITY ? high : high + log1p(exp(low - high));
}

/* log Σ exp of the values of the lanes up to each one's own. */
__device__ inline double log_scan(double value)
{
    for (unsigned far = 1; far < 32; far *= 2) {
        const double before = __shfl_up_sync(0xFFFFFFFFU, value, far);
        if (threadIdx.x % 32 >= far)
            value = log_add(before, value);
    }
    return value;
}

/* By one warp: tails[i] = log of what choice i is among: itself, the relevant after it, and all irrelevant, which
 * come to `tail`. Returns the lane's part of the loss. */
__device__ inline double log_tails(double *tails, const image &of, double tail)
{
    double loss = 0;
    for (unsigned done = threadIdx.x; done - threadIdx.x < of.count; done += 32) {
        const bool is = done < of.count;
        const unsigned i = of.count - 1 - done;
        const double score = is ? (double)of.scores[of.relevant[i]] : -INFINITY;
        const double sum = log_add(tail, log_scan(score));
        if (is) {
            tails[i] = sum;
            loss += sum - score;
        }
        tail = __shfl_sync(0xFFFFFFFFU, sum, 31);
    }
    __syncwarp();
    return loss;
}

/* By one warp: tails[i] = log Σ exp(-tails) of the choices up to i; returns that of all. */
__device__ inline double log_choices(double *tails, unsigned count)
{
    double chosen = -INFINITY;
    for (unsigned i = threadIdx.x; i - threadIdx.x < count; i += 32) {
        const double sum = log_add(chosen, log_scan(i < count ? -tails[i] : -INFINITY));
        if (i < count)
            tails[i] = sum;
        chosen = __shfl_sync(0xFFFFFFFFU, sum, 31);
    }
    return chosen;
}

/* The relevant tags are in the order that was drawn (compute/loss_image.c has the sums). */
__device__ double listmle(const image &of, double *tails)
{
    __shared__ double all_chosen;
    const float high = find_extreme(of, false).score;
    double sum = 0, loss = 0;
    for (unsigned n = threadIdx.x; n < of.tags; n += THREADS)
        if (!is_relevant(of, n))
            sum += (double)expf(of.scores[n] - high);
    sum = sum_block(sum);
    if (threadIdx.x < 32) {
        loss = log_tails(tails, of, (double)high + log(sum));
        const double chosen = log_choices(tails, of.count);
        if (threadIdx.x == 0)
            all_chosen = chosen;
    }
    __syncthreads();
    const float factor = (float)(of.scale * exp((double)high + all_chosen));
    for (unsigned n = threadIdx.x; n < of.tags; n += THREADS)
        if (!is_relevant(of, n))
            of.gradient[n] = factor * expf(of.scores[n] - high);
    for (unsigned i = threadIdx.x; i < of.count; i += THREADS)
        of.gradient[of.relevant[i]] =
            (float)(of.scale * expm1((double)of.scores[of.relevant[i]] + tails[i]));
    return sum_block(loss);
}

/* ---- A batch ------------------------------------------------------------------------------------ */

__device__ double image_loss(const image &of, f0t_loss kind)
{
    const double pairs = (double)of.count * (double)(of.tags - of.count);
    switch (kind) {
    case F0T_LOSS_RANKNET:
        return ranknet(of, 1 / pairs);
    case F0T_LOSS_RANKNET_UNWEIGHTED:
        return ranknet(of, 1);
    case F0T_LOSS_CRAMMER_SINGER:
        return crammer_singer(of);
    case F0T_LOSS_MAX_OUT:
        return max_out(of);
    default:
        return pointwise(of, kind);
    }
}

static __host__ __device__ size_t words_of(size_t tags)
{
    return tags + (tags + 31) / 32;
}

/* IN_SHARED: in shared memory. ListMLE is a kernel of its own: it takes more registers. */
template <bool IN_SHARED, bool LISTMLE>
__global__ void __launch_bounds__(THREADS) batch_loss(f0t_loss kind, f0t_kernel_batch batch)
{
    extern __shared__ float shared[];
    image of;
    double loss = 0;
    float *own = IN_SHARED ? shared : batch.rows + blockIdx.x * words_of(batch.tags);
    const bool finite = load_image(&of, batch, own, (uint32_t *)(own + batch.tags));
    if (!finite)
        loss = NAN;
    else if (kind != F0T_LOSS_LOGISTIC && (!of.count || of.count == of.tags))
        clear_gradient(of);
    else if (LISTMLE)
        loss = listmle(of, batch.tails + batch.offsets[blockIdx.x]);
    else
        loss = image_loss(of, kind);
    if (threadIdx.x == 0)
        batch.losses[blockIdx.x] = loss;
}

/* What a block may have; the reductions take some. */
static size_t shared_most(void)
{
    int bytes = 0;
    (void)cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0);
    return bytes > 2048 ? (size_t)bytes - 2048 : 0;
}

static size_t shared_bytes(size_t tags)
{
    return words_of(tags) * sizeof(float);
}

size_t f0t_kernel_loss_rows(size_t images, size_t tags)
{
    return shared_bytes(tags) > shared_most() ? images * words_of(tags) : 0;
}

template <bool LISTMLE>
static cudaError_t run_loss(int loss, const f0t_kernel_batch *batch, cudaStream_t stream)
{
    static size_t prepared = 48 << 10;
    const size_t bytes = shared_bytes(batch->tags);
    if (batch->rows) {
        batch_loss<false, LISTMLE>
            <<<(unsigned)batch->images, THREADS, 0, stream>>>((f0t_loss)loss, *batch);
        return cudaGetLastError();
    }
    if (bytes > prepared) {
        cudaError_t error =
            cudaFuncSetAttribute(batch_loss<true, LISTMLE>,
                                 cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared_most());
        if (error != cudaSuccess)
            return error;
        prepared = shared_most();
    }
    batch_loss<true, LISTMLE>
        <<<(unsigned)batch->images, THREADS, bytes, stream>>>((f0t_loss)loss, *batch);
    return cudaGetLastError();
}

cudaError_t f0t_kernel_loss(int loss, const f0t_kernel_batch *batch, cudaStream_t stream)
{
    if (!batch->images)
        return cudaSuccess;
    return loss == F0T_LOSS_LISTMLE ? run_loss<true>(loss, batch, stream)
                                    : run_loss<false>(loss, batch, stream);
}

/* ---- Regression, and the losses of all images ------------------------------------------------------ */

__global__ void __launch_bounds__(THREADS)
    regression(float *gradient, double *losses, const float *outputs, const float *targets,
               size_t dims, float factor, const uint32_t *trains)
{
    const size_t row = (size_t)blockIdx.x * dims;
    double sum = 0;
    for (size_t i = threadIdx.x; i < dims; i += THREADS) {
        const float far = trains[blockIdx.x] ? outputs[row + i] - targets[row + i] : 0.0F;
        sum += (double)far * (double)far;
        gradient[row + i] = factor * far;
    }
    sum = sum_block(sum);
    if (threadIdx.x == 0)
        losses[blockIdx.x] = sum;
}

cudaError_t f0t_kernel_regression(float *gradient, double *losses, const float *outputs,
                                  const float *targets, size_t images, size_t dims, double scale,
                                  const uint32_t *trains, cudaStream_t stream)
{
    regression<<<(unsigned)images, THREADS, 0, stream>>>(gradient, losses, outputs, targets, dims,
                                                         (float)(2 * scale), trains);
    return cudaGetLastError();
}

__global__ void __launch_bounds__(THREADS)
    add_losses(f0t_kernel_losses *to, const double *losses, size_t images, double weight)
{
    double sum = 0;
    unsigned bad = 0xFFFFFFFFU;
    for (size_t m = threadIdx.x; m < images; m += THREADS) {
        sum += losses[m];
        if (!isfinite(losses[m]) && m < bad)
            bad = (unsigned)m;
    }
    sum = sum_block(sum);
    bad = least_block(bad);
    if (threadIdx.x != 0 || to->bad)
        return;
    if (bad != 0xFFFFFFFFU) {
        to->bad = (uint64_t)bad + 1;
        to->infinite = isinf(losses[bad]);
    } else {
        to->sum += weight * sum;
    }
}

cudaError_t f0t_kernel_loss_add(f0t_kernel_losses *to, const double *losses, size_t images,
                                double weight, cudaStream_t stream)
{
    add_losses<<<1, THREADS, 0, stream>>>(to, losses, images, weight);
    return cudaGetLastError();
}
