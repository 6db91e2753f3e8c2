/* Tags that several processes make together. */
#include "tag/tagging.h"

#include "base/monitor.h"
#include "tag/alike.h"
#include "tag/packed.h"

typedef struct together {
    f0t_tagging *g;
    f0t_tag_callback each; /* the caller's, which the first process calls */
    void *user;
    const f0t_monitor *monitor;
    size_t block;
    f0t_stage stage;
    f0t_parcel packed; /* of the piece that is being tagged */
    f0t_status status;
} together;

static bool pack(void *user, const f0t_tag_result *result)
{
    together *t = user;
    t->status = f0t_packed_tags_add(&t->packed, result);
    return t->status == F0T_OK;
}

static f0t_status tag_piece(void *user, uint64_t piece, void **out, size_t *bytes)
{
    together *t = user;
    const size_t first = (size_t)piece * t->block, left = t->g->input.count - first;
    t->packed = (f0t_parcel){0};
    t->status = F0T_OK;
    if (f0t_monitor_stopped(t->monitor))
        return f0t_fail(F0T_ERROR_INTERRUPTED, "interrupted while tagging");
    f0t_status status = f0t_tagging_run_block(t->g, first, left < t->block ? left : t->block);
    *out = t->packed.data;
    *bytes = t->packed.bytes;
    return t->status != F0T_OK ? f0t_fail(t->status, "no memory for the results") : status;
}

/* What was wrong with a picture is logged here, whoever has seen it. */
static bool pass_on(void *user, const f0t_tag_result *result)
{
    const together *t = user;
    if (result->error)
        f0t_log(t->monitor, F0T_LOG_WARNING, "%s", result->error);
    const f0t_context *context = f0t_context_suspend();
    const bool more = t->each(t->user, result);
    f0t_context_leave(&context);
    return more;
}

static f0t_status take_piece(void *user, uint64_t piece, const void *data, size_t bytes)
{
    together *t = user;
    const size_t first = (size_t)piece * t->block, left = t->g->input.count - first;
    (void)f0t_stage_update(&t->stage, first);
    return f0t_packed_tags_each(data, bytes, t->g->tagger->vocab, first,
                                first + (left < t->block ? left : t->block), pass_on, t);
}

/* Blocks are handed out to the processes; the first one has the results, in the order of the input. */
f0t_status f0t_tagging_run_together(f0t_tagging *g, const f0t_group *group)
{
    const size_t count = g->input.count;
    const f0t_monitor silent = {.stop = g->monitor ? g->monitor->stop : NULL};
    together t = {.g = g,
                  .each = g->each,
                  .user = g->user,
                  .monitor = g->monitor,
                  .block = f0t_group_piece(group, count, g->block),
                  .stage = f0t_stage_begin(g->monitor, "tagging", "images", count)};
    const f0t_group_work work = {.pieces = t.block ? (count + t.block - 1) / t.block : 0,
                                 .user = &t,
                                 .run = tag_piece,
                                 .take = take_piece};
    g->each = pack;
    g->user = &t;
    g->monitor = &silent;
    F0T_TRY(f0t_tagging_alike(group, g->tagger->model, g->tagger->vocab, &g->input));
    F0T_TRY(f0t_group_run(group, &work));
    f0t_stage_end(&t.stage);
    return F0T_OK;
}
