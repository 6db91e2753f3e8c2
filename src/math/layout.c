/* How arrays lie in memory. */
#include "math/layers_inside.h"

#include "base/alloc.h"
#include "base/hash.h"
#include "math/winograd.h"

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

bool f0t_layout_is_matrix(const f0t_layout *layout, size_t rows)
{
    return layout->desc.ndims == 2 && layout->desc.dims[0] == (dnnl_dim_t)rows;
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

static uint64_t hash_dims(uint64_t hash, const dnnl_dim_t *dims, int count)
{
    return f0t_hash(hash, dims, (size_t)count * sizeof *dims);
}

static uint64_t hash_number(uint64_t hash, int64_t number)
{
    return f0t_hash(hash, &number, sizeof number);
}

static uint64_t hash_wino(uint64_t hash, const dnnl_wino_desc_t *w)
{
    const int64_t numbers[] = {
        w->wino_format, w->r,        w->alpha,     w->ic,        w->oc,
        w->ic_block,    w->oc_block, w->ic2_block, w->oc2_block, (int64_t)w->size};
    return f0t_hash(hash, numbers, sizeof numbers);
}

/* Field by field: between them there may be anything. */
uint64_t f0t_onednn_fingerprint(const dnnl_memory_desc_t *d)
{
    const dnnl_blocking_desc_t *b = &d->format_desc.blocking;
    uint64_t hash = hash_dims(F0T_HASH_START, d->dims, d->ndims);
    hash = hash_dims(hash, d->padded_dims, d->ndims);
    hash = hash_dims(hash, d->padded_offsets, d->ndims);
    hash = hash_number(hash, d->offset0);
    hash = hash_number(hash, d->data_type);
    hash = hash_number(hash, d->format_kind);
    hash = hash_number(hash, (int64_t)d->extra.flags);
    hash = hash_number(hash, d->extra.compensation_mask);
    if (d->format_kind == dnnl_format_kind_wino)
        return hash_wino(hash, &d->format_desc.wino_desc);
    if (d->format_kind != dnnl_blocked)
        return hash;
    hash = hash_dims(hash, b->strides, d->ndims);
    hash = hash_dims(hash, b->inner_blks, b->inner_nblks);
    return hash_dims(hash, b->inner_idxs, b->inner_nblks);
}

uint64_t f0t_layout_fingerprint(const f0t_layout *layout)
{
    return f0t_onednn_fingerprint(&layout->desc);
}

size_t f0t_layout_bytes(const f0t_layout *layout)
{
    return dnnl_memory_desc_get_size(&layout->desc);
}

f0t_status f0t_layout_convert(const f0t_layout *to_layout, void *to, const f0t_layout *from_layout,
                              const void *from)
{
    const dnnl_dim_t *dims = to_layout->desc.dims;
    if (to_layout->desc.ndims == 4 && dims[2] == F0T_WINOGRAD_SIDE &&
        from_layout->desc.dims[2] == 3) {
        f0t_winograd_filters(to, from, (size_t)dims[0], (size_t)dims[1]);
        return F0T_OK;
    }
    return f0t_onednn_reorder(&to_layout->desc, to, &from_layout->desc, f0t_onednn_writable(from));
}

bool f0t_layout_strides(size_t *strides, const f0t_layout *layout)
{
    const dnnl_memory_desc_t *d = &layout->desc;
    if (d->format_kind != dnnl_blocked || d->format_desc.blocking.inner_nblks || d->offset0)
        return false;
    for (int k = 0; k < d->ndims; k++)
        strides[k] = (size_t)d->format_desc.blocking.strides[k];
    return true;
}

bool f0t_layout_has_blocks(const f0t_layout *layout, size_t channels)
{
    const dnnl_memory_desc_t *d = &layout->desc;
    return d->format_kind == dnnl_blocked && d->format_desc.blocking.inner_nblks == 1 &&
           d->format_desc.blocking.inner_idxs[0] == 1 &&
           d->format_desc.blocking.inner_blks[0] == (dnnl_dim_t)channels;
}

/* Blocks of channels alone, and channels that are one piece of memory each. */
static bool can_be_part(const dnnl_memory_desc_t *d)
{
    const dnnl_blocking_desc_t *blocks = &d->format_desc.blocking;
    dnnl_dim_t together = 1;
    if (d->format_kind != dnnl_blocked || d->ndims < 2 || d->dims[0] != 1 || d->offset0 ||
        d->extra.flags != dnnl_memory_extra_flag_none)
        return false;
    for (int k = 0; k < d->ndims; k++)
        if (d->dims[k] != d->padded_dims[k])
            return false;
    for (int k = 0; k < blocks->inner_nblks; k++) {
        together *= blocks->inner_blks[k];
        if (blocks->inner_idxs[k] != 1)
            return false;
    }
    return d->dims[1] / together * blocks->strides[1] == blocks->strides[0];
}

static bool lie_alike(const dnnl_memory_desc_t *x, const dnnl_memory_desc_t *y)
{
    const dnnl_blocking_desc_t *bx = &x->format_desc.blocking, *by = &y->format_desc.blocking;
    if (x->ndims != y->ndims || x->data_type != y->data_type || bx->inner_nblks != by->inner_nblks)
        return false;
    for (int k = 0; k < bx->inner_nblks; k++)
        if (bx->inner_blks[k] != by->inner_blks[k])
            return false;
    for (int k = 1; k < x->ndims; k++)
        if (bx->strides[k] != by->strides[k] || (k > 1 && x->dims[k] != y->dims[k]))
            return false;
    return true;
}

f0t_status f0t_layout_stack(f0t_layout **out, const f0t_layout *const *parts, size_t count)
{
    dnnl_memory_desc_t whole = parts[0]->desc;
    *out = NULL;
    for (size_t k = 0; k < count; k++)
        if (!can_be_part(&parts[k]->desc) || !lie_alike(&parts[0]->desc, &parts[k]->desc))
            return F0T_OK;
    for (size_t k = 1; k < count; k++) {
        whole.dims[1] += parts[k]->desc.dims[1];
        whole.format_desc.blocking.strides[0] += parts[k]->desc.format_desc.blocking.strides[0];
    }
    whole.padded_dims[1] = whole.dims[1];
    return make_layout(out, &whole);
}
