#include "image/backbone.h"

#include "base/alloc.h"
#include "onnx/network.h"

/* The descriptor works at 256 pixels; networks are given twice what they want, so that their own
 * way of resampling decides. Dense layers want several pictures at a time. */
enum { DESCRIPTOR_SIDE = 256, BATCH = 8 };

static size_t side_of(const f0t_backbone *backbone)
{
    const f0t_preprocess *p = &backbone->preprocess;
    if (!backbone->network)
        return DESCRIPTOR_SIDE;
    return 2 * (p->side ? p->side : p->width > p->height ? p->width : p->height);
}

size_t f0t_backbone_batch(const f0t_backbone *backbone)
{
    (void)backbone;
    return BATCH;
}

static size_t picture_size(const f0t_backbone *backbone)
{
    return 3 * backbone->preprocess.width * backbone->preprocess.height;
}

/* ---- Benches -------------------------------------------------------------------------------------- */

static f0t_status fill(f0t_bench *bench, f0t_backbone *backbone)
{
    bench->backbone = backbone;
    bench->plan.preprocess = &backbone->preprocess;
    F0T_TRY(f0t_worker_create(&bench->worker));
    if (!backbone->network)
        return f0t_descriptor_create(&bench->descriptor);
    return f0t_alloc(&bench->pixels, BATCH * picture_size(backbone), sizeof *bench->pixels);
}

f0t_status f0t_bench_need(f0t_bench **out, f0t_backbone *backbone)
{
    pthread_mutex_lock(&backbone->lock);
    *out = backbone->idle;
    if (*out)
        backbone->idle = (*out)->next;
    pthread_mutex_unlock(&backbone->lock);
    if (*out)
        return F0T_OK;
    f0t_bench *bench;
    F0T_TRY(f0t_alloc_zero(&bench, 1, sizeof *bench));
    f0t_status status = fill(bench, backbone);
    if (status == F0T_OK)
        *out = bench;
    else
        f0t_bench_free(bench);
    return status;
}

void f0t_bench_give(f0t_bench *bench)
{
    if (!bench)
        return;
    f0t_backbone *backbone = bench->backbone;
    f0t_worker_expect_none(bench->worker); /* by the next time the picture may be another */
    pthread_mutex_lock(&backbone->lock);
    bench->next = backbone->idle;
    backbone->idle = bench;
    pthread_mutex_unlock(&backbone->lock);
}

void f0t_bench_free(f0t_bench *bench)
{
    if (!bench)
        return;
    f0t_worker_free(bench->worker);
    f0t_descriptor_free(bench->descriptor);
    f0t_preprocess_plan_free(&bench->plan);
    f0t_free(bench->pixels);
    f0t_free(bench);
}

/* ---- Pictures ------------------------------------------------------------------------------------- */

static f0t_status describe(f0t_bench *bench, float *out, size_t i, const f0t_picture *picture)
{
    const f0t_backbone *backbone = bench->backbone;
    if (!backbone->network)
        return f0t_descriptor_run(bench->descriptor, out + i * f0t_descriptor_dim(), picture->rgb,
                                  picture->width, picture->height);
    return f0t_preprocess_run(bench->pixels + i * picture_size(backbone), &bench->plan, picture,
                              f0t_network_get_input(backbone->network)->channels_last);
}

f0t_status f0t_bench_take(f0t_bench *bench, float *out, size_t i, const char *path,
                          const char *next)
{
    const size_t side = side_of(bench->backbone);
    /* Networks were trained on pixels as files have them: their programs know no profiles. */
    const bool plain = bench->backbone->network != NULL;
    f0t_picture picture;
    f0t_status status = f0t_worker_decode(bench->worker, &picture, path, side, plain);
    if (next)
        f0t_worker_expect(bench->worker, next, side, plain);
    return status == F0T_OK ? describe(bench, out, i, &picture) : status;
}

f0t_status f0t_bench_finish(f0t_bench *bench, float *out, size_t count, const f0t_monitor *monitor)
{
    f0t_network *network = bench->backbone->network;
    if (!network || !count)
        return F0T_OK;
    return f0t_network_run_watched(out, network, bench->pixels, count, monitor);
}
