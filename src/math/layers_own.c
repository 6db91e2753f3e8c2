/* Convolutions by kernels of our own: which there are, and how their arrays lie. */
#include "math/layers_inside.h"

#include "base/team.h"
#include "math/depthwise.h"
#include "math/depthwise_eight.h"
#include "math/grouped.h"
#include "math/point_panels.h"
#include "math/points.h"
#include "math/points_eight.h"
#include "math/tiles_conv.h"
#include "math/winograd.h"

struct f0t_layer_own {
    bool (*suits)(const f0t_layer_conv *conv);
    f0t_status (*create)(void **kernel, const f0t_layer_conv *conv, int threads);
    f0t_status (*describe)(f0t_layer *layer, const f0t_layer_conv *conv);
    f0t_layer_own_run *run;
    void (*free)(void *kernel);
};

/* A kernel as any other; what could not be made as a whole is there to be freed. */
#define KERNEL(name)                                                                        \
    static f0t_status create_##name(void **kernel, const f0t_layer_conv *conv, int threads) \
    {                                                                                       \
        f0t_##name *made = NULL;                                                            \
        const f0t_status status = f0t_##name##_create(&made, conv, threads);                \
        *kernel = made;                                                                     \
        return status;                                                                      \
    }                                                                                       \
    static void free_##name(void *kernel)                                                   \
    {                                                                                       \
        f0t_##name##_free(kernel);                                                          \
    }

/* ---- How arrays lie ---------------------------------------------------------------------------- */

enum { BLOCK = 16, HALF = 8 };

f0t_status f0t_layer_set_blocks(f0t_layout *out, size_t images, size_t channels,
                                const size_t *space, size_t block)
{
    const dnnl_dims_t dims = {(dnnl_dim_t)images, (dnnl_dim_t)channels, (dnnl_dim_t)space[0],
                              (dnnl_dim_t)space[1]};
    DNN_TRY(dnnl_memory_desc_init_by_tag(&out->desc, 4, dims, dnnl_f32,
                                         block == BLOCK ? dnnl_aBcd16b : dnnl_aBcd8b),
            "describe an array");
    return F0T_OK;
}

static f0t_status set_in_blocks(f0t_layer *layer, const f0t_layer_conv *c, size_t block)
{
    F0T_TRY(f0t_layer_set_blocks(&layer->source, c->images, c->channels, c->in, block));
    return f0t_layer_set_blocks(&layer->result, c->images, c->filters, c->window.out, block);
}

static f0t_status set_last(f0t_layout *out, size_t images, size_t channels, const size_t *space,
                           f0t_dtype type)
{
    const size_t dims[] = {images, channels, space[0], space[1]};
    f0t_layout *made;
    F0T_TRY(f0t_layout_create_channels_last(&made, 4, dims, type));
    *out = *made;
    f0t_layout_free(made);
    return F0T_OK;
}

static f0t_status set_channels_last(f0t_layer *layer, const f0t_layer_conv *c)
{
    F0T_TRY(set_last(&layer->source, c->images, c->channels, c->in, c->type));
    return set_last(&layer->result, c->images, c->filters, c->window.out, c->result);
}

static f0t_status set_filters(f0t_layer *layer, const f0t_layer_conv *c, const size_t *kernel,
                              dnnl_format_tag_t tag)
{
    const dnnl_dims_t dims = {(dnnl_dim_t)c->filters, (dnnl_dim_t)c->channels,
                              (dnnl_dim_t)kernel[0], (dnnl_dim_t)kernel[1]};
    DNN_TRY(dnnl_memory_desc_init_by_tag(&layer->weights.desc, 4, dims,
                                         c->rescale ? dnnl_s8 : dnnl_f32, tag),
            "describe filters");
    return F0T_OK;
}

/* ---- Bytes on tiles ---------------------------------------------------------------------------- */

KERNEL(tiles_conv)

/* Tiles are for 16 filters and 64 channels each. */
static f0t_status describe_tiles(f0t_layer *layer, const f0t_layer_conv *c)
{
    layer->scratch = f0t_tiles_conv_scratch(layer->kernel);
    F0T_TRY(set_channels_last(layer, c));
    return set_filters(layer, c, c->window.kernel, dnnl_ABcd16b16a4b);
}

static void run_tiles(void *result, const f0t_layer *layer, const void *const *sources,
                      const void *const *constants, void *scratch)
{
    f0t_tiles_conv_run(result, layer->kernel, sources[0], constants[0], constants[1], scratch);
}

/* ---- Winograd's -------------------------------------------------------------------------------- */

KERNEL(winograd)

/* Where filters are transformed before the first run. */
static bool suits_early_winograd(const f0t_layer_conv *c)
{
    return f0t_winograd_suits(c) && !f0t_layer_conv_is_late(c);
}

static f0t_status describe_winograd(f0t_layer *layer, const f0t_layer_conv *c)
{
    static const size_t places[2] = {F0T_WINOGRAD_SIDE, F0T_WINOGRAD_SIDE};
    layer->scratch = f0t_winograd_scratch(layer->kernel);
    F0T_TRY(set_in_blocks(layer, c, f0t_winograd_block()));
    return set_filters(layer, c, places, dnnl_abcd);
}

static void run_winograd(void *result, const f0t_layer *layer, const void *const *sources,
                         const void *const *constants, void *scratch)
{
    f0t_winograd_run(result, layer->kernel, sources[0], constants[0], constants[1], scratch);
}

/* ---- Groups ------------------------------------------------------------------------------------ */

KERNEL(grouped)

/* Filters lie as [3 x 3][channel of a group][filter]. */
static f0t_status describe_grouped(f0t_layer *layer, const f0t_layer_conv *c)
{
    const size_t group = c->channels / c->groups;
    const dnnl_dims_t filters = {(dnnl_dim_t)c->groups, (dnnl_dim_t)group, (dnnl_dim_t)group, 3, 3};
    const dnnl_dim_t line = (dnnl_dim_t)c->filters, tap = (dnnl_dim_t)(group * c->filters);
    const dnnl_dims_t strides = {(dnnl_dim_t)group, 1, line, 3 * tap, tap};
    F0T_TRY(f0t_grouped_blocks(layer->kernel) ? set_in_blocks(layer, c, HALF)
                                              : set_channels_last(layer, c));
    DNN_TRY(dnnl_memory_desc_init_by_strides(&layer->weights.desc, 5, filters, dnnl_f32, strides),
            "describe filters");
    return F0T_OK;
}

static void run_grouped(void *result, const f0t_layer *layer, const void *const *sources,
                        const void *const *constants, void *scratch)
{
    (void)scratch;
    f0t_grouped_run(result, layer->kernel, sources[0], constants[0], constants[1]);
}

/* ---- Depthwise --------------------------------------------------------------------------------- */

KERNEL(depthwise)
KERNEL(depthwise_eight)

/* Filters lie as [row][column][channel]. */
static f0t_status describe_depthwise_last(f0t_layer *layer, const f0t_layer_conv *c)
{
    const dnnl_dim_t line = (dnnl_dim_t)c->filters, taps = (dnnl_dim_t)c->window.kernel[0];
    const dnnl_dims_t filters = {line, 1, 1, taps, taps},
                      strides = {1, line, line, taps * line, line};
    F0T_TRY(set_channels_last(layer, c));
    DNN_TRY(dnnl_memory_desc_init_by_strides(&layer->weights.desc, 5, filters,
                                             c->rescale ? dnnl_s8 : dnnl_f32, strides),
            "describe filters");
    return F0T_OK;
}

/* The same in each block of eight channels. */
static f0t_status describe_depthwise(f0t_layer *layer, const f0t_layer_conv *c)
{
    const dnnl_dim_t taps = (dnnl_dim_t)c->window.kernel[0];
    const dnnl_dims_t filters = {(dnnl_dim_t)c->filters, 1, 1, taps, taps};
    if (!f0t_depthwise_in_blocks())
        return describe_depthwise_last(layer, c);
    F0T_TRY(set_in_blocks(layer, c, HALF));
    DNN_TRY(dnnl_memory_desc_init_by_tag(&layer->weights.desc, 5, filters, dnnl_f32, dnnl_Abcde8a),
            "describe filters");
    return F0T_OK;
}

static void run_depthwise(void *result, const f0t_layer *layer, const void *const *sources,
                          const void *const *constants, void *scratch)
{
    (void)scratch;
    f0t_depthwise_run(result, layer->kernel, sources[0], constants[0], constants[1]);
}

static void run_depthwise_eight(void *result, const f0t_layer *layer, const void *const *sources,
                                const void *const *constants, void *scratch)
{
    (void)scratch;
    f0t_depthwise_eight_run(result, layer->kernel, sources[0], constants[0], constants[1]);
}

/* ---- Of 1 x 1 ---------------------------------------------------------------------------------- */

KERNEL(points)
KERNEL(points_eight)
KERNEL(point_panels)

static f0t_status describe_points(f0t_layer *layer, const f0t_layer_conv *c)
{
    layer->scratch = f0t_points_scratch(layer->kernel);
    layer->source_count = c->gated ? 2 : 1;
    F0T_TRY(set_channels_last(layer, c));
    return set_filters(layer, c, c->window.kernel, dnnl_Acdb48a);
}

static void run_points(void *result, const f0t_layer *layer, const void *const *sources,
                       const void *const *constants, void *scratch)
{
    const f0t_points_arrays in = {sources[0], layer->source_count > 1 ? sources[1] : NULL,
                                  constants[0], constants[1]};
    f0t_points_run(result, layer->kernel, &in, scratch);
}

static f0t_status describe_points_eight(f0t_layer *layer, const f0t_layer_conv *c)
{
    F0T_TRY(set_channels_last(layer, c));
    return set_filters(layer, c, c->window.kernel, dnnl_ABcd4b16a4b);
}

static void run_points_eight(void *result, const f0t_layer *layer, const void *const *sources,
                             const void *const *constants, void *scratch)
{
    (void)scratch;
    f0t_points_eight_run(result, layer->kernel, sources[0], constants[0], constants[1]);
}

static f0t_status describe_point_panels(f0t_layer *layer, const f0t_layer_conv *c)
{
    layer->scratch = f0t_point_panels_scratch(layer->kernel);
    F0T_TRY(set_in_blocks(layer, c, HALF));
    return set_filters(layer, c, c->window.kernel, dnnl_Acdb16a);
}

static void run_point_panels(void *result, const f0t_layer *layer, const void *const *sources,
                             const void *const *constants, void *scratch)
{
    f0t_point_panels_run(result, layer->kernel, sources[0], constants[0], constants[1], scratch);
}

/* ---- All --------------------------------------------------------------------------------------- */

/* The first one that suits is taken. */
static const f0t_layer_own all[] = {
    {f0t_tiles_conv_suits, create_tiles_conv, describe_tiles, run_tiles, free_tiles_conv},
    {suits_early_winograd, create_winograd, describe_winograd, run_winograd, free_winograd},
    {f0t_grouped_suits, create_grouped, describe_grouped, run_grouped, free_grouped},
    {f0t_depthwise_suits, create_depthwise, describe_depthwise, run_depthwise, free_depthwise},
    {f0t_depthwise_eight_suits, create_depthwise_eight, describe_depthwise_last,
     run_depthwise_eight, free_depthwise_eight},
    {f0t_points_suits, create_points, describe_points, run_points, free_points},
    {f0t_points_eight_suits, create_points_eight, describe_points_eight, run_points_eight,
     free_points_eight},
    {f0t_point_panels_suits, create_point_panels, describe_point_panels, run_point_panels,
     free_point_panels},
};

const f0t_layer_own *f0t_layer_own_find(const f0t_layer_conv *conv)
{
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        if (all[k].suits(conv))
            return &all[k];
    return NULL;
}

f0t_status f0t_layer_own_fill(f0t_layer *layer, const f0t_layer_own *own,
                              const f0t_layer_conv *conv)
{
    const int threads = layer->alone ? 1 : f0t_team_size();
    layer->run = own->run;
    layer->free = own->free;
    F0T_TRY(own->create(&layer->kernel, conv, threads));
    return own->describe(layer, conv);
}

bool f0t_layer_conv_takes_sum(const f0t_layer_conv *conv)
{
    return conv->rescale && !f0t_tiles_conv_suits(conv) && !f0t_depthwise_eight_suits(conv);
}

bool f0t_layer_conv_takes_gates(const f0t_layer_conv *conv)
{
    return conv->gated && f0t_points_suits(conv);
}
