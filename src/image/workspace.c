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

/* ---- Workspaces -------------------------------------------------------------------------------------- */

static f0t_status fill(f0t_image_workspace *workspace, f0t_backbone *backbone)
{
    workspace->backbone = backbone;
    workspace->plan.preprocess = &backbone->preprocess;
    F0T_TRY(f0t_worker_create(&workspace->worker));
    if (!backbone->network)
        return f0t_descriptor_create(&workspace->descriptor);
    return f0t_alloc(&workspace->pixels, BATCH * picture_size(backbone), sizeof *workspace->pixels);
}

f0t_status f0t_image_workspace_acquire(f0t_image_workspace **out, f0t_backbone *backbone)
{
    pthread_mutex_lock(&backbone->lock);
    *out = backbone->idle;
    if (*out)
        backbone->idle = (*out)->next;
    pthread_mutex_unlock(&backbone->lock);
    if (*out)
        return F0T_OK;
    f0t_image_workspace *workspace;
    F0T_TRY(f0t_alloc_zero(&workspace, 1, sizeof *workspace));
    f0t_status status = fill(workspace, backbone);
    if (status == F0T_OK)
        *out = workspace;
    else
        f0t_image_workspace_free(workspace);
    return status;
}

void f0t_image_workspace_release(f0t_image_workspace *workspace)
{
    if (!workspace)
        return;
    f0t_backbone *backbone = workspace->backbone;
    f0t_worker_expect_none(workspace->worker); /* by the next time the picture may be another */
    pthread_mutex_lock(&backbone->lock);
    workspace->next = backbone->idle;
    backbone->idle = workspace;
    pthread_mutex_unlock(&backbone->lock);
}

void f0t_image_workspace_free(f0t_image_workspace *workspace)
{
    if (!workspace)
        return;
    f0t_worker_free(workspace->worker);
    f0t_descriptor_free(workspace->descriptor);
    f0t_preprocess_plan_free(&workspace->plan);
    f0t_free(workspace->pixels);
    f0t_free(workspace);
}

/* ---- Pictures ------------------------------------------------------------------------------------- */

static f0t_status describe(f0t_image_workspace *workspace, float *out, size_t i,
                           const f0t_picture *picture)
{
    const f0t_backbone *backbone = workspace->backbone;
    if (!backbone->network)
        return f0t_descriptor_run(workspace->descriptor, out + i * f0t_descriptor_dim(),
                                  picture->rgb, picture->width, picture->height);
    return f0t_preprocess_run(workspace->pixels + i * picture_size(backbone), &workspace->plan,
                              picture, f0t_network_get_input(backbone->network)->channels_last);
}

f0t_status f0t_image_workspace_add(f0t_image_workspace *workspace, float *out, size_t i,
                                   const char *path, const char *next)
{
    const size_t side = side_of(workspace->backbone);
    /* Networks were trained on pixels as files have them: their programs know no profiles. */
    const bool plain = workspace->backbone->network != NULL;
    f0t_picture picture;
    f0t_status status = f0t_worker_decode(workspace->worker, &picture, path, side, plain);
    if (next)
        f0t_worker_expect(workspace->worker, next, side, plain);
    return status == F0T_OK ? describe(workspace, out, i, &picture) : status;
}

f0t_status f0t_image_workspace_run(f0t_image_workspace *workspace, float *out, size_t count,
                                   const f0t_monitor *monitor)
{
    f0t_network *network = workspace->backbone->network;
    if (!network || !count)
        return F0T_OK;
    return f0t_network_run_watched(out, network, workspace->pixels, count, monitor);
}
