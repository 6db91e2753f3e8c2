/*
 * Weights are updated a panel of rows at a time, right after their gradient was computed: it is
 * still in the cache, and no gradient of a whole layer is ever stored. Each thread takes panels of
 * its own with products of one thread, which are faster together than one product by all threads
 * (docs/performance.md), and give the same bytes for any number of threads.
 */
#include "model/step_parts.h"

#include "math/team.h"
#include "model/step_layer.h"

#include <stdio.h>

/* Large layers have the widest panels that leave the gradient in the cache: less is packed again by
 * each product. Small ones are divided so that there is work for several threads. */
size_t f0t_step_panel(size_t outputs)
{
    return outputs >= 1024 ? 512 : outputs > 128 ? 128 : outputs;
}

/* The update of one layer's weight. */
typedef struct update_job {
    const f0t_step *step;
    const f0t_net_layer *layer;
    const f0t_step_layer *state;
    const void *panels;
    size_t panel, rows;
    int threads;
    double rate;
} update_job;

/* The panel that begins with output c. */
static f0t_status update_panel(const update_job *job, size_t c, float *gradient)
{
    const f0t_step *step = job->step;
    f0t_dtype type = step->net->precision;
    size_t inputs = job->layer->inputs, width = f0t_panel_width(job->panel, job->layer->outputs, c);
    const char *dy = job->panels;
    f0t_matmul op = {.m = width, .n = inputs, .k = job->rows, .type = type, .a_transposed = true};
    f0t_parameters parameters = {.w = job->layer->weight,
                                 .m = job->state->weight.m,
                                 .v = job->state->weight.v,
                                 .half = job->layer->weight16,
                                 .decays = true};
    dy += f0t_panel_start(job->panel, job->rows, c) * f0t_dtype_size(type);
    F0T_TRY(f0t_matmul_run(gradient, dy, job->state->x, NULL, &op));
    f0t_optimizer_update(&parameters, c * inputs, gradient, width * inputs,
                         &step->options.optimizer, step->count + 1, job->rate);
    return F0T_OK;
}

/* One panel after the other, each by all threads: where there are more threads than panels. */
static f0t_status update_in_turn(const update_job *job)
{
    for (size_t c = 0; c < job->layer->outputs; c += job->panel)
        F0T_TRY(update_panel(job, c, job->step->dweight[0]));
    return F0T_OK;
}

/* The last error belongs to a thread: that of a worker is brought to the caller's. */
typedef struct failure {
    f0t_status status;
    char message[256];
} failure;

static void keep_failure(failure *kept, f0t_status status)
{
#pragma omp critical
    if (kept->status == F0T_OK) {
        kept->status = status;
        snprintf(kept->message, sizeof kept->message, "%s", f0t_last_error());
    }
}

static f0t_status update_side_by_side(const update_job *job)
{
    failure failed = {.status = F0T_OK};
#pragma omp parallel for schedule(dynamic, 1) num_threads(job->threads)
    for (size_t c = 0; c < job->layer->outputs; c += job->panel) {
        f0t_status status = update_panel(job, c, job->step->dweight[f0t_team_index()]);
        if (status != F0T_OK)
            keep_failure(&failed, status);
    }
    return failed.status == F0T_OK ? F0T_OK : f0t_fail(failed.status, "%s", failed.message);
}

f0t_status f0t_step_update_weight(f0t_step *step, size_t l, const void *panels, size_t rows,
                                  double rate)
{
    const f0t_net_layer *layer = &step->net->layers[l];
    update_job job = {.step = step,
                      .layer = layer,
                      .state = &step->layers[l],
                      .panels = panels,
                      .panel = f0t_step_panel(layer->outputs),
                      .rows = rows,
                      .rate = rate};
    size_t count = (layer->outputs + job.panel - 1) / job.panel, threads = (size_t)f0t_team_size();
    threads = threads < step->workers ? threads : step->workers;
    job.threads = (int)threads;
    return count < threads ? update_in_turn(&job) : update_side_by_side(&job);
}
