/* The same list for every image: the training tags by how many training images have them. The score is the
 * log-odds of that share, with half an image more on either side: where there is none it is finite. */
#include "baseline/ranker.h"

#include "base/alloc.h"

#include <math.h>

static f0t_status fit(void **fitted, const f0t_task *task, void *shared, const double *knobs)
{
    const double images = (double)task->train.count;
    double *odds;
    (void)shared;
    (void)knobs;
    *fitted = NULL;
    F0T_TRY(f0t_alloc_zero(&odds, task->tags, sizeof *odds));
    for (size_t i = 0; i < task->train.offsets[task->train.count]; i++)
        odds[task->train.relevant[i]]++;
    for (size_t t = 0; t < task->tags; t++)
        odds[t] = log((odds[t] + 0.5) / (images - odds[t] + 0.5));
    *fitted = odds;
    return F0T_OK;
}

static f0t_status score(float *scores, const void *fitted, const f0t_task *task,
                        const f0t_candidates *tags, const f0t_queries *queries)
{
    const double *odds = fitted;
    (void)task;
    for (size_t m = 0; m < queries->count; m++)
        for (size_t t = 0; t < tags->count; t++)
            scores[m * tags->count + t] = (float)odds[tags->known[t]];
    return F0T_OK;
}

const f0t_ranker f0t_ranker_frequency = {
    .name = "frequency",
    .title = "Frequency",
    .source = "how often training images have a tag",
    .closed = true,
    .calibrated = true,
    .fit = fit,
    .free = f0t_free,
    .score = score,
};
