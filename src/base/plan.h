/*
 * One bar for work of several stages. Whoever shows it makes a plan and lets the work report to the plan's monitor; the work
 * says beforehand what all of it costs, and before each step what that one costs. Costs are in any unit, the same for all
 * steps of a work. The bar never goes back: a step that ends early makes it jump.
 */
#ifndef F0T_BASE_PLAN_H
#define F0T_BASE_PLAN_H

#include "base/monitor.h"

/* Progress is told in thousandths of the bar, with this unit. */
#define F0T_PLAN_UNIT "%"
enum { F0T_PLAN_WHOLE = 1000 };

typedef struct f0t_progress_plan {
    f0t_monitor monitor; /* for the work; logs and stops as the one that shows the bar */
    const f0t_monitor *outer;
    const char *name;   /* of the bar's stage */
    double begin, upto; /* the part of the bar, of [0, 1], that the work fills */
    double total, before, step,
        part; /* costs: all, steps that are done, the one at work; and how much of that is done */
    uint64_t shown; /* thousandths, at the last call */
} f0t_progress_plan;

/* ---- Who shows the bar -------------------------------------------------------------------------- */

/* `outer` may be NULL. `name` must live as long as the plan. */
void f0t_plan_begin(f0t_progress_plan *plan, const f0t_monitor *outer, const char *name);
/* What comes next fills the bar up to `upto` of 1. Unless it says what it costs, each of its stages is taken for all of it. */
void f0t_plan_next(f0t_progress_plan *plan, double upto);
/* The bar is full. */
void f0t_plan_end(const f0t_progress_plan *plan);

/* ---- The work, which reports to some monitor. Where that is no plan's, nothing happens. ---------- */

/* Costs this much in all. Stages before the first step show nothing. */
void f0t_plan_total(const f0t_monitor *monitor, double cost);
/* The step before is done; the stages from here on are one that costs this much. */
void f0t_plan_step(const f0t_monitor *monitor, double cost);

#endif
