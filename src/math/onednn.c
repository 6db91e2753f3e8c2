/*
 * Products by oneDNN: its C interface, version 2 (Debian 12 has 2.6). The other file that touches it is
 * layers.c.
 *
 * Version 3 differs from what stands in the two in four points. There are no operation descriptors: each
 * dnnl_X_desc_init followed by dnnl_primitive_desc_create becomes one dnnl_X_primitive_desc_create
 * with the attributes at the end. dnnl_memory_desc_t is a handle, made by
 * dnnl_memory_desc_create_with_tag and freed by dnnl_memory_desc_destroy. The appenders of post-ops
 * take other arguments (sum: zero point and type; eltwise: no scale). Primitive descriptors are
 * asked for layouts by the same queries, and return handles.
 */
#include "math/onednn.h"

#include "base/alloc.h"
#include "base/hash.h"
#include "base/team.h"
#include "math/dots.h"
#include "math/panels.h"
#include "math/tiles.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* ---- Errors, the engine, descriptors --------------------------------------------------------- */

f0t_status f0t_onednn_status(dnnl_status_t status, const char *what)
{
    switch (status) {
    case dnnl_success:
        return F0T_OK;
    case dnnl_out_of_memory:
        return f0t_fail(F0T_ERROR_MEMORY, "oneDNN has no memory to %s", what);
    case dnnl_unimplemented:
        return f0t_fail(F0T_ERROR_UNSUPPORTED, "oneDNN cannot %s on this CPU", what);
    default:
        return f0t_fail(F0T_ERROR_INTERNAL, "oneDNN fails to %s (status %d)", what, (int)status);
    }
}

static dnnl_engine_t engine;
static dnnl_status_t engine_status;

/* Products and convolutions of oneDNN 2.6 on AMX tiles end in illegal instructions and damaged memory
 * (tilezero on a thread that has no tile configuration), so that it has none, unless the
 * environment names a level itself: math/tiles.c has them. Where another user of oneDNN came first, its choice stands. */
static void create_engine(void)
{
    if (!getenv("ONEDNN_MAX_CPU_ISA") && !getenv("DNNL_MAX_CPU_ISA"))
        dnnl_set_max_cpu_isa(dnnl_cpu_isa_avx512_core_bf16);
    engine_status = dnnl_engine_create(&engine, dnnl_cpu, 0);
}

static f0t_status need_engine(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, create_engine);
    return f0t_onednn_status(engine_status, "start its CPU engine");
}

f0t_status f0t_onednn_engine(dnnl_engine_t *out)
{
    F0T_TRY(need_engine());
    *out = engine;
    return F0T_OK;
}

/* With AVX-512 but without its bfloat16 instructions oneDNN emulates them, three times slower than
 * float32. */
bool f0t_matmul_has_bf16(void)
{
    const int needed = dnnl_cpu_isa_avx512_core_bf16;
    return need_engine() == F0T_OK && ((int)dnnl_get_effective_cpu_isa() & needed) == needed;
}

bool f0t_matmul_bf16_native(void)
{
    return f0t_matmul_has_bf16() && (f0t_tiles_native() || f0t_dots_are_fast());
}

/* Up to so many rows a core waits for the matrix, which is half as large in bfloat16, also where its products are slow. No
 * fewer than the pictures that a network runs together (DENSE_GROUP_MOST in onnx/network.c), so that a classifier's do not depend on how many they are. */
enum { FEW_ROWS = 8 };

bool f0t_matmul_bf16_pays(size_t rows)
{
    return f0t_matmul_bf16_native() || (rows <= FEW_ROWS && f0t_matmul_has_bf16());
}

/* A rows x cols matrix; dnnl_ab is row-major, dnnl_ba its transpose in memory. */
static f0t_status describe(dnnl_memory_desc_t *out, size_t rows, size_t cols, f0t_dtype type,
                           dnnl_format_tag_t tag)
{
    dnnl_dims_t dims = {(dnnl_dim_t)rows, (dnnl_dim_t)cols};
    DNN_TRY(dnnl_memory_desc_init_by_tag(out, 2, dims, f0t_onednn_data_type(type), tag),
            "describe a matrix");
    return F0T_OK;
}

/* ---- Plans ----------------------------------------------------------------------------------- */

enum { ARG_A, ARG_B, ARG_C, ARG_SCRATCH, ARG_BIAS, ARGS };

struct f0t_plan {
    dnnl_primitive_desc_t desc;
    dnnl_primitive_t primitive;
    dnnl_stream_t stream;
    dnnl_memory_desc_t b_layout;
    bool packed;
    size_t scratch;
    int count;
    dnnl_exec_arg_t args[ARGS];
};

/* The kernels of oneDNN's primitives differ in speed although they compute the same. With A
 * transposed (a weight gradient dyᵀ·x) the backward passes of inner_product are 9 to 18 % faster
 * than matmul for large plain matrices, and up to 15 % without transposition (a data gradient dy·W).
 * Below LARGE, a weight gradient's k (the images of a mini-batch) below DEEP, and with anything but A·B,
 * matmul is the better one. A single row times a plain Wᵀ (one picture) reads W once in inner_product's
 * forward pass; matmul copies it, 2 to 3 times slower. docs/performance.md has the figures. */
enum { LARGE = 512, DEEP = 250 };

typedef enum product_kind { KIND_MATMUL, KIND_FORWARD, KIND_WEIGHTS, KIND_DATA } product_kind;

static product_kind choose_kind(const f0t_matmul *op, bool bias, bool packed)
{
    bool large = op->m >= LARGE && op->n >= LARGE && op->k >= (op->a_transposed ? DEEP : LARGE);
    if (op->m == 1 && op->b_transposed && !packed)
        return KIND_FORWARD;
    if (!large || packed || bias || op->relu || op->accumulate || op->b_transposed)
        return KIND_MATMUL;
    return op->a_transposed ? KIND_WEIGHTS : KIND_DATA;
}

/* Which argument of the primitive A, B and C are. */
static const int roles[][3] = {
    [KIND_MATMUL] = {DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_DST},
    [KIND_FORWARD] = {DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_DST},
    [KIND_WEIGHTS] = {DNNL_ARG_DIFF_DST, DNNL_ARG_SRC, DNNL_ARG_DIFF_WEIGHTS},
    [KIND_DATA] = {DNNL_ARG_DIFF_DST, DNNL_ARG_WEIGHTS, DNNL_ARG_DIFF_SRC},
};

static f0t_status fill_attributes(dnnl_primitive_attr_t attr, const f0t_matmul *op)
{
    dnnl_post_ops_t after;
    DNN_TRY(dnnl_primitive_attr_set_scratchpad_mode(attr, dnnl_scratchpad_mode_user),
            "take scratch memory from its caller");
    DNN_TRY(dnnl_post_ops_create(&after), "prepare a product");
    dnnl_status_t status = dnnl_success;
    if (op->accumulate)
        status = dnnl_post_ops_append_sum(after, 1.0F);
    if (status == dnnl_success && op->relu)
        status = dnnl_post_ops_append_eltwise(after, 1.0F, dnnl_eltwise_relu, 0.0F, 0.0F);
    if (status == dnnl_success)
        status = dnnl_primitive_attr_set_post_ops(attr, after);
    dnnl_post_ops_destroy(after);
    return f0t_onednn_status(status, "add or clip inside a product");
}

static f0t_status desc_matmul(f0t_plan *plan, const f0t_matmul *op, bool bias,
                              const dnnl_memory_desc_t *b, dnnl_primitive_attr_t attr)
{
    dnnl_memory_desc_t a, c, bias_desc;
    dnnl_matmul_desc_t desc;
    F0T_TRY(describe(&a, op->m, op->k, op->type, op->a_transposed ? dnnl_ba : dnnl_ab));
    F0T_TRY(describe(&c, op->m, op->n, op->result, dnnl_ab));
    F0T_TRY(describe(&bias_desc, 1, op->n, F0T_F32, dnnl_ab));
    DNN_TRY(dnnl_matmul_desc_init(&desc, &a, b, bias ? &bias_desc : NULL, &c),
            "describe a product");
    DNN_TRY(dnnl_primitive_desc_create(&plan->desc, &desc, attr, engine, NULL),
            "prepare a product");
    return F0T_OK;
}

/* C = A·Bᵀ as a forward pass y[batch x out] = x[batch x in]·Wᵀ[out x in] + bias. */
static f0t_status desc_forward(dnnl_primitive_desc_t *out, const f0t_matmul *op, bool bias,
                               dnnl_primitive_attr_t attr)
{
    dnnl_memory_desc_t x, w, y, bias_desc;
    dnnl_inner_product_desc_t desc;
    dnnl_dims_t length = {(dnnl_dim_t)op->n};
    F0T_TRY(describe(&x, op->m, op->k, op->type, dnnl_ab));
    F0T_TRY(describe(&w, op->n, op->k, op->type, dnnl_ab));
    F0T_TRY(describe(&y, op->m, op->n, op->result, dnnl_ab));
    DNN_TRY(dnnl_memory_desc_init_by_tag(&bias_desc, 1, length, dnnl_f32, dnnl_a),
            "describe a bias");
    DNN_TRY(dnnl_inner_product_forward_desc_init(&desc, dnnl_forward_training, &x, &w,
                                                 bias ? &bias_desc : NULL, &y),
            "describe a product");
    DNN_TRY(dnnl_primitive_desc_create(out, &desc, attr, engine, NULL), "prepare a product");
    return F0T_OK;
}

/* C = Aᵀ·B is dW[out x in] = dyᵀ[out x batch]·x[batch x in], and C = A·B is dx[batch x in] =
 * dy[batch x out]·W[out x in]: A is dy in both. */
static f0t_status init_backward(dnnl_inner_product_desc_t *desc, const f0t_matmul *op)
{
    dnnl_memory_desc_t a, b, c;
    bool weights = op->a_transposed;
    F0T_TRY(describe(&a, weights ? op->k : op->m, weights ? op->m : op->k, op->type, dnnl_ab));
    F0T_TRY(describe(&b, op->k, op->n, op->type, dnnl_ab));
    F0T_TRY(describe(&c, op->m, op->n, op->result, dnnl_ab));
    dnnl_status_t status =
        weights ? dnnl_inner_product_backward_weights_desc_init(desc, &b, &c, NULL, &a)
                : dnnl_inner_product_backward_data_desc_init(desc, &c, &b, &a);
    return f0t_onednn_status(status, "describe a product");
}

/* oneDNN asks for the forward pass as well. */
static f0t_status desc_backward(f0t_plan *plan, const f0t_matmul *op, dnnl_primitive_attr_t attr)
{
    dnnl_inner_product_desc_t desc;
    dnnl_primitive_desc_t hint = NULL;
    f0t_matmul forward = {.m = op->a_transposed ? op->k : op->m,
                          .n = op->a_transposed ? op->m : op->k,
                          .k = op->n,
                          .type = op->type,
                          .result = op->type};
    F0T_TRY(init_backward(&desc, op));
    F0T_TRY(desc_forward(&hint, &forward, false, NULL));
    dnnl_status_t status = dnnl_primitive_desc_create(&plan->desc, &desc, attr, engine, hint);
    dnnl_primitive_desc_destroy(hint);
    return f0t_onednn_status(status, "prepare a product");
}

static f0t_status create_desc(f0t_plan *plan, const f0t_matmul *op, bool bias, product_kind kind)
{
    dnnl_primitive_attr_t attr;
    DNN_TRY(dnnl_primitive_attr_create(&attr), "prepare a product");
    f0t_status status = fill_attributes(attr, op);
    if (status == F0T_OK)
        status = kind == KIND_MATMUL    ? desc_matmul(plan, op, bias, &plan->b_layout, attr)
                 : kind == KIND_FORWARD ? desc_forward(&plan->desc, op, bias, attr)
                                        : desc_backward(plan, op, attr);
    dnnl_primitive_attr_destroy(attr);
    return status;
}

static f0t_status add_argument(f0t_plan *plan, int role)
{
    dnnl_exec_arg_t *arg = &plan->args[plan->count];
    const dnnl_memory_desc_t *layout =
        dnnl_primitive_desc_query_md(plan->desc, dnnl_query_exec_arg_md, role);
    DNN_TRY(dnnl_memory_create(&arg->memory, layout, engine, DNNL_MEMORY_NONE),
            "describe an argument");
    arg->arg = role;
    plan->count++;
    return F0T_OK;
}

/* In the order of ARG_A … ARG_BIAS: a run sets the addresses by position. */
static f0t_status add_arguments(f0t_plan *plan, product_kind kind, bool bias)
{
    for (int i = ARG_A; i <= ARG_C; i++)
        F0T_TRY(add_argument(plan, roles[kind][i]));
    F0T_TRY(add_argument(plan, DNNL_ARG_SCRATCHPAD));
    if (bias)
        F0T_TRY(add_argument(plan, DNNL_ARG_BIAS));
    plan->scratch = dnnl_memory_desc_get_size(
        dnnl_primitive_desc_query_md(plan->desc, dnnl_query_scratchpad_md, 0));
    return F0T_OK;
}

static f0t_status fill_plan(f0t_plan *plan, const f0t_matmul *op, bool bias)
{
    product_kind kind = choose_kind(op, bias, plan->packed);
    F0T_TRY(create_desc(plan, op, bias, kind));
    DNN_TRY(dnnl_primitive_create(&plan->primitive, plan->desc), "compile a product");
    DNN_TRY(dnnl_stream_create(&plan->stream, engine, dnnl_stream_default_flags), "open a stream");
    return add_arguments(plan, kind, bias);
}

struct f0t_packed {
    size_t k, n;
    f0t_dtype type; /* as asked for */
    f0t_dtype held; /* in memory */
    bool tiles;     /* laid out for math/tiles.h instead of oneDNN */
    bool panels;    /* or for math/panels.h */
    dnnl_memory_desc_t layout;
    void *data;
    size_t bytes;
    const void *lent; /* instead of `data`, or NULL */
};

f0t_status f0t_plan_create(f0t_plan **out, const f0t_matmul *op, bool bias,
                           const f0t_packed *packed)
{
    *out = NULL;
    F0T_TRY(need_engine());
    f0t_plan *plan;
    F0T_TRY(f0t_alloc_zero(&plan, 1, sizeof *plan));
    plan->packed = packed != NULL;
    f0t_status status = F0T_OK;
    if (packed)
        plan->b_layout = packed->layout;
    else
        status =
            describe(&plan->b_layout, op->k, op->n, op->type, op->b_transposed ? dnnl_ba : dnnl_ab);
    if (status == F0T_OK)
        status = fill_plan(plan, op, bias);
    if (status == F0T_OK)
        *out = plan;
    else
        f0t_plan_free(plan);
    return status;
}

void f0t_plan_free(f0t_plan *plan)
{
    if (!plan)
        return;
    for (int i = 0; i < plan->count; i++)
        dnnl_memory_destroy(plan->args[i].memory);
    if (plan->stream)
        dnnl_stream_destroy(plan->stream);
    if (plan->primitive)
        dnnl_primitive_destroy(plan->primitive);
    if (plan->desc)
        dnnl_primitive_desc_destroy(plan->desc);
    f0t_free(plan);
}

bool f0t_plan_fits(const f0t_plan *plan, const f0t_packed *packed)
{
    return packed ? plan->packed && dnnl_memory_desc_equal(&plan->b_layout, &packed->layout)
                  : !plan->packed;
}

size_t f0t_plan_scratch(const f0t_plan *plan)
{
    return plan->scratch;
}

f0t_status f0t_plan_run(void *c, f0t_plan *plan, const void *a, const void *b, const float *bias,
                        void *scratch)
{
    void *data[ARGS] = {f0t_onednn_writable(a), f0t_onednn_writable(b), c, scratch,
                        f0t_onednn_writable(bias)};
    for (int i = 0; i < plan->count; i++)
        DNN_TRY(dnnl_memory_set_data_handle(plan->args[i].memory, data[i]), "take an argument");
    DNN_TRY(dnnl_primitive_execute(plan->primitive, plan->stream, plan->count, plan->args),
            "multiply");
    DNN_TRY(dnnl_stream_wait(plan->stream), "multiply");
    return F0T_OK;
}

f0t_status f0t_matmul_run_strided(float *c, const float *a, const float *b,
                                  const f0t_matmul_strided *op)
{
    F0T_TRY(need_engine());
    DNN_TRY(dnnl_sgemm('N', op->b_transposed ? 'T' : 'N', (dnnl_dim_t)op->m, (dnnl_dim_t)op->n,
                       (dnnl_dim_t)op->k, op->alpha, a, (dnnl_dim_t)op->a_row, b,
                       (dnnl_dim_t)op->b_row, 0, c, (dnnl_dim_t)op->c_row),
            "multiply");
    return F0T_OK;
}

/* ---- Packed matrices ------------------------------------------------------------------------- */

/* Asks which layout of B the product prefers. */
static f0t_status choose_layout(dnnl_memory_desc_t *out, const f0t_matmul *op)
{
    dnnl_memory_desc_t any;
    dnnl_primitive_attr_t attr;
    f0t_plan probe = {0};
    F0T_TRY(describe(&any, op->k, op->n, op->type, dnnl_format_tag_any));
    DNN_TRY(dnnl_primitive_attr_create(&attr), "prepare a product");
    f0t_status status = desc_matmul(&probe, op, false, &any, attr);
    dnnl_primitive_attr_destroy(attr);
    F0T_TRY(status);
    *out = *dnnl_primitive_desc_query_md(probe.desc, dnnl_query_weights_md, 0);
    dnnl_primitive_desc_destroy(probe.desc);
    return F0T_OK;
}

static f0t_status fill_own(f0t_packed *packed)
{
    const size_t room = packed->tiles ? f0t_tiles_room(packed->k, packed->n)
                                      : f0t_panels_room(packed->k, packed->n);
    if (!room)
        return f0t_fail(F0T_ERROR_MEMORY, "no memory for a packed matrix of %zu x %zu", packed->k,
                        packed->n);
    packed->bytes = room * (packed->tiles ? sizeof(uint16_t) : sizeof(float));
    return F0T_OK;
}

static f0t_status fill_packed(f0t_packed *packed, size_t m)
{
    f0t_matmul op = {
        .m = m ? m : 1, .n = packed->n, .k = packed->k, .type = packed->held, .result = F0T_F32};
    if (!packed->n || !packed->k)
        return F0T_OK;
    if (packed->tiles || packed->panels)
        return fill_own(packed);
    F0T_TRY(need_engine());
    F0T_TRY(choose_layout(&packed->layout, &op));
    packed->bytes = dnnl_memory_desc_get_size(&packed->layout);
    return F0T_OK;
}

static f0t_status need_room(f0t_packed *packed)
{
    return packed->data || !packed->bytes ? F0T_OK
                                          : f0t_alloc_zero(&packed->data, packed->bytes, 1);
}

f0t_status f0t_packed_describe(f0t_packed **out, size_t k, size_t n, f0t_dtype type, size_t m)
{
    *out = NULL;
    if (type != F0T_F32 && type != F0T_BF16)
        return f0t_fail(F0T_ERROR_ARGUMENT, "a packed matrix is float32 or bfloat16, not %s",
                        f0t_dtype_name(type));
    f0t_packed *packed;
    F0T_TRY(f0t_alloc_zero(&packed, 1, sizeof *packed));
    packed->k = k;
    packed->n = n;
    packed->type = type;
    packed->held = type == F0T_BF16 && f0t_matmul_bf16_pays(m) ? F0T_BF16 : F0T_F32;
    packed->tiles = packed->held == F0T_BF16 && f0t_tiles_native();
    packed->panels = packed->held == F0T_F32 && f0t_panels_suit(m, k, n);
    f0t_status status = fill_packed(packed, m);
    if (status == F0T_OK)
        *out = packed;
    else
        f0t_packed_free(packed);
    return status;
}

f0t_status f0t_packed_create(f0t_packed **out, size_t k, size_t n, f0t_dtype type, size_t m)
{
    F0T_TRY(f0t_packed_describe(out, k, n, type, m));
    f0t_status status = need_room(*out);
    if (status != F0T_OK) {
        f0t_packed_free(*out);
        *out = NULL;
    }
    return status;
}

void f0t_packed_free(f0t_packed *packed)
{
    if (!packed)
        return;
    f0t_free(packed->data);
    f0t_free(packed);
}

static f0t_status execute_reorder(dnnl_primitive_desc_t desc, dnnl_memory_t from, dnnl_memory_t to)
{
    dnnl_primitive_t primitive;
    dnnl_stream_t stream;
    DNN_TRY(dnnl_primitive_create(&primitive, desc), "compile a change of layout");
    dnnl_status_t status = dnnl_stream_create(&stream, engine, dnnl_stream_default_flags);
    if (status == dnnl_success) {
        dnnl_exec_arg_t args[] = {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}};
        const int before = f0t_team_enter();
        status = dnnl_primitive_execute(primitive, stream, 2, args);
        if (status == dnnl_success)
            status = dnnl_stream_wait(stream);
        f0t_team_leave(before);
        dnnl_stream_destroy(stream);
    }
    dnnl_primitive_destroy(primitive);
    return f0t_onednn_status(status, "change a layout");
}

f0t_status f0t_onednn_reorder(const dnnl_memory_desc_t *to_layout, void *to,
                              const dnnl_memory_desc_t *from_layout, void *from)
{
    dnnl_primitive_desc_t desc = NULL;
    dnnl_memory_t source = NULL, target = NULL;
    dnnl_status_t status =
        dnnl_reorder_primitive_desc_create(&desc, from_layout, engine, to_layout, engine, NULL);
    if (status == dnnl_success)
        status = dnnl_memory_create(&source, from_layout, engine, from);
    if (status == dnnl_success)
        status = dnnl_memory_create(&target, to_layout, engine, to);
    f0t_status result = status == dnnl_success ? execute_reorder(desc, source, target)
                                               : f0t_onednn_status(status, "change a layout");
    dnnl_memory_destroy(source);
    dnnl_memory_destroy(target);
    if (desc)
        dnnl_primitive_desc_destroy(desc);
    return result;
}

/* Where bfloat16 is not native its values are stored as float32, rounded nevertheless. */
static void round_to_bf16(float *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        values[i] = f0t_bf16_to_f32_ref(f0t_f32_to_bf16_ref(values[i]));
}

static f0t_status set_reordered(f0t_packed *packed, const float *b, bool transposed)
{
    dnnl_memory_desc_t plain;
    F0T_TRY(describe(&plain, packed->k, packed->n, F0T_F32, transposed ? dnnl_ba : dnnl_ab));
    return f0t_onednn_reorder(&packed->layout, packed->data, &plain, f0t_onednn_writable(b));
}

f0t_status f0t_packed_set(f0t_packed *packed, const float *b, bool transposed)
{
    if (!packed->bytes)
        return F0T_OK;
    F0T_TRY(need_room(packed));
    if (packed->tiles)
        return f0t_tiles_pack(packed->data, b, packed->k, 0, packed->n, transposed);
    if (packed->panels)
        f0t_panels_pack(packed->data, packed->k, packed->n, b, 0, packed->n, transposed);
    else
        F0T_TRY(set_reordered(packed, b, transposed));
    if (packed->held != packed->type)
        round_to_bf16(packed->data, packed->bytes / sizeof(float));
    return F0T_OK;
}

/* Panels are set in parts that begin at one of them. */
static bool set_panels(f0t_packed *packed, const float *b, size_t first, size_t count)
{
    if (!packed->panels || !packed->data || packed->held != packed->type || first % F0T_PANEL ||
        (count % F0T_PANEL && first + count != packed->n))
        return false;
    f0t_panels_pack(packed->data, packed->k, packed->n, b, first, count, true);
    return true;
}

f0t_status f0t_packed_set_columns(f0t_packed *packed, const float *b, size_t first, size_t count)
{
    dnnl_memory_desc_t part, plain;
    dnnl_dims_t dims = {(dnnl_dim_t)packed->k, (dnnl_dim_t)count}, offsets = {0, (dnnl_dim_t)first};
    F0T_TRY(need_room(packed));
    if (packed->tiles && packed->data && !(first % F0T_TILE_COLUMNS) &&
        (!(count % F0T_TILE_COLUMNS) || first + count == packed->n))
        return f0t_tiles_pack(packed->data, b, packed->k, first, count, true);
    if (set_panels(packed, b, first, count))
        return F0T_OK;
    if (!packed->data || packed->tiles || packed->panels || packed->held != packed->type ||
        dnnl_memory_desc_init_submemory(&part, &packed->layout, dims, offsets) != dnnl_success)
        return f0t_fail(F0T_ERROR_UNSUPPORTED, "a packed matrix cannot be set in these parts");
    F0T_TRY(describe(&plain, packed->k, count, F0T_F32, dnnl_ba));
    return f0t_onednn_reorder(&part, packed->data, &plain, f0t_onednn_writable(b));
}

const void *f0t_packed_data(const f0t_packed *packed)
{
    return packed->lent ? packed->lent : packed->data;
}

f0t_dtype f0t_packed_type(const f0t_packed *packed)
{
    return packed->held;
}

const uint16_t *f0t_packed_tiles(const f0t_packed *packed)
{
    return packed->tiles ? f0t_packed_data(packed) : NULL;
}

const float *f0t_packed_panels(const f0t_packed *packed)
{
    return packed->panels ? f0t_packed_data(packed) : NULL;
}

size_t f0t_packed_bytes(const f0t_packed *packed)
{
    return packed->bytes;
}

uint64_t f0t_packed_fingerprint(const f0t_packed *packed)
{
    const bool own = packed->tiles || packed->panels;
    const uint64_t numbers[] = {packed->k,     packed->n,    packed->type,
                                packed->tiles, packed->held, packed->panels};
    const uint64_t hash = f0t_hash(F0T_HASH_START, numbers, sizeof numbers);
    return own || !packed->bytes ? hash : hash ^ f0t_onednn_fingerprint(&packed->layout);
}

const void *f0t_packed_elements(const f0t_packed *packed)
{
    return f0t_packed_data(packed);
}

void f0t_packed_lend(f0t_packed *packed, const void *elements)
{
    f0t_free(packed->data);
    packed->data = NULL;
    packed->lent = elements;
}

bool f0t_packed_matches(const f0t_packed *packed, const f0t_matmul *op)
{
    return packed->k == op->k && packed->n == op->n && packed->type == op->type;
}
