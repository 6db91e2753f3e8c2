/*
 * Products by cuBLASLt. Its matrices are column-major: a row-major C[m x n] = A·B is Cᵀ = Bᵀ·Aᵀ there, so that B comes
 * first, and what lies as n x k is to be transposed.
 *
 * A shape is prepared once: which kernel runs is cuBLASLt's first choice, never a matter of timing, so that every run
 * on a GPU takes the same. float32 is float32; it is rounded to TF32 only where the caller says `coarse`.
 */
#include "cuda/cuda.h"
#include "cuda/kernels.h"

#include <cublasLt.h>
#include <string.h>

enum { KEPT = 64 };
static const size_t WORKSPACE = (size_t)64 << 20;

/* A prepared product. */
typedef struct shape {
    f0t_matmul op;
    bool bias;
    size_t a_stride;
    cudaDataType_t bias_type; /* of what the kernel adds */
    cublasLtMatmulDesc_t product;
    cublasLtMatrixLayout_t a, b, c; /* cuBLASLt's A and B: ours exchanged */
    cublasLtMatmulAlgo_t algorithm;
} shape;

static cublasLtHandle_t handle;

static f0t_status check(cublasStatus_t status, const char *what)
{
    if (status == CUBLAS_STATUS_SUCCESS)
        return F0T_OK;
    if (status == CUBLAS_STATUS_ALLOC_FAILED)
        return f0t_cuda_check(cudaErrorMemoryAllocation, what);
    return f0t_cuda_failed(what, cublasLtGetStatusString(status), "cuBLASLt");
}

f0t_status f0t_cuda_product_open(void)
{
    return check(cublasLtCreate(&handle), "the start of cuBLASLt");
}

/* ---- Shapes ------------------------------------------------------------------------------------ */

static cudaDataType_t type_of(f0t_dtype type)
{
    return type == F0T_BF16 ? CUDA_R_16BF : CUDA_R_32F;
}

static f0t_status set(cublasLtMatmulDesc_t product, cublasLtMatmulDescAttributes_t attribute,
                      const void *value, size_t size)
{
    return check(cublasLtMatmulDescSetAttribute(product, attribute, value, size), "a product");
}

/* What lies as rows x cols in row-major order. */
static f0t_status set_layout(cublasLtMatrixLayout_t *out, cudaDataType_t type, size_t rows,
                             size_t cols, size_t stride)
{
    return check(
        cublasLtMatrixLayoutCreate(out, type, cols, rows, (int64_t)(stride ? stride : cols)),
        "a product");
}

static f0t_status set_epilogue(const shape *s)
{
    const cublasLtEpilogue_t epilogue = s->bias && s->op.relu ? CUBLASLT_EPILOGUE_RELU_BIAS
                                        : s->bias             ? CUBLASLT_EPILOGUE_BIAS
                                        : s->op.relu          ? CUBLASLT_EPILOGUE_RELU
                                                              : CUBLASLT_EPILOGUE_DEFAULT;
    F0T_TRY(set(s->product, CUBLASLT_MATMUL_DESC_EPILOGUE, &epilogue, sizeof epilogue));
    if (!s->bias)
        return F0T_OK;
    return set(s->product, CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE, &s->bias_type, sizeof s->bias_type);
}

static f0t_status describe(shape *s)
{
    const f0t_matmul *op = &s->op;
    const cublasOperation_t transposed = CUBLAS_OP_T;
    const cublasComputeType_t compute =
        op->coarse && op->type == F0T_F32 ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F;
    F0T_TRY(check(cublasLtMatmulDescCreate(&s->product, compute, CUDA_R_32F), "a product"));
    if (op->b_transposed)
        F0T_TRY(set(s->product, CUBLASLT_MATMUL_DESC_TRANSA, &transposed, sizeof transposed));
    if (op->a_transposed)
        F0T_TRY(set(s->product, CUBLASLT_MATMUL_DESC_TRANSB, &transposed, sizeof transposed));
    F0T_TRY(set_layout(&s->a, type_of(op->type), op->b_transposed ? op->n : op->k,
                       op->b_transposed ? op->k : op->n, 0));
    F0T_TRY(set_layout(&s->b, type_of(op->type), op->a_transposed ? op->k : op->m,
                       op->a_transposed ? op->m : op->k, s->a_stride));
    F0T_TRY(set_layout(&s->c, type_of(op->result), op->m, op->n, 0));
    return set_epilogue(s);
}

/* cuBLASLt's first choice, or CUBLAS_STATUS_NOT_SUPPORTED. */
static cublasStatus_t choose(shape *s)
{
    cublasLtMatmulPreference_t preference;
    cublasLtMatmulHeuristicResult_t found = {0};
    int count = 0;
    cublasStatus_t status = cublasLtMatmulPreferenceCreate(&preference);
    if (status != CUBLAS_STATUS_SUCCESS)
        return status;
    status = cublasLtMatmulPreferenceSetAttribute(
        preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &WORKSPACE, sizeof WORKSPACE);
    if (status == CUBLAS_STATUS_SUCCESS)
        status = cublasLtMatmulAlgoGetHeuristic(handle, s->product, s->a, s->b, s->c, s->c,
                                                preference, 1, &found, &count);
    (void)cublasLtMatmulPreferenceDestroy(preference);
    if (status == CUBLAS_STATUS_SUCCESS && !count)
        status = CUBLAS_STATUS_NOT_SUPPORTED;
    s->algorithm = found.algo;
    return status;
}

static void forget(shape *s)
{
    if (s->c)
        (void)cublasLtMatrixLayoutDestroy(s->c);
    if (s->b)
        (void)cublasLtMatrixLayoutDestroy(s->b);
    if (s->a)
        (void)cublasLtMatrixLayoutDestroy(s->a);
    if (s->product)
        (void)cublasLtMatmulDescDestroy(s->product);
    *s = (shape){0};
}

/* cuBLASLt adds a bias of the result's type: to bfloat16 a rounded one. */
static f0t_status prepare(shape *s, const f0t_matmul *op, bool bias, const f0t_cuda_way *way)
{
    *s = (shape){
        .op = *op, .bias = bias, .a_stride = way->a_stride, .bias_type = type_of(op->result)};
    F0T_TRY(describe(s));
    return check(choose(s), "the choice of a product");
}

static bool is_same(const f0t_matmul *x, const f0t_matmul *y)
{
    return x->m == y->m && x->n == y->n && x->k == y->k && x->type == y->type &&
           x->result == y->result && x->a_transposed == y->a_transposed &&
           x->b_transposed == y->b_transposed && x->accumulate == y->accumulate &&
           x->relu == y->relu && x->coarse == y->coarse;
}

static f0t_status find(shape **out, const f0t_matmul *op, bool bias, const f0t_cuda_way *way)
{
    static shape kept[KEPT];
    static size_t next;
    for (size_t i = 0; i < KEPT; i++)
        if (kept[i].product && kept[i].bias == bias && kept[i].a_stride == way->a_stride &&
            is_same(&kept[i].op, op)) {
            *out = &kept[i];
            return F0T_OK;
        }
    shape *s = &kept[next++ % KEPT];
    forget(s);
    *out = s;
    f0t_status status = prepare(s, op, bias, way);
    if (status != F0T_OK)
        forget(s);
    return status;
}

/* ---- Running ----------------------------------------------------------------------------------- */

static f0t_status set_bias(const shape *s, const float *bias, cudaStream_t stream)
{
    const void *added = bias;
    void *half;
    if (s->bias_type == CUDA_R_16BF) {
        F0T_TRY(f0t_cuda_scratch(&half, F0T_SCRATCH_BIAS, s->op.n * sizeof(uint16_t)));
        F0T_CUDA_TRY(f0t_kernel_to_bf16(half, bias, s->op.n, stream), "a product");
        added = half;
    }
    return set(s->product, CUBLASLT_MATMUL_DESC_BIAS_POINTER, &added, sizeof added);
}

f0t_status f0t_cuda_multiply(void *c, const void *a, const void *b, const float *bias,
                             const f0t_matmul *op, const f0t_cuda_way *way)
{
    const float one = 1, factor = op->accumulate ? 1 : 0;
    shape *s;
    void *workspace;
    if (!op->m || !op->n)
        return F0T_OK;
    if (!op->k)
        return f0t_cuda_check(f0t_kernel_no_product(c, op->result == F0T_BF16, bias, op->m, op->n,
                                                    op->accumulate, op->relu, way->stream),
                              "a product");
    F0T_TRY(find(&s, op, bias != NULL, way));
    if (bias)
        F0T_TRY(set_bias(s, bias, way->stream));
    F0T_TRY(f0t_cuda_scratch(
        &workspace, way->stream == f0t_cuda_aside ? F0T_SCRATCH_PRODUCT_ASIDE : F0T_SCRATCH_PRODUCT,
        WORKSPACE));
    return check(cublasLtMatmul(handle, s->product, &one, b, s->a, a, s->b, &factor, c, s->c, c,
                                s->c, &s->algorithm, workspace, WORKSPACE, way->stream),
                 "a product");
}

f0t_status f0t_cuda_product_reserve(void)
{
    void *unused;
    return f0t_cuda_scratch(&unused, F0T_SCRATCH_PRODUCT_ASIDE, WORKSPACE);
}

f0t_status f0t_cuda_product(f0t_buffer *c, const f0t_buffer *a, const f0t_buffer *b,
                            const f0t_buffer *bias, const f0t_matmul *op)
{
    F0T_CUDA_ENTER();
    F0T_TRY(f0t_cuda_capture());
    f0t_matmul own = *op;
    if (b->packed)
        own.b_transposed = f0t_cuda_packed_transposed(b);
    return f0t_cuda_multiply(c->data, a->data, b->data, bias ? bias->data : NULL, &own,
                             &(f0t_cuda_way){.stream = f0t_cuda_stream});
}
