/* The same list for every image: the training tags by how many training images have them. */
#include "baseline/ranker.h"

#include "base/alloc.h"

static f0t_status fit(void **fitted, const f0t_task *task, void *shared, const double *knobs)
{
    uint32_t *counts;
    (void)shared;
    (void)knobs;
    *fitted = NULL;
    F0T_TRY(f0t_alloc_zero(&counts, task->tags, sizeof *counts));
    for (size_t i = 0; i < task->train.offsets[task->train.count]; i++)
        counts[task->train.relevant[i]]++;
    *fitted = counts;
    return F0T_OK;
}

static f0t_status score(float *scores, const void *fitted, const f0t_task *task,
                        const f0t_candidates *tags, const f0t_queries *queries)
{
    const uint32_t *counts = fitted;
    (void)task;
    for (size_t m = 0; m < queries->count; m++)
        for (size_t t = 0; t < tags->count; t++)
            scores[m * tags->count + t] = (float)counts[tags->known[t]];
    return F0T_OK;
}

const f0t_ranker f0t_ranker_frequency = {
    .name = "frequency",
    .title = "Frequency",
    .source = "how often training images have a tag",
    .closed = true,
    .fit = fit,
    .free = f0t_free,
    .score = score,
};
