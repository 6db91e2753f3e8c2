/* Layers by oneDNN, version 2, kind by kind; onednn.c says how version 3 differs. */
#include "base/alloc.h"
#include "math/onednn_layer.h"

#include <string.h>

/* ---- Convolution ----------------------------------------------------------------------------- */

typedef struct conv_descs {
    dnnl_memory_desc_t x, w, bias, y;
    dnnl_dims_t strides, dilations, before, after;
} conv_descs;

static f0t_status describe_any(dnnl_memory_desc_t *out, size_t rank, const dnnl_dims_t dims,
                               f0t_dtype type)
{
    DNN_TRY(dnnl_memory_desc_init_by_tag(out, (int)rank, dims, f0t_onednn_data_type(type),
                                         dnnl_format_tag_any),
            "describe an array");
    return F0T_OK;
}

static void set_window(conv_descs *d, const f0t_layer_window *w, const size_t *in)
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

static f0t_status fill_descs(conv_descs *d, const f0t_layer_conv *c, const f0t_layout *source)
{
    size_t rank = c->window.rank;
    dnnl_dims_t x = {(dnnl_dim_t)c->images, (dnnl_dim_t)c->channels};
    dnnl_dims_t y = {(dnnl_dim_t)c->images, (dnnl_dim_t)c->filters};
    dnnl_dims_t w, bias = {(dnnl_dim_t)c->filters};
    size_t lead = 0;
    if (c->groups > 1)
        w[lead++] = (dnnl_dim_t)c->groups;
    w[lead++] = (dnnl_dim_t)(c->filters / c->groups);
    w[lead++] = (dnnl_dim_t)(c->channels / c->groups);
    for (size_t k = 0; k < rank; k++) {
        x[2 + k] = (dnnl_dim_t)c->in[k];
        y[2 + k] = (dnnl_dim_t)c->window.out[k];
        w[lead + k] = (dnnl_dim_t)c->window.kernel[k];
    }
    set_window(d, &c->window, c->in);
    F0T_TRY(describe_any(&d->x, rank + 2, x, c->type));
    F0T_TRY(describe_any(&d->w, rank + lead, w, c->type));
    F0T_TRY(describe_any(&d->y, rank + 2, y, c->result));
    if (source)
        d->x = source->desc;
    DNN_TRY(dnnl_memory_desc_init_by_tag(&d->bias, 1, bias, dnnl_f32, dnnl_a), "describe a bias");
    return F0T_OK;
}

/* Winograd's algorithm (Lavin and Gray, 2016) needs a quarter of the multiplications. oneDNN takes it
 * only when asked: VGG-19 is 2.3 times as fast with it, ResNet-50 1.2 times. */
static bool suits_winograd(const f0t_layer_conv *c)
{
    const f0t_layer_window *w = &c->window;
    return c->groups == 1 && c->channels >= 16 && c->filters >= 16 && w->rank == 2 &&
           w->kernel[0] == 3 && w->kernel[1] == 3 && w->stride[0] == 1 && w->stride[1] == 1 &&
           w->dilation[0] == 1 && w->dilation[1] == 1;
}

bool f0t_layer_conv_prefers_f32(const f0t_layer_conv *c)
{
    return suits_winograd(c) && c->channels >= 64 && c->filters >= 64 &&
           c->window.out[0] * c->window.out[1] >= 28 * 28;
}

static f0t_status fill_conv(f0t_layer *layer, const f0t_layer_conv *c, const f0t_layout *source,
                            dnnl_alg_kind_t algorithm)
{
    static const int roles[] = {DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_BIAS};
    conv_descs d;
    dnnl_convolution_desc_t operation;
    F0T_TRY(fill_descs(&d, c, source));
    DNN_TRY(dnnl_dilated_convolution_forward_desc_init(&operation, dnnl_forward_inference,
                                                       algorithm, &d.x, &d.w, &d.bias, &d.y,
                                                       d.strides, d.dilations, d.before, d.after),
            "describe a convolution");
    F0T_TRY(f0t_onednn_layer_describe(layer, &operation, c->after, c->after_count));
    return f0t_onednn_layer_finish(layer, roles, 1, 2);
}

f0t_status f0t_layer_create_conv(f0t_layer **out, const f0t_layer_conv *conv,
                                 const f0t_layout *source)
{
    f0t_status status;
    if (conv->type == F0T_F32 && suits_winograd(conv)) {
        F0T_TRY(f0t_onednn_layer_begin(out));
        status =
            f0t_onednn_layer_give(out, fill_conv(*out, conv, source, dnnl_convolution_winograd));
        if (status != F0T_ERROR_UNSUPPORTED) /* this CPU has it, for this shape */
            return status;
    }
    F0T_TRY(f0t_onednn_layer_begin(out));
    return f0t_onednn_layer_give(out, fill_conv(*out, conv, source, dnnl_convolution_direct));
}

/* ---- Pooling --------------------------------------------------------------------------------- */

static f0t_status fill_pool(f0t_layer *layer, f0t_layer_pool_kind kind, const f0t_layer_window *w,
                            const f0t_layout *source)
{
    static const dnnl_alg_kind_t kinds[] = {dnnl_pooling_max, dnnl_pooling_avg_exclude_padding,
                                            dnnl_pooling_avg_include_padding};
    static const int roles[] = {DNNL_ARG_SRC};
    dnnl_pooling_v2_desc_t operation;
    dnnl_memory_desc_t y;
    dnnl_dims_t dims, kernel;
    conv_descs d;
    size_t in[F0T_LAYER_SPACE];
    memcpy(dims, source->desc.dims, sizeof dims);
    for (size_t k = 0; k < w->rank; k++) {
        in[k] = (size_t)source->desc.dims[2 + k];
        dims[2 + k] = (dnnl_dim_t)w->out[k];
        kernel[k] = (dnnl_dim_t)w->kernel[k];
    }
    set_window(&d, w, in);
    DNN_TRY(dnnl_memory_desc_init_by_tag(&y, source->desc.ndims, dims, source->desc.data_type,
                                         dnnl_format_tag_any),
            "describe an array");
    DNN_TRY(dnnl_pooling_v2_forward_desc_init(&operation, dnnl_forward_inference, kinds[kind],
                                              &source->desc, &y, d.strides, kernel, d.dilations,
                                              d.before, d.after),
            "describe pooling");
    F0T_TRY(f0t_onednn_layer_describe(layer, &operation, NULL, 0));
    return f0t_onednn_layer_finish(layer, roles, 1, 0);
}

f0t_status f0t_layer_create_pool(f0t_layer **out, f0t_layer_pool_kind kind,
                                 const f0t_layer_window *window, const f0t_layout *source)
{
    F0T_TRY(f0t_onednn_layer_begin(out));
    return f0t_onednn_layer_give(out, fill_pool(*out, kind, window, source));
}

/* ---- Element by element ---------------------------------------------------------------------- */

static f0t_status fill_activation(f0t_layer *layer, const f0t_after *after,
                                  const f0t_layout *source)
{
    static const int roles[] = {DNNL_ARG_SRC};
    dnnl_eltwise_desc_t operation;
    DNN_TRY(dnnl_eltwise_forward_desc_init(&operation, dnnl_forward_inference,
                                           f0t_onednn_activations[after->kind], &source->desc,
                                           after->alpha, after->beta),
            "describe an activation");
    F0T_TRY(f0t_onednn_layer_describe(layer, &operation, NULL, 0));
    return f0t_onednn_layer_finish(layer, roles, 1, 0);
}

f0t_status f0t_layer_create_activation(f0t_layer **out, const f0t_after *after,
                                       const f0t_layout *source)
{
    F0T_TRY(f0t_onednn_layer_begin(out));
    return f0t_onednn_layer_give(out, fill_activation(*out, after, source));
}

static f0t_status fill_binary(f0t_layer *layer, f0t_layer_binary_kind kind, const f0t_layout *x,
                              const f0t_layout *y, const f0t_after *after, size_t after_count)
{
    static const dnnl_alg_kind_t kinds[] = {dnnl_binary_add, dnnl_binary_sub, dnnl_binary_mul,
                                            dnnl_binary_div};
    static const int roles[] = {DNNL_ARG_SRC_0, DNNL_ARG_SRC_1};
    dnnl_binary_desc_t operation;
    DNN_TRY(dnnl_binary_desc_init(&operation, kinds[kind], &x->desc, &y->desc, &x->desc),
            "describe a sum or product");
    F0T_TRY(f0t_onednn_layer_describe(layer, &operation, after, after_count));
    return f0t_onednn_layer_finish(layer, roles, 2, 0);
}

f0t_status f0t_layer_create_binary(f0t_layer **out, f0t_layer_binary_kind kind, const f0t_layout *x,
                                   const f0t_layout *y, const f0t_after *after, size_t after_count)
{
    F0T_TRY(f0t_onednn_layer_begin(out));
    return f0t_onednn_layer_give(out, fill_binary(*out, kind, x, y, after, after_count));
}

static f0t_status fill_norm(f0t_layer *layer, const f0t_layout *source, float epsilon, bool relu)
{
    static const int roles[] = {DNNL_ARG_SRC, DNNL_ARG_MEAN, DNNL_ARG_VARIANCE, DNNL_ARG_SCALE,
                                DNNL_ARG_SHIFT};
    dnnl_batch_normalization_desc_t operation;
    unsigned flags = dnnl_use_global_stats | dnnl_use_scale | dnnl_use_shift;
    if (relu)
        flags |= dnnl_fuse_norm_relu;
    DNN_TRY(dnnl_batch_normalization_forward_desc_init(&operation, dnnl_forward_inference,
                                                       &source->desc, epsilon, flags),
            "describe a normalisation");
    F0T_TRY(f0t_onednn_layer_describe(layer, &operation, NULL, 0));
    return f0t_onednn_layer_finish(layer, roles, 1, 4);
}

f0t_status f0t_layer_create_norm(f0t_layer **out, const f0t_layout *source, float epsilon,
                                 bool relu)
{
    F0T_TRY(f0t_onednn_layer_begin(out));
    return f0t_onednn_layer_give(out, fill_norm(*out, source, epsilon, relu));
}

/* ---- Moving ---------------------------------------------------------------------------------- */

static f0t_status fill_concat(f0t_layer *layer, const f0t_layout *const *sources, size_t count,
                              size_t axis)
{
    dnnl_primitive_attr_t attr;
    dnnl_memory_desc_t *descs;
    int *roles = NULL;
    F0T_TRY(f0t_alloc(&descs, count, sizeof *descs));
    f0t_status status = f0t_alloc(&roles, count, sizeof *roles);
    for (size_t k = 0; k < count && status == F0T_OK; k++) {
        descs[k] = sources[k]->desc;
        roles[k] = DNNL_ARG_MULTIPLE_SRC + (int)k;
    }
    if (status == F0T_OK)
        status = f0t_onednn_attributes(&attr, NULL, 0);
    if (status == F0T_OK) {
        status = f0t_onednn_status(dnnl_concat_primitive_desc_create(&layer->desc, NULL, (int)count,
                                                                     (int)axis, descs, attr,
                                                                     layer->engine),
                                   "prepare a concatenation");
        dnnl_primitive_attr_destroy(attr);
    }
    if (status == F0T_OK)
        status = f0t_onednn_layer_finish(layer, roles, count, 0);
    f0t_free(descs);
    f0t_free(roles);
    return status;
}

f0t_status f0t_layer_create_concat(f0t_layer **out, const f0t_layout *const *sources, size_t count,
                                   size_t axis)
{
    F0T_TRY(f0t_onednn_layer_begin(out));
    return f0t_onednn_layer_give(out, fill_concat(*out, sources, count, axis));
}

static f0t_status fill_reorder(f0t_layer *layer, const f0t_layout *to, const f0t_layout *from)
{
    static const int roles[] = {DNNL_ARG_FROM};
    dnnl_primitive_attr_t attr;
    F0T_TRY(f0t_onednn_attributes(&attr, NULL, 0));
    dnnl_status_t status = dnnl_reorder_primitive_desc_create(
        &layer->desc, &from->desc, layer->engine, &to->desc, layer->engine, attr);
    dnnl_primitive_attr_destroy(attr);
    DNN_TRY(status, "prepare a change of layout");
    return f0t_onednn_layer_finish(layer, roles, 1, 0);
}

f0t_status f0t_layer_create_reorder(f0t_layer **out, const f0t_layout *to, const f0t_layout *from)
{
    F0T_TRY(f0t_onednn_layer_begin(out));
    return f0t_onednn_layer_give(out, fill_reorder(*out, to, from));
}
