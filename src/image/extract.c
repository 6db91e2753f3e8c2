/* Features of pictures: f0t_backbone_run, whose threads each have a workspace. */
#include "image/backbone.h"

#include "base/alloc.h"
#include "base/monitor.h"
#include "base/team.h"
#include "image/parallel.h"
#include "onnx/network.h"

#include <string.h>

/* The descriptor works at 256 pixels; networks are given twice what they want, so that their own
 * way of resampling decides. Dense layers want several pictures at a time. */
enum { DESCRIPTOR_SIDE = 256, BATCH = 8 };

/* Idle workspaces that a backbone keeps whatever the last team was: callers of one thread each take turns. */
enum { IDLE_LEAST = 8 };

static size_t side_of(const f0t_backbone *backbone)
{
    const f0t_preprocess *p = &backbone->preprocess;
    if (!backbone->network)
        return DESCRIPTOR_SIDE;
    return 2 * (p->side ? p->side : p->width > p->height ? p->width : p->height);
}

/* ---- Workspaces -------------------------------------------------------------------------------------- */

static f0t_status fill(f0t_image_workspace *workspace, f0t_backbone *backbone)
{
    workspace->backbone = backbone;
    workspace->plan.preprocess = &backbone->preprocess;
    F0T_TRY(f0t_worker_create(&workspace->worker));
    f0t_worker_limit(workspace->worker, backbone->pixels, backbone->seconds);
    return backbone->network ? F0T_OK : f0t_descriptor_create(&workspace->descriptor);
}

/* An idle one, or a new one; and back. The backbone keeps it: the next run finds its process running. */
static f0t_status acquire(f0t_image_workspace **out, f0t_backbone *backbone)
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
        f0t_image_workspaces_free(workspace);
    return status;
}

static void put_back(f0t_image_workspace *workspace)
{
    f0t_backbone *backbone = workspace->backbone;
    f0t_worker_expect_none(workspace->worker); /* by the next time the picture may be another */
    pthread_mutex_lock(&backbone->lock);
    workspace->next = backbone->idle;
    backbone->idle = workspace;
    pthread_mutex_unlock(&backbone->lock);
}

/* Each is a process and its memory: those that a team of this size has no use for go, the oldest first. */
static void trim_idle(f0t_backbone *backbone, int team)
{
    pthread_mutex_lock(&backbone->lock);
    f0t_image_workspace **end = &backbone->idle;
    for (int i = 0; *end && (i < team || i < IDLE_LEAST); i++)
        end = &(*end)->next;
    f0t_image_workspace *surplus = *end;
    *end = NULL;
    pthread_mutex_unlock(&backbone->lock);
    f0t_image_workspaces_free(surplus);
}

static void workspace_free(f0t_image_workspace *workspace)
{
    f0t_worker_free(workspace->worker);
    f0t_descriptor_free(workspace->descriptor);
    f0t_preprocess_plan_free(&workspace->plan);
    f0t_free(workspace);
}

void f0t_image_workspaces_free(f0t_image_workspace *first)
{
    while (first) {
        f0t_image_workspace *next = first->next;
        workspace_free(first);
        first = next;
    }
}

static f0t_status keep_extra(const f0t_picture_source *source, const f0t_picture *picture)
{
    f0t_picture_extra *extra = source->extra;
    if (!extra)
        return F0T_OK;
    *extra = (f0t_picture_extra){
        .taken = picture->taken, .width = picture->whole_width, .height = picture->whole_height};
    if (!picture->thumbnail)
        return F0T_OK;
    F0T_TRY(f0t_alloc(&extra->thumbnail, picture->thumbnail_size, 1));
    memcpy(extra->thumbnail, picture->thumbnail, picture->thumbnail_size);
    extra->thumbnail_size = picture->thumbnail_size;
    return F0T_OK;
}

/* Takes a picture, while `next` (or NULL) is decoded: `to` gets its features from the descriptor, the
 * pixels for a network. */
static f0t_status take(f0t_image_workspace *workspace, float *to, const f0t_picture_source *source,
                       const f0t_picture_source *next)
{
    const f0t_backbone *backbone = workspace->backbone;
    const size_t side = side_of(backbone);
    /* Networks were trained on pixels as files have them: their programs know no profiles. */
    const bool plain = backbone->network != NULL;
    f0t_picture picture;
    f0t_failure failure = {0};
    f0t_failure_keep(&failure,
                     f0t_worker_decode_source(&picture, workspace->worker, source, side, plain));
    if (next) /* whose own failure is its own affair */
        f0t_worker_expect(workspace->worker, next, side, plain);
    if (failure.status != F0T_OK)
        return f0t_failure_raise(&failure);
    F0T_TRY(keep_extra(source, &picture));
    if (!backbone->network)
        return f0t_descriptor_run(to, workspace->descriptor, picture.rgb, picture.width,
                                  picture.height);
    return f0t_preprocess_run(to, &workspace->plan, &picture,
                              f0t_network_get_input(backbone->network)->channels_last);
}

/* ---- Many pictures ----------------------------------------------------------------------------------- */

/*
 * Pictures go through a network in batches, which begin at every eighth. Where there are batches enough,
 * each thread takes whole ones, from the file to the features. Where there are fewer than threads (one
 * picture, say), the threads share the reading, and then the network's own work for one batch after the
 * other.
 */
typedef struct extraction {
    f0t_backbone *backbone;
    float *out;
    bool *good; /* [count], or NULL: a failure ends the work */
    const f0t_picture_source *pictures;
    size_t count, dim;
    size_t size;                      /* numbers of a picture that the network takes */
    size_t piece;                     /* pictures that a thread takes at a time */
    f0t_image_workspace **workspaces; /* [threads] */
    int threads;
    float
        *pixels; /* [threads x BATCH x size], or [count x size] where the network has all threads */
    bool *read;  /* [count] where the network has all threads */
    const f0t_monitor *monitor;
} extraction;

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

static float *row_of(const extraction *e, size_t i)
{
    return e->out + i * e->dim;
}

/* What went wrong with a picture: logged and skipped, or the end. */
static f0t_status pass_over(const extraction *e, size_t i, f0t_status status,
                            f0t_parallel_notes *notes)
{
    if (!e->good || status == F0T_ERROR_MEMORY || status == F0T_ERROR_INTERRUPTED)
        return status;
    e->good[i] = false;
    if (e->pictures[i].failure)
        f0t_failure_keep(e->pictures[i].failure, status);
    return f0t_parallel_warn(notes, f0t_last_error());
}

/* The picture that the thread takes after number i, or NULL. */
static const f0t_picture_source *next_picture(const extraction *e, const f0t_parallel_piece *piece,
                                              size_t i)
{
    if (i + 1 < least((piece->number + 1) * e->piece, e->count))
        return &e->pictures[i + 1];
    return piece->next == F0T_NONE ? NULL : &e->pictures[piece->next * e->piece];
}

static f0t_status take_one(const extraction *e, const f0t_parallel_piece *piece, float *to,
                           size_t i)
{
    return take(e->workspaces[piece->thread], to, &e->pictures[i], next_picture(e, piece, i));
}

/* A batch may have fewer than it was given: pictures that were read lie together, and their features go back
 * to their rows, first + rows[i]. */
static void spread(const extraction *e, size_t first, const size_t *rows, size_t read)
{
    for (size_t i = read; i-- > 0;)
        if (rows[i] != i)
            memmove(row_of(e, first + rows[i]), row_of(e, first + i), e->dim * sizeof *e->out);
}

static f0t_status run_network(const extraction *e, const float *pixels, size_t first,
                              const size_t *rows, size_t read)
{
    if (!read)
        return F0T_OK;
    F0T_TRY(
        f0t_network_run_watched(row_of(e, first), e->backbone->network, pixels, read, e->monitor));
    spread(e, first, rows, read);
    return F0T_OK;
}

/* ---- Each thread with pictures of its own ------------------------------------------------------------- */

static f0t_status describe_one(void *context, const f0t_parallel_piece *piece,
                               f0t_parallel_notes *notes)
{
    const extraction *e = context;
    const size_t i = piece->number;
    f0t_status status = take_one(e, piece, row_of(e, i), i);
    return status == F0T_OK ? F0T_OK : pass_over(e, i, status, notes);
}

static f0t_status run_batch(void *context, const f0t_parallel_piece *piece,
                            f0t_parallel_notes *notes)
{
    const extraction *e = context;
    float *pixels = e->pixels + (size_t)piece->thread * BATCH * e->size;
    size_t first = piece->number * BATCH, rows[BATCH], read = 0;
    const size_t count = least(e->count - first, BATCH);
    for (size_t i = 0; i < count; i++) {
        f0t_status status = take_one(e, piece, pixels + read * e->size, first + i);
        if (status == F0T_OK)
            rows[read++] = i;
        else
            F0T_TRY(pass_over(e, first + i, status, notes));
    }
    return run_network(e, pixels, first, rows, read);
}

/* ---- All threads in the network ----------------------------------------------------------------------- */

static f0t_status read_one(void *context, const f0t_parallel_piece *piece,
                           f0t_parallel_notes *notes)
{
    const extraction *e = context;
    const size_t i = piece->number;
    f0t_status status = take_one(e, piece, e->pixels + i * e->size, i);
    e->read[i] = status == F0T_OK;
    return status == F0T_OK ? F0T_OK : pass_over(e, i, status, notes);
}

static f0t_status run_read(const extraction *e, size_t first)
{
    float *pixels = e->pixels + first * e->size;
    size_t rows[BATCH], read = 0;
    for (size_t i = 0; i < least(e->count - first, BATCH); i++) {
        if (!e->read[first + i])
            continue;
        if (read != i)
            memcpy(pixels + read * e->size, pixels + i * e->size, e->size * sizeof *pixels);
        rows[read++] = i;
    }
    return run_network(e, pixels, first, rows, read);
}

/* ---- Either ------------------------------------------------------------------------------------------- */

static f0t_status end_all(void *context, size_t i, f0t_status status, const char *message,
                          f0t_parallel_notes *notes)
{
    (void)context;
    (void)i;
    (void)notes;
    return f0t_fail(status, "%s", message);
}

static f0t_status run_loop(extraction *e,
                           f0t_status (*run)(void *context, const f0t_parallel_piece *piece,
                                             f0t_parallel_notes *notes))
{
    const size_t pieces = (e->count + e->piece - 1) / e->piece;
    e->threads = (int)least((size_t)e->threads, pieces);
    const f0t_parallel loop = {.count = pieces,
                               .pictures = e->count,
                               .threads = e->threads,
                               .stage = "reading pictures",
                               .context = e,
                               .run = run,
                               .failed = end_all,
                               .monitor = e->monitor};
    F0T_TRY(f0t_alloc_zero(&e->workspaces, (size_t)e->threads, sizeof *e->workspaces));
    for (int i = 0; i < e->threads; i++)
        F0T_TRY(acquire(&e->workspaces[i], e->backbone));
    return f0t_parallel_for(&loop);
}

static f0t_status run_batches(extraction *e)
{
    e->piece = BATCH;
    F0T_TRY(f0t_alloc(&e->pixels, (size_t)e->threads * BATCH * e->size, sizeof *e->pixels));
    return run_loop(e, run_batch);
}

static f0t_status run_together(extraction *e)
{
    F0T_TRY(f0t_alloc(&e->pixels, e->count * e->size, sizeof *e->pixels));
    F0T_TRY(f0t_alloc_zero(&e->read, e->count, sizeof *e->read));
    F0T_TRY(run_loop(e, read_one));
    for (size_t first = 0; first < e->count; first += BATCH)
        F0T_TRY(run_read(e, first));
    return F0T_OK;
}

static f0t_status run(extraction *e)
{
    if (!e->backbone->network)
        return run_loop(e, describe_one);
    return e->count / BATCH < (size_t)e->threads ? run_together(e) : run_batches(e);
}

static void clear_bad(const extraction *e)
{
    for (size_t i = 0; e->good && i < e->count; i++)
        if (!e->good[i])
            memset(row_of(e, i), 0, e->dim * sizeof *e->out);
}

static f0t_status extract(float *out, bool *good, f0t_backbone *backbone,
                          const f0t_picture_source *pictures, size_t count,
                          const f0t_monitor *monitor)
{
    extraction e = {.backbone = backbone,
                    .out = out,
                    .good = good,
                    .pictures = pictures,
                    .count = count,
                    .dim = f0t_backbone_dim(backbone),
                    .size = 3 * backbone->preprocess.width * backbone->preprocess.height,
                    .piece = 1,
                    .threads = f0t_team_size(),
                    .monitor = monitor};
    for (size_t i = 0; good && i < count; i++)
        good[i] = true;
    f0t_status status = run(&e);
    clear_bad(&e);
    for (int i = 0; e.workspaces && i < e.threads && e.workspaces[i]; i++)
        put_back(e.workspaces[i]);
    trim_idle(backbone, f0t_team_size());
    f0t_free(e.workspaces);
    f0t_free(e.pixels);
    f0t_free(e.read);
    return status;
}

/* What the process that decodes has said may be of itself. */
static void tell_left_out(const char *path, const f0t_monitor *monitor)
{
    const char *why = f0t_last_error();
    if (strstr(why, path))
        f0t_log(monitor, F0T_LOG_WARNING, "%s", why);
    else
        f0t_log(monitor, F0T_LOG_WARNING, "%s: %s", path, why);
}

f0t_status f0t_backbone_read(float *pixels, size_t *read, f0t_backbone *backbone,
                             const f0t_picture_source *pictures, size_t count,
                             const f0t_monitor *monitor)
{
    const size_t size = 3 * backbone->preprocess.width * backbone->preprocess.height;
    f0t_image_workspace *workspace;
    f0t_status status = F0T_OK;
    *read = 0;
    F0T_TRY(acquire(&workspace, backbone));
    for (size_t i = 0; i < count && status == F0T_OK; i++) {
        if (f0t_monitor_stopped(monitor)) {
            status = f0t_fail(F0T_ERROR_INTERRUPTED, "interrupted");
            break;
        }
        status = take(workspace, pixels + *read * size, &pictures[i],
                      i + 1 < count ? &pictures[i + 1] : NULL);
        *read += status == F0T_OK;
        if (status != F0T_OK && status != F0T_ERROR_MEMORY && status != F0T_ERROR_INTERRUPTED) {
            tell_left_out(pictures[i].path, monitor);
            status = F0T_OK;
        }
    }
    put_back(workspace);
    return status;
}

/* ---- With a cache ---------------------------------------------------------------------------------- */

/* The pictures that it does not have. */
typedef struct missing {
    f0t_picture_source *pictures; /* [count] */
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

/* It knows files alone. */
static bool get_cached(f0t_backbone *backbone, f0t_feature_cache_key *key, float *row,
                       const f0t_picture_source *picture)
{
    *key = (f0t_feature_cache_key){.lasting = false};
    return !picture->data && f0t_feature_cache_get(key, row, backbone->cache, picture->path);
}

static f0t_status ask_cache(missing *m, float *out, f0t_backbone *backbone,
                            const f0t_picture_source *pictures, size_t count)
{
    const size_t dim = f0t_backbone_dim(backbone);
    F0T_TRY(f0t_alloc(&m->pictures, count, sizeof *m->pictures));
    F0T_TRY(f0t_alloc(&m->keys, count, sizeof *m->keys));
    F0T_TRY(f0t_alloc(&m->numbers, count, sizeof *m->numbers));
    for (size_t i = 0; i < count; i++)
        if (!get_cached(backbone, &m->keys[m->count], out + i * dim, &pictures[i])) {
            m->pictures[m->count] = pictures[i];
            m->numbers[m->count++] = i;
        }
    F0T_TRY(f0t_alloc(&m->good, m->count, sizeof *m->good));
    return f0t_alloc(&m->rows, m->count * dim, sizeof *m->rows);
}

static void fill_cache(const missing *m, float *out, bool *good, f0t_backbone *backbone)
{
    const size_t dim = f0t_backbone_dim(backbone);
    for (size_t i = 0; i < m->count; i++) {
        memcpy(out + m->numbers[i] * dim, m->rows + i * dim, dim * sizeof *out);
        if (good)
            good[m->numbers[i]] = m->good[i];
        if (!good || m->good[i])
            f0t_feature_cache_put(backbone->cache, &m->keys[i], m->rows + i * dim);
    }
}

static f0t_status extract_missing(missing *m, float *out, bool *good, f0t_backbone *backbone,
                                  const f0t_picture_source *pictures, size_t count,
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

f0t_status f0t_backbone_run_sources(float *out, bool *good, f0t_backbone *backbone,
                                    const f0t_picture_source *pictures, size_t count,
                                    const f0t_monitor *monitor)
{
    missing m = {.count = 0};
    if (!backbone->cache)
        return extract(out, good, backbone, pictures, count, monitor);
    f0t_status status = extract_missing(&m, out, good, backbone, pictures, count, monitor);
    missing_free(&m);
    return status;
}

f0t_status f0t_backbone_run(float *out, bool *good, f0t_backbone *backbone,
                            const char *const *pictures, size_t count, const f0t_context *context)
{
    F0T_ENTER(context);
    const f0t_monitor *monitor = f0t_context_monitor(context);
    F0T_REQUIRE(out || !count);
    F0T_REQUIRE(backbone);
    F0T_TRY(f0t_require_all(__func__, "pictures", pictures, count));
    f0t_picture_source *sources;
    F0T_TRY(f0t_alloc(&sources, count, sizeof *sources));
    for (size_t i = 0; i < count; i++)
        sources[i] = (f0t_picture_source){.path = pictures[i]};
    f0t_status status = f0t_backbone_run_sources(out, good, backbone, sources, count, monitor);
    f0t_free(sources);
    return status;
}
