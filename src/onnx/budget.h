/*
 * What one network may cost. A file of a few bytes can ask for any array and any amount of work, so
 * everything here that takes memory or time by what a file says is charged to a budget, which grows
 * with the bytes that are really there: the messages of the file, constants, weights in the kernels'
 * layouts, the arrays of a run, the elements that plain operators visit. Whoever is charged also sees
 * the monitor's stop flag. docs/onnx.md has the figures.
 */
#ifndef F0T_ONNX_BUDGET_H
#define F0T_ONNX_BUDGET_H

#include "base/status.h"

typedef struct f0t_onnx_budget {
    const f0t_monitor *monitor; /* or NULL */
    size_t file;                /* bytes of the network's files */
    size_t bytes;               /* that may still be taken */
    uint64_t steps;             /* that may still be gone */
    uint64_t granted;           /* of them, until the flag is looked at again */
} f0t_onnx_budget;

/* For reading a network and preparing it, and for one run with so many pictures. */
f0t_onnx_budget f0t_onnx_budget_load(size_t file, const f0t_monitor *monitor);
f0t_onnx_budget f0t_onnx_budget_run(size_t file, size_t images, const f0t_monitor *monitor);

/* The most that the arrays of a run may take, and its arithmetic on the fast path. */
size_t f0t_onnx_budget_arena(size_t file);
double f0t_onnx_budget_operations(size_t file, size_t images);

/* Takes memory for `count` elements of `size` bytes; fails with F0T_ERROR_UNSUPPORTED when that is more
 * than the file explains. What was only borrowed is given back. */
f0t_status f0t_onnx_budget_take(f0t_onnx_budget *budget, size_t count, size_t size);
void f0t_onnx_budget_give(f0t_onnx_budget *budget, size_t count, size_t size);

/* Fails with F0T_ERROR_INTERRUPTED when the work shall stop. */
f0t_status f0t_onnx_budget_look(const f0t_onnx_budget *budget);

/* Inside f0t_onnx_budget_steps. */
f0t_status f0t_onnx_budget_grant(f0t_onnx_budget *budget, uint64_t steps);

/* Before that many steps of work, each of some nanoseconds: looks at the flag every now and then, and
 * fails with F0T_ERROR_UNSUPPORTED when it is more than the file explains. */
static inline f0t_status f0t_onnx_budget_steps(f0t_onnx_budget *budget, uint64_t steps)
{
    if (steps > budget->granted)
        return f0t_onnx_budget_grant(budget, steps);
    budget->granted -= steps;
    return F0T_OK;
}

#endif
