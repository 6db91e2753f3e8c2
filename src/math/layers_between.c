/* What is between convolutions: pooling, element by element, moving. */
#include "math/layers_inside.h"

#include "base/alloc.h"
#include "base/team.h"
#include "math/interleave.h"
#include "math/smooth.h"

#include <math.h>
#include <string.h>

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
    f0t_layer_steps d;
    size_t in[F0T_LAYER_SPACE];
    memcpy(dims, source->desc.dims, sizeof dims);
    for (size_t k = 0; k < w->rank; k++) {
        in[k] = (size_t)source->desc.dims[2 + k];
        dims[2 + k] = (dnnl_dim_t)w->out[k];
        kernel[k] = (dnnl_dim_t)w->kernel[k];
    }
    f0t_layer_set_window(&d, w, in);
    DNN_TRY(dnnl_memory_desc_init_by_tag(&y, source->desc.ndims, dims, source->desc.data_type,
                                         dnnl_format_tag_any),
            "describe an array");
    DNN_TRY(dnnl_pooling_v2_forward_desc_init(&operation, dnnl_forward_inference, kinds[kind],
                                              &source->desc, &y, d.strides, kernel, d.dilations,
                                              d.before, d.after),
            "describe pooling");
    F0T_TRY(f0t_layer_describe(layer, &operation, NULL, 0));
    return f0t_layer_finish(layer, roles, 1, 0);
}

f0t_status f0t_layer_create_pool(f0t_layer **out, f0t_layer_pool_kind kind,
                                 const f0t_layer_window *window, const f0t_layout *source)
{
    F0T_TRY(f0t_layer_begin(out, f0t_layer_cost_of(source, NULL)));
    return f0t_layer_give(out, fill_pool(*out, kind, window, source));
}

/* ---- Element by element ---------------------------------------------------------------------- */

static f0t_status fill_activation(f0t_layer *layer, const f0t_after *after,
                                  const f0t_layout *source)
{
    static const int roles[] = {DNNL_ARG_SRC};
    dnnl_eltwise_desc_t operation;
    DNN_TRY(dnnl_eltwise_forward_desc_init(&operation, dnnl_forward_inference,
                                           f0t_layer_algorithm(after->kind), &source->desc,
                                           after->alpha, after->beta),
            "describe an activation");
    F0T_TRY(f0t_layer_describe(layer, &operation, NULL, 0));
    return f0t_layer_finish(layer, roles, 1, 0);
}

/* Numbers of an array that has no gaps, with those that fill up blocks; else 0. */
static size_t count_joined(const f0t_layout *layout)
{
    size_t count = 1;
    for (int d = 0; d < layout->desc.ndims; d++)
        count *= (size_t)layout->desc.padded_dims[d];
    return f0t_layout_type(layout) == F0T_F32 && !layout->desc.offset0 &&
                   f0t_layout_bytes(layout) == count * sizeof(float)
               ? count
               : 0;
}

static void run_smooth(void *result, const f0t_layer *layer, const void *const *sources,
                       const void *const *constants, void *scratch)
{
    (void)constants, (void)scratch;
    f0t_smooth_run(result, layer->kernel, sources[0]);
}

static f0t_status fill_smooth(f0t_layer *layer, const f0t_after *after, const f0t_layout *source)
{
    f0t_smooth *smooth;
    F0T_TRY(f0t_alloc(&smooth, 1, sizeof *smooth));
    *smooth = (f0t_smooth){count_joined(source), *after, layer->alone ? 1 : f0t_team_size()};
    layer->kernel = smooth;
    layer->run = run_smooth;
    layer->free = f0t_free;
    layer->source = layer->result = *source;
    layer->source_count = 1;
    return F0T_OK;
}

f0t_status f0t_layer_create_activation(f0t_layer **out, const f0t_after *after,
                                       const f0t_layout *source)
{
    F0T_TRY(f0t_layer_begin(out, f0t_layer_cost_of(source, source)));
    return f0t_layer_give(out, f0t_smooth_suits(after) && count_joined(source)
                                   ? fill_smooth(*out, after, source)
                                   : fill_activation(*out, after, source));
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
    F0T_TRY(f0t_layer_describe(layer, &operation, after, after_count));
    return f0t_layer_finish(layer, roles, 2, 0);
}

f0t_status f0t_layer_create_binary(f0t_layer **out, f0t_layer_binary_kind kind, const f0t_layout *x,
                                   const f0t_layout *y, const f0t_after *after, size_t after_count)
{
    F0T_TRY(f0t_layer_begin(out, f0t_layer_cost_of(x, x)));
    return f0t_layer_give(out, fill_binary(*out, kind, x, y, after, after_count));
}

static f0t_status fill_scaled_sum(f0t_layer *layer, const f0t_layout *x, const f0t_layout *y,
                                  const f0t_layout *result, const float *scales,
                                  const f0t_after *after, size_t after_count)
{
    static const int roles[] = {DNNL_ARG_SRC_0, DNNL_ARG_SRC_1};
    dnnl_binary_desc_t operation;
    dnnl_primitive_attr_t attr;
    DNN_TRY(dnnl_binary_desc_init(&operation, dnnl_binary_add, &x->desc, &y->desc, &result->desc),
            "describe a sum");
    F0T_TRY(f0t_layer_attributes(&attr, after, after_count));
    dnnl_status_t status = dnnl_success;
    for (int k = 0; k < 2 && status == dnnl_success; k++)
        status = dnnl_primitive_attr_set_scales(attr, roles[k], 1, 0, &scales[k]);
    if (status == dnnl_success)
        F0T_TRY(f0t_layer_describe_with(layer, &operation, attr));
    else
        dnnl_primitive_attr_destroy(attr);
    DNN_TRY(status, "scale a sum");
    return f0t_layer_finish(layer, roles, 2, 0);
}

f0t_status f0t_layer_create_scaled_sum(f0t_layer **out, const f0t_layout *x, const f0t_layout *y,
                                       const f0t_layout *result, const float *scales,
                                       const f0t_after *after, size_t after_count)
{
    F0T_TRY(f0t_layer_begin(out, f0t_layer_cost_of(x, result)));
    return f0t_layer_give(out, fill_scaled_sum(*out, x, y, result, scales, after, after_count));
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
    F0T_TRY(f0t_layer_describe(layer, &operation, NULL, 0));
    return f0t_layer_finish(layer, roles, 1, 4);
}

f0t_status f0t_layer_create_norm(f0t_layer **out, const f0t_layout *source, float epsilon,
                                 bool relu)
{
    F0T_TRY(f0t_layer_begin(out, f0t_layer_cost_of(source, source)));
    return f0t_layer_give(out, fill_norm(*out, source, epsilon, relu));
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
        status = f0t_layer_attributes(&attr, NULL, 0);
    if (status == F0T_OK) {
        status = f0t_onednn_status(dnnl_concat_primitive_desc_create(&layer->desc, NULL, (int)count,
                                                                     (int)axis, descs, attr,
                                                                     layer->engine),
                                   "prepare a concatenation");
        dnnl_primitive_attr_destroy(attr);
    }
    if (status == F0T_OK)
        status = f0t_layer_finish(layer, roles, count, 0);
    f0t_free(descs);
    f0t_free(roles);
    return status;
}

f0t_status f0t_layer_create_concat(f0t_layer **out, const f0t_layout *const *sources, size_t count,
                                   size_t axis)
{
    f0t_layer_cost cost = {0};
    for (size_t k = 0; k < count; k++)
        cost.bytes += 2 * (double)f0t_layout_bytes(sources[k]);
    F0T_TRY(f0t_layer_begin(out, cost));
    return f0t_layer_give(out, fill_concat(*out, sources, count, axis));
}

static f0t_status find_scale(float *scale, f0t_grid to, f0t_grid from)
{
    *scale = from.scale / to.scale;
    return isnormal(*scale)
               ? F0T_OK
               : f0t_fail(F0T_ERROR_UNSUPPORTED, "a grid of %g cannot be brought to one of %g",
                          (double)from.scale, (double)to.scale);
}

static f0t_status fill_reorder(f0t_layer *layer, const f0t_layout *to, f0t_grid to_grid,
                               const f0t_layout *from, f0t_grid from_grid)
{
    static const int roles[] = {DNNL_ARG_FROM};
    dnnl_primitive_attr_t attr;
    float scale;
    F0T_TRY(find_scale(&scale, to_grid, from_grid));
    F0T_TRY(f0t_layer_attributes(&attr, NULL, 0));
    dnnl_status_t status =
        scale == 1.0F ? dnnl_success : dnnl_primitive_attr_set_output_scales(attr, 1, 0, &scale);
    if (status == dnnl_success)
        status = f0t_layer_set_zero(attr, DNNL_ARG_FROM, from_grid.zero);
    if (status == dnnl_success)
        status = f0t_layer_set_zero(attr, DNNL_ARG_TO, to_grid.zero);
    if (status == dnnl_success)
        status = dnnl_reorder_primitive_desc_create(&layer->desc, &from->desc, layer->engine,
                                                    &to->desc, layer->engine, attr);
    dnnl_primitive_attr_destroy(attr);
    DNN_TRY(status, "prepare a change of layout");
    return f0t_layer_finish(layer, roles, 1, 0);
}

/* Three channels of float32, one after the other, that become pixels of eight bits. */
static bool is_interleaving(const f0t_layout *to, const f0t_layout *from)
{
    const f0t_dtype type = f0t_layout_type(to);
    size_t in[F0T_LAYER_RANK], out[F0T_LAYER_RANK];
    if (!f0t_interleave_native() || from->desc.ndims != 4 || to->desc.ndims != 4 ||
        from->desc.dims[1] != 3 || f0t_layout_type(from) != F0T_F32 ||
        (type != F0T_U8 && type != F0T_I8) || !f0t_layout_strides(in, from) ||
        !f0t_layout_strides(out, to) || to->desc.extra.flags)
        return false;
    const size_t width = (size_t)from->desc.dims[3], space = (size_t)from->desc.dims[2] * width;
    return in[0] == 3 * space && in[1] == space && in[2] == width && in[3] == 1 &&
           out[0] == 3 * space && out[1] == 1 && out[2] == 3 * width && out[3] == 3;
}

static void run_interleave(void *result, const f0t_layer *layer, const void *const *sources,
                           const void *const *constants, void *scratch)
{
    (void)constants, (void)scratch;
    f0t_interleave_run(result, layer->kernel, sources[0]);
}

static f0t_status fill_interleave(f0t_layer *layer, const f0t_layout *to, f0t_grid to_grid,
                                  const f0t_layout *from, f0t_grid from_grid)
{
    f0t_interleave *interleave;
    float scale;
    F0T_TRY(find_scale(&scale, to_grid, from_grid));
    F0T_TRY(f0t_alloc(&interleave, 1, sizeof *interleave));
    *interleave = (f0t_interleave){.images = (size_t)from->desc.dims[0],
                                   .space = (size_t)(from->desc.dims[2] * from->desc.dims[3]),
                                   .result = f0t_layout_type(to),
                                   .scale = scale,
                                   .zero = (float)to_grid.zero,
                                   .threads = layer->alone ? 1 : f0t_team_size()};
    layer->kernel = interleave;
    layer->run = run_interleave;
    layer->free = f0t_free;
    layer->source = *from;
    layer->result = *to;
    layer->source_count = 1;
    return F0T_OK;
}

f0t_status f0t_layer_create_reorder(f0t_layer **out, const f0t_layout *to, const f0t_layout *from)
{
    const f0t_grid same = {1, 0};
    return f0t_layer_create_regrid(out, to, same, from, same);
}

f0t_status f0t_layer_create_regrid(f0t_layer **out, const f0t_layout *to, f0t_grid to_grid,
                                   const f0t_layout *from, f0t_grid from_grid)
{
    F0T_TRY(f0t_layer_begin(out, f0t_layer_cost_of(to, from)));
    return f0t_layer_give(out, is_interleaving(to, from)
                                   ? fill_interleave(*out, to, to_grid, from, from_grid)
                                   : fill_reorder(*out, to, to_grid, from, from_grid));
}
