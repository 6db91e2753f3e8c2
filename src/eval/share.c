#include "eval/share.h"

#include "base/alloc.h"
#include "base/monitor.h"

#include <string.h>

/* ---- Cells of process 0 -------------------------------------------------------------------------- */

/* What is in process 0's parcel, to all. */
static f0t_status share_parcel(f0t_parcel *parcel, const f0t_group *group)
{
    uint64_t bytes = parcel->bytes;
    F0T_TRY(f0t_group_broadcast(group, &bytes, sizeof bytes));
    if (group->rank > 0) {
        F0T_TRY(f0t_alloc(&parcel->data, bytes, 1));
        parcel->bytes = bytes;
    }
    return f0t_group_broadcast(group, parcel->data, parcel->bytes);
}

/* The cells of methods [first, end) of a repeat. */
static f0t_status share_some(f0t_eval *e, const f0t_group *group, size_t repeat, size_t first,
                             size_t end)
{
    f0t_parcel lines = {0};
    f0t_status status = F0T_OK;
    for (size_t m = first; m < end && group->rank == 0 && status == F0T_OK; m++)
        status = f0t_results_write(&lines, e, repeat, m);
    if (status == F0T_OK)
        status = share_parcel(&lines, group);
    if (status == F0T_OK && group->rank > 0)
        status = f0t_results_read(e, lines.data, lines.bytes);
    f0t_free(lines.data);
    return status;
}

/* Which they are depends on the pictures that a machine has. */
static f0t_status share_samples(f0t_eval *e, const f0t_group *group)
{
    uint64_t count = e->sample_count;
    F0T_TRY(f0t_group_broadcast(group, &count, sizeof count));
    if (count != e->sample_count) /* they are as many, of the same test images */
        return f0t_parcel_fail();
    F0T_TRY(f0t_group_broadcast(group, e->samples, count * sizeof *e->samples));
    return f0t_group_broadcast(group, e->sample_images, count * sizeof *e->sample_images);
}

f0t_status f0t_eval_share_cells(f0t_eval *e, const f0t_group *group)
{
    F0T_TRY(share_samples(e, group));
    for (size_t r = 0; r < e->plan.repeat; r++)
        F0T_TRY(share_some(e, group, r, 0, e->plan.method_count));
    return F0T_OK;
}

/* ---- Methods that are handed out ------------------------------------------------------------------ */

/* Methods of the plan, those that take longest first: they are the last of its table. */
typedef struct methods {
    const f0t_eval_sharing *sharing;
    size_t list[F0T_METHODS_MOST], count;
    f0t_stage stage;
    size_t done;
} methods;

static bool is_left(const f0t_eval *e, size_t repeat, size_t method)
{
    for (int s = 0; s < F0T_SCENARIOS; s++)
        if (e->plan.asked[s] && !f0t_eval_cell_at(e, repeat, method, (f0t_scenario)s)->done)
            return true;
    return false;
}

/* Warnings of a piece, each with its 0. */
typedef struct notes {
    f0t_parcel texts;
    f0t_status status;
} notes;

static void note(void *user, f0t_log_level level, const char *line)
{
    notes *n = user;
    if (level == F0T_LOG_WARNING && n->status == F0T_OK)
        n->status = f0t_parcel_add(&n->texts, line, strlen(line) + 1);
}

static f0t_status run_noting(notes *n, const f0t_eval_sharing *s, size_t method)
{
    const f0t_monitor *monitor = f0t_context_monitor(NULL);
    const f0t_monitor noting = {.log = note, .user = n, .stop = monitor ? monitor->stop : NULL};
    F0T_ENTER(F0T_WATCHED(&noting));
    F0T_TRY(s->run(s->user, method, false));
    return n->status == F0T_OK ? F0T_OK : f0t_fail(n->status, "no memory for warnings");
}

/* What was warned of, and the cells. */
static f0t_status run_piece(void *user, uint64_t piece, void **out, size_t *bytes)
{
    const methods *m = user;
    const f0t_eval_sharing *s = m->sharing;
    f0t_parcel parcel = {0};
    notes n = {.status = F0T_OK};
    f0t_status status = run_noting(&n, s, m->list[piece]);
    const uint64_t size = n.texts.bytes;
    if (status == F0T_OK)
        status = f0t_parcel_add(&parcel, &size, sizeof size);
    if (status == F0T_OK)
        status = f0t_parcel_add(&parcel, n.texts.data, size);
    if (status == F0T_OK)
        status = f0t_results_write(&parcel, s->eval, s->repeat, m->list[piece]);
    f0t_free(n.texts.data);
    *out = parcel.data;
    *bytes = parcel.bytes;
    return status;
}

/* Warnings are logged here, whoever has had them. */
static f0t_status pass_notes(f0t_parcel_reader *from)
{
    uint64_t size;
    F0T_TRY(f0t_parcel_read(&size, from, sizeof size));
    f0t_parcel_reader texts = {f0t_parcel_take(from, size), size};
    if (!texts.at)
        return f0t_parcel_fail();
    while (texts.left) {
        const char *end = memchr(texts.at, 0, texts.left);
        const char *line = end ? f0t_parcel_take(&texts, (size_t)(end + 1 - texts.at)) : NULL;
        if (!line)
            return f0t_parcel_fail();
        f0t_log(f0t_context_monitor(NULL), F0T_LOG_WARNING, "%s", line);
    }
    return F0T_OK;
}

static f0t_status take_piece(void *user, uint64_t piece, const void *data, size_t bytes)
{
    methods *m = user;
    const f0t_eval_sharing *s = m->sharing;
    f0t_parcel_reader from = {data, bytes};
    F0T_TRY(pass_notes(&from));
    F0T_TRY(f0t_results_read(s->eval, from.at, from.left));
    F0T_TRY(s->keep(s->user, m->list[piece])); /* before the stop flag is looked at: it is done */
    return f0t_stage_update(&m->stage, ++m->done);
}

static f0t_status hand_out(methods *m, const f0t_group *group)
{
    const f0t_group_work work = {.pieces = m->count,
                                 .user = m,
                                 .run = run_piece,
                                 .take = take_piece,
                                 .any_order = true,
                                 .to_all = true};
    if (!m->count)
        return F0T_OK;
    m->stage = f0t_stage_begin(f0t_context_monitor(NULL), "comparing", "methods", m->count);
    F0T_TRY(f0t_group_run(group, &work));
    f0t_stage_end(&m->stage);
    return F0T_OK;
}

/* ---- Methods that all learn together --------------------------------------------------------------- */

/* A fit that fails because of the data fails in one process alone, and the others would wait for it. */
static f0t_status check_part(const f0t_dataset *dataset, const f0t_group *group)
{
    const size_t images = f0t_dataset_image_count(dataset);
    return f0t_eval_check_features(dataset, f0t_group_part(images, group->rank, group->size),
                                   f0t_group_part(images, group->rank + 1, group->size));
}

static f0t_status learn_together(const methods *m, const f0t_group *group)
{
    const f0t_eval_sharing *s = m->sharing;
    double unused = 0;
    if (!m->count)
        return F0T_OK;
    F0T_TRY(check_part(s->eval->dataset, group));
    F0T_TRY(f0t_group_total(group, &unused, 1));
    for (size_t i = m->count; i-- > 0;) {
        F0T_TRY(s->run(s->user, m->list[i], true));
        F0T_TRY(share_some(s->eval, group, s->repeat, m->list[i], m->list[i] + 1));
    }
    return F0T_OK;
}

f0t_status f0t_eval_share_methods(const f0t_eval_sharing *s, const f0t_group *group)
{
    methods whole = {.sharing = s}, divided = {.sharing = s};
    const f0t_eval_plan *plan = &s->eval->plan;
    size_t left = 0;
    for (size_t i = 0; i < plan->method_count; i++)
        left += is_left(s->eval, s->repeat, i);
    for (size_t i = plan->method_count; i-- > 0;) {
        methods *to = left < group->size && plan->methods[i]->divided ? &divided : &whole;
        if (is_left(s->eval, s->repeat, i))
            to->list[to->count++] = i;
    }
    F0T_TRY(hand_out(&whole, group));
    return learn_together(&divided, group);
}
