/* Features of pictures: f0t_backbone_run, whose threads each have a workspace. */
#include "image/backbone.h"

#include "base/alloc.h"
#include "base/monitor.h"
#include "image/parallel.h"
#include "onnx/network.h"

#include <string.h>

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

/* ---- Many pictures --------------------------------------------------------------------------------- */

typedef struct extraction {
    f0t_backbone *backbone;
    float *out;
    bool *good; /* [count], or NULL: a failure ends the work */
    const char *const *pictures;
    size_t count, batch, dim;
    f0t_image_workspace **workspaces; /* [threads] */
    int threads;
    const f0t_monitor *monitor;
} extraction;

/* A batch may have fewer than it was given: those that can be read move together, and their features
 * back to their rows. */
static void spread(const extraction *e, size_t first, const size_t *rows, size_t read)
{
    for (size_t i = read; i-- > 0;)
        if (rows[i] != i)
            memmove(e->out + (first + rows[i]) * e->dim, e->out + (first + i) * e->dim,
                    e->dim * sizeof *e->out);
}

static void clear_bad(const extraction *e, size_t first, size_t count)
{
    for (size_t i = first; i < first + count; i++)
        if (e->good && !e->good[i])
            memset(e->out + i * e->dim, 0, e->dim * sizeof *e->out);
}

/* What went wrong with a picture: told and passed over, or the end. */
static f0t_status pass_over(const extraction *e, size_t i, f0t_status status,
                            f0t_parallel_notes *notes)
{
    if (!e->good || status == F0T_ERROR_MEMORY || status == F0T_ERROR_INTERRUPTED)
        return status;
    e->good[i] = false;
    return f0t_parallel_warn(notes, f0t_last_error());
}

/* The picture after number i of a piece. */
static const char *next_picture(const extraction *e, const f0t_parallel_piece *piece, size_t i,
                                size_t count)
{
    if (i + 1 < count)
        return e->pictures[piece->number * e->batch + i + 1];
    return piece->next == F0T_NONE ? NULL : e->pictures[piece->next * e->batch];
}

static f0t_status run_batch(void *context, const f0t_parallel_piece *piece,
                            f0t_parallel_notes *notes)
{
    const extraction *e = context;
    f0t_image_workspace *workspace = e->workspaces[piece->thread];
    size_t first = piece->number * e->batch, rows[16], read = 0;
    const size_t count = e->count - first < e->batch ? e->count - first : e->batch;
    for (size_t i = 0; i < count; i++) {
        f0t_status status =
            f0t_image_workspace_add(workspace, e->out + first * e->dim, read,
                                    e->pictures[first + i], next_picture(e, piece, i, count));
        if (status == F0T_OK)
            rows[read++] = i;
        else
            F0T_TRY(pass_over(e, first + i, status, notes));
    }
    F0T_TRY(f0t_image_workspace_run(workspace, e->out + first * e->dim, read, e->monitor));
    spread(e, first, rows, read);
    clear_bad(e, first, count);
    return F0T_OK;
}

static f0t_status end_all(void *context, size_t i, f0t_status status, const char *message,
                          f0t_parallel_notes *notes)
{
    (void)context;
    (void)i;
    (void)notes;
    return f0t_fail(status, "%s", message);
}

static f0t_status run(extraction *e)
{
    const f0t_parallel loop = {.count = (e->count + e->batch - 1) / e->batch,
                               .pictures = e->count,
                               .threads = e->threads,
                               .stage = "reading pictures",
                               .context = e,
                               .run = run_batch,
                               .failed = end_all,
                               .monitor = e->monitor};
    F0T_TRY(f0t_alloc_zero(&e->workspaces, (size_t)e->threads, sizeof *e->workspaces));
    for (int i = 0; i < e->threads; i++)
        F0T_TRY(f0t_image_workspace_acquire(&e->workspaces[i], e->backbone));
    return f0t_parallel_for(&loop);
}

static f0t_status extract(float *out, bool *good, f0t_backbone *backbone,
                          const char *const *pictures, size_t count, const f0t_monitor *monitor)
{
    extraction e = {.backbone = backbone,
                    .out = out,
                    .good = good,
                    .pictures = pictures,
                    .count = count,
                    .batch = f0t_backbone_batch(backbone),
                    .dim = f0t_backbone_dim(backbone),
                    .threads = f0t_threads_get(),
                    .monitor = monitor};
    for (size_t i = 0; good && i < count; i++)
        good[i] = true;
    f0t_status status = run(&e);
    for (int i = 0; e.workspaces && i < e.threads; i++)
        f0t_image_workspace_release(e.workspaces[i]);
    f0t_free(e.workspaces);
    return status;
}

/* ---- With a cache ---------------------------------------------------------------------------------- */

/* The pictures that it does not have. */
typedef struct missing {
    const char **pictures; /* [count] */
    f0t_feature_cache_key *keys;
    size_t *numbers; /* among all */
    bool *good;
    float *rows; /* [count x dim] */
    size_t count;
} missing;

static void missing_free(missing *m)
{
    f0t_free(m->pictures);
    f0t_free(m->keys);
    f0t_free(m->numbers);
    f0t_free(m->good);
    f0t_free(m->rows);
}

static f0t_status ask_cache(missing *m, float *out, f0t_backbone *backbone,
                            const char *const *pictures, size_t count)
{
    const size_t dim = f0t_backbone_dim(backbone);
    F0T_TRY(f0t_alloc(&m->pictures, count, sizeof *m->pictures));
    F0T_TRY(f0t_alloc(&m->keys, count, sizeof *m->keys));
    F0T_TRY(f0t_alloc(&m->numbers, count, sizeof *m->numbers));
    pthread_mutex_lock(&backbone->lock);
    for (size_t i = 0; i < count; i++)
        if (!f0t_feature_cache_get(backbone->cache, &m->keys[m->count], out + i * dim,
                                   pictures[i])) {
            m->pictures[m->count] = pictures[i];
            m->numbers[m->count++] = i;
        }
    pthread_mutex_unlock(&backbone->lock);
    F0T_TRY(f0t_alloc(&m->good, m->count, sizeof *m->good));
    return f0t_alloc(&m->rows, m->count * dim, sizeof *m->rows);
}

static void fill_cache(const missing *m, float *out, bool *good, f0t_backbone *backbone)
{
    const size_t dim = f0t_backbone_dim(backbone);
    pthread_mutex_lock(&backbone->lock);
    for (size_t i = 0; i < m->count; i++) {
        memcpy(out + m->numbers[i] * dim, m->rows + i * dim, dim * sizeof *out);
        if (good)
            good[m->numbers[i]] = m->good[i];
        if (!good || m->good[i])
            f0t_feature_cache_put(backbone->cache, &m->keys[i], m->rows + i * dim);
    }
    pthread_mutex_unlock(&backbone->lock);
}

static f0t_status extract_missing(missing *m, float *out, bool *good, f0t_backbone *backbone,
                                  const char *const *pictures, size_t count,
                                  const f0t_monitor *monitor)
{
    F0T_TRY(ask_cache(m, out, backbone, pictures, count));
    for (size_t i = 0; good && i < count; i++)
        good[i] = true;
    if (!m->count)
        return F0T_OK;
    F0T_TRY(extract(m->rows, good ? m->good : NULL, backbone, m->pictures, m->count, monitor));
    fill_cache(m, out, good, backbone);
    return F0T_OK;
}

f0t_status f0t_backbone_run(float *out, bool *good, f0t_backbone *backbone,
                            const char *const *pictures, size_t count, const f0t_monitor *monitor)
{
    F0T_REQUIRE(out || !count);
    F0T_REQUIRE(backbone);
    F0T_TRY(f0t_require_all(__func__, "pictures", pictures, count));
    missing m = {.count = 0};
    if (!backbone->cache)
        return extract(out, good, backbone, pictures, count, monitor);
    f0t_status status = extract_missing(&m, out, good, backbone, pictures, count, monitor);
    missing_free(&m);
    return status;
}
