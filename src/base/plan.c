#include "base/plan.h"

static void tell(const f0t_progress_plan *p, uint64_t done)
{
    if (!p->outer || !p->outer->progress)
        return;
    const f0t_context *context = f0t_context_suspend();
    p->outer->progress(p->outer->user,
                       &(f0t_progress){p->name, F0T_PLAN_UNIT, done, F0T_PLAN_WHOLE});
    f0t_context_leave(&context);
}

static void report(f0t_progress_plan *p, double part)
{
    const double done = p->total > 0 ? (p->before + p->step * part) / p->total : 0;
    const double bar = p->begin + (p->upto - p->begin) * (done < 1 ? done : 1);
    const uint64_t shown =
        (uint64_t)(bar * F0T_PLAN_WHOLE + 1e-6);      /* 0.4 is 400, however it was summed up */
    if (shown <= p->shown || shown >= F0T_PLAN_WHOLE) /* the whole is the end's to show */
        return;
    p->shown = shown;
    tell(p, shown);
}

/* A step may have several stages: the one that came furthest says how much is done. */
static void show(void *user, const f0t_progress *stage)
{
    f0t_progress_plan *p = user;
    const double part = stage->total ? (double)stage->done / (double)stage->total : 0;
    if (part <= p->part)
        return;
    p->part = part < 1 ? part : 1;
    report(p, p->part);
}

static void pass_log(void *user, f0t_log_level level, const char *line)
{
    const f0t_progress_plan *p = user;
    if (p->outer && p->outer->log)
        p->outer->log(p->outer->user, level, line);
}

static f0t_progress_plan *plan_of(const f0t_monitor *monitor)
{
    return monitor && monitor->progress == show ? monitor->user : NULL;
}

void f0t_plan_begin(f0t_progress_plan *p, const f0t_monitor *outer, const char *name)
{
    *p = (f0t_progress_plan){.outer = outer, .name = name};
    p->monitor = (f0t_monitor){
        .log = pass_log, .progress = show, .user = p, .stop = outer ? outer->stop : NULL};
}

void f0t_plan_next(f0t_progress_plan *p, double upto)
{
    p->begin = p->upto;
    p->upto = upto;
    p->total = p->step = 1;
    p->before = p->part = 0;
    report(p, 0);
}

void f0t_plan_end(const f0t_progress_plan *p)
{
    tell(p, F0T_PLAN_WHOLE);
}

void f0t_plan_total(const f0t_monitor *monitor, double cost)
{
    f0t_progress_plan *p = plan_of(monitor);
    if (!p)
        return;
    p->total = cost;
    p->before = p->step = p->part = 0;
}

void f0t_plan_step(const f0t_monitor *monitor, double cost)
{
    f0t_progress_plan *p = plan_of(monitor);
    if (!p)
        return;
    p->before += p->step;
    p->step = cost;
    p->part = 0;
    report(p, 0);
}
