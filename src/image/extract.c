/* f0t_backbone_run: features of many pictures, by a crew whose threads each have a bench. */
#include "base/alloc.h"
#include "base/monitor.h"
#include "image/backbone.h"
#include "image/crew.h"

#include <string.h>

typedef struct extraction {
    f0t_backbone *backbone;
    float *out;
    bool *good; /* [count], or NULL: a failure ends the work */
    const char *const *pictures;
    size_t count, batch, dim;
    f0t_bench **benches; /* [threads] */
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
static f0t_status pass_over(const extraction *e, size_t i, f0t_status status, f0t_crew_notes *notes)
{
    if (!e->good || status == F0T_ERROR_MEMORY || status == F0T_ERROR_INTERRUPTED)
        return status;
    e->good[i] = false;
    return f0t_crew_warn(notes, f0t_last_error());
}

/* The picture after number i of a piece. */
static const char *next_picture(const extraction *e, const f0t_crew_piece *piece, size_t i,
                                size_t count)
{
    if (i + 1 < count)
        return e->pictures[piece->number * e->batch + i + 1];
    return piece->next == F0T_NONE ? NULL : e->pictures[piece->next * e->batch];
}

static f0t_status run_batch(void *context, const f0t_crew_piece *piece, f0t_crew_notes *notes)
{
    const extraction *e = context;
    f0t_bench *bench = e->benches[piece->thread];
    size_t first = piece->number * e->batch, rows[16], read = 0;
    const size_t count = e->count - first < e->batch ? e->count - first : e->batch;
    for (size_t i = 0; i < count; i++) {
        f0t_status status =
            f0t_bench_take(bench, e->out + first * e->dim, read, e->pictures[first + i],
                           next_picture(e, piece, i, count));
        if (status == F0T_OK)
            rows[read++] = i;
        else
            F0T_TRY(pass_over(e, first + i, status, notes));
    }
    F0T_TRY(f0t_bench_finish(bench, e->out + first * e->dim, read, e->monitor));
    spread(e, first, rows, read);
    clear_bad(e, first, count);
    return F0T_OK;
}

static f0t_status end_all(void *context, size_t i, f0t_status status, const char *message,
                          f0t_crew_notes *notes)
{
    (void)context;
    (void)i;
    (void)notes;
    return f0t_fail(status, "%s", message);
}

static f0t_status run(extraction *e)
{
    const f0t_crew crew = {.count = (e->count + e->batch - 1) / e->batch,
                           .pictures = e->count,
                           .threads = e->threads,
                           .stage = "reading pictures",
                           .context = e,
                           .run = run_batch,
                           .failed = end_all,
                           .monitor = e->monitor};
    F0T_TRY(f0t_alloc_zero(&e->benches, (size_t)e->threads, sizeof *e->benches));
    for (int i = 0; i < e->threads; i++)
        F0T_TRY(f0t_bench_need(&e->benches[i], e->backbone));
    return f0t_crew_run(&crew);
}

f0t_status f0t_backbone_run(float *out, bool *good, f0t_backbone *backbone,
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
    for (int i = 0; e.benches && i < e.threads; i++)
        f0t_bench_give(e.benches[i]);
    f0t_free(e.benches);
    return status;
}
