/* How arrays lie in memory. */
#include "math/layers_inside.h"

#include "base/alloc.h"

static f0t_status make_layout(f0t_layout **out, const dnnl_memory_desc_t *desc)
{
    F0T_TRY(f0t_alloc(out, 1, sizeof **out));
    (*out)->desc = *desc;
    return F0T_OK;
}

static void set_dims(dnnl_dims_t to, size_t rank, const size_t *dims)
{
    for (size_t d = 0; d < rank; d++)
        to[d] = (dnnl_dim_t)dims[d];
}

f0t_status f0t_layout_create_strided(f0t_layout **out, size_t rank, const size_t *dims,
                                     const size_t *strides, f0t_dtype type)
{
    dnnl_memory_desc_t desc;
    dnnl_dims_t sizes, steps;
    *out = NULL;
    if (rank < 1 || rank > F0T_LAYER_RANK)
        return f0t_fail(F0T_ERROR_ARGUMENT, "a layout of %zu dimensions", rank);
    set_dims(sizes, rank, dims);
    set_dims(steps, rank, strides);
    DNN_TRY(dnnl_memory_desc_init_by_strides(&desc, (int)rank, sizes, f0t_onednn_data_type(type),
                                             steps),
            "describe an array");
    return make_layout(out, &desc);
}

f0t_status f0t_layout_create(f0t_layout **out, size_t rank, const size_t *dims, f0t_dtype type)
{
    size_t strides[F0T_LAYER_RANK] = {0}, stride = 1;
    for (size_t d = rank < F0T_LAYER_RANK ? rank : F0T_LAYER_RANK; d-- > 0;) {
        strides[d] = stride;
        stride *= dims[d];
    }
    return f0t_layout_create_strided(out, rank, dims, strides, type);
}

f0t_status f0t_layout_create_channels_last(f0t_layout **out, size_t rank, const size_t *dims,
                                           f0t_dtype type)
{
    size_t strides[F0T_LAYER_RANK] = {0};
    if (rank < 3 || rank > F0T_LAYER_RANK)
        return f0t_layout_create(out, rank, dims, type);
    strides[1] = 1;
    size_t stride = dims[1];
    for (size_t d = rank; d-- > 2;) {
        strides[d] = stride;
        stride *= dims[d];
    }
    strides[0] = stride;
    return f0t_layout_create_strided(out, rank, dims, strides, type);
}

f0t_status f0t_layout_copy_as(f0t_layout **out, const f0t_layout *layout, f0t_dtype type)
{
    F0T_TRY(f0t_layout_copy(out, layout));
    (*out)->desc.data_type = f0t_onednn_data_type(type);
    return F0T_OK;
}

f0t_dtype f0t_layout_type(const f0t_layout *layout)
{
    switch (layout->desc.data_type) {
    case dnnl_u8:
        return F0T_U8;
    case dnnl_s8:
        return F0T_I8;
    case dnnl_bf16:
        return F0T_BF16;
    default:
        return F0T_F32;
    }
}

f0t_status f0t_layout_copy(f0t_layout **out, const f0t_layout *layout)
{
    *out = NULL;
    return make_layout(out, &layout->desc);
}

void f0t_layout_free(f0t_layout *layout)
{
    f0t_free(layout);
}

bool f0t_layout_equal(const f0t_layout *x, const f0t_layout *y)
{
    return dnnl_memory_desc_equal(&x->desc, &y->desc) != 0;
}

size_t f0t_layout_bytes(const f0t_layout *layout)
{
    return dnnl_memory_desc_get_size(&layout->desc);
}

f0t_status f0t_layout_convert(const f0t_layout *to_layout, void *to, const f0t_layout *from_layout,
                              const void *from)
{
    return f0t_onednn_reorder(&to_layout->desc, to, &from_layout->desc, f0t_onednn_writable(from));
}
