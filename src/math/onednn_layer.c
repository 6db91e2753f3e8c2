/* What all layers have in common: arguments, compilation, execution, what follows inside. */
#include "math/onednn_layer.h"

#include "base/alloc.h"

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

f0t_status f0t_onednn_layer_finish(f0t_layer *layer, const int *roles, size_t sources,
                                   size_t constants)
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

f0t_status f0t_onednn_layer_begin(f0t_layer **out)
{
    dnnl_engine_t engine;
    *out = NULL;
    F0T_TRY(f0t_onednn_engine(&engine));
    F0T_TRY(f0t_alloc_zero(out, 1, sizeof **out));
    (*out)->engine = engine;
    return F0T_OK;
}

f0t_status f0t_onednn_layer_give(f0t_layer **out, f0t_status status)
{
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

const char *f0t_layer_kernel(const f0t_layer *layer)
{
    const char *name = "";
    dnnl_primitive_desc_query(layer->desc, dnnl_query_impl_info_str, 0, &name);
    return name;
}

f0t_status f0t_layer_run(f0t_layer *layer, void *result, const void *const *sources,
                         const void *const *constants, void *scratch)
{
    for (size_t k = 0; k < layer->source_count + layer->constant_count + 2; k++) {
        size_t constant = k - layer->source_count, rest = constant - layer->constant_count;
        void *data = k < layer->source_count            ? f0t_onednn_writable(sources[k])
                     : constant < layer->constant_count ? f0t_onednn_writable(constants[constant])
                     : rest == 0                        ? result
                                                        : scratch;
        DNN_TRY(dnnl_memory_set_data_handle(layer->args[k].memory, data), "take an argument");
    }
    DNN_TRY(dnnl_primitive_execute(layer->primitive, layer->stream, layer->count, layer->args),
            "run a layer");
    DNN_TRY(dnnl_stream_wait(layer->stream), "run a layer");
    return F0T_OK;
}

/* ---- What follows inside a layer ------------------------------------------------------------------- */

const dnnl_alg_kind_t f0t_onednn_activations[] = {
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

static dnnl_status_t append(dnnl_post_ops_t list, const f0t_after *after)
{
    if (after->kind == F0T_ACTIVATION_SUM)
        return dnnl_post_ops_append_sum(list, 1.0F);
    return dnnl_post_ops_append_eltwise(list, 1.0F, f0t_onednn_activations[after->kind],
                                        after->alpha, after->beta);
}

f0t_status f0t_onednn_attributes(dnnl_primitive_attr_t *out, const f0t_after *after, size_t count)
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

f0t_status f0t_onednn_layer_describe(f0t_layer *layer, const void *operation,
                                     const f0t_after *after, size_t count)
{
    dnnl_primitive_attr_t attr;
    F0T_TRY(f0t_onednn_attributes(&attr, after, count));
    dnnl_status_t status =
        dnnl_primitive_desc_create(&layer->desc, operation, attr, layer->engine, NULL);
    dnnl_primitive_attr_destroy(attr);
    return f0t_onednn_status(status, "prepare a layer");
}
