/* Convolutions, and dense layers of eight bits. */
#include "math/layers_inside.h"

#include "base/cpu.h"
#include "base/team.h"
#include "math/tiles.h"
#include "math/winograd.h"

#include <string.h>

/* ---- Convolution ----------------------------------------------------------------------------- */

typedef struct conv_descs {
    dnnl_memory_desc_t x, w, bias, y;
    f0t_layer_steps steps;
} conv_descs;

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
    f0t_layer_set_window(&d->steps, &c->window, c->in);
    F0T_TRY(f0t_layer_describe_any(&d->x, rank + 2, x, c->type));
    F0T_TRY(f0t_layer_describe_any(&d->w, rank + lead, w, c->rescale ? F0T_I8 : c->type));
    F0T_TRY(f0t_layer_describe_any(&d->y, rank + 2, y, c->result));
    if (source)
        d->x = source->desc;
    DNN_TRY(dnnl_memory_desc_init_by_tag(&d->bias, 1, bias, dnnl_f32, dnnl_a), "describe a bias");
    return F0T_OK;
}

static f0t_layer_cost cost_of_conv(const f0t_layer_conv *c)
{
    double in = (double)c->channels, out = (double)c->filters, window = 1;
    for (size_t k = 0; k < c->window.rank; k++) {
        in *= (double)c->in[k];
        out *= (double)c->window.out[k];
        window *= (double)c->window.kernel[k];
    }
    const double weights = (double)c->filters * (double)(c->channels / c->groups) * window;
    return (f0t_layer_cost){
        .products = (double)c->images * out * window * (double)(c->channels / c->groups),
        .bytes = (double)f0t_dtype_size(c->type) * ((double)c->images * (in + out) + weights),
        .type = c->type};
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

/* Filters of 3 x 3 take four times their room once they are transformed. That is done before the first run, but for
 * layers of so much work that doing it in each run, in scratch that all layers share, costs little: as long as the
 * products of about twelve tiles, at most a quarter more of the layer. docs/performance.md has the measurements. */
enum { LATE_TILES = 48, TILE = 4 };
static const double LATE_PRODUCTS = 0.75e9;

bool f0t_layer_conv_is_late(const f0t_layer_conv *c)
{
    if (f0t_cpu_level() != F0T_CPU_WIDEST) /* oneDNN does not have it */
        return false;
    const size_t rows = c->window.out[0], columns = c->window.out[1];
    const size_t tiles = c->images * ((rows + TILE - 1) / TILE) * ((columns + TILE - 1) / TILE);
    return tiles >= LATE_TILES && cost_of_conv(c).products >= LATE_PRODUCTS;
}

bool f0t_layer_conv_prefers_f32(const f0t_layer_conv *c)
{
    return f0t_tiles_native() || (suits_winograd(c) && c->channels >= 64 && c->filters >= 64 &&
                                  c->window.out[0] * c->window.out[1] >= 28 * 28);
}

/* How oneDNN is asked for a convolution. */
typedef enum conv_way { DIRECT, WINOGRAD, WINOGRAD_LATE } conv_way;

static f0t_status fill_conv(f0t_layer *layer, const f0t_layer_conv *c, const f0t_layout *source,
                            conv_way way)
{
    static const int roles[] = {DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_BIAS};
    conv_descs d;
    dnnl_convolution_desc_t operation;
    F0T_TRY(fill_descs(&d, c, source));
    /* Filters that training changes are transformed in every run. */
    DNN_TRY(dnnl_dilated_convolution_forward_desc_init(
                &operation, way == WINOGRAD_LATE ? dnnl_forward_training : dnnl_forward_inference,
                way == DIRECT ? dnnl_convolution_direct : dnnl_convolution_winograd, &d.x, &d.w,
                &d.bias, &d.y, d.steps.strides, d.steps.dilations, d.steps.before, d.steps.after),
            "describe a convolution");
    F0T_TRY(c->rescale ? f0t_layer_describe_rescaled(layer, &operation, c->after, c->after_count,
                                                     c->rescale, c->filters)
                       : f0t_layer_describe(layer, &operation, c->after, c->after_count));
    return f0t_layer_finish(layer, roles, 1, 2);
}

/* Alone, oneDNN prefers channels last for filters of 1 x 1, and blocks for Winograd's: between the two, every array is
 * rewritten. Those of 1 x 1 and depthwise ones are as fast in blocks of 16, those of AVX-512. */
enum { BLOCK = 16 };

static bool has_blocks(const f0t_layout *source)
{
    return source && f0t_layout_type(source) == F0T_F32 && f0t_layout_has_blocks(source, BLOCK);
}

static bool suits_blocks(const f0t_layer_conv *c, const f0t_layout *source)
{
    bool points = c->groups == 1, depthwise = c->groups == c->channels && c->groups == c->filters;
    for (size_t k = 0; k < c->window.rank; k++)
        points &= c->window.kernel[k] == 1;
    return c->type == F0T_F32 && c->window.rank == 2 &&
           (has_blocks(source) ? points || depthwise
                               : c->blocks && points && c->channels % BLOCK == 0);
}

bool f0t_layer_conv_wants_blocks(const f0t_layer_conv *c)
{
    return f0t_winograd_block() == BLOCK && c->type == F0T_F32 && suits_winograd(c);
}

/* In blocks; *out is NULL where there is no fast kernel for it. */
static f0t_status create_in_blocks(f0t_layer **out, const f0t_layer_conv *conv,
                                   const f0t_layout *source, const f0t_layer_cost *cost)
{
    f0t_layout blocks;
    F0T_TRY(f0t_layer_set_blocks(&blocks, conv->images, conv->channels, conv->in, BLOCK));
    F0T_TRY(f0t_layer_begin(out, *cost));
    f0t_status status =
        f0t_layer_give(out, fill_conv(*out, conv, has_blocks(source) ? source : &blocks, DIRECT));
    if (status == F0T_ERROR_UNSUPPORTED)
        return F0T_OK;
    if (status == F0T_OK && (strncmp(f0t_layer_kernel(*out), "jit", 3) != 0 ||
                             !f0t_layout_has_blocks(f0t_layer_result(*out), BLOCK))) {
        f0t_layer_free(*out);
        *out = NULL;
    }
    return status;
}

f0t_status f0t_layer_create_conv(f0t_layer **out, const f0t_layer_conv *conv,
                                 const f0t_layout *source)
{
    const f0t_layer_cost cost = cost_of_conv(conv);
    f0t_status status;
    const f0t_layer_own *own = f0t_layer_own_find(conv);
    if (own) {
        F0T_TRY(f0t_layer_begin(out, cost));
        return f0t_layer_give(out, f0t_layer_own_fill(*out, own, conv));
    }
    if (suits_blocks(conv, source)) {
        F0T_TRY(create_in_blocks(out, conv, source, &cost));
        if (*out)
            return F0T_OK;
    }
    if (conv->type == F0T_F32 && suits_winograd(conv)) {
        F0T_TRY(f0t_layer_begin(out, cost));
        status =
            f0t_layer_give(out, fill_conv(*out, conv, NULL,
                                          f0t_layer_conv_is_late(conv) ? WINOGRAD_LATE : WINOGRAD));
        if (status != F0T_ERROR_UNSUPPORTED) /* this CPU has it, for this shape */
            return status;
    }
    F0T_TRY(f0t_layer_begin(out, cost));
    return f0t_layer_give(out, fill_conv(*out, conv, NULL, DIRECT));
}

/* ---- Dense layers of eight bits -------------------------------------------------------------- */

static f0t_status fill_dense(f0t_layer *layer, const f0t_layer_dense *c)
{
    static const int roles[] = {DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_BIAS};
    dnnl_dims_t x = {(dnnl_dim_t)c->rows, (dnnl_dim_t)c->inputs},
                w = {(dnnl_dim_t)c->inputs, (dnnl_dim_t)c->outputs},
                y = {(dnnl_dim_t)c->rows, (dnnl_dim_t)c->outputs},
                bias = {1, (dnnl_dim_t)c->outputs};
    dnnl_memory_desc_t xd, wd, yd, bd;
    dnnl_matmul_desc_t operation;
    DNN_TRY(dnnl_memory_desc_init_by_tag(&xd, 2, x, f0t_onednn_data_type(c->type), dnnl_ab),
            "describe an array");
    F0T_TRY(f0t_layer_describe_any(&wd, 2, w, F0T_I8));
    DNN_TRY(dnnl_memory_desc_init_by_tag(&yd, 2, y, f0t_onednn_data_type(c->result), dnnl_ab),
            "describe an array");
    DNN_TRY(dnnl_memory_desc_init_by_tag(&bd, 2, bias, dnnl_f32, dnnl_ab), "describe a bias");
    DNN_TRY(dnnl_matmul_desc_init(&operation, &xd, &wd, &bd, &yd), "describe a product");
    F0T_TRY(f0t_layer_describe_rescaled(layer, &operation, c->after, c->after_count, c->rescale,
                                        c->outputs));
    return f0t_layer_finish(layer, roles, 1, 2);
}

f0t_status f0t_layer_create_dense(f0t_layer **out, const f0t_layer_dense *dense)
{
    const double weights = (double)dense->inputs * (double)dense->outputs;
    F0T_TRY(f0t_layer_begin(out, (f0t_layer_cost){.products = (double)dense->rows * weights,
                                                  .bytes = weights,
                                                  .type = dense->type}));
    return f0t_layer_give(out, fill_dense(*out, dense));
}
