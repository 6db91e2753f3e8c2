#include "image/backbone.h"

#include "base/alloc.h"

/* The descriptor works at 256 pixels; networks are given twice what they want, so that their own
 * way of resampling decides. Dense layers want several pictures at a time. */
enum { DESCRIPTOR_SIDE = 256, NETWORK_BATCH = 8 };

size_t f0t_backbone_side(const f0t_backbone *backbone)
{
    const f0t_preprocess *p = &backbone->preprocess;
    if (!backbone->network)
        return DESCRIPTOR_SIDE;
    return 2 * (p->side ? p->side : p->width > p->height ? p->width : p->height);
}

size_t f0t_backbone_batch(const f0t_backbone *backbone)
{
    return backbone->network ? NETWORK_BATCH : 1;
}

static size_t picture_size(const f0t_backbone *backbone)
{
    return 3 * backbone->preprocess.width * backbone->preprocess.height;
}

f0t_status f0t_bench_create(f0t_bench *bench, f0t_backbone *backbone)
{
    *bench = (f0t_bench){.backbone = backbone};
    if (!backbone->network)
        return f0t_descriptor_create(&bench->descriptor);
    return f0t_alloc(&bench->pixels, NETWORK_BATCH * picture_size(backbone), sizeof *bench->pixels);
}

void f0t_bench_free(f0t_bench *bench)
{
    f0t_descriptor_free(bench->descriptor);
    f0t_free(bench->pixels);
    *bench = (f0t_bench){0};
}

f0t_status f0t_bench_take(f0t_bench *bench, float *out, const f0t_picture *picture, size_t i)
{
    const f0t_backbone *backbone = bench->backbone;
    if (!backbone->network)
        return f0t_descriptor_run(bench->descriptor, out + i * f0t_descriptor_dim(), picture->rgb,
                                  picture->width, picture->height);
    return f0t_preprocess_run(bench->pixels + i * picture_size(backbone), &backbone->preprocess,
                              picture, f0t_network_get_input(backbone->network)->channels_last);
}

f0t_status f0t_bench_finish(f0t_bench *bench, float *out, size_t count)
{
    f0t_network *network = bench->backbone->network;
    return network && count ? f0t_network_run(out, network, bench->pixels, count) : F0T_OK;
}
