#include "base/monitor.h"

#include "base/group.h"

#include <stdarg.h>
#include <stdio.h>
#include <time.h>

static const double INTERVAL = 0.1; /* seconds between two progress calls */

double f0t_time(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double f0t_cpu_time(void)
{
    struct timespec used;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    return (double)used.tv_sec + 1e-9 * (double)used.tv_nsec;
}

bool f0t_monitor_asked(const f0t_monitor *monitor)
{
    /* another thread may be setting it */
    return monitor && monitor->stop && __atomic_load_n(monitor->stop, __ATOMIC_RELAXED);
}

bool f0t_monitor_stopped(const f0t_monitor *monitor)
{
    if (f0t_group_current()->failed())
        return true;
    return f0t_monitor_asked(monitor);
}

f0t_stage f0t_stage_begin(const f0t_monitor *monitor, const char *name, const char *unit,
                          uint64_t total)
{
    f0t_stage stage = {monitor, {name, unit, 0, total}, 0};
    return stage;
}

static void show(f0t_stage *stage)
{
    const f0t_monitor *monitor = stage->monitor;
    if (!monitor || !monitor->progress)
        return;
    const f0t_context *context = f0t_context_suspend();
    monitor->progress(monitor->user, &stage->progress);
    f0t_context_leave(&context);
}

f0t_status f0t_stage_update(f0t_stage *stage, uint64_t done)
{
    stage->progress.done = done;
    if (f0t_monitor_stopped(stage->monitor))
        return f0t_fail(F0T_ERROR_INTERRUPTED, "interrupted while %s", stage->progress.stage);
    const bool whole = stage->progress.total && done >= stage->progress.total;
    if (whole || !stage->monitor || !stage->monitor->progress) /* the whole is the end's to show */
        return F0T_OK;
    double now = f0t_time();
    if (now - stage->shown >= INTERVAL) {
        stage->shown = now;
        show(stage);
    }
    return F0T_OK;
}

void f0t_stage_end(f0t_stage *stage)
{
    if (stage->progress.total)
        stage->progress.done = stage->progress.total;
    else
        stage->progress.total = stage->progress.done;
    show(stage);
}

void f0t_log(const f0t_monitor *monitor, f0t_log_level level, const char *format, ...)
{
    char line[1024];
    va_list args;
    if (!monitor || !monitor->log)
        return;
    va_start(args, format);
    int length = vsnprintf(line, sizeof line, format, args);
    va_end(args);
    f0t_line_clean(line, length >= (int)sizeof line);
    const f0t_context *context = f0t_context_suspend();
    monitor->log(monitor->user, level, line);
    f0t_context_leave(&context);
}
