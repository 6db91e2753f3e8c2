/*
 * Layers by oneDNN, version 2: what all of them have in common; onednn.c says how version 3 differs. layout.c has the
 * layouts, layers_conv.c convolutions and dense layers, layers_own.c convolutions by kernels of our own, layers_between.c what is between
 * them.
 */
#include "math/layers_inside.h"

#include "base/alloc.h"
#include "base/cpu.h"
#include "base/hash.h"
#include "base/team.h"
#include "math/panels.h"
#include "math/tiles.h"
#include "math/tiles_conv.h"

#include <string.h>

/* ---- What follows inside a layer -------------------------------------------------------------- */

/* None for F0T_ACTIVATION_SUM. */
static const dnnl_alg_kind_t activations[] = {
    [F0T_ACTIVATION_RELU] = dnnl_eltwise_relu,
    [F0T_ACTIVATION_CLIP] = dnnl_eltwise_clip_v2,
    [F0T_ACTIVATION_SIGMOID] = dnnl_eltwise_logistic,
    [F0T_ACTIVATION_TANH] = dnnl_eltwise_tanh,
    [F0T_ACTIVATION_ELU] = dnnl_eltwise_elu,
    [F0T_ACTIVATION_SWISH] = dnnl_eltwise_swish,
    [F0T_ACTIVATION_HARDSWISH] = dnnl_eltwise_hardswish,
    [F0T_ACTIVATION_GELU] = dnnl_eltwise_gelu_erf,
    [F0T_ACTIVATION_GELU_TANH] = dnnl_eltwise_gelu_tanh,
    [F0T_ACTIVATION_LINEAR] = dnnl_eltwise_linear,
    [F0T_ACTIVATION_MISH] = dnnl_eltwise_mish,
    [F0T_ACTIVATION_SQRT] = dnnl_eltwise_sqrt,
    [F0T_ACTIVATION_EXP] = dnnl_eltwise_exp,
};

dnnl_alg_kind_t f0t_layer_algorithm(f0t_activation kind)
{
    return activations[kind];
}

static dnnl_status_t append(dnnl_post_ops_t list, const f0t_after *after)
{
    if (after->kind == F0T_ACTIVATION_SUM)
        return dnnl_post_ops_append_sum(list, after->alpha);
    return dnnl_post_ops_append_eltwise(list, 1.0F, f0t_layer_algorithm(after->kind), after->alpha,
                                        after->beta);
}

f0t_status f0t_layer_attributes(dnnl_primitive_attr_t *out, const f0t_after *after, size_t count)
{
    dnnl_post_ops_t list;
    DNN_TRY(dnnl_primitive_attr_create(out), "prepare a layer");
    dnnl_status_t status = dnnl_primitive_attr_set_scratchpad_mode(*out, dnnl_scratchpad_mode_user);
    if (status == dnnl_success)
        status = dnnl_post_ops_create(&list);
    if (status == dnnl_success) {
        for (size_t k = 0; k < count && status == dnnl_success; k++)
            status = append(list, &after[k]);
        if (status == dnnl_success)
            status = dnnl_primitive_attr_set_post_ops(*out, list);
        dnnl_post_ops_destroy(list);
    }
    if (status != dnnl_success)
        dnnl_primitive_attr_destroy(*out);
    return f0t_onednn_status(status, "prepare a layer");
}

static const char *kernel_of(const_dnnl_primitive_desc_t desc)
{
    const char *name = "";
    dnnl_primitive_desc_query(desc, dnnl_query_impl_info_str, 0, &name);
    return name;
}

const char *f0t_layer_kernel(const f0t_layer *layer)
{
    return kernel_of(layer->desc);
}

/* The kernel that oneDNN chooses where there is one thread; "" where it has none. */
static const char *kernel_of_one_thread(const f0t_layer *layer, const void *operation,
                                        dnnl_primitive_attr_t attr)
{
    dnnl_primitive_desc_t alone;
    const char *name = "";
#ifdef _OPENMP
    const int before = omp_get_max_threads();
    omp_set_num_threads(1);
#endif
    if (dnnl_primitive_desc_create(&alone, operation, attr, layer->engine, NULL) == dnnl_success) {
        name = kernel_of(alone); /* a constant of the library's */
        dnnl_primitive_desc_destroy(alone);
    }
#ifdef _OPENMP
    omp_set_num_threads(before);
#endif
    return name;
}

/* oneDNN has several kernels of Winograd's algorithm, which round differently, and chooses by the number of
 * threads: results shall not depend on that. Where that of one thread cannot be had, its choice stands. */
static void take_kernel_of_one_thread(f0t_layer *layer, const void *operation,
                                      dnnl_primitive_attr_t attr)
{
    dnnl_primitive_desc_iterator_t all;
    const char *wanted = kernel_of_one_thread(layer, operation, attr);
    if (!*wanted || !strcmp(wanted, kernel_of(layer->desc)) ||
        dnnl_primitive_desc_iterator_create(&all, operation, attr, layer->engine, NULL) !=
            dnnl_success)
        return;
    do {
        dnnl_primitive_desc_t each = dnnl_primitive_desc_iterator_fetch(all);
        if (each && !strcmp(kernel_of(each), wanted)) {
            dnnl_primitive_desc_destroy(layer->desc);
            layer->desc = each;
            break;
        }
        dnnl_primitive_desc_destroy(each);
    } while (dnnl_primitive_desc_iterator_next(all) == dnnl_success);
    dnnl_primitive_desc_iterator_destroy(all);
}

/* Takes the attributes. */
f0t_status f0t_layer_describe_with(f0t_layer *layer, const void *operation,
                                   dnnl_primitive_attr_t attr)
{
    dnnl_status_t status =
        dnnl_primitive_desc_create(&layer->desc, operation, attr, layer->engine, NULL);
    if (status == dnnl_success && strstr(kernel_of(layer->desc), "wino") && f0t_team_size() > 1)
        take_kernel_of_one_thread(layer, operation, attr);
    dnnl_primitive_attr_destroy(attr);
    return f0t_onednn_status(status, "prepare a layer");
}

bool f0t_layer_eight_native(void)
{
    const int wide = dnnl_cpu_isa_avx512_core_vnni, narrow = dnnl_cpu_isa_avx2_vnni;
    dnnl_engine_t engine;
    if (f0t_onednn_engine(&engine) != F0T_OK)
        return false;
    const int isa = (int)dnnl_get_effective_cpu_isa();
    return (isa & wide) == wide || (isa & narrow) == narrow;
}

f0t_status f0t_layer_describe(f0t_layer *layer, const void *operation, const f0t_after *after,
                              size_t count)
{
    dnnl_primitive_attr_t attr;
    F0T_TRY(f0t_layer_attributes(&attr, after, count));
    return f0t_layer_describe_with(layer, operation, attr);
}

dnnl_status_t f0t_layer_set_zero(dnnl_primitive_attr_t attr, int role, int32_t zero)
{
    return zero ? dnnl_primitive_attr_set_zero_points(attr, role, 1, 0, &zero) : dnnl_success;
}

/* A layer of eight bits; the scales belong to dimension 1 of the result. */
f0t_status f0t_layer_describe_rescaled(f0t_layer *layer, const void *operation,
                                       const f0t_after *after, size_t count,
                                       const f0t_layer_rescale *r, size_t filters)
{
    dnnl_primitive_attr_t attr;
    F0T_TRY(f0t_layer_attributes(&attr, after, count));
    dnnl_status_t status =
        dnnl_primitive_attr_set_output_scales(attr, (dnnl_dim_t)filters, 1 << 1, r->scales);
    if (status == dnnl_success)
        status = f0t_layer_set_zero(attr, DNNL_ARG_SRC, r->source_zero);
    if (status == dnnl_success)
        status = f0t_layer_set_zero(attr, DNNL_ARG_DST, r->result_zero);
    if (status == dnnl_success)
        return f0t_layer_describe_with(layer, operation, attr);
    dnnl_primitive_attr_destroy(attr);
    return f0t_onednn_status(status, "prepare a layer of eight bits");
}

uint64_t f0t_layer_fingerprint(void)
{
    const dnnl_version_t *version = dnnl_version();
    dnnl_engine_t engine;
    const bool works = f0t_onednn_engine(&engine) == F0T_OK;
    const int64_t numbers[] = {
        version->major,          version->minor,
        version->patch,          works ? (int64_t)dnnl_get_effective_cpu_isa() : 0,
        f0t_cpu_level(),         f0t_tiles_native(),
        f0t_tiles_conv_native(), F0T_PANEL,
        F0T_PANEL_BLOCK,         F0T_PANEL_DEPTH};
    return f0t_hash(f0t_hash(F0T_HASH_START, numbers, sizeof numbers), version->hash,
                    strlen(version->hash));
}

/* ---- A layer: arguments, compilation, execution ----------------------------------------------- */

static f0t_status add_argument(f0t_layer *layer, int role, const dnnl_memory_desc_t *layout)
{
    dnnl_exec_arg_t *arg = &layer->args[layer->count];
    if (!layout)
        layout = dnnl_primitive_desc_query_md(layer->desc, dnnl_query_exec_arg_md, role);
    DNN_TRY(dnnl_memory_create(&arg->memory, layout, layer->engine, DNNL_MEMORY_NONE),
            "describe an argument");
    arg->arg = role;
    layer->count++;
    return F0T_OK;
}

f0t_status f0t_layer_finish(f0t_layer *layer, const int *roles, size_t sources, size_t constants)
{
    const dnnl_memory_desc_t *scratch;
    DNN_TRY(dnnl_primitive_create(&layer->primitive, layer->desc), "compile a layer");
    DNN_TRY(dnnl_stream_create(&layer->stream, layer->engine, dnnl_stream_default_flags),
            "open a stream");
    F0T_TRY(f0t_alloc_zero(&layer->args, sources + constants + 2, sizeof *layer->args));
    layer->source_count = sources;
    layer->constant_count = constants;
    for (size_t k = 0; k < sources + constants; k++)
        F0T_TRY(add_argument(layer, roles[k], NULL));
    F0T_TRY(add_argument(layer, roles[0] == DNNL_ARG_FROM ? DNNL_ARG_TO : DNNL_ARG_DST, NULL));
    scratch = dnnl_primitive_desc_query_md(layer->desc, dnnl_query_scratchpad_md, 0);
    F0T_TRY(add_argument(layer, DNNL_ARG_SCRATCHPAD, scratch));
    layer->scratch = dnnl_memory_desc_get_size(scratch);
    layer->source.desc = *dnnl_primitive_desc_query_md(layer->desc, dnnl_query_src_md, 0);
    layer->result.desc = *dnnl_primitive_desc_query_md(layer->desc, dnnl_query_dst_md, 0);
    const dnnl_memory_desc_t *weights =
        dnnl_primitive_desc_query_md(layer->desc, dnnl_query_weights_md, 0);
    if (weights)
        layer->weights.desc = *weights;
    return F0T_OK;
}

/* With two threads a layer may save half of its time, and sleeping ones take tens of microseconds to wake: below
 * these it is done by the calling thread. The rates are those of one core with AVX-512, which need not be exact. */
static const double ALONE_SECONDS = 15e-6, PRODUCTS = 40e9, PRODUCTS_BF16 = 60e9,
                    PRODUCTS_EIGHT = 120e9, BYTES = 10e9;

static bool is_small(const f0t_layer_cost *cost)
{
    const double rate = cost->type == F0T_F32    ? PRODUCTS
                        : cost->type == F0T_BF16 ? PRODUCTS_BF16
                                                 : PRODUCTS_EIGHT;
    return cost->products / rate + cost->bytes / BYTES < ALONE_SECONDS;
}

f0t_layer_cost f0t_layer_cost_of(const f0t_layout *x, const f0t_layout *y)
{
    return (f0t_layer_cost){.bytes = (double)f0t_layout_bytes(x) +
                                     (y ? (double)f0t_layout_bytes(y) : 0)};
}

/* Until `leave`, oneDNN has one thread. */
static void enter(f0t_layer *layer)
{
#ifdef _OPENMP
    layer->before = omp_get_max_threads();
    if (layer->alone && layer->before > 1)
        omp_set_num_threads(1);
#else
    (void)layer;
#endif
}

static void leave(const f0t_layer *layer)
{
#ifdef _OPENMP
    if (layer->alone && layer->before > 1)
        omp_set_num_threads(layer->before);
#else
    (void)layer;
#endif
}

f0t_status f0t_layer_begin(f0t_layer **out, f0t_layer_cost cost)
{
    dnnl_engine_t engine;
    *out = NULL;
    F0T_TRY(f0t_onednn_engine(&engine));
    F0T_TRY(f0t_alloc_zero(out, 1, sizeof **out));
    (*out)->engine = engine;
    (*out)->alone = is_small(&cost);
    enter(*out);
    return F0T_OK;
}

f0t_status f0t_layer_give(f0t_layer **out, f0t_status status)
{
    leave(*out);
    if (status != F0T_OK) {
        f0t_layer_free(*out);
        *out = NULL;
    }
    return status;
}

void f0t_layer_free(f0t_layer *layer)
{
    if (!layer)
        return;
    for (int k = 0; k < layer->count; k++)
        dnnl_memory_destroy(layer->args[k].memory);
    f0t_free(layer->args);
    if (layer->stream)
        dnnl_stream_destroy(layer->stream);
    if (layer->primitive)
        dnnl_primitive_destroy(layer->primitive);
    if (layer->desc)
        dnnl_primitive_desc_destroy(layer->desc);
    if (layer->kernel)
        layer->free(layer->kernel);
    f0t_free(layer);
}

const f0t_layout *f0t_layer_source(const f0t_layer *layer)
{
    return &layer->source;
}

const f0t_layout *f0t_layer_weights(const f0t_layer *layer)
{
    return &layer->weights;
}

const f0t_layout *f0t_layer_result(const f0t_layer *layer)
{
    return &layer->result;
}

size_t f0t_layer_scratch(const f0t_layer *layer)
{
    return layer->scratch;
}

f0t_status f0t_layer_run(void *result, f0t_layer *layer, const void *const *sources,
                         const void *const *constants, void *scratch)
{
    if (layer->kernel) {
        layer->run(result, layer, sources, constants, scratch);
        return F0T_OK;
    }
    for (size_t k = 0; k < layer->source_count + layer->constant_count + 2; k++) {
        size_t constant = k - layer->source_count, rest = constant - layer->constant_count;
        void *data = k < layer->source_count            ? f0t_onednn_writable(sources[k])
                     : constant < layer->constant_count ? f0t_onednn_writable(constants[constant])
                     : rest == 0                        ? result
                                                        : scratch;
        DNN_TRY(dnnl_memory_set_data_handle(layer->args[k].memory, data), "take an argument");
    }
    enter(layer);
    dnnl_status_t status =
        dnnl_primitive_execute(layer->primitive, layer->stream, layer->count, layer->args);
    if (status == dnnl_success)
        status = dnnl_stream_wait(layer->stream);
    leave(layer);
    return f0t_onednn_status(status, "run a layer");
}

/* ---- Shapes ---------------------------------------------------------------------------------- */

f0t_status f0t_layer_describe_any(dnnl_memory_desc_t *out, size_t rank, const dnnl_dims_t dims,
                                  f0t_dtype type)
{
    DNN_TRY(dnnl_memory_desc_init_by_tag(out, (int)rank, dims, f0t_onednn_data_type(type),
                                         dnnl_format_tag_any),
            "describe an array");
    return F0T_OK;
}

void f0t_layer_set_window(f0t_layer_steps *d, const f0t_layer_window *w, const size_t *in)
{
    for (size_t k = 0; k < w->rank; k++) {
        size_t span = (w->out[k] - 1) * w->stride[k] + (w->kernel[k] - 1) * w->dilation[k] + 1;
        d->strides[k] = (dnnl_dim_t)w->stride[k];
        d->dilations[k] = (dnnl_dim_t)w->dilation[k] - 1;
        d->before[k] = (dnnl_dim_t)w->before[k];
        /* Exactly what the last window needs, which may be less than nothing. */
        d->after[k] = (dnnl_dim_t)span - (dnnl_dim_t)in[k] - d->before[k];
    }
}
