/*
 * A weight's gradient with the optimiser in its epilogue, for Hopper (compute capability 9.0): w[outputs x inputs] by
 * dyᵀ · x in bfloat16. The gradient never leaves the registers; what moves through memory is w and its moments, once.
 *
 * A block has two warpgroups that compute and one that fetches. Each of the two has a tile of its own, M x N: while
 * one updates what it multiplied, which is all memory, the other multiplies. Two blocks make a cluster whose tiles lie
 * below each other: they share what they need of x, of which each fetches a half for both.
 *
 * Operands lie in shared memory as the tensor cores read them where rows are the contracted dimension: chunks of 64
 * columns (128 bytes, swizzled), below each other K rows.
 */
#include "cuda/device.cuh"

#include <cuda.h>
#include <cudaTypedefs.h>

enum { M = 128, N = 128, K = 64, STAGES = 4, CLUSTER = 2 };
enum { GROUP = 128, THREADS = 3 * GROUP }; /* of a warpgroup, and of a block */
enum { CHUNK_COLS = 64, CHUNK = CHUNK_COLS * K * 2, OPERAND = 2 * CHUNK, STAGE = 2 * OPERAND };
enum { FETCH_REGISTERS = 24, COMPUTE_REGISTERS = 240 };

/* ---- Barriers in shared memory ------------------------------------------------------------------- */

__device__ inline uint32_t shared_address(const void *of)
{
    return (uint32_t)__cvta_generic_to_shared(of);
}

__device__ inline void barrier_init(uint64_t *barrier, unsigned arrivals)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(barrier)),
                 "r"(arrivals));
}

__device__ inline void barrier_expect(uint64_t *barrier, unsigned bytes)
{
    asm volatile(
        "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(barrier)),
        "r"(bytes)
        : "memory");
}

/* At the barrier of a block of the cluster. */
__device__ inline void barrier_arrive(uint64_t *barrier, unsigned block)
{
    asm volatile("{\n"
                 ".reg .b32 there;\n"
                 "mapa.shared::cluster.u32 there, %0, %1;\n"
                 "mbarrier.arrive.shared::cluster.b64 _, [there];\n"
                 "}" ::"r"(shared_address(barrier)),
                 "r"(block)
                 : "memory");
}

__device__ inline void barrier_wait(uint64_t *barrier, unsigned parity)
{
    unsigned done = 0;
    while (!done)
        asm volatile("{\n"
                     ".reg .pred p;\n"
                     "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n"
                     "selp.u32 %0, 1, 0, p;\n"
                     "}"
                     : "=r"(done)
                     : "r"(shared_address(barrier)), "r"(parity)
                     : "memory");
}

__device__ inline void cluster_sync()
{
    asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::
                     : "memory");
}

__device__ inline unsigned rank_in_cluster()
{
    unsigned rank;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}

/* ---- Fetching ------------------------------------------------------------------------------------ */

/* Operands are read often: they are to stay in the cache. */
static const uint64_t KEEP = 0x14F0000000000000;

/* A chunk to the same place of every block of `mask`. */
__device__ inline void fetch(void *to, const CUtensorMap *map, unsigned col, unsigned row,
                             uint64_t *barrier, uint16_t mask)
{
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes."
                 "multicast::cluster.L2::cache_hint [%0], [%1, {%2, %3}], [%4], %5, %6;" ::"r"(
                     shared_address(to)),
                 "l"(map), "r"(col), "r"(row), "r"(shared_address(barrier)), "h"(mask), "l"(KEEP)
                 : "memory");
}

struct stages {
    unsigned char *data;
    uint64_t *full, *empty;
};

/* The tiles of a weight: those of a cluster, one below the other, have one number. */
struct tiling {
    unsigned count, across, blocks; /* and how many times K rows there are */
};

__device__ inline void fetch_all(const stages &s, const tiling &tiles, const CUtensorMap *dy,
                                 const CUtensorMap *x)
{
    const unsigned rank = rank_in_cluster();
    unsigned at = 0;
    for (unsigned tile = blockIdx.x / CLUSTER; tile < tiles.count; tile += gridDim.x / CLUSTER) {
        const unsigned row = (tile / tiles.across * CLUSTER + rank) * M;
        const unsigned col = tile % tiles.across * N + rank * CHUNK_COLS;
        for (unsigned k = 0; k < tiles.blocks; k++, at++) {
            const unsigned stage = at % STAGES;
            unsigned char *to = s.data + stage * STAGE;
            barrier_wait(&s.empty[stage], (at / STAGES & 1) ^ 1);
            barrier_expect(&s.full[stage], STAGE);
            fetch(to, dy, row, k * K, &s.full[stage], (uint16_t)(1U << rank));
            fetch(to + CHUNK, dy, row + CHUNK_COLS, k * K, &s.full[stage], (uint16_t)(1U << rank));
            fetch(to + OPERAND + rank * CHUNK, x, col, k * K, &s.full[stage], (1U << CLUSTER) - 1);
        }
    }
}

/* ---- Multiplying --------------------------------------------------------------------------------- */

/* Where an operand lies, for the tensor cores: chunks are CHUNK bytes from each other, eight rows 1024. */
__device__ inline uint64_t operand_at(const void *data)
{
    return (uint64_t)(shared_address(data) >> 4 & 0x3FFF) | (uint64_t)(CHUNK >> 4) << 16 |
           (uint64_t)(1024 >> 4) << 32 | (uint64_t)1 << 62;
}

#define F0T_FOUR(d, i) "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3])
#define F0T_SIXTEEN(d, i) \
    F0T_FOUR(d, i), F0T_FOUR(d, i + 4), F0T_FOUR(d, i + 8), F0T_FOUR(d, i + 12)

/* sum[64 x N] += or = a[16 x 64]ᵀ · b[16 x N] */
__device__ inline void multiply(float (&sum)[64], uint64_t a, uint64_t b, int adds)
{
    asm volatile("{\n"
                 ".reg .pred p;\n"
                 "setp.ne.b32 p, %66, 0;\n"
                 "wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 "
                 "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
                 "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
                 "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
                 "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63}, "
                 "%64, %65, p, 1, 1, 1, 1;\n"
                 "}"
                 : F0T_SIXTEEN(sum, 0), F0T_SIXTEEN(sum, 16), F0T_SIXTEEN(sum, 32),
                   F0T_SIXTEEN(sum, 48)
                 : "l"(a), "l"(b), "r"(adds));
}

__device__ inline void multiply_begin()
{
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}

__device__ inline void multiply_end()
{
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}

template <int UNDER_WAY> __device__ inline void multiply_wait()
{
    asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(UNDER_WAY) : "memory");
}

/* All blocks of the cluster may write there again. */
__device__ inline void release(const stages &s, unsigned at)
{
    if (threadIdx.x % GROUP < CLUSTER)
        barrier_arrive(&s.empty[at % STAGES], threadIdx.x % GROUP);
}

/* The groups multiply in turns: a barrier of a stage tells apart no more than two uses of it that follow each other, so
 * that a group may look at it only when the other has. */
__device__ inline void turn_wait(unsigned group)
{
    asm volatile("barrier.sync %0, %1;" ::"r"(1 + group), "n"(2 * (int)GROUP) : "memory");
}

__device__ inline void turn_give(unsigned group)
{
    asm volatile("barrier.arrive %0, %1;" ::"r"(1 + group), "n"(2 * (int)GROUP) : "memory");
}

/* The sums are in the registers from here on, for the compiler too. */
__device__ inline void settle(float (&sum)[2][64])
{
#pragma unroll
    for (int half = 0; half < 2; half++)
#pragma unroll
        for (int i = 0; i < 64; i++)
            asm volatile("" : "+f"(sum[half][i])::"memory");
}

/* The gradient of a tile, whose first stage is `at`. */
__device__ inline void multiply_tile(float (&sum)[2][64], const stages &s, unsigned at,
                                     unsigned blocks)
{
    for (unsigned k = 0; k < blocks; k++, at++) {
        const unsigned char *data = s.data + at % STAGES * STAGE;
        const uint64_t a = operand_at(data), b = operand_at(data + OPERAND);
        barrier_wait(&s.full[at % STAGES], at / STAGES & 1);
        multiply_begin();
#pragma unroll
        for (int part = 0; part < K / 16; part++)
#pragma unroll
            for (int half = 0; half < 2; half++)
                multiply(sum[half], a + (half * CHUNK + part * 2048) / 16, b + part * 2048 / 16,
                         k || part);
        multiply_end();
        multiply_wait<1>();
        if (k)
            release(s, at - 1);
    }
    multiply_wait<0>();
    settle(sum);
    release(s, at - 1);
}

/* ---- Updating ------------------------------------------------------------------------------------ */

/*
 * A warp has 16 rows of each half of the tile. Its sums go through shared memory of its own, so that it reads and writes
 * whole rows of the tile: N weights, four of a lane. Rows are padded, so that what is written falls into all banks.
 */
enum { ROWS = 16, PADDED = N + 8, STAGING = ROWS * PADDED };

struct four {
    float4 w, m, v;
};

struct place {
    unsigned row, col, outputs, inputs; /* of the warp's first row, and of the lane's weights */
};

/* Of the warp's row i, counted over both halves. */
__device__ inline unsigned row_of(const place &at, unsigned i)
{
    return at.row + i / ROWS * 64 + i % ROWS;
}

__device__ inline bool has(const place &at, unsigned i)
{
    return i < 2 * ROWS && row_of(at, i) < at.outputs && at.col < at.inputs;
}

template <bool ADAM>
__device__ inline void load_row(four *to, const f0t_kernel_parameters &p, const place &at,
                                unsigned i)
{
    if (!has(at, i))
        return;
    const unsigned first = row_of(at, i) * at.inputs + at.col;
    to->w = __ldcg((const float4 *)(p.w + first));
    to->m = __ldcg((const float4 *)(p.m + first));
    if (ADAM)
        to->v = __ldcg((const float4 *)(p.v + first));
}

template <bool ADAM>
__device__ inline void update_row(four *x, const float *gradient, const f0t_kernel_parameters &p,
                                  const f0t_kernel_update &factors, const place &at, unsigned i)
{
    if (!has(at, i))
        return;
    const unsigned first = row_of(at, i) * at.inputs + at.col;
    const float4 g = *(const float4 *)gradient;
    f0t_update_four<ADAM>(&x->w, &x->m, &x->v, g, factors);
    __stcg((float4 *)(p.w + first), x->w);
    __stcg((float4 *)(p.m + first), x->m);
    if (ADAM)
        __stcg((float4 *)(p.v + first), x->v);
    if (p.half)
        *(uint2 *)(p.half + first) = f0t_narrow_four(x->w);
}

/* A lane has, of every 8 columns, 2 of two rows. */
__device__ inline void stage_sums(float *staging, const float (&sum)[64])
{
    const unsigned lane = threadIdx.x % 32;
    float *to = staging + lane / 4 * PADDED + lane % 4 * 2;
    __syncwarp();
#pragma unroll
    for (int j = 0; j < N / 8; j++) {
        *(float2 *)(to + j * 8) = make_float2(sum[j * 4], sum[j * 4 + 1]);
        *(float2 *)(to + 8 * PADDED + j * 8) = make_float2(sum[j * 4 + 2], sum[j * 4 + 3]);
    }
    __syncwarp();
}

enum { RING = 4 }; /* rows that are on their way */

template <bool ADAM>
__device__ inline void load_first(four (&ring)[RING], const f0t_kernel_parameters &p,
                                  const place &at)
{
#pragma unroll
    for (unsigned i = 0; i < RING; i++)
        load_row<ADAM>(&ring[i], p, at, i);
}

template <bool ADAM>
__device__ inline void update_tile(four (&ring)[RING], const float (&sum)[2][64], float *staging,
                                   const f0t_kernel_parameters &p, const f0t_kernel_update &factors,
                                   const place &at)
{
    const float *gradient = staging + threadIdx.x % 32 * 4;
#pragma unroll
    for (unsigned half = 0; half < 2; half++) {
        stage_sums(staging, sum[half]);
#pragma unroll 1
        for (unsigned row = 0; row < ROWS; row += RING)
#pragma unroll
            for (unsigned k = 0; k < RING; k++) {
                const unsigned i = half * ROWS + row + k;
                update_row<ADAM>(&ring[k], gradient + (row + k) * PADDED, p, factors, at, i);
                load_row<ADAM>(&ring[k], p, at, i + RING);
            }
    }
}

template <bool ADAM>
__device__ inline void compute_all(const stages &s, const tiling &tiles,
                                   const f0t_kernel_parameters &p, const f0t_kernel_update &factors,
                                   float *staging, unsigned outputs, unsigned inputs)
{
    const unsigned group = threadIdx.x / GROUP - 1, warp = threadIdx.x % GROUP / 32;
    const unsigned lane = threadIdx.x % 32, clusters = gridDim.x / CLUSTER;
    const unsigned rank = rank_in_cluster();
    unsigned turn = group;
    for (unsigned tile = blockIdx.x / CLUSTER + group * clusters; tile < tiles.count;
         tile += 2 * clusters, turn += 2) {
        float sum[2][64];
        four ring[RING];
        const place at = {(tile / tiles.across * CLUSTER + rank) * M + warp * ROWS,
                          tile % tiles.across * N + lane * 4, outputs, inputs};
        load_first<ADAM>(ring, p, at);
        if (turn)
            turn_wait(group);
        multiply_tile(sum, s, turn * tiles.blocks, tiles.blocks);
        if (tile + clusters < tiles.count)
            turn_give(1 - group);
        update_tile<ADAM>(ring, sum, staging + (group * 4 + warp) * STAGING, p, factors, at);
    }
}

/* ---- A weight ------------------------------------------------------------------------------------ */

/* The stages, the memory of all warps that compute, and what aligns them. */
enum { SHARED = STAGES * STAGE + 8 * STAGING * (int)sizeof(float) + 1024 };

template <bool ADAM>
__global__ void __cluster_dims__(CLUSTER, 1, 1) __launch_bounds__(THREADS, 1)
    descend(const __grid_constant__ CUtensorMap dy, const __grid_constant__ CUtensorMap x,
            f0t_kernel_parameters p, f0t_kernel_update factors, unsigned outputs, unsigned inputs,
            tiling tiles)
{
    extern __shared__ unsigned char memory[];
    __shared__ uint64_t full[STAGES], empty[STAGES];
    const uint32_t skipped = (1024 - shared_address(memory) % 1024) % 1024;
    const stages s = {memory + skipped, full, empty};
    float *staging = (float *)(s.data + STAGES * STAGE);
    if (threadIdx.x == 0) {
        for (int i = 0; i < STAGES; i++) {
            barrier_init(&full[i], 1);
            barrier_init(&empty[i], CLUSTER);
        }
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    cluster_sync();
    if (threadIdx.x < GROUP) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"((int)FETCH_REGISTERS));
        if (threadIdx.x == 0)
            fetch_all(s, tiles, &dy, &x);
    } else {
        asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"((int)COMPUTE_REGISTERS));
        compute_all<ADAM>(s, tiles, p, factors, staging, outputs, inputs);
    }
    __syncwarp();
    cluster_sync(); /* what is fetched for the other block arrives before this one ends */
}

/* The driver's function: the module is not linked with the driver. */
static cudaError_t find_encoder(PFN_cuTensorMapEncodeTiled_v12000 *out)
{
    static PFN_cuTensorMapEncodeTiled_v12000 found;
    cudaDriverEntryPointQueryResult result;
    void *function = NULL;
    if (!found) {
        const cudaError_t error = cudaGetDriverEntryPointByVersion(
            "cuTensorMapEncodeTiled", &function, 12000, cudaEnableDefault, &result);
        if (error != cudaSuccess)
            return error;
        if (result != cudaDriverEntryPointSuccess)
            return cudaErrorNotSupported;
        found = (PFN_cuTensorMapEncodeTiled_v12000)function;
    }
    *out = found;
    return cudaSuccess;
}

/* A matrix of rows x cols, fetched in chunks; what is beyond it is 0. */
static cudaError_t describe(CUtensorMap *out, const uint16_t *data, size_t rows, size_t cols)
{
    const cuuint64_t sizes[2] = {cols, rows}, stride = cols * sizeof *data;
    const cuuint32_t box[2] = {CHUNK_COLS, K}, steps[2] = {1, 1};
    PFN_cuTensorMapEncodeTiled_v12000 encode;
    const cudaError_t error = find_encoder(&encode);
    if (error != cudaSuccess)
        return error;
    return encode(out, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2, (void *)data, sizes, &stride, box,
                  steps, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
                  CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
                  CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS
               ? cudaSuccess
               : cudaErrorInvalidValue;
}

/* Numbers are counted in 32 bits. */
static const size_t MOST = 1U << 31;

bool f0t_kernel_descends(size_t rows, size_t outputs, size_t inputs)
{
    static int major, minor;
    if (!major) {
        (void)cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, 0);
        (void)cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0);
    }
    return major == 9 && minor == 0 && rows && outputs && inputs && outputs % 8 == 0 &&
           inputs % 8 == 0 && rows <= MOST && outputs <= MOST / inputs;
}

static size_t pieces(size_t n, size_t each)
{
    return (n + each - 1) / each;
}

template <bool ADAM>
static cudaError_t run(const CUtensorMap *dy, const CUtensorMap *x, const f0t_kernel_parameters *p,
                       const f0t_kernel_update *factors, size_t outputs, size_t inputs,
                       const tiling *tiles, cudaStream_t stream)
{
    static int processors;
    cudaError_t error = cudaSuccess;
    if (!processors) {
        error = cudaFuncSetAttribute(descend<ADAM>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                     SHARED);
        if (error == cudaSuccess)
            error = cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0);
        if (error != cudaSuccess)
            return error;
    }
    const unsigned most = (unsigned)processors / CLUSTER;
    const unsigned clusters = tiles->count < most ? tiles->count : most;
    descend<ADAM><<<clusters * CLUSTER, THREADS, SHARED, stream>>>(
        *dy, *x, *p, *factors, (unsigned)outputs, (unsigned)inputs, *tiles);
    return cudaGetLastError();
}

cudaError_t f0t_kernel_descend(const f0t_kernel_parameters *p, const uint16_t *dy,
                               const uint16_t *x, size_t rows, size_t outputs, size_t inputs,
                               const f0t_kernel_update *factors, cudaStream_t stream)
{
    const size_t across = pieces(inputs, N), count = pieces(outputs, CLUSTER * M) * across;
    const tiling tiles = {(unsigned)count, (unsigned)across, (unsigned)pieces(rows, K)};
    CUtensorMap left, right;
    cudaError_t error = describe(&left, dy, rows, outputs);
    if (error == cudaSuccess)
        error = describe(&right, x, rows, inputs);
    if (error != cudaSuccess)
        return error;
    return factors->adam ? run<true>(&left, &right, p, factors, outputs, inputs, &tiles, stream)
                         : run<false>(&left, &right, p, factors, outputs, inputs, &tiles, stream);
}
