#include "baseline/ranker.h"

f0t_status f0t_task_read(const f0t_task *task, float *to, const uint32_t *images, size_t count)
{
    return f0t_condition_gather(task->unit, to, task->dataset, images, count);
}

size_t f0t_task_features(const f0t_task *task)
{
    return task->unit->dim;
}
